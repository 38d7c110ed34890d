/* The kernels of a time step on the complete mesh, by all threads, without tiles and messages; in float and in double. */
#pragma once

#include "benchmarks/rounds.h"
#include "solver/monodomain.h"

typedef struct bare_figures {
    int cells, diffusion, record, step; /* numbers in the list; the step is the sum of the others */
} bare_figures;

/* Work of a kernel per element and time step, with all diffusion substeps: flops from the tally (benchmarks/limits.h), and the
 * minimum of bytes read and written. */
typedef struct bare_work {
    double flops, bytes;
} bare_work;
bare_work bare_cells(bool is_double);
bare_work bare_diffusion(bool is_double, const mt_monodomain *problem, double column_bytes);
bare_work bare_record(bool is_double);

/* Add the figures of an arithmetic, in ns per element, those of float also with tables of the functions of V; `like` is a figure with
 * their common members. Arrays are in `arena`; borrow the problem. */
bare_figures bare_add_float(
    bench_list *list, mt_arena *arena, const mt_monodomain *problem, const bench_figure *like);
bare_figures bare_add_double(
    bench_list *list, mt_arena *arena, const mt_monodomain *problem, const bench_figure *like);
