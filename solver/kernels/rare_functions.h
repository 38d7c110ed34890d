/* Functions that ionic models use less often than those of functions.h: powers, logarithms to other bases, hyperbolic functions,
 * trigonometric functions and their inverses, cube roots, remainders, minima, maxima and rounding to integers, of LANES numbers at once.
 *
 * Like those of functions.h they perform their operations in a fixed order, so every instruction set computes the same bits. Special
 * values have the results of the C library. Largest errors in ulp, over all floats and 20 million doubles
 * (tests/solver/kernels/test_rare_functions_slow.c; powers: over 20 million pairs each):
 *
 *              float  double                float  double                float  double
 *     pow      0.77    0.77        sinh     0.55    0.57        asin     0.62    0.61
 *     log2     0.50    0.50        cosh     0.57    0.54        acos     0.60    0.60
 *     log10    0.50    0.50        tanh     0.61    0.61        atan     0.91    0.72
 *     log1p    0.50    0.50        sin      0.77    0.74        cbrt     0.50    0.50
 *     cos      0.78    0.76        tan      0.91    0.90
 *
 * remainder, floor, ceil, abs, min and max are exact. log2, log10, log1p, sinh, cosh, tanh, asin, acos, atan and cbrt of adjacent numbers
 * are in the right order, for all floats.
 *
 * sin, cos and tan are this accurate up to LARGEST_ANGLE, 2^17 (floats) or 2^30. A larger finite argument is replaced by this one with its
 * sign, so the result is finite.
 *
 * Subnormal numbers are accepted and returned. If the thread flushes them they are treated as 0, but abs and remainder can
 * return a subnormal argument.
 *
 * For the instruction tally the functions remain calls by their names. */
#pragma once

#include "solver/kernels/functions.h"

/* Returns x, or 0 if it is subnormal and the thread flushes such numbers. Compilers can turn a select of the smaller number into an
 * instruction that flushes or one that does not; after this function the bits are the same. The factor 1 is hidden from them. */
#ifndef MT_OPENCL /* solver/device/lanes_opencl.h */
static inline lanes flushed(lanes x)
{
#    ifdef MT_TALLY
    return x;
#    else
    real one = 1;
    __asm__("" : "+r"(one));
    return x * one;
#    endif
}
#endif

/* The smaller and the larger of two numbers. The result is x if one of them is NaN, or if both are zeros. */
static inline lanes lanes_min(lanes x, lanes y) { return flushed(lanes_select_less(y, x, y, x)); }
static inline lanes lanes_max(lanes x, lanes y) { return flushed(lanes_select_less(x, y, y, x)); }

#if defined(MT_TALLY)

#    define RARE_CALL(name) real mt_##name(real) __attribute__((const));
RARE_CALL(abs)
RARE_CALL(floor)
RARE_CALL(ceil)
RARE_CALL(log2)
RARE_CALL(log10)
RARE_CALL(log1p)
RARE_CALL(sinh)
RARE_CALL(cosh)
RARE_CALL(tanh)
RARE_CALL(sin)
RARE_CALL(cos)
RARE_CALL(tan)
RARE_CALL(asin)
RARE_CALL(acos)
RARE_CALL(atan)
RARE_CALL(cbrt)
real mt_pow(real, real) __attribute__((const));
real mt_remainder(real, real) __attribute__((const));
#    define lanes_abs mt_abs
#    define lanes_floor mt_floor
#    define lanes_ceil mt_ceil
#    define lanes_log2 mt_log2
#    define lanes_log10 mt_log10
#    define lanes_log1p mt_log1p
#    define lanes_sinh mt_sinh
#    define lanes_cosh mt_cosh
#    define lanes_tanh mt_tanh
#    define lanes_sin mt_sin
#    define lanes_cos mt_cos
#    define lanes_tan mt_tan
#    define lanes_asin mt_asin
#    define lanes_acos mt_acos
#    define lanes_atan mt_atan
#    define lanes_cbrt mt_cbrt
#    define lanes_pow mt_pow
#    define lanes_remainder mt_remainder

#elif defined(MT_LANES_LIBM) /* the C library's functions, one double at a time, for benchmarks */

#    define lanes_abs fabs
#    define lanes_floor floor
#    define lanes_ceil ceil
#    define lanes_log2 log2
#    define lanes_log10 log10
#    define lanes_log1p log1p
#    define lanes_sinh sinh
#    define lanes_cosh cosh
#    define lanes_tanh tanh
#    define lanes_sin sin
#    define lanes_cos cos
#    define lanes_tan tan
#    define lanes_asin asin
#    define lanes_acos acos
#    define lanes_atan atan
#    define lanes_cbrt cbrt
#    define lanes_pow pow
#    define lanes_remainder fmod

