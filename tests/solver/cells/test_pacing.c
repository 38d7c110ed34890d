#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/cells/pacing.h"

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(pacing, .fini = leave);

enum { STATES_MOST = 64 };

/* ---- pulses */

Test(pacing, each_cycle_has_one_pulse)
{
    const mt_pulses pulses = {10, 3, 2, 1.5, 52, false};
    mt_pulse_steps steps;
    cr_assert_eq(mt_pulses_in_steps(&pulses, 0.5, &steps), MT_OK, "%s", mt_message());
    for (size_t s = 0; s < 100; s++)
        cr_assert_eq(mt_pulse_is_on(&steps, s), s < 60 && s % 20 >= 4 && s % 20 < 7, "step %zu", s);
}

Test(pacing, an_infinite_cycle_length_has_one_pulse)
{
    const mt_pulses pulses = {INFINITY, 1, 7, 2, 52, false};
    mt_pulse_steps steps;
    cr_assert_eq(mt_pulses_in_steps(&pulses, 0.5, &steps), MT_OK, "%s", mt_message());
    for (size_t s = 0; s < 1000; s++) cr_assert_eq(mt_pulse_is_on(&steps, s), s >= 14 && s < 18);
}

Test(pacing, invalid_pulses_are_rejected)
{
    static const struct {
        mt_pulses pulses;
        const char *text;
    } wrong[] = {{{100, 1, -1, 1, 52, false}, "start -1, duration 1; allowed: at least 0"},
        {{100, 1, NAN, 1, 52, false}, "start nan"},
        {{100, 1, 1, -1, 52, false}, "start 1, duration -1; allowed: at least 0"},
        {{100, 1, 99.5, 1, 52, false}, "start 99.5, duration 1: ends after the cycle of 100 ms"},
        {{0.01, 1, 0, 0, 52, false}, "bcl 0.01 ms; allowed: at least one step, 0.02 ms"},
        {{NAN, 1, 0, 0, 52, false}, "bcl nan ms"},
        {{INFINITY, 1, 1e8, 1, 52, false}, "ends after 5e+09 steps of 0.02 ms; allowed: at most 1e+09"},
        {{1000, 1000000, 0, 1, 52, false}, "1000000 beats, bcl 1000 ms: 5e+10 steps of 0.02 ms; allowed"}};
    mt_pulse_steps steps;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        cr_assert_eq(mt_pulses_in_steps(&wrong[k].pulses, 0.02, &steps), MT_INPUT, "%s", wrong[k].text);
        cr_assert(strstr(mt_message(), wrong[k].text), "%s: %s", wrong[k].text, mt_message());
    }
}

/* ---- cells */

typedef struct point {
    double v_mV, states[STATES_MOST];
} point;

static point rest_of(const mt_cell_model *model, const mt_cell_variant *variant)
{
    point p = {.v_mV = variant->v_mV};
    memcpy(p.states, variant->states, model->n_states * sizeof *p.states);
    return p;
}

/* Paces by a plain loop over time steps that adds each pulse separately. */
static point one_by_one(
    const mt_cell_model *model, const mt_cell_variant *variant, size_t beats, size_t cycle)
{
    point p = rest_of(model, variant);
    double constants[MT_CELL_CONSTANTS];
    mt_cell_constants_double(model, variant, 1, constants);
    for (size_t s = 0; s < beats * cycle; s++) {
        for (size_t beat = 0; beat < beats; beat++)
            if (s >= beat * cycle + 50 && s < beat * cycle + 100) p.v_mV += 0.02 * 52;
        model->kernel_double[MT_ISA_BASE](model, constants, 1, NULL, 0.02, 1, p.states, &p.v_mV, &p.v_mV);
    }
    return p;
}

Test(pacing, pacing_equals_single_pulses_one_after_another)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (size_t v = 0; v < (*m)->n_variants; v++) {
            const mt_cell_variant *variant = &(*m)->variants[v];
            const point expected = one_by_one(*m, variant, 3, 4000);
            point p = rest_of(*m, variant);
            const mt_pulses pulses = {80, 3, 1, 1, 52, false};
            cr_assert_eq(mt_cell_pace(*m, variant, 0.02, &pulses, NULL, NULL, &p.v_mV, p.states), MT_OK, "%s",
                mt_message());
            cr_assert(memcmp(&p, &expected, sizeof p) == 0, "%s %s", (*m)->name, variant->name);
        }
}

/* Parameters that belong to no variant. */
Test(pacing, pacing_accepts_parameters_of_no_predefined_cell_type)
{
    const mt_cell_model *m = mt_cell_models[0];
    double parameters[STATES_MOST];
    mt_cell_variant other = m->variants[0];
    memcpy(parameters, other.parameters, m->n_parameters * sizeof *parameters);
    parameters[0] *= 0.5, other.parameters = parameters;
    const mt_pulses pulses = {80, 2, 1, 1, 52, false};
    point p = rest_of(m, &other), usual = p;
    const point expected = one_by_one(m, &other, 2, 4000);
    cr_assert_eq(mt_cell_pace(m, &other, 0.02, &pulses, NULL, NULL, &p.v_mV, p.states), MT_OK);
    cr_assert_eq(mt_cell_pace(m, m->variants, 0.02, &pulses, NULL, NULL, &usual.v_mV, usual.states), MT_OK);
    cr_assert(memcmp(&p, &expected, sizeof p) == 0 && memcmp(&p, &usual, sizeof p) != 0);
}

