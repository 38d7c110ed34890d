/* Uniform refinement: every element becomes eight, so that edge lengths are halved.
 *
 * The four corners of an element and the midpoints of its six edges form four small elements, one at each corner, and an
 * octahedron. The octahedron is cut into four along the shortest of its three diagonals (J. Bey, Computing 55 (1995) 355,
 * with the shortest diagonal instead of a fixed one). Ties are resolved by vertex numbers: the diagonal is chosen that joins
 * the edge between the element's lowest vertex and the lowest possible partner to the opposite edge. So the cut does not
 * depend on the order of the elements or of the vertices in them. Faces are always cut alike from both sides, as the
 * diagonals are in the interior.
 *
 * A tagged triangle becomes four, also if it is not a face of an element. */
#pragma once

#include "mesh/mesh.h"

/* Builds the refined mesh in `arena` from the coarse one (borrowed), which has passed mt_mesh_check.
 *   vertices  the coarse ones with their numbers, then the midpoints in the order in which the elements first reference them;
 *   elements  the children of element c are 8 c .. 8 c + 7, first the four at its corners in order, each with 1/8 of its
 *             volume; region, fibre, sheet, depth, layer and segment are those of c;
 *   triangles the children of triangle f are 4 f .. 4 f + 3, the last one in the middle; their tag is that of f.
 * MT_INPUT, before any allocation: elements or triangles would reach 2^32 - 1, or vertices could (n_vertices + 6 n_elements +
 * 3 n_faces). MT_MEMORY. Time O(n); scratch at most 100 bytes for each edge of the coarse mesh, freed: less than half of the
 * result. */
MT_NODISCARD mt_status mt_refine(mt_arena *arena, const mt_mesh *coarse, mt_mesh *fine);

/* Checks that a mesh can be refined `times` times. MT_INPUT as above. */
MT_NODISCARD mt_status mt_refine_check(const mt_mesh *coarse, unsigned long times);
