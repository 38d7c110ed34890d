/* For tests: the cell of ten Tusscher and Panfilov with a share of its sodium current, as in diseased tissue or under drugs.
 *
 * The model's own kernel makes the step. An explicit step is linear in g_Na, and only V and Na_i have i_Na in their rates: what is too
 * much of it is given back to these two. */
#ifndef MT_TESTS_SOLVER_WEAK_SODIUM_H
#define MT_TESTS_SOLVER_WEAK_SODIUM_H

#include <criterion/criterion.h>

#include <math.h>

#include "solver/cells/tp06/tp06.h"
#include "solver/kernels/block.h"
#include "solver/cells/model.h"

/* i_Na [pA/pF] as in the published equations, from the states at a step's start. */
static inline double sodium_current(double v_mV, const double *state, size_t stride)
{
    const double rt_f = 8314.472 * 310 / 96485.3415, m = state[TP06_M * stride], h = state[TP06_H * stride],
                 j = state[TP06_J * stride];
    return 14.838 * m * m * m * h * j * (v_mV - rt_f * log(140 / state[TP06_NAI * stride]));
}

/* At most 1024 cells, which is what the cpu backend asks for at once. */
static inline void weak_step(double share, const mt_cell_variant *variant, const uint16_t *of, double dt_ms,
    size_t n, double *state, const double *v_in_mV, double *v_out_mV)
{
    enum { MOST = 64 * MT_BLOCK };
    const double to_Nai = 0.185 / (0.016404 * 96485.3415); /* Cm / (V_c F) */
    double back[MOST];
    cr_assert_leq(n, MOST);
    for (size_t c = 0; c < n; c++)
        back[c] =
            dt_ms * (1 - share) *
            sodium_current(v_in_mV[c], state + mt_block_index(n, TP06_STATES, c, 0), mt_block_width(n, c));
    mt_cell_tp06.kernel_double[mt_kernels_used()->set](variant, of, dt_ms, n, state, v_in_mV, v_out_mV);
    for (size_t c = 0; c < n; c++) {
        v_out_mV[c] += back[c];
        state[mt_block_index(n, TP06_STATES, c, TP06_NAI)] += to_Nai * back[c];
    }
}

#define WEAK_KERNEL(name, share)                                                                             \
    static inline void name(const mt_cell_variant *variant, const uint16_t *of, double dt_ms, size_t n,      \
        double *state, const double *v_in_mV, double *v_out_mV)                                              \
    {                                                                                                        \
        weak_step(share, variant, of, dt_ms, n, state, v_in_mV, v_out_mV);                                   \
    }
WEAK_KERNEL(weak_whole, 1)
WEAK_KERNEL(weak_half, 0.5)
WEAK_KERNEL(weak_quarter, 0.25)
WEAK_KERNEL(weak_none, 0)

/* The model's row with one of these, for the cpu backend. */
static inline mt_cell_model weak_model(mt_cell_kernel_double *kernel)
{
    mt_cell_model model = mt_cell_tp06;
    for (int isa = 0; isa < MT_ISAS; isa++) model.kernel_double[isa] = kernel;
    return model;
}

#endif
