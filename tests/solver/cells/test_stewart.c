#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "solver/cells/model.h"
#include "solver/cells/stewart/stewart.h"
#include "tests/random.h"
#include "tests/solver/cells/beat_error.h"
#include "tests/solver/cells/stewart_oracle.h"

enum { N = PURKINJE_N, AT_V = PURKINJE_V };

static const mt_cell_model *const model = &mt_cell_stewart;
static uint64_t seed = 5;

static double uniform(double low, double high) { return between(&seed, low, high); }

/* Fills a state that a heart may pass through, with numbers that are exact in single precision. */
static void random_state(double y[N])
{
    for (int gate = 0; gate < 12; gate++) y[gate] = uniform(0, 1);
    y[TP06_CAI] = uniform(5e-5, 2e-3), y[TP06_RPRIME] = uniform(0, 1);
    y[TP06_CASR] = uniform(0.5, 5), y[TP06_CASS] = exp(uniform(log(1e-4), log(1)));
    y[TP06_NAI] = uniform(5, 15), y[TP06_KI] = uniform(120, 150);
    y[STEWART_Y] = uniform(0, 1), y[AT_V] = uniform(-100, 60);
    for (int i = 0; i < N; i++) y[i] = (float)y[i];
}

static void step_double(const double *constants, double dt_ms, double y[N])
{
    mt_cell_react_double(model, constants, 1, NULL, dt_ms, 1, y, &y[AT_V], &y[AT_V]);
}

static void step_default(double dt_ms, double y[N])
{
    mt_cell_step_double(model, 0, NULL, dt_ms, 1, y, &y[AT_V], &y[AT_V]);
}

static void step_float(double dt_ms, double y[N])
{
    float state[STEWART_STATES], v = (float)y[AT_V];
    for (int i = 0; i < STEWART_STATES; i++) state[i] = (float)y[i];
    mt_cell_step_float(model, 0, NULL, dt_ms, 1, state, &v, &v);
    for (int i = 0; i < STEWART_STATES; i++) y[i] = state[i];
    y[AT_V] = v;
}

/* As for TP06: a term has an error below 256 units of roundoff. */
static const double rounding = 256;

/* Compares a step with given parameters, or with the default ones in single precision, with one of the oracle. */
static void compare_step(const purkinje_cell *cell, const double *parameters, double y[N], bool single)
{
    double expected[N], size[N], constants[STEWART_CONSTANTS];
    const mt_cell_variant variant = {.parameters = parameters};
    memcpy(expected, y, sizeof expected);
    purkinje_step(cell, 0.02, expected, size);
    mt_cell_constants_double(model, &variant, 1, constants);
    if (single)
        step_float(0.02, y);
    else
        step_double(constants, 0.02, y);
    const double unit = (single ? FLT_EPSILON : DBL_EPSILON) / 2;
    for (int i = 0; i < N; i++)
        cr_assert(fabs(y[i] - expected[i]) <= rounding * unit * size[i],
            "%s: %.17g, expected %.17g; may differ by %g (V %g)", i == AT_V ? "V" : model->states[i].name,
            y[i], expected[i], rounding * unit * size[i], expected[AT_V]);
}

static void compare_random_steps(bool single)
{
    const purkinje_cell cell = purkinje_cell_of();
    for (int sample = 0; sample < 10000; sample++) {
        double y[N];
        random_state(y);
        compare_step(&cell, model->variants[0].parameters, y, single);
    }
}

Test(stewart, a_double_step_equals_euler_and_rush_larsen_to_rounding) { compare_random_steps(false); }

Test(stewart, a_float_step_equals_the_double_step_to_float_rounding) { compare_random_steps(true); }

/* All parameters are changed by random factors at once: each must enter the equations as in the paper. */
Test(stewart, each_parameter_changes_a_step_as_in_the_published_equations)
{
    for (int sample = 0; sample < 500; sample++) {
        purkinje_cell cell = purkinje_cell_of();
        double parameters[STEWART_PARAMETERS], y[N];
        for (size_t k = 0; k < STEWART_PARAMETERS; k++) {
            double *value = purkinje_parameter(&cell, model->parameters[k].name);
            cr_assert_not_null(value, "%s", model->parameters[k].name);
            parameters[k] = *value *= uniform(0.5, 2);
        }
        random_state(y);
        compare_step(&cell, parameters, y, false);
    }
}

Test(stewart, parameters_and_the_initial_state_are_the_published_ones)
{
    purkinje_cell cell = purkinje_cell_of();
    for (size_t k = 0; k < STEWART_PARAMETERS; k++)
        cr_expect_eq(model->variants[0].parameters[k], *purkinje_parameter(&cell, model->parameters[k].name),
            "%s", model->parameters[k].name);
    for (int i = 0; i < STEWART_STATES; i++)
        cr_expect_eq(model->variants[0].states[i], purkinje_start[i], "%s", model->states[i].name);
    cr_expect_eq(model->variants[0].v_mV, purkinje_start[AT_V]);
}

