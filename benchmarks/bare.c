#include "benchmarks/bare.h"

#include "benchmarks/limits.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/kernels/ellpack.h"
#include "solver/plan/codelets.h"

static double bytes(bool is_double) { return is_double ? 8 : 4; }

/* States and V are read and written. */
bare_work bare_cells(bool is_double)
{
    return (bare_work){
        bench_flops(&mt_cell_tp06.mix.ode, is_double), 2 * (TP06_STATES + 1) * bytes(is_double)};
}

/* The row, its diagonal and V are read, V is written. */
bare_work bare_diffusion(bool is_double, const mt_monodomain *problem, double column_bytes)
{
    const double steps = (double)problem->pde_steps, each = bytes(is_double);
    return (bare_work){steps * bench_flops(mt_codelet_mix("pde"), is_double),
        steps * (MT_ELLPACK_WIDTH * (each + column_bytes) + 3 * each)};
}

/* The present and previous V are read, and V is written; activation times are written only at activation. */
bare_work bare_record(bool is_double)
{
    return (bare_work){bench_flops(mt_codelet_mix("activation"), is_double), 3 * bytes(is_double)};
}
