/* The benchmarks: each fills its list with figures and measures it (benchmarks/rounds.h). `mesh` is as slab_make takes it; those that
 * need none do not look at it. */
#pragma once

#include "benchmarks/rounds.h"

typedef void bench_run(bench_list *list, const char *mesh);

bench_run bench_cells, bench_functions, bench_machine, bench_recording, bench_setup, bench_memory,
    bench_growth;

/* Commands of a shell in turns, the first being the baseline: seconds of the processor and the most memory of each. */
void bench_compare(bench_list *list, int n, char *const *command);