static bool until_two(void *user, size_t beats)
{
    cr_assert_eq(beats, ++*(size_t *)user);
    return beats < 2;
}

Test(pacing, interrupted_or_failed_pacing_leaves_the_state_unchanged)
{
    const mt_cell_model *m = mt_cell_models[0];
    const point start = rest_of(m, m->variants);
    point p = start;
    size_t asked = 0;
    mt_pulses pulses = {20, 5, 1, 1, 52, false};
    cr_assert_eq(
        mt_cell_pace(m, m->variants, 0.02, &pulses, until_two, &asked, &p.v_mV, p.states), MT_STOPPED);
    cr_assert(asked == 2 && memcmp(&p, &start, sizeof p) == 0);
    pulses.rise_mV_ms = 1e4;
    cr_assert_eq(mt_cell_pace(m, m->variants, 0.02, &pulses, NULL, NULL, &p.v_mV, p.states), MT_NUMERICS);
    cr_assert(strstr(mt_message(), "pacing, beat 1: V is 3"), "%s", mt_message());
    cr_assert(memcmp(&p, &start, sizeof p) == 0);
    pulses = (mt_pulses){INFINITY, 1, 1, 1, 52, false};
    cr_assert_eq(mt_cell_pace(m, m->variants, 0.02, &pulses, NULL, NULL, &p.v_mV, p.states), MT_INPUT);
}

/* Must equal the kernel in single precision. A V outside the plausible range is reported. */
Test(pacing, in_single_precision_a_single_cell_equals_the_kernel)
{
    const mt_cell_model *m = mt_cell_models[0];
    const mt_cell_variant *variant = &m->variants[1];
    mt_lone_cell cell;
    float v = (float)variant->v_mV, state[STATES_MOST];
    for (size_t k = 0; k < m->n_states; k++) state[k] = (float)variant->states[k];
    cr_assert_eq(
        mt_lone_cell_make(&arena, m, variant, 0.02, true, variant->v_mV, variant->states, &cell), MT_OK);
    for (size_t s = 0; s < 5000; s++) {
        if (s < 50) v += (float)(0.02 * 52);
        mt_cell_step_float(m, 1, NULL, 0.02, 1, state, &v, &v);
        cr_assert_eq(mt_lone_cell_step(&cell, s < 50 ? 52 : 0), MT_OK);
        cr_assert_eq((float)cell.v_mV, v, "step %zu", s);
    }
    const double *states = mt_lone_cell_states(&cell);
    for (size_t k = 0; k < m->n_states; k++)
        cr_assert(states[k] == (double)state[k] && mt_lone_cell_state(&cell, k) == states[k]);
    cr_assert_eq(mt_lone_cell_step(&cell, NAN), MT_NUMERICS);
    cr_assert_str_eq(mt_message(), "V is not a number; it must stay within -200 .. 200 mV");
}

/* Returns the charge of the ions in a tp06 cell that V does not account for, in mV: constant if only ions move. It includes free and
 * buffered calcium; volumes in nl, capacitance in uF, concentrations in mM. */
static double charge_mV(const point *p)
{
    enum { CA_I = 12, CA_SR = 14, CA_SS = 15, NA_I = 16, K_I = 17 };
    const double cm = 0.185, faraday = 96485.3415, vc = 0.016404, vsr = 0.001094, vss = 5.468e-5,
                 ca_i = p->states[CA_I] * (1 + 0.2 / (p->states[CA_I] + 0.001)),
                 ca_sr = p->states[CA_SR] * (1 + 10 / (p->states[CA_SR] + 0.3)),
                 ca_ss = p->states[CA_SS] * (1 + 0.4 / (p->states[CA_SS] + 2.5e-4)),
                 ions =
                     vc * (p->states[NA_I] + p->states[K_I] + 2 * ca_i) + 2 * vsr * ca_sr + 2 * vss * ca_ss;
    return p->v_mV - ions * faraday / cm;
}

/* Three beats of a stimulus of 52 mV. If potassium carries it, the charge is conserved within the error of forward Euler in the buffers;
 * otherwise V rises by it without ions. */
Test(pacing, a_stimulus_carried_by_potassium_conserves_charge)
{
    const mt_cell_model *m = mt_cell_models[0];
    for (int carried = 0; carried <= 1; carried++) {
        const mt_pulses pulses = {500, 3, 1, 1, 52, carried};
        point p = rest_of(m, m->variants);
        const double before = charge_mV(&p);
        cr_assert_str_eq(m->name, "tp06");
        cr_assert_eq(mt_cell_pace(m, m->variants, 0.01, &pulses, NULL, NULL, &p.v_mV, p.states), MT_OK);
        cr_expect_float_eq(charge_mV(&p) - before, carried ? 0 : 3 * 52, 2, "%g", charge_mV(&p) - before);
    }
}
