#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "solver/kernels/block.h"
#include "solver/cells/model.h"
#include "solver/cells/tp06/tp06.h"
#include "tests/solver/cells/tp06_oracle.h"
#include "tests/random.h"

static uint64_t seed = 1;

static double uniform(double low, double high) { return between(&seed, low, high); }

/* Fills a state that a heart may pass through, with numbers that are exact in single precision. */
static void random_state(double y[ORACLE_N])
{
    for (int gate = 0; gate < 12; gate++) y[gate] = uniform(0, 1);
    y[TP06_CAI] = uniform(5e-5, 2e-3);
    y[TP06_RPRIME] = uniform(0, 1);
    y[TP06_CASR] = uniform(0.5, 5);
    y[TP06_CASS] = exp(uniform(log(1e-4), log(1)));
    y[TP06_NAI] = uniform(5, 15);
    y[TP06_KI] = uniform(120, 150);
    y[ORACLE_V] = uniform(-100, 60);
    for (int i = 0; i < ORACLE_N; i++) y[i] = (float)y[i];
}

static void step_double(int type, double dt_ms, double y[ORACLE_N])
{
    mt_cell_step_double(&mt_cell_tp06, (size_t)type, NULL, dt_ms, 1, y, &y[ORACLE_V], &y[ORACLE_V]);
}

static void step_float(int type, double dt_ms, double y[ORACLE_N])
{
    float state[TP06_STATES], v = (float)y[ORACLE_V];
    for (int i = 0; i < TP06_STATES; i++) state[i] = (float)y[i];
    mt_cell_step_float(&mt_cell_tp06, (size_t)type, NULL, dt_ms, 1, state, &v, &v);
    for (int i = 0; i < TP06_STATES; i++) y[i] = state[i];
    y[ORACLE_V] = v;
}

/* The terms of the new value of a state are products of at most 8 factors, each an exp of an argument below 70 or a sum of such. With e
 * the unit roundoff, exp(x) has an error of (1 + |x|) e, so a term has an error below 256 e. */
static const double rounding = 256;

/* Compares a step of the solver with one of the oracle from y, which becomes the result of the solver. Returns the largest difference in
 * units of the bound on rounding errors. */
static double compare_step(int type, double dt_ms, double y[ORACLE_N], bool single)
{
    const oracle_cell cell = oracle_cell_of(type);
    double expected[ORACLE_N], size[ORACLE_N], worst = 0;
    memcpy(expected, y, sizeof expected);
    oracle_step(&cell, dt_ms, expected, size);
    (single ? step_float : step_double)(type, dt_ms, y);
    const double unit = (single ? FLT_EPSILON : DBL_EPSILON) / 2;
    for (int i = 0; i < ORACLE_N; i++) {
        double error = fabs(y[i] - expected[i]), allowed = rounding * unit * size[i];
        cr_assert(error <= allowed, "type %d, %s: %.17g, expected %.17g; may differ by %g (V %g)", type,
            i == ORACLE_V ? "V" : mt_cell_tp06.states[i].name, y[i], expected[i], allowed,
            expected[ORACLE_V]);
        worst = fmax(worst, error / allowed);
    }
    return worst;
}

static void compare_random_steps(bool single)
{
    double worst = 0;
    for (int type = 0; type < ORACLE_TYPES; type++)
        for (int sample = 0; sample < 10000; sample++) {
            double y[ORACLE_N];
            random_state(y);
            worst = fmax(worst, compare_step(type, 0.02, y, single));
        }
    cr_log_info("worst difference: %g of what rounding allows", worst);
}

Test(tp06, a_double_step_equals_euler_and_rush_larsen_to_rounding) { compare_random_steps(false); }

Test(tp06, a_float_step_equals_the_double_step_to_float_rounding) { compare_random_steps(true); }

static size_t current_named(const char *name)
{
    for (size_t k = 0; k < mt_cell_tp06.n_currents; k++)
        if (strcmp(mt_cell_tp06.currents[k].name, name) == 0) return k;
    cr_assert(false, "no current %s", name);
    return 0;
}

