/* Accuracy statistics, for given results and true values. */
#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "app/study/validation/accuracy.h"

static const uint64_t any = UINT64_C(0x3f80000000000000); /* 1, by 0 */

/* Returns the statistics of one result. */
static mt_accuracy of(double truth, float y)
{
    mt_accuracy a = mt_accuracy_empty;
    mt_accuracy_add(&a, any, truth, y);
    return a;
}

static uint64_t apart(const mt_accuracy *a)
{
    return a->zeros + a->infinities + a->nans + a->flushed + a->unflushed;
}

Test(accuracy, an_error_is_measured_in_ulps_and_in_floats)
{
    static const struct {
        double truth;
        float y;
        double ulp;
        uint64_t places;
    } rows[] = {{1, 1, 0, 0}, {1, 1 + FLT_EPSILON, 1, 1}, {1, 1 + 2 * FLT_EPSILON, 2, 2},
        {1, 1 - FLT_EPSILON / 2, 0.5, 1}, {1 + 0.25 * 0x1p-23, 1, 0.25, 0}, {1 + 0.75 * 0x1p-23, 1, 0.75, 1},
        {-3 - 0.3 * 0x1p-22, -3, 0.3, 0}, {-3, -3 + 2 * 0x1p-22F, 2, 2}, {0x1p-126, 0x1.000006p-126F, 3, 3},
        {2 - 0x1p-23, 2, 1, 1}, /* the ulp of the lower binade */
        {(double)FLT_MAX, 0x1.fffffcp127F, 1, 1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const mt_accuracy a = of(rows[k].truth, rows[k].y);
        const size_t place = rows[k].places < 2 ? rows[k].places : 2;
        cr_expect_float_eq(a.largest_ulp, rows[k].ulp, 1e-8, "%zu: %g", k, a.largest_ulp);
        cr_expect_eq(a.largest_places, rows[k].places, "%zu", k);
        cr_expect(a.measured == 1 && a.places[place] == 1 && apart(&a) == 0 && a.mismatches == 0, "%zu", k);
        cr_expect_eq(a.largest, any);
    }
}

Test(accuracy, each_error_is_counted_in_its_bin)
{
    for (size_t b = 0; b < MT_ACCURACY_BINS; b++) {
        const double least = b > 0 ? mt_accuracy_edge_ulp[b - 1] + 0.001 : 0,
                     most = b + 1 < MT_ACCURACY_BINS ? mt_accuracy_edge_ulp[b] - 0.001 : 1000;
        mt_accuracy a = of(1 + least * 0x1p-23, 1);
        mt_accuracy_add(&a, any, 1 + most * 0x1p-23, 1);
        cr_expect_eq(a.bin[b], 2, "%zu", b);
    }
}

/* One wrong result in a thousand is detected, with its operand. */
Test(accuracy, one_wrong_result_among_many_is_detected)
{
    mt_accuracy a = mt_accuracy_empty;
    for (int k = 1; k <= 1000; k++) {
        const float x = (float)k, y = sqrtf(x);
        mt_accuracy_add(&a, mt_accuracy_operands(x, 0), sqrt(k), k == 777 ? y * (1 + 2 * FLT_EPSILON) : y);
    }
    cr_expect(a.results == 1000 && a.measured == 1000 && a.places[0] == 999 && a.places[2] == 1);
    cr_expect(a.largest_ulp > 1.4 && a.largest_places >= 2);
    cr_expect_eq(mt_accuracy_x(a.largest), 777);
    cr_expect_eq(mt_accuracy_by(a.largest), 0);
}

Test(accuracy, zeros_infinities_and_nans_must_match)
{
    cr_expect_eq(of(0, 0.0F).zeros, 1);
    cr_expect_eq(of(-0.0, -0.0F).zeros, 1);
    cr_expect_eq(of(1e-60, 0.0F).zeros, 1);
    cr_expect_eq(of(INFINITY, INFINITY).infinities, 1);
    cr_expect_eq(of(-1e60, -INFINITY).infinities, 1);
    cr_expect_eq(of(NAN, -NAN).nans, 1);
    static const struct {
        double truth;
        float y;
    } wrong[] = {{0, -0.0F}, {-0.0, 0.0F}, {0, FLT_MIN}, {0, -0x1p-149F}, {1, 0}, {1, INFINITY}, {1, NAN},
        {INFINITY, -INFINITY}, {INFINITY, NAN}, {INFINITY, FLT_MAX}, {1e60, FLT_MAX}, {NAN, 1}, {NAN, 0},
        {NAN, INFINITY}, {(double)FLT_MAX, INFINITY}, {0x1p-126, 0}, {0x1p-126, 0x1.fffffcp-127F}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const mt_accuracy a = of(wrong[k].truth, wrong[k].y);
        cr_expect(a.mismatches == 1 && a.mismatch == any && a.measured == 0 && apart(&a) == 0, "%zu", k);
    }
}

Test(accuracy, subnormal_results_are_expected_to_be_flushed_to_zero)
{
    cr_expect_eq(of(0x1p-140, 0).flushed, 1);
    cr_expect_eq(of(-0x1p-140, -0.0F).flushed, 1);
    cr_expect_eq(of(0x1p-126 - 0x1p-152, 0).flushed, 1);
    cr_expect_eq(of(0x1p-140, 0x1p-140F).unflushed, 1);
    cr_expect_eq(of(-0.0, -0x1p-149F).unflushed, 1);
    cr_expect_eq(of(0x1p-140, -0x1p-140F).mismatches, 1);
    cr_expect_eq(of(0x1p-140, -0.0F).mismatches, 1);
    const mt_accuracy least = of(0x1p-126 - 0.25 * 0x1p-149, FLT_MIN), far = of(0x1p-126 - 0x1p-140, FLT_MIN);
    cr_expect(least.measured == 1 && least.largest_ulp == 0.25 && least.places[0] == 1);
    cr_expect(far.measured == 1 && far.largest_ulp == 512 && far.places[2] == 1);
    mt_accuracy a = mt_accuracy_empty;
    mt_accuracy_add(&a, mt_accuracy_operands(0x1p-140F, 1), 0, 0);
    mt_accuracy_add(&a, mt_accuracy_operands(0, -0x1p-149F), NAN, NAN);
    mt_accuracy_add(&a, mt_accuracy_operands(FLT_MIN, INFINITY), 0, 0);
    cr_expect_eq(a.subnormal_operands, 2);
}

/* For any distribution of results and any order of the sums. */
Test(accuracy, counts_can_be_merged_in_any_order)
{
    enum { PARTS = 3, RESULTS = 300 };
    mt_accuracy all = mt_accuracy_empty,
                part[PARTS] = {mt_accuracy_empty, mt_accuracy_empty, mt_accuracy_empty};
    for (int k = 0; k < RESULTS; k++) {
        const uint64_t operands = mt_accuracy_operands((float)(RESULTS - k), 0);
        const double truth = k % 50 == 7 ? NAN : 1 + (k % 7) * 0.2 * 0x1p-23;
        mt_accuracy_add(&all, operands, truth, 1);
        mt_accuracy_add(&part[k % PARTS], operands, truth, 1);
    }
    cr_assert(all.mismatches == 6 && mt_accuracy_x(all.mismatch) == RESULTS - 257);
    cr_assert_float_eq(all.largest_ulp, 1.2, 1e-8);
    for (int first = 0; first < PARTS; first++) {
        mt_accuracy sum = mt_accuracy_empty;
        for (int k = 0; k < PARTS; k++) mt_accuracy_merge(&sum, &part[(first + 2 * k) % PARTS]);
        cr_expect_eq(memcmp(&sum, &all, sizeof all), 0, "%d", first);
    }
}
