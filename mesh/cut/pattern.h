/* Which elements the row of each element reads: the sparsity of a matrix whose rows all have the same width. */
#ifndef MT_MESH_CUT_PATTERN_H
#define MT_MESH_CUT_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* Padding of a row repeats the row itself. */
typedef struct mt_pattern {
    size_t n_elements, width;
    const uint32_t *columns; /* [n_elements][width], borrowed */
} mt_pattern;

static inline const uint32_t *mt_pattern_row(const mt_pattern *pattern, size_t element)
{
    return pattern->columns + pattern->width * element;
}

#endif
