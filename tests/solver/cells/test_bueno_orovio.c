#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "solver/cells/bueno_orovio/bueno_orovio.h"
#include "solver/cells/model.h"
#include "tests/random.h"
#include "tests/solver/cells/bueno_orovio_oracle.h"

extern const mt_cell_model mt_cell_bueno_orovio;
static const mt_cell_model *const model = &mt_cell_bueno_orovio;
static uint64_t seed = 5;

static double uniform(double low, double high) { return between(&seed, low, high); }

Test(bueno_orovio, parameters_are_those_of_the_published_table)
{
    cr_assert_eq(model->n_variants, (size_t)ORACLE_TYPES);
    cr_assert_eq(model->n_parameters, sizeof(oracle_cell) / sizeof(double));
    for (int type = 0; type < ORACLE_TYPES; type++)
        for (size_t k = 0; k < model->n_parameters; k++) {
            oracle_cell paper = oracle_table_1[type];
            const double *value = oracle_parameter(&paper, model->parameters[k].name);
            cr_assert_not_null(value, "%s", model->parameters[k].name);
            cr_expect_eq(model->variants[type].parameters[k], *value, "%s, %s", model->variants[type].name,
                model->parameters[k].name);
        }
    cr_expect_str_eq(model->variants[BO_EPI].name, "epi");
    cr_expect_str_eq(model->variants[BO_MID].name, "mid");
    cr_expect_str_eq(model->variants[BO_ENDO].name, "endo");
}

/* ---- one step ---- */

/* Advances v, w, s and V of one cell by a step, in either precision. */
static void step(const double *parameters, double dt_ms, bool single, double gates[BO_STATES], double *v_mV)
{
    const mt_cell_variant variant = {.parameters = parameters};
    if (!single) {
        double constants[BO_CONSTANTS];
        mt_cell_constants_double(model, &variant, 1, constants);
        mt_cell_react_double(model, constants, 1, NULL, dt_ms, 1, gates, v_mV, v_mV);
        return;
    }
    float constants[BO_CONSTANTS], state[BO_STATES], v = (float)*v_mV;
    for (int i = 0; i < BO_STATES; i++) state[i] = (float)gates[i];
    mt_cell_constants_float(model, &variant, 1, constants);
    mt_cell_react_float(model, constants, 1, NULL, dt_ms, 1, state, &v, &v);
    for (int i = 0; i < BO_STATES; i++) gates[i] = state[i];
    *v_mV = v;
}

/* Returns the largest change of a rate or current if u changes by its rounding error. */
static double spread(double here, double below, double above)
{
    return fmax(fabs(below - here), fabs(above - here));
}

/* Compares a step from these gates and this V with one of the oracle. With e the unit roundoff, u and the differences u - u_c have errors
 * of some e (1 + |u|), which can also decide a branch. Terms have errors of some e, and a time constant between tau_1 and tau_2 that of the
 * larger: up to 93 e for parameters within a factor of 2 of the published ones. */
static void compare_step(const oracle_cell *cell, const double *parameters, const double gates[BO_STATES],
    double v_mV, bool single)
{
    const double e = (single ? FLT_EPSILON : DBL_EPSILON) / 2, dt_ms = 0.0625, u = oracle_u(v_mV);
    double rate[3][ORACLE_N], current[3][ORACLE_CURRENTS], after[ORACLE_N], size = 0, v_after = v_mV;
    for (int k = 0; k < 3; k++) {
        double y[ORACLE_N] = {gates[0], gates[1], gates[2], u};
        y[ORACLE_U] += (k == 0 ? 0 : k == 1 ? -8 : 8) * e * (1 + fabs(u));
        oracle_rhs(cell, y, current[k], rate[k]);
    }
    memcpy(after, gates, BO_STATES * sizeof *after);
    step(parameters, dt_ms, single, after, &v_after);
    for (int i = 0; i < BO_STATES; i++) {
        const double allowed =
            dt_ms * spread(rate[0][i], rate[1][i], rate[2][i]) + 128 * e * (1 + dt_ms * fabs(rate[0][i]));
        cr_assert(fabs(after[i] - (gates[i] + dt_ms * rate[0][i])) <= allowed,
            "%s: %.17g, expected %.17g; may differ by %g (u %.17g)", model->states[i].name, after[i],
            gates[i] + dt_ms * rate[0][i], allowed, u);
    }
    for (int i = 0; i < ORACLE_CURRENTS; i++) size += fabs(current[0][i]);
    const double expected = v_mV + 85.7 * dt_ms * rate[0][ORACLE_U],
                 allowed =
                     85.7 * dt_ms *
                         (spread(rate[0][ORACLE_U], rate[1][ORACLE_U], rate[2][ORACLE_U]) + 128 * e * size) +
                     2 * e * fmax(fabs(v_mV), fabs(expected));
    cr_assert(fabs(v_after - expected) <= allowed, "V: %.17g, expected %.17g; may differ by %g (u %.17g)",
        v_after, expected, allowed, u);
}

