/* The monodomain problem: what is solved, and in which order. Who does it is another matter (solver/backends/backend.h).
 *
 *     chi (Cm dv/dt + I_ion) = div(sigma grad v) + stimulus,     no flux through the outer surface
 *
 * Godunov splitting, reaction first: in step i, from t = i dt to (i + 1) dt,
 *   1. stimulated elements get dt * rise_mV_ms added to v;
 *   2. every element takes one step of the cell model (solver/cells/model.h), from v to v*;
 *   3. w = v* + s takes pde_steps explicit diffusion steps of dt / pde_steps (solver/diffusion/diffusion.h), after which v = w - s, with
 *      the spread reaction s = kappa / dt (v* - v) (solver/diffusion/spreading.h): 0 for a scheme without;
 *   4. an element activates the first time v passes 0 mV upwards, interpolated linearly within the step. */
#ifndef MT_SOLVER_MONODOMAIN_H
#define MT_SOLVER_MONODOMAIN_H

#include <stdbool.h>

#include "mesh/mesh.h"
#include "solver/diffusion/diffusion.h"
#include "solver/cells/model.h"
#include "solver/stimulus.h"

/* 1 <= pde_steps; dt_ms / pde_steps <= diffusion->limit_dt_ms (mt_monodomain_check). */
typedef struct mt_monodomain {
    const mt_diffusion *diffusion;
    const mt_cell_model *model;
    size_t variant;             /* of the model: of all elements */
    const uint16_t *variant_of; /* [n_elements] where they differ (variant is not looked at then); or NULL */
    double dt_ms;
    size_t pde_steps;
    size_t n_stimuli;
    const mt_stimulus *stimulus;
    const mt_mesh *mesh; /* for messages, which then tell places; or NULL */
    double *
        peak_mV; /* [n_stimuli] kept by mt_backend_run: the highest V that elements of the stimulus have had while
                      * it was on, looked at each ms and at its end; or NULL */
} mt_monodomain;

/* The least number of diffusion steps in dt_ms that the operator's measured limit allows. */
size_t mt_monodomain_pde_steps(const mt_diffusion *diffusion, double dt_ms);

/* MT_NUMERICS where the diffusion step is above the operator's limit, with the limit and the steps needed. */
MT_NODISCARD mt_status mt_monodomain_check(const mt_monodomain *problem);

/* What an element is made of. */
const mt_cell_variant *mt_monodomain_variant(const mt_monodomain *problem, size_t element);

/* The first step after `step`, at most `end`, at which some stimulus is switched on or off. */
size_t mt_monodomain_next_switch(const mt_monodomain *problem, size_t step, size_t end);

#endif
