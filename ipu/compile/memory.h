/* Where everything lies in the modelled memory of a tile. The host image (ipu/compile/executable.h) has a layout of its own, made
 * for speed.
 *
 * The memory (ipu/machine/target.h) has region 0 at the bottom, then region 1, and reserved bytes at the top. Instructions are
 * fetched only from region 0. Region 1 consists of interleaved pairs of elements, which 128-bit loads need.
 *
 * The rules:
 *   code            of codelets and of the exchange lies in region 0, from the bottom up;
 *   an element      that holds code holds nothing else: data begins with the next element, and what remains is a gap;
 *   interleaved     data (ipu_codelet) lies in region 1, all other data anywhere: addresses go on from region 0 to region 1 without a
 *                   gap, and loads of up to 64 bits work in both (the memory map of a C600 by github.com/osmarks/ipu-stack,
 *                   ipu-target/src/memory.rs, whose ordinary data lies in both);
 *   8 bytes         every item begins at a multiple of 8 and is rounded up to one, except that a tail directly follows its
 *                   part, which then is not rounded up;
 *   sharing         what is never live at the same time (ipu/compile/liveness.h) may share bytes: edge buffers and tails, live at
 *                   the moment of their compute set, and temporary variables. Everything else is always live.
 *
 * The items of a tile:
 *   its part of each variable, always live or not;
 *   received: the tail behind a part, for each compute set that has one; the edge buffers of each compute set
 *     together, with those of inputs that come together by copies (ipu/compile/assembly.h), interleaved where one of them is;
 *   rearrangement: the buffers of the copies of each compute set together, and their tables;
 *   vertex state: all its vertices of each compute set together, each rounded up to 8 bytes, and 8 bytes for each range of a list, its
 *     address and its length;
 *   code of each codelet, once; code of the exchange of each compute set: exchange_code_bytes for each fragment that the
 *     tile receives and for each run of at most send_words that it sends (ipu/compile/schedule.h);
 *   reserved bytes.
 * Code for the exchange of predicates and of the host's transfers is not modelled.
 *
 * Method: a part and its tails form a block, every other item a block of its own. Interleaved blocks are placed first, then
 * the larger before the smaller, and equal ones in their order; each goes to the lowest place where it overlaps nothing that is
 * live at the same time. The same executable gives the same map. A tile's map
 * is made on request; only the sums of all tiles are kept. Time for the n items of a tile: n log n, and for each block the
 * stretches in use below it. These are few, because adjacent ones are merged; an item that is live at several moments counts
 * once for each. */
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
    unsigned region; /* in which it begins */
    ipu_live_range live;
    size_t offset, bytes; /* in the tile's memory */
} ipu_memory_item;

typedef struct ipu_tile_map {
    ipu_memory_item *items; /* by (offset, order of making) */
    size_t n_items;
    ipu_tile_memory sums;
} ipu_tile_map;

/* Gives the map of one tile in `arena`; names are those of the graph. MT_MEMORY. */
MT_NODISCARD mt_status ipu_memory_map(
    mt_arena *arena, const ipu_executable *executable, size_t tile, ipu_tile_map *map);

/* Finds the liveness of an otherwise complete executable, places all its tiles, and keeps the sums of each in `arena`. MT_FIT:
 * not everything fits; the message has the tile, the bytes it needs and has, its five largest items, how many tiles are too
 * full, and the rule without which the items would fit, if there is one. MT_MEMORY. */
MT_NODISCARD mt_status ipu_memory_place(mt_arena *arena, ipu_executable *executable);