/* Each current by its name; their sum changes V. */
Test(tp06, currents_equal_the_published_ones_to_rounding)
{
    cr_assert_eq(mt_cell_tp06.n_currents, (size_t)ORACLE_CURRENTS);
    for (int type = 0; type < ORACLE_TYPES; type++)
        for (int sample = 0; sample < 1000; sample++) {
            double y[ORACLE_N], current[ORACLE_CURRENTS];
            random_state(y);
            const oracle_rates r = oracle_rhs(type, y);
            mt_cell_tp06.currents_of(
                &mt_cell_tp06, mt_cell_tp06.variants[type].parameters, y[ORACLE_V], y, current);
            for (size_t k = 0; k < ORACLE_CURRENTS; k++) {
                const double found = current[current_named(oracle_current[k])];
                cr_assert(fabs(found - r.current[k]) <= rounding * DBL_EPSILON / 2 * r.current_size[k],
                    "type %d, %s: %.17g, expected %.17g", type, oracle_current[k], found, r.current[k]);
            }
            const double before = y[ORACLE_V];
            double sum = 0, size = fabs(before);
            for (size_t k = 0; k < ORACLE_CURRENTS; k++) sum += current[k], size += fabs(current[k]);
            step_double(type, 0.02, y);
            cr_assert(fabs(y[ORACLE_V] - (before - 0.02 * sum)) <= 16 * DBL_EPSILON * size, "type %d", type);
        }
}

/* The rates of h and j jump at -40 mV; the upper branch includes -40 itself. */
Test(tp06, the_rate_branches_switch_at_minus_40_mV)
{
    const double v[] = {-40, nextafter(-40, -41), nextafter(-40, -39), -40.5, -39.5, -40.14, -37.78};
    for (int type = 0; type < ORACLE_TYPES; type++)
        for (size_t k = 0; k < sizeof v / sizeof v[0]; k++) {
            double y[ORACLE_N];
            random_state(y);
            y[ORACLE_V] = v[k];
            (void)compare_step(type, 0.02, y, false);
            random_state(y);
            y[ORACLE_V] = k == 1 ? nextafterf(-40, -41) : k == 2 ? nextafterf(-40, -39) : (float)v[k];
            (void)compare_step(type, 0.02, y, true);
        }
}

/* i_CaL is 0/0 at 15 mV and has a smooth limit there. */
Test(tp06, the_calcium_current_is_smooth_at_15_mV)
{
    for (int type = 0; type < ORACLE_TYPES; type++)
        for (int single = 0; single < 2; single++)
            for (int power = -60; power <= 0; power++)
                for (int sign = -1; sign <= 1; sign++) {
                    double y[ORACLE_N];
                    random_state(y);
                    y[ORACLE_V] = 15 + sign * ldexp(1, power);
                    if (single) y[ORACLE_V] = (float)y[ORACLE_V];
                    (void)compare_step(type, 0.02, y, single);
                }
}

Test(tp06, initial_states_equal_the_published_ones)
{
    static const char *const name[] = {"epi", "mid", "endo"};
    for (int type = 0; type < ORACLE_TYPES; type++) {
        size_t found;
        cr_assert_eq(mt_cell_variant_find(&mt_cell_tp06, name[type], &found), MT_OK, "%s", mt_message());
        cr_expect_eq((int)found, type);
        cr_expect_str_eq(mt_cell_tp06.variants[type].name, name[type]);
        cr_expect_eq(mt_cell_tp06.variants[type].v_mV, oracle_start[type][ORACLE_V]);
        for (int i = 0; i < TP06_STATES; i++)
            cr_expect_eq(mt_cell_tp06.variants[type].states[i], oracle_start[type][i], "%s of %s",
                mt_cell_tp06.states[i].name, name[type]);
    }
    size_t found;
    cr_expect_eq(mt_cell_variant_find(&mt_cell_tp06, "purkinje", &found), MT_INPUT);
    cr_expect(strstr(mt_message(), "purkinje") && strstr(mt_message(), "epi, mid, endo"), "%s", mt_message());
}

