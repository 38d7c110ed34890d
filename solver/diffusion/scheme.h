/* Options of the space discretisation of the monodomain equation.
 *
 * Damping. The flux through a face damps jumps of the linear extrapolation by alpha w_f tau_f
 * (solver/diffusion/diffusion.h). With c the cosine between the face's normal and the line between the
 * elements' centroids in the metric of the tissue,
 *
 *     c^2 = (S . d)^2 / ((S . D S) (d . D^-1 d)),
 *
 * the weight is one of the corrections for oblique faces of H. Jasak's thesis (Imperial College, 1996,
 * section 3.3):
 *   over-relaxed  w_f = 1, the coefficient tau_f = S . D S / (S . d). In strongly anisotropic tissue nearly all faces are
 *                 oblique in its metric, and transverse curvature of the wavefront is damped as if it were longitudinal.
 *   minimum       w_f = c^2, at least 0.01; the coefficient is (S . d) / (d . D^-1 d). The relative error of the conduction
 *                 velocity is nearly equal in all directions, so that one parameter can correct it.
 *
 * Spreading. A fraction of the reaction charge of an element enters its neighbours at once
 * (solver/diffusion/spreading.h). The consistent mass matrix of finite elements does the same to the
 * reaction. The fraction vanishes as elements become small. Without spreading, conduction velocity is
 * underestimated on coarse meshes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/status.h"

typedef enum mt_correction {
    MT_CORRECTION_MINIMUM,
    MT_CORRECTION_OVER_RELAXED,
    MT_CORRECTIONS
} mt_correction;
extern const char *const mt_correction_name[]; /* terminated by NULL */

typedef struct mt_diffusion_scheme {
    double damping;   /* alpha > 0; 1 to 2 are good values */
    double spreading; /* beta >= 0; 0: no spreading */
    double front_ms;  /* t_0 >= 0 of the spreading, a constant of the ionic model (solver/cells/model.h) */
    mt_correction correction;
} mt_diffusion_scheme;

/* Spreading in elements with one kind of cells. */
typedef struct mt_spreading_law {
    double beta;        /* >= 0 */
    double reaction_ms; /* > 0: 1/j, a lower bound of the time in which the cells restore V */
    bool limits_kappa;  /* in stiff elements; false: their V_c is raised */
} mt_spreading_law;

/* The laws of all elements; t_0 is that of the scheme. */
typedef struct mt_spreading {
    size_t n;                    /* at least 1 */
    const mt_spreading_law *law; /* [n] borrowed */
    const uint16_t *of;          /* [n_elements] borrowed; NULL: all have the first law */
} mt_spreading;

/* The default scheme, for the first ionic model of the table. It minimises the activation time errors in all
 * directions, on Gmsh meshes and on both box meshes, with elements of 0.14 to 0.8 mm
 * (solver/diffusion/spreading.h explains how). */
extern const mt_diffusion_scheme mt_diffusion_scheme_default;

/* Without spreading: damping 1.5, over-relaxed. As good for diffusion alone; underestimates CV on coarse
 * meshes. */
extern const mt_diffusion_scheme mt_diffusion_scheme_plain;

/* True if both are equal except for front_ms. */
bool mt_diffusion_scheme_same(const mt_diffusion_scheme *a, const mt_diffusion_scheme *b);

/* Fails with MT_INPUT and the name of the value that is not finite or out of range. */
MT_NODISCARD mt_status mt_diffusion_scheme_check(const mt_diffusion_scheme *scheme);
