/* The heart of a run as a part of a page: its surface, a coarse volume for cuts, all maps on both, frames of V, a sample of the fibres, the
 * places in the case, and the conduction network. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* The largest numbers to show; SIZE_MAX for all. */
typedef struct mt_heart_limits {
    size_t surface, cut; /* vertices; no cut if 0 */
    size_t frames;       /* at least 2 */
    size_t fibres;
    size_t network; /* points of the conduction network */
    mt_html_levels frame_levels;
} mt_heart_limits;

/* The numbers shown. */
typedef struct mt_heart_shown {
    size_t vertices, triangles, all_triangles, cut_vertices, tetrahedra, maps, frames, all_frames, fibres;
    size_t network, all_network; /* points */
    double error_mm, cut_error_mm;
} mt_heart_shown;

/* Writes the object "heart". Fails with MT_FILE or MT_INPUT if the series cannot be read or is damaged. */
MT_NODISCARD mt_status mt_heart_part_put(
    mt_html_part *part, const mt_run_folder *folder, const mt_heart_limits *limits, mt_heart_shown *shown);

/* Samples at most `most` of n elements, evenly spread: at the fractions 0, g, 2 g ... modulo 1, where g is the golden ratio. Returns their
 * numbers in `arena`, ascending, each once. */
MT_NODISCARD mt_status mt_heart_sample(
    mt_arena *arena, size_t n, size_t most, size_t *n_chosen, uint32_t **chosen);
