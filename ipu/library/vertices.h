/* Utilities of the library's functions: the ranges of a tensor, each with separate vertices, and the memory of vertices. */
#pragma once

#include "ipu/graph/graph.h"

/* Assumed sizes of a codelet's code, and of a vertex's pointers and sizes; no public source has them. */
enum { IPU_LIBRARY_CODE_BYTES = 256, IPU_LIBRARY_VERTEX_BYTES = 16 };

/* Writes n codelets after the first `at` of a list (may be NULL); returns the new number (ipu/library/codelets.h). */
size_t ipu_list_codelets(const ipu_codelet **list, size_t at, const ipu_codelet *codelets, size_t n);

/* A part of a tensor that is contiguous on a tile. */
typedef struct ipu_tile_range {
    uint32_t tile;
    ipu_slice slice;
    size_t at;    /* its first element, in the tensor */
    size_t there; /* its first element, in the tile's part of the variable, which is contiguous there */
} ipu_tile_range;

/* Lists in `arena` the ranges of a tensor, in its order; `what` names the caller. Fails with MT_INPUT if an element is not
 * mapped, or with MT_MEMORY. */
MT_NODISCARD mt_status ipu_ranges_of(mt_arena *arena, const ipu_graph *graph, ipu_tensor tensor,
    const char *what, ipu_tile_range **ranges, size_t *n);

/* Sets *share to true if any element is in both tensors. MT_MEMORY. */
MT_NODISCARD mt_status ipu_tensors_share(const ipu_graph *graph, ipu_tensor a, ipu_tensor b, bool *share);

/* A block of a tensor of consecutive rows of `width` elements: columns [column, column + columns) of rows [row, row + rows),
 * contiguous on a tile, starting at `there` in its part of a variable. */
typedef struct ipu_block {
    uint32_t tile, variable;
    size_t row, rows, column, columns, there;
} ipu_block;

/* Lists in `arena` the blocks of a tensor, each with all contiguous rows, by column, number of columns and row. Otherwise as
 * above. */
MT_NODISCARD mt_status ipu_blocks_of(mt_arena *arena, const ipu_graph *graph, ipu_tensor tensor, size_t width,
    const char *what, ipu_block **blocks, size_t *n);

/* Creates a tensor of the rows and columns of a block, taken from `whole`, with any layout. `room` has space for the slices of
 * `whole`, plus one per row. MT_MEMORY. */
MT_NODISCARD mt_status ipu_columns_of(ipu_graph *graph, ipu_tensor whole, size_t width,
    const ipu_block *block, ipu_slice *room, ipu_tensor *tensor);
