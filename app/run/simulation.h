/* The time steps of a problem on a backend, with progress and, if asked for, an end by a signal. */
#ifndef MT_APP_RUN_SIMULATION_H
#define MT_APP_RUN_SIMULATION_H

#include "app/run/checkpoints.h"
#include "app/run/samples.h"
#include "solver/backends/backend.h"
#include "solver/outputs/maps.h"

/* Called at the start of the steps and after each of them, with the backend, whose arrays it may read. A failure ends the steps. */
typedef mt_status mt_simulation_look(void *context, const mt_backend *backend, void *self, size_t steps_done);

/* What is to be simulated; borrowed. */
typedef struct mt_simulation {
    const char *path; /* of the case, with which messages of failures begin */
    const mt_backend *backend;
    const mt_monodomain *problem;
    const mt_layout *layout;    /* of tiles or ranks; else NULL or empty */
    size_t n_steps;             /* of problem->dt_ms, those before `from` with them */
    bool until_activated;       /* or fewer, as mt_case_until says */
    const mt_checkpoint *start; /* where V and states begin; NULL: at rest */
    const mt_checkpoint
        *from; /* to go on from, in place of a start; it agrees with the problem; NULL: none */
    mt_checkpoints *checkpoints; /* NULL: none is written */
    mt_sampling *sampling;       /* opened; NULL: nothing is taken as time passes */
    const mt_tracing *tracing;   /* of backends that can; NULL: no trace */
    mt_simulation_look *look;    /* NULL: nobody looks */
    void *looking;               /* its context */
    const char *what;            /* in the line of progress */
    /* Printed when a signal comes, after which the steps end; NULL: the program ends at once. */
    const char *on_signal;
} mt_simulation;

/* What came of it, in the arena of mt_simulate. */
typedef struct mt_simulated {
    size_t n_steps;          /* done */
    bool activated;          /* they ended because all is activated */
    mt_segments segments;    /* of them; the profile is of the last, which may have no step */
    size_t n_beats;          /* that had begun */
    const mt_records *beats; /* [n_beats] of the problem's elements */
    ipu_profile profile;     /* of backends that have one */
    ipu_trace *trace;        /* NULL: none was asked for */
} mt_simulated;

/* Opens the backend, at rest or at the checkpoint, and makes the steps. Where ranks share the problem this is rank 0, and the others call
 * mt_simulate_part. A signal behind the first of them is no failure where it
 * only ends the steps (n_steps tells), and a checkpoint is written then; before it, MT_STOPPED. Signals are caught from then on.
 * A sample that cannot be kept ends the steps with its failure, as does who looks; the checkpoints before it stay. Otherwise fails
 * as the backend's functions, mt_backend_run and those of checkpoints. */
MT_NODISCARD mt_status mt_simulate(mt_arena *arena, const mt_simulation *simulation, mt_simulated *out);

/* Does the part of a rank that is not 0, of what rank 0 gives it, as long as that asks. The layout has no halo. Fails as the backend's
 * open. */
MT_NODISCARD mt_status mt_simulate_part(const mt_backend *backend, const mt_layout *layout);

#endif
