/* The times at which the stimuli of a case act. */
#include <criterion/criterion.h>

#include "solver/case/stimulated.h"

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(stimulated, .fini = leave);

/* Returns the spans of stimuli in a case of 100 ms with steps of 0.1 ms. */
static size_t spans_of(size_t n, mt_case_stimulus *stimulus, mt_span **span)
{
    size_t n_spans;
    const mt_case c = {.time = {.dt_ms = 0.1, .end_ms = 100}, .n_stimuli = n, .stimuli = stimulus};
    cr_assert_eq(mt_case_stimulated(&arena, &c, &n_spans, span), MT_OK, "%s", mt_message());
    return n_spans;
}

static void expect_span(const mt_span *span, double from_ms, double to_ms)
{
    cr_expect_float_eq(span->from_ms, from_ms, 1e-9);
    cr_expect_float_eq(span->to_ms, to_ms, 1e-9);
}

Test(stimulated, pulses_are_sorted_and_overlapping_ones_merged)
{
    mt_case_stimulus s[] = {{.start_ms = 50.04, .duration_ms = 2, .count = 1},
        {.start_ms = 0, .duration_ms = 2, .count = 3, .period_ms = 45},
        {.start_ms = 91, .duration_ms = 4, .count = 1},
        {.start_ms = 99, .duration_ms = 3, .count = 9, .period_ms = 50},
        {.start_ms = 0, .duration_ms = 2, .count = 1}};
    mt_span *span;
    cr_assert_eq(spans_of(5, s, &span), 5);
    expect_span(&span[0], 0, 2);
    expect_span(&span[1], 45, 47);
    expect_span(&span[2], 50, 52); /* rounded to steps */
    expect_span(&span[3], 90, 95);
    expect_span(&span[4], 99, 102);
}

/* Thirty sites, stimulated one after another. */
Test(stimulated, a_long_series_of_pulses_is_not_a_stimulus_span)
{
    mt_case_stimulus s[30];
    mt_span *span;
    for (size_t k = 0; k < 30; k++)
        s[k] = (mt_case_stimulus){.start_ms = (double)k, .duration_ms = 2, .count = 1};
    cr_expect_eq(spans_of(30, s, &span), 0);
    cr_expect_eq(spans_of(9, s, &span), 1);
    expect_span(&span[0], 0, 10);
}

/* A sample at the start of a pulse does not include its effect; one at its end does. */
Test(stimulated, spans_exclude_their_start_and_include_their_end)
{
    const mt_span span[] = {{0, 2}, {10, 12}};
    static const double in[] = {0.1, 1, 2, 10.1, 12}, out[] = {-1, 0, 2.1, 5, 10, 12.1, 99};
    for (size_t k = 0; k < sizeof in / sizeof *in; k++)
        cr_expect(mt_spans_cover(2, span, in[k]), "%g", in[k]);
    for (size_t k = 0; k < sizeof out / sizeof *out; k++)
        cr_expect_not(mt_spans_cover(2, span, out[k]), "%g", out[k]);
    cr_expect(mt_spans_between(2, span, 0, 3) && mt_spans_between(2, span, 5, 20));
    cr_expect(!mt_spans_between(2, span, 3, 10) && !mt_spans_between(2, span, 13, 20) &&
              !mt_spans_between(0, NULL, 0, 9));
}
