/* The "stars" of a diffusion operator during its construction: for each element the matrix K_c of its
 * coupling to its neighbours and the capacity V_c, as defined in solver/diffusion/diffusion.h. Contains
 * geometry, gradients and the treatment of slivers; solver/diffusion/limiter.h decides which gradients are
 * limited. */
#pragma once

#include "mesh/element_order.h"
#include "solver/diffusion/scheme.h"
#include "solver/diffusion/tissue.h"
#include "solver/diffusion/watch.h"
#include "solver/kernels/axes.h"

enum {
    MT_STARS_PARALLEL_FROM = 8192, /* elements; with fewer, threads cost more than they save */
    MT_STARS_CHUNK = 65536,        /* elements between two calls of the watch */
    MT_STARS_GROUP = MT_AXES_GROUP /* elements computed together */
};

/* S . d / (|S| l) of a face; tau is modified below it. */
#define MT_STARS_COSINE 0.05

/* The stars of a mesh. All pointers are borrowed; mt_stars_make allocates the second group. Elements are in
 * an element order (mesh/element_order.h), as are mesh and adjacency (mt_element_order_apply). Computations that depend on
 * an order use the mesh's element numbers, so that no bit depends on the element order. mt_stars_some recomputes
 * stars in any order of the elements. */
typedef struct mt_stars {
    const mt_mesh *mesh;
    const mt_adjacency *adjacency;
    const mt_element_order *order;
    size_t n;
    const mt_diffusion_scheme *scheme;
    mt_tissue_field field; /* tissues, fibres and sheets */
    const mt_watch *watch;
    /* the first group in the mesh's own order; NULL: mesh, fibres and sheets are here, in the element order */
    const struct mt_stars *plain;

    double *star;      /* [n][4][4] K_c; NULL once only the forms are needed */
    uint8_t *back;     /* [n][4] the neighbour's index of this face; at the boundary the face itself */
    double *root;      /* [n] V^-1/2 */
    double *null_root; /* [n] V^1/2 / |V^1/2|: the constants in the basis of S */

    double *volume;      /* [n] V_c */
    float *theta;        /* [n] */
    uint8_t *indefinite; /* [n] 1 while the star can create energy */
    uint8_t *pending;    /* [n] 1: indefinite, and not examined since a star nearby changed */
    uint8_t *oblique;    /* [n] 1: tau is bounded on a face */
    double *z;           /* [n] scratch */

    /* [n][10] sym(K_c), upper triangle, row by row; NULL without forms (mt_stars_alloc_forms) */
    double *form;
} mt_stars;

/* Returns the stars that have the geometry of an element, and its number there. */
static inline const mt_stars *mt_stars_geometry(const mt_stars *s, size_t *element)
{
    if (!s->plain) return s;
    *element = s->order->element[*element];
    return s->plain;
}

/* Returns the end of the chunk of elements that begins with `first`. */
static inline size_t mt_stars_chunk_end(const mt_stars *s, size_t first)
{
    return first + MT_STARS_CHUNK < s->n ? first + MT_STARS_CHUNK : s->n;
}

/* Returns |S| l of a face: |S| |d|, or more if d is short compared with the face. */
double mt_stars_lengths(const double area[3], const double to[3]);

/* Builds the stars of all elements with theta = 1, their volumes and derived arrays. If `ask`, finds the
 * indefinite stars, else none is marked. Returns the numbers of indefinite elements and of slivers. MT_INPUT:
 * an element without volume, reported with its position. MT_MEMORY. MT_STOPPED. The arrays for measuring
 * (once there are forms) are in `arena`, 148 bytes per element; the rest of the second group is in `scratch`,
 * 23 bytes. Mesh, fibres and sheets can be freed afterwards if there is `plain`. */
MT_NODISCARD mt_status mt_stars_make(
    mt_arena *arena, mt_arena *scratch, mt_stars *stars, bool ask, size_t *n_indefinite, size_t *n_slivers);

/* Computes the unlimited gradients of all elements as the fluxes use them: column[n][4][3] per mm holds B_c,
 * that is g_c = sum_f column[f] delta_f, and 0 for a boundary face. Reads only the first group of the stars. */
void mt_stars_gradients(const mt_stars *stars, double *column);

/* Bounds of the dissipation: no eigenvalue of S is below minus the largest mt_stars_load / V_c.
 * mt_stars_bound stores the bound of each star in z, which mt_stars_load reads. */
void mt_stars_bound(mt_stars *stars);
double mt_stars_load(const mt_stars *stars, size_t element);

/* Allocates the forms of the stars in `scratch`, 80 bytes per element; set them to NULL when freeing it.
 * MT_MEMORY. mt_stars_form recomputes them after the stars changed. */
MT_NODISCARD mt_status mt_stars_alloc_forms(mt_arena *scratch, mt_stars *stars);
void mt_stars_form(mt_stars *stars);

/* Replaces the stars by their forms, in place. */
void mt_stars_become_forms(mt_stars *stars);

/* Recomputes the arrays that derive from the volumes, after a change of these. */
void mt_stars_update_volumes(mt_stars *stars);

/* Recompute stars and find which are indefinite: all elements, or one. */
MT_NODISCARD mt_status mt_stars_find_indefinite(mt_stars *stars, size_t *n_indefinite);
bool mt_stars_is_indefinite(mt_stars *stars, size_t element);

/* Recomputes K_c of n <= MT_STARS_GROUP elements with their limits, to the same bits: star [n][16]. Reads theta
 * and the first group, except order and watch. */
void mt_stars_some(const mt_stars *stars, size_t n, const uint32_t *element, double *star);

/* Makes the star of an indefinite element definite: theta = 0.98 / -lowest. Returns 1 if theta changed, else
 * 0. */
size_t mt_stars_limit(mt_stars *stars, size_t element);
