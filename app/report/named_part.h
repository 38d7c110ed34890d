/* What the drawn triangles of a heart belong to, by name, as a part of a page: the surfaces that the mesh's triangles are tagged as, the tags
 * of its elements, and the regions of the case. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* Puts the list "named": an object for each of the three that says anything of this heart. Of a mesh with more than 255 tags these say
 * nothing, and a region that cannot be found again (a file of it is gone) is left out. MT_MEMORY. */
MT_NODISCARD mt_status mt_named_part_put(
    mt_html_part *part, const mt_run_folder *folder, const mt_coarse *surface);
