/* Gradients: a parameter of the cell model that changes from one end of a heart to the other, as currents do from apex to base and through
 * the wall.
 *
 * A coordinate s runs from 0 to 1:
 *
 *   depth          from endocardium to epicardium, as the mesh carries it (mt_mesh.depth)
 *   apex_to_base   of the centre of an element: its height over the apex, along the normal of the base, over that of the base
 *                  (mt_landmarks); 0 below the apex, 1 above the base
 *   x, y, z        of the centre, from one face of the box around the mesh to the other
 *
 * and the factor of the parameter is first + (last - first) s, in MT_GRADIENT_STEPS steps of equal width, each with the factor of its
 * middle: elements of one step are cells of one kind, of which tiles hold the constants once. */
#pragma once

#include "mesh/mesh.h"
#include "solver/tissue/kinds.h"

#define MT_GRADIENT_STEPS 16

typedef enum mt_gradient_along {
    MT_GRADIENT_DEPTH,
    MT_GRADIENT_APEX_TO_BASE,
    MT_GRADIENT_X,
    MT_GRADIENT_Y,
    MT_GRADIENT_Z
} mt_gradient_along;

/* As cases name them, NULL behind the last. */
extern const char *const mt_gradient_along_name[];

typedef struct mt_gradient {
    const char *parameter; /* of the model */
    mt_gradient_along along;
    double first, last; /* factors where the coordinate is 0 and 1; at least 0 */
} mt_gradient;

/* Gives the step of each element of the whole mesh in `arena`, 0 to MT_GRADIENT_STEPS - 1. MT_INPUT: the mesh has no depth, or neither
 * apex nor base. MT_MEMORY. */
MT_NODISCARD mt_status mt_gradient_steps(
    mt_arena *arena, const mt_gradient *gradient, const mt_mesh *whole, uint8_t **step);

/* The factor in a step. */
double mt_gradient_factor(const mt_gradient *gradient, uint8_t step);

/* Changes the kinds of the elements of a mesh, which are those of the whole or a part (mt_mesh_number). Fails as that, and as
 * mt_kinds_change. */
MT_NODISCARD mt_status mt_gradient_apply(mt_arena *scratch, const mt_gradient *gradient, const mt_mesh *whole,
    const mt_mesh *mesh, mt_kinds *kinds);
