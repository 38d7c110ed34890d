#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "solver/cells/courtemanche/courtemanche.h"
#include "solver/cells/model.h"
#include "tests/random.h"
#include "tests/solver/cells/beat_error.h"
#include "tests/solver/cells/courtemanche_oracle.h"

static const mt_cell_model *const model = &mt_cell_courtemanche;
static uint64_t seed = 3;

static double uniform(double low, double high) { return between(&seed, low, high); }

/* Fills a state that a heart may pass through, with numbers that are exact in single precision. u is spread over all sizes: release is
 * compared with both thresholds. */
static void random_state(double y[ORACLE_N])
{
    for (int gate = 0; gate < ORACLE_GATES; gate++) y[gate] = uniform(0, 1);
    y[CRN_U] = exp(uniform(log(1e-6), 0));
    y[CRN_NAI] = uniform(5, 15), y[CRN_KI] = uniform(120, 150);
    y[CRN_CAI] = uniform(5e-5, 2e-3), y[CRN_CAUP] = uniform(0.5, 3), y[CRN_CAREL] = uniform(0.1, 3);
    y[ORACLE_V] = uniform(-100, 60);
    for (int i = 0; i < ORACLE_N; i++) y[i] = (float)y[i];
}

static void step_double(const double *constants, double dt_ms, double y[ORACLE_N])
{
    mt_cell_react_double(model, constants, 1, NULL, dt_ms, 1, y, &y[ORACLE_V], &y[ORACLE_V]);
}

static void step_float(double dt_ms, double y[ORACLE_N])
{
    float state[CRN_STATES], v = (float)y[ORACLE_V];
    for (int i = 0; i < CRN_STATES; i++) state[i] = (float)y[i];
    mt_cell_step_float(model, 0, NULL, dt_ms, 1, state, &v, &v);
    for (int i = 0; i < CRN_STATES; i++) y[i] = state[i];
    y[ORACLE_V] = v;
}

/* Each term is a product of at most 8 factors, each an exp of an argument below 50 or a sum of such. With e the unit roundoff, exp(x) has
 * an error of (1 + |x|) e, so a term has an error below 256 e. */
static const double rounding = 256;

/* Compares a step of a variant, of the default one in single precision, with one of the oracle. */
static void compare_step(const oracle_cell *cell, const double *parameters, double y[ORACLE_N], bool single)
{
    const double e = rounding * (single ? FLT_EPSILON : DBL_EPSILON) / 2;
    const mt_cell_variant variant = {.parameters = parameters};
    double constants[CRN_CONSTANTS], expected[ORACLE_N], allowed[ORACLE_N];
    memcpy(expected, y, sizeof expected);
    oracle_step(cell, 0.02, e, expected, allowed);
    mt_cell_constants_double(model, &variant, 1, constants);
    if (single)
        step_float(0.02, y);
    else
        step_double(constants, 0.02, y);
    for (int i = 0; i < ORACLE_N; i++)
        cr_assert(fabs(y[i] - expected[i]) <= allowed[i],
            "%s: %.17g, expected %.17g; may differ by %g (V %g)", i == ORACLE_V ? "V" : model->states[i].name,
            y[i], expected[i], allowed[i], expected[ORACLE_V]);
}

static void compare_default_step(double y[ORACLE_N], bool single)
{
    compare_step(&oracle_default, model->variants[0].parameters, y, single);
}

static void compare_random_steps(bool single)
{
    for (int sample = 0; sample < 10000; sample++) {
        double y[ORACLE_N];
        random_state(y);
        compare_default_step(y, single);
    }
}

Test(courtemanche, a_double_step_equals_euler_and_rush_larsen_to_rounding) { compare_random_steps(false); }

Test(courtemanche, a_float_step_equals_the_double_step_to_float_rounding) { compare_random_steps(true); }

