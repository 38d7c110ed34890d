/* Details of single tiles: the memory map, the kinds of vertices, and the data received from each other tile. They cover all
 * tiles of a machine of at most IPU_DETAILED_MOST. Of a larger machine they cover the IPU_DETAILED_WORST tiles with the longest
 * busy time (one run of all compute sets, phase by phase), and the fullest tile. */
#pragma once

#include "ipu/run/profile.h"

enum { IPU_DETAILED_MOST = 1472, IPU_DETAILED_WORST = 100 }; /* the first: the tiles of a GC200 */

/* All vertices of one codelet on one tile in one compute set; cycles as in ipu_profile_vertices. */
typedef struct ipu_tile_vertices {
    uint32_t tile, step;
    const char *codelet;
    size_t instances;
    uint64_t cycles;
} ipu_tile_vertices;

/* The data that a tile receives from another one in one run of a compute set. */
typedef struct ipu_tile_received {
    uint32_t tile, step, from;
    uint64_t bytes; /* in complete words */
} ipu_tile_received;

typedef struct ipu_details {
    uint32_t *tile;    /* [n] ascending */
    ipu_tile_map *map; /* [n] */
    size_t n;
    ipu_tile_vertices *vertices; /* by (tile, compute set, first) */
    size_t n_vertices;
    ipu_tile_received *received; /* by (tile, compute set, from) */
    size_t n_received;
} ipu_details;

/* Adds the details of an executable's tiles to its profile, copied to `arena`. MT_MEMORY. */
MT_NODISCARD mt_status ipu_details_add(
    mt_arena *arena, const ipu_executable *executable, ipu_profile *profile);
