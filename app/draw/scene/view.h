/* The outer surface of a mesh as picture samples: visibility, light, value, and lines, seen from one direction.
 *
 * Orthographic projection. Samples are counted to the right and down; MT_VIEW_SUPER x MT_VIEW_SUPER of them form a pixel. Depth
 * increases towards the viewer, from 1 at the farthest point of the surface to 2 at the nearest. */
#pragma once

#include <stdbool.h>

#include "mesh/adjacency.h"
#include "mesh/mesh.h"
#include "mesh/vertex_mean.h"

enum { MT_VIEW_SUPER = 2, MT_VIEWS_MAX = 3 };

/* The outer faces of a mesh, and data at its vertices (zero at inner vertices). */
typedef struct mt_view_surface {
    const mt_mesh *mesh;
    const float *element_value; /* [n_elements] */
    size_t n_faces;
    uint32_t *face_vertex;  /* [n_faces][3], counter-clockwise from outside */
    uint32_t *face_element; /* [n_faces] */
    double *face_normal;    /* [n_faces][3], unit, outward */
    double *normal;         /* [n_vertices][3], unit, mean over adjacent outer faces; zero inside */
    /* [n_vertices]; 0 if no adjacent element has a value. NULL: each face has its element's value */
    float *value;
    /* The edges, once per adjacent face, sorted by their lower vertex; the edges of v are edge_begin[v] .. edge_begin[v + 1]. */
    size_t *edge_begin;  /* [n_vertices + 2] */
    uint32_t *edge_to;   /* [3 n_faces] the higher vertex */
    uint32_t *edge_face; /* [3 n_faces] */
    size_t *edge_again;  /* [3 n_faces] index of the same edge with another face; 0: none */
    /* Further places that the views show, such as a conduction network; set after the surface was made. */
    size_t n_places;
    const double *place_mm; /* [n_places][3] */
} mt_view_surface;

/* Builds the surface; borrows everything. Values are NaN in elements without one. Values at vertices are chosen so that the mean of
 * an element's four is nearly its own value. */
MT_NODISCARD mt_status mt_view_surface_make(mt_arena *arena, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const float *element_value, mt_view_surface *surface);

/* Same, with the elements' values: each face has a single value. */
MT_NODISCARD mt_status mt_view_surface_make_flat(mt_arena *arena, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const float *element_value, mt_view_surface *surface);

/* For many times on one mesh: the vertices of the outer faces and the adjacent elements. */
typedef struct mt_view_rim {
    mt_vertex_stars stars;
    uint32_t *vertex; /* [stars.n] */
    double *mean;     /* [stars.n], work space */
} mt_view_rim;

/* Builds the rim of a surface and zeroed values at its vertices. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_view_rim_make(mt_arena *arena, mt_view_surface *surface, mt_view_rim *rim);

/* Replaces the values of the surface; borrows them. A vertex has the volume-weighted mean of the adjacent elements with a value.
 * They are all on one side of the surface, so the value is displaced by up to half an edge. The correction in mt_view_surface_make
 * takes far longer. */
void mt_view_rim_values(mt_view_rim *rim, const float *element_value, mt_view_surface *surface);

/* Two faces of the surface that share the edge from vertex a to b. */
typedef struct mt_face_pair {
    uint32_t a, b, face, other;
} mt_face_pair;

/* Calls `meet` once for every two faces that share an edge. */
typedef void mt_visit_face_pair(void *context, const mt_face_pair *meeting);
void mt_view_surface_meetings(const mt_view_surface *surface, mt_visit_face_pair *meet, void *context);

/* A direction of view, orthonormal and right-handed. */
typedef struct mt_view {
    const char *name; /* "" if it is the only one */
    double right[3], up[3], toward[3];
    bool cuts; /* true if the plane toward . x = cut_mm cuts the mesh; everything in front of it is omitted */
    double cut_mm;
} mt_view;

