/* A rectangular slab: cubic boxes of one edge length, each cut into the six Kuhn tetrahedra.
 *
 * A regular mesh for tests, benchmarks and the published slab benchmark (20 x 7 x 3 mm); not for anatomy. */
#pragma once

#include "mesh/mesh.h"

/* How the boxes are cut. The six tetrahedra of a box share one of its four diagonals. Conduction velocity is higher along
 * this diagonal than along the other three; the difference increases with the edge length.
 *   mirrored  the cut of box (i, j, k) is the cut of box (0, 0, 0) mirrored along x if i is odd, along y if j is odd and along z
 *             if k is odd. Adjacent boxes are mirror images of each other, so their faces match, and no diagonal is preferred:
 *             of any eight boxes about a vertex, two have each of the four.
 *             With an even number of boxes along an axis the slab is mirror-symmetric along that axis. With an odd number it is
 *             not, as its first and last box have the same diagonal; solver/README.md, "Convergence", quantifies the effect on
 *             the activation wavefront.
 *   kuhn      the same cut in every box, along the diagonal from its lowest to its highest corner: the usual cut of finite element
 *             codes, and translation-invariant. It prefers that diagonal; of all mirrorings only that of all three axes together
 *             preserves it. */
typedef enum mt_slab_cut { MT_SLAB_MIRRORED, MT_SLAB_KUHN } mt_slab_cut;

enum { MT_SLAB_CUTS = 2 };

/* Their names, indexed by mt_slab_cut, followed by NULL. */
extern const char *const mt_slab_cut_name[MT_SLAB_CUTS + 1];

/* Builds a mesh of [0, size_mm[0]] x [0, size_mm[1]] x [0, size_mm[2]], n_k = size_mm[k] / edge_mm boxes along axis k:
 *   vertices  (n_0 + 1)(n_1 + 1)(n_2 + 1), x varying fastest;
 *   elements  6 n_0 n_1 n_2 of volume edge_mm^3 / 6, the six of a box together, boxes with x varying fastest; the first and the
 *             last vertex of each element are the ends of the box's diagonal;
 *   fibres    along x;
 *   region    1.
 * Time and memory O(elements). MT_INPUT: a size or the edge is not finite and above 0; a size is not an integer multiple of
 * the edge (to 1e-6 of the size); more elements than a mesh may have. MT_MEMORY. */
MT_NODISCARD mt_status mt_slab_make_cut(
    mt_arena *arena, const double size_mm[3], double edge_mm, mt_slab_cut cut, mt_mesh *mesh);

/* The same, with the mirrored cut. */
MT_NODISCARD mt_status mt_slab_make(mt_arena *arena, const double size_mm[3], double edge_mm, mt_mesh *mesh);

/* Checks that such a slab can be built, before long computations. MT_INPUT as above. */
MT_NODISCARD mt_status mt_slab_check(const double size_mm[3], double edge_mm);
