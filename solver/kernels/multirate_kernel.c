/* Who is evaluated in a multirate step (solver/kernels/kernels.h), in single precision. */
#include "solver/kernels/lanes.h"
#include "solver/kernels/multirate_equations.h"
#include "solver/kernels/kernels.h"

#ifndef MT_DOUBLE

/* Of LANES cells from one on, those whose margin is below 0. */
static void count_lanes(lanes margin, size_t first, size_t n, size_t workers, size_t *evaluated)
{
    real each[LANES];
    lanes_store(each, margin);
    for (size_t lane = 0, worker = first % workers; lane < n; lane++) {
        evaluated[worker] += each[lane] < 0;
        worker = worker + 1 == workers ? 0 : worker + 1;
    }
}

static lanes load_some(const real *from, size_t n)
{
    real each[LANES] = {0};
    for (size_t lane = 0; lane < n; lane++) each[lane] = from[lane];
    return lanes_load(each);
}

void MT_KERNEL(multirate_evaluated)(const mt_multirate_step *step, size_t n, const float *v,
    const float *kept, const float *change, const float *since, size_t workers, size_t *evaluated)
{
    const multirate_rule rule = multirate_rule_of(step);
    size_t cell = 0;
    for (; cell + LANES <= n; cell += LANES) {
        const lanes margin = multirate_margin(&rule, lanes_load(v + cell), lanes_load(kept + cell),
            lanes_load(change + cell), lanes_load(since + cell) + 1);
        if (lanes_any_below(margin, 0)) count_lanes(margin, cell, LANES, workers, evaluated);
    }
    const size_t left = n - cell;
    const lanes margin = multirate_margin(&rule, load_some(v + cell, left), load_some(kept + cell, left),
        load_some(change + cell, left), load_some(since + cell, left) + 1);
    count_lanes(margin, cell, left, workers, evaluated);
}

#endif
