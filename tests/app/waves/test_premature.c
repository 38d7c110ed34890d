/* Premature waves of the Mitchell-Schaeffer model. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "app/waves/premature.h"
#include "solver/backends/backend.h"
#include "solver/cells/parameters.h"

#include <omp.h>

static mt_arena arena;

static void enter(void) { omp_set_num_threads(1); }
static void leave(void) { mt_arena_free(&arena); }

TestSuite(premature, .init = enter, .fini = leave);

static mt_wave_medium medium_of(double dt_ms)
{
    mt_wave_medium m = {.scheme = mt_diffusion_scheme_default,
        .tissue = mt_tissue_default,
        .dt_ms = dt_ms,
        .splitting = MT_SPLITTING_COMPENSATED};
    cr_assert_eq(mt_cell_model_find("mitchell-schaeffer", &m.model), MT_OK);
    m.scheme.front_ms = m.model->front_ms;
    return m;
}

/* ---- one run with both stimuli ---- */

/* The same numbers by another method: one run with both stimuli, with both beats separated by the record. */
typedef struct both {
    const mt_strand *strand;
    mt_records *beats;
    double interval_ms;
} both;

static void run_both(const mt_premature *what, double end_ms, both *b)
{
    const mt_wave_medium *m = what->medium;
    mt_stimulus stimulus;
    void *self;
    const size_t at = (size_t)llround(b->interval_ms / m->dt_ms), beat[] = {0, at};
    cr_assert_eq(mt_plane_wave_stimulus(&arena, b->strand->diffusion.n_unknowns, b->strand->place_mm,
                     b->strand->stimulated_mm, &stimulus),
        MT_OK);
    stimulus.period_ms = b->interval_ms, stimulus.repeats = 1;
    mt_monodomain problem = mt_wave_medium_problem(m, &b->strand->diffusion, &stimulus);
    problem.variants = what->cells, problem.n_variants = 1;
    problem.record = (mt_record){
        .all = true, .fraction = 0.9, .stored = 1U << MT_RECORDED_REPOLARISATION, .n_beats = 2, .beat = beat};
    mt_results results = {0};
    cr_assert_eq(
        mt_records_new(&arena, &problem.record, b->strand->diffusion.n_unknowns, &results.beats), MT_OK);
    cr_assert_eq(mt_backend_cpu.open(&arena, &problem, NULL, &self), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_backend_run(&problem, &mt_backend_cpu, self, 0, (size_t)llround(end_ms / m->dt_ms),
                     &results, NULL, NULL),
        MT_OK, "%s", mt_message());
    b->beats = results.beats;
}

static bool is_measured(const both *b, size_t e)
{
    return b->strand->place_mm[e] >= b->strand->from_mm && b->strand->place_mm[e] <= b->strand->to_mm;
}

/* Checks the median over the measured elements of the interval between two times, by counting the elements below and above it. */
static void expect_median(const both *b, const double *from_ms, const double *to_ms, double median)
{
    size_t below = 0, above = 0, n = 0;
    for (size_t e = 0; e < b->strand->diffusion.n_unknowns; e++) {
        if (!is_measured(b, e)) continue;
        const double value = to_ms[e] - from_ms[e];
        n++, below += value<median - 1e-7, above += value> median + 1e-7;
    }
    cr_expect(n > 100 && 2 * below <= n && 2 * above <= n, "%g: %zu below, %zu above of %zu", median, below,
        above, n);
}

/* Returns the velocity by linear regression from sums. */
static double speed_of(const both *b)
{
    const double *t = b->beats[1].activation_ms, *x = b->strand->place_mm;
    double n = 0, sx = 0, st = 0, sxx = 0, sxt = 0;
    for (size_t e = 0; e < b->strand->diffusion.n_unknowns; e++)
        if (is_measured(b, e)) n++, sx += x[e], st += t[e], sxx += x[e] * x[e], sxt += x[e] * t[e];
    return (n * sxx - sx * sx) / (n * sxt - sx * st);
}

static void expect_both(const mt_premature *what, size_t n, mt_premature_wave *s2, double end_ms)
{
    mt_premature_wave s1;
    cr_assert_eq(mt_premature_measure(what, &s1, n, s2), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < n; k++) {
        both b = {.strand = what->strand, .interval_ms = s2[k].interval_ms};
        run_both(what, end_ms, &b);
        cr_expect_float_eq(
            s2[k].speed_mm_ms, speed_of(&b), 1e-9, "%g: %g", s2[k].interval_ms, s2[k].speed_mm_ms);
        expect_median(&b, b.beats[0].recorded[MT_RECORDED_REPOLARISATION], b.beats[1].activation_ms,
            s2[k].diastolic_interval_ms);
        expect_median(
            &b, b.beats[1].activation_ms, b.beats[1].recorded[MT_RECORDED_REPOLARISATION], s2[k].apd90_ms);
        expect_median(
            &b, b.beats[0].activation_ms, b.beats[0].recorded[MT_RECORDED_REPOLARISATION], s1.apd90_ms);
    }
}

