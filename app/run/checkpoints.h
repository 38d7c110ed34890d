/* The checkpoints of a run in its folder: when one is due, which are retained, and from which one a run resumes.
 *
 * They are named checkpoint-STEP.hdf, with ten digits. All checkpoints of a folder belong to one run: those from an earlier run are deleted
 * once the first checkpoint of the new run is in place. */
#pragma once

#include "solver/case/case.h"
#include "solver/backends/checkpoint.h"

/* The checkpoints that a run writes. Zero-initialised means that it writes none. */
typedef struct mt_checkpoints {
    const char *folder;        /* entered (data/files/folder.h), borrowed; NULL if no checkpoint is written */
    const char *case_text;     /* the case with every value used */
    size_t every_steps, keep;  /* interval; number of checkpoints to retain */
    double every_s, written_s; /* interval in host time; host time of the last attempt to write one */
    bool at_end;               /* true if the end of the run gets a checkpoint */
    size_t newest;             /* step of the newest */
    bool any;                  /* true if one was written, or if the run resumed from one in this folder */
} mt_checkpoints;

/* Sets up the checkpoints of a case, in `arena`, after its problem was built (time.pde_steps is known). `from`: the checkpoint that the run
 * resumes from, or NULL; then it warns if the folder has checkpoints of a run that was stopped before its end. */
MT_NODISCARD mt_status mt_checkpoints_begin(mt_arena *arena, const mt_case *input, const char *folder,
    const mt_checkpoint *from, mt_checkpoints *checkpoints);

/* True if a checkpoint is due after `steps_done` steps, or if it is `wanted`; false if the run writes none. */
bool mt_checkpoints_due(const mt_checkpoints *checkpoints, size_t steps_done, bool wanted);

/* Writes a checkpoint after `steps_done` steps, updates `segments` to that step, and deletes surplus checkpoints. A failure to write is
 * only a warning: earlier checkpoints remain, and the run continues. */
void mt_checkpoints_write(mt_checkpoints *checkpoints, const mt_monodomain *problem,
    const mt_results *results, const mt_backend *backend, void *self, mt_segments *segments,
    size_t steps_done);

/* Deletes the checkpoints that are not retained, after a run has ended and its results are in place. */
void mt_checkpoints_end(const mt_checkpoints *checkpoints);

/* True if `path` names a checkpoint in `folder`, which a run in that folder may delete. */
bool mt_checkpoints_own(const char *folder, const char *path);

/* True if a folder has a checkpoint, intact or not; false if the folder cannot be read. */
bool mt_checkpoints_any(const char *folder);

/* Finds the newest intact checkpoint in a folder. Warns about damaged ones. Fails with MT_FILE or MT_INPUT if there is none. */
MT_NODISCARD mt_status mt_checkpoints_newest(mt_arena *arena, const char *folder, mt_checkpoint *newest);

/* Reads the case of a checkpoint into `arena`. If it has the ionic model of another case, the model is opened where that case has it, since
 * the file can have been moved. MT_INPUT: another imported model. */
MT_NODISCARD mt_status mt_checkpoints_case(
    mt_arena *arena, const mt_checkpoint *from, const mt_case *input, mt_case *before);

/* Checks that a case can resume from a checkpoint. It can differ in the path of the mesh file, the end time, listed sample times after the
 * checkpoint, the machine and the keys of checkpoints. Fails with MT_INPUT if another key differs; the message has the key and both values.
 * `input`: the case after its problem was built. */
MT_NODISCARD mt_status mt_checkpoints_agree(const mt_checkpoint *from, const mt_case *input);

/* Warns if the run of an initial state (`start.state`) had other cells or tissue. The warning has the first key of `cell`, `tissue`,
 * `gradients` or `regions` that differs, with both values. `name`: file of the case. Returns the errors of `mt_yaml_read`. */
MT_NODISCARD mt_status mt_checkpoints_warn_of_start(
    const mt_checkpoint *from, const mt_case *input, const char *name);