#else

/* ---- signs and integers ---- */

static const real_pattern SIGN_BIT = (real_pattern)1 << (8 * REAL_BYTES - 1);

static inline lanes lanes_abs(lanes x) { return of_pattern(pattern_of(x) & ~SIGN_BIT); }

/* Returns x with the sign of `of`. */
static inline lanes with_sign(lanes x, lanes of)
{
    return of_pattern((pattern_of(x) & ~SIGN_BIT) | (pattern_of(of) & SIGN_BIT));
}

/* All numbers from this one on are integers. */
static const real WHOLE = FUNCTIONS_NUMBER(0x1p23F, 0x1p52);

/* Returns the integer nearest to x >= 0, and the even one if two are. */
static inline lanes nearest(lanes x) { return lanes_select_below(x, WHOLE, (x + WHOLE) - WHOLE, x); }

/* The largest integer up to x, and the smallest from x on. A result of 0 has the sign of x. */
static inline lanes lanes_floor(lanes x)
{
    const lanes n = with_sign(nearest(lanes_abs(x)), x);
    return lanes_select_less(x, n, n - 1, n);
}
static inline lanes lanes_ceil(lanes x)
{
    const lanes n = with_sign(nearest(lanes_abs(x)), x);
    return with_sign(lanes_select_less(n, x, n + 1, n), x);
}

/* ---- numbers of two words ---- */

/* The number high + low. If normalised, high is the sum rounded. */
typedef struct two_words {
    lanes high, low;
} two_words;

/* Returns x + y normalised, for x = 0 or |x| >= |y|. */
static inline two_words words_of(lanes x, lanes y)
{
    two_words sum;
    sum.high = quick_sum(x, y, &sum.low);
    return sum;
}

/* Returns x y, exactly. */
static inline two_words product_of(lanes x, lanes y)
{
    const lanes high = x * y;
    return (two_words){high, lanes_fma(x, y, -high)};
}

/* Returns x / y rounded to one word, of normalised numbers. */
static inline lanes quotient_of(two_words x, two_words y)
{
    const lanes q = x.high / y.high, rest = lanes_fma(-q, y.high, x.high) + (x.low - q * y.low);
    return q + rest / y.high;
}

/* ---- logarithms ---- */

/* Returns log(1 + f + f_low), with 1 + f from sqrt(1/2) to sqrt(2), and a relative error of about 2^-35 (floats) or 2^-64.
 * With s = f / (2 + f), z = s^2: log(1 + f) = 2 s + s z (2/3 + z curve(z)). */
static inline two_words log_of_fraction(lanes f, lanes f_low)
{
#    ifdef MT_DOUBLE
    static const real curve[] = {0x1.d8babde29759cp-4, 0x1.a7bb4da99ec97p-4, 0x1.e23e915c671c4p-4,
        0x1.110fb3149f0ecp-3, 0x1.3b13b7b83160fp-3, 0x1.745d173286c0dp-3, 0x1.c71c71c73ed9cp-3,
        0x1.249249249238ap-2, 0x1.999999999999ap-2};
#    else
    static const real curve[] = {0x1.8fedc6p-3F, 0x1.c644a6p-3F, 0x1.2493acp-2F, 0x1.999998p-2F};
#    endif
    const lanes two_thirds = lanes_all(FUNCTIONS_NUMBER(0x1.555556p-1F, 0x1.5555555555555p-1)),
                two_thirds_low = lanes_all(FUNCTIONS_NUMBER(-0x1.555556p-26F, 0x1.5555555555555p-55));
    lanes below_lost, lost;
    const lanes below = quick_sum(lanes_all(2), f, &below_lost), inverse = 1 / below;
    const lanes s = f * inverse,
                s_low = (lanes_fma(-s, below, f) + (f_low - s * (below_lost + f_low))) * inverse;
    two_words z = product_of(s, s);
    z.low = lanes_fma(2 * s, s_low, z.low);
    two_words q = words_of(two_thirds, z.high * polynomial(curve, sizeof curve / sizeof *curve, z.high));
    q.low += two_thirds_low;
    two_words t = product_of(z.high, q.high);
    t.low += lanes_fma(z.high, q.low, z.low * q.high);
    two_words u = product_of(s, t.high);
    u.low += lanes_fma(s, t.low, s_low * t.high);
    const lanes sum = quick_sum(2 * s, u.high, &lost);
    return (two_words){sum, lost + (2 * s_low + u.low)};
}

