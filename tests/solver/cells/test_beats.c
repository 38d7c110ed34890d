/* The summary of beats, compared with a plain search through all steps of the same run, and for curves with known results. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "solver/cells/beats.h"
#include "solver/cells/pacing.h"

enum { STEPS_MAX = 200000 };

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(beats, .fini = leave);

/* ---- a slow search */

/* V after each step; v[0] is before the first step. */
typedef struct curve {
    size_t n; /* steps */
    double dt_ms, v[STEPS_MAX + 1], ca[STEPS_MAX + 1];
} curve;

/* Returns the time of the first step between `from` and `to` in which V crosses the level in this direction, or NaN. */
static double passage_ms(const curve *c, size_t from, size_t to, double level, bool up)
{
    for (size_t s = from; s < to; s++)
        if (up ? c->v[s] < level && c->v[s + 1] >= level : c->v[s] > level && c->v[s + 1] <= level)
            return c->dt_ms * ((double)s + (level - c->v[s]) / (c->v[s + 1] - c->v[s]));
    return NAN;
}

static size_t extreme(const curve *c, size_t from, size_t to, bool highest)
{
    size_t best = from;
    for (size_t s = from; s <= to; s++)
        if (highest ? c->v[s] > c->v[best] : c->v[s] < c->v[best]) best = s;
    return best;
}

static void expect_near(double found, double expected, const char *what, size_t beat)
{
    cr_assert(fabs(found - expected) <= 1e-9 * fabs(expected) || (isnan(found) && isnan(expected)),
        "beat %zu: %s is %.12g, expected %.12g", beat, what, found, expected);
}

/* Compares all beats of a curve. Each must have an action potential that ends before the next one. */
static void expect_found(const curve *c, const mt_beats *b)
{
    static const double part[MT_APDS] = {0.9, 0.5, 0.3};
    size_t peak = 0;
    double end_ms = NAN, apd90 = NAN;
    for (size_t k = 0; k < b->n; k++) {
        const size_t from = k * b->cycle, to = k + 1 < b->n ? from + b->cycle : c->n;
        const double up_ms = passage_ms(c, from, to, 0, true);
        const size_t up = (size_t)(up_ms / c->dt_ms);
        const double rest = c->v[extreme(c, peak, up, false)];
        peak = extreme(c, up, to, true);
        expect_near(b->beat[k].upstroke_ms, up_ms, "upstroke", k);
        expect_near(b->beat[k].rest_mV, rest, "rest", k);
        expect_near(b->beat[k].peak_mV, c->v[peak], "peak", k);
        for (int a = 0; a < MT_APDS; a++)
            expect_near(b->beat[k].apd_ms[a],
                passage_ms(c, peak, c->n, c->v[peak] - part[a] * (c->v[peak] - rest), false) - up_ms, "APD",
                k);
        double dvdt = -INFINITY, low = c->ca[from + (k > 0)], high = low;
        for (size_t s = from; s < to; s++) dvdt = fmax(dvdt, (c->v[s + 1] - c->v[s]) / c->dt_ms);
        for (size_t s = from + (k > 0); s <= to; s++) low = fmin(low, c->ca[s]), high = fmax(high, c->ca[s]);
        expect_near(b->beat[k].dvdt_mV_ms, dvdt, "dV/dt", k);
        expect_near(b->beat[k].calcium_low_mM, low, "low calcium", k);
        expect_near(b->beat[k].calcium_high_mM, high, "high calcium", k);
        expect_near(b->beat[k].interval_ms, up_ms - end_ms, "interval", k);
        expect_near(mt_beat_change_ms(b, k), b->beat[k].apd_ms[MT_APD90] - apd90, "change", k);
        apd90 = b->beat[k].apd_ms[MT_APD90], end_ms = up_ms + apd90;
    }
}

static mt_beats beats_of(const curve *c, size_t n, size_t cycle)
{
    mt_beats b;
    cr_assert_eq(mt_beats_begin(&arena, n, cycle, c->dt_ms, c->v[0], c->ca[0], &b), MT_OK);
    for (size_t s = 1; s <= c->n; s++) mt_beats_add(&b, c->v[s], c->ca[s]);
    mt_beats_end(&b);
    return b;
}

/* ---- cells */

static void pace(const mt_cell_model *model, size_t variant, double bcl_ms, size_t n, curve *c)
{
    const mt_cell_variant *of = &model->variants[variant];
    const mt_pulses pulses = {bcl_ms, n, 5, 1, 52, false};
    const size_t calcium = model->n_states > 12 ? 12 : 0; /* any state serves */
    mt_pulse_steps steps;
    mt_lone_cell cell;
    c->dt_ms = 0.02;
    cr_assert_eq(mt_pulses_in_steps(&pulses, c->dt_ms, &steps), MT_OK);
    cr_assert_eq(mt_lone_cell_make(&arena, model, of, c->dt_ms, false, of->v_mV, of->states, &cell), MT_OK);
    c->n = n * steps.cycle;
    cr_assert_leq(c->n, (size_t)STEPS_MAX);
    c->v[0] = cell.v_mV, c->ca[0] = cell.state[calcium];
    for (size_t s = 0; s < c->n; s++) {
        cr_assert_eq(mt_lone_cell_step(&cell, mt_pulse_is_on(&steps, s) ? 52 : 0), MT_OK);
        c->v[s + 1] = cell.v_mV, c->ca[s + 1] = cell.state[calcium];
    }
}

Test(beats, beats_of_every_model_agree_with_a_search_of_all_steps)
{
    curve *c = malloc(sizeof *c);
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (size_t v = 0; v < (*m)->n_variants; v++) {
            pace(*m, v, 600, 4, c);
            const mt_beats b = beats_of(c, 4, c->n / 4);
            cr_assert(b.beat[3].apd_ms[MT_APD90] > 150 && b.beat[3].apd_ms[MT_APD90] < 500, "%s", (*m)->name);
            expect_found(c, &b);
        }
    free(c);
}

