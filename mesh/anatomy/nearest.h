/* The triangle of a surface that is nearest to a point: a tree of boxes around triangles.
 *
 * Invariants: the children of a node stand behind it; the boxes of the children are within that of the node;
 * every triangle is in one leaf; a node is at most 48 below the root. */
#pragma once

#include "mesh/triangles.h"

typedef struct mt_nearest_node {
    double low[3], high[3]; /* the box [mm] */
    uint32_t first, count;  /* its triangles: triangle[first .. first + count) */
    uint32_t child;         /* of its two children the first; 0 in a leaf */
} mt_nearest_node;

typedef struct mt_nearest {
    const mt_mesh *surface; /* borrowed */
    size_t n_nodes;
    mt_nearest_node *node; /* [n_nodes], the root first */
    size_t n_triangles;
    uint32_t *triangle; /* [n_triangles] */
} mt_nearest;

/* Gives the tree of those triangles of a surface (borrowed as long as the tree is used) whose tag is `tag`, or of all
 * where tag is 0. MT_INPUT: there are none. MT_MEMORY. O(n log n) in practice, 48 n at worst. */
MT_NODISCARD mt_status mt_nearest_make(
    mt_arena *arena, const mt_mesh *surface, int32_t tag, mt_nearest *nearest);

/* The nearest triangle and its distance [mm]; of several at the same distance the one with the lowest number. With
 * `facing` only triangles whose normal is within 90 degrees of that direction; MT_NO_TRIANGLE and INFINITY where
 * none is. */
uint32_t mt_nearest_find(
    const mt_nearest *nearest, const double point_mm[3], const double *facing, double *distance_mm);

/* Is there a triangle no farther than that from a point? Faster than the nearest, by far where none is. */
bool mt_nearest_within(const mt_nearest *nearest, const double point_mm[3], double distance_mm);

/* Is there a triangle, other than `except`, on the ray from a point in this direction (unit)? Triangles that the ray
 * only grazes may count or not. */
bool mt_nearest_blocks(
    const mt_nearest *nearest, const double from_mm[3], const double direction[3], uint32_t except);
