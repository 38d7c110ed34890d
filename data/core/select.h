/* Order statistics without sorting. */
#pragma once

#include <stddef.h>

/* Returns the k-th smallest (0 <= k < n) of n numbers (no NaN), and reorders them: numbers before index k are not larger, numbers
 * after it not smaller. O(n) on average. */
double mt_select(double *values, size_t n, size_t k);

/* Returns the median of n numbers (no NaN), the mean of both middle ones if n is even, and reorders them; NaN if n is 0. */
double mt_median(double *values, size_t n);
