/* The connected pieces of a mesh, built by joining elements. */
#pragma once

#include "mesh/adjacency.h"

typedef struct mt_pieces {
    size_t n;         /* number of pieces; valid after mt_pieces_end, as is `largest` */
    uint32_t *first;  /* [n_elements] after mt_pieces_end: the first element of an element's piece */
    uint32_t largest; /* first element of the largest piece, by volume; of equal pieces the first */
} mt_pieces;

/* Begins with each element as its own piece. MT_MEMORY. */
MT_NODISCARD mt_status mt_pieces_begin(mt_arena *arena, size_t n_elements, mt_pieces *pieces);

/* Joins the elements of these n faces into one piece. */
void mt_pieces_join(mt_pieces *pieces, const mt_face *run, size_t n);

/* Counts the pieces and finds the largest. MT_MEMORY. */
MT_NODISCARD mt_status mt_pieces_end(mt_arena *scratch, const mt_mesh *mesh, mt_pieces *pieces);
