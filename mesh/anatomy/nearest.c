#include "mesh/anatomy/nearest.h"

#include <math.h>

#include "data/core/vec3.h"

enum { LEAF = 4, DEPTH_MAX = 48 };

/* A node to be split. */
typedef struct task {
    uint32_t node;
    int depth;
} task;

static void put_box(const mt_nearest *nearest, mt_nearest_node *node)
{
    for (int k = 0; k < 3; k++) node->low[k] = INFINITY, node->high[k] = -INFINITY;
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        double corner[3][3];
        mt_triangle_corners(nearest->surface, nearest->triangle[i], corner);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                node->low[k] = fmin(node->low[k], corner[c][k]);
                node->high[k] = fmax(node->high[k], corner[c][k]);
            }
    }
}

static double middle_of(const mt_nearest *nearest, uint32_t triangle, int axis)
{
    double corner[3][3];
    mt_triangle_corners(nearest->surface, triangle, corner);
    return (corner[0][axis] + corner[1][axis] + corner[2][axis]) / 3;
}

/* Moves the triangles with centroids in the lower half of the node's longest side to the front; returns their number. */
static uint32_t part(const mt_nearest *nearest, const mt_nearest_node *node)
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (node->high[k] - node->low[k] > node->high[axis] - node->low[axis]) axis = k;
    const double half = node->low[axis] + (node->high[axis] - node->low[axis]) / 2;
    uint32_t *t = nearest->triangle + node->first, n = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        if (middle_of(nearest, t[i], axis) >= half) continue;
        const uint32_t other = t[n];
        t[n++] = t[i];
        t[i] = other;
    }
    return n;
}

static mt_status build(mt_nearest *nearest)
{
    MT_SCRATCH(scratch);
    task *stack;
    size_t n_stack = 1;
    MT_ALLOC(scratch, stack, DEPTH_MAX + 2);
    nearest->node[0] = (mt_nearest_node){.count = (uint32_t)nearest->n_triangles};
    put_box(nearest, nearest->node);
    nearest->n_nodes = 1;
    while (n_stack > 0) {
        const task now = stack[--n_stack];
        mt_nearest_node *node = nearest->node + now.node;
        if (node->count <= LEAF || now.depth == DEPTH_MAX) continue;
        uint32_t n = part(nearest, node);
        if (n == 0 || n == node->count) n = node->count / 2; /* one side is empty: split arbitrarily */
        node->child = (uint32_t)nearest->n_nodes;
        mt_nearest_node *child = nearest->node + nearest->n_nodes;
        child[0] = (mt_nearest_node){.first = node->first, .count = n};
        child[1] = (mt_nearest_node){.first = node->first + n, .count = node->count - n};
        for (uint32_t k = 0; k < 2; k++) {
            put_box(nearest, child + k);
            stack[n_stack++] = (task){node->child + k, now.depth + 1};
        }
        nearest->n_nodes += 2;
    }
    return MT_OK;
}

mt_status mt_nearest_make(mt_arena *arena, const mt_mesh *surface, int32_t tag, mt_nearest *nearest)
{
    *nearest = (mt_nearest){.surface = surface};
    for (size_t f = 0; f < surface->n_faces; f++)
        nearest->n_triangles += tag == 0 || surface->face_tag[f] == tag;
    if (nearest->n_triangles == 0) return mt_fail(MT_INPUT, "a surface without triangles of tag %d", tag);
    MT_ALLOC(arena, nearest->triangle, nearest->n_triangles);
    MT_ALLOC(arena, nearest->node, 2 * nearest->n_triangles); /* sufficient, as no leaf is empty */
    size_t n = 0;
    for (size_t f = 0; f < surface->n_faces; f++)
        if (tag == 0 || surface->face_tag[f] == tag) nearest->triangle[n++] = (uint32_t)f;
    return build(nearest);
}

static double box_distance_squared(const mt_nearest_node *node, const double point[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double off = fmax(fmax(node->low[k] - point[k], point[k] - node->high[k]), 0);
        sum += off * off;
    }
    return sum;
}

/* A query, and the best result so far. */
typedef struct search {
    const double *point, *facing;
    double enough; /* [mm^2] the search stops at this squared distance */
    double square; /* [mm^2] squared distance of the best triangle */
    uint32_t triangle;
} search;

