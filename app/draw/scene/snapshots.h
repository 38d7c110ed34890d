/* A field at several times in one picture with a common colour scale. Columns are times, rows are views of the mesh
 * (mt_views_find). A PNG of MT_PAGE_WIDTH x MT_PAGE_HEIGHT pixels in the style of mt_picture_map. */
#pragma once

#include "mesh/adjacency.h"
#include "mesh/mesh.h"

enum { MT_SNAPSHOTS_MAX = 8 };

/* All members are borrowed. Text is UTF-8. */
typedef struct mt_snapshots {
    const mt_mesh *mesh;
    const mt_adjacency *adjacency;
    size_t n;                         /* number of times, 1 to MT_SNAPSHOTS_MAX */
    const double *time_ms;            /* [n] */
    const float *const *values;       /* [n][n_elements]; NaN: no value, drawn grey */
    const char *title, *label, *unit; /* of the picture; of the values: "Membrane potential", "mV" */
    double low, high; /* of the scale, low < high; values outside have the colour of the nearer end */
} mt_snapshots;

/* Writes the picture, completely or not at all. The same input yields the same bytes for any number of threads. mt_view_rim_values
 * computes the values at vertices. O(elements) time, and O(elements that touch the surface + pixels) for each time. Fails with
 * MT_INPUT if there are no elements, the adjacency belongs to another mesh, there are no times or too many, the scale is empty, or
 * text is not UTF-8. Fails with MT_MEMORY or MT_FILE. */
MT_NODISCARD mt_status mt_snapshots_write(const char *path, const mt_snapshots *snapshots);
