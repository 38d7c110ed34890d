#include "mesh/network/endocardium.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/anatomy/nearest.h"

enum {
    CROSSINGS_MAX = 100000
}; /* of triangles or elements on one line; rounding at a vertex could repeat them for ever */

/* ---- the triangles ---- */

/* Copies the sorted vertices of the tagged triangles to sorted[n][3], in order; returns n. */
static size_t sort_tagged(const mt_mesh *mesh, mt_surface tag, uint32_t *sorted)
{
    size_t n = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) {
        if (mesh->face_tag[f] != (int32_t)tag) continue;
        memcpy(sorted + 3 * n, mesh->face_vertex + 3 * f, 3 * sizeof *sorted);
        mt_face_sort(sorted + 3 * n++);
    }
    qsort(sorted, n, 3 * sizeof *sorted, mt_face_compare);
    return n;
}

/* Appends the face of an element, counter-clockwise seen from outside, if it is tagged. */
static void add_face(mt_endocardium *e, size_t c, size_t f, size_t n, const uint32_t *sorted)
{
    uint32_t v[3], key[3];
    for (size_t k = 0; k < 3; k++) v[k] = e->mesh->element_vertex[4 * c + mt_mesh_face[f][k]];
    memcpy(key, v, sizeof key);
    mt_face_sort(key);
    if (!bsearch(key, sorted, n, 3 * sizeof *sorted, mt_face_compare)) return;
    const size_t t = e->surface.n_faces++;
    memcpy(e->surface.face_vertex + 3 * t, v, sizeof v);
    e->element[t] = (uint32_t)c;
    e->side[t] = (uint8_t)f;
    e->area_mm2 += mt_triangle_mm2(&e->surface, t);
}

mt_status mt_endocardium_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    mt_surface tag, mt_endocardium *endocardium)
{
    MT_SCRATCH(scratch);
    uint32_t *sorted;
    MT_ALLOC(scratch, sorted, 3 * mesh->n_faces);
    const size_t n = sort_tagged(mesh, tag, sorted);
    *endocardium = (mt_endocardium){.mesh = mesh, .adjacency = adjacency};
    endocardium->surface = (mt_mesh){.n_vertices = mesh->n_vertices, .xyz_mm = mesh->xyz_mm};
    MT_ALLOC(arena, endocardium->surface.face_vertex, 3 * n);
    MT_ALLOC(arena, endocardium->surface.face_tag, n);
    MT_ALLOC(arena, endocardium->element, n);
    MT_ALLOC(arena, endocardium->side, n);
    for (size_t i = 0; n > 0 && i < 4 * mesh->n_elements; i++)
        if (adjacency->neighbour[i] == MT_NO_ELEMENT) add_face(endocardium, i / 4, i % 4, n, sorted);
    if (endocardium->surface.n_faces == 0)
        return mt_fail(MT_INPUT,
            "no face of the wall is tagged as %s endocardium (tag %d); a network needs its surface",
            tag == MT_SURFACE_LV ? "left" : "right", (int)tag);
    return mt_sides_make(arena, &endocardium->surface, &endocardium->sides);
}

/* ---- one triangle ---- */

void mt_endocardium_point(
    const mt_endocardium *endocardium, const mt_endocardium_place *place, double point_mm[3])
{
    double corner[3][3];
    mt_triangle_corners(&endocardium->surface, place->triangle, corner);
    for (int d = 0; d < 3; d++)
        point_mm[d] =
            place->share[0] * corner[0][d] + place->share[1] * corner[1][d] + place->share[2] * corner[2][d];
}

void mt_endocardium_inward(const mt_endocardium *endocardium, uint32_t triangle, double inward[3])
{
    mt_triangle_area(&endocardium->surface, triangle, inward);
    for (int d = 0; d < 3; d++) inward[d] = -inward[d];
    (void)mt_normalise3(inward);
}

