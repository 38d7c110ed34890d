#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>

#include "solver/case/moments.h"

static const double dt_ms = 0.02, end_ms = 10;

/* Compares all moments, in steps, with the n `expected` ones. */
static void expect(mt_moments_request asked, size_t n, const size_t *expected)
{
    mt_arena arena = {0};
    mt_moments moments;
    cr_assert_eq(
        mt_moments_make(&arena, "series", &asked, dt_ms, end_ms, &moments), MT_OK, "%s", mt_message());
    for (size_t k = 0, step = 0; k < n; k++, step++) {
        step = mt_moments_next(&moments, step);
        cr_expect_eq(step, expected[k], "%zu: %zu, not %zu", k, step, expected[k]);
    }
    mt_arena_free(&arena);
}

Test(moments, output_steps_are_multiples_and_listed_times_rounded_to_steps)
{
    static double at_ms[] = {0.029, 0.8, 10};
    expect((mt_moments_request){.every_ms = NAN}, 1, (size_t[]){SIZE_MAX});
    expect((mt_moments_request){.every_ms = 0.4}, 3, (size_t[]){0, 20, 40});
    expect((mt_moments_request){NAN, at_ms, 3}, 4, (size_t[]){1, 40, 500, SIZE_MAX});
    expect((mt_moments_request){0.4, at_ms, 3}, 5, (size_t[]){0, 1, 20, 40, 60});
    expect((mt_moments_request){.every_ms = 0.001}, 3, (size_t[]){0, 1, 2});
    expect((mt_moments_request){.every_ms = 1e300}, 1, (size_t[]){0});
}

static void expect_refused(mt_moments_request asked, const char *message)
{
    mt_arena arena = {0};
    mt_moments moments;
    cr_expect_eq(mt_moments_make(&arena, "series", &asked, dt_ms, end_ms, &moments), MT_INPUT);
    cr_expect_str_eq(mt_message(), message);
    mt_arena_free(&arena);
}

Test(moments, listed_times_must_ascend_within_the_run)
{
    expect_refused((mt_moments_request){NAN, (double[]){0, 1e300}, 2},
        "series.at_ms.1: 1e+300; allowed: at most time.end_ms = 10");
    expect_refused((mt_moments_request){NAN, (double[]){5, 5.009}, 2},
        "series.at_ms.1: 5.009, after 5; allowed: at least one step of time.dt_ms = 0.02 later");
    expect_refused((mt_moments_request){NAN, (double[]){5, 4}, 2},
        "series.at_ms.1: 4, after 5; allowed: at least one step of time.dt_ms = 0.02 later");
}
