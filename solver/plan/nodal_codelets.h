/* The codelets of voltages at the vertices (solver/diffusion/nodal.h): a diffusion step, also in double words, and the spreading of the
 * reaction's increments; and the products and costs of rows for solver/plan/implicit_codelets.h.
 *
 * The rows of a tile have different lengths. They are sorted by length, longest first, and stored in blocks of 16 with as many entries as
 * the longest row of the block, as in solver/kernels/sliced.h. Unlike there the last block has only the lanes of its rows: entry k of row r
 * is at
 *
 *     16 S + w k + r mod 16,     S = sum of the widths of the blocks before,   w = number of rows of the block
 *
 * The entries of a row have the ascending order of the mesh's vertices, whatever the tile. A result therefore has the bits of the host.
 *
 * Worker i of W computes the rows i, i + W, i + 2 W ... in the order of length. The numbers of entries of two workers then differ by at
 * most the difference between the longest and the shortest row. Its cycles are
 *
 *     block.start + sum over blocks of (block + row.start + sum over its rows of (row + entry.start + (width - 1) entry))
 *
 * with the counted "nodal_block", "nodal_entry" and, for `row`, "nodal_row", "nodal_word_row", "nodal_spread_row", "nodal_share_row", or
 * one of an implicit step. */
#pragma once

#include "data/core/arena.h"
#include "ipu/graph/graph.h"

/* The rows of a tile in their order; the context of its vertices. */
typedef struct mt_tile_rows {
    size_t n, n_blocks;
    size_t n_values; /* entries of all blocks */
    uint16_t *row;   /* [n] row r is that of the tile's own cell row[r] */
    uint16_t *width; /* [n_blocks] entries per row, at least 1 */
} mt_tile_rows;

/* Sorts n rows of the given lengths in `arena`, at most 65,536 of at most 65,535 entries; equal lengths keep their order. MT_MEMORY. */
MT_NODISCARD mt_status mt_tile_rows_make(mt_arena *arena, size_t n, const size_t *length, mt_tile_rows *rows);

/* Returns the index of the first entry of row r, and sets the distance between its entries and their number with padding. O(blocks). */
size_t mt_tile_rows_at(const mt_tile_rows *rows, size_t r, size_t *stride, size_t *width);

/* One diffusion step: out = v + sum of A (v[column] - v). Fields: row, width, a, column, v (the own cells, then the received ones), out.
 * Context: const mt_tile_rows *, whose arrays are also the fields row and width. */
extern const ipu_codelet mt_codelet_nodal_pde;

/* Spreads the increments: v = v + sum of A (d[column] - d). Fields: row, width, a, column, d (the own cells, then the received ones), v. If
 * `shares`, also s = share d, v = v + s, with the fields share and s. Context as above. */
const ipu_codelet *mt_codelet_nodal_spread(bool shares);

/* The context of a vertex in double words. */
typedef struct mt_tile_words {
    const mt_tile_rows *rows;
    size_t pde_steps; /* in a time step */
} mt_tile_words;

/* A diffusion step in double words (solver/kernels/sliced.h): the low parts are kept between the diffusion steps of a time step, but not
 * after the last. `substep` counts them from 0. Fields: those of mt_codelet_nodal_pde without out, then v_low, substep, out. Context: const
 * mt_tile_words *. */
extern const ipu_codelet mt_codelet_nodal_pde_double_word;

/* Computes out = sum of A (x[column] - x) for all rows of a tile. f: row, width, a, column, x, as above. */
void mt_tile_rows_multiply(const ipu_span f[5], float *out);

/* Returns the cost of a vertex, whose rows have the counted mix, and its code size [bytes]. */
ipu_cycles mt_tile_rows_cost(const ipu_target *target, const mt_tile_rows *rows, const char *row_mix);
size_t mt_tile_rows_code_bytes(const char *row_mix);

/* Return the worker cycles of one entry in a pass over the rows, and of a row beyond its entries. Approximate costs for the weights of a
 * partition, without padding and without the blocks. */
double mt_nodal_entry_cycles(const ipu_target *target);
double mt_nodal_row_cycles(const ipu_target *target, const char *row_mix);
