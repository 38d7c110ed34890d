/* The outer surface of a mesh as the samples of a picture: what is visible from some side, how light it is, its value there, and
 * lines on it.
 *
 * Orthographic projection. Samples count to the right and down; MT_VIEW_SUPER x MT_VIEW_SUPER of them make a
 * pixel. Depth grows towards us, from 1 at the farthest point of the surface to 2 at the nearest. */
#pragma once

#include <stdbool.h>

#include "mesh/adjacency.h"
#include "mesh/mesh.h"
#include "mesh/vertex_mean.h"

enum { MT_VIEW_SUPER = 2, MT_VIEWS_MAX = 3 };

/* The outer faces of a mesh, and data at its vertices (zero at inner ones). */
typedef struct mt_view_surface {
    const mt_mesh *mesh;
    const float *element_value; /* [n_elements] */
    size_t n_faces;
    uint32_t *face_vertex;  /* [n_faces][3], counter-clockwise seen from outside */
    uint32_t *face_element; /* [n_faces] */
    double *face_normal;    /* [n_faces][3], unit, outward */
    double *normal;         /* [n_vertices][3], unit, the mean over the faces around; zero inside */
    float *
        value; /* [n_vertices]; 0 where no element around has a value. NULL: each face has its element's value, flat */
    /* The edges, each once with either face, sorted by their lower vertex: those of v are edge_begin[v] .. [v + 1). */
    size_t *edge_begin;  /* [n_vertices + 2] */
    uint32_t *edge_to;   /* [3 n_faces] the higher vertex */
    uint32_t *edge_face; /* [3 n_faces] */
    size_t *edge_again;  /* [3 n_faces] the next entry of the same edge, with another face; 0: none */
} mt_view_surface;

/* Gives the surface; borrows all. Values are NaN in elements that have none. Those at vertices are such that the mean of an
 * element's four is nearly the element's own. */
MT_NODISCARD mt_status mt_view_surface_make(mt_arena *arena, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const float *element_value, mt_view_surface *surface);

/* The same with the elements' values as they are: a face has one value. */
MT_NODISCARD mt_status mt_view_surface_make_flat(mt_arena *arena, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const float *element_value, mt_view_surface *surface);

/* For many moments on one mesh: the vertices of the outer faces, and the elements around them. */
typedef struct mt_view_rim {
    mt_vertex_stars stars;
    uint32_t *vertex; /* [stars.n] */
    double *mean;     /* [stars.n], room */
} mt_view_rim;

/* Gives the rim of a surface and room for values at its vertices, zeroed. MT_MEMORY. */
MT_NODISCARD mt_status mt_view_rim_make(mt_arena *arena, mt_view_surface *surface, mt_view_rim *rim);

/* Gives the surface other values, borrowed: a vertex has the mean of the elements around that have one, by their volumes. They all lie
 * on one side of the surface, so it is off by up to half an edge; what mt_view_surface_make does about that takes far longer. */
void mt_view_rim_values(mt_view_rim *rim, const float *element_value, mt_view_surface *surface);

/* Two faces of the surface that share the edge from vertex a to b. */
typedef struct mt_meeting {
    uint32_t a, b, face, other;
} mt_meeting;

/* Calls `meet` once for every two faces that share an edge. */
typedef void mt_meet(void *context, const mt_meeting *meeting);
void mt_view_surface_meetings(const mt_view_surface *surface, mt_meet *meet, void *context);

/* A direction of view: orthonormal and right-handed. */
typedef struct mt_view {
    const char *name; /* "" if there is only one */
    double right[3], up[3], toward[3];
    bool cuts; /* the plane toward . x = cut_mm cuts the mesh, and all in front of it is not drawn */
    double cut_mm;
} mt_view;

