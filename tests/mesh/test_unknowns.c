/* The unknowns of a mesh, and the membership of vertices in parts of it. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/make/slab.h"
#include "mesh/unknowns.h"
#include "mesh/vertex_mean.h"
#include "mesh/vertex_share.h"
#include "tests/mesh/tagged_slab.h"

static mt_arena arena;
static mt_mesh mesh;
static const double size_mm[3] = {2, 1, 1};

static void make(void) { tagged_slab(&arena, size_mm, 0.5, &mesh); }
static void end(void) { mt_arena_free(&arena); }

TestSuite(unknowns, .init = make, .fini = end);

static double x_of(size_t vertex) { return mesh.xyz_mm[3 * vertex]; }

/* Selects the elements with centroids at x < 1. */
static mt_mesh near_half(void)
{
    mt_mesh half;
    uint8_t *keep = mt_arena_alloc(&arena, mesh.n_elements, 1);
    for (size_t c = 0; c < mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        keep[c] = x[0] < 1;
    }
    cr_assert_eq(mt_mesh_select(&arena, &mesh, keep, &half), MT_OK);
    return half;
}

Test(unknowns, the_mesh_of_vertex_unknowns_has_only_vertices_of_elements)
{
    const mt_mesh half = near_half();
    mt_mesh used, same;
    cr_assert_eq(mt_unknowns_mesh(&arena, &half, &used), MT_OK);
    const mt_unknowns unknowns = {&used, true};
    cr_assert_eq(used.n_elements, half.n_elements);
    cr_assert_eq(mt_unknowns_count(&unknowns), 27); /* 3 x 3 x 3 of 5 x 3 x 3 */
    cr_assert_eq(mt_mesh_check(&used), MT_OK, "%s", mt_message());
    for (size_t v = 0; v < used.n_vertices; v++) {
        double place[3];
        const size_t number = mt_unknowns_number(&unknowns, v);
        mt_unknowns_place(&unknowns, v, place);
        cr_assert_arr_eq(place, mesh.xyz_mm + 3 * number, sizeof place);
        cr_assert_leq(place[0], 1);
    }
    for (size_t c = 0; c < used.n_elements; c++)
        cr_assert_eq(mt_mesh_volume_mm3(&used, c), mt_mesh_volume_mm3(&half, c));
    size_t n_near = 0;
    for (size_t f = 0; f < mesh.n_faces; f++)
        n_near += x_of(mesh.face_vertex[3 * f]) <= 1 && x_of(mesh.face_vertex[3 * f + 1]) <= 1 &&
                  x_of(mesh.face_vertex[3 * f + 2]) <= 1;
    cr_expect(n_near > 0 && used.n_faces == n_near, "%zu of %zu", used.n_faces, n_near);
    cr_assert_eq(mt_unknowns_mesh(&arena, &mesh, &same), MT_OK);
    cr_expect(same.xyz_mm == mesh.xyz_mm && !same.vertex_number);
}

Test(unknowns, the_volumes_of_unknowns_sum_to_the_volume_of_the_mesh)
{
    for (int at_vertices = 0; at_vertices < 2; at_vertices++) {
        const mt_unknowns unknowns = {&mesh, at_vertices};
        double *volume_mm3, sum_mm3 = 0;
        cr_assert_eq(mt_unknowns_volumes(&arena, &unknowns, &volume_mm3), MT_OK);
        for (size_t k = 0; k < mt_unknowns_count(&unknowns); k++) {
            cr_assert_gt(volume_mm3[k], 0);
            sum_mm3 += volume_mm3[k];
        }
        cr_expect_float_eq(sum_mm3, 2, 1e-12);
    }
}

Test(unknowns, words_name_the_kind_of_unknown)
{
    const mt_unknowns elements = {&mesh, false}, vertices = {&mesh, true};
    cr_expect_str_eq(mt_unknowns_word(&elements, 1), "element");
    cr_expect_str_eq(mt_unknowns_word(&elements, 0), "elements");
    cr_expect_str_eq(mt_unknowns_word(&vertices, 1), "vertex");
    cr_expect_str_eq(mt_unknowns_word(&vertices, 2), "vertices");
}

/* Vertices in the plane x = 1 have half of their volume on either side, as the mirrored slab is symmetric to it. */
Test(unknowns, a_vertex_with_half_of_its_volume_in_a_part_is_in_it)
{
    uint8_t *of = mt_arena_alloc(&arena, mesh.n_elements, 1),
            *in = mt_arena_alloc(&arena, mesh.n_vertices, 1);
    for (int far = 0; far < 2; far++) {
        size_t n = 0;
        memset(in, 1, mesh.n_vertices);
        for (size_t c = 0; c < mesh.n_elements; c++) {
            double x[3];
            mt_mesh_centroid(&mesh, c, x);
            of[c] = (x[0] > 1) == far;
        }
        in[0] = in[mesh.n_vertices - 1] = 0; /* not added again */
        cr_assert_eq(mt_vertex_share_keep(&mesh, of, in), MT_OK);
        for (size_t v = 1; v + 1 < mesh.n_vertices; v++, n++)
            cr_assert_eq(in[v], far ? x_of(v) >= 1 : x_of(v) <= 1, "vertex %zu at %g", v, x_of(v));
        cr_expect(n > 20 && !in[0] && !in[mesh.n_vertices - 1]);
    }
}

Test(unknowns, a_vertex_belongs_to_the_class_with_the_largest_volume_and_to_the_lowest_of_equals)
{
    uint16_t *of = mt_arena_alloc(&arena, mesh.n_elements, sizeof *of), *largest;
    for (int turned = 0; turned < 2; turned++) {
        for (size_t c = 0; c < mesh.n_elements; c++) {
            double x[3];
            mt_mesh_centroid(&mesh, c, x);
            of[c] = (x[0] > 1) != turned ? 3 : 1;
        }
        cr_assert_eq(mt_vertex_share_largest(&arena, &mesh, 4, of, &largest), MT_OK);
        for (size_t v = 0; v < mesh.n_vertices; v++) {
            const bool far = turned ? x_of(v) < 1 : x_of(v) > 1;
            cr_assert_eq(largest[v], far ? 3 : 1, "vertex %zu at %g", v, x_of(v));
        }
    }
}

Test(unknowns, the_mean_of_an_element_is_exact_for_linear_fields_and_nan_with_a_nan)
{
    float *values = mt_arena_alloc(&arena, mesh.n_vertices, sizeof *values), *means;
    for (size_t v = 0; v < mesh.n_vertices; v++)
        values[v] = (float)(2 * x_of(v) - mesh.xyz_mm[3 * v + 1] + 4 * mesh.xyz_mm[3 * v + 2]);
    values[mesh.element_vertex[2]] = NAN;
    cr_assert_eq(mt_element_mean(&arena, &mesh, values, &means), MT_OK);
    for (size_t c = 0; c < mesh.n_elements; c++) {
        const uint32_t *v = mesh.element_vertex + 4 * c, no = mesh.element_vertex[2];
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        if (v[0] == no || v[1] == no || v[2] == no || v[3] == no)
            cr_assert(isnan(means[c]));
        else
            cr_assert_float_eq((double)means[c], 2 * x[0] - x[1] + 4 * x[2], 1e-6);
    }
}
