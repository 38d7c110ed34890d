/* Which elements the row of each element reads: the sparsity of a matrix whose rows all have the same width. */
#pragma once

#include "mesh/adjacency.h"

/* Rows that are kept, or, where `columns` is NULL, the rings of an adjacency (mt_adjacency_ring), which take no memory and some time
 * whenever they are asked for. Padding of a row repeats the row itself. */
typedef struct mt_pattern {
    size_t n_elements, width; /* of rings: MT_RING_MAX */
    const uint32_t *columns;  /* [n_elements][width], borrowed */
    const mt_adjacency *adjacency;
} mt_pattern;

/* The row of an element: kept, or made in `ring`. */
static inline const uint32_t *mt_pattern_row(
    const mt_pattern *pattern, size_t element, uint32_t ring[MT_RING_MAX])
{
    if (pattern->columns) return pattern->columns + pattern->width * element;
    (void)mt_adjacency_ring(pattern->adjacency, element, ring);
    return ring;
}
