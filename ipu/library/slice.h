/* Dynamic slices, for those who write no codelets: rows of a tensor, from an index on that is known only while the program runs.
 *
 *     MT_TRY(ipu_add_dynamic_slice(graph, set, history, 100, turn, now));      // now = history[turn]
 *     MT_TRY(ipu_add_dynamic_update(graph, set, now, turn, history, 100));     // history[turn] = now
 *
 * A tensor of n elements is `rows` rows of n / rows elements, one behind the other; the other tensor is one of these rows or
 * several. The index is one unsigned int on any tile: it is sent to every tile that needs it. Rows are counted round: behind
 * the last comes the first. With an index of `rows` or more nothing is done, and all elements stay as they are. Both is so in
 * the vendor's vertices, unless told otherwise. Rows that come from other tiles come whatever the index is, so a checked run
 * stops where one was never written.
 *
 * Each range of columns that a tile holds of what is written has a vertex for all workers of the tile, if its rows lie behind
 * each other there:
 *
 *     row 0: [columns a to b on tile 0 | columns b to c on tile 1], row 1: the same, ...
 *
 * as when every row is mapped alike and each tile has one range of it. For an update this is required. A slice may lie in any
 * way, with a vertex for each piece of a row where it must. A vertex of a slice reads its columns of all rows. What lies on
 * its own tile, in one range, is free, so the best mapping of both tensors is the one above; what does not is exchanged, all
 * rows of it, since nobody knows before which one is meant.
 *
 * For c columns and k rows of the smaller tensor a vertex takes, by w = worker_contexts and with m = ceil(c / w), what the
 * vendor's own estimator says of DynamicSlice1D and DynamicUpdateSlice1D (github.com/graphcore/poplibs,
 * lib/popops/popopsCycleEstimators.cpp):
 *
 *     entry 25, worker 39 + k (24 + 2 floor(m / 2))     float, int, unsigned int
 *                      39 + k (24 + 2 floor(m / 4))     half, unsigned short
 *                      76 + k (72 + 2 floor(m / 4))     bool
 *
 * It knows no unsigned shorts, which take what halves take. Where the vendor joins several ranges of a tile in vertices of
 * one worker each, here each range has its own, of all workers. */
#pragma once

#include "ipu/graph/graph.h"

/* Both tensors are of one type, any; what is written is mapped. MT_INPUT: this does not hold; the smaller tensor is not one
 * row or several of the other, or has more; an element is in both; an update's rows do not lie as said. MT_MEMORY. */

/* `out` becomes rows index, index + 1, ... of `in`. */
MT_NODISCARD mt_status ipu_add_dynamic_slice(
    ipu_graph *graph, uint32_t compute_set, ipu_tensor in, size_t rows, ipu_tensor index, ipu_tensor out);

/* Rows index, index + 1, ... of `out` become `in`. */
MT_NODISCARD mt_status ipu_add_dynamic_update(
    ipu_graph *graph, uint32_t compute_set, ipu_tensor in, ipu_tensor index, ipu_tensor out, size_t rows);

/* Its codelets, as ipu_library_codelets gives those of all. */
size_t ipu_slice_codelets(const ipu_codelet **list);
