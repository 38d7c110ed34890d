/* The time step of LANES cells in an ionic model's equations (NAME_kernel.c): the same for all, or individual with multirate stepping
 * (solver/kernels/multirate.h).
 *
 * Include solver/kernels/lanes.h first. */
#pragma once

#include <stdbool.h>

typedef struct pace {
    lanes dt;     /* [ms] step of the states of each cell */
    real step;    /* [ms] the time step, in which V advances */
    bool relaxes; /* dt can be many time steps; false: dt = step. Known to the compiler */
} pace;

/* Selects a gate's value after dt: by forward Euler in cells that advance by one time step, otherwise by relaxation at a constant V. */
static inline lanes pace_choose(pace p, lanes euler, lanes relaxed)
{
    return p.relaxes ? lanes_select_below(p.dt, (real)1.5 * p.step, euler, relaxed) : euler;
}
