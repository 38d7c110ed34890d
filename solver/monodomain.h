/* The monodomain problem and its time loop: what is solved, in which order, by whom is another matter.
 *
 *     chi (Cm dv/dt + I_ion) = div(sigma grad v) + stimulus,     no flux through the outer surface
 *
 * Godunov splitting, reaction first: in step i, from t = i dt to (i + 1) dt,
 *   1. stimulated cells get dt * rise_mV_ms added to v;
 *   2. every cell takes one step of the cell model (solver/cells/tp06.h);
 *   3. v takes pde_steps explicit diffusion steps of dt / pde_steps (solver/diffusion/diffusion.h);
 *   4. a cell activates the first time v passes 0 mV upwards, interpolated linearly within the step.
 *
 * A backend does these four on some machine; all backends stand in one table, and the same tests run over all
 * of them. */
#ifndef MT_SOLVER_MONODOMAIN_H
#define MT_SOLVER_MONODOMAIN_H

#include <stdbool.h>

#include "ipu/run/profile.h"
#include "mesh/cut/halo.h"
#include "mesh/mesh.h"
#include "solver/diffusion/diffusion.h"
#include "solver/cells/tp06.h"
#include "solver/stimulus.h"

/* 1 <= pde_steps; dt_ms / pde_steps <= diffusion->limit_dt_ms (mt_monodomain_check). */
typedef struct mt_monodomain {
    const mt_diffusion *diffusion;
    mt_cell_type cell_type;
    const uint16_t *cell_type_of; /* [n_cells] where they differ (cell_type is not looked at then); or NULL */
    double dt_ms;
    size_t pde_steps;
    size_t n_stimuli;
    const mt_stimulus *stimulus;
    const mt_mesh *mesh; /* for messages, which then tell places; or NULL */
    double *
        peak_mV; /* [n_stimuli] kept by mt_monodomain_run: the highest V that cells of the stimulus have had while it
                            was on, looked at each ms and at its end; or NULL */
} mt_monodomain;

/* The least number of diffusion steps in dt_ms that the operator's measured limit allows. */
size_t mt_monodomain_pde_steps(const mt_diffusion *diffusion, double dt_ms);

/* MT_NUMERICS where the diffusion step is above the operator's limit, with the limit and the steps needed. */
MT_NODISCARD mt_status mt_monodomain_check(const mt_monodomain *problem);

/* What a cell is made of. */
const mt_tp06_type *mt_monodomain_type(const mt_monodomain *problem, size_t cell);

/* The first step after `step`, at most `end`, at which some stimulus is switched on or off. */
size_t mt_monodomain_next_switch(const mt_monodomain *problem, size_t step, size_t end);

/* How the ipu backend lays the problem out; the cpu backend needs none of it. */
typedef struct mt_layout {
    const ipu_target *target;
    const mt_halo *halo; /* of the operator's columns, one part a tile */
    bool checked;        /* poison what is stale; slow */
} mt_layout;

/* What a trace is asked for: time steps and tiles, numbered from 0, the last with them; and how many slices there may be,
 * each a tile's exchange or compute in one superstep, or a phase of the whole machine. */
typedef struct mt_tracing {
    size_t first_step, last_step, first_tile, last_tile;
    uint64_t slices_max;
} mt_tracing;

/* One row of the table of backends. A backend's own data lives in the arena given to open and ends with it. */
typedef struct mt_backend {
    const char *name;

    /* Sets up v, states and activation times at rest. Keeps problem and layout. layout may be NULL for cpu. */
    mt_status (*open)(mt_arena *arena, const mt_monodomain *problem, const mt_layout *layout, void **self);

    /* Does steps [first, first + n), over which no stimulus is switched. */
    mt_status (*advance)(void *self, size_t first, size_t n);

    /* Copies out, by global cell; each may be NULL. activation_ms is infinite where not activated. */
    mt_status (*read)(void *self, double *v_mV, double *activation_ms);

    /* What it cost the emulated machine so far; NULL where there is none. */
    mt_status (*profile)(void *self, mt_arena *arena, ipu_profile *profile);

    /* Before the first step: gives a trace in `arena` in which those steps will stand. MT_INPUT: they have more slices than
     * there may be; the message tells how many steps have not. NULL where there is no emulated machine. */
    mt_status (*trace)(void *self, mt_arena *arena, const mt_tracing *what, ipu_trace **trace);
} mt_backend;

/* cpu: double precision, OpenMP, the whole mesh at once: the yardstick. ipu: float, tile by tile on the
 * emulated machine. NULL ends the table. */
extern const mt_backend *const mt_backends[];
const mt_backend *mt_backend_find(const char *name); /* NULL and the message set where there is none */

/* Called after every step with the steps done; false stops the run there (MT_STOPPED). */
typedef bool mt_monodomain_watch(void *user, size_t steps_done);

/* Runs steps [0, n_steps) on an open backend; watch may be NULL. Looks at all voltages every millisecond: MT_NUMERICS
 * where v leaves -200 .. 200 mV or is no number, with cell, place, value and time, the stimulus that did it or was on (as a
 * case names it) and what to try. */
MT_NODISCARD mt_status mt_monodomain_run(const mt_monodomain *problem, const mt_backend *backend, void *self,
    size_t n_steps, mt_monodomain_watch *watch, void *user);

#endif