Test(premature, s2_beats_equal_those_of_a_run_with_both_stimuli)
{
    const mt_wave_medium m = medium_of(0.1);
    mt_strand strand;
    mt_premature_wave s2[] = {{.interval_ms = 400}, {.interval_ms = 320}};
    cr_assert_eq(mt_strand_of_points(&arena, &m, 1, &strand), MT_OK);
    expect_both(&(mt_premature){&strand, &m, m.model->variants, 1000}, 2, s2, 750);
}

/* Action potentials of 129 ms in cells that recover fast: S1 has ended after 162 ms at the far end of the section. */
Test(premature, s2_can_start_before_s1_has_ended)
{
    static const mt_yaml_override fast[] = {{"test", "tau_open=15"}, {"test", "tau_close=60"}};
    const mt_cell_request asked = {.sets = fast, .n_sets = 2};
    const mt_wave_medium m = medium_of(0.1);
    mt_cell_variant cells;
    mt_strand strand;
    mt_premature_wave s2[] = {{.interval_ms = 170}, {.interval_ms = 150}, {.interval_ms = 145}};
    cr_assert_eq(mt_cell_variant_change(&arena, m.model, m.model->variants, &asked, &cells), MT_OK, "%s",
        mt_message());
    cr_assert_eq(mt_strand_of_points(&arena, &m, 0, &strand), MT_OK);
    expect_both(&(mt_premature){&strand, &m, &cells, 300}, 3, s2, 350);
}

/* The gate of this model opens with a time constant of 120 ms: after 2,200 ms of rest it is open to 1e-8. */
Test(premature, after_a_long_interval_s2_equals_s1)
{
    const mt_wave_medium m = medium_of(0.1);
    mt_strand strand;
    mt_premature_wave s1, s2 = {.interval_ms = 2500};
    const mt_premature what = {&strand, &m, m.model->variants, 1000};
    cr_assert_eq(mt_strand_of_points(&arena, &m, 0, &strand), MT_OK);
    cr_assert_eq(mt_premature_measure(&what, &s1, 1, &s2), MT_OK, "%s", mt_message());
    cr_expect_float_eq(s2.speed_mm_ms, s1.speed_mm_ms, 1e-7, "%g, %g", s2.speed_mm_ms, s1.speed_mm_ms);
    cr_expect_float_eq(s2.apd90_ms, s1.apd90_ms, 1e-4, "%g, %g", s2.apd90_ms, s1.apd90_ms);
    cr_expect_float_eq(s2.diastolic_interval_ms, 2500 - s1.apd90_ms, 0.02, "%g", s2.diastolic_interval_ms);
}

/* An S2 that would start before S1 has passed is not computed. */
Test(premature, s1_equals_the_plane_wave)
{
    const mt_slab_kind kind = {.family = MT_FAMILY_KUHN, .edge_mm = 1};
    const mt_wave_medium m = medium_of(0.1);
    mt_arena slab_arena = {0};
    mt_wave_slab slab;
    mt_strand strand;
    mt_plane_wave plane;
    mt_premature_wave s1, s2 = {.interval_ms = 5};
    const mt_premature what = {&strand, &m, m.model->variants, 1000};
    cr_assert_eq(mt_wave_slab_make(&slab_arena, &kind, 0, 0.3, mt_strand_length_scale(&m, 0), &slab), MT_OK,
        "%s", mt_message());
    cr_assert_eq(mt_strand_of_slab(&arena, &slab, &m, &strand), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_plane_wave_measure(&slab, &m, &plane), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_premature_measure(&what, &s1, 1, &s2), MT_OK, "%s", mt_message());
    cr_expect_float_eq(s1.speed_mm_ms, plane.speed_mm_ms, 1e-12, "%g, %g", s1.speed_mm_ms, plane.speed_mm_ms);
    cr_expect(isnan(s2.speed_mm_ms) && isnan(s2.diastolic_interval_ms) && isnan(s2.apd90_ms));
    mt_arena_free(&slab_arena);
}

/* Fails if S1 does not pass the section: if cells never recover, or are not excited. */
Test(premature, without_s1_there_is_no_s2)
{
    mt_wave_medium m = medium_of(0.1);
    mt_strand strand;
    mt_premature_wave s1, s2 = {.interval_ms = 100};
    double closed = 0;
    mt_cell_variant cells = m.model->variants[0];
    cells.states = &closed;
    const mt_premature what = {&strand, &m, &cells, 200};
    cr_assert_eq(mt_strand_of_points(&arena, &m, 0, &strand), MT_OK);
    cr_assert_eq(mt_premature_measure(&what, &s1, 1, &s2), MT_NUMERICS);
    cr_expect_str_eq(mt_message(), "S1 does not propagate through the tissue");
}

Test(premature, action_potentials_that_do_not_end_in_time_are_reported)
{
    mt_wave_medium m = medium_of(0.1);
    mt_strand strand;
    mt_premature_wave s1, s2 = {.interval_ms = 10};
    const mt_premature what = {&strand, &m, m.model->variants, 200};
    cr_assert_eq(mt_strand_of_points(&arena, &m, 0, &strand), MT_OK);
    cr_assert_eq(mt_premature_measure(&what, &s1, 1, &s2), MT_NUMERICS);
    cr_expect_str_eq(mt_message(), "the action potentials of S1 have not ended after 210 ms");
}
