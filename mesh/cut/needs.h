/* The input of a separator scheme: the elements of one part, and the other parts that need each of them. Terms as in mesh/cut/halo.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The needs of one part; all arrays are borrowed. */
typedef struct mt_needs {
    uint32_t part;
    uint32_t n_own, n_neighbours;
    const uint32_t *element;   /* [n_own] global ids, ascending */
    const size_t *need_offset; /* element c is needed by need_part[need_offset[c] .. need_offset[c + 1]) */
    const uint32_t *need_part; /* ascending within an element, without the part itself */
    const uint32_t *neighbour; /* [n_neighbours] parts that need at least one element, ascending */
} mt_needs;