/* The logarithms of 2 and of e to a base, in two words each. The product of of_2 and any exponent is exact. */
typedef struct log_base {
    real of_2, of_2_low, of_e, of_e_low;
} log_base;

/* Returns n log 2 + l log e to a base. */
static inline two_words log_sum(lanes n, two_words l, log_base base)
{
    two_words m = product_of(l.high, lanes_all(base.of_e));
    m.low = lanes_fma(l.high, lanes_all(base.of_e_low), lanes_fma(l.low, lanes_all(base.of_e), m.low));
    lanes lost;
    const lanes sum = quick_sum(n * base.of_2, m.high, &lost);
    return words_of(sum, lanes_fma(n, lanes_all(base.of_2_low), lost + m.low));
}

/* Returns the logarithm of a positive finite x to a base. */
static inline two_words log_words(lanes x, log_base base)
{
    const real normal = FUNCTIONS_NUMBER(0x1p-126F, 0x1p-1022), up = FUNCTIONS_NUMBER(0x1p24F, 0x1p54);
    const parted of = part(lanes_select_below(x, normal, x * up, x));
    const lanes n = of.n - lanes_select_below(x, normal, lanes_all(FUNCTIONS_NUMBER(24, 54)), lanes_all(0));
    return log_sum(n, log_of_fraction(of.f, lanes_all(0)), base);
}

/* Returns `result` for positive finite x, and the logarithm of other x: -inf, inf or NaN. */
static inline lanes log_or_limit(lanes x, lanes result)
{
    const lanes of_none = lanes_select_below(x, 0, lanes_all((real)NAN), lanes_all((real)-INFINITY));
    return lanes_select_below(x, (real)INFINITY, lanes_select_below(-x, 0, result, of_none), x);
}

static const log_base BASE_E = {FUNCTIONS_NUMBER(0x1.62e4p-1F, 0x1.62e42fefa38p-1),
    FUNCTIONS_NUMBER(0x1.7f7d1cp-20F, 0x1.ef35793c7673p-45), 1, 0};

static inline lanes lanes_log2(lanes x)
{
    const log_base two = {1, 0, FUNCTIONS_NUMBER(0x1.715476p+0F, 0x1.71547652b82fep+0),
        FUNCTIONS_NUMBER(0x1.4ae0cp-26F, 0x1.777d0ffda0d24p-56)};
    return log_or_limit(x, log_words(x, two).high);
}

static inline lanes lanes_log10(lanes x)
{
    const log_base ten = {FUNCTIONS_NUMBER(0x1.3442p-2F, 0x1.34413509f78p-2),
        FUNCTIONS_NUMBER(-0x1.95ec1p-19F, 0x1.fef311f12b358p-46),
        FUNCTIONS_NUMBER(0x1.bcb7b2p-2F, 0x1.bcb7b1526e50ep-2),
        FUNCTIONS_NUMBER(-0x1.5b235ep-27F, 0x1.95355baaafad3p-57)};
    return log_or_limit(x, log_words(x, ten).high);
}

/* log(1 + x). 1 + x = u + lost = 2^n (1 + f + f_low). */
static inline lanes lanes_log1p(lanes x)
{
    lanes lost;
    const lanes u = two_sum(lanes_all(1), x, &lost);
    const parted of = part(u);
    const two_words f = words_of(of.f, lost * power_of_2(lanes_at_least(-of.n, 1 - BIAS)));
    const lanes result = log_sum(of.n, log_of_fraction(f.high, f.low), BASE_E).high;
    /* bound of |x| below which log(1 + x) rounds to x, which is `lost` */
    const lanes curved = lanes_select_below(lanes_abs(x), FUNCTIONS_NUMBER(0x1p-26F, 0x1p-55), lost, result);
    return with_sign(log_or_limit(u, curved), x);
}

/* ---- powers ---- */

/* Returns exp(x), for x.high from lanes_exp's lower to its upper bound. */
static inline lanes exp_of_words(two_words x)
{
    const reduced of = reduce(x.high);
    const two_words r = words_of(of.r, of.lost + x.low), sum = words_of(lanes_all(1), r.high);
    const lanes square = r.high * r.high,
                tail = lanes_fma(exp_curve(r.high, square, 0), square, lanes_fma(r.low, r.high, r.low));
    return times_power_of_2(sum.high + (sum.low + tail), of.n);
}

