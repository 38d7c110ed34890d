/* A rectangular slab: boxes of one edge length, each cut into the six Kuhn tetrahedra.
 *
 * A regular mesh for tests, benchmarks and the published slab benchmark (20 x 7 x 3 mm); not for anatomy. */
#ifndef MT_MESH_SLAB_H
#define MT_MESH_SLAB_H

#include "mesh/mesh.h"

/* Gives a mesh of [0, size_mm[0]] x [0, size_mm[1]] x [0, size_mm[2]], n_k = size_mm[k] / edge_mm boxes along
 * axis k:
 *   vertices  (n_0 + 1)(n_1 + 1)(n_2 + 1), x running fastest;
 *   cells     6 n_0 n_1 n_2 of volume edge_mm^3 / 6, the six of a box together, boxes with x running fastest;
 *   fibres    along x;
 *   region    1.
 * The six share the box's diagonal from its lowest to its highest corner; the cut is the same in every box,
 * so faces of neighbours match. Time and memory O(cells).
 * MT_INPUT: a size or the edge is not finite and above 0; a size is no whole multiple of the edge (to 1e-6 of
 * the size); more cells than a mesh may have. MT_FILE: no memory. */
MT_NODISCARD mt_status mt_slab_make(mt_arena *arena, const double size_mm[3], double edge_mm, mt_mesh *mesh);

#endif
