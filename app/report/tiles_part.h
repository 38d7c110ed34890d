/* The tiles of the emulated machine as a part of a page: the numbers of tiles.csv, memory.csv, vertices.csv and received.csv.
 *
 * A machine with more tiles than the limit is shown in blocks of rows x columns of places on a die, by the highest value in each block. The
 * part also has, over all tiles, the spread, a histogram, and the highest values with their tiles. */
#pragma once

#include "app/report/html.h"

/* The largest amounts to show. */
typedef struct mt_tiles_limits {
    size_t tiles; /* shown individually */
    /* Size limit in the file: data that would start after it is omitted, except the first measure. */
    size_t bytes;
} mt_tiles_limits;

typedef struct mt_tiles_shown {
    size_t tiles, rows, columns;   /* number of tiles; size of a block, 1 and 1 for individual tiles */
    size_t measures, all_measures; /* without measures that are 0 on all tiles */
    size_t details, all_details;   /* number of files */
} mt_tiles_shown;

/* Writes the object "tiles", or null if the folder of a profile has no tiles.csv. Fails with MT_FILE, or with MT_INPUT if a file is
 * damaged. */
MT_NODISCARD mt_status mt_tiles_part_put(
    mt_html_part *part, const char *folder, const mt_tiles_limits *limits, mt_tiles_shown *shown);
