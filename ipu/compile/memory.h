/* Allocation of the modelled memory of a tile. The host image (ipu/compile/executable.h) has a different layout, optimised for
 * speed.
 *
 * The memory (ipu/machine/target.h) has region 0 at the bottom, then region 1, and reserved bytes at the top. Instructions are
 * fetched only from region 0. Region 1 consists of interleaved pairs of elements, which 128-bit loads need.
 *
 * Rules:
 *   code            of codelets and of the exchange is in region 0, from the bottom up;
 *   element         an element with code contains nothing else: data begin with the next element, the rest is a gap;
 *   interleaved     data (ipu_codelet) are in region 1, all other data anywhere: the addresses of region 0 and region 1 are adjacent,
 *                   and loads of up to 64 bits work in both (the memory map of a C600 by github.com/osmarks/ipu-stack,
 *                   ipu-target/src/memory.rs, with ordinary data in both);
 *   8 bytes         address and size of every item are multiples of 8, except that a tail directly follows its part, which then is
 *                   not rounded up;
 *   sharing         items that are never live at the same time (ipu/compile/liveness.h) may share bytes: edge buffers and tails, live at
 *                   the moment of their compute set, and temporary variables. Everything else is always live.
 *
 * Items of a tile:
 *   its part of each variable, always live or temporary; none if nothing accesses any element of a temporary variable's part, or if the
 *     variable is outside of the chip (ipu_graph_set_dram);
 *   received: the tail of a part, for each compute set that has one; the edge buffers of each compute set together, including
 *     inputs assembled by copies (ipu/compile/assembly.h), interleaved if one of them is;
 *   the buffers of data outside of the chip, for each compute set together (ipu/cost/dram.h);
 *   rearrangement: the buffers of the copies of each compute set together, and their tables;
 *   vertex state: all its vertices of each compute set together, each rounded up to 8 bytes, plus 8 bytes for each range of a list, its
 *     address and its length;
 *   code of each codelet, once; code of the exchange of each compute set: exchange_code_bytes for each fragment that the
 *     tile receives and for each run of at most send_words that it sends (ipu/compile/schedule.h);
 *   reserved bytes.
 * Code for the exchange of predicates and of host transfers is not modelled.
 *
 * Method: a part and its tails form a block, every other item a separate block. Interleaved blocks are placed first, then in
 * order of decreasing size, equal ones in their order. Each is placed at the lowest address at which it overlaps nothing that
 * is live at the same time. The map of an executable is deterministic. The map of a tile is computed on request; only the sums
 * of all tiles are stored. Time for the n items of a tile: n log n, and for each block the intervals in use below it. These are
 * few, because adjacent ones are merged; an item that is live at several moments counts once for each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "ipu/compile/executable.h"

extern const char *const ipu_memory_category_name[IPU_MEMORY_CATEGORIES];

typedef struct ipu_memory_item {
    const char *name; /* of the variable, the codelet or the compute set */
    ipu_memory_category category;
    unsigned region; /* of its first byte */
    ipu_live_range live;
    size_t offset, bytes; /* in the tile's memory */
} ipu_memory_item;

typedef struct ipu_tile_map {
    ipu_memory_item *items; /* by (offset, order of creation) */
    size_t n_items;
    ipu_tile_memory sums;
} ipu_tile_map;

/* Computes the map of one tile in `arena`; names are borrowed from the graph. MT_MEMORY. */
MT_NODISCARD mt_status ipu_memory_map(
    mt_arena *arena, const ipu_executable *executable, size_t tile, ipu_tile_map *map);

/* Computes the liveness of an otherwise complete executable, places all its tiles, and stores the sums of each in `arena`.
 * Fails with MT_FIT if a tile is too full, or MT_MEMORY. The message has the tile, the bytes it needs and has, its five largest
 * items, the number of tiles that are too full, and the rule that prevents the items from fitting, if there is one. */
MT_NODISCARD mt_status ipu_memory_place(mt_arena *arena, ipu_executable *executable);
