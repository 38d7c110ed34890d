#include <criterion/criterion.h>

#include "mesh/make/slab.h"
#include "mesh/vertex_mean.h"

#include <math.h>
#include <string.h>

static mt_arena arena;

static void done(void) { mt_arena_free(&arena); }

TestSuite(vertex_mean, .fini = done);

/* Two tetrahedra with a common face, of volumes 1/6 and 1/2, and an unused vertex. */
Test(vertex_mean, elements_are_weighted_by_volume_and_undefined_values_ignored)
{
    const double xyz[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -3}, {9, 9, 9}};
    const uint32_t vertex[2][4] = {{0, 1, 2, 3}, {0, 2, 1, 4}};
    mt_mesh mesh;
    double *mean;
    cr_assert_eq(mt_mesh_new(&arena, 6, 2, &mesh), MT_OK);
    memcpy(mesh.xyz_mm, xyz, sizeof xyz);
    memcpy(mesh.element_vertex, vertex, sizeof vertex);
    cr_assert_eq(mt_mesh_check(&mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_vertex_mean(&arena, &mesh, (float[]){4, 8}, &mean), MT_OK);
    for (int v = 0; v < 3; v++) cr_expect_float_eq(mean[v], 7, 1e-12, "vertex %d: %g", v, mean[v]);
    cr_expect_eq(mean[3], 4);
    cr_expect_eq(mean[4], 8);
    cr_expect(isnan(mean[5]));
    cr_assert_eq(mt_vertex_mean(&arena, &mesh, (float[]){NAN, 8}, &mean), MT_OK);
    for (int v = 0; v < 3; v++) cr_expect_eq(mean[v], 8);
    cr_expect(isnan(mean[3]));
}

/* Elements are symmetric around an inner vertex of mirrored boxes. */
Test(vertex_mean, a_linear_field_is_reproduced_inside_a_slab)
{
    mt_mesh mesh;
    float *values;
    double *mean;
    size_t inside = 0;
    cr_assert_eq(mt_slab_make_cut(&arena, (double[]){3, 2, 1}, 0.25, MT_SLAB_MIRRORED, &mesh), MT_OK);
    values = mt_arena_alloc(&arena, mesh.n_elements, sizeof *values);
    for (size_t c = 0; c < mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        values[c] = (float)(x[0] + 2 * x[1] - 3 * x[2]);
    }
    cr_assert_eq(mt_vertex_mean(&arena, &mesh, values, &mean), MT_OK);
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        const double *x = mesh.xyz_mm + 3 * v;
        if (x[0] == 0 || x[0] == 3 || x[1] == 0 || x[1] == 2 || x[2] == 0 || x[2] == 1) continue;
        inside++;
        cr_assert_float_eq(mean[v], x[0] + 2 * x[1] - 3 * x[2], 1e-6, "[%g %g %g]", x[0], x[1], x[2]);
    }
    cr_expect_eq(inside, 11 * 7 * 3);
}

Test(vertex_mean, means_at_selected_vertices_are_bit_identical)
{
    const uint32_t vertex[] = {17, 3, 400, 4, 0};
    enum { SOME = sizeof vertex / sizeof *vertex };
    mt_mesh mesh;
    mt_vertex_stars stars;
    float *values;
    double *mean, some[SOME];
    cr_assert_eq(mt_slab_make_cut(&arena, (double[]){3, 2, 1}, 0.25, MT_SLAB_KUHN, &mesh), MT_OK);
    for (size_t k = 0; k < 3 * mesh.n_vertices; k++) mesh.xyz_mm[k] *= 1 + 0.1 * mesh.xyz_mm[k];
    values = mt_arena_alloc(&arena, mesh.n_elements, sizeof *values);
    for (size_t c = 0; c < mesh.n_elements; c++) values[c] = c % 5 == 0 || c < 40 ? NAN : sinf((float)c);
    cr_assert_eq(mt_vertex_mean(&arena, &mesh, values, &mean), MT_OK);
    cr_assert_eq(mt_vertex_stars_make(&arena, &mesh, SOME, vertex, &stars), MT_OK);
    mt_vertex_stars_mean(&stars, values, some);
    size_t missing = 0;
    for (size_t k = 0; k < SOME; k++) {
        missing += isnan(some[k]) != 0;
        cr_expect(
            isnan(some[k]) ? isnan(mean[vertex[k]]) : some[k] == mean[vertex[k]], "vertex %u", vertex[k]);
    }
    cr_expect(missing > 0 && missing < SOME, "%zu", missing);
}
