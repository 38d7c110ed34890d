/* Imported models: their steps are exact where a solution is known, of first order, stable for fast states, and conserve what the equations
 * conserve. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "solver/cells/graph/imported.h"
#include "solver/cells/pacing.h"
#include "solver/cells/trial.h"
#include "solver/diffusion/tissue.h"
#include "tests/one_file.h"
#include "tests/solver/cells/graph/small_cells.h"

static mt_arena arena;

static void leave_all(void)
{
    mt_arena_free(&arena);
    leave();
}

TestSuite(imported, .init = enter, .fini = leave_all);

static mt_imported *import(mt_equations *equations)
{
    const mt_system_names none = {0};
    mt_imported *imported = NULL;
    cr_assert_eq(mt_imported_make(&arena, equations, &none, &imported), MT_OK, "%s", mt_message());
    return imported;
}

/* Right-hand sides of the squid axon, by the paper. */
static void squid_rates(const double y[4], double d[4])
{
    const double v = y[0], m = y[1], h = y[2], n = y[3], x = v + 40, z = v + 55;
    const double a_m = fabs(x) < 1e-7 ? 1 : 0.1 * x / (1 - exp(-0.1 * x)),
                 a_n = fabs(z) < 1e-7 ? 0.1 : 0.01 * z / (1 - exp(-0.1 * z));
    d[0] = -(120 * m * m * m * h * (v - 50) + 36 * n * n * n * n * (v + 77) + 0.3 * (v + 54.387));
    d[1] = a_m * (1 - m) - 4 * exp(-(v + 65) / 18) * m;
    d[2] = 0.07 * exp(-(v + 65) / 20) * (1 - h) - h / (1 + exp(-(v + 35) / 10));
    d[3] = a_n * (1 - n) - 0.125 * exp(-(v + 65) / 80) * n;
}

/* One step of the classical method of Runge and Kutta, of fourth order. */
static void runge_kutta(double y[4], double dt, double rise)
{
    double k[4][4], at[4];
    const double part[4] = {0, 0.5, 0.5, 1};
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 4; i++) at[i] = y[i] + (stage ? part[stage] * dt * k[stage - 1][i] : 0);
        squid_rates(at, k[stage]);
        k[stage][0] += rise;
    }
    for (int i = 0; i < 4; i++) y[i] += dt / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

/* Returns the largest error of V over 20 ms with this time step, after a stimulus of 10 mV/ms from 1 to 2 ms. */
static double error_of_squid(const mt_imported *i, double dt_ms)
{
    const mt_cell_variant *variant = i->row.variants;
    mt_lone_cell cell;
    double y[4] = {-65, 0.0529, 0.596, 0.318}, worst = 0;
    const int fine = 20;
    cr_assert_eq(
        mt_lone_cell_make(&arena, &i->row, variant, dt_ms, false, variant->v_mV, variant->states, &cell),
        MT_OK);
    for (int s = 0; s < (int)(20 / dt_ms + 0.5); s++) {
        const double time = (s + 0.5) * dt_ms, rise = time > 1 && time < 2 ? 10 : 0;
        for (int k = 0; k < fine; k++) runge_kutta(y, dt_ms / fine, rise);
        cr_assert_eq(mt_lone_cell_step(&cell, rise), MT_OK);
        worst = fmax(worst, fabs(cell.v_mV - y[0]));
    }
    return worst;
}

Test(imported, the_squid_axon_is_solved_to_first_order_in_any_units)
{
    const mt_imported *usual = import(read_cell(&arena, squid_axon, "ms", "ms", "1000", "1000", "mV"));
    const double coarse = error_of_squid(usual, 0.02), fine = error_of_squid(usual, 0.005);
    cr_expect(fine < 6 && coarse / fine > 3.2 && coarse / fine < 4.8, "%g mV, %g mV", coarse, fine);
    for (size_t k = 0; k < usual->row.n_states; k++)
        cr_expect_eq(usual->step.method[k], MT_METHOD_RUSH_LARSEN);
    const mt_imported *si = import(read_cell(&arena, squid_axon, "s", "s", "1", "1", "V"));
    cr_expect_float_eq(error_of_squid(si, 0.005), fine, 1e-6);
    cr_expect_float_eq(si->row.variants[0].v_mV, -65, 1e-12);
}

/* A channel of three states with rates of up to 2000 per ms, which depend on V, next to a leak. */
static const char chain[] =
    "[[model]]\nc.V = -80\nc.C = 1\nc.D = 0\nc.O = 0\n[engine]\ntime = 0 [ms] bind time\npace = 0 bind pace\n"
    "[c]\ndot(V) = -0.05 * (V + 80) - 0.02 * O * (V - 40) + engine.pace\n    in [mV]\n"
    "a = 2000 / (1 + exp(-(V + 20) / 8))\nb = 2000 / (1 + exp((V + 20) / 8))\nf = 0.3\n"
    "dot(C) = b * D - a * C\ndot(D) = a * C - b * D + f * O - 2 * f * D\ndot(O) = 2 * f * D - f * O\n";

