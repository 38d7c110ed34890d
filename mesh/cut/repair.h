/* Puts the sizes of parts right that a partitioner left wrong: parts with too few elements are filled, parts with too many
 * are drained, with few moves. Knows a dual graph and who owns each element.
 *
 * Where a part has elements to spare, the nearest one (fewest parts on the way) that lacks elements gets them by a chain: each
 * part on the way hands an element on to the next. Of the elements on the border between the two it is the one with the most
 * faces towards the next part and the fewest to its own, so that parts mostly stay in one piece. */
#pragma once

#include "mesh/adjacency.h"

/* Moves elements between the n_parts parts (part[n_elements], changed in place) until each has `least` to `most` elements, and
 * counts the moves. Sizes that are right already change nothing; a part that is not at either end of a chain keeps its
 * size. Elements only move to a part that they touch, except: the first element of an empty part is taken from a largest part,
 * and where no chain leads from a full part to one with room (the mesh has several pieces) an element jumps. Deterministic.
 * MT_INPUT: n_elements outside n_parts * least .. n_parts * most. MT_MEMORY. Time O(n_elements), one search for each
 * filled or drained part, which goes on where it stopped for each further element, and for each move the elements of the smaller of
 * the two parts and those of the parts around whose neighbours the search must look at again. So n log n where parts are off
 * by a few elements; many elements in one part that is to be drained cost their square. */
MT_NODISCARD mt_status mt_repair_parts(const mt_adjacency *adjacency, uint32_t n_parts, size_t least,
    size_t most, uint32_t *part, size_t *moves);
