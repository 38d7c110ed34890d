/* The elements at a tagged surface. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <string.h>

#include "mesh/anatomy/patch.h"
#include "tests/mesh/tagged_slab.h"

static mt_arena arena;
static mt_mesh mesh;
static unsigned char *at;
static const double size_mm[3] = {4, 6, 5};

static void make(void)
{
    tagged_slab(&arena, size_mm, 0.5, &mesh);
    at = mt_arena_alloc(&arena, mesh.n_elements, 1);
}

static void end(void) { mt_arena_free(&arena); }

TestSuite(patch, .init = make, .fini = end);

static void find(int32_t tag, double depth_mm)
{
    memset(at, 7, mesh.n_elements);
    cr_assert_eq(mt_patch_elements(&mesh, tag, depth_mm, at), MT_OK, "%s", mt_message());
}

Test(patch, without_a_depth_a_patch_is_the_elements_with_a_face_on_the_surface)
{
    size_t reached = 0;
    for (size_t f = 0; f < mesh.n_faces; f++) { /* in all orders of the corners */
        uint32_t *v = mesh.face_vertex + 3 * f, corner[3] = {v[0], v[1], v[2]};
        for (size_t k = 0; k < 3; k++) v[f % 2 ? 2 - k : k] = corner[(f / 2 + k) % 3];
    }
    find(MT_SURFACE_LV, 0);
    for (size_t c = 0; c < mesh.n_elements; c++) {
        int on = 0;
        for (size_t k = 0; k < 4; k++) on += mesh.xyz_mm[3 * mesh.element_vertex[4 * c + k]] == 0;
        cr_assert_eq(at[c], on == 3, "element %zu", c);
        reached += at[c];
    }
    cr_assert_eq(reached, 2 * 12 * 10); /* two triangles on each of the side's squares */
}

/* The missing triangle's corners all belong to other triangles of the surface. */
Test(patch, a_patch_is_limited_to_the_tagged_part_of_a_side)
{
    size_t inner = 0, reached = 0;
    for (size_t f = 0; f < mesh.n_faces; f++) {
        size_t inside = 0;
        for (size_t k = 0; k < 3; k++) {
            const double *x = mesh.xyz_mm + 3 * mesh.face_vertex[3 * f + k];
            inside += x[0] == 0 && x[1] > 0 && x[1] < size_mm[1] && x[2] > 0 && x[2] < size_mm[2];
        }
        if (inside == 3) inner = f;
    }
    mesh.face_tag[inner] = 99;
    find(MT_SURFACE_LV, 0);
    for (size_t c = 0; c < mesh.n_elements; c++) reached += at[c];
    cr_assert_eq(reached, 2 * 12 * 10 - 1);
    find(99, 0);
    reached = 0;
    for (size_t c = 0; c < mesh.n_elements; c++) reached += at[c];
    cr_assert_eq(reached, 1);
}

Test(patch, a_patch_of_a_plane_extends_to_the_specified_depth)
{
    for (double depth_mm = 0.2; depth_mm < 5; depth_mm += 0.35) {
        find(MT_SURFACE_LV, depth_mm);
        for (size_t c = 0; c < mesh.n_elements; c++) {
            double x[3];
            int on = 0;
            mt_mesh_centroid(&mesh, c, x);
            for (size_t k = 0; k < 4; k++) on += mesh.xyz_mm[3 * mesh.element_vertex[4 * c + k]] == 0;
            cr_assert_eq(at[c], on == 3 || x[0] <= depth_mm, "element %zu at %g", c, x[0]);
        }
    }
}

/* Triangles without a tag have tag 0, which is a tag like any other. */
Test(patch, a_patch_of_tag_0_uses_untagged_triangles_only)
{
    unsigned char *wanted = mt_arena_alloc(&arena, mesh.n_elements, 1);
    mesh.face_tag[3] = 99;
    find(99, 0.7);
    memcpy(wanted, at, mesh.n_elements);
    mesh.face_tag[3] = 0;
    find(0, 0.7);
    cr_assert_arr_eq(at, wanted, mesh.n_elements);
}

/* Returns the smallest distance to sample points on all triangles of the tag, with their sides divided in `parts`. */
static double sampled_mm(const double x[3], int32_t tag, int parts)
{
    double least = INFINITY;
    for (size_t f = 0; f < mesh.n_faces; f++) {
        if (mesh.face_tag[f] != tag) continue;
        for (int i = 0; i <= parts; i++)
            for (int j = 0; j <= parts - i; j++) {
                double sum = 0,
                       share[3] = {(double)i / parts, (double)j / parts, (double)(parts - i - j) / parts};
                for (size_t k = 0; k < 3; k++) {
                    double d = x[k];
                    for (size_t v = 0; v < 3; v++)
                        d -= share[v] * mesh.xyz_mm[3 * mesh.face_vertex[3 * f + v] + k];
                    sum += d * d;
                }
                least = fmin(least, sqrt(sum));
            }
    }
    return least;
}

