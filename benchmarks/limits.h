/* Measured limits of the machine, to which other figures are compared.
 *
 *     multiply-adds   independent chains of fused multiply-adds in registers, two flops each; on the base instruction set, which
 *                     has no such instruction, a product and a sum. An upper bound of the flops per second of any code
 *     clock           a chain of dependent sums: one per cycle
 *     stream          memory larger than the caches, read in order by all threads
 *
 * A flop is a sum, a product, a division or a square root; a fused multiply-add is two flops. exp, expm1 and log count as the
 * operations of their implementation in solver/kernels/functions.h, except bounds, selections and powers of 2. A division by a
 * compile-time constant counts as one. The flops of a cell, a row and a record follow from the tally of their instructions
 * (ipu/cost/mix.h). */
#pragma once

#include "benchmarks/rounds.h"
#include "ipu/cost/mix.h"
#include "solver/kernels/kernels.h"

/* Runs `turns` iterations of the chains in the calling thread; returns its flops. */
typedef double bench_multiply_adds(size_t turns);

/* Adds the clock; returns its number. */
int bench_add_clock(bench_list *list);

/* Adds the figure of an arithmetic and an instruction set, by one thread or by all; returns its number. Its ratio to the clock is
 * in flops per cycle. */
int bench_add_multiply_adds(
    bench_list *list, const mt_kernels *kernels, bool is_double, int threads, int clock);

/* Adds the stream [B/s], with its memory in `arena`; returns its number. */
int bench_add_stream(bench_list *list, mt_arena *arena);

/* Return the flops of a function, and of one iteration of a mix. */
double bench_flops_of_function(mt_function f, bool is_double);
double bench_flops(const ipu_mix *mix, bool is_double);
