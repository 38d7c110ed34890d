/* The vertices of reductions: each reduces columns of rows on one worker.
 *
 * A vertex of `rows` elements that reduces them to one takes what the vendor's own estimator says of a reduction with a single input
 * (github.com/graphcore/poplibs, lib/popops/reduction/CycleEstimationFunctions.cpp), by the type of its input:
 *
 *                       float                        half                         int
 *     add       17 + rows / 2 + rows mod 4   17 + rows / 4 + rows mod 8   17 + rows
 *     others    17 + rows / 2 + rows mod 2   17 + rows / 4 + rows mod 4   17 + rows
 *
 * and 5 more where the result is no float. A vertex of several columns takes what it says of a strided reduction,
 *
 *     16 + ceil(columns / e) (rows + turn)     turn: add 10, others 9; of halves 12 and 13
 *
 * with e elements in one load, 2 of floats, 4 of halves and 1 of ints, or what of these divides the elements of a row. Its
 * table has no products of halves, which take what maxima do, and no ints, which take what floats do. It says of itself that
 * compiled vertices, as those of ints are, take longer. */
#pragma once

#include "ipu/graph/graph.h"

typedef enum ipu_reduction {
    IPU_REDUCE_ADD,
    IPU_REDUCE_MULTIPLY,
    IPU_REDUCE_MAXIMUM,
    IPU_REDUCE_MINIMUM,
    IPU_REDUCTIONS
} ipu_reduction;

/* Workers share columns in groups of so many, which a vertex of several columns loads together. */
size_t ipu_reduced_at_once(ipu_type type);

const char *ipu_reduction_name(ipu_reduction reduction);

/* Adds vertices on a tile, at most `shares`, that reduce `in`, rows of as many elements as `out` has, to `out`. From float to
 * float or half, half to float, int to int. Both tensors are as vertices of the tile need them. MT_MEMORY. */
MT_NODISCARD mt_status ipu_add_reduction(ipu_graph *graph, uint32_t set, ipu_reduction reduction,
    uint32_t tile, ipu_tensor in, ipu_tensor out, size_t shares);

/* Tile cycles, without entries, in which all workers together reduce so many floats or ints to what they are. */
uint64_t ipu_reduction_cycles(
    const ipu_target *target, ipu_reduction reduction, ipu_type type, size_t rows, size_t columns);

/* Its codelets, as ipu_library_codelets gives those of all. */
size_t ipu_reduction_codelets(const ipu_codelet **list);