/* Computes the gradients of the barycentric coordinates. */
static void rates(const mt_endocardium *e, uint32_t triangle, double rate[3][3])
{
    double corner[3][3], normal[3];
    mt_triangle_corners(&e->surface, triangle, corner);
    mt_triangle_area(&e->surface, triangle, normal);
    const double square = 2 * mt_dot3(normal, normal); /* the area vector is half the cross product */
    for (int k = 0; k < 3; k++) {
        double along[3];
        mt_minus3(corner[(k + 2) % 3], corner[(k + 1) % 3], along);
        mt_cross3(normal, along, rate[k]);
        for (int d = 0; d < 3; d++) rate[k][d] = square > 0 ? rate[k][d] / square : 0;
    }
}

double mt_endocardium_value(
    const mt_endocardium *endocardium, const mt_endocardium_place *place, const double *value)
{
    const uint32_t *v = endocardium->surface.face_vertex + 3 * (size_t)place->triangle;
    return place->share[0] * value[v[0]] + place->share[1] * value[v[1]] + place->share[2] * value[v[2]];
}

void mt_endocardium_gradient(
    const mt_endocardium *endocardium, uint32_t triangle, const double *value, double gradient[3])
{
    const uint32_t *v = endocardium->surface.face_vertex + 3 * (size_t)triangle;
    double rate[3][3];
    rates(endocardium, triangle, rate);
    for (int d = 0; d < 3; d++)
        gradient[d] = rate[0][d] * value[v[0]] + rate[1][d] * value[v[1]] + rate[2][d] * value[v[2]];
}

bool mt_endocardium_flatten(const mt_endocardium *endocardium, uint32_t triangle, double direction[3])
{
    double inward[3];
    const double before = mt_length3(direction);
    mt_endocardium_inward(endocardium, triangle, inward);
    const double out = mt_dot3(direction, inward);
    for (int d = 0; d < 3; d++) direction[d] -= out * inward[d];
    const double length = mt_length3(direction);
    if (!(length > 1e-9 * before)) return false;
    for (int d = 0; d < 3; d++) direction[d] /= length;
    return true;
}

/* ---- walks ---- */

/* Computes the unit vector across the edge from corner k, away from the opposite corner. Returns false if there is none. */
static bool outward(const mt_endocardium *e, uint32_t triangle, int k, double out[3])
{
    double corner[3][3], along[3];
    mt_triangle_corners(&e->surface, triangle, corner);
    mt_minus3(corner[(k + 1) % 3], corner[k], along);
    mt_minus3(corner[k], corner[(k + 2) % 3], out);
    const double square = mt_dot3(along, along), part = mt_dot3(out, along);
    for (int d = 0; d < 3; d++) out[d] -= square > 0 ? part / square * along[d] : 0;
    const double length = mt_length3(out);
    for (int d = 0; d < 3; d++) out[d] /= length;
    return length > 0 && square > 0;
}

/* Moves a place on side k of its triangle to the neighbouring triangle, and turns the direction about the edge. Returns the corner opposite
 * the edge in the new triangle; -1 if there is no neighbour. */
static int cross_edge(const mt_endocardium *e, int k, mt_endocardium_place *place, double direction[3])
{
    const uint32_t from = place->triangle, mate = e->sides.mate[3 * (size_t)from + (size_t)k];
    if (mate == MT_NO_TRIANGLE) return -1;
    const uint32_t to = mate / 3, *v = e->surface.face_vertex + 3 * (size_t)from,
                   *w = e->surface.face_vertex + 3 * (size_t)to;
    const int side = (int)(mate % 3), next = (side + 1) % 3;
    double out[3], in[3];
    if (!outward(e, from, k, out) || !outward(e, to, side, in)) return -1;
    const double across = mt_dot3(direction, out);
    for (int d = 0; d < 3; d++) direction[d] -= across * (out[d] + in[d]);
    const double length = mt_length3(direction), first = place->share[k], second = place->share[(k + 1) % 3];
    for (int d = 0; d < 3; d++) direction[d] /= length;
    place->triangle = to;
    place->share[side] = w[side] == v[k] ? first : second;
    place->share[next] = w[side] == v[k] ? second : first;
    place->share[(side + 2) % 3] = 0;
    return (side + 2) % 3;
}