/* Returns a^y = exp(y log a) for a from 0 to infinity, both not included. */
static inline lanes power_of_positive(lanes a, lanes y)
{
    /* A power with a larger exponent is 0, 1 or infinite, as it is with this one. */
    const real most = FUNCTIONS_NUMBER(0x1p40F, 0x1p64);
    const lanes within = lanes_at_most(lanes_at_least(y, -most), most);
    const two_words l = log_words(a, BASE_E);
    two_words product = product_of(within, l.high);
    product.low = lanes_fma(within, l.low, product.low);
    const two_words x = {
        lanes_at_most(lanes_at_least(product.high, FUNCTIONS_NUMBER(-104, -746)), FUNCTIONS_NUMBER(89, 710)),
        lanes_select_below(lanes_abs(product.high), 1000, product.low, lanes_all(0))};
    return exp_of_words(x);
}

/* x^y. As by C: x^0 = 1^y = 1 even for NaN, (-1)^(+-inf) = 1; a power of x < 0 is NaN if y is no integer. */
static inline lanes lanes_pow(lanes x, lanes y)
{
    const lanes zero = lanes_all(0), one = lanes_all(1), nan = lanes_all((real)NAN);
    const lanes a = lanes_abs(x), exponent = lanes_abs(y), half = (real)0.5 * exponent;
    /* Infinity, which is its own half, counts as even. */
    const lanes odd_or_broken = lanes_select_equal(nearest(half), half, zero, one),
                broken = lanes_select_equal(nearest(exponent), exponent, zero, one);
    /* of 0 and infinity */
    const lanes limit = lanes_select_below(y, 0, 1 / a, a * a);
    const lanes usual = lanes_select_below(-a, 0, power_of_positive(a, y), limit),
                positive = lanes_select_below(a, (real)INFINITY, usual, limit);
    const lanes no_root =
        lanes_select_below(-a, 0, lanes_select_below(a, (real)INFINITY, nan, positive), positive);
    const lanes of_negative =
        lanes_select_below(-broken, 0, no_root, lanes_select_below(-odd_or_broken, 0, -positive, positive));
    lanes power = lanes_select_below(with_sign(one, x), 0, of_negative, positive);
    power = lanes_select_equal(x, x, lanes_select_equal(y, y, power, y), x);
    power = lanes_select_equal(y, zero, one, power);
    return lanes_select_equal(x, one, one, power);
}

/* ---- hyperbolic functions ---- */

/* Half of both functions of a number, normalised; near: the number if it is small. */
typedef struct hyperbolic {
    two_words sinh, cosh;
    lanes near;
} hyperbolic;

/* (sinh r - r) / r^3 of square = r^2 */
static inline lanes sinh_curve(lanes square)
{
#    ifdef MT_DOUBLE
    static const real curve[] = {0x1.73eac616fc324p-33, 0x1.ae56875005248p-26, 0x1.71de3e3b14407p-19,
        0x1.a01a019f12df9p-13, 0x1.111111111130bp-7, 0x1.5555555555555p-3};
#    else
    static const real curve[] = {0x1.a28f48p-13F, 0x1.110fe2p-7F, 0x1.555556p-3F};
#    endif
    return polynomial(curve, sizeof curve / sizeof *curve, square);
}

/* (cosh r - 1 - r^2 / 2) / r^4 */
static inline lanes cosh_curve(lanes square)
{
#    ifdef MT_DOUBLE
    static const real curve[] = {0x1.1f8ba06e9227ap-29, 0x1.27e4cc323c9e6p-22, 0x1.a01a01ad731dp-16,
        0x1.6c16c16c15012p-10, 0x1.5555555555558p-5};
#    else
    static const real curve[] = {0x1.6d4f02p-10F, 0x1.5554e6p-5F};
#    endif
    return polynomial(curve, sizeof curve / sizeof *curve, square);
}

/* Returns x (1 + half_square + rise) + y (r + bend), of which the first terms are the largest. */
static inline two_words hyperbolic_sum(
    two_words x, two_words y, lanes r, lanes bend, lanes half_square, lanes rise)
{
    const two_words straight = product_of(y.high, r), curved = product_of(x.high, half_square);
    const two_words sum = words_of(x.high, straight.high), more = words_of(sum.high, curved.high);
    const lanes low = lanes_fma(y.high, bend, lanes_fma(y.low, r, x.high * rise));
    return words_of(more.high, low + (more.low + (sum.low + ((straight.low + curved.low) + x.low))));
}

/* Computes both for a from 0 to a little more than the bound of infinite results. With a = n ln 2 + r:
 * sinh a = sinh(n ln 2) cosh r + cosh(n ln 2) sinh r, and similarly for cosh. */