/* Cycles of 280 ms, with a pulse only in the first: its action potential ends in the second. */
Test(beats, an_action_potential_can_extend_into_the_next_cycle)
{
    curve *c = malloc(sizeof *c);
    pace(mt_cell_models[0], 0, 1000, 1, c);
    const double whole_ms = beats_of(c, 1, c->n).beat[0].apd_ms[MT_APD90];
    const mt_beats cut = beats_of(c, 3, 14000);
    cr_assert(whole_ms > 280 && cut.beat[0].apd_ms[MT_APD90] == whole_ms, "%g ms", whole_ms);
    for (size_t k = 1; k < 3; k++) {
        const mt_beat *b = &cut.beat[k];
        cr_assert(isnan(b->upstroke_ms) && isnan(b->rest_mV) && isnan(b->peak_mV) && isnan(b->dvdt_mV_ms) &&
                  isnan(b->apd_ms[MT_APD90]) && isnan(b->interval_ms));
        cr_assert(isnan(mt_beat_change_ms(&cut, k)));
    }
    free(c);
}

/* ---- known curves */

/* V at whole milliseconds, linear in between. */
static mt_beats of_points(size_t n_points, const double *v, size_t n, size_t cycle_ms)
{
    enum { STEPS = 4 }; /* of 0.25 ms */
    mt_beats b;
    cr_assert_eq(mt_beats_begin(&arena, n, cycle_ms * STEPS, 1.0 / STEPS, v[0], NAN, &b), MT_OK);
    for (size_t p = 1; p < n_points; p++)
        for (int s = 1; s <= STEPS; s++) mt_beats_add(&b, v[p - 1] + (v[p] - v[p - 1]) * s / STEPS, NAN);
    mt_beats_end(&b);
    return b;
}

/* A dome above the spike is the peak. From 20 to -80 mV: 90 % at -70, 50 % at -30, 30 % at -10. */
Test(beats, durations_of_piecewise_linear_action_potentials_are_exact)
{
    const double v[] = {-80, -80, 10, -5, 20, 0, -40, -80, -80, -80};
    const mt_beats b = of_points(sizeof v / sizeof *v, v, 1, 100);
    const mt_beat *x = b.beat;
    cr_assert_float_eq(x->upstroke_ms, 1 + 8.0 / 9, 1e-12);
    cr_assert(x->peak_mV == 20 && x->rest_mV == -80 && x->dvdt_mV_ms == 90);
    cr_assert_float_eq(x->apd_ms[MT_APD90], 6.75 - x->upstroke_ms, 1e-12);
    cr_assert_float_eq(x->apd_ms[MT_APD50], 5.75 - x->upstroke_ms, 1e-12);
    cr_assert_float_eq(x->apd_ms[MT_APD30], 5.25 - x->upstroke_ms, 1e-12);
    cr_assert(isnan(x->interval_ms) && isnan(x->calcium_low_mM));
}

/* The second pulse occurs before 50 % repolarisation and lengthens the first action potential. The third occurs between 50 % and 90 %:
 * it is a separate beat, and the first has no APD90. */
Test(beats, an_upstroke_before_50_percent_repolarisation_is_no_separate_beat)
{
    const double early[] = {-80, 20, -20, 20, -80, -80}, late[] = {-80, 20, -60, 20, -80, -80};
    mt_beats b = of_points(6, early, 2, 2);
    cr_assert(isnan(b.beat[1].upstroke_ms) && isnan(b.beat[1].peak_mV));
    cr_assert_float_eq(b.beat[0].apd_ms[MT_APD90], 3.9 - 0.8, 1e-12);
    b = of_points(6, late, 2, 2);
    cr_assert_float_eq(b.beat[1].upstroke_ms, 2.75, 1e-12);
    cr_assert(isnan(b.beat[0].apd_ms[MT_APD90]) && !isnan(b.beat[0].apd_ms[MT_APD50]));
    cr_assert(isnan(b.beat[1].interval_ms) && b.beat[1].rest_mV == -60);
}

/* Cycles of 6 ms, with two action potentials in the first: its beat is the first of them. The beat of the second cycle follows the other,
 * which fell to -68 mV, 90 % of the way from 40, at 6.88 ms. */
Test(beats, further_action_potentials_of_a_cycle_are_counted)
{
    const double v[] = {-80, 20, -80, -80, 20, 40, 20, -80, -80, 20, -80, -80};
    const mt_beats b = of_points(sizeof v / sizeof *v, v, 2, 6);
    cr_assert_eq(b.n_further, (size_t)1);
    cr_assert_float_eq(b.further_ms, 3, 1e-12);
    cr_assert(b.beat[0].peak_mV == 20 && b.beat[1].rest_mV == -80);
    cr_assert_float_eq(b.beat[0].apd_ms[MT_APD90], 1.9 - 0.8, 1e-12);
    cr_assert_float_eq(b.beat[1].upstroke_ms, 8.8, 1e-12);
    cr_assert_float_eq(b.beat[1].interval_ms, 8.8 - 6.88, 1e-12);
}

/* A notch of more than half of the way before the dome, as in cells with a large transient outward current. */
Test(beats, a_dome_after_a_deep_notch_is_no_further_action_potential)
{
    const double v[] = {-80, 40, -30, 20, 10, -80, -80};
    const mt_beats b = of_points(sizeof v / sizeof *v, v, 1, 100);
    cr_assert_eq(b.n_further, (size_t)0);
    cr_assert_eq(b.beat[0].peak_mV, 40);
}
