#include "mesh/anatomy/clearance.h"

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"

/* ---- element sizes ---- */

static mt_status find_lengths(mt_arena *arena, mt_clearance *c)
{
    MT_SCRATCH(scratch);
    const mt_mesh *mesh = c->mesh;
    uint32_t *n;
    MT_ALLOC(arena, c->length_mm, mesh->n_elements);
    MT_ALLOC(arena, c->star_mm3, mesh->n_vertices);
    MT_ALLOC(scratch, n, mesh->n_vertices);
    for (size_t e = 0; e < mesh->n_elements; e++) {
        const double mm3 = mt_mesh_volume_mm3(mesh, e);
        for (size_t i = 4 * e; i < 4 * e + 4; i++) {
            c->star_mm3[mesh->element_vertex[i]] += mm3;
            n[mesh->element_vertex[i]]++;
        }
    }
    for (size_t v = 0; v < mesh->n_vertices; v++)
        if (n[v] > 0) c->star_mm3[v] /= n[v];
    for (size_t e = 0; e < mesh->n_elements; e++) {
        const uint32_t *v = mesh->element_vertex + 4 * e;
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += c->star_mm3[v[k]];
        c->length_mm[e] = cbrt(sum / 4);
    }
    return MT_OK;
}

/* ---- upper bounds of distances ---- */

static const double *at(const mt_clearance *c, uint32_t vertex)
{
    return c->mesh->xyz_mm + 3 * (size_t)vertex;
}

static double distance_from(const mt_clearance *c, uint32_t triangle, const double point_mm[3])
{
    double corner[3][3];
    mt_triangle_corners(&c->interface, triangle, corner);
    return sqrt(mt_triangle_distance_squared(corner, point_mm));
}

/* Takes, for a vertex of an element, the nearest of the near triangles of the other three. */
static void take_bound(mt_clearance *c, size_t element, uint32_t vertex)
{
    for (size_t i = 4 * element; i < 4 * element + 4; i++) {
        const uint32_t other = c->mesh->element_vertex[i], triangle = c->near[other];
        if (other == vertex || triangle == MT_NO_TRIANGLE || triangle == c->near[vertex]) continue;
        const double distance_mm = distance_from(c, triangle, at(c, vertex));
        if (!(distance_mm < c->distance_mm[vertex])) continue;
        c->distance_mm[vertex] = distance_mm;
        c->near[vertex] = triangle;
    }
}

/* Passes triangles from vertex to vertex, from the interface about as far as the clearance of wide tissue. */
static mt_status find_bounds(mt_arena *arena, const uint8_t *conducting, mt_clearance *c)
{
    enum { PASSES = 3 };
    const mt_mesh *mesh = c->mesh;
    MT_ALLOC(arena, c->distance_mm, mesh->n_vertices);
    MT_ALLOC(arena, c->near, mesh->n_vertices);
    MT_ALLOC(arena, c->exact, mesh->n_vertices);
    for (size_t v = 0; v < mesh->n_vertices; v++) c->distance_mm[v] = INFINITY, c->near[v] = MT_NO_TRIANGLE;
    for (size_t i = 0; i < 3 * c->interface.n_faces; i++) {
        const uint32_t v = c->interface.face_vertex[i];
        c->distance_mm[v] = 0, c->near[v] = (uint32_t)(i / 3), c->exact[v] = 1;
    }
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < 4 * mesh->n_elements; i++) {
            const uint32_t v = mesh->element_vertex[i];
            if (conducting[i / 4] && c->near[v] == MT_NO_TRIANGLE) take_bound(c, i / 4, v);
        }
    return MT_OK;
}

mt_status mt_clearance_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const uint8_t *conducting, double wide, mt_clearance *clearance)
{
    *clearance = (mt_clearance){.mesh = mesh, .interface = *mesh, .wide = wide};
    MT_TRY(mt_border_make(arena, adjacency, conducting, &clearance->interface));
    if (clearance->interface.n_faces == 0) return MT_OK;
    MT_TRY(mt_nearest_make(arena, &clearance->interface, 0, &clearance->nearest));
    MT_TRY(find_lengths(arena, clearance));
    return find_bounds(arena, conducting, clearance);
}

/* ---- the points of an element ---- */

/* Four vertices, the centroid and six midpoints. */
enum { VERTICES = 4, CENTROID = VERTICES, POINTS = 11 };

