/* The outer surface of a mesh as the samples of a picture: what is seen from some side, how light it is, when
 * it was activated, and lines on it.
 *
 * Orthographic projection. Samples count to the right and down; MT_VIEW_SUPER x MT_VIEW_SUPER of them make a
 * pixel. Depth grows towards us, from 1 at the farthest point of the surface to 2 at the nearest. */
#ifndef MT_APP_VIEW_H
#define MT_APP_VIEW_H

#include <stdbool.h>

#include "mesh/adjacency.h"
#include "mesh/mesh.h"

enum { MT_VIEW_SUPER = 2, MT_VIEWS_MAX = 2 };

/* The outer faces, and what belongs to vertices (of the mesh; zero where a vertex is inside). */
typedef struct mt_skin {
    const mt_mesh *mesh;
    const float *activation_ms; /* [n_cells] NaN where never activated */
    size_t n_faces;
    uint32_t *face_vertex; /* [n_faces][3], counter-clockwise seen from outside */
    uint32_t *face_cell;   /* [n_faces] */
    double *face_normal;   /* [n_faces][3], unit, outward */
    double *normal;        /* [n_vertices][3], unit, the mean over the faces around; zero inside */
    float *time_ms;        /* [n_vertices]; 0 where no cell around is activated */
} mt_skin;

/* Gives the skin; borrows all. Times at vertices are such that the mean of a cell's four is nearly the cell's
 * own. */
MT_NODISCARD mt_status mt_skin_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *activation_ms, mt_skin *skin);

/* Orthonormal and right-handed; toward us. */
typedef struct mt_view {
    const char *name; /* "" where there is but one */
    double right[3], up[3], toward[3];
} mt_view;

/* Gives the n sides to look at a mesh from. A heart (one that has mt_landmarks) stands with its base up and
 * is seen twice, from opposite sides and a little from above: with two ventricles from its front, where the
 * right one is on our left, and from behind. Everything else is seen once: x to the right, y away from us and
 * to the left, z up, at an azimuth and elevation that show three sides of a slab, the largest one widest.
 * MT_FILE: no memory. */
MT_NODISCARD mt_status mt_views_find(const mt_mesh *mesh, mt_view views[MT_VIEWS_MAX], size_t *n);

/* What each sample shows. depth 0: nothing; time NaN: never activated; ink 0..255: how much of a line. */
typedef struct mt_plot {
    int w, h;                       /* samples */
    float *depth, *time_ms, *light; /* [h][w]; light 1 is the colour itself */
    uint8_t *ink;
    double *sample; /* [n_vertices][3]: x, y, depth of the mesh's vertices */
} mt_plot;

static inline size_t mt_plot_at(const mt_plot *plot, int x, int y)
{
    return (size_t)y * (size_t)plot->w + (size_t)x;
}

/* The largest scale [samples / mm] in which the skin fits into so many samples, but for a little margin. */
double mt_view_scale(const mt_view *view, const mt_skin *skin, int w, int h);

/* Gives a plot of w x h samples with the skin in its middle, and the edges of its shape in ink. */
MT_NODISCARD mt_status mt_plot_make(mt_arena *arena, const mt_skin *skin, const mt_view *view,
    double samples_per_mm, int w, int h, mt_plot *plot);

/* Is this face of the skin turned towards us? */
bool mt_view_sees(const mt_view *view, const mt_skin *skin, size_t face);

/* Gives corners (of the plot's) and times of a face; the times are NaN where its cell was never activated. */
void mt_plot_face(
    const mt_plot *plot, const mt_skin *skin, size_t face, const double *corner[3], double time_ms[3]);

typedef struct mt_segment {
    double from[3], to[3]; /* samples, with depth */
} mt_segment;

/* Hidden is what lies deeper than what is seen there, by more than this part of the depth of the whole. */
extern const double mt_plot_depth_slack;

/* Inks the samples within `half` of the segment, with soft edges, where it is seen. */
void mt_plot_ink(mt_plot *plot, const mt_segment *segment, double half, double strength);

typedef struct mt_box {
    int x0, y0, x1, y1; /* samples x0 <= x < x1, y0 <= y < y1; inside the plot */
} mt_box;

mt_box mt_plot_box(const mt_plot *plot, double x_low, double x_high, double y_low, double y_high);

#endif
