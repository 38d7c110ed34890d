/* Surfaces of triangles: areas, distances, and which triangles share a side.
 *
 * A surface is a mesh without elements whose tagged triangles (face_vertex, face_tag) are the surface; a mesh's elements
 * are ignored. Side k of a triangle runs from its corner k to the next one. */
#pragma once

#include "mesh/adjacency.h"

#define MT_NO_TRIANGLE UINT32_MAX

/* Invariant: mate[mate[s]] = s where s has a mate; side s is side s % 3 of triangle s / 3. */
typedef struct mt_sides {
    size_t n_triangles;
    uint32_t *mate; /* [n_triangles][3] the side of the other triangle; MT_NO_TRIANGLE where the edge does not
                     * have exactly two triangles */
    size_t n_single, n_crowded;     /* edges of one triangle, and of more than two */
    uint32_t single[2], crowded[2]; /* the vertices of the first of each, by number of vertex */
} mt_sides;

/* Pairs the sides of a surface (borrowed; mt_mesh_check passed). MT_INPUT: more than 2^32 / 3 triangles.
 * MT_MEMORY. O(n log n) time at worst, in practice O(n). */
MT_NODISCARD mt_status mt_sides_make(mt_arena *arena, const mt_mesh *surface, mt_sides *sides);

/* The corners of a triangle [mm]. */
void mt_triangle_corners(const mt_mesh *surface, size_t triangle, double corner[3][3]);

/* Its area vector [mm^2]: the length is the area, the direction the one from which the corners run
 * counter-clockwise. */
void mt_triangle_area(const mt_mesh *surface, size_t triangle, double area_mm2[3]);

/* Its area [mm^2]. */
double mt_triangle_mm2(const mt_mesh *surface, size_t triangle);

/* Six times the volume of the tetrahedron between a triangle and a point [mm^3], above 0 where the triangle faces away
 * from the point: summed over a closed surface, six times what it encloses. */
double mt_triangle_volume_six(const mt_mesh *surface, size_t triangle, const double point[3]);

/* The squared distance of a point to a triangle [mm^2]. */
double mt_triangle_distance_squared(double corner[3][3], const double point[3]);

/* The faces of a mesh's boundary become its tagged triangles, all with tag 0 and counter-clockwise seen from
 * outside; those it had are forgotten. Borrows its adjacency. MT_MEMORY. */
MT_NODISCARD mt_status mt_boundary_make(mt_arena *arena, const mt_adjacency *adjacency, mt_mesh *mesh);

/* Removes the triangles with tag 0 from the tagged triangles of a mesh. */
void mt_triangles_drop_untagged(mt_mesh *mesh);