/* Fills gates and returns V, from below rest to above any peak, in numbers that are exact in single precision. */
static double random_state(double gates[BO_STATES])
{
    for (int i = 0; i < BO_STATES; i++) gates[i] = (float)uniform(0, 1);
    return (float)(draw(&seed, 2) ? uniform(-110, 70) : uniform(-85, -60));
}

static void compare_random_steps(bool single)
{
    for (int sample = 0; sample < 30000; sample++) {
        double gates[BO_STATES];
        const int type = sample % ORACLE_TYPES;
        const double v_mV = random_state(gates);
        compare_step(&oracle_table_1[type], model->variants[type].parameters, gates, v_mV, single);
    }
}

Test(bueno_orovio, a_double_step_equals_forward_euler_to_rounding) { compare_random_steps(false); }

Test(bueno_orovio, a_float_step_equals_forward_euler_to_float_rounding) { compare_random_steps(true); }

/* All parameters are changed by random factors at once: each must enter the equations as in the paper. */
Test(bueno_orovio, each_parameter_changes_a_step_as_in_the_published_equations)
{
    for (int sample = 0; sample < 6000; sample++) {
        oracle_cell cell = oracle_table_1[sample % ORACLE_TYPES];
        double parameters[BO_PARAMETERS], gates[BO_STATES];
        for (size_t k = 0; k < model->n_parameters; k++) {
            double *value = oracle_parameter(&cell, model->parameters[k].name);
            parameters[k] = *value = *value == 0 ? uniform(0, 0.1) : *value * uniform(0.5, 2);
        }
        const double v_mV = random_state(gates);
        compare_step(&cell, parameters, gates, v_mV, sample % 2);
    }
}

/* At V = -84 mV u is 0 exactly, and so are thresholds set to 0: functions have the values above them. Half a microvolt below, they have
 * those below. */
/* A time constant below the time step, which parameters allow: the gate reaches its target in a step, and does not pass it. */
Test(bueno_orovio, gates_with_short_time_constants_reach_their_targets)
{
    static const int short_ones[] = {BO_TAU_V1_MINUS, BO_TAU_V2_MINUS, BO_TAU_V_PLUS, BO_TAU_W2_MINUS,
        BO_TAU_W_PLUS, BO_TAU_S1, BO_TAU_S2};
    for (int sample = 0; sample < 1000; sample++) {
        double parameters[BO_PARAMETERS], gates[BO_STATES];
        memcpy(parameters, model->variants[sample % ORACLE_TYPES].parameters, sizeof parameters);
        for (size_t k = 0; k < sizeof short_ones / sizeof *short_ones; k++) parameters[short_ones[k]] = 1e-3;
        double v_mV = random_state(gates);
        step(parameters, 0.05, sample % 2, gates, &v_mV);
        for (int i = 0; i < BO_STATES; i++)
            cr_assert(gates[i] > -1e-6 && gates[i] < 1 + 1e-6, "%s: %g", model->states[i].name, gates[i]);
    }
}

