/* The functions over arrays, for one arithmetic and one instruction set (set by the build): see mt_function. */
#include "solver/kernels/functions.h"
#include "solver/kernels/kernels.h"

static inline lanes of(mt_function f, lanes x, const real *by)
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
    case MT_DIVIDE:
        return x / lanes_load(by);
    default:
        return lanes_over(x, by[0]);
    }
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
    const size_t step = f == MT_DIVIDE ? 1 : 0;
    for (; k + LANES <= n; k += LANES)
        lanes_store(y + k, of(f, lanes_load(x + k), by ? by + k * step : NULL));
    if (k < n) last(f, n - k, x + k, by ? by + k * step : NULL, y + k);
}
