#include "data/core/select.h"

#include <math.h>

static void swap(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* Sorts the first, middle and last number, and returns the middle one. */
static double median_of_three(double *x, size_t low, size_t high)
{
    const size_t middle = low + (high - low) / 2;
    if (x[middle] < x[low]) swap(x + middle, x + low);
    if (x[high] < x[low]) swap(x + high, x + low);
    if (x[high] < x[middle]) swap(x + high, x + middle);
    return x[middle];
}

/* Hoare's selection; numbers equal to the pivot are swapped too, so that many equal numbers stay O(n). */
double mt_select(double *values, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        const double pivot = median_of_three(values, low, high);
        size_t i = low, j = high;
        for (;;) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i >= j) break;
            swap(values + i++, values + j--);
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[k];
}

double mt_median(double *values, size_t n)
{
    if (n == 0) return NAN;
    const double low = mt_select(values, n, (n - 1) / 2);
    if (n % 2 == 1) return low;
    double high = INFINITY;
    for (size_t k = n / 2; k < n; k++) high = fmin(high, values[k]);
    return low + (high - low) / 2;
}
