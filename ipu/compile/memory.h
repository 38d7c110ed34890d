/* Where everything lies in the memory of a tile: the machine's memory, modelled; not the host's image of it
 * (ipu/compile/compile.h), which is laid out for speed.
 *
 * The memory (ipu/machine/target.h): region 0 at the bottom, region 1 behind it, the last bytes reserved. Instructions are
 * fetched only from region 0. Region 1 is of interleaved pairs of elements, which loads of 128 bits need.
 *
 * The rules:
 *   code            of codelets and of the exchange, stands in region 0, from the bottom on;
 *   an element      that holds code holds nothing else: data begins with the next, and what is left is a gap;
 *   interleaved     data (ipu_codelet) stands in region 1, all other in either, nothing in both;
 *   8 bytes         every item begins at a multiple of 8 and is rounded up to one, but that a tail directly follows its
 *                   part, which is not rounded up then;
 *   sharing         what is never live at once (ipu/compile/live.h) may have the same bytes: edge buffers and tails, live in the
 *                   moment of their compute set, and temporary variables. Everything else is always live.
 *
 * The items of a tile:
 *   its part of each variable, always live or not;
 *   received: the tail behind a part for each compute set that has one; the edge buffers of each compute set
 *     together, interleaved where one of them is;
 *   vertex state: of all its vertices of each compute set together, each rounded up to 8 bytes;
 *   code of each codelet once; of the exchange of each compute set: exchange_code_bytes for each fragment that the
 *     tile receives and for each run of at most send_words that it sends (ipu/compile/schedule.h);
 *   reserved bytes.
 * The code by which predicates and transfers from and to the host are exchanged is left out.
 *
 * Method: a part and its tails are a block, every other item one of its own. Blocks in the order of their size, the
 * largest first, interleaved ones before all others, of equals the earlier; each at the lowest place where nothing of
 * it meets what is live with it: in region 0, or where it is full in region 1. The same executable gives the same
 * map. A tile's map is made when it is asked for; of all tiles only the sums are kept. Time, of n items of the
 * tile: n log n, and for each block the stretches in use below it, of which there are few, for what touches counts as one;
 * an item that is live for several moments counts as often. */
#ifndef IPU_COMPILE_MEMORY_H
#define IPU_COMPILE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/arena.h"
#include "ipu/compile/live.h"

struct ipu_executable;

typedef enum ipu_memory_category {
    IPU_MEMORY_VARIABLES,   /* always live */
    IPU_MEMORY_TEMPORARIES, /* variables that are not */
    IPU_MEMORY_RECEIVED,    /* tails and edge buffers */
    IPU_MEMORY_VERTEX_STATE,
    IPU_MEMORY_VERTEX_CODE,
    IPU_MEMORY_EXCHANGE_CODE,
    IPU_MEMORY_RESERVED,
    IPU_MEMORY_CATEGORIES
} ipu_memory_category;

extern const char *const ipu_memory_category_name[IPU_MEMORY_CATEGORIES];

/* Bytes of one tile. What items of several categories share counts for the first of these. All that must be there is
 * total + gaps: up to the highest byte in use, and what is reserved. */
typedef struct ipu_tile_memory {
    size_t bytes[IPU_MEMORY_CATEGORIES];
    size_t total; /* the sum of these: bytes in use at any time */
    size_t gaps;  /* below the highest byte in use, and never in use */
    size_t always_live;
    size_t not_always_live; /* the most of the others that are live at once */
} ipu_tile_memory;

typedef struct ipu_memory_item {
    const char *name; /* of the variable, of the codelet, or of the compute set that it is for */
    ipu_memory_category category;
    unsigned region;
    ipu_live live;
    size_t offset, bytes; /* in the tile's memory */
} ipu_memory_item;

typedef struct ipu_tile_map {
    ipu_memory_item *items; /* by (offset, order of making) */
    size_t n_items;
    ipu_tile_memory sums;
} ipu_tile_map;

/* The map of one tile, in `arena`; names are those of the graph. Fails with MT_MEMORY. */
MT_NODISCARD mt_status ipu_memory_map(
    mt_arena *arena, const struct ipu_executable *executable, size_t tile, ipu_tile_map *map);

/* For compiling: places all tiles of an executable that is complete but for this, and keeps the sums of each in
 * `arena`. Fails with MT_FIT (naming tile, bytes asked and there, the five largest items, how many tiles are over,
 * and the rule that is in the way, if without it the tile's items would fit) or MT_MEMORY. */
MT_NODISCARD mt_status ipu_memory_place(mt_arena *arena, struct ipu_executable *executable);

#endif
