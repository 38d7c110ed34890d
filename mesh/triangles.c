#include "mesh/triangles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/offsets.h"
#include "data/core/vec3.h"
#include "data/core/order.h"

/* ---- sides ---- */

/* A side in the bucket of its lower vertex. */
typedef struct side {
    uint32_t high, id;
} side;

static void ends_of(const mt_mesh *surface, size_t s, uint32_t *low, uint32_t *high)
{
    const uint32_t *v = surface->face_vertex + 3 * (s / 3);
    const uint32_t a = v[s % 3], b = v[(s % 3 + 1) % 3];
    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

/* Total order, so that the result does not depend on the sorting algorithm. */
MT_ORDER(compare_sides, side, high, id)

/* Sorts a bucket: short ones (about 6 sides in a smooth surface) by insertion, long ones by qsort. */
static void sort_sides(side *sides, size_t n)
{
    if (n > 48) {
        qsort(sides, n, sizeof *sides, compare_sides);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const side one = sides[i];
        size_t k = i;
        for (; k > 0 && compare_sides(&one, &sides[k - 1]) < 0; k--) sides[k] = sides[k - 1];
        sides[k] = one;
    }
}

static void match_bucket(uint32_t low, const side *bucket, size_t n, mt_sides *sides)
{
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && bucket[k].high == bucket[i].high;) k++;
        if (k - i == 2) {
            sides->mate[bucket[i].id] = bucket[i + 1].id;
            sides->mate[bucket[i + 1].id] = bucket[i].id;
            continue;
        }
        size_t *count = k - i == 1 ? &sides->n_single : &sides->n_crowded;
        uint32_t *first = k - i == 1 ? sides->single : sides->crowded;
        if ((*count)++ == 0) first[0] = low, first[1] = bucket[i].high;
    }
}

mt_status mt_sides_make(mt_arena *arena, const mt_mesh *surface, mt_sides *sides)
{
    *sides = (mt_sides){.n_triangles = surface->n_faces};
    if (surface->n_faces >= UINT32_MAX / 3)
        return mt_fail(MT_INPUT, "a surface of %zu triangles; there must be fewer than %u", surface->n_faces,
            UINT32_MAX / 3);
    MT_ALLOC(arena, sides->mate, 3 * surface->n_faces);
    MT_SCRATCH(scratch);
    const size_t n = 3 * surface->n_faces;
    size_t *start;
    side *sorted;
    uint32_t low, high;
    MT_ALLOC(scratch, start, surface->n_vertices + 2);
    MT_ALLOC(scratch, sorted, n);
    for (size_t s = 0; s < n; s++) {
        sides->mate[s] = MT_NO_TRIANGLE;
        ends_of(surface, s, &low, &high);
        start[low + 2]++;
    }
    mt_offsets_sum(start, surface->n_vertices + 2);
    for (size_t s = 0; s < n; s++) {
        ends_of(surface, s, &low, &high);
        sorted[start[low + 1]++] = (side){high, (uint32_t)s};
    }
    for (size_t v = 0; v < surface->n_vertices; v++) {
        sort_sides(sorted + start[v], start[v + 1] - start[v]);
        match_bucket((uint32_t)v, sorted + start[v], start[v + 1] - start[v], sides);
    }
    return MT_OK;
}

/* ---- geometry of a triangle ---- */

void mt_triangle_corners(const mt_mesh *surface, size_t triangle, double corner[3][3])
{
    const uint32_t *v = surface->face_vertex + 3 * triangle;
    for (size_t k = 0; k < 3; k++)
        for (size_t axis = 0; axis < 3; axis++) corner[k][axis] = surface->xyz_mm[3 * (size_t)v[k] + axis];
}

void mt_triangle_area(const mt_mesh *surface, size_t triangle, double area_mm2[3])
{
    double p[3][3], a[3], b[3];
    mt_triangle_corners(surface, triangle, p);
    mt_minus3(p[1], p[0], a);
    mt_minus3(p[2], p[0], b);
    mt_cross3(a, b, area_mm2);
    for (int k = 0; k < 3; k++) area_mm2[k] /= 2;
}

double mt_triangle_mm2(const mt_mesh *surface, size_t triangle)
{
    double area_mm2[3];
    mt_triangle_area(surface, triangle, area_mm2);
    return mt_length3(area_mm2);
}

