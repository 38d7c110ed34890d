/* A conduction network on plots: coloured lines with light rims, in front of the surface or hidden by it. */
#pragma once

#include "app/draw/scene/view.h"

/* The lines of a conduction network, drawn over the map if they are not hidden by it, with the colours of its values. Lines can leave the
 * mesh. Their ends in the tissue are dots, or larger marks in another colour. */
typedef struct mt_network_lines {
    size_t n_points, n_lines, n_ends;
    const double *xyz_mm;  /* [n_points][3] */
    const uint32_t *line;  /* [n_lines][2] points */
    const float *values;   /* [n_points]; NaN if a point has none */
    const uint32_t *end;   /* [n_ends] points */
    const uint8_t *failed; /* [n_ends] 1: marked */
    const char *note;      /* meaning of the marks, for the legend; "" if none */
} mt_network_lines;

/* Lines up to this depth below the surface are visible: most fibres are just below the endocardium. Ends, which are in the tissue, are
 * visible up to the second depth, as complete dots. */
#define MT_NETWORK_DEPTH_MM 1.0
#define MT_NETWORK_END_DEPTH_MM 1.5

/* Draws the network on a plot, which gets samples of it in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_network_draw(
    mt_arena *arena, const mt_network_lines *network, const mt_view *view, mt_plot *plot);
