/* Dynamic slices, without writing codelets: rows of a tensor, starting at an index that is known only while the program runs.
 *
 *     MT_TRY(ipu_add_dynamic_slice(graph, set, history, 100, turn, now));      // now = history[turn]
 *     MT_TRY(ipu_add_dynamic_update(graph, set, now, turn, history, 100));     // history[turn] = now
 *
 * A tensor of n elements is `rows` consecutive rows of n / rows elements; the other tensor is one or several rows. The index is
 * one unsigned int on any tile, sent to every tile that needs it. Rows wrap around: the last is followed by the first. An index
 * of `rows` or more has no effect: all elements are unchanged. Both are the defaults of the vendor's vertices. Rows of other
 * tiles are sent for any index, so a checked run stops if one was never written.
 *
 * Each range of columns of the written tensor on a tile has a multi-worker vertex, provided that its rows are contiguous there:
 *
 *     row 0: [columns a to b on tile 0 | columns b to c on tile 1], row 1: the same, ...
 *
 * as is the case if all rows have the same mapping and each tile has one range of it. An update requires this. A slice allows
 * any layout, with a vertex for each piece of a row if necessary. A vertex of a slice reads its columns of all rows. Data on
 * its own tile, in one range, are free, so the above mapping is the best for both tensors. All rows of other data are
 * exchanged, because the index is unknown in advance.
 *
 * For c columns and k rows of the smaller tensor, with w = worker_contexts and m = ceil(c / w), a vertex has the cost of the
 * vendor's estimator for DynamicSlice1D and DynamicUpdateSlice1D (github.com/graphcore/poplibs,
 * lib/popops/popopsCycleEstimators.cpp):
 *
 *     entry 25, worker 39 + k (24 + 2 floor(m / 2))     float, int, unsigned int
 *                      39 + k (24 + 2 floor(m / 4))     half, unsigned short
 *                      76 + k (72 + 2 floor(m / 4))     bool
 *
 * On a machine that issues single instructions (ipu/machine/target.h) an element takes load, store, two addresses and loop
 * (ipu/cost/mix.h), words in vectors of floats, two bytes in vectors of halves.
 *
 * The estimator has no unsigned shorts (here: as halves). The vendor combines several ranges of a tile in single-worker vertices; here
 * each range has a separate multi-worker vertex. */
#pragma once

#include "ipu/graph/graph.h"

/* Both tensors have the same type; the written one is mapped. Fails with MT_MEMORY, or with MT_INPUT if this does not hold, the
 * smaller tensor is not one or several rows of the other or has more, an element is in both, or the rows of an update do not
 * have the above layout. */

/* Sets `out` to rows index, index + 1, ... of `in`. */
MT_NODISCARD mt_status ipu_add_dynamic_slice(
    ipu_graph *graph, uint32_t compute_set, ipu_tensor in, size_t rows, ipu_tensor index, ipu_tensor out);

/* Sets rows index, index + 1, ... of `out` to `in`. */
MT_NODISCARD mt_status ipu_add_dynamic_update(
    ipu_graph *graph, uint32_t compute_set, ipu_tensor in, ipu_tensor index, ipu_tensor out, size_t rows);

/* Lists its codelets, as ipu_library_codelets does for all. */
size_t ipu_slice_codelets(const ipu_codelet **list);
