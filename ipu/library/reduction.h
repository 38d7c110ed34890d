/* The vertices of reductions: each reduces columns of rows on one worker.
 *
 * A vertex that reduces `rows` elements to one has the cost of the vendor's estimator for a reduction with a single input
 * (github.com/graphcore/poplibs, lib/popops/reduction/CycleEstimationFunctions.cpp), by the type of its input:
 *
 *                       float                        half                         int
 *     add       17 + rows / 2 + rows mod 4   17 + rows / 4 + rows mod 8   17 + rows
 *     others    17 + rows / 2 + rows mod 2   17 + rows / 4 + rows mod 4   17 + rows
 *
 * and 5 more if the result is no float. A vertex of several columns has the cost of its strided reduction,
 *
 *     16 + ceil(columns / e) (rows + turn)     turn: add 10, others 9; of halves 12 and 13
 *
 * with e elements in one load: 2 floats, 4 halves or 1 int, or a divisor of that which divides the row length. The estimator
 * has no products of halves (here: as maxima) and no ints (here: as floats). According to its documentation compiled vertices,
 * such as those of ints, take longer.
 *
 * On a machine that issues single instructions (ipu/machine/target.h) an element takes load, addition or the like, address and loop
 * (ipu/cost/mix.h), in vectors of rows or of columns, and a result its store. */
#pragma once

#include "ipu/graph/graph.h"

typedef enum ipu_reduction {
    IPU_REDUCE_ADD,
    IPU_REDUCE_MULTIPLY,
    IPU_REDUCE_MAXIMUM,
    IPU_REDUCE_MINIMUM,
    IPU_REDUCTIONS
} ipu_reduction;

/* Returns the number of columns of a group. Workers share columns in groups; a vertex of several columns loads a group
 * together. */
size_t ipu_reduced_at_once(ipu_type type);

const char *ipu_reduction_name(ipu_reduction reduction);

/* Adds at most `shares` vertices on a tile that reduce `in`, rows of the length of `out`, to `out`. From float to float or
 * half, half to float, int to int. The layout of both tensors must suit vertices of the tile. MT_MEMORY. */
MT_NODISCARD mt_status ipu_add_reduction(ipu_graph *graph, uint32_t set, ipu_reduction reduction,
    uint32_t tile, ipu_tensor in, ipu_tensor out, size_t shares);

/* Returns the tile cycles, without entries, in which all workers together reduce rows of floats or ints to the same type. */
uint64_t ipu_reduction_cycles(
    const ipu_target *target, ipu_reduction reduction, ipu_type type, size_t rows, size_t columns);

/* Lists its codelets, as ipu_library_codelets does for all. */
size_t ipu_reduction_codelets(const ipu_codelet **list);
