/* Restitution compared with complete runs in which all pulses are specified from the start. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "solver/cells/restitution.h"

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(restitution, .fini = leave);

enum { STATES_MOST = 64 };

static const double dt_ms = 0.02;

typedef struct point {
    double v_mV, states[STATES_MOST];
} point;

static point rest_of(const mt_cell_model *model)
{
    point p = {.v_mV = model->variants[0].v_mV};
    memcpy(p.states, model->variants[0].states, model->n_states * sizeof *p.states);
    return p;
}

/* Returns all beats of a run from rest with pulses at these steps. */
static mt_beats whole_run(
    const mt_cell_model *model, size_t n_steps, size_t cycle, size_t n, const size_t *on)
{
    const mt_cell_variant *variant = model->variants;
    mt_lone_cell cell;
    mt_beats beats;
    cr_assert_eq(
        mt_lone_cell_make(&arena, model, variant, dt_ms, false, variant->v_mV, variant->states, &cell),
        MT_OK);
    cr_assert_eq(mt_beats_begin(&arena, n, cycle, dt_ms, cell.v_mV, NAN, &beats), MT_OK);
    for (size_t s = 0; s < n_steps; s++) {
        double rise_mV_ms = 0;
        for (size_t k = 0; k < n; k++)
            if (s >= on[k] && s < on[k] + 50) rise_mV_ms = 52;
        cr_assert_eq(mt_lone_cell_step(&cell, rise_mV_ms), MT_OK);
        mt_beats_add(&beats, cell.v_mV, NAN);
    }
    mt_beats_end(&beats);
    return beats;
}

/* Allowed difference of intervals: a cell that beats spontaneously has no steady resting potential (solver/cells/restitution.h). */
static double of_interval_ms(const mt_cell_model *model) { return model->rhythm_ms > 0 ? 5 : 1e-9; }

/* Two S1 at 600 ms and S2 400 ms after the second. Times differ by the first cycle, durations only by its rounding error. */
Test(restitution, a_premature_beat_equals_that_of_a_complete_run)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++) {
        const mt_pulses s1 = {600, 2, 1, 1, 52, false}, before = {600, 1, 1, 1, 52, false};
        const size_t on[] = {50, 30050, 50050};
        const mt_beat expected = whole_run(*m, 80000, 25000, 3, on).beat[2];
        point p = rest_of(*m);
        mt_beat found;
        cr_assert_eq(mt_cell_pace(*m, (*m)->variants, dt_ms, &before, NULL, NULL, &p.v_mV, p.states), MT_OK);
        const point paced = p;
        cr_assert_eq(mt_restitution_premature(*m, (*m)->variants, dt_ms, &s1, 400, p.v_mV, p.states, &found),
            MT_OK, "%s", mt_message());
        cr_assert(memcmp(&p, &paced, sizeof p) == 0, "the state is only read");
        cr_assert(mt_restitution_is_point(&found));
        cr_expect_float_eq(found.apd_ms[MT_APD90], expected.apd_ms[MT_APD90], 1e-9, "%s", (*m)->name);
        cr_expect_float_eq(found.interval_ms, expected.interval_ms, of_interval_ms(*m), "%s", (*m)->name);
        cr_expect_float_eq(found.upstroke_ms, expected.upstroke_ms - 600, 1e-9, "%s", (*m)->name);
        cr_expect(found.peak_mV == expected.peak_mV && found.rest_mV == expected.rest_mV);
    }
}

Test(restitution, a_pulse_during_excitation_adds_no_restitution_point)
{
    const mt_cell_model *m = mt_cell_models[0];
    const mt_pulses s1 = {1000, 1, 1, 1, 52, false};
    const point p = rest_of(m);
    mt_beat beat;
    for (double interval_ms = 50; interval_ms < 290; interval_ms += 40) {
        cr_assert_eq(
            mt_restitution_premature(m, m->variants, dt_ms, &s1, interval_ms, p.v_mV, p.states, &beat),
            MT_OK);
        cr_assert_not(mt_restitution_is_point(&beat), "%g ms", interval_ms);
    }
    cr_assert_eq(
        mt_restitution_premature(m, m->variants, dt_ms, &s1, 1.5, p.v_mV, p.states, &beat), MT_INPUT);
}

/* Compares the second and third to last beats, and the final state. */
Test(restitution, paced_beats_equal_those_of_a_complete_run)
{
    enum { BEATS = 6 };
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++) {
        const mt_pulses pulses = {400, BEATS, 1, 1, 52, false};
        size_t on[BEATS];
        for (size_t k = 0; k < BEATS; k++) on[k] = 50 + k * 20000;
        const mt_beats all = whole_run(*m, BEATS * 20000, 20000, BEATS, on);
        point p = rest_of(*m), end = p;
        mt_beat found[2];
        cr_assert_eq(
            mt_cell_pace(*m, (*m)->variants, dt_ms, &pulses, NULL, NULL, &end.v_mV, end.states), MT_OK);
        cr_assert_eq(
            mt_restitution_paced(*m, (*m)->variants, dt_ms, &pulses, &p.v_mV, p.states, found), MT_OK);
        cr_assert(memcmp(&p, &end, sizeof p) == 0, "%s", (*m)->name);
        for (size_t k = 0; k < 2; k++) {
            const mt_beat *expected = &all.beat[BEATS - 3 + k];
            cr_expect_float_eq(found[k].apd_ms[MT_APD90], expected->apd_ms[MT_APD90], 1e-9);
            cr_expect_float_eq(found[k].interval_ms, expected->interval_ms, of_interval_ms(*m));
            cr_expect_eq(found[k].rest_mV, expected->rest_mV);
        }
    }
}

/* The model's paper: APD = tau_close ln(h(DI) / h_min), h(DI) = 1 - (1 - h_min) exp(-DI / tau_open), h_min = 4 tau_in / tau_out, in
 * leading order in tau_in / tau_out (0.05 here) and without the descent after the plateau, which does not depend on DI. So differences
 * of APD agree within a few hundredths. */
Test(restitution, mitchell_schaeffer_restitution_matches_the_closed_form)
{
    const mt_cell_model *m;
    const mt_pulses s1 = {1000, 1, 1, 1, 52, false};
    double apd_ms[2], closed_ms[2];
    cr_assert_eq(mt_cell_model_find("mitchell-schaeffer", &m), MT_OK);
    const point p = rest_of(m);
    for (int k = 0; k < 2; k++) {
        mt_beat beat;
        cr_assert_eq(
            mt_restitution_premature(m, m->variants, dt_ms, &s1, k == 0 ? 700 : 400, p.v_mV, p.states, &beat),
            MT_OK);
        apd_ms[k] = beat.apd_ms[MT_APD90];
        closed_ms[k] = 150 * log((1 - 0.8 * exp(-beat.interval_ms / 120)) / 0.2);
    }
    cr_log_info("%g of %g ms", apd_ms[0] - apd_ms[1], closed_ms[0] - closed_ms[1]);
    cr_expect_float_eq((apd_ms[0] - apd_ms[1]) / (closed_ms[0] - closed_ms[1]), 1, 0.1);
}

Test(restitution, too_few_beats_are_rejected)
{
    const mt_cell_model *m = mt_cell_models[0];
    const mt_pulses pulses = {400, 3, 1, 1, 52, false};
    point p = rest_of(m);
    mt_beat found[2];
    cr_assert_eq(mt_restitution_paced(m, m->variants, dt_ms, &pulses, &p.v_mV, p.states, found), MT_INPUT);
    cr_assert_str_eq(mt_message(), "3 beats per cycle length; allowed: at least 4");
}
