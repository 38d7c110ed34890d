#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "solver/cells/model.h"
#include "solver/cells/torord/torord.h"
#include "tests/random.h"
#include "tests/solver/cells/torord_oracle.h"

static uint64_t seed = 1;

static double uniform(double low, double high) { return between(&seed, low, high); }

/* Fills a state that a heart may pass through, with numbers that are exact in single precision. */
static void random_state(double y[ORACLE_N])
{
    for (int gate = 0; gate < TORORD_STATES; gate++) y[gate] = uniform(0, 1);
    for (int channel = TORORD_C1; channel <= TORORD_I; channel++) y[channel] *= 0.25;
    y[TORORD_J_REL_NP] = uniform(0, 0.5), y[TORORD_J_REL_P] = uniform(0, 0.5);
    y[TORORD_CAMK_T] = uniform(0, 0.3);
    y[TORORD_NA_I] = uniform(5, 20), y[TORORD_NA_SS] = uniform(5, 20);
    y[TORORD_K_I] = uniform(120, 160), y[TORORD_K_SS] = uniform(120, 160);
    y[TORORD_CL_I] = uniform(20, 50), y[TORORD_CL_SS] = uniform(20, 50);
    y[TORORD_CA_I] = uniform(5e-5, 2e-3);
    y[TORORD_CA_SS] = exp(uniform(log(5e-5), log(0.3)));
    y[TORORD_CA_NSR] = uniform(0.3, 3), y[TORORD_CA_JSR] = uniform(-0.1, 3);
    y[ORACLE_V] = uniform(-100, 60);
    for (int i = 0; i < ORACLE_N; i++) y[i] = (float)y[i];
}

static void step_with(const mt_cell_variant *variant, double dt_ms, double y[ORACLE_N], bool single)
{
    double constants[TORORD_CONSTANTS];
    float constants_f[TORORD_CONSTANTS], state[TORORD_STATES], v = (float)y[ORACLE_V];
    if (!single) {
        mt_cell_constants_double(&mt_cell_torord, variant, 1, constants);
        mt_cell_react_double(&mt_cell_torord, constants, 1, NULL, dt_ms, 1, y, &y[ORACLE_V], &y[ORACLE_V]);
        return;
    }
    for (int i = 0; i < TORORD_STATES; i++) state[i] = (float)y[i];
    mt_cell_constants_float(&mt_cell_torord, variant, 1, constants_f);
    mt_cell_react_float(&mt_cell_torord, constants_f, 1, NULL, dt_ms, 1, state, &v, &v);
    for (int i = 0; i < TORORD_STATES; i++) y[i] = state[i];
    y[ORACLE_V] = v;
}

/* As in test_tp06.c: a term is a product of at most 8 factors, each an exp of an argument below 70 or a sum of such, and has an error below
 * 256 e, with e the unit roundoff. Constants computed from several parameters add a few roundings. */
static const double rounding = 300;

/* Compares a step of the solver with one of the oracle from y, which becomes the result of the solver. */
static void compare_step(
    const mt_cell_variant *variant, const oracle_cell *cell, double dt_ms, double y[ORACLE_N], bool single)
{
    double expected[ORACLE_N], size[ORACLE_N];
    memcpy(expected, y, sizeof expected);
    oracle_step(cell, dt_ms, expected, size);
    step_with(variant, dt_ms, y, single);
    const double unit = (single ? FLT_EPSILON : DBL_EPSILON) / 2;
    for (int i = 0; i < ORACLE_N; i++)
        cr_assert(fabs(y[i] - expected[i]) <= rounding * unit * size[i],
            "%s, %s: %.17g, expected %.17g; may differ by %g (V %g)", variant->name,
            i == ORACLE_V ? "V" : mt_cell_torord.states[i].name, y[i], expected[i], rounding * unit * size[i],
            expected[ORACLE_V]);
}

/* With the parameters of each type, and with all of them changed by random factors. */
static void compare_random_steps(bool single)
{
    for (int type = 0; type < ORACLE_TYPES; type++)
        for (int sample = 0; sample < 2000; sample++) {
            double y[ORACLE_N], parameters[TORORD_PARAMETERS];
            oracle_cell cell = oracle_cell_of(type);
            mt_cell_variant variant = mt_cell_torord.variants[type];
            for (int k = 0; k < TORORD_PARAMETERS; k++) {
                double *value = oracle_parameter(&cell, mt_cell_torord.parameters[k].name);
                const double factor = sample % 2 ? uniform(0.5, 1.05) : 1;
                cr_assert(value, "%s", mt_cell_torord.parameters[k].name);
                parameters[k] = variant.parameters[k] * factor, *value *= factor;
            }
            variant.parameters = parameters;
            random_state(y);
            compare_step(&variant, &cell, 0.02, y, single);
        }
}

Test(torord, a_double_step_equals_that_of_the_published_equations_to_rounding)
{
    compare_random_steps(false);
}

Test(torord, a_float_step_equals_that_of_the_published_equations_to_float_rounding)
{
    compare_random_steps(true);
}

