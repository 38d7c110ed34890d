/* An implicit diffusion step as a program of the tiles (solver/diffusion/implicit.h,
 * solver/plan/implicit_codelets.h).
 *
 *     increments, start;  bounds = max over tiles;  next: continue?
 *     while continuing:  first product;  sums over tiles;  alpha
 *                        half;  second product;  sums over tiles;  omega and beta
 *                        end;  bounds = max over tiles;  next
 *     gain
 *
 * The transmembrane voltage is in v_a, as written by the reaction, and x in v_b. One tile computes the scalars and
 * sends them to all. Sums over tiles are integer reductions, and bounds are maxima (ipu/library/reduce.h): neither
 * depends on the order, so the bits do not depend on tiles or chips. The reductions run to one tile and back to
 * all, in few steps. A ring of chips (ipu/collectives) would take as many steps as there are chips, for a few
 * words. */
#pragma once

#include "solver/plan/implicit_codelets.h"
#include "solver/plan/variables.h"

/* Compute sets of an iteration with all tiles, and that of the gain; they precede the compute sets of sums and
 * scalars. */
enum { MT_IMPLICIT_ITERATION_SETS = 5 };

/* True if the k-th of these receives only scalars. */
bool mt_plan_implicit_receives_scalars(size_t k);

typedef struct mt_plan_implicit {
    ipu_tensor r, shadow, p, q, t;               /* [n] of solver/diffusion/implicit.h; r also holds s */
    ipu_tensor words_first, words_second, bound; /* per part */
    ipu_tensor sum_first, sum_second, bounds;    /* over all parts */
    ipu_tensor state, sent, iteration, goes_on;  /* on the tile of the scalars */
    uint32_t scalars_part;                       /* the part on the tile of the scalars */
    mt_implicit_context *context;                /* [n_parts] */
    ipu_codelet *codelet;                        /* [MT_IMPLICIT_PARTS] */
    const ipu_program *program;
} mt_plan_implicit;

/* Fills the initial `state` that the host writes: the largest absolute row sum of A (mt_plan_matrix.norm, mt_plan_nodal_values.norm), and
 * the tolerance. */
void mt_plan_implicit_state(const mt_plan *plan, float norm, float state[MT_IMPLICIT_STATE]);

/* Returns the residual stored in a state. */
double mt_plan_implicit_residual_mV(const float state[MT_IMPLICIT_STATE]);

/* Adds the variables of a step except v_a, v_b and the rows of G, which are d, a and column. MT_FIT: a tile, or all
 * tiles, have too many elements for sums in fixed point. */
MT_NODISCARD mt_status mt_plan_add_implicit_variables(mt_arena *arena, mt_plan *plan);

/* Adds the vertices of a part to the first two compute sets, which replace the diffusion steps (MT_PLAN_PDE_AB,
 * MT_PLAN_PDE_BA); slices: scratch, as for mt_plan_connect_local. */
MT_NODISCARD mt_status mt_plan_add_implicit_start(
    mt_plan *plan, const uint32_t set[2], uint32_t part, ipu_slice *slices);

/* Adds all other compute sets, MT_IMPLICIT_ITERATION_SETS and the sets of sums and scalars, and builds the program. */
MT_NODISCARD mt_status mt_plan_add_implicit(mt_arena *arena, mt_plan *plan, ipu_slice *slices);