/* Moves a place within its triangle by at most `distance`. Returns the remaining distance, and sets `to` to the side that was reached, or
 * -1. `entered`: the corner whose coordinate is 0 because its opposite edge was crossed, or -1. */
static double advance(const mt_endocardium *e, const double direction[3], double distance, int entered,
    mt_endocardium_place *place, int *to)
{
    double rate[3][3], speed[3], reach = distance, sum = 0;
    *to = -1;
    rates(e, place->triangle, rate);
    for (int k = 0; k < 3; k++) speed[k] = mt_dot3(rate[k], direction);
    for (int k = 0; k < 3; k++) {
        if (k == entered || !(speed[k] < 0)) continue;
        const double at = -place->share[k] / speed[k];
        if (at < reach) reach = at, *to = (k + 1) % 3;
    }
    for (int k = 0; k < 3; k++) {
        place->share[k] = fmax(0, place->share[k] + reach * speed[k]);
        if (*to == (k + 1) % 3) place->share[k] = 0;
        sum += place->share[k];
    }
    for (int k = 0; k < 3; k++) place->share[k] /= sum;
    return distance - reach;
}

bool mt_endocardium_walk(
    const mt_endocardium *endocardium, double distance_mm, mt_endocardium_place *place, double direction[3])
{
    int entered = -1, to;
    for (int i = 0; i < CROSSINGS_MAX; i++) {
        distance_mm = advance(endocardium, direction, distance_mm, entered, place, &to);
        if (to < 0) return true;
        entered = cross_edge(endocardium, to, place, direction);
        if (entered < 0) return false;
    }
    return false;
}

/* ---- the nearest place ---- */

/* Returns the share of the edge from a to b at which it is nearest to a point. */
static double along_edge(const double a[3], const double b[3], const double point[3])
{
    double edge[3], to[3];
    mt_minus3(b, a, edge);
    mt_minus3(point, a, to);
    const double square = mt_dot3(edge, edge);
    return square > 0 ? fmin(1, fmax(0, mt_dot3(to, edge) / square)) : 0;
}

static void nearest_on_edges(
    const mt_endocardium *e, double corner[3][3], const double point[3], mt_endocardium_place *place)
{
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        mt_endocardium_place on = {.triangle = place->triangle};
        double at[3];
        on.share[next] = along_edge(corner[k], corner[next], point);
        on.share[k] = 1 - on.share[next];
        mt_endocardium_point(e, &on, at);
        if (mt_square3(at, point) < least) least = mt_square3(at, point), *place = on;
    }
}

mt_status mt_endocardium_nearest(const mt_endocardium *endocardium, const double point_mm[3],
    mt_endocardium_place *place, double *distance_mm)
{
    MT_SCRATCH(scratch);
    mt_nearest tree;
    double corner[3][3], rate[3][3], at[3];
    MT_TRY(mt_nearest_make(scratch, &endocardium->surface, 0, &tree));
    place->triangle = mt_nearest_find(&tree, point_mm, NULL, distance_mm);
    mt_triangle_corners(&endocardium->surface, place->triangle, corner);
    rates(endocardium, place->triangle, rate);
    mt_minus3(point_mm, corner[0], at);
    place->share[1] = mt_dot3(rate[1], at);
    place->share[2] = mt_dot3(rate[2], at);
    place->share[0] = 1 - place->share[1] - place->share[2];
    if (!(place->share[0] >= 0 && place->share[1] >= 0 && place->share[2] >= 0))
        nearest_on_edges(endocardium, corner, point_mm, place);
    return MT_OK;
}

/* ---- into the wall ---- */

