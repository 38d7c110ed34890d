#include "solver/diffusion/implicit.h"

/* Returns the diagonal D of a row. */
static double diagonal_of(size_t n, const double *rate, double step_ms)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += rate[k];
    return 1 + step_ms * sum;
}

double mt_implicit_row(size_t n, const double *rate, double step_ms, size_t stride, double *off)
{
    const double diagonal = diagonal_of(n, rate, step_ms);
    double taken = 0;
    for (size_t k = 0; k < n; k++) {
        off[stride * k] = step_ms * rate[k] / diagonal;
        taken += off[stride * k];
    }
    return -taken;
}

float mt_implicit_row_float(size_t n, const double *rate, double step_ms, size_t stride, float *off)
{
    const double diagonal = diagonal_of(n, rate, step_ms);
    double taken = 0;
    for (size_t k = 0; k < n; k++) {
        off[stride * k] = (float)(step_ms * rate[k] / diagonal);
        taken += (double)off[stride * k];
    }
    return (float)-taken;
}

mt_status mt_implicit_failed(double residual_mV, double tolerance_mV)
{
    return mt_fail(MT_NUMERICS,
        "diffusion.tolerance_mV %g: the solver's residual is still %.3g mV after %d iterations; a larger "
        "tolerance or a smaller time.dt_ms may help",
        tolerance_mV, residual_mV, MT_IMPLICIT_ITERATIONS_MOST);
}
