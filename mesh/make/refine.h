/* Uniform refinement: every element becomes eight, so that edges are halved.
 *
 * An element's four corners and the midpoints of its six edges make four small elements, one at each corner, and an octahedron,
 * which is cut into four along the shortest of its three diagonals (J. Bey, Computing 55 (1995) 355, with the shortest
 * diagonal in place of a fixed one). Of equally short ones the one is taken that joins
 * the edge between the element's lowest vertex and the lowest possible partner to the edge of the other two: so the cut
 * depends on the numbers of the vertices, never on the order of the elements or of the vertices in them. Faces are cut
 * alike from both sides in any case: the diagonals lie inside.
 *
 * A tagged triangle becomes four, whether it is a face of an element or not. */
#pragma once

#include "mesh/mesh.h"

/* Gives the refined mesh in `arena`; borrows the coarse one, which has passed mt_mesh_check.
 *   vertices  the coarse ones with their numbers, then the midpoints in the order in which the elements meet them first;
 *   elements     the children of element c are 8 c .. 8 c + 7, first those at its corners in their order, all of 1/8 its
 *             volume; region, fibre, sheet, depth and layer are those of c;
 *   triangles those of triangle f are 4 f .. 4 f + 3, the last one its middle; their tag is that of f.
 * MT_INPUT, before any memory is taken: elements or triangles would reach 2^32 - 1, or vertices could (n_vertices + 6 n_elements
 * + 3 n_faces). MT_MEMORY. Time O(n); scratch at most 100 bytes for each edge of the coarse mesh, freed: less
 * than half of what is given. */
MT_NODISCARD mt_status mt_refine(mt_arena *arena, const mt_mesh *coarse, mt_mesh *fine);

/* Can a mesh be refined this many times? MT_INPUT as above. */
MT_NODISCARD mt_status mt_refine_check(const mt_mesh *coarse, unsigned long times);
