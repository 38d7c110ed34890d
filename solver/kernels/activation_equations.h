/* When a cell activates: the first time V passes 0 mV upwards, interpolated linearly within the step.
 *
 * Included after solver/kernels/lanes.h has chosen the arithmetic. Not yet activated is infinity, so that the
 * earliest time is a minimum and the loop has no branch. */
#pragma once

#include "solver/kernels/block.h"

/* The activation time after step number `step` (from 0), which took V from `before` to `now`. */
static inline real activation_step(real step, real dt_ms, real before, real now, real activation_ms)
{
    real crossing = dt_ms * (step + before / (before - now));
    real rose = now < 0 ? (real)__builtin_inf() : crossing;
    real candidate = before < 0 ? rose : (real)__builtin_inf();
    return candidate < activation_ms ? candidate : activation_ms;
}

/* Does V cross 0 mV upwards in some of MT_BLOCK elements? In the others the step above changes nothing. A loop of known length without
 * a sum, which compilers make vectors of. */
static inline int activates_any(const real *restrict before, const real *restrict now)
{
    int any = 0;
    for (size_t k = 0; k < MT_BLOCK; k++) any |= (before[k] < 0) & (now[k] >= 0);
    return any;
}
