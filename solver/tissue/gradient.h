/* Gradients: a parameter of the ionic model that varies along a heart, as currents do from apex to base and across the wall.
 *
 * A coordinate s runs from 0 to 1:
 *
 *   depth          from endocardium to epicardium, from the mesh (mt_mesh.depth)
 *   apex_to_base   of the centre of an element: its height above the apex along the normal of the base, divided by that of the base
 *                  (mt_landmarks); 0 below the apex, 1 above the base
 *   x, y, z        of the centre, from one face of the mesh's bounding box to the other
 *
 * Unknowns at vertices (mesh/unknowns.h) have the coordinates of the vertex, and the mean depth of its elements, by volume.
 *
 * The factor of the parameter is first + (last - first) s, in MT_GRADIENT_STEPS steps of equal width, each with the factor of its middle.
 * Elements of one step are cells of one kind, and tiles store its constants once. */
#pragma once

#include "mesh/unknowns.h"
#include "solver/tissue/kinds.h"

#define MT_GRADIENT_STEPS 16

typedef enum mt_gradient_along {
    MT_GRADIENT_DEPTH,
    MT_GRADIENT_APEX_TO_BASE,
    MT_GRADIENT_X,
    MT_GRADIENT_Y,
    MT_GRADIENT_Z
} mt_gradient_along;

/* Names in cases, terminated by NULL. */
extern const char *const mt_gradient_along_name[];

typedef struct mt_gradient {
    const char *parameter; /* of the model */
    mt_gradient_along along;
    double first, last; /* factors at the coordinates 0 and 1; not negative */
} mt_gradient;

/* Returns in `arena` the step of each unknown, 0 to MT_GRADIENT_STEPS - 1. Their mesh has all or some of the elements of `whole`, which
 * defines apex, base and ends. MT_INPUT if the mesh lacks the depth, or the apex or base. MT_MEMORY. */
MT_NODISCARD mt_status mt_gradient_steps(mt_arena *arena, const mt_gradient *gradient, const mt_mesh *whole,
    const mt_unknowns *unknowns, uint8_t **step);

/* Returns the factor in a step. */
double mt_gradient_factor(const mt_gradient *gradient, uint8_t step);

/* Changes the kinds of the unknowns. Returns the errors of mt_gradient_steps and mt_kinds_change. */
MT_NODISCARD mt_status mt_gradient_apply(mt_arena *scratch, const mt_gradient *gradient, const mt_mesh *whole,
    const mt_unknowns *unknowns, mt_kinds *kinds);
