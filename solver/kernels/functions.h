/* exp, expm1, log and division by a compile-time constant, of LANES numbers at once: within 1 ulp, the division correctly rounded. The
 * largest errors over all floats are 0.90, 0.84 and 0.86 ulp, over 20 million doubles 0.94, 0.94 and 0.86
 * (tests/solver/kernels/test_functions_slow.c).
 *
 * They consist of sums, products, fused multiply-adds, correctly rounded divisions and integer operations on the bits, in a fixed order.
 * Every instruction set therefore computes the same bits, and the compiler can inline them into loops.
 *
 * exp is limited by 0 and infinity, expm1 by -1 and infinity; log(0) = -inf, log(x < 0) = NaN; NaN yields NaN. Subnormal numbers are
 * accepted and returned, or treated as 0 if the thread flushes them.
 *
 * The polynomials are minimax fits; functions.sollya computes them and their distances from the functions.
 *
 * For the instruction tally the functions remain calls by their names, and a division a division. */
#pragma once

#include "solver/kernels/lanes.h"
#ifndef MT_TALLY
#    include <math.h>
#endif

#if defined(MT_TALLY)

real mt_exp(real) __attribute__((const));
real mt_expm1(real) __attribute__((const));
real mt_log(real) __attribute__((const));
#    define lanes_exp mt_exp
#    define lanes_expm1 mt_expm1
#    define lanes_log mt_log
#    define lanes_over(x, by) ((x) / (by))

#elif defined(MT_LANES_LIBM) /* the C library's functions, one double at a time, for benchmarks */

static inline lanes lanes_exp(lanes x) { return exp(x); }
static inline lanes lanes_expm1(lanes x) { return expm1(x); }
static inline lanes lanes_log(lanes x) { return log(x); }
static inline lanes lanes_over(lanes x, real by) { return x / by; }

#else

#    ifdef MT_DOUBLE
#        define FUNCTIONS_NUMBER(single, twice) (twice)
enum { FRACTION_BITS = 52, BIAS = 1023 };
typedef uint64_t real_pattern;
#    else
#        define FUNCTIONS_NUMBER(single, twice) (single)
enum { FRACTION_BITS = 23, BIAS = 127 };
typedef uint32_t real_pattern;
#    endif

