/* The symmetric part S of a diffusion operator (solver/diffusion/diffusion.h), or of a part of one, by the forms of its stars: a map
 * for the search of its spectrum (solver/diffusion/spectrum.h).
 *
 *     x' S x = -1/2 sum_c delta_c' sym(K_c) delta_c,    delta_f = z_n - z_c,    z = V^-1/2 x */
#pragma once

#include "mesh/adjacency.h"
#include "solver/diffusion/spectrum.h"
#include "solver/diffusion/watch.h"

/* All borrowed. */
typedef struct mt_symmetric {
    size_t n;
    const uint32_t *neighbour; /* [n][4] MT_NO_ELEMENT at the boundary */
    const uint8_t
        *back; /* [n][4] the face of the neighbour that leads back here; at the boundary the same face */
    const double *form;      /* [n][10] sym(K_c), upper half, row by row */
    const double *root;      /* [n] V^-1/2 */
    const double *null_root; /* [n] the constants as S sees them, a unit vector; NULL: they may show up */
    const uint32_t *number;  /* [n] of each element, for the start vector; NULL: as they stand */
    double *w;               /* [n][4] scratch */
    const mt_watch *watch;
} mt_symmetric;

/* What the star of an element takes from z, twice: delta' sym(K) delta. */
double mt_symmetric_energy(const mt_symmetric *symmetric, size_t element, const double *z);

/* Runs Lanczos on it (mt_spectrum_run), telling the watch. MT_STOPPED, too. */
MT_NODISCARD mt_status mt_symmetric_ends(
    mt_arena *arena, const mt_symmetric *symmetric, const mt_spectrum_goal *goal, mt_spectrum *ends);

/* And gives its highest vectors (mt_spectrum_vectors). */
MT_NODISCARD mt_status mt_symmetric_vectors(mt_arena *arena, const mt_symmetric *symmetric,
    const mt_spectrum *ends, double above, size_t max_vectors, size_t *count, double **values,
    double **vectors);
