/* Correction of part sizes after partitioning: fills parts with too few elements and drains parts with too many, with few moves. Depends
 * only on the graph and the owner of each element; "faces" are its edges. Sizes are numbers of elements, whatever their weights.
 *
 * Elements move from a part with a surplus to the nearest part with a deficit (in number of parts) along a chain: each part hands an
 * element to the next. Among the elements on the border of the two, it hands over the one with the most faces to the next part and the
 * fewest to its own, so that most parts remain connected. */
#pragma once

#include "mesh/cut/cut_graph.h"

/* Moves elements between the n_parts parts (part[n_elements], in place) until each has `least` to `most` elements; returns the number of
 * moves in *moves. Does nothing if all sizes are valid; parts inside a chain keep their sizes. Elements move only to parts that they touch,
 * with two exceptions: the first element of an empty part comes from a largest part, and an element jumps if no chain connects the two
 * parts (the mesh has several components). Deterministic.
 * MT_INPUT: n_elements outside n_parts * least .. n_parts * most. MT_MEMORY. Time: O(n_elements); one search per filled or drained part,
 * which resumes for each further element; and, per move, the elements of the smaller of the two parts and of surrounding parts with changed
 * neighbours. This is O(n log n) if sizes are wrong by a few elements, and quadratic in the number of elements drained from one part. */
MT_NODISCARD mt_status mt_repair_parts(
    const mt_cut_graph *graph, uint32_t n_parts, size_t least, size_t most, uint32_t *part, size_t *moves);