static inline hyperbolic hyperbolic_of(lanes a)
{
    const reduced of = reduce(a);
    const lanes r = of.r, up = power_of_2(of.n - 2), down = power_of_2(lanes_at_least(-2 - of.n, 1 - BIAS));
    const two_words square = product_of(r, r);
    two_words s, c;
    s.high = two_sum(up, -down, &s.low);
    c.high = two_sum(up, down, &c.low);
    /* sinh r = r + bend, cosh r = 1 + square / 2 + rise */
    const lanes bend = lanes_fma(r * square.high, sinh_curve(square.high), of.lost),
                rise = lanes_fma(square.high * square.high, cosh_curve(square.high),
                    lanes_fma(r, of.lost, (real)0.5 * square.low));
    return (hyperbolic){hyperbolic_sum(s, c, r, bend, (real)0.5 * square.high, rise),
        hyperbolic_sum(c, s, r, bend, (real)0.5 * square.high, rise), of.near};
}

/* Bound below which sinh x, tanh x, sin x and tan x round to x. */
static const real STRAIGHT = FUNCTIONS_NUMBER(0x1p-13F, 0x1p-27);

static inline lanes lanes_sinh(lanes x)
{
    const lanes a = lanes_at_most(lanes_abs(x), FUNCTIONS_NUMBER(89.5F, 710.6));
    const hyperbolic h = hyperbolic_of(a);
    return with_sign(lanes_select_below(a, STRAIGHT, h.near, 2 * h.sinh.high), x);
}

static inline lanes lanes_cosh(lanes x)
{
    const lanes a = lanes_at_most(lanes_abs(x), FUNCTIONS_NUMBER(89.5F, 710.6));
    return 2 * hyperbolic_of(a).cosh.high;
}

static inline lanes lanes_tanh(lanes x)
{
    /* For larger x the result rounds to 1. */
    const lanes a = lanes_at_most(lanes_abs(x), FUNCTIONS_NUMBER(10, 22));
    const hyperbolic h = hyperbolic_of(a);
    /* The distance from 1, exp(-a) / cosh(a), is relatively accurate where tanh is flat, so that it does not decrease. */
    const lanes flat = 1 - 1 / (4 * (h.sinh.high + h.cosh.high) * h.cosh.high),
                steep = lanes_select_below(a, 2, quotient_of(h.sinh, h.cosh), flat);
    return with_sign(lanes_select_below(a, STRAIGHT, h.near, steep), x);
}

/* ---- trigonometric functions ---- */

/* Larger arguments are replaced by this one with their sign. */
static const real LARGEST_ANGLE = FUNCTIONS_NUMBER(0x1p17F, 0x1p30);

/* An angle x = quadrant pi / 2 + r + low; the quadrant modulo 4 in the lowest bits. near: x if it is small. */
typedef struct angle {
    lanes r, low, near;
    lanes_pattern quadrant;
} angle;

/* Cody and Waite's reduction, with pi / 2 in three words. */
static inline angle angle_of(lanes x)
{
    const lanes per_turn = lanes_all(FUNCTIONS_NUMBER(0x1.45f306p-1F, 0x1.45f306dc9c883p-1)),
                word_0 = lanes_all(FUNCTIONS_NUMBER(0x1.921fb6p+0F, 0x1.921fb54442d18p+0)),
                word_1 = lanes_all(FUNCTIONS_NUMBER(-0x1.777a5cp-25F, 0x1.1a62633145c07p-54)),
                word_2 = lanes_all(FUNCTIONS_NUMBER(-0x1.ee59dap-50F, -0x1.f1976b7ed8fbcp-110));
    const lanes within = lanes_at_most(lanes_at_least(x, -LARGEST_ANGLE), LARGEST_ANGLE);
    const lanes rounded = lanes_fma(within, per_turn, lanes_all(ROUNDER)), n = rounded - ROUNDER;
    const lanes near = lanes_fma(-n, word_0, within); /* exact, as in reduce */
    const two_words next = product_of(-n, word_1);
    lanes lost;
    const lanes sum = two_sum(near, next.high, &lost);
    const two_words r = words_of(sum, lanes_fma(-n, word_2, lost + next.low));
    return (angle){r.high, r.low, near, pattern_of(rounded)};
}

