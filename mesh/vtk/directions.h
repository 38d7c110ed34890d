/* Fibre and sheet directions of elements from the arrays of a file: directions at vertices, and directions
 * that are not unit vectors. */
#pragma once

#include "mesh/mesh.h"

/* Computes the mean direction over the four vertices of an element: the principal axis of the sum of f f^T,
 * so that f and -f are equivalent, with the sign of the first; 0 if all are 0. Returns true if the directions
 * deviate from it by more than 30 degrees (root mean square of the sine), so that the mean is not
 * representative. */
bool mt_directions_mean(const double *const direction[4], double mean[3]);

/* Stores the directions of an element. They are stored unchanged if they are unit vectors and perpendicular
 * to within 1e-6, otherwise orthonormalised. The first sheet that is 0 or parallel to its fibre removes the
 * sheets of the mesh. Returns false if the fibre is 0. */
bool mt_directions_put(mt_mesh *mesh, size_t element, const double fibre[3], const double sheet[3]);

/* Adds a note that `what` (fibres, sheets) are means of the vertex array `name`; n_spread of them are not
 * representative. MT_MEMORY. */
MT_NODISCARD mt_status mt_directions_note(
    mt_arena *arena, mt_mesh *mesh, const char *what, const char *name, size_t n_spread);
