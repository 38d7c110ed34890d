/* Points and directions as arrays of three. The order of the operations is fixed, and so are the bits of the results. */
#pragma once

#include <math.h>

static inline double mt_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double mt_length3(const double a[3]) { return sqrt(mt_dot3(a, a)); }

/* out = a - b; out may be a or b. */
static inline void mt_minus3(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

/* out = a x b; out is neither a nor b. */
static inline void mt_cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Divides a vector by its length, which it returns; 0 stays 0. */
static inline double mt_normalise3(double a[3])
{
    const double length = mt_length3(a);
    for (int k = 0; k < 3; k++) a[k] = length > 0 ? a[k] / length : 0;
    return length;
}

/* Returns the squared distance of two points. */
static inline double mt_square3(const double a[3], const double b[3])
{
    double between[3];
    mt_minus3(a, b, between);
    return mt_dot3(between, between);
}