/* sin(r + low) */
static inline two_words sin_words(lanes r, lanes low)
{
#    ifdef MT_DOUBLE
    static const real curve[] = {-0x1.a5c6d545c5b1ap-41, 0x1.6115723ec60e3p-33, -0x1.ae643e7041dd9p-26,
        0x1.71de3a40ea2d9p-19, -0x1.a01a01a0075fdp-13, 0x1.111111111108dp-7, -0x1.5555555555555p-3};
#    else
    static const real curve[] = {0x1.77be7cp-19F, -0x1.a0481ep-13F, 0x1.111164p-7F, -0x1.555556p-3F};
#    endif
    const lanes square = r * r, bend = r * square * polynomial(curve, sizeof curve / sizeof *curve, square);
    return words_of(r, bend + lanes_fma(square, (real)-0.5 * low, low));
}

/* cos(r + low) */
static inline two_words cos_words(lanes r, lanes low)
{
#    ifdef MT_DOUBLE
    static const real curve[] = {-0x1.8f986b2896c3p-37, 0x1.1ee9c0d7624c6p-29, -0x1.27e4f7ca3e142p-22,
        0x1.a01a019c59163p-16, -0x1.6c16c16c14dedp-10, 0x1.555555555554ap-5};
#    else
    static const real curve[] = {0x1.99e32p-16F, -0x1.6c0c1ep-10F, 0x1.55554ap-5F};
#    endif
    const two_words square = product_of(r, r);
    const lanes bend =
        square.high * square.high * polynomial(curve, sizeof curve / sizeof *curve, square.high);
    const two_words sum = words_of(lanes_all(1), (real)-0.5 * square.high);
    return words_of(sum.high, sum.low + (bend - lanes_fma(r, low, (real)0.5 * square.low)));
}

/* Selects x in odd quadrants, and y in even ones. */
static inline lanes select_odd(lanes_pattern quadrant, lanes x, lanes y)
{
    const lanes_pattern odd = -(quadrant & 1);
    return of_pattern((odd & pattern_of(x)) | (~odd & pattern_of(y)));
}

/* Returns `result` for finite x, or else NaN. */
static inline lanes finite_or_nan(lanes x, lanes result)
{
    return lanes_select_below(lanes_abs(x), (real)INFINITY, result, x - x);
}

/* Returns the sine of an angle plus `more` quadrants. */
static inline lanes sine_of(angle of, real_pattern more)
{
    const lanes_pattern quadrant = of.quadrant + more, sign = (quadrant & 2) << (8 * REAL_BYTES - 2);
    const lanes size = select_odd(quadrant, cos_words(of.r, of.low).high, sin_words(of.r, of.low).high);
    return of_pattern(pattern_of(size) ^ sign);
}

static inline lanes lanes_sin(lanes x)
{
    const angle of = angle_of(x);
    return finite_or_nan(x, lanes_select_below(lanes_abs(x), STRAIGHT, of.near, sine_of(of, 0)));
}

static inline lanes lanes_cos(lanes x) { return finite_or_nan(x, sine_of(angle_of(x), 1)); }

static inline lanes lanes_tan(lanes x)
{
    const angle of = angle_of(x);
    const two_words sine = sin_words(of.r, of.low), cosine = cos_words(of.r, of.low);
    const two_words above = {
        select_odd(of.quadrant, -cosine.high, sine.high), select_odd(of.quadrant, -cosine.low, sine.low)};
    const two_words below = {
        select_odd(of.quadrant, sine.high, cosine.high), select_odd(of.quadrant, sine.low, cosine.low)};
    return finite_or_nan(x, lanes_select_below(lanes_abs(x), STRAIGHT, of.near, quotient_of(above, below)));
}

/* ---- inverse trigonometric functions ---- */

static const real HALF_PI = FUNCTIONS_NUMBER(0x1.921fb6p+0F, 0x1.921fb54442d18p+0),
                  HALF_PI_LOW = FUNCTIONS_NUMBER(-0x1.777a5cp-25F, 0x1.1a62633145c07p-54);

/* Returns multiple pi / 2 + factor (t + low); multiple is 0, 1/2, 1 or 2, factor a power of 2 up to the sign. */
static inline lanes arc_sum(lanes multiple, lanes factor, lanes t, lanes low)
{
    const two_words sum = words_of(multiple * HALF_PI, factor * t);
    return sum.high + lanes_fma(factor, low, lanes_fma(multiple, lanes_all(HALF_PI_LOW), sum.low));
}