/* Computes a point other than a vertex. Returns an upper bound of its distance, from the distances of vertices. */
static double place(const mt_clearance *c, size_t element, int point, double x[3])
{
    const uint32_t *v = c->mesh->element_vertex + 4 * element;
    if (point == CENTROID) {
        double bound_mm = INFINITY;
        mt_mesh_centroid(c->mesh, element, x);
        for (int k = 0; k < 4; k++)
            bound_mm = fmin(bound_mm, c->distance_mm[v[k]] + sqrt(mt_square3(x, at(c, v[k]))));
        return bound_mm;
    }
    const uint8_t *edge = mt_mesh_edge[point - CENTROID - 1];
    const uint32_t from = v[edge[0]], to = v[edge[1]];
    const double *a = at(c, from), *b = at(c, to);
    for (int axis = 0; axis < 3; axis++) x[axis] = (a[axis] + b[axis]) / 2;
    return fmin(c->distance_mm[from], c->distance_mm[to]) + sqrt(mt_square3(a, b)) / 2;
}

/* True if a triangle near a vertex of an element is at most this far from a point. */
static bool is_near(const mt_clearance *c, size_t element, const double x[3], double distance_mm)
{
    uint32_t last = MT_NO_TRIANGLE;
    for (size_t i = 4 * element; i < 4 * element + 4; i++) {
        const uint32_t triangle = c->near[c->mesh->element_vertex[i]];
        if (triangle == MT_NO_TRIANGLE || triangle == last) continue;
        if (distance_from(c, triangle, x) <= distance_mm) return true;
        last = triangle;
    }
    return false;
}

bool mt_clearance_narrow(const mt_clearance *c, size_t element)
{
    const double wide_mm = c->wide * c->length_mm[element];
    const uint32_t *v = c->mesh->element_vertex + 4 * element;
    for (int k = 0; k < VERTICES; k++)
        if (!(c->distance_mm[v[k]] < wide_mm)) return false;
    for (int point = CENTROID; point < POINTS; point++) {
        double x[3];
        if (place(c, element, point, x) < wide_mm) continue;
        if (!is_near(c, element, x, nextafter(wide_mm, 0))) return false;
    }
    return true;
}

/* ---- distances ---- */

double mt_clearance_at(const mt_clearance *c, const double point_mm[3])
{
    double distance_mm;
    (void)mt_nearest_find(&c->nearest, point_mm, NULL, &distance_mm);
    return distance_mm;
}

static void measure_vertex(mt_clearance *c, uint32_t vertex)
{
    enum { FAR = 3 }; /* clearances of wide tissue */
    const double far_mm = FAR * c->wide * cbrt(c->star_mm3[vertex]);
    if (c->distance_mm[vertex] > far_mm && !mt_nearest_within(&c->nearest, at(c, vertex), far_mm)) {
        c->distance_mm[vertex] = INFINITY;
        c->near[vertex] = MT_NO_TRIANGLE;
        return;
    }
    c->near[vertex] = mt_nearest_find(&c->nearest, at(c, vertex), NULL, &c->distance_mm[vertex]);
}

mt_status mt_clearance_measure(mt_clearance *c, size_t n, const uint32_t *element)
{
    MT_SCRATCH(scratch);
    size_t n_vertices = 0;
    uint32_t *vertex;
    MT_ALLOC(scratch, vertex, 4 * n < c->mesh->n_vertices ? 4 * n : c->mesh->n_vertices);
    for (size_t i = 0; i < 4 * n; i++) {
        const uint32_t v = c->mesh->element_vertex[4 * (size_t)element[i / 4] + i % 4];
        if (!c->exact[v]) vertex[n_vertices++] = v;
        c->exact[v] = 1;
    }
#pragma omp parallel for schedule(dynamic, 256)
    for (size_t k = 0; k < n_vertices; k++) measure_vertex(c, vertex[k]);
    return MT_OK;
}

mt_clear_point mt_clearance_find(const mt_clearance *c, size_t element)
{
    const uint32_t *v = c->mesh->element_vertex + 4 * element;
    mt_clear_point best = {.distance_mm = -1};
    for (int k = 0; k < VERTICES; k++) {
        if (!(c->distance_mm[v[k]] > best.distance_mm)) continue;
        best.distance_mm = c->distance_mm[v[k]];
        memcpy(best.point_mm, at(c, v[k]), sizeof best.point_mm);
    }
    if (best.distance_mm >= c->wide * c->length_mm[element]) return best;
    for (int point = CENTROID; point < POINTS; point++) {
        double x[3];
        if (place(c, element, point, x) <= best.distance_mm || is_near(c, element, x, best.distance_mm))
            continue;
        const double distance_mm = mt_clearance_at(c, x);
        if (!(distance_mm > best.distance_mm)) continue;
        best.distance_mm = distance_mm;
        memcpy(best.point_mm, x, sizeof best.point_mm);
    }
    return best;
}