/* The rates of h and j jump at -40 mV, the target of d at 31.4978 mV, and fluxes of Goldman, Hodgkin and Katz are 0/0 at 0 mV. */
Test(torord, branches_switch_where_published_and_fluxes_are_smooth_at_0_mV)
{
    static const double knees_mV[] = {-40, 31.4978, 0};
    for (int type = 0; type < ORACLE_TYPES; type++)
        for (int knee = 0; knee < 3; knee++)
            for (int power = -60; power <= 0; power++)
                for (int sign = -1; sign <= 1; sign++)
                    for (int single = 0; single < 2; single++) {
                        const oracle_cell cell = oracle_cell_of(type);
                        double y[ORACLE_N];
                        random_state(y);
                        y[ORACLE_V] = knees_mV[knee] + sign * ldexp(1, power);
                        if (single) y[ORACLE_V] = (float)y[ORACLE_V];
                        if (single && y[ORACLE_V] == (float)31.4978)
                            continue; /* the literal is rounded, too */
                        compare_step(&mt_cell_torord.variants[type], &cell, 0.02, y, single);
                    }
}

/* Each current by its name; their sum changes V. */
Test(torord, currents_equal_the_published_ones_to_rounding)
{
    cr_assert_eq(mt_cell_torord.n_currents, (size_t)ORACLE_CURRENTS);
    for (int type = 0; type < ORACLE_TYPES; type++)
        for (int sample = 0; sample < 300; sample++) {
            const oracle_cell cell = oracle_cell_of(type);
            double y[ORACLE_N], current[ORACLE_CURRENTS];
            oracle_sum expected[ORACLE_CURRENTS];
            random_state(y);
            oracle_currents(&cell, y, expected);
            mt_cell_torord.currents_of(
                &mt_cell_torord, mt_cell_torord.variants[type].parameters, y[ORACLE_V], y, current);
            double sum = 0, size = fabs(y[ORACLE_V]);
            const double before = y[ORACLE_V];
            for (size_t k = 0; k < ORACLE_CURRENTS; k++) {
                size_t at = 0;
                while (
                    at < ORACLE_CURRENTS && strcmp(mt_cell_torord.currents[at].name, oracle_current[k]) != 0)
                    at++;
                cr_assert_lt(at, (size_t)ORACLE_CURRENTS, "no current %s", oracle_current[k]);
                cr_assert(
                    fabs(current[at] - expected[k].value) <= rounding * DBL_EPSILON / 2 * expected[k].size,
                    "type %d, %s: %.17g, expected %.17g", type, oracle_current[k], current[at],
                    expected[k].value);
                sum += current[at], size += fabs(current[at]);
            }
            step_with(&mt_cell_torord.variants[type], 0.02, y, false);
            cr_assert(fabs(y[ORACLE_V] - (before - 0.02 * sum)) <= 32 * DBL_EPSILON * size, "type %d", type);
        }
}

/* I_Kr: fractions of channels for any time step; after a very long one those of detailed balance. A rate constant k enters with a
 * relative error of 1 / (k dt). */
Test(torord, channels_of_i_kr_remain_fractions_and_reach_equilibrium)
{
    for (double v = -100; v <= 60; v += 10)
        for (int power = -2; power <= 13; power++) {
            double y[ORACLE_N], rate[5][5];
            random_state(y);
            y[ORACLE_V] = v;
            step_with(&mt_cell_torord.variants[0], pow(10, power), y, false);
            const double *c = y + TORORD_C1, c0 = 1 - c[0] - c[1] - c[2] - c[3];
            for (int k = 0; k < 4; k++) cr_assert(c[k] >= 0 && c[k] <= 1, "%g mV: %g", v, c[k]);
            cr_assert_gt(c0, -8 * DBL_EPSILON);
            if (power < 13) continue;
            oracle_markov(v, rate);
            cr_expect_float_eq(c[1] * rate[2][1] / (c[0] * rate[1][2]), 1, 1e-4, "%g mV", v);
            cr_expect_float_eq(c[2] * rate[3][2] / (c[1] * rate[2][3]), 1, 1e-4, "%g mV", v);
            cr_expect_float_eq(c[3] * rate[4][3] / (c[2] * rate[3][4]), 1, 1e-4, "%g mV", v);
            cr_expect(fabs(c0 * rate[0][1] / (c[0] * rate[1][0]) - 1) < 1e-4 + 1e-15 / c0, "%g mV", v);
        }
}

/* ---- a beat at a cycle length of 1000 ms ---- */

/* Biomarkers of a beat, with the voltage and the calcium at its start as those at rest. */
typedef struct biomarkers {
    double rest_mV, peak_mV, rise_mV_ms, apd40_ms, apd50_ms, apd90_ms, calcium_mM, ctd50_ms, ctd90_ms;
} biomarkers;