/* asin a = t + low if a < 1/2, or else pi / 2 - 2 (t + low), with t = sqrt((1 - a) / 2) */
static inline two_words arc_of(lanes a)
{
#    ifdef MT_DOUBLE
    static const real curve[] = {0x1.0b45e9f8e6b15p-5, -0x1.57fad0e39eaf7p-6, 0x1.639a895132223p-6,
        0x1.e5fbe8857f6f5p-9, 0x1.613c1e6f4a2fp-7, 0x1.75859dacf6aedp-7, 0x1.ca1f8af1f1d9ap-7,
        0x1.1c49f077d5b5ap-6, 0x1.6e8bdedebf9e1p-6, 0x1.f1c71a95002fbp-6, 0x1.6db6db721247bp-5,
        0x1.333333332e133p-4, 0x1.5555555555577p-3};
#    else
    static const real curve[] = {
        0x1.33d432p-5F, 0x1.d7924cp-7F, 0x1.04af34p-5F, 0x1.6caab6p-5F, 0x1.33389ep-4F, 0x1.55554cp-3F};
#    endif
    const lanes z = lanes_select_below(a, (real)0.5, a * a, (real)0.5 * (1 - a)), root = lanes_sqrt(z);
    const lanes root_low = lanes_fma(-root, root, z) /
                           lanes_at_least(2 * root, FUNCTIONS_NUMBER(0x1p-126F, 0x1p-1022)),
                t = lanes_select_below(a, (real)0.5, a, root),
                t_low = lanes_select_below(a, (real)0.5, lanes_all(0), root_low);
    return (two_words){t, lanes_fma(t * z, polynomial(curve, sizeof curve / sizeof *curve, z), t_low)};
}

static inline lanes lanes_asin(lanes x)
{
    const lanes a = lanes_abs(x), one = lanes_all(1), zero = lanes_all(0);
    const two_words arc = arc_of(a);
    const lanes multiple = lanes_select_below(a, (real)0.5, zero, one),
                factor = lanes_select_below(a, (real)0.5, one, lanes_all(-2));
    return with_sign(arc_sum(multiple, factor, arc.high, arc.low), x);
}

static inline lanes lanes_acos(lanes x)
{
    const lanes a = lanes_abs(x), one = lanes_all(1), two = lanes_all(2), zero = lanes_all(0);
    const two_words arc = arc_of(a);
    const lanes multiple = lanes_select_below(a, (real)0.5, one, lanes_select_below(x, 0, two, zero)),
                factor = lanes_select_below(a, (real)0.5, with_sign(one, -x), with_sign(two, x));
    return arc_sum(multiple, factor, arc.high, arc.low);
}

/* With t = a, (a - 1) / (a + 1) or -1 / a for a up to tan(pi / 8), up to tan(3 pi / 8) and above, |t| <= tan(pi / 8), and
 * atan a = atan t + 0, pi / 4 or pi / 2. */
static inline lanes lanes_atan(lanes x)
{
#    ifdef MT_DOUBLE
    static const real curve[] = {0x1.f0111d6d506cep-7, -0x1.11ba29748862fp-5, 0x1.70b28ddc454ebp-5,
        -0x1.ab6da8afd0e17p-5, 0x1.e16f469ada8cep-5, -0x1.110c4af1402b3p-4, 0x1.3b136b1d32817p-4,
        -0x1.745d14919c87dp-4, 0x1.c71c71b5f9222p-4, -0x1.24924924721bep-3, 0x1.99999999995bfp-3,
        -0x1.5555555555554p-2};
#    else
    static const real curve[] = {
        -0x1.f2f74cp-5F, 0x1.b227aep-4F, -0x1.23b9d6p-3F, 0x1.9991e4p-3F, -0x1.55554ap-2F};
#    endif
    const real low = FUNCTIONS_NUMBER(0x1.a8279ap-2F, 0x1.a827999fcef32p-2),
               high = FUNCTIONS_NUMBER(0x1.3504f4p+1F, 0x1.3504f333f9de6p+1);
    const lanes one = lanes_all(1), zero = lanes_all(0);
    /* For larger x the result rounds to pi / 2. */
    const lanes a = lanes_at_most(lanes_abs(x), FUNCTIONS_NUMBER(0x1p30F, 0x1p60));
    lanes above_lost, below_lost;
    const lanes less = two_sum(a, -one, &above_lost), more = two_sum(a, one, &below_lost);
    const lanes above = lanes_select_below(a, low, a, lanes_select_below(a, high, less, -one)),
                below = lanes_select_below(a, low, one, lanes_select_below(a, high, more, a)),
                multiple =
                    lanes_select_below(a, low, zero, lanes_select_below(a, high, (real)0.5 * one, one));
    above_lost = lanes_select_below(a, low, zero, lanes_select_below(a, high, above_lost, zero));
    below_lost = lanes_select_below(a, low, zero, lanes_select_below(a, high, below_lost, zero));
    const lanes inverse = one / below, t = above * inverse,
                t_low = (lanes_fma(-t, below, above) + (above_lost - t * below_lost)) * inverse, z = t * t;
    const lanes bend = lanes_fma(t * z, polynomial(curve, sizeof curve / sizeof *curve, z), t_low);
    return with_sign(arc_sum(multiple, one, t, bend), x);
}

