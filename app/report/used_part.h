/* What a run used, as a part of a page: title, folder, the command that repeats it, and every value of used.yaml with its unit, its default
 * and its meaning by the schema of cases. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* MT_MEMORY. */
MT_NODISCARD mt_status mt_used_part_put(mt_html_part *part, const mt_run_folder *folder);
