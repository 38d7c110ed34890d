/* Nearest-triangle and ray queries on a surface, by a tree of bounding boxes.
 *
 * Invariants: the children of a node are stored after it; their boxes are within the box of the node; every triangle is in one leaf; the
 * depth of a node is at most 48. */
#pragma once

#include "mesh/triangles.h"

typedef struct mt_nearest_node {
    double low[3], high[3]; /* the box [mm] */
    uint32_t first, count;  /* triangles of the node: triangle[first .. first + count) */
    uint32_t child;         /* first of two consecutive children; 0 in a leaf */
} mt_nearest_node;

typedef struct mt_nearest {
    const mt_mesh *surface; /* borrowed */
    size_t n_nodes;
    mt_nearest_node *node; /* [n_nodes], the root first */
    size_t n_triangles;
    uint32_t *triangle; /* [n_triangles] */
} mt_nearest;

/* Builds the tree of the triangles with tag `tag`, or of all triangles if `tag` is 0, in `arena`. The surface is borrowed while the tree is
 * used. MT_INPUT: no such triangle. MT_MEMORY. Time: O(n log n) in practice, O(48 n) at worst. */
MT_NODISCARD mt_status mt_nearest_make(
    mt_arena *arena, const mt_mesh *surface, int32_t tag, mt_nearest *nearest);

/* Returns the nearest triangle and its distance [mm]; among equally near ones the one with the lowest number. If `facing` is not NULL, only
 * triangles with normals within 90 degrees of it count. Returns MT_NO_TRIANGLE and INFINITY if there is no such triangle. */
uint32_t mt_nearest_find(
    const mt_nearest *nearest, const double point_mm[3], const double *facing, double *distance_mm);

/* True if a triangle is within this distance of a point. Faster than mt_nearest_find, much faster if the result is false. */
bool mt_nearest_within(const mt_nearest *nearest, const double point_mm[3], double distance_mm);

/* True if the ray from a point in a direction (unit vector) hits a triangle other than `except`. Grazing hits may or may not count. */
bool mt_nearest_blocks(
    const mt_nearest *nearest, const double from_mm[3], const double direction[3], uint32_t except);
