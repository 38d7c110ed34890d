/* The functions over arrays, for one arithmetic and one instruction set (set by the build): see mt_function. */
#include "solver/kernels/functions.h"
#include "solver/kernels/kernels.h"
#include "solver/kernels/rare_functions.h"

static inline lanes compare(lanes x, lanes y)
{
    const lanes none = lanes_all(0);
    return lanes_select_less(x, y, lanes_all(1), none) + lanes_select_less_equal(x, y, lanes_all(2), none) +
           lanes_select_equal(x, y, lanes_all(4), none);
}

/* True if a function has two numbers for each result. */
static inline _Bool has_two(mt_function f) { return f == MT_DIVIDE || (f >= MT_POW && f <= MT_COMPARE); }

static inline lanes of_two(mt_function f, lanes x, lanes y)
{
    switch (f) {
    case MT_POW:
        return lanes_pow(x, y);
    case MT_REMAINDER:
        return lanes_remainder(x, y);
    case MT_MIN:
        return lanes_min(x, y);
    case MT_MAX:
        return lanes_max(x, y);
    case MT_COMPARE:
        return compare(x, y);
    default:
        return x / y;
    }
}

static inline lanes of_one(mt_function f, lanes x)
{
    switch (f) {
    case MT_EXP:
        return lanes_exp(x);
    case MT_EXPM1:
        return lanes_expm1(x);
    case MT_LOG:
        return lanes_log(x);
    case MT_SQRT:
        return lanes_sqrt(x);
    case MT_LOG2:
        return lanes_log2(x);
    case MT_LOG10:
        return lanes_log10(x);
    case MT_LOG1P:
        return lanes_log1p(x);
    case MT_SINH:
        return lanes_sinh(x);
    case MT_COSH:
        return lanes_cosh(x);
    case MT_TANH:
        return lanes_tanh(x);
    case MT_SIN:
        return lanes_sin(x);
    case MT_COS:
        return lanes_cos(x);
    case MT_TAN:
        return lanes_tan(x);
    case MT_ASIN:
        return lanes_asin(x);
    case MT_ACOS:
        return lanes_acos(x);
    case MT_ATAN:
        return lanes_atan(x);
    case MT_CBRT:
        return lanes_cbrt(x);
    case MT_FLOOR:
        return lanes_floor(x);
    case MT_CEIL:
        return lanes_ceil(x);
    default:
        return lanes_abs(x);
    }
}

static inline lanes of(mt_function f, lanes x, const real *by)
{
    if (f == MT_OVER) return lanes_over(x, by[0]);
    return has_two(f) ? of_two(f, x, lanes_load(by)) : of_one(f, x);
}

/* Processes fewer than LANES numbers in full lanes. */
static void last(mt_function f, size_t n, const real *x, const real *by, real *y)
{
    real from[LANES] = {0}, divisor[LANES] = {0}, to[LANES];
    for (size_t lane = 0; lane < n; lane++) from[lane] = x[lane];
    for (size_t lane = 0; by && lane < (f == MT_OVER ? 1 : n); lane++) divisor[lane] = by[lane];
    lanes_store(to, of(f, lanes_load(from), divisor));
    for (size_t lane = 0; lane < n; lane++) y[lane] = to[lane];
}

void MT_KERNEL(function)(mt_function f, size_t n, const real *x, const real *by, real *y)
{
    size_t k = 0;
    const size_t step = has_two(f) ? 1 : 0;
    for (; k + LANES <= n; k += LANES)
        lanes_store(y + k, of(f, lanes_load(x + k), by ? by + k * step : NULL));
    if (k < n) last(f, n - k, x + k, by ? by + k * step : NULL, y + k);
}