Test(bueno_orovio, functions_switch_at_their_threshold_to_the_value_above_it)
{
    static const char *const threshold[] = {"theta_v", "theta_w", "theta_v_minus", "theta_o"};
    for (int k = 0; k < 4; k++)
        for (int single = 0; single < 2; single++)
            for (int below = 0; below < 2; below++) {
                const oracle_cell *paper = &oracle_table_1[0];
                double parameters[BO_PARAMETERS], y[ORACLE_N] = {0.5, 0.5, 0.5, 0},
                                                  gates[BO_STATES] = {0.5, 0.5, 0.5};
                double current[ORACLE_CURRENTS], rate[ORACLE_N], v_mV = below ? -84.0005 : -84;
                oracle_cell cell = *paper;
                *oracle_parameter(&cell, threshold[k]) = 0;
                if (k == 3) cell.u_o = 0.01; /* otherwise J_so is 0 on both sides */
                for (size_t n = 0; n < model->n_parameters; n++)
                    parameters[n] = *oracle_parameter(&cell, model->parameters[n].name);
                y[ORACLE_U] = below ? -0.0005 / 85.7 : 0;
                oracle_rhs(&cell, y, current, rate);
                const double before = v_mV = single ? (float)v_mV : v_mV;
                step(parameters, 0.0625, single, gates, &v_mV);
                for (int i = 0; i < BO_STATES; i++)
                    cr_expect_float_eq((gates[i] - 0.5) / 0.0625, rate[i], 1e-5, "%s, %s: %g, expected %g",
                        threshold[k], model->states[i].name, (gates[i] - 0.5) / 0.0625, rate[i]);
                cr_expect_float_eq((v_mV - before) / 0.0625, 85.7 * rate[ORACLE_U], 2e-3,
                    "%s, V: %g, expected %g", threshold[k], (v_mV - before) / 0.0625, 85.7 * rate[ORACLE_U]);
            }
}

/* Each current by its name; their sum changes V. */
Test(bueno_orovio, currents_are_the_published_ones_in_pA_per_pF)
{
    cr_assert_eq(model->n_currents, (size_t)ORACLE_CURRENTS);
    for (int sample = 0; sample < 3000; sample++) {
        const int type = sample % ORACLE_TYPES;
        double gates[BO_STATES], found[ORACLE_CURRENTS], expected[ORACLE_CURRENTS], rate[ORACLE_N], sum = 0,
                                                                                                    size = 0;
        double v_mV = random_state(gates);
        const double before = v_mV, y[ORACLE_N] = {gates[0], gates[1], gates[2], oracle_u(v_mV)};
        oracle_rhs(&oracle_table_1[type], y, expected, rate);
        model->currents_of(model, model->variants[type].parameters, v_mV, gates, found);
        for (int k = 0; k < ORACLE_CURRENTS; k++) {
            cr_assert_str_eq(model->currents[k].name, oracle_current[k]);
            cr_assert(fabs(found[k] - 85.7 * expected[k]) <= 1e-12 * (1 + fabs(found[k])),
                "%s: %.17g, expected %.17g", oracle_current[k], found[k], 85.7 * expected[k]);
            sum += found[k], size += fabs(found[k]);
        }
        step(model->variants[type].parameters, 0.0625, false, gates, &v_mV);
        cr_assert(fabs(v_mV - (before - 0.0625 * sum)) <= 4 * DBL_EPSILON * (fabs(before) + size));
    }
}

/* ---- rest ---- */

/* V is -84 mV, v and w are 1 to the bit; s is within a rounding error of its target, which the paper's start of 0 reaches, too. */
Test(bueno_orovio, the_initial_state_is_the_resting_state)
{
    for (int type = 0; type < ORACLE_TYPES; type++)
        for (int single = 0; single < 2; single++) {
            const mt_cell_variant *rest = &model->variants[type];
            const double target = oracle_between(0, 1, 2.0994, -0.9087);
            double gates[BO_STATES], paper[BO_STATES] = {1, 1, 0}, v_mV = rest->v_mV, v_paper_mV = -84;
            memcpy(gates, rest->states, sizeof gates);
            cr_expect_float_eq(gates[BO_S], target, 2 * DBL_EPSILON * target);
            for (int n = 0; n < 4000; n++) {
                step(rest->parameters, 0.05, single, gates, &v_mV);
                step(rest->parameters, 0.05, single, paper, &v_paper_mV);
            }
            const double e = 64 * (single ? FLT_EPSILON : DBL_EPSILON) * target;
            cr_expect(v_mV == -84 && gates[BO_V] == 1 && gates[BO_W] == 1, "%s", rest->name);
            cr_expect(v_paper_mV == -84 && paper[BO_V] == 1 && paper[BO_W] == 1, "%s", rest->name);
            cr_expect_float_eq(gates[BO_S], target, e, "%s: %.17g", rest->name, gates[BO_S]);
            cr_expect_float_eq(paper[BO_S], target, e, "%s: %.17g", rest->name, paper[BO_S]);
        }
}

/* ---- beats ---- */

