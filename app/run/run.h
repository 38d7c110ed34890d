/* A run: a problem, its time loop on a backend, and the results.
 *
 * A run reports progress (data/core/progress.h) and stops on a signal. Checkpoints and samples are optional. app/results writes the files
 * of results. */
#pragma once

#include "app/run/checkpoints.h"
#include "app/run/samples.h"
#include "solver/backends/backend.h"
#include "solver/outputs/maps.h"

/* Called at the start of the steps and after each of them, with the backend, whose arrays it may read. A failure ends the steps. */
typedef mt_status mt_run_observer(void *context, const mt_backend *backend, void *self, size_t steps_done);

/* A map that does not follow from the equation, such as the residuals of a fit; borrowed. */
typedef struct mt_run_more_map {
    const char *name, *label, *unit;
    const char *nan;     /* reason for an element without a value */
    const float *values; /* [elements of the complete mesh] */
} mt_run_more_map;

typedef struct mt_run {
    /* Inputs, borrowed. */
    const char *path;     /* of the case; error messages start with it */
    const mt_case *input; /* with every value used */
    const mt_problem *problem;
    const mt_backend *backend;
    const mt_layout *layout;     /* of tiles or ranks; otherwise NULL or empty */
    bool until_activated;        /* true if the run can end before mt_case_steps (mt_case_until) */
    const mt_checkpoint *start;  /* initial V and states; NULL for a start at rest */
    const mt_checkpoint *from;   /* to resume from, instead of `start`; agrees with the problem; or NULL */
    mt_checkpoints *checkpoints; /* NULL if none is written */
    mt_sampling *sampling;       /* opened; NULL if no samples are taken */
    const mt_tracing *tracing;   /* for backends with traces; NULL for no trace */
    mt_run_observer *look;       /* optional */
    void *looking;               /* context of `look` */
    const char *what;            /* name of the run in the progress line */
    /* Message for a signal that ends the time loop after its step; NULL if a signal ends the program at once. */
    const char *on_signal;
    const char *details; /* folder for all files of the profile; NULL for profile.json only */

    /* Results, in the arena of mt_run_make. */
    size_t n_steps;             /* number of time steps done */
    bool activated;             /* true if the run ended because all elements are activated */
    const char *stopped_by;     /* the signal that ended the run, such as "SIGINT", or NULL */
    mt_backend_device device;   /* that computed; its name is empty if the host did */
    mt_segments segments;       /* of the time steps; the profile covers the last, which can be empty */
    mt_results results;         /* for the elements of the problem */
    const ipu_profile *profile; /* NULL without an emulated machine */
    const ipu_trace *trace;     /* NULL if not requested */
    const mt_map_velocities *velocities; /* [n_beats] (mt_run_find_velocities), or NULL */
    const struct mt_run_qrs *qrs;        /* (mt_run_find_qrs), or NULL */
    const mt_run_more_map *more;         /* a further map for result.hdf and the report, or NULL */
} mt_run;

/* Opens the backend, at rest or at the checkpoint, computes the time steps and fills in all results but the velocities and QRS complexes.
 * Only rank 0 calls it; the other ranks call `mt_run_part`. Signals are caught from the start of the time loop on. A signal that ends the
 * time loop after that step is no failure; a checkpoint is written then. An earlier signal returns MT_STOPPED. A sample that cannot be
 * stored ends the time loop with its error, and so does `look`; earlier checkpoints remain. Otherwise returns the errors of the backend,
 * `mt_backend_run` and checkpoints. */
MT_NODISCARD mt_status mt_run_make(mt_arena *arena, mt_run *run);

/* Computes the part of a rank other than 0, on data from rank 0, until rank 0 ends. The layout has no halo. Returns the errors of the
 * backend's `open`. */
MT_NODISCARD mt_status mt_run_part(const mt_backend *backend, const mt_layout *layout);

/* Returns the simulated time after the last step [ms]. */
double mt_run_reached_ms(const mt_run *run);
