/* What the machine can do at most, measured: the limits that figures are shares of.
 *
 *   multiply-adds   independent chains of fused multiply-adds in registers, two flops each; without such instructions (base) a product
 *                   and a sum. No code has more flops a second; one that is not made of multiply-adds alone has fewer
 *   clock           sums of which each waits for the one before: one a cycle
 *   stream          memory larger than the caches, read in order by all threads
 *
 * A flop is a sum, a product, a division or a square root; a fused multiply-add is two. exp, expm1 and log count as what
 * solver/kernels/functions.h makes them of, but for bounds, choices and powers of 2. A division by a number that the compiler knows is
 * one. What a cell, a row and a record take follows from the tally of their instructions (ipu/cost/mix.h). */
#pragma once

#include "benchmarks/rounds.h"
#include "ipu/cost/mix.h"
#include "solver/kernels/kernels.h"

/* Turns of the chains by threads of their own; gives the flops of one thread. */
typedef double bench_multiply_adds(size_t turns);

/* Adds the clock, and gives its number. */
int bench_add_clock(bench_list *list);

/* Adds the figure of an arithmetic and an instruction set, by one thread or by all, and gives its number; its ratio to the clock is
 * flops a cycle. */
int bench_add_multiply_adds(
    bench_list *list, const mt_kernels *kernels, bool is_double, int threads, int clock);

/* Adds the stream [B/s], of memory in `arena`, and gives its number. */
int bench_add_stream(bench_list *list, mt_arena *arena);

/* The flops of a function, and of one turn of a mix. */
double bench_flops_of_function(mt_function f, bool is_double);
double bench_flops(const ipu_mix *mix, bool is_double);
