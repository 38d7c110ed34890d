/* Single precision on the host with the results of the emulated machine: subnormal numbers are flushed to zero.
 *
 * Included after solver/kernels/lanes.h has selected the arithmetic. Double precision does not flush. Every thread calls both functions,
 * around each parallel region or inside of it. */
#pragma once

#include <stdint.h>

#include "ipu/run/engine.h"

/* Starts flushing in this thread, and returns the previous setting. */
static inline uint64_t begin_arithmetic(void)
{
#ifdef MT_DOUBLE
    return 0;
#else
    return ipu_begin_flushing();
#endif
}

static inline void end_arithmetic(uint64_t before)
{
#ifdef MT_DOUBLE
    (void)before;
#else
    ipu_end_flushing(before);
#endif
}
