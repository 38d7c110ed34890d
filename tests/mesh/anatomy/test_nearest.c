#include <criterion/criterion.h>

#include <math.h>

#include "mesh/anatomy/nearest.h"
#include "tests/mesh/damage.h"

/* A cloud of triangles of several sizes, some of them degenerate to a line or duplicate. */
static void make_cloud(mt_arena *arena, size_t n, mt_mesh *mesh)
{
    uint64_t state = 7;
    cr_assert_eq(mt_mesh_new(arena, 3 * n, 0, mesh), MT_OK);
    cr_assert_eq(mt_mesh_new_faces(arena, n, mesh), MT_OK);
    for (size_t t = 0; t < n; t++) {
        const double size = t % 10 == 0 ? 3 : 0.2;
        double middle[3];
        for (size_t k = 0; k < 3; k++) middle[k] = (double)draw(&state, 10000) / 1000;
        for (size_t v = 3 * t; v < 3 * t + 3; v++) {
            mesh->face_vertex[v] = (uint32_t)v;
            for (size_t k = 0; k < 3; k++)
                mesh->xyz_mm[3 * v + k] = middle[k] + size * ((double)draw(&state, 1000) / 1000 - 0.5);
        }
        if (t % 17 == 0) memcpy(mesh->xyz_mm + 9 * t + 6, mesh->xyz_mm + 9 * t + 3, 3 * sizeof(double));
        if (t % 19 == 1) memcpy(mesh->xyz_mm + 9 * t, mesh->xyz_mm + 9 * t - 9, 9 * sizeof(double));
        mesh->face_tag[t] = (int32_t)(t % 3);
    }
}

/* The distance by brute force, without the tested closed form: the minimum over a grid of points on the triangle, which exceeds the
 * distance by at most half a grid step. */
static double sampled_distance(const mt_mesh *mesh, size_t t, const double p[3])
{
    enum { STEPS = 60 };
    double c[3][3], least = INFINITY;
    mt_triangle_corners(mesh, t, c);
    for (int i = 0; i <= STEPS; i++)
        for (int j = 0; i + j <= STEPS; j++) {
            double square = 0;
            for (int k = 0; k < 3; k++) {
                const double x = (i * c[0][k] + j * c[1][k] + (STEPS - i - j) * c[2][k]) / STEPS - p[k];
                square += x * x;
            }
            least = fmin(least, sqrt(square));
        }
    return least;
}

Test(nearest, the_distance_to_a_triangle_is_the_minimum_over_its_points)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    uint64_t state = 3;
    make_cloud(&arena, 100, &mesh);
    for (size_t t = 0; t < 100; t++)
        for (int trial = 0; trial < 5; trial++) {
            double c[3][3], p[3];
            for (int k = 0; k < 3; k++) p[k] = (double)draw(&state, 10000) / 1000;
            mt_triangle_corners(&mesh, t, c);
            const double d = sqrt(mt_triangle_distance_squared(c, p)),
                         sampled = sampled_distance(&mesh, t, p);
            /* sides are at most 3 sqrt(3) long; the error is half a grid step across two sides of a triangle */
            cr_assert(
                d <= sampled + 1e-12 && d >= sampled - 3 * sqrt(3) / 60, "%zu: %g and %g", t, d, sampled);
        }
    mt_arena_free(&arena);
}

Test(nearest, the_tree_agrees_with_a_brute_force_search)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_nearest tree;
    uint64_t state = 5;
    make_cloud(&arena, 600, &mesh);
    for (int32_t tag = 0; tag < 3; tag++) {
        cr_assert_eq(mt_nearest_make(&arena, &mesh, tag, &tree), MT_OK);
        for (int trial = 0; trial < 200; trial++) {
            double p[3], facing[3], distance, least = INFINITY;
            uint32_t best = MT_NO_TRIANGLE;
            for (int k = 0; k < 3; k++) p[k] = (double)draw(&state, 12000) / 1000 - 1;
            for (int k = 0; k < 3; k++) facing[k] = (double)draw(&state, 2000) - 1000;
            const double *wanted = trial % 2 ? facing : NULL;
            for (size_t t = 0; t < mesh.n_faces; t++) {
                double c[3][3], a[3];
                mt_triangle_area(&mesh, t, a);
                if (tag != 0 && mesh.face_tag[t] != tag) continue;
                if (wanted && !(a[0] * facing[0] + a[1] * facing[1] + a[2] * facing[2] > 0)) continue;
                mt_triangle_corners(&mesh, t, c);
                const double d = mt_triangle_distance_squared(c, p);
                if (d < least) least = d, best = (uint32_t)t;
            }
            cr_assert_eq(mt_nearest_find(&tree, p, wanted, &distance), best);
            cr_assert_eq(distance, sqrt(least));
        }
    }
    mt_arena_free(&arena);
}

