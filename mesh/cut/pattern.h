/* Sparsity pattern of a matrix: the elements that the row of each element reads. With an operator on the vertices of a mesh, "elements" are
 * vertices. */
#pragma once

#include "mesh/adjacency.h"

/* Stored rows of equal width, padded with the element itself; or of different lengths, if `start` is not NULL; or, if `columns` is NULL,
 * the rings of an adjacency (mt_adjacency_ring), computed at each access without storage. All arrays are borrowed. */
typedef struct mt_pattern {
    size_t n_elements, width;      /* width is MT_RING_MAX for rings; of different lengths: the longest */
    const uint32_t *columns;       /* [n_elements][width], or [start[n_elements]] */
    const mt_adjacency *adjacency; /* used if `columns` is NULL */
    const size_t *start; /* [n_elements + 1] row i begins at columns[start[i]]; NULL: rows of equal width */
} mt_pattern;

/* Returns the row of an element, with mt_pattern_length entries: stored, or computed in `ring`. */
static inline const uint32_t *mt_pattern_row(
    const mt_pattern *pattern, size_t element, uint32_t ring[MT_RING_MAX])
{
    if (pattern->start) return pattern->columns + pattern->start[element];
    if (pattern->columns) return pattern->columns + pattern->width * element;
    (void)mt_adjacency_ring(pattern->adjacency, element, ring);
    return ring;
}

/* Returns the number of entries of a row, with padding. */
static inline size_t mt_pattern_length(const mt_pattern *pattern, size_t element)
{
    return pattern->start ? pattern->start[element + 1] - pattern->start[element] : pattern->width;
}
