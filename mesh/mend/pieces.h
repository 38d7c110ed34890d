/* The pieces of a mesh whose elements are told one by one to belong together. */
#pragma once

#include "mesh/adjacency.h"

typedef struct mt_pieces {
    size_t n;         /* pieces; known after mt_pieces_end, as `largest` is */
    uint32_t *first;  /* [n_elements] after mt_pieces_end: the first element of an element's piece */
    uint32_t largest; /* first element of the largest piece, by volume; of equals the first */
} mt_pieces;

/* Every element a piece of its own. MT_MEMORY. */
MT_NODISCARD mt_status mt_pieces_begin(mt_arena *arena, size_t n_elements, mt_pieces *pieces);

/* The elements of these n faces are in one piece. */
void mt_pieces_join(mt_pieces *pieces, const mt_face *run, size_t n);

/* Counts and weighs them. MT_MEMORY. */
MT_NODISCARD mt_status mt_pieces_end(mt_arena *scratch, const mt_mesh *mesh, mt_pieces *pieces);
