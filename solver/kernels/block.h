/* Memory layout of per-cell values with several entries: structure of arrays in blocks of 16 cells.
 *
 * Entry k of cell c, with K entries per cell and n cells in total, is at
 *
 *     16 K (c / 16) + w k + c mod 16,     w = min(16, n - 16 (c / 16))  the width of the block.
 *
 * Entries k of neighbouring cells of a block are adjacent (one vector load), a complete block is contiguous, and there is no padding: n
 * cells take n K values. Used for the states of the ionic model (K = 18) and the ELLPACK matrix (K = 16). */
#pragma once

#include <stddef.h>

enum { MT_BLOCK = 16 };

static inline size_t mt_block_width(size_t n, size_t cell)
{
    size_t left = n - cell / MT_BLOCK * MT_BLOCK;
    return left < MT_BLOCK ? left : MT_BLOCK;
}

static inline size_t mt_block_index(size_t n, size_t entries, size_t cell, size_t entry)
{
    return cell / MT_BLOCK * MT_BLOCK * entries + mt_block_width(n, cell) * entry + cell % MT_BLOCK;
}
