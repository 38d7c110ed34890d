/* The errors of time steps in solver/README.md, "Time stepping". */
#include <criterion/criterion.h>

#include <math.h>

#include "tests/solver/niederer.h"
#include "tests/solver/splitting_cable.h"

enum { STEPS = 4 };
static const double steps_ms[STEPS] = {0.05, 0.02, 0.01, 0.005};

/* The usual tissue, longitudinal. */
static splitting_cable usual_cable(double dx_mm, double dt_ms)
{
    return (splitting_cable){.model = mt_cell_models[0],
        .step = step_of_model,
        .d_mm2_ms = mt_tissue_diffusivity_l(&mt_tissue_default),
        .dx_mm = dx_mm,
        .dt_ms = dt_ms};
}

/* Returns the limit dt -> 0, with diffusion steps of an eighth of dt; the first-order error in dt is eliminated. */
static double limit_of(splitting_cable l)
{
    l.substeps = 8, l.a = NAN, l.dt_ms = 0.002;
    const double twice = wave_along(&l).speed_mm_ms;
    l.dt_ms = 0.001;
    return 2 * wave_along(&l).speed_mm_ms - twice;
}

static double speed_at(splitting_cable l, double dt_ms)
{
    l.dt_ms = dt_ms;
    return wave_along(&l).speed_mm_ms;
}

/* Compares errors in per cent, to 0.15: the README has one decimal. */
static void expect_errors(
    const char *name, const splitting_cable *l, double limit, const double expected[STEPS])
{
    for (size_t d = 0; d < STEPS; d++) {
        const double error = 100 * (speed_at(*l, steps_ms[d]) / limit - 1);
        cr_log_info("%s, %g mm, %zu diffusion steps, dt %g ms: %.2f %% of %.4f mm/ms", name, l->dx_mm,
            l->substeps, steps_ms[d], error, limit);
        cr_expect_float_eq(error, expected[d], 0.15, "%s, dt %g ms: %g %%", name, steps_ms[d], error);
    }
}

/* Points 0.02 mm apart, 12 diffusion steps in 0.02 ms. Strang splitting differs from Godunov splitting only in where a time step begins,
 * and Rush-Larsen steps for all gates reduce the error by a tenth: neither is worthwhile. (The error that remains with compensation is
 * that of the diffusion steps.) */
Test(time_steps, with_many_diffusion_steps_activation_is_delayed_for_any_splitting_and_gate_scheme)
{
    static const struct {
        const char *name;
        splitting_step *step;
        double a;
        bool strang;
        double percent[STEPS];
    } ways[] = {{"godunov", step_of_model, 0, false, {-5.9, -2.2, -1, -0.4}},
        {"strang", step_of_model, 0, true, {-5.9, -2.2, -1, -0.4}},
        {"rush-larsen", step_with_all_gates_by_rush_larsen, 0, false, {-5.3, -1.9, -0.8, -0.3}},
        {"both", step_with_all_gates_by_rush_larsen, 0, true, {-5.3, -1.9, -0.8, -0.3}},
        {"compensated", step_of_model, NAN, false, {0.1, 0.3, 0.2, 0.1}}};
    splitting_cable l = usual_cable(0.02, 0);
    const double limit = limit_of(l);
    cr_expect_float_eq(limit, 0.612, 0.001, "%g mm/ms", limit);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        l.step = ways[k].step, l.a = ways[k].a, l.strang = ways[k].strang;
        expect_errors(ways[k].name, &l, limit, ways[k].percent);
    }
}

/* Points 0.2 mm apart, like the centres of elements, 0.15 and 0.1 mm; several numbers of diffusion steps. With 0.1 mm and 0.05 ms a
 * single one is barely stable (D dt / dx^2 = 0.48). */
Test(time_steps, errors_cancel_with_one_diffusion_step_or_with_compensation)
{
    static const struct {
        double dx_mm;
        size_t substeps;
        double a, percent[STEPS];
    } ways[] = {{0.2, 1, 0, {-0.1, -0.2, -0.1, -0.1}}, {0.2, 2, 0, {-2.4, -1, -0.5, -0.3}},
        {0.2, 4, 0, {-3.4, -1.4, -0.7, -0.4}}, {0.2, 2, NAN, {0.1, -0.1, 0, 0}},
        {0.2, 4, NAN, {0.3, 0, 0, 0}}, {0.15, 1, 0, {0.8, 0.1, 0, 0}}, {0.1, 1, 0, {2.1, 0.5, 0.2, 0.1}},
        {0.1, 4, 0, {-4.1, -1.6, -0.8, -0.4}}, {0.1, 4, NAN, {0.5, 0.4, 0.2, 0.1}}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        splitting_cable l = usual_cable(ways[k].dx_mm, 0);
        const double limit = limit_of(l);
        l.substeps = ways[k].substeps, l.a = ways[k].a;
        expect_errors(isnan(l.a) ? "compensated" : "godunov", &l, limit, ways[k].percent);
    }
}

