/* The "stars" of a diffusion operator while it is made: for each element the matrix K_c that couples it to its neighbours, and
 * what it holds (V_c), as solver/diffusion/diffusion.h defines them. Here are the geometry, the gradients and the slivers;
 * which gradients are limited is decided elsewhere (solver/diffusion/limiter.h). */
#pragma once

#include "mesh/walk.h"
#include "solver/diffusion/scheme.h"
#include "solver/diffusion/watch.h"

enum {
    MT_STARS_PARALLEL_FROM = 8192, /* elements; below that, threads cost more than they bring */
    MT_STARS_CHUNK = 65536         /* elements between two calls of the watch */
};

/* S . d / (|S| l) of a face; below, tau is another. */
#define MT_STARS_COSINE 0.05

/* What the stars know of a tissue. Fluxes of all tissues are told over the chi Cm of the first, so that one unit serves across
 * borders; what an element holds is then its volume times its own chi Cm over that. With one tissue this is 1. */
typedef struct mt_stars_tissue {
    double d
        [3]; /* along the fibre, across it, normal to the sheet: conductivities over the chi Cm of the first [mm^2/ms] */
    double capacity; /* chi Cm over that of the first */
} mt_stars_tissue;

/* All borrowed; the second group is taken by mt_stars_make. Elements stand in the order of a walk (mesh/walk.h), and so do those of mesh
 * and adjacency (mt_walk_along). What depends on an order goes by the walk's elements, so that no bit depends on the walk. A single star
 * can be made anew in any order of the elements (mt_stars_one). */
typedef struct mt_stars {
    const mt_mesh *mesh;
    const mt_adjacency *adjacency;
    const mt_walk *walk;
    size_t n;
    const mt_diffusion_scheme *scheme;
    size_t n_tissues;
    const mt_stars_tissue *tissue; /* [n_tissues] */
    const uint16_t *of;            /* [n]; NULL: all are of the first tissue */
    const double *fibre;           /* [n][3] */
    const double *sheet; /* [n][3] where some tissue conducts otherwise normal to its sheets, else NULL */
    const mt_watch *watch;
    const struct mt_stars *
        plain; /* the first group in the mesh's own order; NULL: mesh, fibres and sheets are here, along the walk */

    double *star;  /* [n][4][4] K_c; NULL once only the forms are needed */
    uint8_t *back; /* [n][4] the face of the neighbour that leads back here; at the boundary the same face */
    double *root;  /* [n] V^-1/2 */
    double *null_root; /* [n] V^1/2 / |V^1/2|: the constants, as S sees them */

    double *volume;      /* [n] V_c */
    float *theta;        /* [n] */
    uint8_t *indefinite; /* [n] 1 as long as the star can create energy */
    uint8_t *pending;    /* [n] 1: indefinite, and not examined since a star close by changed */
    uint8_t *oblique;    /* [n] 1: tau is bounded on a face */
    double *z;           /* [n] scratch */

    double *
        form; /* [n][10] sym(K_c), upper half, row by row; NULL where nobody asked for them (mt_stars_take_forms) */
} mt_stars;

/* Who knows the geometry of an element, and by which number. */
static inline const mt_stars *mt_stars_geometry(const mt_stars *s, size_t *element)
{
    if (!s->plain) return s;
    *element = s->walk->element[*element];
    return s->plain;
}

static inline const mt_stars_tissue *mt_stars_tissue_of(const mt_stars *s, size_t c)
{
    return &s->tissue[s->of ? s->of[c] : 0];
}

/* The end of the chunk of elements that begins with `first`. */
static inline size_t mt_stars_chunk_end(const mt_stars *s, size_t first)
{
    return first + MT_STARS_CHUNK < s->n ? first + MT_STARS_CHUNK : s->n;
}

/* |S| l of a face: |S| |d|, or more where d is short beside the face. */
double mt_stars_lengths(const double area[3], const double to[3]);

/* Makes the stars of all elements with theta = 1, their volumes and all that follows from these. Whether a star is indefinite is
 * only found where that is asked, else none is. Gives how many are, and how many elements are slivers. MT_INPUT: an element
 * without volume, with its place. MT_MEMORY. MT_STOPPED. What measuring needs, once there are forms, lies in `arena`, 148 bytes an
 * element; the rest of the second group in `scratch`, 23 bytes. Afterwards mesh, fibres and sheets may go where there is `plain`. */
MT_NODISCARD mt_status mt_stars_make(
    mt_arena *arena, mt_arena *scratch, mt_stars *stars, bool ask, size_t *n_indefinite, size_t *n_slivers);

/* Fills the gradients of all elements, as the fluxes take them but for what is limited: column[n][4][3] per mm holds B_c, that is
 * g_c = sum_f column[f] delta_f, and 0 for a face at the boundary. Needs of the stars what is borrowed in the first group. */
void mt_stars_gradients(const mt_stars *stars, double *column);

/* A bound of what the stars take from an element: no eigenvalue of S lies below minus the largest mt_stars_load / V_c. Needs the
 * bounds of the stars in z, where mt_stars_bound puts them. */
void mt_stars_bound(mt_stars *stars);
double mt_stars_load(const mt_stars *stars, size_t element);

/* Gives the stars forms in `scratch`, 80 bytes an element; who frees that sets them to NULL. MT_MEMORY. mt_stars_form makes them again,
 * for whoever changed them. */
MT_NODISCARD mt_status mt_stars_take_forms(mt_arena *scratch, mt_stars *stars);
void mt_stars_form(mt_stars *stars);

/* Makes forms in the place of the stars, which are gone then. */
void mt_stars_become_forms(mt_stars *stars);

/* Finds what follows from the volumes, again: for whoever changed them. */
void mt_stars_weigh(mt_stars *stars);

/* Makes the stars again and asks which are indefinite: of all elements, or of one. */
MT_NODISCARD mt_status mt_stars_ask(mt_stars *stars, size_t *n_indefinite);
bool mt_stars_ask_one(mt_stars *stars, size_t element);

/* Gives K_c of an element once more, to the bit as it was made and limited. Needs the first group, without walk and watch, and theta. */
void mt_stars_one(const mt_stars *stars, size_t element, double star[16]);

/* Makes the star of an element definite where it is not: theta = 0.98 / -lowest. 1 if that was new, else 0. */
size_t mt_stars_limit(mt_stars *stars, size_t element);
