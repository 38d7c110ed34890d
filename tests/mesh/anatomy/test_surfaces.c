#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/adjacency.h"
#include "mesh/make/slab.h"
#include "mesh/anatomy/surfaces.h"
#include "tests/answers.h"
#include "tests/mesh/bowl.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/gmsh_ventricles.h"

static int32_t *copy_tags(mt_arena *arena, const mt_mesh *mesh)
{
    int32_t *tags = mt_arena_alloc(arena, mesh->n_faces, sizeof *tags);
    memcpy(tags, mesh->face_tag, mesh->n_faces * sizeof *tags);
    return tags;
}

/* The true tags are found again, whatever the previous tags. */
static void assert_found(mt_mesh *mesh, mt_surfaces *found)
{
    mt_arena arena = {0};
    const int32_t *tags = copy_tags(&arena, mesh);
    for (size_t t = 0; t < mesh->n_faces; t++) mesh->face_tag[t] = 77;
    ok(mt_surfaces_find(mesh, found));
    for (size_t t = 0; t < mesh->n_faces; t++)
        cr_assert_eq(mesh->face_tag[t], tags[t], "triangle %zu: %d", t, mesh->face_tag[t]);
    mt_arena_free(&arena);
}

static bool same_corners(const uint32_t *a, const uint32_t *b)
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[0] && a[k] != b[1] && a[k] != b[2]) return false;
    return true;
}

/* Gmsh tags the triangles of the geometry's surfaces. */
Test(surfaces, surfaces_of_two_ventricles_are_found_exactly)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_surfaces found, counts;
    gmsh_ventricles(&arena, 8, &mesh);
    const mt_mesh tagged = mesh;
    ok(mt_adjacency_make(&arena, &mesh, &adjacency));
    ok(mt_boundary_make(&arena, &adjacency, &mesh));
    ok(mt_surfaces_find(&mesh, &found));
    cr_assert_eq(found.how, MT_FOUND_FLAT);
    cr_assert_eq(mesh.n_faces, tagged.n_faces);
    for (size_t t = 0; t < mesh.n_faces; t++) {
        size_t i = 0;
        while (i < tagged.n_faces && !same_corners(mesh.face_vertex + 3 * t, tagged.face_vertex + 3 * i)) i++;
        cr_assert(i < tagged.n_faces && mesh.face_tag[t] == tagged.face_tag[i], "triangle %zu", t);
    }
    mt_surfaces_count(&tagged, &counts);
    for (int s = 0; s < MT_SURFACES; s++) {
        cr_assert_eq(found.n_triangles[s], counts.n_triangles[s]);
        cr_assert_eq(found.n_triangles[s] > 0, s > 0);
        cr_assert_float_eq(found.area_mm2[s], counts.area_mm2[s], 1e-9 * counts.area_mm2[s]);
    }
    /* The walls of the geometry are 11 and 4.4 mm. Facets of gmsh's 1.4 h = 11 mm cut up to 11^2 / (8 * 26) = 0.6 mm off a radius of 26 mm,
     * on either side. */
    cr_assert(fabs(found.wall_mm[0] - 11) < 1.2, "%g", found.wall_mm[0]);
    cr_assert(fabs(found.wall_mm[1] - 4.4) < 1.2, "%g", found.wall_mm[1]);
    mt_arena_free(&arena);
}

/* Rotated, in other units, and with triangles and vertices in another order. */
static void disturb(mt_mesh *mesh, mt_arena *arena, double factor)
{
    uint64_t state = 99;
    uint32_t *order = mt_arena_alloc(arena, mesh->n_vertices, sizeof *order);
    double *xyz = mt_arena_alloc(arena, 3 * mesh->n_vertices, sizeof *xyz);
    const double a = 0.7, b = 1.9;
    for (size_t v = 0; v < mesh->n_vertices; v++) order[v] = (uint32_t)v;
    for (size_t v = mesh->n_vertices; v > 1; v--) {
        const size_t other = draw(&state, v);
        const uint32_t one = order[v - 1];
        order[v - 1] = order[other], order[other] = one;
    }
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        const double *p = mesh->xyz_mm + 3 * v;
        const double x = cos(a) * p[0] - sin(a) * p[1], y = sin(a) * p[0] + cos(a) * p[1];
        const double q[3] = {cos(b) * x - sin(b) * p[2] + 50, y - 700, sin(b) * x + cos(b) * p[2]};
        for (size_t k = 0; k < 3; k++) xyz[3 * (size_t)order[v] + k] = factor * q[k];
    }
    memcpy(mesh->xyz_mm, xyz, 3 * mesh->n_vertices * sizeof *xyz);
    for (size_t k = 0; k < 3 * mesh->n_faces; k++) mesh->face_vertex[k] = order[mesh->face_vertex[k]];
    for (size_t t = mesh->n_faces; t > 1; t--) {
        const size_t other = draw(&state, t);
        uint32_t v[3], *one = mesh->face_vertex + 3 * (t - 1), *two = mesh->face_vertex + 3 * other;
        const int32_t tag = mesh->face_tag[t - 1];
        memcpy(v, one, sizeof v), memcpy(one, two, sizeof v), memcpy(two, v, sizeof v);
        mesh->face_tag[t - 1] = mesh->face_tag[other], mesh->face_tag[other] = tag;
    }
}

