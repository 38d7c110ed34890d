/* Slow propagation: a premature beat in partly recovered tissue, and a reduced sodium current on a finer mesh. */
#include <criterion/criterion.h>

#include "solver/cable.h"
#include "tests/solver/cells/reduced_sodium.h"
#include "tests/solver/coarse_bar.h"
#include "tests/solver/gmsh_box.h"

/* The cable of tests/solver/coarse_bar.h compared with that of solver/cable.h, which shares neither its operator nor its time loop. */
Test(reduced_excitability, the_test_cable_agrees_with_the_cable_of_the_program)
{
    mt_arena arena = {0};
    const beats w = {mt_cell_models[0], 8, 1.5, 0, 100};
    const mt_cable cable = {.model = w.model,
        .diffusivity_mm2_ms = mt_tissue_diffusivity_l(&mt_tissue_default),
        .length_mm = w.length_mm,
        .dx_mm = 0.05,
        .dt_ms = 0.02,
        .end_ms = w.end_ms,
        .splitting = MT_SPLITTING_COMPENSATED,
        .stimulated_mm = w.stimulated_mm,
        .duration_ms = 2,
        .rise_mV_ms = 50 / 1.4};
    mt_cable_wave wave;
    bar b;
    cr_assert_eq(mt_cable_run(&arena, &cable, &wave), MT_OK, "%s", mt_message());
    bar_of_points(&b, 0, cable.dx_mm, &w);
    bar_run(&b, &w);
    cr_assert_eq(b.n, wave.n);
    for (size_t i = 0; i < b.n; i++)
        cr_assert_float_eq(b.time_ms[0][i], wave.activation_ms[i], 1e-9, "point %zu", i);
    mt_arena_free(&b.s.arena), mt_arena_free(&arena);
}

/* The action potential of a cell takes about 300 ms. 360 ms after the first beat the second wavefront is 21 % slower. On a mesh that
 * delays the second wavefront more than the first, it meets tissue with some ms more of recovery. */
Test(reduced_excitability, delays_of_premature_beats_equal_the_readme)
{
    static const late expected[2] = {{-25, -8}, {-32, -18}};
    for (size_t axis = 0; axis < 2; axis++) {
        const beats w = {mt_cell_models[0], axis == 0 ? 16 : 10, 3, 360, 500};
        expect_late(&w, 0.4, axis, 1, expected[axis]);
    }
}

/* The other rows of 0.4 mm are in tests/solver/test_reduced_excitability.c. */
Test(reduced_excitability, delays_with_half_of_the_sodium_current_equal_the_readme)
{
    static const late expected[2] = {{-23, -8}, {-26, -14}};
    for (size_t axis = 0; axis < 2; axis++) {
        reduced_sodium_cells reduced;
        const beats w = {reduced_sodium_model(&reduced, 0.5), axis == 0 ? 12 : 7, 2, 0, 160};
        expect_late(&w, 0.4, axis, 0, expected[axis]);
    }
}

Test(reduced_excitability, delays_with_a_quarter_of_the_sodium_current_are_smaller_at_0_2_mm)
{
    static const late expected[2] = {{-5, -2}, {-14, -12}};
    for (size_t axis = 0; axis < 2; axis++) {
        reduced_sodium_cells reduced;
        const beats w = {reduced_sodium_model(&reduced, 0.25), axis == 0 ? 12 : 7, 2, 0, 160};
        expect_late(&w, 0.2, axis, 0, expected[axis]);
    }
}

/* A cube of 7 mm. Longitudinal and transverse, by share of the sodium current: all, a half, a quarter. */
Test(reduced_excitability, delays_on_a_gmsh_mesh_equal_those_on_boxes)
{
    static const double share[] = {1, 0.5, 0.25};
    static const double expected[3][2] = {{6, 7}, {-3, -4}, {-9, -12}};
    for (size_t k = 0; k < sizeof share / sizeof *share; k++)
        for (size_t axis = 0; axis < 2; axis++) {
            reduced_sodium_cells reduced;
            const beats w = {reduced_sodium_model(&reduced, share[k]), 7, 2, 0, 160};
            bar b = {.axis = axis};
            gmsh_box(&b.s.arena, 1 / 9., &b.s.mesh);
            for (size_t i = 0; i < 3 * b.s.mesh.n_vertices; i++) b.s.mesh.xyz_mm[i] *= w.length_mm;
            bar_on_mesh(&b, &w);
            expect_faster(&b, &w, 0, cable_speed_of(&w, axis, 0), expected[k][axis]);
        }
}