/* Returns the n views of a mesh. A heart (with mt_landmarks) has its base up and two opposite views, both slightly from above. With
 * two ventricles these are the front, with the right ventricle on the viewer's left, and the back. Any other mesh has one view: x
 * to the right, y away from the viewer and to the left, z up. Its azimuth and elevation show three sides of a slab, the largest one
 * widest. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_views_find(const mt_mesh *mesh, mt_view views[MT_VIEWS_MAX], size_t *n);

/* Finds the view of a heart cut along its long axis. The plane passes through the centre of the left endocardium, along the axis
 * and towards the right ventricle, so that it opens both ventricles; the anterior part is removed. *found: false if the mesh has no
 * mt_landmarks. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_view_cut_find(const mt_mesh *mesh, mt_view *view, bool *found);

/* A sample of the lines of a conduction network. `core` is the coverage by a line with its value, and `rim` by its light rim, 0..255. */
typedef struct mt_plot_strand {
    float depth, value;
    uint8_t core, rim, failed; /* failed: 1 for the end of a line that is marked so */
} mt_plot_strand;

/* From positions to samples: x = middle_x + (right . p - middle_right) samples_per_mm, and so on. */
typedef struct mt_plot_scale {
    double middle_right, middle_up, farthest, nearest, samples_per_mm; /* mm */
} mt_plot_scale;

/* Data of each sample. depth 0: background; value NaN: no value; ink 0..255: coverage by lines. */
typedef struct mt_plot {
    int w, h;                     /* samples */
    float *depth, *value, *light; /* [h][w]; light 1 leaves the colour unchanged */
    uint8_t *ink;
    uint32_t *face; /* of the surface; undefined in the background. NULL: values cannot be replaced */
    double *sample; /* [n_vertices][3]: x, y, depth of the mesh vertices */
    float cut;      /* depth of the cutting plane: nothing nearer is drawn; INFINITY: no plane */
    mt_plot_scale scale;
    mt_plot_strand *strand; /* [h][w]; NULL: no network */
} mt_plot;

static inline size_t mt_plot_at(const mt_plot *plot, int x, int y)
{
    return (size_t)y * (size_t)plot->w + (size_t)x;
}

/* Computes the sample of a position, with its depth. */
void mt_plot_place(const mt_plot *plot, const mt_view *view, const double at_mm[3], double sample[3]);

/* Returns the largest scale [samples / mm] at which the surface fits into w x h samples with a small margin. */
double mt_view_scale(const mt_view *view, const mt_view_surface *surface, int w, int h);

/* Builds a plot of w x h samples with the surface in the centre, and its sharp edges as ink. `moves`: true if its values will be
 * replaced. */
MT_NODISCARD mt_status mt_plot_make(mt_arena *arena, const mt_view_surface *surface, const mt_view *view,
    double samples_per_mm, int w, int h, bool moves, mt_plot *plot);

/* Updates the samples to the current values of the surface: the result of mt_plot_make, in less time. For a plot made with `moves`. */
void mt_plot_revalue(mt_plot *plot, const mt_view_surface *surface);

/* Returns the light on a surface with this normal; 1 leaves the colour unchanged. */
double mt_view_light(const mt_view *view, const double normal[3]);

/* Fills the samples of a triangle, and removes their ink, if the sample centre is inside, beyond the cutting plane and nearer than
 * the current depth. Corners are samples with depth. */
void mt_plot_triangle(
    mt_plot *plot, size_t face, const double *const corner[3], const double value[3], const double light[3]);

/* True if a point of this depth at a sample is neither hidden nor cut off; the sample is inside the plot. */
bool mt_plot_shows(const mt_plot *plot, size_t sample, double depth);

/* True if this face of the surface is turned towards the viewer. */
bool mt_view_sees(const mt_view *view, const mt_view_surface *surface, size_t face);

/* Returns the corners of a face in the plot, and its values there; NaN if its element has none. */
void mt_plot_face(const mt_plot *plot, const mt_view_surface *surface, size_t face, const double *corner[3],
    double value[3]);

typedef struct mt_plot_segment {
    double from[3], to[3]; /* samples, with depth */
} mt_plot_segment;

/* A point is hidden if it is deeper than the visible surface by more than this fraction of the total depth. */
extern const double mt_plot_depth_slack;

/* Returns the common edge of two faces on a plot. */
mt_plot_segment mt_plot_edge(const mt_plot *plot, const mt_face_pair *meeting);

/* Inks the samples within `half` of the segment if it is visible, with soft edges. */
void mt_plot_ink(mt_plot *plot, const mt_plot_segment *segment, double half, double strength);

typedef struct mt_box {
    int x0, y0, x1, y1; /* samples x0 <= x < x1, y0 <= y < y1; inside the plot */
} mt_box;

mt_box mt_plot_box(const mt_plot *plot, double x_low, double x_high, double y_low, double y_high);