Test(imported, fast_chains_are_stable_and_conserve_their_sum)
{
    const mt_imported *i = import(read_cell(&arena, "%s", chain));
    const mt_cell_variant *variant = i->row.variants;
    mt_lone_cell cell;
    cr_assert_eq(i->row.n_states, 3);
    cr_expect_eq(i->step.method[0], MT_METHOD_IMPLICIT);
    cr_expect_eq(i->step.method[1], MT_METHOD_IMPLICIT);
    cr_expect_geq(i->row.dt_max_ms, 0.05);
    cr_assert_eq(
        mt_lone_cell_make(&arena, &i->row, variant, 0.05, false, variant->v_mV, variant->states, &cell),
        MT_OK);
    for (int s = 0; s < 2000; s++) {
        cr_assert_eq(mt_lone_cell_step(&cell, s < 20 ? 100 : 0), MT_OK);
        const double *y = cell.state, sum = y[0] + y[1] + y[2];
        cr_assert(fabs(sum - 1) < 1e-3, "step %d: %.9g", s, sum);
        for (int k = 0; k < 3; k++)
            cr_assert(y[k] > -1e-6 && y[k] < 1 + 1e-3, "step %d, state %d: %g", s, k, y[k]);
    }
}

/* Release of calcium by calcium: the fraction x opens with the fourth power of c, which it releases, and a pump removes. */
static const char release[] =
    "[[model]]\nc.V = -80\nc.c = 0.01\nc.x = 0\nc.s = 1\n[engine]\ntime = 0 [ms] bind time\npace = 0 bind "
    "pace\n"
    "[c]\ndot(V) = -0.05 * (V + 80) + engine.pace\n    in [mV]\n"
    "trigger = if(V > -50, 0.05, 0)\n"
    "dot(c) = 20 * x * (s - c) - 2 * c + trigger\ndot(s) = -0.2 * x * (s - c) + 0.02 * (1 - s)\n"
    "dot(x) = 300 * c^4 / (c^4 + 0.0001) * (1 - x) - 30 * x * (1 - c)\n";

Test(imported, feedback_that_amplifies_does_not_make_steps_singular)
{
    const mt_imported *i = import(read_cell(&arena, "%s", release));
    mt_trial fine, coarse;
    cr_assert_eq(mt_trial_run(&arena, &i->row, i->row.variants, 0.001, &fine), MT_OK);
    cr_assert_eq(mt_trial_run(&arena, &i->row, i->row.variants, 0.01, &coarse), MT_OK);
    double peak[2] = {0}, lowest = 1;
    for (size_t k = 0; k < MT_TRIAL_SAMPLES; k++) {
        peak[0] = fmax(peak[0], fine.states[k * 3]);
        peak[1] = fmax(peak[1], coarse.states[k * 3]);
        lowest = fmin(lowest, coarse.states[k * 3]);
    }
    cr_expect(peak[0] > 0.5 && fabs(peak[1] / peak[0] - 1) < 0.05, "peaks %g, %g", peak[0], peak[1]);
    cr_expect_gt(lowest, 0);
}

/* Release J from a store s at a rate that rises as the store empties; a beat does not empty it. */
static const char store[] =
    "[[model]]\nc.V = -80\nc.J = 0\nc.s = 2\nc.x = 0\n[engine]\ntime = 0 [ms] bind time\npace = 0 bind pace\n"
    "[c]\ndot(V) = -0.02 * (V + 80) + engine.pace\n    in [mV]\n"
    "tau = 5 * s / (s + 0.1)\n    in [ms]\n"
    "dot(J) = (if(V > -40, 0.04, 0) / (1 + (0.3 / s)^8) - J) / if(tau < 0.001, 0.001, tau)\n    in [mM/ms]\n"
    "dot(s) = -J + 0.001 * (2 - s)\n    in [mM]\n"
    "dot(x) = J - 0.02 * x\n    in [mM]\n";

Test(imported, release_does_not_overdraw_its_store_in_states_that_no_trial_beat_reaches)
{
    const mt_imported *i = import(read_cell(&arena, "%s", store));
    const mt_cell_variant *variant = i->row.variants;
    mt_lone_cell cell;
    double lowest = 2;
    cr_assert_str_eq(i->row.states[0].name, "J");
    cr_expect_eq(i->step.method[0], MT_METHOD_RUSH_LARSEN);
    cr_assert_eq(
        mt_lone_cell_make(&arena, &i->row, variant, 0.1, false, variant->v_mV, variant->states, &cell),
        MT_OK);
    for (int s = 0; s < 10000; s++) {
        cr_assert_eq(mt_lone_cell_step(&cell, cell.v_mV < 0 ? 5 : 0), MT_OK);
        lowest = fmin(lowest, mt_lone_cell_state(&cell, 1));
    }
    cr_expect(lowest > 0 && lowest < 0.4, "%g mM", lowest);
}

