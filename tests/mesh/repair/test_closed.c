#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/repair/closed.h"
#include "tests/answers.h"
#include "tests/mesh/bowl.h"
#include "tests/mesh/damage.h"

/* Gives every triangle vertices of its own, as in STL, displaced by up to `noise` in each coordinate, with random orientation. */
static void break_up(mt_arena *arena, const mt_mesh *whole, double noise, mt_mesh *broken)
{
    uint64_t state = 17;
    ok(mt_mesh_new(arena, 3 * whole->n_faces, 0, broken));
    ok(mt_mesh_new_faces(arena, whole->n_faces, broken));
    for (size_t t = 0; t < whole->n_faces; t++) {
        const bool turn = draw(&state, 2);
        broken->face_tag[t] = whole->face_tag[t];
        for (size_t k = 0; k < 3; k++) {
            const uint32_t v = whole->face_vertex[3 * t + (turn && k > 0 ? 3 - k : k)];
            broken->face_vertex[3 * t + k] = (uint32_t)(3 * t + k);
            for (size_t axis = 0; axis < 3; axis++)
                broken->xyz_mm[9 * t + 3 * k + axis] =
                    whole->xyz_mm[3 * (size_t)v + axis] + noise * ((double)draw(&state, 2001) / 1000 - 1);
        }
    }
}

static double volume_of(const mt_mesh *mesh)
{
    double six = 0;
    for (size_t t = 0; t < mesh->n_faces; t++) six += mt_triangle_volume_six(mesh, t, (double[]){1, 2, 3});
    return six / 6;
}

Test(closed, unconnected_triangles_in_any_orientation_become_their_original_surface)
{
    mt_arena arena = {0};
    mt_mesh whole, mesh;
    mt_closed report;
    mt_sides sides;
    bowl_make(&arena, 40, 28, 90, &whole);
    /* The diagonal is 144 mm: points within 1.4e-3 mm are merged; the distance here is at most 2 * 4e-4 * sqrt(3). */
    break_up(&arena, &whole, 4e-4, &mesh);
    ok(mt_closed_make(&mesh, &report));
    cr_assert_eq(mesh.n_vertices, whole.n_vertices);
    cr_assert_eq(mesh.n_faces, whole.n_faces);
    cr_assert_eq(report.n_merged, 3 * whole.n_faces - whole.n_vertices);
    cr_assert(report.n_turned > whole.n_faces / 3 && report.n_turned < whole.n_faces * 2 / 3);
    cr_assert_eq(report.n_chips + report.n_degenerate + report.n_duplicate, 0);
    ok(mt_sides_make(&arena, &mesh, &sides));
    cr_assert_eq(sides.n_single + sides.n_crowded, 0);
    for (size_t t = 0; t < mesh.n_faces; t++) {
        double a[3], b[3];
        mt_triangle_area(&mesh, t, a);
        mt_triangle_area(&whole, t, b);
        cr_assert(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > 0, "triangle %zu is oriented inwards", t);
        cr_assert_eq(mesh.face_tag[t], whole.face_tag[t]);
    }
    cr_assert_float_eq(report.volume_mm3, volume_of(&mesh), 1e-6 * report.volume_mm3);
    /* points displaced by 7e-4 mm over some 30,000 mm^2 */
    cr_assert_float_eq(report.volume_mm3, volume_of(&whole), 7e-4 * 3e4);
    mt_arena_free(&arena);
}

Test(closed, two_files_are_joined_at_coincident_points)
{
    mt_arena arena = {0};
    mt_mesh whole, parts[2], mesh;
    mt_closed report;
    bowl_make(&arena, 40, 28, 90, &whole);
    for (int k = 0; k < 2; k++) {
        parts[k] = whole;
        parts[k].n_faces = k == 0 ? 100 : whole.n_faces - 100;
        parts[k].face_vertex = whole.face_vertex + (k == 0 ? 0 : 300);
        parts[k].face_tag = whole.face_tag + (k == 0 ? 0 : 100);
    }
    ok(mt_closed_join(&arena, parts, 2, &mesh));
    cr_assert(mesh.n_vertices == 2 * whole.n_vertices && mesh.n_faces == whole.n_faces);
    ok(mt_closed_make(&mesh, &report));
    cr_assert(
        mesh.n_vertices == whole.n_vertices && report.n_turned == 0 && report.n_merged == whole.n_vertices);
    cr_assert_arr_eq(mesh.face_tag, whole.face_tag, whole.n_faces * sizeof *whole.face_tag);
    mt_arena_free(&arena);
}

/* A copy of the bowl with spare capacity for points and triangles. */
static void bowl_with_room(mt_arena *arena, mt_mesh *mesh)
{
    mt_mesh bowl;
    bowl_make(arena, 40, 28, 90, &bowl);
    ok(mt_mesh_new(arena, bowl.n_vertices + 20, 0, mesh));
    ok(mt_mesh_new_faces(arena, bowl.n_faces + 20, mesh));
    mesh->n_vertices = bowl.n_vertices;
    mesh->n_faces = bowl.n_faces;
    memcpy(mesh->xyz_mm, bowl.xyz_mm, 3 * bowl.n_vertices * sizeof *bowl.xyz_mm);
    memcpy(mesh->face_vertex, bowl.face_vertex, 3 * bowl.n_faces * sizeof *bowl.face_vertex);
}

static void add_triangle(mt_mesh *mesh, size_t a, size_t b, size_t c)
{
    const uint32_t v[3] = {(uint32_t)a, (uint32_t)b, (uint32_t)c};
    memcpy(mesh->face_vertex + 3 * mesh->n_faces++, v, sizeof v);
}

