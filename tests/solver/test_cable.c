#include <criterion/criterion.h>

#include <string.h>

#include "data/core/line_fit.h"
#include "solver/cable.h"
#include "solver/kernels/block.h"
#include "tests/solver/plane_wave.h"

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(cable, .fini = leave);

/* The cable of the oracle: the usual tissue, longitudinal, with the stimulus of the benchmark. */
static mt_cable usual(double dx_mm, double dt_ms)
{
    return (mt_cable){.model = mt_cell_models[0],
        .diffusivity_mm2_ms = mt_tissue_diffusivity_l(&mt_tissue_default),
        .length_mm = CABLE_MM,
        .dx_mm = dx_mm,
        .dt_ms = dt_ms,
        .end_ms = 100,
        .stimulated_mm = 1.5,
        .duration_ms = 2,
        .rise_mV_ms = 50 / 1.4,
        .far_mm = 3};
}

static mt_cable_wave wave_of(const mt_cable *cable)
{
    mt_cable_wave wave;
    cr_assert_eq(mt_cable_run(&arena, cable, &wave), MT_OK, "%s", mt_message());
    return wave;
}

/* The oracle implements the same scheme and equations independently. */
Test(cable, cv_of_a_plane_wave_equals_that_of_the_oracle)
{
    const mt_cable cable = usual(0.02, 0.02);
    const mt_cable_wave wave = wave_of(&cable);
    const double speed = mt_cable_speed(&wave, 0.4 * CABLE_MM, 0.9 * CABLE_MM),
                 oracle = cable_speed(0.02, 0.02);
    cr_expect_float_eq(speed, oracle, 2e-4 * oracle, "%.6f and %.6f mm/ms", speed, oracle);
    cr_expect_float_eq(speed, 0.600, 0.002, "%.6f mm/ms", speed);
    cr_expect(wave.peak_mV > 20 && wave.peak_mV < 50, "%g mV", wave.peak_mV);
}

/* Twice the length with four times the diffusivity yields the same numbers. */
Test(cable, lengths_scale_with_the_square_root_of_the_diffusivity)
{
    mt_cable cable = usual(0.05, 0.02);
    for (int k = 0; k < 2; k++) {
        cable.round = k == 1;
        const mt_cable_wave small = wave_of(&cable);
        mt_cable twice = cable;
        twice.diffusivity_mm2_ms *= 4, twice.length_mm *= 2, twice.dx_mm *= 2, twice.stimulated_mm *= 2;
        const mt_cable_wave large = wave_of(&twice);
        cr_assert_eq(small.n, large.n);
        for (size_t i = 0; i < small.n; i++)
            cr_assert_float_eq(small.activation_ms[i], large.activation_ms[i], 1e-9, "point %zu", i);
    }
}

/* Far from its centre a circular wavefront is nearly flat: by the eikonal equation its velocity falls by D / r. Gates move with the
 * wavefront but do not diffuse, so with this ionic model the reduction is a fifth smaller. */
Test(cable, cv_of_a_circular_wavefront_is_reduced_by_its_curvature)
{
    mt_cable cable = usual(0.05, 0.02);
    cable.length_mm = 14;
    const mt_cable_wave flat = wave_of(&cable);
    cable.round = true, cable.stimulated_mm = 3;
    const mt_cable_wave round = wave_of(&cable);
    const double plane = mt_cable_speed(&flat, 6, 12);
    for (double r = 6; r < 12; r += 2) {
        const double found = mt_cable_speed(&round, r - 0.5, r + 0.5),
                     expected = plane - cable.diffusivity_mm2_ms / r;
        cr_expect_float_eq(
            found, expected, 0.25 * (plane - expected), "at %g mm: %.5f, %.5f mm/ms", r, found, expected);
    }
}

Test(cable, an_unstimulated_cable_never_activates)
{
    mt_cable cable = usual(0.1, 0.02);
    cable.rise_mV_ms = 0, cable.end_ms = 20;
    const mt_cable_wave wave = wave_of(&cable);
    for (size_t i = 0; i < wave.n; i++) cr_assert(isinf(wave.activation_ms[i]));
    cr_expect_lt(fabs(wave.peak_mV - cable.model->variants[0].v_mV), 1, "%g mV", wave.peak_mV);
    cr_expect(isnan(mt_cable_speed(&wave, 2, 6)));
}

