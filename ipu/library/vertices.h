/* What the functions of the library share: the ranges of a tensor, each of which gets vertices of its own, and the memory of
 * these. */
#pragma once

#include "ipu/graph/graph.h"

/* As nothing public tells: of the code of a codelet, and of a vertex's pointers and sizes. */
enum { IPU_LIBRARY_CODE_BYTES = 256, IPU_LIBRARY_VERTEX_BYTES = 16 };

/* Writes n codelets behind the first `at` of a list, which may be NULL; answers the new number (ipu/library/codelets.h). */
size_t ipu_list_codelets(const ipu_codelet **list, size_t at, const ipu_codelet *codelets, size_t n);

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

/* Gives whether any element is in both tensors. MT_MEMORY. */
MT_NODISCARD mt_status ipu_tensors_share(const ipu_graph *graph, ipu_tensor a, ipu_tensor b, bool *share);

/* Of a tensor as rows of `width` elements, one behind the other: columns [column, column + columns) of rows [row, row +
 * rows), which lie behind each other on a tile, from `there` on in its part of a variable. */
typedef struct ipu_block {
    uint32_t tile, variable;
    size_t row, rows, column, columns, there;
} ipu_block;

/* Gives in `arena` the blocks of a tensor, each of as many rows as lie behind each other, by column, number of columns and
 * row. The rest is as above. */
MT_NODISCARD mt_status ipu_blocks_of(mt_arena *arena, const ipu_graph *graph, ipu_tensor tensor, size_t width,
    const char *what, ipu_block **blocks, size_t *n);

/* A tensor of the rows and columns of `whole` that a block says, wherever they lie. `room` has space for as many slices as
 * `whole` has, and one for each row. MT_MEMORY. */
MT_NODISCARD mt_status ipu_columns_of(ipu_graph *graph, ipu_tensor whole, size_t width,
    const ipu_block *block, ipu_slice *room, ipu_tensor *tensor);
