/* Fibres and sheets of elements from what files have: directions of vertices, and directions of elements that are not unit vectors. */
#pragma once

#include "mesh/mesh.h"

/* Computes the mean of the directions at the four vertices of an element: the principal axis of the sum of f f', so that f and -f are
 * the same direction, on the side of the first; 0 if all are 0. Returns true if they are on average (root mean square of the sine)
 * more than 30 degrees from it, where a mean means little. */
bool mt_directions_mean(const double *const direction[4], double mean[3]);

/* Stores the directions of an element: as they are if they are unit vectors and perpendicular to 1e-6, else made so. The mesh loses its
 * sheets at the first sheet that is 0 or along its fibre. Returns false if the fibre is 0. */
bool mt_directions_put(mt_mesh *mesh, size_t element, const double fibre[3], const double sheet[3]);

/* Notes that `what` (fibres, sheets) are means of the array `name` of the vertices, of which n_spread are as above. MT_MEMORY. */
MT_NODISCARD mt_status mt_directions_note(
    mt_arena *arena, mt_mesh *mesh, const char *what, const char *name, size_t n_spread);
