/* Linear finite elements for the same tissue, the standard discretisation of the field, for comparison with the element-centred
 * finite volumes on the same mesh:
 *
 *     M dv/dt = -K v + M f,    K_ij = sum_e V_e grad phi_i . D grad phi_j
 *
 * with Vm and one cell at each vertex, and the hat function phi_i of vertex i. M is the consistent mass matrix, with entries V_e /
 * 20 (1 + [i = j]), or lumped: V_e / 4 on the diagonal. D is the diffusivity; the surface has no flux.
 *
 * A time step is that of solver/monodomain.h without kappa: stimulus, one step of the ionic model at each vertex, then the fewest
 * stable explicit diffusion substeps, with the given splitting. Stability is bounded element by element (I. Fried, Int. J. Solids
 * Struct. 8 (1972) 491): no eigenvalue of M^-1 K exceeds the largest of an element, which is at most 4 tr(K_e) / V_e for lumped and
 * 20 tr(K_e) / V_e for consistent M. Systems with consistent M are solved by conjugate gradients, to 1e-10 of the right-hand side.
 * Double precision. The solver shares only mesh, tissue, ionic model and the compensation of the splitting. */
#pragma once

#include <stdbool.h>

#include "mesh/mesh.h"
#include "solver/monodomain.h"
#include "solver/cells/model.h"
#include "solver/diffusion/tissue.h"

typedef struct mt_finite_elements {
    const mt_mesh *mesh; /* each vertex belongs to an element */
    const mt_tissue *tissue;
    bool consistent; /* consistent M, else lumped */
    const mt_cell_model *model;
    size_t variant;
    double dt_ms, end_ms;
    mt_splitting splitting;
    const uint8_t *stimulated; /* [n_vertices] true: stimulated from t = 0 for duration_ms */
    double duration_ms, rise_mV_ms;
} mt_finite_elements;

/* Results of a run. */
typedef struct mt_finite_elements_wave {
    double limit_dt_ms;    /* 0.9 of the bound on the longest stable diffusion substep */
    double *activation_ms; /* [n_vertices] first interpolated crossing of 0 mV; infinite if not activated */
} mt_finite_elements_wave;

/* Observes each step: the number of completed steps, v_mV and activation_ms [n_vertices]. Returns false to end the run. */
typedef bool mt_finite_elements_watch(
    void *user, size_t steps_done, const double *v_mV, const double *activation_ms);

/* Returns the results in `arena`; borrows everything. Fails with MT_INPUT if a vertex belongs to no element, if an anisotropic
 * tissue has no fibres, or if dt_ms exceeds the limit of the model; with MT_NUMERICS if V is not finite; or with MT_MEMORY.
 * Deterministic. */
MT_NODISCARD mt_status mt_finite_elements_run(mt_arena *arena, const mt_finite_elements *problem,
    mt_finite_elements_watch *watch, void *user, mt_finite_elements_wave *wave);
