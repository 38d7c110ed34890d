/* Activation of a cell: the first passage of V through 0 mV upwards, interpolated linearly within the step.
 *
 * Included after solver/kernels/lanes.h has selected the arithmetic. The initial value is infinity, so that the earliest time is a minimum
 * and the loop has no branch. */
#pragma once

#include "solver/kernels/block.h"

/* Returns the activation time after step `step` (from 0), in which V changed from `before` to `now`. */
static inline real activation_step(real step, real dt_ms, real before, real now, real activation_ms)
{
    real crossing = dt_ms * (step + before / (before - now));
    real rose = now < 0 ? (real)__builtin_inf() : crossing;
    real candidate = before < 0 ? rose : (real)__builtin_inf();
    return candidate < activation_ms ? candidate : activation_ms;
}

/* True if V crosses 0 mV upwards in any of MT_BLOCK elements. In the others activation_step changes nothing. The loop has a constant length
 * and no sum, so that compilers vectorise it. */
static inline int activates_any(const real *restrict before, const real *restrict now)
{
    int any = 0;
    for (size_t k = 0; k < MT_BLOCK; k++) any |= (before[k] < 0) & (now[k] >= 0);
    return any;
}