#    if defined(MT_OPENCL) /* solver/device/lanes_opencl.h */
#    elif defined(LANE_ONE)
typedef real_pattern lanes_pattern;
static inline lanes_pattern pattern_of(lanes x)
{
    lanes_pattern bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline lanes of_pattern(lanes_pattern bits)
{
    lanes x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
#    else
typedef real_pattern lanes_pattern __attribute__((vector_size(LANE_BYTES)));
static inline lanes_pattern pattern_of(lanes x) { return (lanes_pattern)x; }
static inline lanes of_pattern(lanes_pattern bits) { return (lanes)bits; }
#    endif

/* Only integers are representable near ROUNDER, and its bit pattern ends in 0s. The pattern of a sum with it ends in the rounded integer,
 * and that of a sum with BIASED_ROUNDER in the integer + BIAS. */
static const real ROUNDER = FUNCTIONS_NUMBER(0x1.8p23F, 0x1.8p52);
static const real BIASED_ROUNDER = FUNCTIONS_NUMBER(0x1.8p23F + 127, 0x1.8p52 + 1023);

/* 2^n for integer n with a normal result. */
static inline lanes power_of_2(lanes n)
{
    return of_pattern(pattern_of(n + BIASED_ROUNDER) << FRACTION_BITS);
}

/* y 2^n for integer n of magnitude up to 3 BIAS / 2, rounded once; y is normal. In two steps; the first is exact. */
static inline lanes times_power_of_2(lanes y, lanes n)
{
#    if LANE_BYTES == 64
    return LANES_X86(scalef)(y, n);
#    else
    const lanes half = lanes_fma(n, lanes_all((real)0.5), lanes_all(ROUNDER)) - ROUNDER;
    return y * power_of_2(half) * power_of_2(n - half);
#    endif
}

/* c[0] x^(n - 1) + ... + c[n - 1] */
static inline lanes polynomial(const real *c, size_t n, lanes x)
{
    lanes sum = lanes_all(c[0]);
    _Pragma("GCC unroll 16") for (size_t k = 1; k < n; k++) sum = lanes_fma(sum, x, lanes_all(c[k]));
    return sum;
}

/* ---- exp and expm1 ---- */

/* x = n ln 2 + r + lost with integer n; |r| exceeds ln 2 / 2 only by rounding, and `lost` is the rounding error of r. near: x - n ln 2 up
 * to the rounding of ln 2; for n = 0 it is x, or 0 if the thread flushes subnormal numbers. */
typedef struct reduced {
    lanes n, near, r, lost;
} reduced;

static inline reduced reduce(lanes x)
{
    const lanes log2_e = lanes_all(FUNCTIONS_NUMBER(0x1.715476p+0F, 0x1.71547652b82fep+0)),
                ln2_high = lanes_all(FUNCTIONS_NUMBER(0x1.62e43p-1F, 0x1.62e42fefa39efp-1)),
                ln2_low = lanes_all(FUNCTIONS_NUMBER(-0x1.05c61p-29F, 0x1.abc9e3b39803fp-56));
    const lanes n = lanes_fma(x, log2_e, lanes_all(ROUNDER)) - ROUNDER;
    const lanes near =
        lanes_fma(-n, ln2_high, x); /* exact: both are multiples of the last place of the smaller */
    const lanes r = lanes_fma(-n, ln2_low, near);
    return (reduced){n, near, r, lanes_fma(-n, ln2_low, near - r)};
}

/* (exp(r) - 1 - r) / r^2 - less on |r| <= ln 2 / 2; square = r^2. In two halves, which are computed in parallel. */
static inline lanes exp_curve(lanes r, lanes square, real less)
{
#    ifdef MT_DOUBLE
    static const real odd[] = {0x1.ad92e88f87de4p-26, 0x1.71df18ef7a9d3p-19, 0x1.a01a012fee98bp-13,
        0x1.1111111126b36p-7, 0x1.55555555554fep-3};
    static const real even[] = {
        0x1.28adfccab85d4p-22, 0x1.a019995efb56cp-16, 0x1.6c16c18477082p-10, 0x1.55555555506bcp-5};
    const lanes lowest = lanes_all(0x1.000000000000ap-1 - less);
    return lanes_fma(polynomial(odd, 5, square), r, lanes_fma(polynomial(even, 4, square), square, lowest));
#    else
    static const real high[] = {0x1.12397ep-7F, 0x1.555a26p-5F};
    const lanes low = lanes_fma(lanes_all(0x1.555492p-3F), r, lanes_all(0x1.fffffap-2F - less));
    return lanes_fma(lanes_fma(lanes_all(0x1.694c8ep-10F), square, polynomial(high, 2, r)), square, low);
#    endif
}

static inline lanes lanes_exp(lanes x)
{
    /* Outside these bounds exp(x) is below half of the smallest number, or above the largest. */
    const lanes within =
        lanes_at_most(lanes_at_least(x, FUNCTIONS_NUMBER(-104, -746)), FUNCTIONS_NUMBER(89, 710));
    const reduced of = reduce(within);
    const lanes square = of.r * of.r;
    const lanes one = lanes_all(1), curve = exp_curve(of.r, square, 0);
    return times_power_of_2(lanes_fma(lanes_fma(curve, of.r, one), of.r, one), of.n);
}

/* Returns x + y for x = 0 or |x| >= |y|, and its rounding error (Dekker). */
static inline lanes quick_sum(lanes x, lanes y, lanes *lost)
{
    const lanes sum = x + y;
    *lost = y - (sum - x);
    return sum;
}

/* Returns x + y, and its rounding error (Knuth). */
static inline lanes two_sum(lanes x, lanes y, lanes *lost)
{
    const lanes sum = x + y, y_there = sum - x;
    *lost = (x - (sum - y_there)) + (y - y_there);
    return sum;
}

/* exp(x) - 1 = 2^n (r + r^2 / 2 + ...) + (2^n - 1). Half of it is computed first, because 2^n can overflow. The first sums store their
 * rounding errors, because of cancellation. */
static inline lanes lanes_expm1(lanes x)
{
    /* Outside these bounds the result is -1, or above the largest number. */
    const lanes within =
        lanes_at_most(lanes_at_least(x, FUNCTIONS_NUMBER(-18, -38)), FUNCTIONS_NUMBER(89, 710));
    const reduced of = reduce(within);
    const lanes power = power_of_2(of.n - 1), square = of.r * of.r,
                square_lost = lanes_fma(of.r, of.r, -square);
    const lanes half = (real)0.5 * power;
    lanes lost[3];
    const lanes rest = two_sum(power, lanes_all((real)-0.5), &lost[0]);
    const lanes begun = quick_sum(rest, power * of.r, &lost[1]),
                sum = quick_sum(begun, half * square, &lost[2]);
    const lanes tail = lanes_fma(exp_curve(of.r, square, (real)0.5), square, of.lost);
    const lanes result =
        2 * (sum + (lanes_fma(power, tail, half * square_lost) + (lost[0] + lost[1] + lost[2])));
    /* bound of x^2 below which exp(x) - 1 rounds to x */
    const real small = FUNCTIONS_NUMBER(0x1p-50F, 0x1p-108);
    return lanes_select_below(x * x, small, of.near, result);
}

/* ---- log ---- */

/* x = 2^n (1 + f) with 1 + f from sqrt(1/2) to sqrt(2); x is normal, or any value for which the result is not used. */
typedef struct parted {
    lanes n, f;
} parted;

static inline parted part(lanes x)
{
    const real_pattern one = (real_pattern)BIAS << FRACTION_BITS,
                       fraction = ((real_pattern)1 << FRACTION_BITS) - 1,
                       low = FUNCTIONS_NUMBER(0x3f3504f3, 0x3fe6a09e667f3bcd); /* sqrt(1/2) */
    const lanes whole = lanes_all(FUNCTIONS_NUMBER(0x1p23F, 0x1p52));
    const lanes_pattern bits = pattern_of(x) + (one - low);
    return (parted){.n = of_pattern((bits >> FRACTION_BITS) + pattern_of(whole)) - (whole + BIAS),
        .f = of_pattern((bits & fraction) + low) - 1};
}

/* log x = n ln 2 + log(1 + f). With s = f / (2 + f), log(1 + f) = log((1 + s) / (1 - s)) = 2 s + s R(s^2)
 * = f - (f^2 / 2 - s (f^2 / 2 + R(s^2))). */
static inline lanes lanes_log(lanes x)
{
#    ifdef MT_DOUBLE
    static const real curve[] = {0x1.2b5949cfe9c75p-3, 0x1.39fe4eb5b695ap-3, 0x1.7462b50a97c71p-3,
        0x1.c71c62e541c4ep-3, 0x1.2492492defb07p-2, 0x1.999999999531cp-2,
        0x1.5555555555558p-1}; /* R(z) / z */
#    else
    static const real curve[] = {0x1.ce5a26p-3F, 0x1.24c21cp-2F, 0x1.99986cp-2F, 0x1.555556p-1F};
#    endif
    const lanes ln2_short =
                    /* product with n is exact */
        lanes_all(FUNCTIONS_NUMBER(0x1.62e4p-1F, 0x1.62e42fefa38p-1)),
                ln2_rest = lanes_all(FUNCTIONS_NUMBER(0x1.7f7d1cp-20F, 0x1.ef35793c7673p-45));
    const real normal = FUNCTIONS_NUMBER(0x1p-126F, 0x1p-1022), up = FUNCTIONS_NUMBER(0x1p24F, 0x1p54);
    const parted of = part(lanes_select_below(x, normal, x * up, x));
    const lanes n = of.n - lanes_select_below(x, normal, lanes_all(FUNCTIONS_NUMBER(24, 54)), lanes_all(0)),
                f = of.f;

    const lanes s = f / (2 + f), z = s * s, half_square = (real)0.5 * f * f;
    lanes lost;
    const lanes sum = quick_sum(n * ln2_short, f, &lost);
    const lanes bend = lanes_fma(
        s, lanes_fma(z, polynomial(curve, sizeof curve / sizeof *curve, z), half_square), -half_square);
    const lanes result = sum + (lanes_fma(n, ln2_rest, lost) + bend);

    const lanes of_none = lanes_select_below(x, 0, lanes_all((real)NAN), lanes_all((real)-INFINITY));
    return lanes_select_below(x, (real)INFINITY, lanes_select_below(-x, 0, result, of_none), x);
}

/* ---- division ---- */

/* Returns x / by, correctly rounded for the divisors in the ionic models, as proved by the tests. By N. Brisebarre and J.-M. Muller,
 * IEEE Trans. Comput. 57, 165 (2008): x times the reciprocal, which is a sum of two numbers. If x or the quotient is subnormal or infinite,
 * the result can differ from a division's, and 0 has the sign of a sum; the result is the same on every instruction set. */
static inline lanes lanes_over(lanes x, real by)
{
    const real high = 1 / by, low = FUNCTIONS_NUMBER(fmaf(-high, by, 1), fma(-high, by, 1)) / by;
    return lanes_fma(x, lanes_all(high), x * lanes_all(low));
}

#endif