static void search_leaf(const mt_nearest *nearest, const mt_nearest_node *leaf, search *s)
{
    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        const uint32_t t = nearest->triangle[i];
        double corner[3][3], area[3];
        if (s->facing) {
            mt_triangle_area(nearest->surface, t, area);
            if (!(mt_dot3(area, s->facing) > 0)) continue;
        }
        mt_triangle_corners(nearest->surface, t, corner);
        const double square = mt_triangle_distance_squared(corner, s->point);
        if (square > s->square || (square == s->square && t > s->triangle)) continue;
        s->square = square;
        s->triangle = t;
    }
}

static void look(const mt_nearest *nearest, search *s)
{
    uint32_t stack[DEPTH_MAX + 2];
    size_t n_stack = 1;
    stack[0] = 0;
    while (n_stack > 0 && s->square > s->enough) {
        const mt_nearest_node *node = nearest->node + stack[--n_stack];
        if (box_distance_squared(node, s->point) > s->square) continue;
        if (node->child == 0) {
            search_leaf(nearest, node, s);
            continue;
        }
        const mt_nearest_node *child = nearest->node + node->child;
        const uint32_t near =
            box_distance_squared(child, s->point) > box_distance_squared(child + 1, s->point);
        stack[n_stack++] = node->child + 1 - near;
        stack[n_stack++] = node->child + near;
    }
}

uint32_t mt_nearest_find(
    const mt_nearest *nearest, const double point_mm[3], const double *facing, double *distance_mm)
{
    search s = {point_mm, facing, -1, INFINITY, MT_NO_TRIANGLE};
    look(nearest, &s);
    *distance_mm = sqrt(s.square);
    return s.triangle;
}

bool mt_nearest_within(const mt_nearest *nearest, const double point_mm[3], double distance_mm)
{
    const double enough = distance_mm * distance_mm;
    search s = {point_mm, NULL, enough, nextafter(enough, INFINITY), MT_NO_TRIANGLE};
    look(nearest, &s);
    return s.square <= enough;
}

/* ---- rays ---- */

static bool ray_meets_box(const mt_nearest_node *node, const double from[3], const double direction[3])
{
    double first = 0, last = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (direction[k] == 0) {
            if (from[k] < node->low[k] || from[k] > node->high[k]) return false;
            continue;
        }
        const double a = (node->low[k] - from[k]) / direction[k],
                     b = (node->high[k] - from[k]) / direction[k];
        first = fmax(first, fmin(a, b));
        last = fmin(last, fmax(a, b));
    }
    return first <= last;
}

/* True if the ray passes all three sides on the same hand and meets the triangle's plane ahead of its origin. */
static bool ray_meets_triangle(double corner[3][3], const double from[3], const double direction[3])
{
    double to[3][3], side[3], turn[3];
    for (int c = 0; c < 3; c++) mt_minus3(corner[c], from, to[c]);
    for (int c = 0; c < 3; c++) {
        mt_cross3(to[c], to[(c + 1) % 3], turn);
        side[c] = mt_dot3(direction, turn);
    }
    const double sum = side[0] + side[1] + side[2];
    if (sum == 0 || side[0] * sum < 0 || side[1] * sum < 0 || side[2] * sum < 0) return false;
    double ahead = 0; /* side[c] / sum is the barycentric weight of the corner opposite side c */
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) ahead += side[(c + 1) % 3] / sum * to[c][k] * direction[k];
    return ahead > 0;
}

bool mt_nearest_blocks(
    const mt_nearest *nearest, const double from_mm[3], const double direction[3], uint32_t except)
{
    uint32_t stack[DEPTH_MAX + 2];
    size_t n_stack = 1;
    stack[0] = 0;
    while (n_stack > 0) {
        const mt_nearest_node *node = nearest->node + stack[--n_stack];
        if (!ray_meets_box(node, from_mm, direction)) continue;
        if (node->child > 0) {
            stack[n_stack++] = node->child;
            stack[n_stack++] = node->child + 1;
            continue;
        }
        for (uint32_t i = node->first; i < node->first + node->count; i++) {
            double corner[3][3];
            if (nearest->triangle[i] == except) continue;
            mt_triangle_corners(nearest->surface, nearest->triangle[i], corner);
            if (ray_meets_triangle(corner, from_mm, direction)) return true;
        }
    }
    return false;
}