/* Returns the largest difference in V from Runge-Kutta steps of 1 us over the first 5 ms; stimulus of 52 mV/ms from 1 to 2 ms. */
static double upstroke_difference(int type, size_t dt_us)
{
    double y[ORACLE_N], exact[ORACLE_N], largest = 0, peak = -100;
    memcpy(y, oracle_start[type], sizeof y);
    memcpy(exact, y, sizeof y);
    for (size_t us = 0; us < 5000; us += dt_us) {
        for (size_t k = 0; k < dt_us; k++)
            oracle_runge_kutta(type, 0.001, us + k >= 1000 && us + k < 2000 ? 52 : 0, exact);
        if (us >= 1000 && us < 2000) y[ORACLE_V] += 52 * 0.001 * (double)dt_us;
        step_double(type, 0.001 * (double)dt_us, y);
        largest = fmax(largest, fabs(y[ORACLE_V] - exact[ORACLE_V]));
        peak = fmax(peak, exact[ORACLE_V]);
    }
    cr_assert(peak > 20 && peak < 60, "no upstroke: V rises to %g mV", peak);
    return largest;
}

/* The scheme is of first order: it delays the entire upstroke by a time proportional to dt, and V rises by about 350 mV/ms there.
 * Second-order terms are a few percent for these dt. */
Test(tp06, halving_the_step_halves_the_error_of_the_upstroke)
{
    for (int type = 0; type < ORACLE_TYPES; type++) {
        double coarse = upstroke_difference(type, 20), fine = upstroke_difference(type, 10);
        cr_log_info(
            "%s: %.3f mV at 0.02 ms, %.3f mV at 0.01 ms", mt_cell_tp06.variants[type].name, coarse, fine);
        cr_expect(coarse / fine > 1.7 && coarse / fine < 2.3, "%s: %g mV, then %g mV",
            mt_cell_tp06.variants[type].name, coarse, fine);
    }
}

/* Returns the APD90 after a stimulus at 1 ms. */
static double apd90(int type, void (*step)(int, double, double *))
{
    double y[ORACLE_N], peak = -100, rose = 0;
    memcpy(y, oracle_start[type], sizeof y);
    for (int k = 0; k < 30000; k++) {
        const double before = y[ORACLE_V];
        if (k >= 50 && k < 100) y[ORACLE_V] += 52 * 0.02;
        step(type, 0.02, y);
        peak = fmax(peak, y[ORACLE_V]);
        if (before < 0 && y[ORACLE_V] >= 0) rose = 0.02 * k;
        const double level = peak - 0.9 * (peak - oracle_start[type][ORACLE_V]);
        if (rose > 0 && 0.02 * k > rose + 50 && y[ORACLE_V] < level) return 0.02 * k - rose;
    }
    return INFINITY;
}

/* APD90 of human epicardial and endocardial cells at resting heart rates is about 300 ms. M cells, with a quarter of the slow potassium
 * conductance, have 50 to 100 ms more. */
Test(tp06, apd90_matches_the_published_values)
{
    static const double low[] = {270, 330, 270}, high[] = {320, 400, 320};
    for (int type = 0; type < ORACLE_TYPES; type++) {
        double apd = apd90(type, step_double), apd_float = apd90(type, step_float);
        cr_log_info("%s: APD90 %.2f ms, in float %.2f ms", mt_cell_tp06.variants[type].name, apd, apd_float);
        cr_expect(
            apd > low[type] && apd < high[type], "%s: APD90 %g ms", mt_cell_tp06.variants[type].name, apd);
        cr_expect(fabs(apd - apd_float) < 1, "%s: %g ms, in float %g", mt_cell_tp06.variants[type].name, apd,
            apd_float);
    }
}