/* y is the time that V has been from -75 to -66 mV. A cell alone passes that quickly; in a cable there is a cell for which it is the peak.
 * There z decays fast, and its cube makes long Euler steps diverge. */
static const char dwelling[] =
    "[[model]]\nc.V = -80\nc.y = 0\nc.z = 1\n[engine]\ntime = 0 [ms] bind time\npace = 0 bind pace\n"
    "[c]\ndot(V) = -(V + 80) + 1e-6 * z + engine.pace\n    in [mV]\n"
    "dot(y) = if(V > -75 and V < -66, 1, -5 * y)\n"
    "r = if(y > 1.2, 200, 0.01)\ndot(z) = -r * z^3 + 0.01\n";

Test(imported, the_cable_of_trials_has_the_diffusivity_of_the_default_tissue)
{
    cr_expect_float_eq(MT_TRIAL_DIFFUSIVITY_MM2_MS, mt_tissue_diffusivity_l(&mt_tissue_default), 1e-12);
}

Test(imported, a_step_is_also_stable_in_a_cable)
{
    const mt_imported *i = import(read_cell(&arena, "%s", dwelling));
    mt_trial alone;
    cr_assert_eq(mt_trial_run(NULL, &i->row, i->row.variants, 0.1, &alone), MT_OK);
    cr_expect_eq(mt_trial_run_cable(&i->row, i->row.variants, 0.1), MT_NUMERICS);
    cr_expect(i->row.dt_max_ms < 0.1, "%g ms", i->row.dt_max_ms);
    cr_expect_eq(mt_trial_run_cable(&i->row, i->row.variants, i->row.dt_max_ms), MT_OK);
}

Test(imported, names_of_states_and_parameters_are_unique)
{
    static const char twice[] =
        "[[model]]\nmembrane.V = -80\na.x = 0\nb.x = 0\n[engine]\ntime = 0 [ms] bind time\n"
        "[membrane]\ndot(V) = -(V + 80) - a.x * a.g - b.x * b.g\n[a]\ng = 1\ndot(x) = (1 - x) / 7\n[b]\ng = "
        "2\ndot(x) = (2 - x) / 9\n";
    const mt_imported *i = import(read_cell(&arena, "%s", twice));
    cr_assert(i->row.n_states == 2 && i->row.n_parameters == 2);
    cr_expect_str_eq(i->row.states[0].name, "a_x");
    cr_expect_str_eq(i->row.states[1].name, "b_x");
    cr_expect_str_eq(i->row.parameters[0].name, "a_g");
    cr_expect_eq(i->row.variants[0].parameters[1], 2);
}

Test(imported, an_unstable_model_is_refused_with_a_message)
{
    static const char grows[] =
        "[[model]]\nc.V = -80\n[engine]\ntime = 0 [ms] bind time\n[c]\ndot(V) = V * V\n";
    const mt_system_names none = {0};
    mt_imported *imported;
    cr_expect_eq(mt_imported_make(&arena, read_cell(&arena, "%s", grows), &none, &imported), MT_NUMERICS);
    cr_expect(strstr(mt_message(), "a beat with time steps"), "%s", mt_message());
}

Test(imported, numbers_beyond_single_precision_are_refused)
{
    static const char large[] = "[[model]]\nc.V = -80\n[engine]\ntime = 0 [ms] bind time\n[c]\ndot(V) = -(V "
                                "+ 80) / 1e60 * g\ng = 1\n",
                      divided[] = "[[model]]\nc.V = -80\n[engine]\ntime = 0 [ms] bind time\n[c]\ndot(V) = "
                                  "-(V + 80) * g / h\ng = 1\nh = 0\n";
    const mt_system_names none = {0};
    mt_imported *imported;
    cr_expect_eq(mt_imported_make(&arena, read_cell(&arena, "%s", large), &none, &imported), MT_OK);
    cr_expect_eq(mt_imported_make(&arena, read_cell(&arena, "%s", divided), &none, &imported), MT_INPUT);
    cr_expect(strstr(mt_message(), "expression of parameters"), "%s", mt_message());
}

Test(imported, lack_of_memory_is_an_error)
{
    const mt_system_names none = {0};
    mt_equations *equations = read_cell(&arena, "%s", chain);
    for (size_t n = 1; n < 1000000; n += 1 + n / 4) {
        mt_arena own = {0};
        mt_imported *imported;
        mt_arena_fail_at(n);
        const mt_status status = mt_imported_make(&own, equations, &none, &imported);
        mt_arena_fail_at(0);
        mt_arena_free(&own);
        if (status == MT_OK) return;
        cr_assert_eq(status, MT_MEMORY, "allocation %zu: %s", n, mt_message());
    }
    cr_expect_fail("memory was never enough");
}
