/* Selection of the cells to evaluate in a time step (solver/kernels/multirate.h). Include solver/kernels/lanes.h first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "solver/kernels/multirate.h"

/* Values common to all cells in a time step. */
typedef struct multirate_rule {
    real dt_ms, tolerance_mV, half_tolerance_mV; /* both tolerances are -1 if all cells are evaluated */
    real together;                               /* a + 1/2 */
} multirate_rule;

#ifndef MT_OPENCL
static inline multirate_rule multirate_rule_of(const mt_multirate_step *at)
{
    const size_t most = MT_MULTIRATE_MOST;
    size_t a = (at->step + 1) & ~at->step; /* the largest power of 2 that divides step + 1 */
    if (a > most) a = most;
    const bool all = a == most || at->tolerance_mV == 0;
    return (multirate_rule){(real)at->dt_ms, (real)(all ? -1 : at->tolerance_mV),
        (real)(all ? -1 : at->tolerance_mV / 2), (real)((double)a + 0.5)};
}
#endif

static inline lanes magnitude(lanes x) { return lanes_select_below(x, (real)0, -x, x); }

/* Returns a negative margin for cells to evaluate in this step, which is the `since`-th after their last evaluation. */
static inline lanes multirate_margin(const multirate_rule *r, lanes v, lanes kept, lanes change, lanes since)
{
    const lanes moved = magnitude(v - kept),
                diffused = (real)MT_MULTIRATE_DIFFUSED * magnitude(v - (kept + since * change)),
                strain = lanes_select_below(moved - diffused, (real)0, diffused, moved), none = v * (real)0;
    return lanes_select_below(since, r->together, none + r->half_tolerance_mV, none + r->tolerance_mV) -
           strain;
}
