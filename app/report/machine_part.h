/* What the emulated machine did, as a part of a page: tables out of profile.json, a row for each compute set, kind of vertex and use of memory;
 * the phases of a time step; links between chips with their loads; and where `run --profile` left them, tiles (app/report/tiles_part.h) and a
 * table of the busiest links out of links.csv. */
#ifndef MT_APP_REPORT_MACHINE_PART_H
#define MT_APP_REPORT_MACHINE_PART_H

#include "app/report/html.h"
#include "app/report/run_folder.h"
#include "app/report/tiles_part.h"

/* How much is shown at most. */
typedef struct mt_machine_limits {
    mt_tiles_limits tiles;
    size_t links; /* in the table: those that are busy for the longest */
} mt_machine_limits;

typedef struct mt_machine_shown {
    mt_tiles_shown tiles;
    size_t links, all_links;
} mt_machine_shown;

/* Puts the object "machine", or null where there is no profile. MT_FILE. MT_INPUT: a file is damaged. MT_MEMORY. */
MT_NODISCARD mt_status mt_machine_part_put(mt_html_part *part, const mt_run_folder *folder,
    const mt_machine_limits *limits, mt_machine_shown *shown);

#endif