Test(surfaces, surfaces_do_not_depend_on_unit_rotation_and_order)
{
    static const double factors[] = {1, 1e-3, 1e4};
    for (size_t k = 0; k < 6; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_surfaces found;
        bowl_make(&arena, 40, k < 3 ? 28 : 40, 90, &mesh);
        ok(mt_surfaces_rims(&mesh));
        disturb(&mesh, &arena, factors[k % 3]);
        assert_found(&mesh, &found);
        cr_assert_eq(found.how, k < 3 ? MT_FOUND_FLAT : MT_FOUND_SHADE);
        cr_assert(
            found.wall_mm[1] == 0 && found.n_triangles[MT_SURFACE_RV] == 0 && found.n_triangles[0] == 0);
        mt_arena_free(&arena);
    }
}

/* At a sharp rim the base consists of the triangles with a corner on it: the upper row outside and inside, two triangles with a side on the
 * rim for each of its points, and one with a corner. */
Test(surfaces, the_rim_is_the_base_of_a_ventricle_without_a_flat_base)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_surfaces found;
    bowl_make(&arena, 40, 40, 90, &mesh);
    ok(mt_surfaces_find(&mesh, &found));
    cr_assert_eq(found.how, MT_FOUND_SHADE);
    cr_assert_eq(found.n_triangles[MT_SURFACE_BASE], 4 * BOWL_AROUND);
    for (size_t t = 0; t < mesh.n_faces; t++) {
        const uint32_t *v = mesh.face_vertex + 3 * t;
        const bool at_rim = v[0] < BOWL_AROUND || v[1] < BOWL_AROUND || v[2] < BOWL_AROUND;
        cr_assert_eq(mesh.face_tag[t] == MT_SURFACE_BASE, at_rim, "triangle %zu", t);
    }
    mt_arena_free(&arena);
}

/* Four points of each of its circles are lower, so that the plane of the others does not separate inside and outside there. */
Test(surfaces, a_base_with_an_uneven_section_is_found)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_surfaces given, found;
    bowl_make(&arena, 40, 28, 90, &mesh);
    for (size_t i = 0; i < 4; i++) {
        mesh.xyz_mm[3 * i + 2] -= 4;
        mesh.xyz_mm[3 * (BOWL_HALF + 1 + i) + 2] -= 8;
    }
    mt_surfaces_count(&mesh, &given);
    ok(mt_surfaces_find(&mesh, &found));
    cr_assert_eq(found.how, MT_FOUND_FLAT);
    /* 27 of the 32 parts of the ring are unchanged; in the rest the border is on one of the edges */
    cr_assert(found.area_mm2[MT_SURFACE_BASE] > 0.8 * given.area_mm2[MT_SURFACE_BASE]);
    cr_assert(found.area_mm2[MT_SURFACE_BASE] < 1.3 * given.area_mm2[MT_SURFACE_BASE]);
    cr_assert_float_eq(
        found.area_mm2[MT_SURFACE_LV], given.area_mm2[MT_SURFACE_LV], 0.05 * given.area_mm2[MT_SURFACE_LV]);
    mt_arena_free(&arena);
}

/* ---- blocks with pits: x, y, z from 0, open at the top */

typedef struct pit {
    double low[3], high[3];
} pit;

static void block_make(mt_arena *arena, size_t n_pits, const pit *pits, mt_mesh *mesh)
{
    mt_adjacency adjacency;
    size_t n = 0;
    ok(mt_slab_make(arena, (double[]){24, 12, 12}, 1, mesh));
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[3];
        bool out = false;
        mt_mesh_centroid(mesh, c, x);
        for (size_t p = 0; p < n_pits; p++) {
            bool within = true;
            for (int k = 0; k < 3; k++) within = within && x[k] > pits[p].low[k] && x[k] < pits[p].high[k];
            out = out || within;
        }
        if (!out) memmove(mesh->element_vertex + 4 * n++, mesh->element_vertex + 4 * c, 4 * sizeof(uint32_t));
    }
    mesh->n_elements = n;
    mesh->fibre = NULL;
    ok(mt_adjacency_make(arena, mesh, &adjacency));
    ok(mt_boundary_make(arena, &adjacency, mesh));
}

static const pit thick = {{3, 3, 3}, {9, 9, 13}}, thin = {{14, 1, 1}, {23, 11, 13}},
                 wall = {{10, 2, 2}, {13, 10, 13}}, hole = {{11, 5, 5}, {12, 6, 6}};

