/* Checkpoints: all that a run needs to go on, in one file.
 *
 * After a whole time step that is the number of the step, the arrays of the backend (solver/backends/backend.h), the highest V that
 * each stimulus has made, what an emulated machine has counted, and what earlier machines had counted. Everything else follows from
 * the case. The file stands in the order of the mesh's elements and knows nothing of tiles, IPUs and threads: a run that goes on
 * elsewhere gives the same bits. From single precision to double, or back, it goes on within single precision.
 *
 * HDF5, nothing compressed, the same to the byte for the same state; whole or not there (data/files/h5.h):
 *
 *   /checkpoint                 attributes: version; backend, model, mesh, diffusion, machine (text; fingerprints, "" for a machine
 *                               that there is not), sum (of all that follows); step, record (int64; whether all of the record is
 *                               there), kept, beats (int64; mt_record.kept, and how many beats had ended), stepping (int64;
 *                               mt_stepping)
 *   case                        [bytes]       uint8, the case as it was used, YAML (mt_yaml_write)
 *   array/V, array/activation   [n_elements]  float or double, as the backend computes; with their units
 *   array/<recorded>            [n_elements]  the same for each mt_recorded, where the problem records them all
 *   array/<state>               [n_elements]  the same for each state of the model, by its name
 *   array/<paced>               [n_elements]  the same for each mt_paced, with multirate stepping
 *   beat/<b>/activation         [n_elements]  double, ms; of each beat that had ended, from 0 on, and
 *   beat/<b>/<recorded>         [n_elements]  double, the same for each mt_recorded that is kept
 *   stimulus/peak               [n_stimuli]   double, mV
 *   machine/count               [n_counts]    int64, only with an emulated machine
 *   segment/begin, segment/count, segment/clock, segment/words
 *                               int64, int64, double, uint8, as in mt_segments_flat
 *
 * The emulated machine does not count what a checkpoint takes from it (backend.h, read): checkpoints come by the host's clock, and a
 * run that goes on has the counts of one that never stopped.
 *
 * A file of another version is refused, and so is one whose content does not have its sum. */
#pragma once

#include "data/files/file.h"
#include "solver/backends/segments.h"

enum { MT_CHECKPOINT_VERSION = 6 };

/* What a file is about. */
typedef struct mt_checkpoint {
    char path[MT_FILE_PATH_MAX];
    size_t step;       /* time steps done */
    size_t n_elements; /* of the problem: those that are not inert */
    bool records_all;  /* mt_record.all */
    uint32_t kept;     /* mt_record.kept, of the beats */
    size_t n_beats;    /* that had ended */
    mt_stepping stepping;
    mt_segments segments;  /* the last ends with `step` */
    const char *case_text; /* ends with a NUL */
    char backend[32], model[64];
    char mesh[MT_HASH_SIZE], diffusion[MT_HASH_SIZE], machine[MT_HASH_SIZE]; /* fingerprints */
} mt_checkpoint;

/* Writes one of a backend that has come to the end of its last segment (mt_segments_count). problem->mesh is not NULL. MT_FILE: it
 * cannot be written, and what was there before still is. MT_MEMORY. */
MT_NODISCARD mt_status mt_checkpoint_write(const char *path, const mt_monodomain *problem,
    const mt_results *results, const mt_backend *backend, void *self, const mt_segments *segments,
    const char *case_text);

/* Gives, in `arena`, what a file is about, after a look at all of it. MT_FILE: it cannot be read. MT_INPUT: it is no
 * checkpoint, of another version, or damaged; the message names the file. MT_MEMORY. */
MT_NODISCARD mt_status mt_checkpoint_open(mt_arena *arena, const char *path, mt_checkpoint *checkpoint);

/* Is it of this problem? MT_INPUT: of another mesh, operator or cell model, or of a run that recorded more
 * or less, or had another stepping; the message says which. MT_MEMORY. */
MT_NODISCARD mt_status mt_checkpoint_check(const mt_checkpoint *checkpoint, const mt_monodomain *problem);

/* Takes an open backend of its problem to where the checkpoint is, and reads the beats that had ended and the peaks into `results`. `counted` tells whether an emulated machine counts on from there:
 * it is the same machine, and every element is on the same tile; else it counts from 0, and a segment begins. Fails as
 * mt_checkpoint_open; the backend is of no use then. */
MT_NODISCARD mt_status mt_checkpoint_restore(const mt_checkpoint *checkpoint, const mt_monodomain *problem,
    mt_results *results, const mt_backend *backend, void *self, bool *counted);

/* The same for another simulation that begins with the V and the states of a checkpoint, at time 0: of the same mesh and cell model,
 * whatever the tissue was. With multirate stepping, states begin as they were found last. */
MT_NODISCARD mt_status mt_checkpoint_check_start(
    const mt_checkpoint *checkpoint, const mt_monodomain *problem);
MT_NODISCARD mt_status mt_checkpoint_start(
    const mt_checkpoint *checkpoint, const mt_monodomain *problem, const mt_backend *backend, void *self);
