/* The checkpoints of a run in its folder: when one is due, which stay, and from which one to go on.
 *
 * They are called checkpoint-STEP.hdf, with ten digits. At any time those in a folder are of one run: those of an earlier one go when
 * the first of the new one is in place. */
#pragma once

#include "solver/case/case.h"
#include "solver/backends/checkpoint.h"

/* Those that a run writes. All zero: none. */
typedef struct mt_checkpoints {
    const char *folder;    /* entered (data/files/folder.h), borrowed; NULL: none is written */
    const char *case_text; /* as it was used */
    size_t every_steps, keep;
    double every_s, written_s; /* of the host's time; and when the newest was written, or had failed */
    bool at_end;
    size_t newest; /* its step */
    bool any;      /* one was written */
} mt_checkpoints;

/* Gives those of a case, whose problem has been made (time.pde_steps is known), in `arena`. Warns where the folder has some of
 * another run that was stopped before its end; `from` is the one that this run goes on from, or NULL. MT_MEMORY. */
MT_NODISCARD mt_status mt_checkpoints_begin(mt_arena *arena, const mt_case *input, const char *folder,
    const mt_checkpoint *from, mt_checkpoints *checkpoints);

/* Is one due after so many steps, or is it `wanted`? Not where none is kept. */
bool mt_checkpoints_due(const mt_checkpoints *checkpoints, size_t steps_done, bool wanted);

/* Writes one after so many steps, to where it brings the segments, and then removes those too many. Where it cannot be written the
 * ones before stay, and that is a warning: the run goes on. */
void mt_checkpoints_write(mt_checkpoints *checkpoints, const mt_monodomain *problem,
    const mt_results *results, const mt_backend *backend, void *self, mt_segments *segments,
    size_t steps_done);

/* The run has come to its end, and its results are in place: removes all that do not stay. */
void mt_checkpoints_end(const mt_checkpoints *checkpoints);

/* Is this the path of a checkpoint in this folder, one that a run there removes? */
bool mt_checkpoints_own(const char *folder, const char *path);

/* Has this folder a checkpoint, whole or not? Not where it cannot be read. */
bool mt_checkpoints_any(const char *folder);

/* Gives the newest one of a folder that is whole; those that are not get a warning. MT_FILE, MT_INPUT: there is none. MT_MEMORY. */
MT_NODISCARD mt_status mt_checkpoints_newest(mt_arena *arena, const char *folder, mt_checkpoint *newest);

/* Can this case go on from a checkpoint? What may differ is in what follows it: where the mesh file is, how long the run is, at
 * which listed times behind the checkpoint it takes samples, the machine and the checkpoints themselves. MT_INPUT: something else
 * differs; the message has the key and both values. `input` is as its problem made it. MT_MEMORY. */
MT_NODISCARD mt_status mt_checkpoints_agree(const mt_checkpoint *from, const mt_case *input);

/* Warns of a state with which another run begins (`start.state`) and whose cells or tissue were others: names the first key of `cell`,
 * `tissue`, `gradients` or `regions` that differs, with both values. `name` is the case's file. MT_MEMORY, or as mt_yaml_read. */
MT_NODISCARD mt_status mt_checkpoints_warn_of_start(
    const mt_checkpoint *from, const mt_case *input, const char *name);
