/* Reduction of a tensor to one element, or of rows to one row, for those who write no codelets.
 *
 *     MT_TRY(ipu_reduce(graph, IPU_REDUCE_ADD, residuals, sum, &program));        // sum = all residuals together
 *     MT_TRY(ipu_reduce(graph, IPU_REDUCE_MAXIMUM, matrix, row, &program));       // row[c] = the largest of column c
 *
 * First every worker reduces its share of what its tile holds: vertices share the columns of rows that lie behind each other,
 * and then the rows. Where each tile holds all rows of its columns, and has their results, that is all. Otherwise the parts
 * of each chip come together in a tree, and at last those of all chips, where the result lies. Columns of which other tiles
 * hold parts have a tree of their own, with the same steps.
 *
 * A tile may first bring the parts of its workers together; some tiles, or all, send to one; and the k tiles that hold c
 * columns may share them: each brings c / k of them together, and delivers these in a step of its own. What of this is done
 * takes the fewest cycles by this law, for k tiles of w parts of c columns each (of a tile by itself without receive):
 *
 *     combine(k, w, c) = receive(k, w c) + worker_contexts x worker(k w rows, the columns of one worker)
 *     receive(k, n)    = sync + exchange_fixed + k (n + fragment)
 *
 * ipu/library/reduction.h tells what a worker takes. The law looks at the columns with most tiles, as if there were no others.
 *
 * Halves are reduced as floats, whatever the result is, and rounded once, at its end; the vendor does so in sums and
 * products. Sums are rounded in the order of this tree, so that other mappings and machines give other last bits. Ints are
 * counted modulo 2^32. */
#pragma once

#include "ipu/graph/program.h"
#include "ipu/library/reduction.h"

/* Adds variables and compute sets to the graph and gives, in its arena, the program that writes the reduction of `in` to
 * `out`, both mapped: `in` is rows of as many elements as `out` has, at least one of each, one row behind the other. From
 * float or half to float or half, or int to int. MT_INPUT: this does not hold. MT_MEMORY. */
MT_NODISCARD mt_status ipu_reduce(
    ipu_graph *graph, ipu_reduction reduction, ipu_tensor in, ipu_tensor out, const ipu_program **program);
