/* How LANES cells take their step in an ionic model's equations (NAME_kernel.c). The time step is the same for all, or individual with
 * multirate stepping (solver/kernels/multirate.h). Functions of V are computed, or read from tables (solver/kernels/tables.h).
 *
 * Include solver/kernels/lanes.h first. */
#pragma once

#include <stdbool.h>

typedef struct pace {
    lanes dt;     /* [ms] step of the states of each cell */
    real step;    /* [ms] the time step, in which V advances */
    bool relaxes; /* dt can be many time steps; false: dt = step. Known to the compiler */
    /* Source of the functions of V, known to the compiler. FUNCTIONS_STORED: they are computed, and stored for a table; the results of the
     * step are not used. FUNCTIONS_READ: from the table. */
    enum { FUNCTIONS_COMPUTED, FUNCTIONS_STORED, FUNCTIONS_READ } functions;
    lanes *of_v; /* if not FUNCTIONS_COMPUTED: the functions of V, in an order defined by the model */
} pace;

/* Returns the k-th function of V. `computed` is its value, which the compiler omits if it is read. In the instruction tally functions are
 * always computed; without a call, which would reorder the instructions. */
#ifdef MT_TALLY
#    define function_of_v(p, k, computed) (computed)
#else
static inline lanes function_of_v(pace p, int k, lanes computed)
{
    if (p.functions == FUNCTIONS_READ) return p.of_v[k];
    if (p.functions == FUNCTIONS_STORED) p.of_v[k] = computed;
    return computed;
}
#endif

/* Selects a gate's value after dt: by forward Euler in cells that advance by one time step, otherwise by relaxation at a constant V. */
static inline lanes pace_choose(pace p, lanes euler, lanes relaxed)
{
    return p.relaxes ? lanes_select_below(p.dt, (real)1.5 * p.step, euler, relaxed) : euler;
}
