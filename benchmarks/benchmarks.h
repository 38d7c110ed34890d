/* The benchmarks: each adds its figures to a list and measures them (benchmarks/rounds.h). `mesh`: as for slab_make; ignored by
 * benchmarks without a mesh. */
#pragma once

#include "benchmarks/rounds.h"

typedef void bench_run(bench_list *list, const char *mesh);

bench_run bench_cells, bench_functions, bench_models, bench_machine, bench_recording, bench_setup,
    bench_memory, bench_growth, bench_gpu, bench_gpu_run;

/* Runs shell commands in turns, with the first as baseline, and reports processor seconds and peak memory of each. */
void bench_compare(bench_list *list, int n, char *const *command);
