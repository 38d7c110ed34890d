/* How a cell model's equations (NAME_kernel.c) advance LANES cells: all by one time step, or with multirate stepping each by its own time
 * (solver/kernels/multirate.h).
 *
 * Include solver/kernels/lanes.h first. */
#pragma once

#include <stdbool.h>

typedef struct pace {
    lanes dt;     /* [ms] over which the states of each cell advance */
    real step;    /* [ms] the time step, over which V does */
    bool relaxes; /* dt may be many time steps; false: dt = step. Known to the compiler */
} pace;

/* A gate after dt: by forward Euler in cells that advance by one time step, and as it relaxes at a steady V in the others. */
static inline lanes pace_choose(pace p, lanes euler, lanes relaxed)
{
    return p.relaxes ? lanes_select_below(p.dt, (real)1.5 * p.step, euler, relaxed) : euler;
}