static size_t add_point(mt_mesh *mesh, double x, double y, double z)
{
    const double p[3] = {x, y, z};
    memcpy(mesh->xyz_mm + 3 * mesh->n_vertices, p, sizeof p);
    return mesh->n_vertices++;
}

Test(closed, small_fragments_duplicates_and_degenerate_triangles_are_dropped)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_closed report;
    bowl_with_room(&arena, &mesh);
    const size_t n = mesh.n_faces, n_vertices = mesh.n_vertices;
    const uint32_t *v = mesh.face_vertex;
    const double *a = mesh.xyz_mm + 3 * (size_t)v[0], *b = mesh.xyz_mm + 3 * (size_t)v[1];
    /* a small tetrahedron with an edge in common with the surface, which then has four triangles there */
    const size_t p = add_point(&mesh, a[0] + 1, a[1], a[2] + 1),
                 q = add_point(&mesh, b[0] + 1, b[1] + 1, b[2]);
    add_triangle(&mesh, v[0], v[1], p), add_triangle(&mesh, v[1], v[0], q);
    add_triangle(&mesh, v[0], p, q), add_triangle(&mesh, v[1], q, p);
    add_triangle(&mesh, v[5], v[3], v[4]); /* again */
    const size_t same = add_point(&mesh, a[0], a[1], a[2]);
    add_triangle(&mesh, v[0], same, v[1]);
    ok(mt_closed_make(&mesh, &report));
    cr_assert(
        report.n_chips == 4 && report.n_duplicate == 1 && report.n_degenerate == 1 && report.n_turned == 0);
    cr_assert(mesh.n_faces == n && mesh.n_vertices == n_vertices);
    mt_arena_free(&arena);
}

static void assert_refused(mt_mesh *mesh, const char *why)
{
    mt_closed report;
    cr_assert_eq(mt_closed_make(mesh, &report), MT_INPUT, "%s", why);
    cr_assert(strstr(mt_message(), why), "no '%s' in: %s", why, mt_message());
}

Test(closed, surfaces_that_enclose_no_volume_are_rejected_with_the_position)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    bowl_with_room(&arena, &mesh);
    mesh.n_faces--; /* the last triangle is on the base: between x = 40, y = 0 and the previous point */
    assert_refused(
        &mesh, "3 edges have one triangle and 0 have more than two; each must have two; the first is from");
    assert_refused(&mesh, "from (40, 0, -0) to (28, 0, -0) mm");
    bowl_with_room(&arena, &mesh);
    const size_t top = add_point(&mesh, 0, 0, 300); /* an open sheet attached to the surface */
    add_triangle(&mesh, mesh.face_vertex[0], mesh.face_vertex[1], top);
    assert_refused(&mesh, "2 edges have one triangle and 1 have more than two");
    bowl_with_room(&arena, &mesh); /* a second body */
    size_t p[4];
    for (int k = 0; k < 4; k++) p[k] = add_point(&mesh, 500 + 90 * (k == 1), 90 * (k == 2), 90 * (k == 3));
    for (size_t k = 0; k < 4; k++) add_triangle(&mesh, p[k], p[(k + 1) % 4], p[(k + 2) % 4]);
    assert_refused(&mesh, "2 separate closed components");
    bowl_with_room(&arena, &mesh); /* flattened */
    for (size_t v = 0; v < mesh.n_vertices; v++) mesh.xyz_mm[3 * v + 1] = 1e-9 * mesh.xyz_mm[3 * v];
    cr_assert_eq(mt_closed_make(&mesh, &(mt_closed){0}), MT_INPUT);
    bowl_with_room(&arena, &mesh); /* all in one point */
    for (size_t k = 0; k < 3 * mesh.n_vertices; k++) mesh.xyz_mm[k] = 7;
    assert_refused(&mesh, "all points of the surface coincide");
    mt_arena_free(&arena);
}

/* A torus of rectangles glued with a twist: a Klein bottle, closed but one-sided. */
Test(closed, a_non_orientable_surface_is_rejected)
{
    enum { N = 12 };
    mt_arena arena = {0};
    mt_mesh mesh;
    ok(mt_mesh_new(&arena, N * N, 0, &mesh));
    ok(mt_mesh_new_faces(&arena, 2 * N * N, &mesh));
    for (size_t v = 0; v < N * N; v++) { /* its coordinates are irrelevant if they are distinct */
        mesh.xyz_mm[3 * v] = (double)(v % N), mesh.xyz_mm[3 * v + 1] = (double)(v / N);
        mesh.xyz_mm[3 * v + 2] = (double)(v * v % 7);
    }
    mesh.n_faces = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            const size_t up = (j + 1) % N, right = (i + 1) % N;
            const size_t c = i == N - 1 ? (N - j) % N : j, d = i == N - 1 ? (N - up) % N : up;
            add_triangle(&mesh, N * i + j, N * right + c, N * right + d);
            add_triangle(&mesh, N * i + j, N * right + d, N * i + up);
        }
    assert_refused(&mesh, "not orientable");
    mt_arena_free(&arena);
}

Test(closed, out_of_memory_is_reported_without_a_leak)
{
    mt_arena arena = {0};
    mt_status status = MT_MEMORY;
    for (size_t n = 1; status != MT_OK; n++) {
        mt_mesh mesh;
        mt_closed report;
        bowl_make(&arena, 40, 28, 90, &mesh);
        mt_arena_fail_at(n);
        status = mt_closed_make(&mesh, &report);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK ? n > 15 : status == MT_MEMORY, "take %zu: %s", n, mt_message());
    }
    mt_arena_free(&arena);
}
