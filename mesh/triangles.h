/* Triangulated surfaces: areas, distances, and adjacency of triangles.
 *
 * A surface is the tagged triangles (face_vertex, face_tag) of a mesh; its elements are ignored. Side k of a triangle is the edge from
 * corner k to the next corner. */
#pragma once

#include "mesh/adjacency.h"

#define MT_NO_TRIANGLE UINT32_MAX

/* Pairs of sides on the same edge. Invariant: mate[mate[s]] = s if s has a mate. Side s is side s % 3 of triangle s / 3. */
typedef struct mt_sides {
    size_t n_triangles;
    /* [n_triangles][3] the same edge as a side of the other triangle; MT_NO_TRIANGLE unless the edge has exactly two triangles */
    uint32_t *mate;
    size_t n_single, n_crowded;     /* number of edges with one triangle, and with more than two */
    uint32_t single[2], crowded[2]; /* vertices of the first such edge, ordered by vertex numbers */
} mt_sides;

/* Pairs the sides of a surface (borrowed; it has passed mt_mesh_check). MT_INPUT: 2^32 / 3 triangles or more. MT_MEMORY. Time: O(n log n)
 * at worst, O(n) in practice. */
MT_NODISCARD mt_status mt_sides_make(mt_arena *arena, const mt_mesh *surface, mt_sides *sides);

/* Returns the corners of a triangle [mm]. */
void mt_triangle_corners(const mt_mesh *surface, size_t triangle, double corner[3][3]);

/* Computes the area vector of a triangle [mm^2]. Its length is the area; it points to the side from which the corners are
 * counter-clockwise. */
void mt_triangle_area(const mt_mesh *surface, size_t triangle, double area_mm2[3]);

/* Returns the area of a triangle [mm^2]. */
double mt_triangle_mm2(const mt_mesh *surface, size_t triangle);

/* Returns six times the signed volume of the tetrahedron of a triangle and a point [mm^3], positive if the triangle faces away from the
 * point. The sum over a closed surface is six times the enclosed volume. */
double mt_triangle_volume_six(const mt_mesh *surface, size_t triangle, const double point[3]);

/* Returns the squared distance from a point to a triangle [mm^2]. */
double mt_triangle_distance_squared(double corner[3][3], const double point[3]);

/* Replaces the tagged triangles of a mesh by its boundary faces, with tag 0 and counter-clockwise seen from outside. Borrows the adjacency.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_boundary_make(mt_arena *arena, const mt_adjacency *adjacency, mt_mesh *mesh);

/* Replaces the tagged triangles of a mesh by the faces between elements c with inside[c] != 0 and others, with tag 1 and counter-clockwise
 * seen from the others. There may be none. Borrows the adjacency. MT_INPUT: too many. MT_MEMORY. */
MT_NODISCARD mt_status mt_border_make(
    mt_arena *arena, const mt_adjacency *adjacency, const uint8_t *inside, mt_mesh *mesh);

/* Removes the triangles with tag 0. */
void mt_triangles_remove_untagged(mt_mesh *mesh);
