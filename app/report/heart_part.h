/* The heart of a run as a part of a page: its surface, a coarse volume for cuts, every map on both, frames of V, a sample of its fibres,
 * and the places that the case names. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* How much is shown at most; SIZE_MAX: all. */
typedef struct mt_heart_limits {
    size_t surface, cut; /* vertices; no cut where that is 0 */
    size_t frames;       /* at least 2 */
    size_t fibres;
    mt_html_levels frame_levels;
} mt_heart_limits;

/* What is shown. */
typedef struct mt_heart_shown {
    size_t vertices, triangles, all_triangles, cut_vertices, tetrahedra, maps, frames, all_frames, fibres;
    double error_mm, cut_error_mm;
} mt_heart_shown;

/* Puts the object "heart". MT_FILE, MT_INPUT: the series cannot be read, or is damaged. MT_MEMORY. */
MT_NODISCARD mt_status mt_heart_part_put(
    mt_html_part *part, const mt_run_folder *folder, const mt_heart_limits *limits, mt_heart_shown *shown);

/* Gives the numbers of at most `most` of n elements, ascending and evenly spread, in `arena`: those at the fractions 0, g, 2 g ... of
 * all, g being the golden ratio, each once. MT_MEMORY. */
MT_NODISCARD mt_status mt_heart_sample(
    mt_arena *arena, size_t n, size_t most, size_t *n_chosen, uint32_t **chosen);
