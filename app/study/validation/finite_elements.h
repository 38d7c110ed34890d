/* The same tissue by linear finite elements, as most programs of the field solve it: what the element-centred finite volumes are
 * compared with on the same mesh.
 *
 *     M dv/dt = -K v + M f,     K_ij = sum_e V_e grad phi_i . D grad phi_j
 *
 * with one voltage and one cell at each vertex, and phi_i the hat function of vertex i. M is the consistent mass matrix, of entries
 * V_e / 20 (1 + [i = j]), or lumped: V_e / 4 on the diagonal. D is the diffusivity, no flux leaves the surface.
 *
 * A time step is that of solver/monodomain.h without kappa: stimulus, one step of the cell model at each vertex, then explicit diffusion
 * substeps, as few as their stability allows, by the splitting that is asked for. Stability is bounded element by element (I. Fried, Int. J. Solids Struct. 8 (1972) 491): no
 * eigenvalue of M^-1 K is above the largest of an element, which is at most 4 tr(K_e) / V_e where M is lumped and 20 tr(K_e) / V_e where
 * it is not. A consistent M is solved by conjugate gradients, to 1e-10 of the right side. Double precision. Shares with the
 * solver only mesh, tissue, cell model and how a splitting is compensated. */
#pragma once

#include <stdbool.h>

#include "mesh/mesh.h"
#include "solver/monodomain.h"
#include "solver/cells/model.h"
#include "solver/diffusion/tissue.h"

typedef struct mt_finite_elements {
    const mt_mesh *mesh; /* every vertex is of an element */
    const mt_tissue *tissue;
    bool consistent; /* M; else it is lumped */
    const mt_cell_model *model;
    size_t variant;
    double dt_ms, end_ms;
    mt_splitting splitting;
    const uint8_t *stimulated; /* [n_vertices] from the start, for duration_ms */
    double duration_ms, rise_mV_ms;
} mt_finite_elements;

/* What came of it. */
typedef struct mt_finite_elements_wave {
    double limit_dt_ms; /* 0.9 of the bound of the longest stable diffusion substep */
    double *
        activation_ms; /* [n_vertices] first passage through 0 mV, interpolated; infinite where there was none */
} mt_finite_elements_wave;

/* Called after every step with the steps done, v_mV and activation_ms [n_vertices]; false ends the run. */
typedef bool mt_finite_elements_watch(
    void *user, size_t steps_done, const double *v_mV, const double *activation_ms);

/* Gives the wave in `arena`; all is borrowed. MT_INPUT: a vertex of no element, no fibres in a tissue that conducts better one way than
 * another, or dt_ms is above what the model allows. MT_NUMERICS: V is no number. MT_MEMORY. Deterministic. */
MT_NODISCARD mt_status mt_finite_elements_run(mt_arena *arena, const mt_finite_elements *problem,
    mt_finite_elements_watch *watch, void *user, mt_finite_elements_wave *wave);
