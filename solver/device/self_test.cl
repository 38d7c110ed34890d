/* The program of the self-test (solver/device/self_test.h). The text follows solver/device/lanes_opencl.h and the functions. */
#include "solver/device/self_test_equations.h"

/* Stores the results of operation o for number k in result[n o + k]; n is a multiple of LANES. */
kernel void self_test(const ulong n, global const real *xs, global const real *ys, global const real *zs,
    global real *result)
{
    const size_t k = get_global_id(0) * LANES;
    if (k >= n) return;
    const lanes x = lanes_load(xs + k), y = lanes_load(ys + k), z = lanes_load(zs + k);
    result += k;
#define OPERATION(name, expression)                                                                          \
    lanes_store(result, expression);                                                                         \
    result += n;
    SELF_TEST_OPERATIONS(OPERATION)
}
