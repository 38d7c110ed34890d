/* The emulated machine as a part of a page: the text of profile.json, for tables, the time step and the network, and the tiles
 * (app/report/tiles_part.h) of `run --profile`, if any. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"
#include "app/report/tiles_part.h"

/* The largest amounts to show. */
typedef struct mt_machine_limits {
    mt_tiles_limits tiles;
    size_t links; /* rows of the table of the links with the longest busy time */
} mt_machine_limits;

/* Writes the object "machine", or null if there is no profile. Fails with MT_FILE, or with MT_INPUT if a file is damaged. */
MT_NODISCARD mt_status mt_machine_part_put(
    mt_html_part *part, const mt_run_folder *folder, const mt_machine_limits *limits, mt_tiles_shown *shown);
