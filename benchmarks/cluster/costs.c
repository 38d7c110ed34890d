#include "benchmarks/cluster/costs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef CLUSTER_SIMULATED

void costs_begin(void) {}
void costs_pay(void) {}

#else

#    include <smpi/smpi.h>

#    include "solver/backends/backend.h"
#    include "solver/kernels/ellpack.h"

static double cell_ns, row_ns, look_ns, owed_ns;

void costs_begin(void)
{
    const char *told = getenv("CLUSTER_NS");
    if (told) (void)sscanf(told, "%lf %lf %lf", &cell_ns, &row_ns, &look_ns);
}

void costs_pay(void)
{
    if (owed_ns > 0) smpi_execute_benched(1e-9 * owed_ns);
    owed_ns = 0;
}

/* The linker replaces the kernels of both arithmetics by these functions (--wrap). */
#    define PAY_FOR(real)                                                                                    \
        __typeof__(mt_cell_react_##real) __wrap_mt_cell_react_##real, __real_mt_cell_react_##real;           \
        __typeof__(mt_ellpack_rows_##real) __wrap_mt_ellpack_rows_##real, __real_mt_ellpack_rows_##real;     \
        void __wrap_mt_cell_react_##real(const mt_cell_model *model, const real *constants,                  \
            size_t n_variants, const uint16_t *of, double dt_ms, size_t n, real *state, const real *v_in_mV, \
            real *v_out_mV)                                                                                  \
        {                                                                                                    \
            __real_mt_cell_react_##real(                                                                     \
                model, constants, n_variants, of, dt_ms, n, state, v_in_mV, v_out_mV);                       \
            owed_ns += cell_ns * (double)n;                                                                  \
        }                                                                                                    \
        void __wrap_mt_ellpack_rows_##real(size_t n, const real *d, const real *a,                           \
            const mt_ellpack_columns *columns, const real *v_own, const real *v, real *out)                  \
        {                                                                                                    \
            __real_mt_ellpack_rows_##real(n, d, a, columns, v_own, v, out);                                  \
            owed_ns += row_ns * (double)n;                                                                   \
        }
PAY_FOR(float)
PAY_FOR(double)

__typeof__(mt_backend_possible_mV) __wrap_mt_backend_possible_mV, __real_mt_backend_possible_mV;

bool __wrap_mt_backend_possible_mV(double v_mV)
{
    owed_ns += look_ns;
    return __real_mt_backend_possible_mV(v_mV);
}

#endif