/* Each current by its name; their sum changes V. */
Test(stewart, currents_equal_the_published_ones_to_rounding)
{
    const purkinje_cell cell = purkinje_cell_of();
    double constants[STEWART_CONSTANTS];
    mt_cell_constants_double(model, model->variants, 1, constants);
    cr_assert_eq(model->n_currents, (size_t)PURKINJE_CURRENTS);
    for (int sample = 0; sample < 1000; sample++) {
        double y[N], current[PURKINJE_CURRENTS], sum = 0;
        random_state(y);
        const purkinje_rates r = purkinje_rhs(&cell, y);
        model->currents_of(model, model->variants->parameters, y[AT_V], y, current);
        for (size_t k = 0; k < PURKINJE_CURRENTS; k++) {
            const char *name =
                k < ORACLE_CURRENTS ? oracle_current[k] : purkinje_current[k - ORACLE_CURRENTS];
            size_t found = 0;
            while (found < model->n_currents && strcmp(model->currents[found].name, name) != 0) found++;
            cr_assert_lt(found, model->n_currents, "no current %s", name);
            cr_assert(
                fabs(current[found] - r.current[k].value) <= rounding * DBL_EPSILON / 2 * r.current[k].size,
                "%s: %.17g, expected %.17g", name, current[found], r.current[k].value);
            sum += current[found];
        }
        const double before = y[AT_V];
        step_double(constants, 0.02, y);
        cr_assert(
            fabs(y[AT_V] - (before - 0.02 * sum)) <= 16 * DBL_EPSILON * (fabs(before) + 0.02 * r.size[AT_V]));
    }
}

/* The state in the CellML repository is one on the diastolic depolarisation of the authors' own cell. Without stimuli a cell that starts
 * there must beat and pass the same state again in the next cycle. All equations and parameters decide that: 1 % more of g_fNa, g_Na, g_K1,
 * P_NaK or g_CaL changes y by 0.4 to 3 %, of g_Kr or g_sus j or y by 0.07 to 0.09 %. Found here: 0.13 % for Xr1, which falls fastest, and
 * 0.02 % at most for all others. */
Test(stewart, a_cell_beats_spontaneously_and_returns_to_the_published_state)
{
    const double dt_ms = 0.01;
    double y[N], before[N], upstroke_ms = NAN, returned_ms = NAN, lowest = 0, highest = -100, dvdt = 0;
    memcpy(y, purkinje_start, sizeof y);
    for (int step = 1; step <= 130000 && isnan(returned_ms); step++) {
        memcpy(before, y, sizeof y);
        step_default(dt_ms, y);
        const double t_ms = step * dt_ms;
        if (before[AT_V] < 0 && y[AT_V] >= 0) upstroke_ms = t_ms;
        if (t_ms > upstroke_ms + 100 && before[AT_V] < purkinje_start[AT_V] &&
            y[AT_V] >= purkinje_start[AT_V])
            returned_ms = t_ms;
        lowest = fmin(lowest, y[AT_V]), highest = fmax(highest, y[AT_V]);
        dvdt = fmax(dvdt, (y[AT_V] - before[AT_V]) / dt_ms);
    }
    cr_log_info(
        "cycle %.1f ms, V from %.2f to %.2f mV, dV/dt max %.1f V/s", returned_ms, lowest, highest, dvdt);
    cr_assert(returned_ms > 1200 && returned_ms < 1250, "%g ms", returned_ms);
    for (int i = 0; i < STEWART_STATES; i++)
        cr_expect(fabs(y[i] / purkinje_start[i] - 1) < (i == TP06_XR1 ? 0.003 : 0.0004),
            "%s: %g, published %g", model->states[i].name, y[i], purkinje_start[i]);
}

/* Without the sodium part of I_f a cell does not beat. */
Test(stewart, a_cell_without_funny_current_is_quiescent)
{
    double parameters[STEWART_PARAMETERS], constants[STEWART_CONSTANTS], y[N];
    memcpy(parameters, model->variants[0].parameters, sizeof parameters);
    parameters[STEWART_G_FNA] = 0;
    const mt_cell_variant blocked = {.parameters = parameters};
    mt_cell_constants_double(model, &blocked, 1, constants);
    memcpy(y, purkinje_start, sizeof y);
    for (int step = 0; step < 60000; step++) {
        step_double(constants, 0.05, y); /* 3 s */
        cr_assert_lt(y[AT_V], -60, "%g mV after %g ms", y[AT_V], 0.05 * step);
    }
    cr_expect(y[AT_V] < -72 && y[AT_V] > -85, "%g mV", y[AT_V]);
}

/* A stimulus of 52 pA/pF for 1 ms. */
static double rise(int us) { return us >= 10000 && us < 11000 ? 52 : 0; }

static const paced_cell paced = {&mt_cell_stewart, purkinje_start, TP06_CAI, rise, purkinje_runge_kutta, 5};

Test(stewart, halving_the_step_halves_the_error_of_a_beat)
{
    cr_expect_lt(expect_first_order(&paced).calcium, 0.002);
}

Test(stewart, calcium_peaks_within_a_fifth_of_a_percent_with_multirate_stepping)
{
    expect_multirate_calcium(&paced, 1000, 0.002, 3);
    expect_multirate_calcium(&paced, 500, 0.002, 3);
}