Test(surfaces, of_two_cavities_the_one_with_the_thicker_wall_is_the_left_ventricle)
{
    for (int turn = 0; turn < 2; turn++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_surfaces found;
        block_make(&arena, 2, (pit[]){turn ? thin : thick, turn ? thick : thin}, &mesh);
        ok(mt_surfaces_find(&mesh, &found));
        cr_assert_float_eq(found.area_mm2[MT_SURFACE_LV], 6 * 6 + 4 * 6 * 9, 1e-9);
        cr_assert_float_eq(found.area_mm2[MT_SURFACE_RV], 9 * 10 + 2 * (9 + 10) * 11, 1e-9);
        cr_assert_float_eq(found.area_mm2[MT_SURFACE_BASE], 24 * 12 - 6 * 6 - 9 * 10, 1e-9);
        cr_assert_float_eq(found.area_mm2[MT_SURFACE_EPI], 24 * 12 + 2 * (24 + 12) * 12, 1e-9);
        /* from the middle of a triangle, a third of a millimetre from the middle of the facing one */
        cr_assert_float_eq(found.wall_mm[0], 3, 1e-9);
        cr_assert_float_eq(found.wall_mm[1], 1, 1e-9);
        mt_arena_free(&arena);
    }
}

Test(surfaces, a_cavity_within_the_muscle_belongs_to_no_surface)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_surfaces found;
    block_make(&arena, 3, (pit[]){thick, thin, hole}, &mesh);
    ok(mt_surfaces_find(&mesh, &found));
    cr_assert_float_eq(found.area_mm2[0], 6, 1e-9);
    cr_assert_float_eq(found.area_mm2[MT_SURFACE_LV], 6 * 6 + 4 * 6 * 9, 1e-9);
    mt_arena_free(&arena);
}

/* Ambiguous surfaces are refused, and the tags are unchanged. */
static void assert_refused(mt_mesh *mesh, const char *why)
{
    mt_surfaces found;
    for (size_t t = 0; t < mesh->n_faces; t++) mesh->face_tag[t] = 77;
    cr_assert_eq(mt_surfaces_find(mesh, &found), MT_INPUT, "%s", why);
    cr_assert(strstr(mt_message(), why), "no '%s' in: %s", why, mt_message());
    cr_assert(strstr(mt_message(), "triangles tagged as base (1), epicardium (2), left (3) and right"), "%s",
        mt_message());
    for (size_t t = 0; t < mesh->n_faces; t++) cr_assert_eq(mesh->face_tag[t], 77);
}

Test(surfaces, bodies_other_than_hearts_are_rejected_with_what_was_found)
{
    const pit left = {{2, 2, 2}, {10, 10, 13}}, right = {{14, 2, 2}, {22, 10, 13}},
              closed = {{4, 3, 3}, {20, 9, 9}};
    mt_arena arena = {0};
    mt_mesh mesh, two;
    block_make(&arena, 0, NULL, &mesh);
    assert_refused(&mesh, "0 cavities");
    block_make(&arena, 1, &closed, &mesh);
    assert_refused(&mesh, "not connected");
    block_make(&arena, 3, (pit[]){{{2, 2, 2}, {9, 10, 13}}, wall, {{14, 2, 2}, {22, 10, 13}}}, &mesh);
    assert_refused(&mesh, "3 cavities");
    block_make(&arena, 2, (pit[]){left, right}, &mesh);
    assert_refused(&mesh, "2 and 2 mm thick");
    /* two hearts, one a little larger */
    bowl_make(&arena, 40, 28, 90, &mesh);
    ok(mt_mesh_new(&arena, 2 * mesh.n_vertices, 0, &two));
    ok(mt_mesh_new_faces(&arena, 2 * mesh.n_faces, &two));
    for (size_t k = 0; k < 6 * mesh.n_vertices; k++)
        two.xyz_mm[k] = k < 3 * mesh.n_vertices
                            ? mesh.xyz_mm[k]
                            : 1.1 * mesh.xyz_mm[k - 3 * mesh.n_vertices] + (k % 3 == 0 ? 200 : 0);
    for (size_t k = 0; k < 6 * mesh.n_faces; k++)
        two.face_vertex[k] =
            mesh.face_vertex[k % (3 * mesh.n_faces)] + (k < 3 * mesh.n_faces ? 0 : (uint32_t)mesh.n_vertices);
    assert_refused(&two, "not connected");
    mt_arena_free(&arena);
}

Test(surfaces, out_of_memory_is_reported_without_a_leak)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_surfaces found;
    mt_status status = MT_MEMORY;
    bowl_make(&arena, 40, 28, 90, &mesh);
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena_fail_at(n);
        status = mt_surfaces_find(&mesh, &found);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK ? n > 20 : status == MT_MEMORY, "take %zu: %s", n, mt_message());
    }
    mt_arena_free(&arena);
}
