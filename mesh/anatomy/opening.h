/* Wide tissue: a morphological opening of the conducting elements.
 *
 * Wide are the elements in balls that touch no non-conducting element and have a radius of at least that of wide tissue, in pieces of at
 * least some number of elements. The other conducting elements are narrow. */
#pragma once

#include "mesh/anatomy/clearance.h"

typedef enum mt_width { MT_NON_CONDUCTING, MT_NARROW, MT_WIDE } mt_width;

/* Finds the width (mt_width) of each element, in `arena`. Borrows all arguments for the call; conducting[n_elements]: 0 for non-conducting
 * elements. Measures vertices of `clearance`, which has an interface. piece_min: elements; smaller pieces of wide tissue are narrow.
 * MT_MEMORY. Time: O(n log n) in practice. */
MT_NODISCARD mt_status mt_opening_make(mt_arena *arena, const mt_adjacency *adjacency,
    const uint8_t *conducting, mt_clearance *clearance, size_t piece_min, uint8_t **width);
