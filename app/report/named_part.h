/* Names for the drawn triangles of a heart, as a part of a page: the tagged surfaces of the mesh, the tags of its elements, and the
 * regions of the case. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* Writes the list "named", with an object for each of the three that applies to this heart. Tags are omitted if the mesh has more than
 * 255. A region is omitted if a file that it needs is missing. */
MT_NODISCARD mt_status mt_named_part_put(
    mt_html_part *part, const mt_run_folder *folder, const mt_coarse *surface);
