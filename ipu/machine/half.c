#include "ipu/machine/half.h"

#include <math.h>
#include <string.h>

enum { FRACTION = 10, BIAS = 15, LARGEST = 0x7bff, INFINITE = 0x7c00, QUIET_NAN = 0x7e00 };

uint16_t ipu_half_of(float x)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const double size = fabs((double)x);
    int exponent;
    if (isnan(x)) return sign | QUIET_NAN;
    if (isinf(x)) return sign | INFINITE;
    if (size < 0x1p-126) return sign; /* a subnormal float, far below the smallest half */
    (void)frexp(size, &exponent);
    /* The spacing of halves of this size: of normal ones by their exponent, of subnormal ones 2^-24. */
    const int step = exponent - 1 < 1 - BIAS ? 1 - BIAS - FRACTION : exponent - 1 - FRACTION;
    const double steps = nearbyint(ldexp(size, -step)); /* exact, and rounded to even */
    const double rounded = ldexp(steps, step);
    if (rounded > 65504) return sign | LARGEST;
    /* Counted in steps, halves continue across a power of two: its first multiple equals the number of steps below it. */
    /* exponent field of numbers of this step, minus 1; 0 for subnormal ones */
    const int above = step + FRACTION + BIAS - 1;
    return (uint16_t)(sign | ((unsigned)(above << FRACTION) + (unsigned)steps));
}

float ipu_half_value(uint16_t half)
{
    const int exponent = half >> FRACTION & 0x1f, fraction = half & 0x3ff;
    float size;
    if (exponent == 0x1f)
        size = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        size = ldexpf((float)fraction, 1 - BIAS - FRACTION);
    else
        size = ldexpf((float)(0x400 + fraction), exponent - BIAS - FRACTION);
    return half & 0x8000 ? -size : size;
}