/* Returns the distance from a point inside an element to its surface along a direction, and sets the face that is reached there; faces
 * `entered` does not count. */
static double element_exit(const mt_mesh *mesh, size_t element, const double point[3],
    const double direction[3], int entered, int *face)
{
    const uint32_t *v = mesh->element_vertex + 4 * element;
    double least = INFINITY;
    *face = -1;
    for (int f = 0; f < 4; f++) {
        double normal[3], to[3];
        mt_mesh_face_area(mesh, element, (size_t)f, normal);
        const double speed = mt_dot3(normal, direction);
        if (f == entered || !(speed > 0)) continue;
        mt_minus3(mesh->xyz_mm + 3 * (size_t)v[mt_mesh_face[f][0]], point, to);
        const double at = fmax(0, mt_dot3(normal, to) / speed);
        if (at < least) least = at, *face = f;
    }
    return least;
}

double mt_endocardium_thickness(
    const mt_endocardium *endocardium, const mt_endocardium_place *place, double limit_mm)
{
    const uint32_t *neighbour = endocardium->adjacency->neighbour;
    size_t element = endocardium->element[place->triangle];
    int entered = endocardium->side[place->triangle], face;
    double point[3], inward[3], depth_mm = 0;
    mt_endocardium_point(endocardium, place, point);
    mt_endocardium_inward(endocardium, place->triangle, inward);
    for (int i = 0; i < CROSSINGS_MAX && depth_mm < limit_mm; i++) {
        const double step = element_exit(endocardium->mesh, element, point, inward, entered, &face);
        if (face < 0) break;
        depth_mm += step;
        for (int d = 0; d < 3; d++) point[d] += step * inward[d];
        const uint32_t next = neighbour[4 * element + (size_t)face];
        if (next == MT_NO_ELEMENT) break;
        for (entered = 0; entered < 3 && neighbour[4 * (size_t)next + (size_t)entered] != element;) entered++;
        element = next;
    }
    return fmin(depth_mm, limit_mm);
}

/* True if a line, from `from` along `way`, crosses a triangle between its ends (T. Moeller and B. Trumbore, J. Graphics Tools 2, 21,
 * 1997). */
static bool crosses(const mt_endocardium *e, uint32_t triangle, const double from[3], const double way[3])
{
    const double near_end = 1e-9, *x[3];
    double edge[2][3], across[3], aside[3], turned[3];
    for (int k = 0; k < 3; k++)
        x[k] = e->surface.xyz_mm + 3 * (size_t)e->surface.face_vertex[3 * (size_t)triangle + (size_t)k];
    mt_minus3(x[1], x[0], edge[0]);
    mt_minus3(x[2], x[0], edge[1]);
    mt_cross3(way, edge[1], across);
    const double volume = mt_dot3(edge[0], across);
    if (volume == 0) return false;
    mt_minus3(from, x[0], aside);
    mt_cross3(aside, edge[0], turned);
    const double a = mt_dot3(aside, across) / volume, b = mt_dot3(way, turned) / volume,
                 at = mt_dot3(edge[1], turned) / volume;
    return a >= 0 && b >= 0 && a + b <= 1 && at > near_end && at < 1 - near_end;
}

bool mt_endocardium_crosses_cavity(const mt_endocardium *e, const mt_endocardium_place *from,
    const mt_endocardium_place *to, double steepness)
{
    double a[3], b[3], way[3], into_a[3], into_b[3];
    mt_endocardium_point(e, from, a);
    mt_endocardium_point(e, to, b);
    mt_minus3(b, a, way);
    mt_endocardium_inward(e, from->triangle, into_a);
    mt_endocardium_inward(e, to->triangle, into_b);
    const double least = steepness * mt_length3(way);
    if (!(mt_dot3(way, into_a) < -least && mt_dot3(way, into_b) > least)) return false;
    for (uint32_t t = 0; t < e->surface.n_faces; t++)
        if (crosses(e, t, a, way)) return false;
    return true;
}