/* ---- cube roots and remainders ---- */

/* |x| = 2^(3 k) m, m from sqrt(1/2) to 4 sqrt(2). Newton's iteration for m^(-1/3) = r, then one for m^(1/3) = m r^2. */
static inline lanes lanes_cbrt(lanes x)
{
#    ifdef MT_DOUBLE
    static const real curve[] = {0x1.7e18ff942df8p-4, -0x1.2178b586f53f9p-3, 0x1.2ed45341cddbdp-3,
        -0x1.606648bfdeaf6p-3, 0x1.c6cfbd3aa12b8p-3, -0x1.5557eb2aafc92p-2, 0x1.00000ca7bc926p0};
#    else
    static const real curve[] = {
        0x1.06e62cp-3F, -0x1.82e304p-3F, 0x1.cb7edp-3F, -0x1.54e426p-2F, 0x1.fffceep-1F};
#    endif
    const real normal = FUNCTIONS_NUMBER(0x1p-126F, 0x1p-1022), up = FUNCTIONS_NUMBER(0x1p24F, 0x1p54);
    const real third = FUNCTIONS_NUMBER(0x1.555556p-2F, 0x1.5555555555555p-2);
    const lanes a = lanes_abs(x);
    const parted of = part(lanes_select_below(a, normal, a * up, a));
    const lanes k = lanes_fma(of.n, lanes_all(third), lanes_all(-third)) + ROUNDER - ROUNDER,
                left = of.n - 3 * k, m = (1 + of.f) * power_of_2(left);
    const lanes scale = lanes_select_below(left, (real)0.5, lanes_all(1),
        lanes_select_below(
            left, (real)1.5, lanes_all((real)0x1.965fea53d6e3dp-1), lanes_all((real)0x1.428a2f98d728bp-1)));
    lanes r = scale * polynomial(curve, sizeof curve / sizeof *curve, of.f);
    r = lanes_fma(-r * third, lanes_fma(m * r * r, r, lanes_all(-1)), r);
    const lanes square = r * r, root = m * square;
    const two_words root_2 = product_of(root, root);
    const lanes excess = lanes_fma(root_2.high, root, -m) + root_2.low * root,
                exact = lanes_fma(-excess, square * third, root);
    const lanes shift = lanes_select_below(a, normal, lanes_all(FUNCTIONS_NUMBER(8, 18)), lanes_all(0));
    const lanes result = with_sign(exact * power_of_2(k - shift), x);
    return lanes_select_below(a, (real)INFINITY, lanes_select_below(-a, 0, result, x + x), x + x);
}

/* C's fmod: x - n y with integer n, of the sign of x and a magnitude below |y|; exact for all numbers. NaN if x is infinite or y is 0.
 *
 * Each step subtracts a multiple of |y| from a: the quotient rounded to an integer, or to all its bits if it has more. The difference is
 * representable, so it is exact. a becomes its magnitude; `turned` has its sign. A lane that is finished keeps its a.
 * The number of steps is 1 for quotients up to 2^23 (floats) or 2^52, and grows with the exponent of the quotient. */
static inline lanes lanes_remainder(lanes x, lanes y)
{
    /* The largest quotient is below the cube of this number. */
    const real far = FUNCTIONS_NUMBER(0x1p95F, 0x1p700);
    const lanes b = lanes_abs(y), far_b = b * far, farther_b = far_b * far;
    lanes a = lanes_abs(x), turned = lanes_all(1), again;
    do {
        const lanes step =
            lanes_select_less_equal(farther_b, a, farther_b, lanes_select_less_equal(far_b, a, far_b, b));
        const lanes rest = lanes_select_less(a, b, a, lanes_fma(-nearest(a / step), step, a));
        turned = of_pattern(pattern_of(turned) ^ (pattern_of(rest) & SIGN_BIT));
        a = lanes_abs(rest);
        again = lanes_select_less_equal(b, a, lanes_all(-1), lanes_all(0));
    } while (lanes_any_below(again, 0));
    const lanes positive = lanes_select_below(turned, 0, lanes_select_below(-a, 0, b - a, a), a);
    return with_sign(positive, x);
}

#endif
