/* Meshes cut along level sets. */
#include <criterion/criterion.h>

#include <math.h>

#include "data/core/vec3.h"
#include "mesh/anatomy/level_cut.h"
#include "tests/mesh/tagged_slab.h"

static mt_arena arena;
static mt_mesh mesh;
static mt_level_cut cut;

static const double size_mm[3] = {4, 3, 5};

static void end(void) { mt_arena_free(&arena); }

TestSuite(level_cut, .fini = end);

/* A plane through the slab, oblique to its edges. */
static double plane_at(const double *x) { return 0.3 * x[0] + 0.8 * x[1] - 0.52 * x[2]; }

static double curved_at(const double *x) { return sin(x[0]) + 0.3 * x[1] * x[1] - 0.2 * x[2]; }

static double flat_at(const double *x) { return x[0]; }

static double far_at(const double *x) { return 10 + x[0]; }

static const struct {
    double (*at)(const double *x);
    double level;
} cuts[] = {{plane_at, 0.1}, {curved_at, 0.4}, {flat_at, 2}, {far_at, 0}, {far_at, 20}};
enum { CUTS = sizeof cuts / sizeof *cuts };

static double *cut_slab(int k)
{
    double *value;
    tagged_slab(&arena, size_mm, 1, &mesh);
    value = mt_arena_alloc(&arena, mesh.n_vertices, sizeof *value);
    cr_assert(value);
    for (size_t v = 0; v < mesh.n_vertices; v++) value[v] = cuts[k].at(mesh.xyz_mm + 3 * v);
    cr_assert_eq(mt_level_cut_make(&arena, &mesh, value, cuts[k].level, &cut), MT_OK, "%s", mt_message());
    return value;
}

/* Every inner face belongs to two elements, so the outer faces have the area of the slab, and each element has its pieces' volume. */
Test(level_cut, the_cut_mesh_is_conforming_and_fills_the_original)
{
    for (int k = 0; k < CUTS; k++) {
        mt_adjacency adjacency;
        double outside = 0;
        (void)cut_slab(k);
        cr_assert_eq(mt_mesh_check(&cut.mesh), MT_OK, "%d: %s", k, mt_message());
        cr_assert_eq(mt_adjacency_make(&arena, &cut.mesh, &adjacency), MT_OK);
        for (size_t i = 0; i < 4 * cut.mesh.n_elements; i++) {
            double area[3];
            if (adjacency.neighbour[i] != MT_NO_ELEMENT) continue;
            mt_mesh_face_area(&cut.mesh, i / 4, i % 4, area);
            outside += sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
        }
        cr_assert_float_eq(outside, 2 * (4 * 3 + 4 * 5 + 3 * 5), 1e-9, "%d: %g", k, outside);
        double *volume = mt_arena_alloc(&arena, mesh.n_elements, sizeof *volume);
        for (size_t e = 0; e < cut.mesh.n_elements; e++)
            volume[cut.element[e]] += mt_mesh_volume_mm3(&cut.mesh, e);
        for (size_t e = 0; e < mesh.n_elements; e++)
            cr_assert_float_eq(volume[e], mt_mesh_volume_mm3(&mesh, e), 1e-12, "%d: %zu", k, e);
    }
}

Test(level_cut, no_element_is_on_both_sides)
{
    for (int k = 0; k < CUTS; k++) {
        double *at;
        const double *value = cut_slab(k);
        size_t n[2] = {0};
        cr_assert_eq(mt_level_cut_extend(&arena, &cut, value, &at), MT_OK);
        for (size_t e = 0; e < cut.mesh.n_elements; e++) {
            size_t on = 0;
            n[cut.above[e]]++;
            for (size_t i = 0; i < 4; i++) {
                const uint32_t v = cut.mesh.element_vertex[4 * e + i];
                on += cut.on[v];
                if (!cut.on[v]) cr_assert_eq(at[v] > cuts[k].level, cut.above[e], "%d: %zu", k, e);
            }
            cr_assert_lt(on, 4, "%d: %zu", k, e);
        }
        cr_assert(k < 3 ? n[0] > 0 && n[1] > 0 : n[k == 3] == mesh.n_elements, "%d", k);
    }
}

/* The plane's value changes by at most its gradient (1) per mm, and edges have at most sqrt(3) mm. */
Test(level_cut, the_surface_deviates_from_the_level_by_at_most_a_tenth_of_an_edge)
{
    size_t divided = 0, snapped = 0;
    (void)cut_slab(0);
    for (size_t v = 0; v < cut.mesh.n_vertices; v++) {
        if (!cut.on[v]) continue;
        const double off = fabs(plane_at(cut.mesh.xyz_mm + 3 * v) - 0.1);
        if (v >= mesh.n_vertices) cr_assert_lt(off, 1e-12, "%zu", v);
        cr_assert_lt(off, MT_LEVEL_CUT_SNAP * sqrt(3), "%zu", v);
        divided += v >= mesh.n_vertices;
        snapped += v < mesh.n_vertices;
    }
    cr_assert(divided == cut.n_edges && divided > 20 && snapped > 2, "%zu, %zu", divided, snapped);
}

Test(level_cut, triangles_are_cut_like_the_elements_and_keep_their_tags)
{
    for (int k = 0; k < 3; k++) {
        double area[5] = {0};
        (void)cut_slab(k);
        for (size_t f = 0; f < cut.mesh.n_faces; f++) {
            double a[3], b[3], n[3];
            const uint32_t *v = cut.mesh.face_vertex + 3 * f;
            const int32_t tag = cut.mesh.face_tag[f];
            mt_minus3(cut.mesh.xyz_mm + 3 * (size_t)v[1], cut.mesh.xyz_mm + 3 * (size_t)v[0], a);
            mt_minus3(cut.mesh.xyz_mm + 3 * (size_t)v[2], cut.mesh.xyz_mm + 3 * (size_t)v[0], b);
            mt_cross3(a, b, n);
            area[tag] += mt_length3(n) / 2;
            for (int i = 0; i < 3; i++) {
                const double *x = cut.mesh.xyz_mm + 3 * (size_t)v[i];
                cr_assert_float_eq(tag == MT_SURFACE_LV    ? x[0]
                                   : tag == MT_SURFACE_EPI ? x[0] - 4
                                                           : x[2] - 5,
                    0, 1e-12, "%zu", f);
            }
        }
        cr_assert_float_eq(area[MT_SURFACE_LV], 15, 1e-9);
        cr_assert_float_eq(area[MT_SURFACE_EPI], 15, 1e-9);
        cr_assert_float_eq(area[MT_SURFACE_BASE], 12, 1e-9);
    }
}

Test(level_cut, values_are_extended_linearly)
{
    double *at;
    const double *value = cut_slab(0);
    cr_assert_eq(mt_level_cut_extend(&arena, &cut, value, &at), MT_OK);
    for (size_t v = 0; v < cut.mesh.n_vertices; v++)
        cr_assert_float_eq(at[v], plane_at(cut.mesh.xyz_mm + 3 * v), 1e-12, "%zu", v);
}
