/* Rows of V^-1 M (solver/diffusion/diffusion.h), computed from stars. */
#pragma once

#include "solver/diffusion/stars.h"

enum { MT_ROW = MT_RING_MAX }; /* off-diagonals */

/* Computes the row of an element of the mesh from stars in an element order: columns [16] ascend, padded with the
 * element and rate 0. */
void mt_rows_ordered(const mt_stars *stars, size_t element, uint32_t *column, double *rate);

/* Work space for recomputing rows, from stars in the mesh's own order with known theta and volume
 * (mt_stars_some). The stars of a list of elements and of their neighbours are computed once per list. */
typedef struct mt_rows {
    const mt_stars *stars;
    size_t most;
    double *rate;      /* [most][16] */
    uint32_t *element; /* the elements of the list, then their neighbours */
    double *star;      /* [16] of each */
    uint32_t *place;   /* [n] index of an element in `element`; UINT32_MAX between calls */
} mt_rows;

/* Allocates in `arena` for lists of at most `most` elements: 4 bytes per element of the mesh, 788 per element
 * of the list. MT_MEMORY. */
MT_NODISCARD mt_status mt_rows_allocate(mt_arena *arena, const mt_stars *stars, size_t most, mt_rows *rows);

/* Returns the rates [n][16] of n different elements, valid until the next call; the columns are
 * mt_adjacency_ring. */
const double *mt_rows_of(const mt_rows *rows, size_t n, const uint32_t *element);
