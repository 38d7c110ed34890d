/* What a run takes of V and the states as time passes: the traces of a case's points, its series, and the potentials of its
 * electrodes.
 *
 * Each of the three that a case asks for is taken at its moments (solver/case/moments.h), and kept in a file of frames in the run's
 * folder (data/files/frames.h: traces.frames, series.frames, ecg.frames). These survive whatever happens to the program, and a
 * run that goes on from a checkpoint goes on with them. On the emulated machine all of it is streamed to the host, V once for all who
 * want it at a time, and of the points what their fits need. The files for users are made of them at the end (app/results/sample_files.h). */
#pragma once

#include "app/run/problem.h"
#include "data/files/frames.h"
#include "solver/backends/backend.h"
#include "solver/outputs/ecg.h"

typedef enum mt_sample { MT_SAMPLE_TRACES, MT_SAMPLE_SERIES, MT_SAMPLE_ECG, MT_SAMPLES } mt_sample;

typedef struct mt_sampling {
    const mt_case *input; /* borrowed, as the next */
    const mt_problem *problem;
    bool wanted[MT_SAMPLES];
    mt_moments when[MT_SAMPLES];
    mt_frames frames[MT_SAMPLES];
    size_t n_fields[2]; /* of the traces and the series, */
    size_t *field[2];   /*   and which: of mt_case_field */
    mt_mesh part;       /* of which the series is; the problem's, or the elements of a tag, by number[] */
    uint32_t *of;       /* [part.n_elements] their numbers in the problem; NULL: all */
    size_t n_near;      /* elements that the points need, */
    uint32_t *near;     /*   and which */
    mt_ecg ecg;
    double *v_mV, *value, *phi_mV; /* room: [n_elements] of the problem, the same, [n_electrodes] */
    size_t v_step;                 /* that v_mV is of; SIZE_MAX: none */
    bool any;
} mt_sampling;

/* Gives what the case asks for, in `arena`; where that is nothing, `any` is false, and nothing is taken. MT_INPUT: an electrode is
 * in the tissue (mt_ecg_make), or no element has the tag of the series; the message names the key. MT_MEMORY. */
MT_NODISCARD mt_status mt_sampling_make(
    mt_arena *arena, const mt_case *input, const mt_problem *problem, mt_sampling *sampling);

/* Opens the files in an entered folder; what another run left there goes. With `from_step` not 0 the run goes on: those in the folder
 * `from` have the frames up to that step, and are copied where it is another folder; where nothing was due by then, there need be none.
 * MT_INPUT: they are of something else, or lack frames. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_sampling_open(
    mt_arena *arena, mt_sampling *sampling, const char *folder, const char *from, size_t from_step);

/* Takes what is due after so many steps, also after none. MT_FILE: it cannot be kept; there is less than there should be. MT_INPUT,
 * MT_MEMORY: as a backend's stream. */
MT_NODISCARD mt_status mt_sampling_take(
    mt_sampling *sampling, const mt_backend *backend, void *self, size_t steps_done);

/* Makes durable what was taken. MT_FILE. */
MT_NODISCARD mt_status mt_sampling_sync(mt_sampling *sampling);

/* Closes the files, and removes them where no run will go on from them. */
void mt_sampling_close(mt_sampling *sampling, bool remove);
