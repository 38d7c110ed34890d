/* Reduction of a tensor of floats to one element, for those who write no codelets.
 *
 *     MT_TRY(ipu_reduce(graph, IPU_REDUCE_ADD, residuals, sum, &program));        // sum = all residuals together
 *
 * First every worker reduces its share of what its tile holds. Then the parts of each chip come together in a tree, and at last those
 * of all chips, on the tile of the result. Whether a tile first brings the parts of its workers together, and how many tiles of the
 * tree send to one, is what takes the fewest cycles by this law, for k tiles of w parts each:
 *
 *     combine(k, w) = sync + exchange_fixed + k (w + fragment) + worker_contexts x worker(k w)
 *
 * (of a tile by itself only the last). A vertex of n elements takes, on one worker, what the vendor's own estimator says of a reduction to
 * one element (github.com/graphcore/poplibs, lib/popops/reduction/CycleEstimationFunctions.cpp, single input):
 *
 *     add       17 + n / 2 + n mod 4
 *     others    17 + n / 2 + n mod 2
 *
 * Sums are rounded in the order of this tree, so that other mappings and machines give other last bits. */
#ifndef IPU_LIBRARY_REDUCE_H
#define IPU_LIBRARY_REDUCE_H

#include "ipu/graph/program.h"

typedef enum ipu_reduction {
    IPU_REDUCE_ADD,
    IPU_REDUCE_MULTIPLY,
    IPU_REDUCE_MAXIMUM,
    IPU_REDUCE_MINIMUM,
    IPU_REDUCTIONS
} ipu_reduction;

/* Adds variables and compute sets to the graph and gives, in its arena, the program that writes the reduction of all elements of `in`, at least
 * one, to `out`, one element. Both are floats and mapped. MT_INPUT: they are not as said. MT_MEMORY. */
MT_NODISCARD mt_status ipu_reduce(
    ipu_graph *graph, ipu_reduction reduction, ipu_tensor in, ipu_tensor out, const ipu_program **program);

#endif