/* Within the rounding of a squared distance. */
Test(nearest, a_triangle_is_within_any_distance_not_below_that_of_the_nearest)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_nearest tree;
    uint64_t state = 7;
    make_cloud(&arena, 600, &mesh);
    cr_assert_eq(mt_nearest_make(&arena, &mesh, 0, &tree), MT_OK);
    for (int trial = 0; trial < 500; trial++) {
        double p[3], distance;
        for (int k = 0; k < 3; k++) p[k] = (double)draw(&state, 30000) / 1000 - 10;
        (void)mt_nearest_find(&tree, p, NULL, &distance);
        cr_assert_gt(distance, 0);
        cr_assert(mt_nearest_within(&tree, p, distance * (1 + 1e-15)), "trial %d", trial);
        cr_assert(!mt_nearest_within(&tree, p, distance * (1 - 1e-15)), "trial %d", trial);
        cr_assert(mt_nearest_within(&tree, p, INFINITY) && !mt_nearest_within(&tree, p, 0));
    }
    cr_assert(mt_nearest_within(&tree, mesh.xyz_mm, 0));
    mt_arena_free(&arena);
}

/* Solves from + s direction = corner 0 + u (corner 1 - corner 0) + v (corner 2 - corner 0) by Cramer's rule. */
static bool hits(const mt_mesh *mesh, size_t t, const double from[3], const double direction[3])
{
    double c[3][3], m[3][4];
    mt_triangle_corners(mesh, t, c);
    for (int k = 0; k < 3; k++) {
        m[k][0] = -direction[k], m[k][1] = c[1][k] - c[0][k], m[k][2] = c[2][k] - c[0][k];
        m[k][3] = from[k] - c[0][k];
    }
    double det[4];
    static const int columns[4][3] = {{0, 1, 2}, {3, 1, 2}, {0, 3, 2}, {0, 1, 3}};
    for (int d = 0; d < 4; d++) {
        const int *i = columns[d];
        det[d] = m[0][i[0]] * (m[1][i[1]] * m[2][i[2]] - m[1][i[2]] * m[2][i[1]]) -
                 m[0][i[1]] * (m[1][i[0]] * m[2][i[2]] - m[1][i[2]] * m[2][i[0]]) +
                 m[0][i[2]] * (m[1][i[0]] * m[2][i[1]] - m[1][i[1]] * m[2][i[0]]);
    }
    const double s = det[1] / det[0], u = det[2] / det[0], v = det[3] / det[0];
    return det[0] != 0 && s > 0 && u >= 0 && v >= 0 && u + v <= 1;
}

Test(nearest, a_ray_is_blocked_by_any_triangle_except_the_excluded_one)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_nearest tree;
    uint64_t state = 11;
    size_t blocked = 0, excepted = 0;
    make_cloud(&arena, 300, &mesh);
    cr_assert_eq(mt_nearest_make(&arena, &mesh, 0, &tree), MT_OK);
    for (int trial = 0; trial < 1000; trial++) {
        double p[3], d[3], length = 0;
        uint32_t hit = MT_NO_TRIANGLE;
        size_t n = 0;
        for (int k = 0; k < 3; k++) p[k] = (double)draw(&state, 12000) / 1000 - 1;
        for (int k = 0; k < 3; k++) d[k] = (double)draw(&state, 2000) - 999.5, length += d[k] * d[k];
        for (int k = 0; k < 3; k++) d[k] /= sqrt(length);
        for (size_t t = 0; t < mesh.n_faces; t++)
            if (hits(&mesh, t, p, d)) n++, hit = (uint32_t)t;
        cr_assert_eq(mt_nearest_blocks(&tree, p, d, MT_NO_TRIANGLE), n > 0);
        if (n == 1) cr_assert(!mt_nearest_blocks(&tree, p, d, hit));
        blocked += n > 0;
        excepted += n == 1;
    }
    cr_assert(blocked > 50 && blocked < 900 && excepted > 50, "%zu %zu", blocked, excepted);
    mt_arena_free(&arena);
}

Test(nearest, coincident_triangles_form_a_valid_tree)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_nearest tree;
    double distance;
    make_cloud(&arena, 500, &mesh);
    for (size_t k = 0; k < 9 * 500; k++) mesh.xyz_mm[k] = mesh.xyz_mm[k % 9];
    mesh.face_tag[7] = 9;
    cr_assert_eq(mt_nearest_make(&arena, &mesh, 0, &tree), MT_OK);
    cr_assert_eq(mt_nearest_find(&tree, mesh.xyz_mm, NULL, &distance), 0);
    cr_assert_eq(mt_nearest_make(&arena, &mesh, 9, &tree), MT_OK);
    cr_assert_eq(mt_nearest_find(&tree, mesh.xyz_mm, NULL, &distance), 7);
    cr_assert_eq(mt_nearest_make(&arena, &mesh, 10, &tree), MT_INPUT);
    for (size_t n = 1;; n++) {
        mt_arena_fail_at(n);
        const mt_status status = mt_nearest_make(&arena, &mesh, 0, &tree);
        mt_arena_fail_at(0);
        if (status == MT_OK) break;
        cr_assert(status == MT_MEMORY && n < 10);
    }
    mt_arena_free(&arena);
}
