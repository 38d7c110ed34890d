/* Each tile of the emulated machine, as a part of a page: the numbers of tiles.csv, and of memory.csv, vertices.csv and received.csv.
 *
 * A machine of more tiles than may be shown is shown in blocks, rows x columns of places on a die: of each number the highest in a block.
 * Beside it stand, of all tiles, the spread, how many have which value, and the highest values with their tiles. */
#pragma once

#include "app/report/html.h"

/* How much is shown at most. */
typedef struct mt_tiles_limits {
    size_t tiles; /* one by one */
    size_t bytes; /* of the file: what would begin behind them is left out; the first number never is */
} mt_tiles_limits;

typedef struct mt_tiles_shown {
    size_t tiles, rows, columns;   /* of a block; 1 and 1: one by one */
    size_t measures, all_measures; /* without those that are 0 on every tile */
    size_t details, all_details;   /* files */
} mt_tiles_shown;

/* Puts the object "tiles", or null where the folder of a profile has no tiles.csv. MT_FILE. MT_INPUT: a file is damaged. MT_MEMORY. */
MT_NODISCARD mt_status mt_tiles_part_put(
    mt_html_part *part, const char *folder, const mt_tiles_limits *limits, mt_tiles_shown *shown);