/* On a hilly surface the nearest sample point is too far by at most the distance of a point of a triangle to the nearest sample: a fraction
 * of its longest side, which is below 1.2 mm here. */
Test(patch, a_patch_of_a_curved_surface_extends_to_the_specified_depth)
{
    enum { PARTS = 12 };
    const double depth_mm = 0.9, slack_mm = 1.2 / PARTS;
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        double *x = mesh.xyz_mm + 3 * v;
        x[0] += (1 - x[0] / size_mm[0]) * 0.6 * sin(2.5 * x[1]) * cos(2 * x[2]);
    }
    find(MT_SURFACE_LV, depth_mm);
    size_t near = 0, far = 0;
    for (size_t c = 0; c < mesh.n_elements; c += 17) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        double sampled = sampled_mm(x, MT_SURFACE_LV, PARTS);
        if (at[c])
            cr_assert_leq(sampled, depth_mm + slack_mm, "element %zu", c);
        else
            cr_assert_gt(sampled, depth_mm, "element %zu", c);
        near += at[c], far += !at[c];
    }
    cr_assert(near > 50 && far > 50, "%zu and %zu", near, far);
}

Test(patch, a_patch_is_equal_for_any_number_of_threads)
{
    unsigned char *one = mt_arena_alloc(&arena, mesh.n_elements, 1);
    omp_set_num_threads(1);
    find(MT_SURFACE_EPI, 1.1);
    memcpy(one, at, mesh.n_elements);
    omp_set_num_threads(3);
    find(MT_SURFACE_EPI, 1.1);
    cr_assert_arr_eq(one, at, mesh.n_elements);
}

/* Triangles need not be faces of elements, and can be degenerate. */
Test(patch, triangles_outside_the_mesh_are_reported_with_their_distance)
{
    const size_t more = 3;
    double *xyz_mm = mt_arena_alloc(&arena, 3 * (mesh.n_vertices + more), sizeof *xyz_mm);
    memcpy(xyz_mm, mesh.xyz_mm, 3 * mesh.n_vertices * sizeof *xyz_mm);
    for (size_t k = 0; k < 3; k++) {
        double corner[3] = {-2, 3 + (double)k, 3 + (double)k}; /* in a line */
        memcpy(xyz_mm + 3 * (mesh.n_vertices + k), corner, sizeof corner);
        mesh.face_vertex[k] = (uint32_t)(mesh.n_vertices + k);
    }
    mesh.face_tag[0] = 12;
    mesh.xyz_mm = xyz_mm, mesh.n_vertices += more;
    cr_assert_eq(mt_patch_elements(&mesh, 12, 1, at), MT_INPUT);
    /* the nearest centres are a quarter of an edge inside the side x = 0: 2.125 mm away */
    cr_assert(
        strstr(mt_message(), "within 1 mm of it; the nearest centre is 2.13 mm away"), "%s", mt_message());
    find(12, 2.2);
}

Test(patch, a_missing_tag_is_reported_with_the_existing_ones)
{
    cr_assert_eq(mt_patch_elements(&mesh, MT_SURFACE_RV, 1, at), MT_INPUT);
    cr_assert(
        strstr(mt_message(), "no triangle of the mesh has the tag 4; the mesh has "), "%s", mt_message());
    for (const char *tag = "123"; *tag; tag++)
        cr_assert(strchr(strstr(mt_message(), "; the mesh has "), *tag), "%s", mt_message());
    mesh.n_faces = 0;
    cr_assert_eq(mt_patch_elements(&mesh, MT_SURFACE_LV, 1, at), MT_INPUT);
    cr_assert_str_eq(mt_message(), "the mesh has no tagged triangles");
}

Test(patch, every_failed_allocation_is_reported)
{
    mt_status status = MT_MEMORY;
    size_t n;
    for (n = 1; status != MT_OK && n < 100; n++) {
        mt_arena_fail_at(n);
        status = mt_patch_elements(&mesh, MT_SURFACE_LV, 1, at);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", n, mt_message());
    }
    cr_assert(status == MT_OK && n > 4, "ended at take %zu", n);
}

Test(patch, surfaces_have_names_and_numbers)
{
    static const struct {
        const char *text;
        int32_t tag;
    } good[] = {{"base", 1}, {"epicardium", 2}, {"lv_endocardium", 3}, {"rv_endocardium", 4}, {"17", 17},
        {"-2147483648", INT32_MIN}};
    static const char *const bad[] = {"", "endocardium", "3x", "2147483648", "1.5"};
    const mt_mesh none = {0};
    int32_t tag;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        cr_assert_eq(mt_surface_parse(&none, good[k].text, &tag), MT_OK, "%s", mt_message());
        cr_assert_eq(tag, good[k].tag, "%s", good[k].text);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cr_assert_eq(mt_surface_parse(&none, bad[k], &tag), MT_INPUT, "%s", bad[k]);
        cr_assert(strstr(mt_message(), "allowed: base, epicardium, lv_endocardium, rv_endocardium"), "%s",
            mt_message());
    }
}
