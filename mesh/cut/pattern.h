/* Sparsity pattern of a matrix with rows of equal width: the elements that the row of each element reads. */
#pragma once

#include "mesh/adjacency.h"

/* Stored rows or, if `columns` is NULL, the rings of an adjacency (mt_adjacency_ring), computed at each access without storage. Rows are
 * padded with the element itself. */
typedef struct mt_pattern {
    size_t n_elements, width;      /* width is MT_RING_MAX for rings */
    const uint32_t *columns;       /* [n_elements][width], borrowed */
    const mt_adjacency *adjacency; /* borrowed; used if `columns` is NULL */
} mt_pattern;

/* Returns the row of an element: stored, or computed in `ring`. */
static inline const uint32_t *mt_pattern_row(
    const mt_pattern *pattern, size_t element, uint32_t ring[MT_RING_MAX])
{
    if (pattern->columns) return pattern->columns + pattern->width * element;
    (void)mt_adjacency_ring(pattern->adjacency, element, ring);
    return ring;
}
