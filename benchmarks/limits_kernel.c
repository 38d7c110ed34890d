/* Chains of multiply-adds, for one arithmetic and one instruction set (set by the build): benchmarks/limits.h. */
#include "solver/kernels/lanes.h"

#include "benchmarks/limits.h"

/* The latency of a multiply-add is 4 or 5 cycles, and two units execute it; 12 chains and two operands fit in 16 registers. */
enum { CHAINS = 12 };

static inline lanes multiply_add(lanes x, lanes y, lanes z)
{
#if defined(__FMA__) || defined(__aarch64__)
    return lanes_fma(x, y, z);
#else
    return x * y + z;
#endif
}

bench_multiply_adds MT_KERNEL(multiply_adds);

double MT_KERNEL(multiply_adds)(size_t turns)
{
    volatile real start = (real)0.5;
    const lanes factor = lanes_all(start), more = lanes_all(1 - start);
    lanes x[CHAINS];
    for (int k = 0; k < CHAINS; k++) x[k] = lanes_all((real)k);
    for (size_t turn = 0; turn < turns; turn++) {
        _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) x[k] = multiply_add(x[k], factor, more);
    }
    lanes sum = x[0];
    for (int k = 1; k < CHAINS; k++) sum += x[k];
    real out[LANES];
    lanes_store(out, sum);
    start = out[0];
    return 2.0 * CHAINS * LANES * (double)turns;
}
