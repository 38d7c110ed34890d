/* A mesh made coarse enough to be shown: its triangles or tetrahedra with fewer vertices.
 *
 * Vertices are put into the cubes of a grid. Those of one cube that hang together by edges of cells within it, a cluster, are shown by one of them, the
 * one nearest to their mean. So every vertex that is drawn is a vertex of the mesh, and has its values; and the two sides of a wall, or two walls,
 * stay apart even where they are nearer to each other than a cube is wide. A cell (a triangle or a tetrahedron) whose vertices are not
 * shown by as many different ones goes; of cells of the same vertices the first stays. The grid is the finest of a
 * bisection that leaves at most so many vertices, or one cube where all hang together less than that.
 *
 * The error is the farthest that a vertex has from the one that shows it: at most the diagonal of a cube. A cell that is drawn has corners that are
 * no farther from those of a cell of the mesh, so every point of it is within the error of that cell. Of the mesh, what is smaller
 * than a cube may not be drawn at all. */
#pragma once

#include "mesh/mesh.h"

/* Triangles or tetrahedra of a mesh. */
typedef struct mt_cells {
    size_t n, corners;       /* how many, and of each: 3 or 4 */
    const uint32_t *vertex;  /* [n][corners] */
    const uint32_t *element; /* [n] of which a cell is a part; NULL: cell k is element k */
} mt_cells;

typedef struct mt_coarse {
    size_t n_vertices, n, corners;
    uint32_t *vertex; /* [n_vertices] of the mesh, those of one place near each other */
    uint32_t *
        corner; /* [n][corners] indices of vertex; triangles as they were turned, tetrahedra of positive volume */
    uint32_t *cell;           /* [n] which cell of the mesh's it stands for, */
    uint32_t *element;        /* [n]   and which element */
    double error_mm, cube_mm; /* 0: nothing was left out */
} mt_coarse;

/* Gives cells with at most `most` (above 0) vertices, or one for each piece of the mesh where these are more, in `arena`; borrows the mesh and the cells. MT_MEMORY. O(n log n). */
MT_NODISCARD mt_status mt_coarse_make(
    mt_arena *arena, const mt_mesh *mesh, const mt_cells *cells, size_t most, mt_coarse *coarse);

/* Gives the triangles of the boundary of a mesh, counter-clockwise seen from outside, with their elements; borrows its adjacency.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_cells_boundary(
    mt_arena *arena, const mt_mesh *mesh, const uint32_t *neighbour, mt_cells *cells);