/* Two beats at 1 Hz, and one 600 ms after the second. */
typedef struct beat {
    double rest_mV, peak_mV, rise_mV_ms, apd40_ms, apd50_ms, apd90_ms;
} beat;

enum { BEATS = 3 };
static const double length_ms[BEATS] = {1000, 600, 700};

/* A cell of the oracle or of the solver, with uniform or multirate stepping. */
typedef struct cell {
    int type;
    double dt_ms, tolerance_mV; /* tolerance NAN: uniform stepping */
    bool is_oracle;
    double gates[BO_STATES], v_mV, kept, change, since, constants[BO_CONSTANTS];
    size_t evaluated;
} cell;

static cell cell_at_rest(int type, double dt_ms, double tolerance_mV, bool is_oracle)
{
    cell c = {
        .type = type, .dt_ms = dt_ms, .tolerance_mV = tolerance_mV, .is_oracle = is_oracle, .kept = INFINITY};
    memcpy(c.gates, model->variants[type].states, sizeof c.gates);
    c.v_mV = model->variants[type].v_mV;
    mt_cell_constants_double(model, &model->variants[type], 1, c.constants);
    return c;
}

static void advance(cell *c, size_t number)
{
    if (c->is_oracle) {
        double y[ORACLE_N] = {c->gates[0], c->gates[1], c->gates[2], oracle_u(c->v_mV)};
        oracle_step(&oracle_table_1[c->type], c->dt_ms, y);
        memcpy(c->gates, y, sizeof c->gates);
        c->v_mV = oracle_mV(y[ORACLE_U]);
    } else if (isnan(c->tolerance_mV)) {
        mt_cell_react_double(model, c->constants, 1, NULL, c->dt_ms, 1, c->gates, &c->v_mV, &c->v_mV);
    } else {
        const mt_multirate_step at = {c->dt_ms, c->tolerance_mV, number};
        mt_cell_multirate_react_double(model, c->constants, 1, NULL, &at, 1, c->gates, &c->kept, &c->change,
            &c->since, &c->v_mV, &c->v_mV);
    }
    c->evaluated += c->since == 0;
}

/* Returns the time at which V passes a level downwards, or NAN if not in this step. */
static double down(double level, double t, double dt, double before, double v)
{
    return before >= level && v < level ? t + dt * (before - level) / (before - v) : NAN;
}

/* Simulates a beat with a stimulus of 52 mV/ms for 1 ms. Durations are from the upward passage through 0 mV, to 40, 50 and 90 % of
 * repolarisation. */
static beat beat_of(cell *c, double until_ms, size_t *number)
{
    beat b = {.rest_mV = c->v_mV, .peak_mV = -INFINITY, .apd40_ms = NAN, .apd50_ms = NAN, .apd90_ms = NAN};
    double rose = NAN;
    const size_t n = (size_t)round(until_ms / c->dt_ms);
    for (size_t k = 0; k < n; k++, ++*number) {
        const double t = (double)k * c->dt_ms, before = c->v_mV;
        if (t < 1 - 1e-9) c->v_mV += 52 * c->dt_ms;
        const double lifted = c->v_mV;
        advance(c, *number);
        b.peak_mV = fmax(b.peak_mV, c->v_mV);
        if (t >= 1 - 1e-9 || c->v_mV > 0) b.rise_mV_ms = fmax(b.rise_mV_ms, (c->v_mV - lifted) / c->dt_ms);
        if (isnan(rose) && before < 0 && c->v_mV >= 0) rose = t + c->dt_ms * before / (before - c->v_mV);
        if (isnan(rose) || t < rose + 20) continue;
        const double height = b.peak_mV - b.rest_mV;
        double *apd[] = {&b.apd40_ms, &b.apd50_ms, &b.apd90_ms}, part[] = {0.4, 0.5, 0.9};
        for (int i = 0; i < 3; i++)
            if (isnan(*apd[i]))
                *apd[i] = down(b.peak_mV - part[i] * height, t, c->dt_ms, before, c->v_mV) - rose;
    }
    return b;
}

static void beats_of(cell c, beat b[BEATS], size_t *evaluated)
{
    size_t number = 0;
    for (int k = 0; k < BEATS; k++) b[k] = beat_of(&c, length_ms[k], &number);
    if (evaluated) *evaluated = c.evaluated;
}

/* Compared with steps of the oracle of 1 us: first-order errors of durations, 0.1 % with a time step of 0.02 ms, and of the peak. Most of
 * the former is due to theta_o: V passes it by up to a time step, and then decays so slowly that w of the next beat differs. */
