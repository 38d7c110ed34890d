/* The case of a run as a part of a page: title, folder, the command that repeats the run, and every value of used.yaml with its unit,
 * default and meaning from the schema of cases. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* Writes these values into the part. */
MT_NODISCARD mt_status mt_used_part_put(mt_html_part *part, const mt_run_folder *folder);
