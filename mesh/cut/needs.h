/* The elements of one part, and which other parts need each of them: all that a separator scheme sees of a part. The words
 * are those of mesh/cut/halo.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All borrowed. */
typedef struct mt_needs {
    uint32_t part;
    uint32_t n_own, n_neighbours;
    const uint32_t *element;   /* [n_own] global ids, ascending */
    const size_t *need_offset; /* element c is needed by need_part[need_offset[c] .. need_offset[c + 1]) */
    const uint32_t *need_part; /* ascending within an element, never the part itself */
    const uint32_t *neighbour; /* [n_neighbours] the parts that need some element, ascending */
} mt_needs;
