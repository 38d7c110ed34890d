/* Absolute conduction velocities of plane waves: the continuum values on a fine mesh, and on coarse meshes the values of solver/README.md,
 * by which users choose their meshes. The complete table is in test_waves_slow.c. */
#include <criterion/criterion.h>

#include "tests/solver/cells/mitchell_schaeffer_oracle.h"
#include "tests/solver/plane_wave.h"

/* Second order: with points 0.1 mm apart the velocity has an error of about 1 %, with 0.02 mm a 25th of that. The literature has 0.600
 * mm/ms on lines of 0.01 mm with steps of 0.02 ms (exact integration would result in 0.613). */
Test(waves, cv_along_a_cable_agrees_with_published_values)
{
    const double fine = cable_speed(0.02, 0.02), coarse = cable_speed(0.1, 0.02);
    cr_assert_float_eq(fine, 0.600, 0.003, "%g mm/ms", fine);
    cr_assert_float_eq(coarse, fine, 0.015 * fine, "%g and %g mm/ms", coarse, fine);
}

/* Returns the difference from the line in per cent. */
static double error_of(const mt_diffusion_scheme *scheme, size_t axis, double edge_mm, double slowest)
{
    return 100 * (slab_speed(mt_cell_models[0], scheme, axis, edge_mm, slowest) / usual_speed(axis) - 1);
}

/* solver/README.md, "Conduction velocity on coarse meshes", in whole per cent; the rest of the table is in test_waves_slow.c. Faster wavefronts need
 * less time. */
static void expect_row(const mt_diffusion_scheme *scheme, double edge_mm, double along, double across)
{
    const double found_along = error_of(scheme, 0, edge_mm, along < -10 ? 0.35 : 0.5),
                 found_across = error_of(scheme, 1, edge_mm, across < -10 ? 0.12 : 0.18);
    cr_expect_float_eq(found_along, along, 0.6, "%g mm: %g %% along", edge_mm, found_along);
    cr_expect_float_eq(found_across, across, 0.6, "%g mm: %g %% across", edge_mm, found_across);
}

Test(waves, cv_and_delays_without_spreading_equal_the_readme)
{
    expect_row(&mt_diffusion_scheme_default, 0.5, -3, 0);
    expect_row(&mt_diffusion_scheme_default, 1, -5, -3);
    expect_row(&mt_diffusion_scheme_plain, 1, -36, -36);
}

/* Returns the velocity [mm/ms] of a Mitchell-Schaeffer front along a line of points dx_mm apart, by central differences and forward
 * Euler; the first 1.5 mm start at the plateau. */
static double ms_cable_speed(const ms_times *times, double d_mm2_ms, double dx_mm)
{
    enum { MOST_POINTS = 800 };
    static double y[MOST_POINTS][2], v[MOST_POINTS], x[MOST_POINTS], t[MOST_POINTS];
    const size_t n = (size_t)llround(CABLE_MM / dx_mm);
    const double ratio = 0.3, dt_ms = ratio * dx_mm * dx_mm / d_mm2_ms;
    size_t reached = 0;
    cr_assert_leq(n, MOST_POINTS);
    for (size_t i = 0; i < n; i++) {
        x[i] = ((double)i + 0.5) * dx_mm, t[i] = NAN;
        y[i][0] = x[i] < 1.5 ? 0.9 : 0, y[i][1] = 1;
    }
    for (size_t step = 0; reached < n; step++) {
        cr_assert_lt((double)step * dt_ms, 200, "only %zu of %zu points were activated", reached, n);
        for (size_t i = 0; i < n; i++) v[i] = y[i][0];
        for (size_t i = 0; i < n; i++) {
            double rate[2];
            ms_rates(times, y[i], rate);
            y[i][0] += dt_ms * rate[0] + ratio * (v[i > 0 ? i - 1 : i] - 2 * v[i] + v[i + 1 < n ? i + 1 : i]);
            y[i][1] += dt_ms * rate[1];
            if (isnan(t[i]) && y[i][0] > 0.5) t[i] = (double)step * dt_ms, reached++;
        }
    }
    return 1 / slope_of(n / 2, x + n * 2 / 5, t + n * 2 / 5);
}

/* Closed form with the gate kept open; a line converges to it with the square of the spacing. Since the gate closes behind the front,
 * with tau_close, and the front takes some ms, it is about 1 % slower; so it is in slabs of boxes of 0.4 mm. */
Test(waves, mitchell_schaeffer_wavefronts_have_the_cv_of_the_cubic_model)
{
    const double along = mt_tissue_diffusivity_l(&mt_tissue_default),
                 across = mt_tissue_diffusivity_t(&mt_tissue_default);
    const ms_times open = {ms_paper.in, ms_paper.out, 1e9, 1e9};
    const double speed = ms_speed(&ms_paper, along), coarse = ms_cable_speed(&open, along, 0.04),
                 fine = ms_cable_speed(&open, along, 0.02), paper = ms_cable_speed(&ms_paper, along, 0.02);
    cr_expect(fabs(fine / speed - 1) < 0.001, "%g and %g mm/ms", fine, speed);
    cr_expect(fabs(fine - speed) < 0.4 * fabs(coarse - speed), "%g, %g, %g mm/ms", coarse, fine, speed);
    cr_expect(paper < speed && paper > 0.99 * speed, "%g and %g mm/ms", paper, speed);
    const mt_cell_model *model;
    cr_assert_eq(mt_cell_model_find("mitchell-schaeffer", &model), MT_OK);
    const double slab_along = slab_speed(model, NULL, 0, 0.4, 0.3),
                 slab_across = slab_speed(model, NULL, 1, 0.4, 0.1);
    cr_expect_float_eq(slab_along, speed, 0.02 * speed, "%g, %g mm/ms along", slab_along, speed);
    const double speed_across = ms_speed(&ms_paper, across);
    cr_expect_float_eq(
        slab_across, speed_across, 0.02 * speed_across, "%g, %g mm/ms across", slab_across, speed_across);
}
