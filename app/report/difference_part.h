/* The differences between the maps of a run and those of earlier runs of a report on the same mesh. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* The maps of a run of the report. */
typedef struct mt_compared_run {
    char positions[MT_HASH_SIZE]; /* hash of its vertices and elements */
    size_t n_elements, n_maps;
    mt_folder_map *maps;
} mt_compared_run;

/* Copies the maps of a run into `arena`. */
MT_NODISCARD mt_status mt_compared_run_keep(
    mt_arena *arena, const mt_run_folder *folder, mt_compared_run *kept);

/* Writes the list "differences": for each map that this run and run k < n have on the same mesh, the statistics of this run minus run k
 * over all elements with a value in both. These are mean, root mean square, 5th, 50th and 95th percentile (interpolated between ranks),
 * and the largest absolute difference with its element. */
MT_NODISCARD mt_status mt_difference_part_put(
    mt_html_part *part, const mt_run_folder *folder, size_t n, const mt_compared_run *runs);
