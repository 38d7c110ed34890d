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

/* The linker replaces the kernels by these functions (--wrap). */
void __wrap_mt_cell_react_double(const mt_cell_model *model, const double *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, double *state, const double *v_in_mV, double *v_out_mV);
void __real_mt_cell_react_double(const mt_cell_model *model, const double *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, double *state, const double *v_in_mV, double *v_out_mV);
void __wrap_mt_ellpack_rows_double(size_t n, const double *d, const double *a,
    const mt_ellpack_columns *columns, const double *v_own, const double *v, double *out);
void __real_mt_ellpack_rows_double(size_t n, const double *d, const double *a,
    const mt_ellpack_columns *columns, const double *v_own, const double *v, double *out);

void __wrap_mt_cell_react_double(const mt_cell_model *model, const double *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, double *state, const double *v_in_mV, double *v_out_mV)
{
    __real_mt_cell_react_double(model, constants, n_variants, of, dt_ms, n, state, v_in_mV, v_out_mV);
    owed_ns += cell_ns * (double)n;
}

void __wrap_mt_ellpack_rows_double(size_t n, const double *d, const double *a,
    const mt_ellpack_columns *columns, const double *v_own, const double *v, double *out)
{
    __real_mt_ellpack_rows_double(n, d, a, columns, v_own, v, out);
    owed_ns += row_ns * (double)n;
}

bool __wrap_mt_backend_possible_mV(double v_mV);
bool __real_mt_backend_possible_mV(double v_mV);

bool __wrap_mt_backend_possible_mV(double v_mV)
{
    owed_ns += look_ns;
    return __real_mt_backend_possible_mV(v_mV);
}

#endif