Test(bueno_orovio, beats_equal_those_of_the_published_equations_in_short_steps)
{
    const double dt_ms[] = {0.02, 0.05, model->dt_max_ms};
    for (int type = 0; type < ORACLE_TYPES; type++) {
        beat exact[BEATS];
        beats_of(cell_at_rest(type, 0.001, NAN, true), exact, NULL);
        for (int k = 0; k < 3; k++) {
            beat found[BEATS];
            beats_of(cell_at_rest(type, dt_ms[k], NAN, false), found, NULL);
            for (int n = 0; n < BEATS; n++) {
                cr_log_info("%s, %g ms: APD90 %.3f, exact %.3f ms; peak %.3f, %.3f mV; rise %.1f, %.1f mV/ms",
                    model->variants[type].name, dt_ms[k], found[n].apd90_ms, exact[n].apd90_ms,
                    found[n].peak_mV, exact[n].peak_mV, found[n].rise_mV_ms, exact[n].rise_mV_ms);
                cr_expect_float_eq(found[n].apd90_ms, exact[n].apd90_ms, 0.05 * dt_ms[k] * exact[n].apd90_ms);
                cr_expect_float_eq(found[n].apd50_ms, exact[n].apd50_ms, 0.1 * dt_ms[k] * exact[n].apd50_ms);
                cr_expect_float_eq(found[n].peak_mV, exact[n].peak_mV, 10 * dt_ms[k]);
            }
        }
    }
}

/* The ranges of human ventricular cells at 1 Hz by which populations of models are calibrated (eLife 8, e48890). */
Test(bueno_orovio, a_paced_beat_is_within_the_published_ranges_of_human_cells)
{
    double apd_ms[ORACLE_TYPES];
    for (int type = 0; type < ORACLE_TYPES; type++) {
        beat b[BEATS];
        beats_of(cell_at_rest(type, 0.02, NAN, false), b, NULL);
        const struct {
            const char *name;
            double value, low, high;
        } row[] = {{"rest", b[1].rest_mV, -95, -80}, {"peak", b[1].peak_mV, 10, 55},
            {"dV/dt", b[1].rise_mV_ms, 100, 1000}, {"APD40", b[1].apd40_ms, 85, 320},
            {"APD50", b[1].apd50_ms, 110, 350}, {"APD90", b[1].apd90_ms, 180, 440}};
        for (size_t k = 0; k < sizeof row / sizeof *row; k++)
            cr_expect(row[k].value > row[k].low && row[k].value < row[k].high, "%s, %s: %g",
                model->variants[type].name, row[k].name, row[k].value);
        apd_ms[type] = b[1].apd90_ms;
        cr_expect_lt(b[2].apd90_ms, b[1].apd90_ms, "a premature beat is shorter");
    }
    cr_expect(apd_ms[BO_EPI] < apd_ms[BO_MID] && apd_ms[BO_ENDO] < apd_ms[BO_MID]);
}

/* Evaluations are at most 0.2 ms apart, 8 time steps of 0.02 ms or 4 of 0.05 ms. */
Test(bueno_orovio, multirate_stepping_changes_durations_by_less_than_0_3_percent)
{
    static const double dt_ms[] = {0.02, 0.05};
    for (int type = 0; type < ORACLE_TYPES; type++)
        for (int k = 0; k < 2; k++) {
            beat all[BEATS], some[BEATS];
            size_t n_all, n_some;
            beats_of(cell_at_rest(type, dt_ms[k], 0, false), all, &n_all);
            beats_of(cell_at_rest(type, dt_ms[k], 0.1, false), some, &n_some);
            cr_expect_lt((double)n_some, (k ? 0.33 : 0.17) * (double)n_all, "%zu of %zu", n_some, n_all);
            for (int n = 0; n < BEATS; n++) {
                cr_log_info("%s, %g ms: APD90 %.3f, %.3f ms; %.3f of the evaluations",
                    model->variants[type].name, dt_ms[k], some[n].apd90_ms, all[n].apd90_ms,
                    (double)n_some / (double)n_all);
                cr_expect_float_eq(some[n].apd90_ms, all[n].apd90_ms, 0.003 * all[n].apd90_ms);
                cr_expect_float_eq(some[n].peak_mV, all[n].peak_mV, 0.5);
            }
        }
}
