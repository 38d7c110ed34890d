/* How far a result is from the truth, in units in the last place of the truth: the distance of the floats, or doubles, around it. */
#pragma once

#include <float.h>
#include <math.h>

/* Of a finite float; `truth` is one up to its own rounding. Where it is more than the largest float, infinity is no error. */
static inline double ulps_float(float y, double truth)
{
    if (isinf(y) && fabs(truth) >= 0x1.ffffffp127 && signbit(y) == signbit(truth)) return 0;
    const int exponent = truth == 0 ? -126 : ilogb(truth);
    return fabs((double)y - truth) / ldexp(1, (exponent < -126 ? -126 : exponent) - 23);
}

/* Of a finite double, the same. The difference is exact where both are close. */
static inline double ulps_double(double y, long double truth)
{
    if (isinf(y) && fabsl(truth) >= 0x1.fffffffffffff8p1023L && signbit(y) == signbit(truth)) return 0;
    const int exponent = truth == 0 ? -1022 : ilogbl(truth);
    return (double)(fabsl((long double)y - truth) / ldexpl(1, (exponent < -1022 ? -1022 : exponent) - 52));
}
