/* Mesh decimation for display: the triangles or tetrahedra of a mesh with fewer vertices.
 *
 * Vertices are assigned to the cubes of a grid. Vertices of a cube that are connected by edges of cells within it are a cluster. The vertex
 * nearest to the mean of a cluster represents it. So each drawn vertex is a vertex of the mesh, with its values, and opposite surfaces of
 * a wall remain separate even if they are closer than the size of a cube. A cell (a triangle or a tetrahedron) is deleted if two of its
 * vertices have the same representative, and so are all but the first of cells with the same representatives. The grid is the finest of
 * a bisection that leaves at most the given number of clusters; it is a single cube if the mesh has more connected pieces than that.
 *
 * The error is the largest distance of a vertex from its representative, at most the diagonal of a cube. Each corner of a drawn cell is
 * within the error of a corner of its cell of the mesh, and so is each point of it. Details smaller than a cube may not be drawn. */
#pragma once

#include "mesh/mesh.h"

/* Triangles or tetrahedra of a mesh. */
typedef struct mt_display_cells {
    size_t n, corners;       /* number of cells; corners of each: 3 or 4 */
    const uint32_t *vertex;  /* [n][corners] */
    const uint32_t *element; /* [n] the element of each cell; NULL if cell k is element k */
} mt_display_cells;

typedef struct mt_coarse {
    size_t n_vertices, n, corners;
    uint32_t *vertex; /* [n_vertices] vertices of the mesh, in an order that keeps neighbours close */
    /* [n][corners] indices into `vertex`. Triangles keep their orientation; tetrahedra have a positive volume. */
    uint32_t *corner;
    uint32_t *cell;           /* [n] the cell of the mesh */
    uint32_t *element;        /* [n] the element of the mesh */
    double error_mm, cube_mm; /* 0 if the mesh was not decimated */
} mt_coarse;

/* Decimates a mesh to at most `most` (above 0) vertices, or to one for each connected piece if there are more pieces. The result is in
 * `arena`. O(n log n). */
MT_NODISCARD mt_status mt_coarse_make(
    mt_arena *arena, const mt_mesh *mesh, const mt_display_cells *cells, size_t most, mt_coarse *coarse);

/* Lists the triangles of the boundary of a mesh, counter-clockwise seen from outside, with their elements, in `arena`. `neighbour`: its
 * adjacency. */
MT_NODISCARD mt_status mt_display_cells_boundary(
    mt_arena *arena, const mt_mesh *mesh, const uint32_t *neighbour, mt_display_cells *cells);
