/* Waves that a weak sodium current makes slow, on meshes of 0.4 mm beside a fine line of the same cells: spreading mends less of their
 * delay than of a healthy wave's. solver/README.md, "Waves on coarse meshes", has the figures. */
#include <criterion/criterion.h>

#include "tests/random.h"
#include "tests/solver/cells/weak_sodium.h"
#include "tests/solver/coarse_bar.h"

/* Cells in many states: with all of the current the step is the model's, to the bit; with none of it, that of cells whose gate m is shut. */
Test(weak_waves, a_share_of_the_sodium_current_is_taken_from_v_and_from_sodium)
{
    enum { CELLS = 100, N = CELLS * TP06_STATES };
    static double start[N], state[4][N], v_start[CELLS], v[4][CELLS];
    const mt_cell_variant *variant = mt_cell_tp06.variants;
    uint64_t seed = 3;
    for (size_t c = 0; c < CELLS; c++) {
        for (size_t k = 0; k < TP06_STATES; k++)
            start[mt_block_index(CELLS, TP06_STATES, c, k)] = variant->states[k] * between(&seed, 0.9, 1.1);
        start[mt_block_index(CELLS, TP06_STATES, c, TP06_M)] = between(&seed, 0, 1);
        v_start[c] = between(&seed, -90, 40);
    }
    for (int k = 0; k < 4; k++) memcpy(state[k], start, sizeof start);
    for (size_t c = 0; c < CELLS; c++) state[3][mt_block_index(CELLS, TP06_STATES, c, TP06_M)] = 0;
    mt_cell_step_double(&mt_cell_tp06, 0, NULL, 0.02, CELLS, state[0], v_start, v[0]);
    weak_whole(variant, NULL, 0.02, CELLS, state[1], v_start, v[1]);
    weak_none(variant, NULL, 0.02, CELLS, state[2], v_start, v[2]);
    mt_cell_step_double(&mt_cell_tp06, 0, NULL, 0.02, CELLS, state[3], v_start, v[3]);
    cr_expect(memcmp(state[0], state[1], sizeof start) == 0 && memcmp(v[0], v[1], sizeof v_start) == 0);
    double current = 0, v_off = 0, sodium_off = 0;
    for (size_t c = 0; c < CELLS; c++) {
        const size_t sodium = mt_block_index(CELLS, TP06_STATES, c, TP06_NAI);
        current = fmax(current, fabs(v[0][c] - v[3][c]));
        v_off = fmax(v_off, fabs(v[2][c] - v[3][c]));
        sodium_off = fmax(sodium_off, fabs(state[2][sodium] - state[3][sodium]));
    }
    cr_expect(v_off < 1e-11 && sodium_off < 1e-13, "%g mV, %g mM", v_off, sodium_off);
    cr_expect_gt(current, 1, "there is no sodium current");
}

Test(weak_waves, are_as_late_as_the_readme_says_with_less_sodium_current)
{
    static const struct {
        mt_cell_kernel_double *kernel;
        late expected[2]; /* along the fibres and across them */
    } row[] = {{weak_whole, {{-25, -4}, {-23, -1}}}, {weak_half, {{-23, -8}, {-26, -14}}},
        {weak_quarter, {{-21, -10}, {-29, -22}}}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (size_t axis = 0; axis < 2; axis++) {
            const mt_cell_model model = weak_model(row[k].kernel);
            const beats w = {&model, axis == 0 ? 12 : 7, 2, 0, 160};
            expect_late(&w, 0.4, axis, 0, row[k].expected[axis]);
        }
}
