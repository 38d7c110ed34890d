/* The kernels of a time step on the whole mesh, by all threads: no tiles, no messages. In float and in double. */
#pragma once

#include "benchmarks/rounds.h"
#include "solver/monodomain.h"

typedef struct bare_figures {
    int cells, diffusion, record, step; /* numbers in the list; the step is their sum */
} bare_figures;

/* What an element takes of a kernel: flops by the tally (benchmarks/limits.h), and the bytes that must come and go once. All diffusion steps
 * of a time step together. */
typedef struct bare_work {
    double flops, bytes;
} bare_work;
bare_work bare_cells(bool is_double);
bare_work bare_diffusion(bool is_double, const mt_monodomain *problem, size_t column_bytes);
bare_work bare_record(bool is_double);

/* Adds the figures of an arithmetic, in ns an element; `like` is a figure with what they have in common. What they work on lies in
 * `arena`; borrows the problem. */
bare_figures bare_add_float(
    bench_list *list, mt_arena *arena, const mt_monodomain *problem, const bench_figure *like);
bare_figures bare_add_double(
    bench_list *list, mt_arena *arena, const mt_monodomain *problem, const bench_figure *like);
