/* Rows of V^-1 M (solver/diffusion/diffusion.h), made of stars. */
#pragma once

#include "solver/diffusion/stars.h"

enum { MT_ROW = MT_RING_MAX }; /* off-diagonals */

/* Fills the row of an element of the mesh from stars along a walk: columns [16] ascend, padded with the element itself and rate 0. */
void mt_rows_along(const mt_stars *stars, size_t element, uint32_t *column, double *rate);

/* Room for rows made anew, of stars that stand as the mesh's elements do and of which theta and volume are known (mt_stars_one): a list
 * of elements at a time, whose stars and those of their neighbours are made once for the list. */
typedef struct mt_rows {
    const mt_stars *stars;
    size_t most;
    double *rate;      /* [most][16] */
    uint32_t *element; /* those of the list, and behind them their neighbours */
    double *star;      /* [16] of each */
    uint32_t *place;   /* [n] where an element is among them; UINT32_MAX between calls */
} mt_rows;

/* Gives room for lists of at most `most` elements in `arena`: 4 bytes an element of the mesh, and 788 one of the list. MT_MEMORY. */
MT_NODISCARD mt_status mt_rows_room(mt_arena *arena, const mt_stars *stars, size_t most, mt_rows *rows);

/* Gives the rates [n][16] of the rows of n different elements, until the next call; columns are mt_adjacency_ring. */
const double *mt_rows_of(const mt_rows *rows, size_t n, const uint32_t *element);
