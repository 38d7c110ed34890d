/* The functions over arrays, for one arithmetic and one instruction set (set by the build): see mt_function. */
#include "solver/kernels/functions.h"
#include "solver/kernels/kernels.h"

static inline lanes of(mt_function f, lanes x, lanes by)
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
    default:
        return x / by;
    }
}

/* A last part of less than LANES numbers goes through whole lanes. */
void MT_KERNEL(function)(mt_function f, size_t n, const real *x, const real *by, real *y)
{
    size_t k = 0;
    if (f != MT_DIVIDE) by = x;
    for (; k + LANES <= n; k += LANES) lanes_store(y + k, of(f, lanes_load(x + k), lanes_load(by + k)));
    real last[3][LANES] = {{0}};
    for (size_t lane = 0; lane < n - k; lane++) last[0][lane] = x[k + lane], last[1][lane] = by[k + lane];
    if (k < n) lanes_store(last[2], of(f, lanes_load(last[0]), lanes_load(last[1])));
    for (size_t lane = 0; lane < n - k; lane++) y[k + lane] = last[2][lane];
}
