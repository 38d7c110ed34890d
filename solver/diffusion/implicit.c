#include "solver/diffusion/implicit.h"

#include "solver/kernels/ellpack.h"

double mt_implicit_row(const double *rate, double step_ms, double *off)
{
    double sum = 0, taken = 0;
    for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) sum += rate[k];
    for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {
        off[k] = step_ms * rate[k] / (1 + step_ms * sum);
        taken += off[k];
    }
    return -taken;
}

float mt_implicit_row_float(const double *rate, double step_ms, float *off)
{
    double exact[MT_ELLPACK_WIDTH], taken = 0;
    (void)mt_implicit_row(rate, step_ms, exact);
    for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {
        off[k] = (float)exact[k];
        taken += (double)off[k];
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
