/* Numbers of elements, ranges and pieces that each tile of a partitioned mesh stores, sends and receives, for
 * tables. */
#pragma once

#include "mesh/cut/halo.h"

/* Returns a count of the tile of a part. */
typedef double mt_tile_count(const mt_halo *halo, uint32_t part);
mt_tile_count mt_tile_elements, mt_tile_separator, mt_tile_needed, mt_tile_received, mt_tile_unused,
    mt_tile_local, mt_tile_neighbours, mt_tile_ranges_sent, mt_tile_pieces_received;

/* Statistics over all tiles. */
typedef struct mt_tile_spread {
    double min, median, max, sum;
} mt_tile_spread;

/* Computes the statistics of a count. MT_MEMORY. */
MT_NODISCARD mt_status mt_tile_spread_find(const mt_halo *halo, mt_tile_count *count, mt_tile_spread *spread);

/* Returns the elements received from tiles of other IPUs, summed over the receiving tiles. */
size_t mt_tile_crossing(const mt_halo *halo);