/* Gives the n sides to look at a mesh from. A heart (one that has mt_landmarks) stands with its base up and
 * is seen twice, from opposite sides and a little from above: with two ventricles from its front, where the
 * right one is on our left, and from behind. Everything else is seen once: x to the right, y away from us and
 * to the left, z up, at an azimuth and elevation that show three sides of a slab, the largest one widest.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_views_find(const mt_mesh *mesh, mt_view views[MT_VIEWS_MAX], size_t *n);

/* Finds the view of a heart that is cut along its long axis: the plane goes through the middle of the left endocardium, along the axis and
 * toward the right ventricle, so that it opens both ventricles; the anterior part is removed. *found: false for a mesh without mt_landmarks.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_view_cut_find(const mt_mesh *mesh, mt_view *view, bool *found);

/* What each sample shows. depth 0: nothing; value NaN: none; ink 0..255: how much of a line. */
typedef struct mt_plot {
    int w, h;                     /* samples */
    float *depth, *value, *light; /* [h][w]; light 1 is the colour itself */
    uint8_t *ink;
    uint32_t *face; /* of the surface; meaningless where there is nothing. NULL: values stay as they are */
    double *sample; /* [n_vertices][3]: x, y, depth of the mesh's vertices */
    float cut;      /* the depth of the cutting plane: nothing nearer is drawn; INFINITY: none */
} mt_plot;

static inline size_t mt_plot_at(const mt_plot *plot, int x, int y)
{
    return (size_t)y * (size_t)plot->w + (size_t)x;
}

/* The largest scale [samples / mm] at which the surface fits into w x h samples with a small margin. */
double mt_view_scale(const mt_view *view, const mt_view_surface *surface, int w, int h);

/* Gives a plot of w x h samples with the surface in its middle, and the sharp edges of the surface in ink. `moves`: it is to get other
 * values afterwards. */
MT_NODISCARD mt_status mt_plot_make(mt_arena *arena, const mt_view_surface *surface, const mt_view *view,
    double samples_per_mm, int w, int h, bool moves, mt_plot *plot);

/* Gives the samples the values that the surface has now: what mt_plot_make would give them, in less time. For a
 * plot that moves. */
void mt_plot_revalue(mt_plot *plot, const mt_view_surface *surface);

/* Returns the light on a surface with this normal: 1 is the colour itself. */
double mt_view_light(const mt_view *view, const double normal[3]);

/* Fills the samples of a triangle whose centre is inside, behind the cutting plane and nearer than what they show; removes
 * their ink. Corners are samples with depth. */
void mt_plot_triangle(
    mt_plot *plot, size_t face, const double *const corner[3], const double value[3], const double light[3]);

/* True if a point at sample (x, y) of this depth is neither hidden nor cut away; the sample is inside the plot. */
bool mt_plot_shows(const mt_plot *plot, size_t sample, double depth);

/* Is this face of the surface turned towards us? */
bool mt_view_sees(const mt_view *view, const mt_view_surface *surface, size_t face);

/* Gives corners (of the plot's) of a face, and its values there: NaN where its element has none. */
void mt_plot_face(const mt_plot *plot, const mt_view_surface *surface, size_t face, const double *corner[3],
    double value[3]);

typedef struct mt_plot_segment {
    double from[3], to[3]; /* samples, with depth */
} mt_plot_segment;

/* A point is hidden if it lies deeper than what is visible there by more than this fraction of the whole depth. */
extern const double mt_plot_depth_slack;

/* The edge of two faces on a plot. */
mt_plot_segment mt_plot_edge(const mt_plot *plot, const mt_meeting *meeting);

/* Inks the samples within `half` of the segment, with soft edges, where it is visible. */
void mt_plot_ink(mt_plot *plot, const mt_plot_segment *segment, double half, double strength);

typedef struct mt_box {
    int x0, y0, x1, y1; /* samples x0 <= x < x1, y0 <= y < y1; inside the plot */
} mt_box;

mt_box mt_plot_box(const mt_plot *plot, double x_low, double x_high, double y_low, double y_high);
