/* Levelling of parts with weighted elements: reduces the sums of weights of parts above a bound.
 *
 * The heaviest part hands elements at its border to adjacent parts. Each time it is the element with the most edges to the receiving part
 * and the fewest to its own, among those after whose move the receiver is not above the bound, or at least lighter than the giver was, and
 * does not exceed a number of elements. A part that has no such element stays as it is. */
#pragma once

#include "mesh/cut/cut_graph.h"

/* Levels the n_parts parts of a graph, part[n_nodes] in place, until no sum of weights is above `most` or no move is left; no part above
 * `most_nodes` nodes gets one. Returns the number of moves. The largest sum never increases, and no part becomes empty. Does nothing if no
 * part is above the bound. Deterministic. MT_MEMORY. Time: O(n_nodes + edges), and for each move a pass over the parts and over the
 * elements of one part. At most 4 n_nodes moves. */
MT_NODISCARD mt_status mt_level_parts(const mt_cut_graph *graph, uint32_t n_parts, uint64_t most,
    size_t most_nodes, uint32_t *part, size_t *moves);
