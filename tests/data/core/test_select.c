#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/select.h"

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Compares every order statistic of n numbers below `distinct` with the sorted numbers. */
static void check(size_t n, unsigned distinct, unsigned seed)
{
    double values[64], sorted[64], left[64];
    for (size_t k = 0; k < n; k++) {
        seed = seed * 1664525u + 1013904223u;
        values[k] = sorted[k] = seed >> 8 & 0xffff;
        if (distinct) values[k] = sorted[k] = (double)((seed >> 8) % distinct);
    }
    qsort(sorted, n, sizeof *sorted, ascending);
    for (size_t k = 0; k < n; k++) {
        memcpy(left, values, n * sizeof *left);
        cr_assert_eq(mt_select(left, n, k), sorted[k], "%zu of %zu, %u different", k, n, distinct);
        for (size_t i = 0; i < n; i++) cr_assert(i < k ? left[i] <= left[k] : left[i] >= left[k]);
    }
}

Test(select, selection_returns_the_kth_of_the_sorted_numbers)
{
    for (size_t n = 1; n <= 64; n++)
        for (unsigned seed = 1; seed <= 8; seed++) {
            check(n, 0, seed);
            check(n, 1, seed);
            check(n, 2, seed);
            check(n, 5, seed);
        }
}

/* The mean of both middle numbers of an even count, with equal numbers, too. */
Test(select, the_median_is_the_middle_or_the_mean_of_both_middle_numbers)
{
    double odd[] = {7, 1, 3}, even[] = {9, 1, 4, 2}, equal[] = {5, 5, 1, 5}, pair[] = {-2, 8}, one[] = {6};
    cr_expect(isnan(mt_median(one, 0)));
    cr_expect_eq(mt_median(one, 1), 6);
    cr_expect_eq(mt_median(pair, 2), 3);
    cr_expect_eq(mt_median(odd, 3), 3);
    cr_expect_eq(mt_median(even, 4), 3);
    cr_expect_eq(mt_median(equal, 4), 5);
    for (size_t n = 1; n <= 64; n++) {
        double values[64], sorted[64];
        for (size_t k = 0; k < n; k++) values[k] = sorted[k] = (double)((k * 37 + n) % 101);
        qsort(sorted, n, sizeof *sorted, ascending);
        cr_expect_eq(mt_median(values, n), (sorted[(n - 1) / 2] + sorted[n / 2]) / 2, "%zu numbers", n);
    }
}
