/* Convergence of the reference solution for isthmuses; tests/solver/isthmus.h has the converged numbers. */
#include <criterion/criterion.h>

#include "tests/solver/isthmus.h"

static const struct isthmus_case *case_of(const char *name)
{
    for (size_t k = 0; k < ISTHMUS_CASES; k++)
        if (strcmp(isthmus_cases[k].isthmus.name, name) == 0) return &isthmus_cases[k];
    cr_assert_fail("no isthmus \"%s\"", name);
    return NULL;
}

/* Expects the order of convergence when dx or dt is halved twice. */
static void expect_order(
    const char *name, double dx_mm, double dt_ms, bool of_time, double lowest, double highest)
{
    const struct isthmus_case *c = case_of(name);
    double time_ms[3];
    for (int k = 0; k < 3; k++)
        time_ms[k] = isthmus_time(
            &c->isthmus, of_time ? dx_mm : ldexp(dx_mm, -k), of_time ? ldexp(dt_ms, -k) : dt_ms, false);
    const double order = log2((time_ms[0] - time_ms[1]) / (time_ms[1] - time_ms[2]));
    cr_log_info("%s, %s: %.4f, %.4f, %.4f ms, order %.2f", name, of_time ? "dt" : "dx", time_ms[0],
        time_ms[1], time_ms[2], order);
    cr_expect(order > lowest && order < highest, "%s: order %g", name, order);
}

/* About 2: the corners of the wall contribute little. */
Test(sheet_slow, activation_times_converge_with_the_second_order_in_dx)
{
    expect_order("along", 0.1, 0.02, false, 1.7, 2.5);
    expect_order("along, local", 0.1, 0.02, false, 1.7, 2.5);
    expect_order("across", 0.05, 0.02, false, 1.7, 2.5);
}

/* The step of the ionic model is of first order. */
Test(sheet_slow, activation_times_converge_with_the_first_order_in_dt)
{
    expect_order("along", 0.05, 0.02, true, 0.7, 1.3);
    expect_order("along, local", 0.05, 0.02, true, 0.7, 1.3);
}

/* Richardson extrapolation of order 2 in dx and order 1 in dt, from two values each. */
Test(sheet_slow, converged_activation_times_are_those_of_the_table)
{
    for (size_t k = 0; k < ISTHMUS_CASES; k++) {
        const struct isthmus_case *c = &isthmus_cases[k];
        const double coarse_ms = isthmus_time(&c->isthmus, 0.05, 0.02, false),
                     short_ms = isthmus_time(&c->isthmus, 0.05, 0.01, false),
                     fine_ms = isthmus_time(&c->isthmus, 0.025, 0.02, false),
                     found_ms = fine_ms + (fine_ms - coarse_ms) / 3 + 2 * (short_ms - coarse_ms);
        cr_log_info("%s: %.4f ms; half dt %.4f ms, half dx %.4f ms; converged %.3f ms", c->isthmus.name,
            coarse_ms, short_ms, fine_ms, found_ms);
        cr_expect_float_eq(found_ms, c->reference_ms, c->band_ms, "%s: %g ms", c->isthmus.name, found_ms);
    }
}

/* The wavefront stops at the end of the isthmus, where the tissue widens; the length has no influence. */
Test(sheet_slow, narrow_isthmuses_block_and_wider_ones_conduct_at_any_length)
{
    for (double length_mm = 0.5; length_mm < 5; length_mm *= 2)
        for (int conducts = 0; conducts < 2; conducts++) {
            const isthmus c = {"", isthmus_widths_mm[conducts], length_mm, true, 0.3, false};
            const double time_ms = isthmus_time(&c, 0.025, 0.02, false);
            cr_log_info("%g mm wide, %g mm long: %g ms", c.gap_mm, length_mm, time_ms);
            cr_expect_eq(
                isfinite(time_ms), conducts, "%g mm wide, %g mm long: %g ms", c.gap_mm, length_mm, time_ms);
        }
}
