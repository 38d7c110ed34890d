#include "app/fit/fit_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/anatomy/patch.h"

/* Sets tags[2] to the tags of a surface. */
static mt_status parse_name(const mt_mesh *whole, const char *name, int32_t tags[2])
{
    if (strcmp(name, "endocardium") == 0) {
        tags[0] = MT_SURFACE_LV, tags[1] = MT_SURFACE_RV;
        return MT_OK;
    }
    MT_TRY(mt_surface_parse(whole, name, tags));
    tags[1] = tags[0];
    return mt_surface_check(whole, tags[0]);
}

/* The sorted vertices of a triangle, as a key. */
typedef struct corners {
    uint32_t v[3];
} corners;

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(corners)); }

/* Returns the vertices ascending, with the numbers of the complete mesh; number: NULL if they have these numbers. */
static corners sorted(const uint32_t v[3], const uint32_t *number)
{
    corners c;
    for (int k = 0; k < 3; k++) c.v[k] = number ? number[v[k]] : v[k];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (c.v[k] > c.v[k + 1]) {
                const uint32_t other = c.v[k];
                c.v[k] = c.v[k + 1], c.v[k + 1] = other;
            }
    return c;
}

/* Sets the tags of boundary triangles to 1 if they are tagged triangles of the complete mesh with one of two tags, to 0 otherwise. */
static mt_status select_tagged(const mt_problem *problem, const int32_t tags[2], mt_mesh *boundary)
{
    MT_SCRATCH(scratch);
    const mt_mesh *whole = &problem->whole;
    corners *known;
    size_t n = 0;
    MT_ALLOC(scratch, known, whole->n_faces);
    for (size_t f = 0; f < whole->n_faces; f++)
        if (whole->face_tag[f] == tags[0] || whole->face_tag[f] == tags[1])
            known[n++] = sorted(whole->face_vertex + 3 * f, NULL);
    qsort(known, n, sizeof *known, compare);
    for (size_t f = 0; f < boundary->n_faces; f++) {
        const corners key = sorted(boundary->face_vertex + 3 * f, problem->mesh.vertex_number);
        boundary->face_tag[f] = bsearch(&key, known, n, sizeof *known, compare) ? 1 : 0;
    }
    return MT_OK;
}

mt_status mt_fit_surface_make(
    mt_arena *arena, const mt_problem *problem, const char *name, mt_fit_surface *surface)
{
    const bool all = strcmp(name, "all") == 0;
    int32_t tags[2] = {0, 0};
    if (!all) MT_TRY(parse_name(&problem->whole, name, tags));
    surface->mesh = problem->mesh;
    MT_TRY(mt_boundary_make(arena, &problem->adjacency, &surface->mesh));
    if (!all) MT_TRY(select_tagged(problem, tags, &surface->mesh));
    const mt_status status = mt_nearest_make(arena, &surface->mesh, all ? 0 : 1, &surface->nearest);
    if (status != MT_INPUT) return status;
    return mt_fail(
        MT_INPUT, "surface '%s': found no triangle of conducting tissue; needed: at least one", name);
}

/* Computes the barycentric weights of the point of an edge of a triangle that is nearest to x. Returns its squared distance. */
static double nearest_of_edge(double corner[3][3], int a, int b, const double x[3], double weight[3])
{
    double edge[3], from[3], at[3];
    mt_minus3(corner[b], corner[a], edge);
    mt_minus3(x, corner[a], from);
    const double s = fmin(fmax(mt_dot3(from, edge) / mt_dot3(edge, edge), 0), 1);
    weight[0] = weight[1] = weight[2] = 0;
    weight[a] = 1 - s, weight[b] = s;
    for (int k = 0; k < 3; k++) at[k] = corner[a][k] + s * edge[k];
    return mt_square3(x, at);
}

/* Computes the barycentric weights of the nearest point of a triangle. */
static void nearest_weights(double corner[3][3], const double x[3], double weight[3])
{
    double e1[3], e2[3], from[3], least = INFINITY;
    mt_minus3(corner[1], corner[0], e1);
    mt_minus3(corner[2], corner[0], e2);
    mt_minus3(x, corner[0], from);
    const double g11 = mt_dot3(e1, e1), g12 = mt_dot3(e1, e2), g22 = mt_dot3(e2, e2), b1 = mt_dot3(from, e1),
                 b2 = mt_dot3(from, e2), det = g11 * g22 - g12 * g12;
    weight[1] = (g22 * b1 - g12 * b2) / det, weight[2] = (g11 * b2 - g12 * b1) / det;
    weight[0] = 1 - weight[1] - weight[2];
    if (det > 0 && weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0) return;
    for (int k = 0; k < 3; k++) {
        double of_edge[3];
        const double square = nearest_of_edge(corner, k, (k + 1) % 3, x, of_edge);
        if (square < least) {
            least = square;
            memcpy(weight, of_edge, sizeof of_edge);
        }
    }
}

void mt_fit_surface_project(const mt_fit_surface *surface, const double xyz_mm[3], mt_fit_place *place)
{
    double corner[3][3];
    place->triangle = mt_nearest_find(&surface->nearest, xyz_mm, NULL, &place->distance_mm);
    mt_triangle_corners(&surface->mesh, place->triangle, corner);
    nearest_weights(corner, xyz_mm, place->weight);
    for (int k = 0; k < 3; k++) {
        place->xyz_mm[k] = 0;
        for (int i = 0; i < 3; i++) place->xyz_mm[k] += place->weight[i] * corner[i][k];
    }
}

void mt_fit_surface_tangents(const mt_fit_surface *surface, uint32_t triangle, double tangent[2][3])
{
    double corner[3][3], normal[3];
    mt_triangle_corners(&surface->mesh, triangle, corner);
    mt_minus3(corner[1], corner[0], tangent[0]);
    (void)mt_normalise3(tangent[0]);
    mt_triangle_area(&surface->mesh, triangle, normal);
    (void)mt_normalise3(normal);
    mt_cross3(normal, tangent[0], tangent[1]);
}
