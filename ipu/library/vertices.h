/* What the functions of the library share: the ranges of a tensor, each of which gets vertices of its own, and the memory of these. */
#ifndef IPU_LIBRARY_VERTICES_H
#define IPU_LIBRARY_VERTICES_H

#include "ipu/graph/graph.h"

/* As nothing public tells: of the code of a codelet, and of a vertex's pointers and sizes. */
enum { IPU_LIBRARY_CODE_BYTES = 256, IPU_LIBRARY_VERTEX_BYTES = 16 };

/* Part of a tensor that lies together on a tile. */
typedef struct ipu_tile_range {
    uint32_t tile;
    ipu_slice slice;
    size_t at;    /* its first element, in the tensor */
    size_t there; /* its first element, in the tile's part of the variable, which is contiguous there */
} ipu_tile_range;

/* Gives in `arena` the ranges of a tensor, in its order; `what` names the caller. MT_INPUT: an element is mapped to no tile.
 * MT_MEMORY. */
MT_NODISCARD mt_status ipu_ranges_of(mt_arena *arena, const ipu_graph *graph, ipu_tensor tensor,
    const char *what, ipu_tile_range **ranges, size_t *n);

#endif