/* All parameters are changed by random factors at once: each must enter the equations as in the paper. */
Test(courtemanche, each_parameter_changes_a_step_as_in_the_published_equations)
{
    for (int sample = 0; sample < 500; sample++) {
        oracle_cell cell = oracle_default;
        double parameters[CRN_PARAMETERS], y[ORACLE_N];
        for (size_t k = 0; k < CRN_PARAMETERS; k++) {
            double *value = oracle_parameter(&cell, model->parameters[k].name);
            cr_assert_not_null(value, "%s", model->parameters[k].name);
            parameters[k] = *value *= uniform(0.5, 2);
        }
        random_state(y);
        compare_step(&cell, parameters, y, false);
    }
}

/* The rates of h and j jump at -40 mV. At the other voltages published rates are 0/0, and have a smooth limit. */
Test(courtemanche, rates_are_the_published_ones_at_and_near_special_voltages)
{
    static const double special_mV[] = {-40, -47.13, -14.1, 3.3328, 19.9, -10, 7.9};
    for (size_t k = 0; k < sizeof special_mV / sizeof *special_mV; k++)
        for (int single = 0; single < 2; single++)
            for (int power = -60; power <= 0; power++)
                for (int sign = -1; sign <= 1; sign++) {
                    double y[ORACLE_N];
                    random_state(y);
                    y[ORACLE_V] = special_mV[k] + sign * ldexp(1, power);
                    if (single) y[ORACLE_V] = (float)y[ORACLE_V];
                    compare_default_step(y, single);
                }
}

/* Each current by its name; their sum changes V. */
Test(courtemanche, currents_equal_the_published_ones_to_rounding)
{
    double constants[CRN_CONSTANTS];
    mt_cell_constants_double(model, model->variants, 1, constants);
    cr_assert_eq(model->n_currents, (size_t)ORACLE_CURRENTS);
    for (int sample = 0; sample < 1000; sample++) {
        double y[ORACLE_N], current[ORACLE_CURRENTS], sum = 0, size;
        random_state(y);
        const oracle_rates r = oracle_rhs(&oracle_default, y);
        model->currents_of(model, model->variants->parameters, y[ORACLE_V], y, current);
        for (size_t k = 0; k < ORACLE_CURRENTS; k++) {
            size_t found = 0;
            while (found < model->n_currents && strcmp(model->currents[found].name, oracle_current[k]) != 0)
                found++;
            cr_assert_lt(found, model->n_currents, "no current %s", oracle_current[k]);
            cr_assert(
                fabs(current[found] - r.current[k].value) <= rounding * DBL_EPSILON / 2 * r.current[k].size,
                "%s: %.17g, expected %.17g", oracle_current[k], current[found], r.current[k].value);
            sum += current[found];
        }
        const double before = y[ORACLE_V];
        size = fabs(before) + 0.02 * r.rate[ORACLE_V].size;
        step_double(constants, 0.02, y);
        cr_assert(fabs(y[ORACLE_V] - (before - 0.02 * sum)) <= 16 * DBL_EPSILON * size);
    }
}

/* Returns a unit of the third significant digit. */
static double third_digit(double x) { return x == 0 ? 0 : pow(10, floor(log10(fabs(x))) - 2); }

/* Additional digits are those of the CellML repository; the paper's have three or more. */
Test(courtemanche, parameters_and_initial_states_are_the_published_ones)
{
    const mt_cell_variant *variant = model->variants;
    oracle_cell value = oracle_default, paper = oracle_table_1;
    for (size_t k = 0; k < CRN_PARAMETERS; k++) {
        const char *name = model->parameters[k].name;
        const double printed = *oracle_parameter(&paper, name);
        cr_expect_eq(variant->parameters[k], *oracle_parameter(&value, name), "%s", name);
        cr_expect(fabs(variant->parameters[k] - printed) <= third_digit(printed) / 2 * 1.4, "%s", name);
    }
    for (int i = 0; i < ORACLE_N; i++) {
        const double start = i == ORACLE_V ? variant->v_mV : variant->states[i],
                     printed = oracle_start_of_paper[i];
        cr_expect_eq(start, oracle_start[i], "state %d", i);
        cr_expect(fabs(start - printed) <= 1.0001 * third_digit(printed), "state %d: %g", i, start);
    }
}

