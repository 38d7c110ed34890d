/* A run: a problem, how its time steps are made on a backend, and the results.
 *
 * A run reports its progress (data/core/progress.h), writes checkpoints, takes samples and stops on a signal, as far as it is given what
 * these need. Its results are written by app/results. */
#pragma once

#include "app/run/checkpoints.h"
#include "app/run/samples.h"
#include "solver/backends/backend.h"
#include "solver/outputs/maps.h"

/* Called at the start of the steps and after each of them, with the backend, whose arrays it may read. A failure ends the steps. */
typedef mt_status mt_run_look(void *context, const mt_backend *backend, void *self, size_t steps_done);

typedef struct mt_run {
    /* What is run; borrowed. */
    const char *path;     /* of the case, with which messages of failures begin */
    const mt_case *input; /* with every value that is used */
    const mt_problem *problem;
    const mt_backend *backend;
    const mt_layout *layout;    /* of tiles or ranks; else NULL or empty */
    bool until_activated;       /* may end before mt_case_steps (mt_case_until) */
    const mt_checkpoint *start; /* V and states at the start; NULL: at rest */
    const mt_checkpoint
        *from; /* to resume from, in place of a start; it agrees with the problem; NULL: none */
    mt_checkpoints *checkpoints; /* NULL: none is written */
    mt_sampling *sampling;       /* opened; NULL: no samples are taken */
    const mt_tracing *tracing;   /* of backends that can; NULL: no trace */
    mt_run_look *look;           /* or NULL */
    void *looking;               /* its context */
    const char *what;            /* in the line of progress */
    const char *
        on_signal; /* printed when a signal comes, after which the steps end; NULL: the program ends at once */
    const char *details; /* folder for all files of the profile; NULL: only profile.json */

    /* Results, in the arena of mt_run_make. */
    size_t n_steps;             /* done */
    bool activated;             /* they ended because all is activated */
    const char *stopped_by;     /* the signal, "SIGINT"; NULL: the run came to its end */
    mt_segments segments;       /* of the steps; the profile is of the last, which may have no step */
    mt_results results;         /* of the problem's elements */
    const ipu_profile *profile; /* NULL without an emulated machine */
    const ipu_trace *trace;     /* NULL: none was asked for */
    const mt_map_velocities *velocities; /* [n_beats] (mt_run_find_velocities); NULL: none */
} mt_run;

/* Opens the backend, at rest or at the checkpoint, makes the steps and fills in the results but the velocities. On several ranks this is
 * for rank 0; the others call mt_run_part. A signal after the first step is no failure if it only ends the steps; a checkpoint is written
 * then. Before it: MT_STOPPED. Signals are caught from then on. A sample that cannot be kept ends the steps with its failure, as does
 * `look`; the checkpoints before it stay. Otherwise fails as the backend's functions, mt_backend_run and those of checkpoints. */
MT_NODISCARD mt_status mt_run_make(mt_arena *arena, mt_run *run);

/* Does the part of a rank that is not 0, on data that rank 0 sends, until that has ended. The layout has no halo. Fails as the backend's
 * open. */
MT_NODISCARD mt_status mt_run_part(const mt_backend *backend, const mt_layout *layout);

/* The simulated time of the last step that was done. */
double mt_run_reached_ms(const mt_run *run);
