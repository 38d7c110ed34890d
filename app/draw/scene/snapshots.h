/* A field at several moments, side by side in one picture with one scale of colours: columns are moments, rows the sides that the mesh is
 * seen from (mt_views_find). A PNG of MT_PAGE_WIDTH x MT_PAGE_HEIGHT pixels in the style of mt_picture_map. */
#pragma once

#include "mesh/adjacency.h"
#include "mesh/mesh.h"

enum { MT_SNAPSHOTS_MAX = 8 };

/* Borrowed. Texts are UTF-8. */
typedef struct mt_snapshots {
    const mt_mesh *mesh;
    const mt_adjacency *adjacency;
    size_t n;                         /* moments, 1 to MT_SNAPSHOTS_MAX */
    const double *time_ms;            /* [n] */
    const float *const *values;       /* [n][n_elements]; NaN where an element has none: it is grey */
    const char *title, *label, *unit; /* of the picture; of the values: "Membrane potential", "mV" */
    double low, high; /* of the scale, low < high; what lies beyond has the colour of its end */
} mt_snapshots;

/* Writes the picture: whole, or not at all. The same input gives the same bytes, for any number of threads. Values at vertices are those
 * of mt_view_rim_values. O(elements) time, and for each moment O(elements that touch the surface + pixels). MT_INPUT: no elements, an
 * adjacency of another mesh, no moments or too many, an empty scale, words that are not UTF-8. MT_MEMORY. MT_FILE. */
MT_NODISCARD mt_status mt_snapshots_write(const char *path, const mt_snapshots *snapshots);