/* Without the dead time the first run would take a year. */
Test(cable, a_run_ends_without_further_activation_and_a_wavefront_does_not_notice)
{
    mt_cable cable = usual(0.1, 0.02);
    const mt_cable_wave usual_wave = wave_of(&cable);
    cable.dead_ms = 5;
    const mt_cable_wave wave = wave_of(&cable);
    cr_assert(isfinite(wave.activation_ms[wave.n - 1]));
    cr_expect_eq(memcmp(wave.activation_ms, usual_wave.activation_ms, wave.n * sizeof(double)), 0);
    cable.rise_mV_ms = 0, cable.end_ms = 1e10;
    cr_expect(isinf(wave_of(&cable).activation_ms[0]));
}

/* Every point is stepped in every step, as solver/cable.h states. */
static void step_all_points(const mt_cable *cable, double *activation_ms, double *peak_mV)
{
    enum { POINTS = 400 };
    static double v[POINTS], next[POINTS], spread[POINTS], before[POINTS], paced[MT_PACED][POINTS],
        states[POINTS * MT_CELL_STATES];
    const mt_cell_model *model = cable->model;
    const mt_cell_variant *cells = &model->variants[0];
    const size_t n = (size_t)llround(cable->length_mm / cable->dx_mm), n_states = model->n_states;
    const double d = cable->diffusivity_mm2_ms * cable->dt_ms, dx2 = cable->dx_mm * cable->dx_mm;
    const size_t substeps = (size_t)ceil(d / (0.4 * dx2));
    const double share = d / (double)substeps / dx2,
                 compensated = mt_splitting_compensation(cable->splitting, substeps);
    double constants[MT_CELL_CONSTANTS];
    size_t step = 0, activated = 0;
    cr_assert_leq(n, POINTS);
    mt_cell_constants_double(model, cells, 1, constants);
    for (size_t i = 0; i < n; i++) {
        v[i] = before[i] = cells->v_mV;
        activation_ms[i] = INFINITY;
        for (int k = 0; k < MT_PACED; k++) paced[k][i] = mt_paced_start[k];
        for (size_t k = 0; k < n_states; k++) states[mt_block_index(n, n_states, i, k)] = cells->states[k];
    }
    *peak_mV = -INFINITY;
    for (; activated < n && (double)step * cable->dt_ms < cable->end_ms; step++) {
        const double now_ms = (double)step * cable->dt_ms;
        for (size_t i = 0; i < n; i++)
            if (now_ms < cable->duration_ms - 1e-9 && ((double)i + 0.5) * cable->dx_mm < cable->stimulated_mm)
                v[i] += cable->dt_ms * cable->rise_mV_ms;
        const mt_multirate_step at = {cable->dt_ms, cable->tolerance_mV, step};
        if (cable->stepping == MT_STEPPING_UNIFORM)
            mt_cell_react_double(model, constants, 1, NULL, cable->dt_ms, n, states, v, next);
        else
            mt_cell_multirate_react_double(model, constants, 1, NULL, &at, n, states, paced[MT_PACED_KEPT],
                paced[MT_PACED_CHANGE], paced[MT_PACED_SINCE], v, next);
        for (size_t i = 0; i < n; i++) {
            spread[i] = compensated * (next[i] - v[i]);
            v[i] = next[i] + spread[i];
        }
        for (size_t k = 0; k < substeps; k++) {
            for (size_t i = 0; i < n; i++) {
                const double middle = (double)i + 0.5, here = v[i];
                double to_outer = cable->round ? share * (middle + 0.5) / middle : share,
                       to_inner = cable->round ? share * (middle - 0.5) / middle : share;
                if (i + 1 == n) to_outer = 0;
                if (i == 0) to_inner = 0;
                next[i] = here + to_outer * (v[i + 1 < n ? i + 1 : i] - here) +
                          to_inner * (v[i > 0 ? i - 1 : i] - here);
            }
            memcpy(v, next, n * sizeof *v);
        }
        for (size_t i = 0; i < n; i++) {
            v[i] -= spread[i];
            if (((double)i + 0.5) * cable->dx_mm >= cable->far_mm) *peak_mV = fmax(*peak_mV, v[i]);
            if (before[i] < 0 && v[i] >= 0 && isinf(activation_ms[i])) {
                activation_ms[i] = now_ms + cable->dt_ms * before[i] / (before[i] - v[i]);
                activated++;
            }
            before[i] = v[i];
        }
    }
}

/* Points ahead of the wavefront are not stepped one by one. Also in a cable of pacemaker cells, which fire everywhere at once, and for a
 * wavefront that fails. */