/* Returns the time from the start of a rise until the values have fallen by `part` of it, or 0 if they do not. */
static double duration(const double *value, size_t n, double dt_ms, size_t start, double part)
{
    size_t top = 0;
    for (size_t k = 0; k < n; k++) top = value[k] > value[top] ? k : top;
    const double level = value[top] - part * (value[top] - value[0]);
    for (size_t k = top; k < n; k++)
        if (value[k] < level) return dt_ms * (double)(k - start);
    return 0;
}

enum { BEAT = 50000 };
static biomarkers beat_of(int type, double y[ORACLE_N])
{
    static double v[BEAT], calcium[BEAT];
    const double dt_ms = 0.02;
    biomarkers b = {0};
    size_t upstroke = 0, release = 0;
    for (size_t k = 0; k < BEAT; k++) {
        v[k] = y[ORACLE_V], calcium[k] = y[TORORD_CA_I];
        if (k > 0 && v[k] - v[k - 1] > b.rise_mV_ms * dt_ms)
            b.rise_mV_ms = (v[k] - v[k - 1]) / dt_ms, upstroke = k;
        if (release == 0 && calcium[k] > 1.1 * calcium[0]) release = k;
        b.peak_mV = fmax(b.peak_mV, v[k]), b.calcium_mM = fmax(b.calcium_mM, calcium[k]);
        if (k < 50) {
            y[ORACLE_V] += 53 * dt_ms;
            y[TORORD_K_I] += 53 * dt_ms * mt_cell_torord.carrier_per_mV;
        }
        step_with(&mt_cell_torord.variants[type], dt_ms, y, false);
    }
    b.rest_mV = v[0];
    b.apd40_ms = duration(v, BEAT, dt_ms, upstroke, 0.4),
    b.apd50_ms = duration(v, BEAT, dt_ms, upstroke, 0.5);
    b.apd90_ms = duration(v, BEAT, dt_ms, upstroke, 0.9);
    b.ctd50_ms = duration(calcium, BEAT, dt_ms, release, 0.5);
    b.ctd90_ms = duration(calcium, BEAT, dt_ms, release, 0.9);
    cr_log_info(
        "%s: rest %.2f mV, peak %.2f mV, %.0f mV/ms, APD40 %.1f, APD50 %.1f, APD90 %.1f ms, Ca %.3f uM, "
        "CTD50 %.1f, CTD90 %.1f ms",
        mt_cell_torord.variants[type].name, b.rest_mV, b.peak_mV, b.rise_mV_ms, b.apd40_ms, b.apd50_ms,
        b.apd90_ms, 1000 * b.calcium_mM, b.ctd50_ms, b.ctd90_ms);
    return b;
}

static void initial_state(int type, double y[ORACLE_N])
{
    memcpy(y, mt_cell_torord.variants[type].states, TORORD_STATES * sizeof *y);
    y[ORACLE_V] = mt_cell_torord.variants[type].v_mV;
}

/* The initial states are those of paced cells: a beat repeats them. Ions still drift by a part in 10,000 a beat. */
static void expect_repeated(int type, const double y[ORACLE_N])
{
    double start[ORACLE_N];
    initial_state(type, start);
    for (int k = 0; k < ORACLE_N; k++)
        cr_expect(fabs(y[k] - start[k]) < 0.002 * fabs(start[k]) + 1e-12, "%s, %s: %g, then %g",
            mt_cell_torord.variants[type].name, k == ORACLE_V ? "V" : mt_cell_torord.states[k].name, start[k],
            y[k]);
}

/* The ranges of human cells at 1 Hz by which the authors calibrate populations of the model (eLife 8, e48890). */
Test(torord, a_paced_beat_is_within_the_published_ranges_of_human_cells)
{
    double apd_ms[ORACLE_TYPES];
    for (int type = 0; type < ORACLE_TYPES; type++) {
        double y[ORACLE_N];
        initial_state(type, y);
        const biomarkers b = beat_of(type, y);
        expect_repeated(type, y);
        const struct {
            const char *name;
            double value, low, high;
        } row[] = {{"rest", b.rest_mV, -95, -80}, {"peak", b.peak_mV, 10, 55},
            {"dV/dt", b.rise_mV_ms, 100, 1000}, {"APD40", b.apd40_ms, 85, 320},
            {"APD50", b.apd50_ms, 110, 350}, {"APD90", b.apd90_ms, 180, 440},
            {"APD90 - APD40", b.apd90_ms - b.apd40_ms, 50, 150}, {"CTD50", b.ctd50_ms, 120, 420},
            {"CTD90", b.ctd90_ms, 220, 785}};
        for (size_t k = 0; k < sizeof row / sizeof *row; k++)
            cr_expect(row[k].value > row[k].low && row[k].value < row[k].high, "%s, %s: %g",
                mt_cell_torord.variants[type].name, row[k].name, row[k].value);
        apd_ms[type] = b.apd90_ms;
    }
    cr_expect(apd_ms[TORORD_EPI] < apd_ms[TORORD_ENDO] && apd_ms[TORORD_ENDO] < apd_ms[TORORD_MID]);
}