/* Without diffusion. APD90 in ms to 0.02, the peak in mV to 0.05. */
Test(time_steps, in_a_single_cell_the_peak_voltage_needs_shorter_steps_than_the_apd)
{
    static const struct {
        splitting_step *step;
        double apd90_ms[STEPS], peak_mV[STEPS];
    } ways[] = {{step_of_model, {289.98, 290.18, 290.24, 290.26}, {40.84, 38.48, 37.82, 37.52}},
        {step_with_all_gates_by_rush_larsen, {289.89, 290.15, 290.22, 290.25}, {42.98, 39.33, 38.24, 37.73}}};
    for (size_t k = 0; k < 2; k++)
        for (size_t d = 0; d < STEPS; d++) {
            const splitting_cell cell = cell_alone(mt_cell_models[0], ways[k].step, steps_ms[d]);
            cr_log_info("way %zu, dt %g ms: APD90 %.3f ms, peak %.3f mV", k, steps_ms[d], cell.apd90_ms,
                cell.peak_mV);
            cr_expect_float_eq(cell.apd90_ms, ways[k].apd90_ms[d], 0.02, "%g ms", cell.apd90_ms);
            cr_expect_float_eq(cell.peak_mV, ways[k].peak_mV[d], 0.05, "%g mV", cell.peak_mV);
        }
}

/* dt is not limited by stability: activation is late for much shorter steps. */
Test(time_steps, rush_larsen_for_all_gates_is_stable_at_steps_too_long_for_the_wavefront)
{
    cr_expect(isfinite(cell_alone(mt_cell_models[0], step_of_model, 0.4).apd90_ms));
    cr_expect_not(isfinite(cell_alone(mt_cell_models[0], step_of_model, 0.5).apd90_ms));
    cr_expect(isfinite(cell_alone(mt_cell_models[0], step_with_all_gates_by_rush_larsen, 0.8).apd90_ms));
    splitting_cable l = usual_cable(0.02, 0);
    const double limit = limit_of(l), as_it_is = 100 * (speed_at(l, 0.1) / limit - 1);
    l.step = step_with_all_gates_by_rush_larsen;
    const double rush_larsen = 100 * (speed_at(l, 0.1) / limit - 1);
    cr_expect_float_eq(as_it_is, -12, 0.5, "%g %%", as_it_is);
    cr_expect_float_eq(rush_larsen, -11, 0.5, "%g %%", rush_larsen);
}

/* Returns P8 of the benchmark at 0.5 mm [ms], to 0.01. */
static double p8_ms(mt_diffusing diffusing, double dt_ms, size_t pde_steps, mt_splitting splitting)
{
    slab_problem s;
    double at_point_ms[POINTS];
    make_slab_problem(&s, benchmark_mm, 0.5);
    s.problem.dt_ms = dt_ms, s.problem.pde_steps = pde_steps, s.problem.splitting = splitting;
    s.problem.diffusing = diffusing, s.problem.residual_mV = 1e-4;
    corner_times(&s, "cpu", benchmark_mm, 0, 48, at_point_ms);
    mt_arena_free(&s.arena);
    return at_point_ms[7];
}

Test(time_steps, effects_of_time_steps_in_the_benchmark_equal_the_readme)
{
    static const struct {
        double dt_ms;
        size_t pde_steps;
        mt_splitting splitting;
        double p8_ms;
    } run[] = {{0.05, 1, MT_SPLITTING_GODUNOV, 42.81}, {0.02, 1, MT_SPLITTING_GODUNOV, 42.84},
        {0.05, 4, MT_SPLITTING_GODUNOV, 44.18}, {0.02, 4, MT_SPLITTING_GODUNOV, 43.35},
        {0.05, 4, MT_SPLITTING_COMPENSATED, 42.64}, {0.02, 4, MT_SPLITTING_COMPENSATED, 42.72}};
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        const double found_ms =
            p8_ms(MT_DIFFUSING_EXPLICIT, run[k].dt_ms, run[k].pde_steps, run[k].splitting);
        cr_log_info("dt %g ms, %zu diffusion steps, %s: %.3f ms", run[k].dt_ms, run[k].pde_steps,
            mt_splitting_name[run[k].splitting], found_ms);
        cr_expect_float_eq(found_ms, run[k].p8_ms, 0.01, "dt %g ms, %zu steps: %g ms", run[k].dt_ms,
            run[k].pde_steps, found_ms);
    }
}

/* "Implicit diffusion steps". */
Test(time_steps, effects_of_implicit_steps_in_the_benchmark_equal_the_readme)
{
    static const struct {
        mt_diffusing diffusing;
        mt_splitting splitting;
        double p8_ms[STEPS];
    } ways[] = {{MT_DIFFUSING_EXPLICIT, MT_SPLITTING_COMPENSATED, {42.81, 42.84, 42.82, 42.80}},
        {MT_DIFFUSING_EULER, MT_SPLITTING_COMPENSATED, {42.16, 42.50, 42.63, 42.70}},
        {MT_DIFFUSING_CRANK_NICOLSON, MT_SPLITTING_COMPENSATED, {42.49, 42.67, 42.72, 42.75}}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        for (size_t d = 0; d < STEPS; d++) {
            const double found_ms = p8_ms(ways[k].diffusing, steps_ms[d], 1, ways[k].splitting);
            cr_log_info("way %zu, dt %g ms: %.3f ms", k, steps_ms[d], found_ms);
            cr_expect_float_eq(
                found_ms, ways[k].p8_ms[d], 0.01, "way %zu, dt %g ms: %g ms", k, steps_ms[d], found_ms);
        }
    const double plain_ms = p8_ms(MT_DIFFUSING_EULER, 0.02, 1, MT_SPLITTING_GODUNOV);
    cr_expect_float_eq(plain_ms, 44.16, 0.01, "%g ms", plain_ms);
}