/* Concentrations drift, V does not. */
Test(courtemanche, the_initial_state_is_quiescent)
{
    double y[ORACLE_N], constants[CRN_CONSTANTS];
    memcpy(y, oracle_start, sizeof y);
    mt_cell_constants_double(model, model->variants, 1, constants);
    for (int step = 0; step < 100000; step++) step_double(constants, 0.05, y); /* 5 s */
    cr_expect_lt(fabs(y[ORACLE_V] - oracle_start[ORACLE_V]), 0.01, "%g mV", y[ORACLE_V]);
    for (int i = CRN_NAI; i <= CRN_CAREL; i++)
        cr_expect_lt(fabs(y[i] / oracle_start[i] - 1), 5e-4, "%s: %g", model->states[i].name, y[i]);
}

/* The paper's stimulus: 20 pA/pF for 2 ms, each second. */
static double rise(int us) { return us >= 10000 && us < 12000 ? 20 : 0; }

typedef struct beat {
    double rest, peak, dvdt_max, apd90_ms, calcium_mM;
} beat;

static beat beat_of(double dt_ms, int n_beats)
{
    double y[ORACLE_N], constants[CRN_CONSTANTS];
    beat b = {0};
    memcpy(y, oracle_start, sizeof y);
    mt_cell_constants_double(model, model->variants, 1, constants);
    for (int k = 0; k < n_beats; k++) {
        double rose = INFINITY;
        b = (beat){.rest = y[ORACLE_V], .peak = -INFINITY};
        for (int step = 0; step * dt_ms < 1000 - 1e-9; step++) {
            const double before = y[ORACLE_V], t = step * dt_ms;
            y[ORACLE_V] += dt_ms * rise((int)lround(1000 * t));
            step_double(constants, dt_ms, y);
            const double v = y[ORACLE_V];
            b.peak = fmax(b.peak, v), b.dvdt_max = fmax(b.dvdt_max, (v - before) / dt_ms);
            b.calcium_mM = fmax(b.calcium_mM, y[CRN_CAI]);
            if (before < 0 && v >= 0) rose = t;
            const double end = b.peak - 0.9 * (b.peak - b.rest);
            if (t > rose + 50 && before >= end && v < end) b.apd90_ms = t - rose;
        }
    }
    return b;
}

/* The paper's figures at 1 Hz: resting membrane potential -81 mV, amplitude 110 mV, APD90 300 ms, dV/dt max 200 V/s. Tolerances: half of
 * the last significant digit. The peak of Ca_i has none; its resting value is in the table of initial states. */
Test(courtemanche, a_paced_beat_matches_the_published_values)
{
    const beat b = beat_of(0.02, 3);
    cr_log_info("rest %.2f mV, peak %.2f mV, dV/dt max %.1f V/s, APD90 %.2f ms, Ca_i to %.3g uM", b.rest,
        b.peak, b.dvdt_max, b.apd90_ms, 1e3 * b.calcium_mM);
    cr_expect(fabs(b.rest + 81) < 0.5, "%g mV", b.rest);
    cr_expect(fabs(b.peak - b.rest - 110) < 5, "%g mV", b.peak - b.rest);
    cr_expect(fabs(b.apd90_ms - 300) < 5, "%g ms", b.apd90_ms);
    cr_expect(fabs(b.dvdt_max - 200) < 50, "%g V/s", b.dvdt_max);
}

static const paced_cell paced = {&mt_cell_courtemanche, oracle_start, CRN_CAI, rise, oracle_runge_kutta, 10};

Test(courtemanche, halving_the_step_halves_the_error_of_a_beat)
{
    const beat_error coarse = expect_first_order(&paced);
    cr_expect_lt(coarse.later_mV, 0.5, "%g mV", coarse.later_mV);
    cr_expect_lt(coarse.calcium, 0.005, "%g", coarse.calcium);
}

/* Release begins and ends in the time step in which the flux passes a threshold, or with multirate stepping at the next evaluation. At fast
 * rates the flux barely passes it. */
Test(courtemanche, calcium_peaks_within_2_percent_with_multirate_stepping)
{
    expect_multirate_calcium(&paced, 1000, 0.002, 4);
    expect_multirate_calcium(&paced, 500, 0.02, 4);
}
