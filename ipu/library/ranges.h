/* The parts of a tensor that lie together on a tile. */
#ifndef IPU_LIBRARY_RANGES_H
#define IPU_LIBRARY_RANGES_H

#include "ipu/graph/graph.h"

typedef struct ipu_range {
    uint32_t tile;
    ipu_slice slice;
    size_t at; /* its first element, in the tensor */
} ipu_range;

/* Gives in `arena` the ranges of a tensor, in its order; `what` names the caller. MT_INPUT: an element is mapped to no tile.
 * MT_MEMORY. */
MT_NODISCARD mt_status ipu_ranges_of(mt_arena *arena, const ipu_graph *graph, ipu_tensor tensor,
    const char *what, ipu_range **ranges, size_t *n);

#endif
