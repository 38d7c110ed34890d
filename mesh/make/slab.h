/* A rectangular slab: boxes of one edge length, each cut into the six Kuhn tetrahedra.
 *
 * A regular mesh for tests, benchmarks and the published slab benchmark (20 x 7 x 3 mm); not for anatomy. */
#pragma once

#include "mesh/mesh.h"

/* How the boxes are cut. The six tetrahedra of a box share one of its four diagonals, and a wave runs faster along it
 * than along the other three, the more so the larger the boxes are.
 *   mirrored  the cut of box (i, j, k) is that of box (0, 0, 0) mirrored along x where i is odd, along y where j is odd
 *             and along z where k is odd. Boxes side by side are mirror images of each other, so their faces match, and
 *             no diagonal is preferred: of any eight boxes about a vertex, two have each of the four.
 *             With an even number of boxes along an axis the slab is its own mirror image along that axis. With an
 *             odd one it is not, as its first and last box have the same diagonal; how much that does to a wave is in
 *             solver/README.md, "Convergence".
 *   kuhn      the same cut in every box, along the diagonal from its lowest to its highest corner: the usual cut of
 *             finite element codes, and a shift by a box does not change the mesh. It prefers that diagonal; of all
 *             mirrors only that of the three axes at once leaves it as it is. */
typedef enum mt_slab_cut { MT_SLAB_MIRRORED, MT_SLAB_KUHN } mt_slab_cut;

enum { MT_SLAB_CUTS = 2 };

/* Their names, by mt_slab_cut, and NULL. */
extern const char *const mt_slab_cut_name[MT_SLAB_CUTS + 1];

/* Gives a mesh of [0, size_mm[0]] x [0, size_mm[1]] x [0, size_mm[2]], n_k = size_mm[k] / edge_mm boxes along
 * axis k:
 *   vertices  (n_0 + 1)(n_1 + 1)(n_2 + 1), x running fastest;
 *   elements     6 n_0 n_1 n_2 of volume edge_mm^3 / 6, the six of a box together, boxes with x running fastest; the
 *             first and the last vertex of each element are the ends of the box's diagonal;
 *   fibres    along x;
 *   region    1.
 * Time and memory O(elements).
 * MT_INPUT: a size or the edge is not finite and above 0; a size is no whole multiple of the edge (to 1e-6 of
 * the size); more elements than a mesh may have. MT_MEMORY. */
MT_NODISCARD mt_status mt_slab_make_cut(
    mt_arena *arena, const double size_mm[3], double edge_mm, mt_slab_cut cut, mt_mesh *mesh);

/* The same, mirrored. */
MT_NODISCARD mt_status mt_slab_make(mt_arena *arena, const double size_mm[3], double edge_mm, mt_mesh *mesh);

/* Can such a slab be made? For those who have long work before it. MT_INPUT: no, as above. */
MT_NODISCARD mt_status mt_slab_check(const double size_mm[3], double edge_mm);
