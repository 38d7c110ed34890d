/* The time series of a run: traces at the points of the case, the series of fields, the potentials at the electrodes, and V of the
 * conduction network at the moments of the series.
 *
 * Each kind is sampled at its moments (solver/case/moments.h) and stored in a file of frames in the folder of the run (data/files/frames.h:
 * traces.frames, series.frames, ecg.frames, network.frames). These files survive a crash, and a run that resumes from a checkpoint
 * continues them. On the emulated machine the data is streamed to the host: V at most once at a step for all kinds, and for the points only
 * the unknowns of their fits. At the end the users' files are written from the frames (app/results/sample_files.h,
 * app/results/network_files.h). */
#pragma once

#include "app/run/problem.h"
#include "data/files/frames.h"
#include "solver/backends/backend.h"
#include "solver/outputs/ecg.h"

typedef enum mt_sample {
    MT_SAMPLE_TRACES,
    MT_SAMPLE_SERIES,
    MT_SAMPLE_ECG,
    MT_SAMPLE_NETWORK,
    MT_SAMPLES
} mt_sample;

typedef struct mt_sampling {
    const mt_case *input; /* borrowed, as the problem */
    const mt_problem *problem;
    bool wanted[MT_SAMPLES];
    mt_moments when[MT_SAMPLES];
    mt_frames frames[MT_SAMPLES];
    size_t n_fields[2]; /* number of fields of traces and series */
    size_t *field[2];   /* [n_fields[]] fields, of mt_case_field */
    mt_mesh part;       /* mesh of the series: the problem's, or the elements of a tag, by number[] */
    size_t n_part;      /* number of unknowns of the series, elements or vertices of `part` */
    uint32_t *of;       /* [n_part] numbers of its unknowns in the problem; NULL if it has all */
    size_t n_near;      /* number of unknowns that the points need */
    uint32_t *near;     /* [n_near] these unknowns */
    mt_ecg ecg;
    double *v_mV, *value, *phi_mV;          /* scratch: [unknowns] of the problem, the same, [n_electrodes] */
    double *network_mV;                     /* scratch: [points of the cables] */
    const struct mt_conducting *conducting; /* state of the network, set by the run; NULL without a network */
    size_t v_step;                          /* time step of v_mV; SIZE_MAX if it has no values */
    bool any;                               /* true if the case samples anything */
} mt_sampling;

/* Sets up the samples of a case in `arena`; `any` is false if there are none. Fails with MT_INPUT if an electrode is in the tissue
 * (`mt_ecg_make`), or if no element has the tag of the series; the message names the key. */
MT_NODISCARD mt_status mt_sampling_make(
    mt_arena *arena, const mt_case *input, const mt_problem *problem, mt_sampling *sampling);

/* Opens the files in an entered folder and deletes files of an earlier run there. If `from_step` is not 0, the run resumes: the files in
 * the folder `from` have the frames up to that step, and are copied if that is another folder. A file can be missing if no frame was due by
 * then. Fails with MT_INPUT if the files belong to another problem or lack frames, or with MT_FILE. */
MT_NODISCARD mt_status mt_sampling_open(
    mt_arena *arena, mt_sampling *sampling, const char *folder, const char *from, size_t from_step);

/* The same without files: the frames are in memory. Fails with MT_FILE or MT_MEMORY. */
MT_NODISCARD mt_status mt_sampling_open_in_memory(mt_arena *arena, mt_sampling *sampling);

/* Takes the samples that are due after `steps_done` steps, which can be 0. Fails with MT_FILE if a frame cannot be stored; then frames are
 * missing. Other errors come from the backend's `stream`. */
MT_NODISCARD mt_status mt_sampling_take(
    mt_sampling *sampling, const mt_backend *backend, void *self, size_t steps_done);

/* Writes all frames to permanent storage. Fails with MT_FILE. */
MT_NODISCARD mt_status mt_sampling_sync(mt_sampling *sampling);

/* Closes the files. `remove`: true to delete them, as no run will resume from them. */
void mt_sampling_close(mt_sampling *sampling, bool remove);
