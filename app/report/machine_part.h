/* What the emulated machine did, as a part of a page: tables out of profile.json, a row for each compute set, kind of vertex and use of memory;
 * and where `run --profile` left them, each tile's numbers out of tiles.csv and the busiest links out of links.csv. */
#ifndef MT_APP_REPORT_MACHINE_PART_H
#define MT_APP_REPORT_MACHINE_PART_H

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* How much is shown at most. */
typedef struct mt_machine_limits {
    size_t tile_bytes; /* of the file, for the measures of tiles; the first always is */
    size_t links;      /* those that are busy for the longest */
} mt_machine_limits;

typedef struct mt_machine_shown {
    size_t tiles, measures, all_measures; /* without those that are 0 on every tile */
    size_t links, all_links;
} mt_machine_shown;

/* Puts the object "machine", or null where there is no profile. MT_FILE. MT_INPUT: a file is damaged. MT_MEMORY. */
MT_NODISCARD mt_status mt_machine_part_put(mt_html_part *part, const mt_run_folder *folder,
    const mt_machine_limits *limits, mt_machine_shown *shown);

#endif
