/* Reduction of a tensor to one element, or of rows to one row, without writing codelets.
 *
 *     MT_TRY(ipu_reduce(graph, IPU_REDUCE_ADD, residuals, sum, &program));        // sum = sum over all residuals
 *     MT_TRY(ipu_reduce(graph, IPU_REDUCE_MAXIMUM, matrix, row, &program));       // row[c] = the largest of column c
 *
 * First every worker reduces its share of the data of its tile: vertices share the columns of contiguous rows, and then the
 * rows. If each tile has all rows of its columns, and their results, nothing else is necessary. Otherwise the partial results
 * of each chip are combined in a tree, and finally those of all chips, on the tile of the result. Columns with partial results
 * on a different set of tiles have a separate tree with the same steps.
 *
 * A tile can first combine the partial results of its workers. Then some or all tiles send to one. Alternatively, k tiles with
 * c columns each share them: each tile combines c / k of them, and delivers these in a separate step. The method with the
 * fewest cycles is selected by this law, for k tiles with w partial results of c columns each (without `receive` for a single
 * tile):
 *
 *     combine(k, w, c) = receive(k, w c) + worker_contexts x worker(k w rows, the columns of one worker)
 *     receive(k, n)    = sync + exchange_fixed + k (n + fragment)
 *
 * ipu/library/reduction.h has the cycles of a worker. The law considers only the columns with most tiles.
 *
 * Halves are reduced as floats, for any type of result, and rounded once, at the end; the vendor does so for sums and products.
 * Sums are rounded in the order of this tree, so other mappings and machines yield different last bits. Int arithmetic is
 * modulo 2^32. */
#pragma once

#include "ipu/graph/program.h"
#include "ipu/library/reduction.h"

/* Adds variables and compute sets to the graph and builds, in its arena, the program that writes the reduction of `in` to
 * `out`. Both are mapped. `in` consists of consecutive rows of the length of `out`, at least one row of at least one element.
 * From float or half to float or half, or int to int. Fails with MT_INPUT otherwise, or with MT_MEMORY. */
MT_NODISCARD mt_status ipu_reduce(
    ipu_graph *graph, ipu_reduction reduction, ipu_tensor in, ipu_tensor out, const ipu_program **program);
