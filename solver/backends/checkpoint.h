/* Checkpoints: the complete state of a run in one file, from which it can be resumed.
 *
 * The state after a time step is the step number, the arrays of the backend (solver/backends/backend.h), the peak V
 * of each stimulus, the counts of the emulated machine, and the counts of earlier machines. The rest follows from
 * the case. Arrays are in the order of the mesh's elements, or of its vertices if the voltages are there,
 * independent of tiles, IPUs and threads: a run resumed on another machine has the same bits. Between single and
 * double precision, results continue within single precision.
 *
 * HDF5, not compressed, identical bytes for identical state; written completely or not at all (data/files/h5.h):
 *
 *   /checkpoint                 attributes: version; backend, model, mesh, diffusion, machine (text; fingerprints, "" if there is
 *                               no machine), sum (of all that follows); step, record (int64; whether the entire record is
 *                               present), kept, beats (int64; mt_record.stored, and the number of completed beats), stepping (int64;
 *                               mt_stepping). model is the identity of the ionic model (solver/cells/model.h). states (text, a line
 *                               for each; only with an imported model): the names of the model's states in order, so that the file
 *                               can be verified without the model
 *                               conduction (text; only with a conduction system): its fingerprint (mt_conduction_fingerprint)
 *                               vertices (int64, 1; only with voltages at the vertices: n_elements below is then their number)
 *   case                        [bytes]       uint8, the case as it was used, YAML (mt_yaml_write)
 *   array/V, array/activation   [n_elements]  float or double, the backend's precision; with their units
 *   array/<recorded>            [n_elements]  the same for each mt_recorded, if the problem records all
 *   array/<state>               [n_elements]  the same for each state of the model, by its name
 *   array/<paced>               [n_elements]  the same for each mt_paced, with multirate stepping
 *   beat/<b>/activation         [n_elements]  double, ms; of each completed beat, from 0, and
 *   beat/<b>/<recorded>         [n_elements]  double, the same for each mt_recorded that is kept
 *   stimulus/peak               [n_stimuli]   double, mV
 *   conduction/state            [numbers]     double, only with a conduction system: its state (mt_conducting_save), and
 *   conduction/beats            [beats][places] double, ms: the activation times of its completed beats, if there are any
 *   machine/count               [n_counts]    int64, only with an emulated machine
 *   segment/begin, segment/count, segment/clock, segment/words
 *                               int64, int64, double, uint8, as in mt_segments_flat
 *
 * The emulated machine does not count the transfer of a checkpoint (backend.h, read), since checkpoints depend on
 * the host's clock. A resumed run has the counts of an uninterrupted one.
 *
 * Files of another version, or with a wrong checksum, are rejected. */
#pragma once

#include "data/files/file.h"
#include "solver/backends/segments.h"

enum { MT_CHECKPOINT_VERSION = 7 };

/* The metadata of a checkpoint file. */
typedef struct mt_checkpoint {
    char path[MT_FILE_PATH_MAX];
    size_t step;       /* completed time steps */
    size_t n_elements; /* unknowns of the problem: the conducting elements, or their vertices */
    bool at_vertices;  /* true if the voltages are at the vertices */
    bool records_all;  /* mt_record.all */
    uint32_t stored;   /* mt_record.stored of the beats */
    size_t n_beats;    /* completed beats */
    mt_stepping stepping;
    mt_segments segments;  /* the last one ends at `step` */
    const char *case_text; /* NUL-terminated */
    char backend[32], model[MT_CELL_IDENTITY];
    /* fingerprints; that of the conduction system is "" if there is none */
    char mesh[MT_HASH_SIZE], diffusion[MT_HASH_SIZE], machine[MT_HASH_SIZE], conduction[MT_HASH_SIZE];
} mt_checkpoint;

/* Writes a checkpoint of a backend at the end of its last segment (mt_segments_count). problem->mesh must not be
 * NULL. MT_FILE: the file cannot be written; an existing file is then unchanged. MT_MEMORY. */
MT_NODISCARD mt_status mt_checkpoint_write(const char *path, const mt_monodomain *problem,
    const mt_results *results, const mt_backend *backend, void *self, const mt_segments *segments,
    const char *case_text);

/* Reads the metadata of a file into `arena` and verifies the complete file. MT_FILE: it cannot be read. MT_INPUT:
 * it is not a checkpoint, is of another version, or is damaged; the message names the file. MT_MEMORY. */
MT_NODISCARD mt_status mt_checkpoint_open(mt_arena *arena, const char *path, mt_checkpoint *checkpoint);

/* Checks that a checkpoint belongs to the problem. MT_INPUT: mesh, operator, ionic model, recorded quantities or
 * stepping differ; the message says which. MT_MEMORY. */
MT_NODISCARD mt_status mt_checkpoint_check(const mt_checkpoint *checkpoint, const mt_monodomain *problem);

/* Restores an open backend of the checkpoint's problem to the state of the checkpoint, and reads the completed
 * beats and the peaks into `results`. Returns in `counted` whether an emulated machine continues its counts, which
 * needs the same machine and every element on the same tile. Otherwise it counts from 0, and a segment begins.
 * Fails as mt_checkpoint_open; the backend is then unusable. */
MT_NODISCARD mt_status mt_checkpoint_restore(const mt_checkpoint *checkpoint, const mt_monodomain *problem,
    mt_results *results, const mt_backend *backend, void *self, bool *counted);

/* Check and start another simulation at time 0 from the V and the states of a checkpoint, with the same mesh, ionic
 * model and conduction system; the tissue may differ. With multirate stepping, states start at their last evaluation.
 * `results` needs only the conduction system, if there is one. */
MT_NODISCARD mt_status mt_checkpoint_check_start(
    const mt_checkpoint *checkpoint, const mt_monodomain *problem);
MT_NODISCARD mt_status mt_checkpoint_start(const mt_checkpoint *checkpoint, const mt_monodomain *problem,
    mt_results *results, const mt_backend *backend, void *self);