double mt_triangle_volume_six(const mt_mesh *surface, size_t triangle, const double point[3])
{
    double p[3][3], turn[3];
    mt_triangle_corners(surface, triangle, p);
    for (int k = 0; k < 3; k++) mt_minus3(p[k], point, p[k]);
    mt_cross3(p[1], p[2], turn);
    return mt_dot3(p[0], turn);
}

static double segment_distance_squared(const double a[3], const double b[3], const double point[3])
{
    double along[3], to[3];
    mt_minus3(b, a, along);
    mt_minus3(point, a, to);
    const double length = mt_dot3(along, along);
    const double t = length > 0 ? fmin(fmax(mt_dot3(to, along) / length, 0), 1) : 0;
    for (int k = 0; k < 3; k++) to[k] -= t * along[k];
    return mt_dot3(to, to);
}

double mt_triangle_distance_squared(double corner[3][3], const double point[3])
{
    double a[3], b[3], normal[3], to[3], least = INFINITY;
    mt_minus3(corner[1], corner[0], a);
    mt_minus3(corner[2], corner[0], b);
    mt_minus3(point, corner[0], to);
    mt_cross3(a, b, normal);
    const double square = mt_dot3(normal, normal);
    bool above = square > 0; /* true if the projection of the point is inside the triangle */
    for (int k = 0; k < 3 && above; k++) {
        double along[3], from[3], turn[3];
        mt_minus3(corner[(k + 1) % 3], corner[k], along);
        mt_minus3(point, corner[k], from);
        mt_cross3(along, from, turn);
        above = mt_dot3(turn, normal) >= 0;
    }
    if (above) return mt_dot3(to, normal) * mt_dot3(to, normal) / square;
    for (int k = 0; k < 3; k++)
        least = fmin(least, segment_distance_squared(corner[k], corner[(k + 1) % 3], point));
    return least;
}

/* ---- the boundary of a mesh ---- */

mt_status mt_boundary_make(mt_arena *arena, const mt_adjacency *adjacency, mt_mesh *mesh)
{
    size_t n = 0;
    MT_TRY(mt_mesh_new_faces(arena, mt_adjacency_boundary_faces(adjacency), mesh));
    for (size_t c = 0; c < mesh->n_elements; c++)
        for (size_t f = 0; f < 4; f++) {
            if (adjacency->neighbour[4 * c + f] != MT_NO_ELEMENT) continue;
            for (size_t k = 0; k < 3; k++)
                mesh->face_vertex[3 * n + k] = mesh->element_vertex[4 * c + mt_mesh_face[f][k]];
            n++;
        }
    return MT_OK;
}

void mt_triangles_remove_untagged(mt_mesh *mesh)
{
    size_t n = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) {
        if (mesh->face_tag[f] == 0) continue;
        memmove(mesh->face_vertex + 3 * n, mesh->face_vertex + 3 * f, 3 * sizeof *mesh->face_vertex);
        mesh->face_tag[n++] = mesh->face_tag[f];
    }
    mesh->n_faces = n;
}

/* True if face i % 4 of element i / 4, which is inside, is shared with an element that is not. */
static bool is_between(const mt_adjacency *adjacency, const uint8_t *inside, size_t i)
{
    const uint32_t other = adjacency->neighbour[i];
    return inside[i / 4] && other != MT_NO_ELEMENT && !inside[other];
}

mt_status mt_border_make(mt_arena *arena, const mt_adjacency *adjacency, const uint8_t *inside, mt_mesh *mesh)
{
    const size_t n_faces = 4 * mesh->n_elements;
    size_t n = 0;
    for (size_t i = 0; i < n_faces; i++) n += is_between(adjacency, inside, i);
    MT_TRY(mt_mesh_new_faces(arena, n, mesh));
    n = 0;
    for (size_t i = 0; i < n_faces; i++) {
        if (!is_between(adjacency, inside, i)) continue;
        for (size_t k = 0; k < 3; k++)
            mesh->face_vertex[3 * n + k] = mesh->element_vertex[4 * (i / 4) + mt_mesh_face[i % 4][k]];
        mesh->face_tag[n++] = 1;
    }
    return MT_OK;
}