Test(cable, all_points_have_the_bits_of_a_cable_whose_points_are_all_stepped)
{
    static const struct {
        const char *model;
        double length_mm, stimulated_mm, end_ms;
        size_t n_activated;
        mt_stepping stepping;
    } runs[] = {{"tp06", 15, 1.5, 100, 300, MT_STEPPING_UNIFORM},
        {"tp06", 15.1, 0.1, 20, 0, MT_STEPPING_UNIFORM},
        {"mitchell-schaeffer", 14, 1.5, 100, 280, MT_STEPPING_UNIFORM},
        {"stewart", 2, 0, 1000, 40, MT_STEPPING_UNIFORM}, {"tp06", 0.5, 0.2, 20, 0, MT_STEPPING_UNIFORM},
        {"tp06", 15, 1.5, 100, 300, MT_STEPPING_MULTIRATE}};
    for (size_t k = 0; k < 2 * sizeof runs / sizeof *runs; k++) {
        mt_cable cable = usual(0.05, 0.02);
        double activation_ms[400], peak_mV;
        cr_assert_eq(mt_cell_model_find(runs[k / 2].model, &cable.model), MT_OK, "%s", mt_message());
        cable.stepping = runs[k / 2].stepping;
        cable.tolerance_mV = 0.1;
        cable.round = k % 2;
        cable.length_mm = runs[k / 2].length_mm;
        cable.stimulated_mm = runs[k / 2].stimulated_mm;
        cable.end_ms = runs[k / 2].end_ms;
        cable.splitting = MT_SPLITTING_COMPENSATED;
        const mt_cable_wave wave = wave_of(&cable);
        step_all_points(&cable, activation_ms, &peak_mV);
        size_t n_activated = 0;
        for (size_t i = 0; i < wave.n; i++) n_activated += isfinite(activation_ms[i]) != 0;
        cr_expect_geq(n_activated, runs[k / 2].n_activated, "%zu: %zu activated", k, n_activated);
        cr_expect_arr_eq(wave.activation_ms, activation_ms, wave.n * sizeof *activation_ms, "%zu", k);
        cr_expect_eq(memcmp(&wave.peak_mV, &peak_mV, sizeof peak_mV), 0, "%zu: %.17g and %.17g mV", k,
            wave.peak_mV, peak_mV);
    }
}

Test(cable, activation_times_between_points_are_interpolated)
{
    double times[] = {1, 2, 4, 8};
    const mt_cable_wave wave = {.n = 4, .dx_mm = 0.5, .activation_ms = times};
    cr_expect_float_eq(mt_cable_time(&wave, 0.25), 1, 1e-12);
    cr_expect_float_eq(mt_cable_time(&wave, 1), 3, 1e-12);
    cr_expect_float_eq(mt_cable_time(&wave, 1.75), 8, 1e-12);
    cr_expect_float_eq(mt_cable_time(&wave, 0), 0.5, 1e-12);
    cr_expect_float_eq(mt_cable_time(&wave, 2), 10, 1e-12);
}

Test(cable, a_fit_is_the_least_squares_solution_for_any_points)
{
    const double x[] = {0, 1, 2, 3, 4}, y[] = {1, 0, 4, 2, 5};
    for (double shift = 0; shift < 2e9; shift = 1000 * shift + 1) {
        mt_line_fit fit = {0};
        for (int k = 0; k < 5; k++) mt_line_fit_add(&fit, x[k] + shift, y[k] - shift);
        cr_expect_float_eq(
            mt_line_fit_slope(&fit), 1, 1e-6, "shifted by %g: %.9f", shift, mt_line_fit_slope(&fit));
    }
    mt_line_fit one = {0};
    mt_line_fit_add(&one, 3, 4);
    cr_expect(isnan(mt_line_fit_slope(&one)));
}

Test(cable, invalid_cables_are_rejected_with_the_value_named)
{
    const struct {
        mt_cable cable;
        const char *name;
    } wrong[] = {{usual(0, 0.02), "dx_mm"}, {usual(0.02, NAN), "dt_ms"},
        {usual(0.02, 0.06), "stable up to 0.05"}, {usual(5, 0.02), "allowed: 2 to 10 million points"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        mt_cable_wave wave;
        cr_assert_eq(mt_cable_run(&arena, &wrong[k].cable, &wave), MT_INPUT);
        cr_expect(strstr(mt_message(), wrong[k].name), "%s", mt_message());
    }
}
