/* Slow propagation with a reduced sodium current, on meshes of 0.4 mm compared with a fine line of the same cells. Spreading corrects a
 * smaller part of the delay than with the normal current. solver/README.md, "Conduction velocity on coarse meshes", has the figures. */
#include <criterion/criterion.h>

#include <math.h>

#include "solver/kernels/block.h"
#include "tests/random.h"
#include "tests/solver/cells/reduced_sodium.h"
#include "tests/solver/coarse_bar.h"

/* Computes i_Na [pA/pF] as in the published equations, from the states at the start of a step. */
static double sodium_current(double v_mV, const double *state, size_t stride)
{
    const double rt_f = 8314.472 * 310 / 96485.3415, m = state[TP06_M * stride], h = state[TP06_H * stride],
                 j = state[TP06_J * stride];
    return 14.838 * m * m * m * h * j * (v_mV - rt_f * log(140 / state[TP06_NAI * stride]));
}

/* An explicit step is linear in g_Na, and only the rates of V and Na_i contain i_Na. Cells in many states. */
Test(reduced_excitability, a_reduced_sodium_current_affects_voltage_and_sodium_concentration)
{
    enum { CELLS = 100, N = CELLS * TP06_STATES };
    static double start[N], state[2][N], v_start[CELLS], v[2][CELLS];
    const double *rest = mt_cell_tp06.variants[TP06_EPI].states, share = 0.3,
                 to_Nai = 0.185 / (0.016404 * 96485.3415); /* Cm / (V_c F) */
    uint64_t seed = 3;
    reduced_sodium_cells reduced;
    for (size_t c = 0; c < CELLS; c++) {
        for (size_t k = 0; k < TP06_STATES; k++)
            start[mt_block_index(CELLS, TP06_STATES, c, k)] = rest[k] * between(&seed, 0.9, 1.1);
        start[mt_block_index(CELLS, TP06_STATES, c, TP06_M)] = between(&seed, 0, 1);
        v_start[c] = between(&seed, -90, 40);
    }
    for (int k = 0; k < 2; k++) memcpy(state[k], start, sizeof start);
    mt_cell_step_double(&mt_cell_tp06, TP06_EPI, NULL, 0.02, CELLS, state[0], v_start, v[0]);
    mt_cell_step_double(reduced_sodium_model(&reduced, share), 0, NULL, 0.02, CELLS, state[1], v_start, v[1]);
    double current = 0;
    for (size_t c = 0; c < CELLS; c++) {
        const double *cell = start + mt_block_index(CELLS, TP06_STATES, c, 0),
                     back = 0.02 * (1 - share) * sodium_current(v_start[c], cell, mt_block_width(CELLS, c));
        for (size_t k = 0; k < TP06_STATES; k++) {
            const size_t at = mt_block_index(CELLS, TP06_STATES, c, k);
            if (k == TP06_NAI)
                cr_expect_float_eq(state[1][at] - state[0][at], to_Nai * back, 1e-13);
            else
                cr_expect_eq(state[1][at], state[0][at], "%s", mt_cell_tp06.states[k].name);
        }
        cr_expect_float_eq(v[1][c] - v[0][c], back, 1e-11);
        current = fmax(current, fabs(back));
    }
    cr_expect_gt(current, 1, "there is no sodium current");
}

/* The rows of half of the current and of other meshes are in test_reduced_excitability_slow.c. */
Test(reduced_excitability, delays_with_reduced_sodium_current_equal_the_readme)
{
    static const struct {
        double share;
        late expected[2]; /* longitudinal and transverse */
    } row[] = {{1, {{-25, -4}, {-23, -1}}}, {0.25, {{-21, -10}, {-29, -22}}}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (size_t axis = 0; axis < 2; axis++) {
            reduced_sodium_cells reduced;
            const beats w = {reduced_sodium_model(&reduced, row[k].share), axis == 0 ? 12 : 7, 2, 0, 160};
            expect_late(&w, 0.4, axis, 0, row[k].expected[axis]);
        }
}
