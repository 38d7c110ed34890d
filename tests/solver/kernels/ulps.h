/* The error of a result in units in the last place (ulp) of the reference: the distance between adjacent floats, or doubles, there. */
#pragma once

#include <float.h>
#include <math.h>

/* Error of a finite float; `truth` is accurate up to its own rounding. If it exceeds the largest float, infinity counts as exact. */
static inline double ulps_float(float y, double truth)
{
    if (isinf(y) && fabs(truth) >= 0x1.ffffffp127 && !signbit(y) == !signbit(truth)) return 0;
    const int exponent = truth == 0 ? -126 : ilogb(truth);
    return fabs((double)y - truth) / ldexp(1, (exponent < -126 ? -126 : exponent) - 23);
}

/* The same for a finite double. The difference is exact if both are close. */
static inline double ulps_double(double y, long double truth)
{
    if (isinf(y) && fabsl(truth) >= 0x1.fffffffffffff8p1023L && !signbit(y) == !signbit(truth)) return 0;
    const int exponent = truth == 0 ? -1022 : ilogbl(truth);
    return (double)(fabsl((long double)y - truth) / ldexpl(1, (exponent < -1022 ? -1022 : exponent) - 52));
}
