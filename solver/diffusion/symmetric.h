/* The symmetric part S of a diffusion operator (solver/diffusion/diffusion.h), or of a part of one, defined
 * by the forms of its stars: a map for the eigenvalue solver (solver/diffusion/spectrum.h).
 *
 *     x' S x = -1/2 sum_c delta_c' sym(K_c) delta_c,    delta_f = z_n - z_c,    z = V^-1/2 x */
#pragma once

#include "mesh/adjacency.h"
#include "solver/diffusion/spectrum.h"
#include "solver/diffusion/watch.h"

/* The data of the map, all borrowed. */
typedef struct mt_symmetric {
    size_t n;
    const uint32_t *neighbour; /* [n][4] MT_NO_ELEMENT at the boundary */
    /* [n][4] the neighbour's index of this face; at the boundary the face itself */
    const uint8_t *back;
    const double *form; /* [n][10] sym(K_c), upper triangle, row by row */
    const double *root; /* [n] V^-1/2 */
    /* [n] unit vector of the constants in the basis of S; NULL: constants are not excluded */
    const double *null_root;
    const uint32_t *number; /* [n] element numbers, for the start vector; NULL: the index */
    double *w;              /* [n][4] scratch */
    const mt_watch *watch;
} mt_symmetric;

/* Returns twice the energy that the star of an element dissipates for z: delta' sym(K) delta. */
double mt_symmetric_energy(const mt_symmetric *symmetric, size_t element, const double *z);

/* Runs Lanczos on the map (mt_spectrum_run) and reports progress to the watch. Also MT_STOPPED. */
MT_NODISCARD mt_status mt_symmetric_ends(
    mt_arena *arena, const mt_symmetric *symmetric, const mt_spectrum_goal *goal, mt_spectrum *ends);

/* Computes its highest vectors (mt_spectrum_vectors). */
MT_NODISCARD mt_status mt_symmetric_vectors(mt_arena *arena, const mt_symmetric *symmetric,
    const mt_spectrum *ends, double above, size_t max_vectors, size_t *count, double **values,
    double **vectors);
