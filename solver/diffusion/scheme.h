/* How the monodomain equation is discretised in space: what may be chosen.
 *
 * Damping. The flux through a face damps jumps of the linear extrapolation by alpha w_f tau_f (solver/diffusion/diffusion.h).
 * With c the cosine between the face's normal and the line between the elements' centroids in the metric of the tissue,
 *
 *     c^2 = (S . d)^2 / ((S . D S) (d . D^-1 d)),
 *
 * the weight is that of one of the corrections for oblique faces of H. Jasak's thesis (Imperial College, 1996, section 3.3):
 *   over-relaxed  w_f = 1, the coefficient tau_f = S . D S / (S . d). Where the tissue conducts much better along the fibres
 *                 than across them, nearly all faces are oblique in its metric, and a bend of the front across the
 *                 fibres is damped as if it lay along them.
 *   minimum       w_f = c^2, at least 0.01; the coefficient is (S . d) / (d . D^-1 d). What is late is then late by nearly
 *                 the same share in all directions, so that one number can mend it.
 *
 * Spreading. A share of the charge of an element's reaction enters its neighbours at once (solver/diffusion/spreading.h). It is
 * what a finite element's consistent mass matrix does to the reaction, and vanishes as elements become small.
 * Without it the wave is late on coarse meshes. */
#pragma once

#include <stdbool.h>

#include "data/core/status.h"

typedef enum mt_correction {
    MT_CORRECTION_MINIMUM,
    MT_CORRECTION_OVER_RELAXED,
    MT_CORRECTIONS
} mt_correction;
extern const char *const mt_correction_name[]; /* NULL ends it */

typedef struct mt_diffusion_scheme {
    double damping;   /* alpha, above 0; 1 to 2 are good values */
    double spreading; /* beta, 0 or above; 0: none */
    double front_ms;  /* t_0 of the spreading, 0 or above: that of the cells (solver/cells/model.h) */
    mt_correction correction;
} mt_diffusion_scheme;

/* What is usual, for cells of the first model of the table: the numbers that make waves least late or early in all directions, on
 * Gmsh's meshes and on both cuts of boxes, at elements of 0.14 to 0.8 mm (solver/diffusion/spreading.h has how they were found). */
extern const mt_diffusion_scheme mt_diffusion_scheme_usual;

/* Without spreading: damping 1.5, over-relaxed. As good for diffusion alone; waves are late on coarse meshes. */
extern const mt_diffusion_scheme mt_diffusion_scheme_plain;

/* Whether they are the same but for the cells' front. */
bool mt_diffusion_scheme_same(const mt_diffusion_scheme *a, const mt_diffusion_scheme *b);

/* MT_INPUT naming the value that is not finite or out of its range. */
MT_NODISCARD mt_status mt_diffusion_scheme_check(const mt_diffusion_scheme *scheme);
