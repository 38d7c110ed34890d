/* Walks on endocardial surfaces. */
#include <criterion/criterion.h>

#include "data/core/vec3.h"
#include "mesh/network/endocardium.h"
#include "tests/mesh/shell.h"
#include "tests/mesh/tagged_slab.h"

static mt_arena arena;

static void end(void) { mt_arena_free(&arena); }

TestSuite(endocardium, .fini = end);

typedef struct wall {
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_endocardium left;
} wall;

static void connect(wall *w)
{
    cr_assert_eq(mt_adjacency_make(&arena, &w->mesh, &w->adjacency), MT_OK);
    cr_assert_eq(mt_endocardium_make(&arena, &w->mesh, &w->adjacency, MT_SURFACE_LV, &w->left), MT_OK, "%s",
        mt_message());
}

static mt_endocardium_place place_at(const wall *w, double x, double y, double z)
{
    mt_endocardium_place place;
    double distance;
    cr_assert_eq(mt_endocardium_nearest(&w->left, (double[]){x, y, z}, &place, &distance), MT_OK);
    return place;
}

static void point_is(
    const wall *w, const mt_endocardium_place *place, double x, double y, double z, double tolerance)
{
    double point[3];
    mt_endocardium_point(&w->left, place, point);
    cr_assert(
        fabs(point[0] - x) <= tolerance && fabs(point[1] - y) <= tolerance && fabs(point[2] - z) <= tolerance,
        "(%.17g, %.17g, %.17g), expected (%g, %g, %g)", point[0], point[1], point[2], x, y, z);
}

/* The wall 0 <= x <= 2 mm with the endocardium x = 0: 10 by 10 mm. */
static void make_slab(wall *w)
{
    tagged_slab(&arena, (double[]){2, 10, 10}, 1, &w->mesh);
    connect(w);
}

/* Also along edges and through vertices, as on the second line. */
Test(endocardium, walks_on_a_plane_are_straight_lines)
{
    wall w;
    make_slab(&w);
    cr_assert_float_eq(w.left.area_mm2, 100, 1e-12);
    const double lines[][4] = {{0.3, 0.4, 7.1, 8.3}, {1, 1, 8, 8}, {2, 2, 2, 9}, {9.9, 5, 0.2, 5.001}};
    for (size_t i = 0; i < 4; i++) {
        const double *l = lines[i], length = hypot(l[2] - l[0], l[3] - l[1]);
        mt_endocardium_place place = place_at(&w, 0, l[0], l[1]);
        double direction[3] = {0, (l[2] - l[0]) / length, (l[3] - l[1]) / length};
        const double before[3] = {direction[0], direction[1], direction[2]};
        cr_assert(mt_endocardium_walk(&w.left, length, &place, direction));
        point_is(&w, &place, 0, l[2], l[3], 1e-12);
        cr_assert_lt(mt_square3(direction, before), 1e-24);
    }
}

Test(endocardium, walks_off_the_surface_fail)
{
    wall w;
    make_slab(&w);
    mt_endocardium_place place = place_at(&w, 0, 5, 5);
    double direction[3] = {0, 1, 0};
    cr_assert(mt_endocardium_walk(&w.left, 4.99, &place, direction));
    cr_assert(!mt_endocardium_walk(&w.left, 0.02, &place, direction));
}

/* Walks a quarter of a great circle through a shell of 20 mm, about the horizontal unit vector `axis`, from 0.4 rad below the rim, and
 * back. Returns the distance of its end from that of the great circle. */
static double great_circle_error(const wall *w, const double axis[3])
{
    double down[3] = {0, 0, -1}, level[3], start[3], direction[3], end_mm[3], goal[3];
    mt_cross3(down, axis, level);
    for (int k = 0; k < 3; k++) start[k] = 20 * (cos(0.4) * level[k] + sin(0.4) * down[k]);
    mt_endocardium_place place = place_at(w, start[0], start[1], start[2]);
    mt_endocardium_point(&w->left, &place, start);
    for (int k = 0; k < 3; k++)
        direction[k] = cos(0.4) * down[k] - sin(0.4) * level[k], goal[k] = 20 * direction[k];
    cr_assert(mt_endocardium_flatten(&w->left, place.triangle, direction));
    cr_assert(mt_endocardium_walk(&w->left, 10 * M_PI, &place, direction));
    mt_endocardium_point(&w->left, &place, end_mm);
    for (int k = 0; k < 3; k++) direction[k] = -direction[k];
    cr_assert(mt_endocardium_walk(&w->left, 10 * M_PI, &place, direction));
    point_is(w, &place, start[0], start[1], start[2], 1e-10);
    return sqrt(mt_square3(end_mm, goal));
}

/* A straight line in the unfolded surface: a walk back ends at the start. On half a sphere the line approaches a great circle as edges
 * become shorter: from 0.2 mm for 16 edges from rim to rim to 0.01 mm for 128, over 31 mm. */
Test(endocardium, walks_across_edges_are_geodesics)
{
    for (size_t half = 8; half <= 64; half *= 8) {
        wall w;
        const shell s = {half, 1, 1};
        shell_make(&arena, &s, &w.mesh);
        connect(&w);
        cr_assert_lt(great_circle_error(&w, (double[]){0.6, 0.8, 0}), half == 8 ? 0.3 : 0.03);
        cr_assert_lt(great_circle_error(&w, (double[]){0.28, -0.96, 0}), half == 8 ? 0.3 : 0.03);
    }
}

Test(endocardium, the_nearest_place_and_its_distance)
{
    wall w;
    double distance;
    mt_endocardium_place place;
    make_slab(&w);
    const double points[][4] = {{-3, 4.2, 6.6, 3}, {1, 4.2, 12, sqrt(5)}, {0, 14, 13, 5}};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(mt_endocardium_nearest(&w.left, points[i], &place, &distance), MT_OK);
        cr_assert_float_eq(distance, points[i][3], 1e-12);
        point_is(&w, &place, 0, fmin(points[i][1], 10), fmin(points[i][2], 10), 1e-12);
    }
}

/* Linear functions are exact; the inward normal is +x, and the wall is 2 mm thick. */
Test(endocardium, values_gradients_normals_and_thickness)
{
    wall w;
    double *value, gradient[3], inward[3];
    make_slab(&w);
    value = mt_arena_alloc(&arena, w.mesh.n_vertices, sizeof *value);
    for (size_t v = 0; v < w.mesh.n_vertices; v++)
        value[v] = 7 * w.mesh.xyz_mm[3 * v + 1] - 3 * w.mesh.xyz_mm[3 * v + 2];
    for (double y = 0.05; y < 10; y += 0.7) {
        const mt_endocardium_place place = place_at(&w, 0, y, 9.9 - y / 3);
        cr_assert_float_eq(mt_endocardium_value(&w.left, &place, value), 7 * y - 3 * (9.9 - y / 3), 1e-12);
        mt_endocardium_gradient(&w.left, place.triangle, value, gradient);
        cr_assert_lt(mt_square3(gradient, (double[]){0, 7, -3}), 1e-24);
        mt_endocardium_inward(&w.left, place.triangle, inward);
        cr_assert_lt(mt_square3(inward, (double[]){1, 0, 0}), 1e-30);
        cr_assert_float_eq(mt_endocardium_thickness(&w.left, &place, 100), 2, 1e-12);
        cr_assert_eq(mt_endocardium_thickness(&w.left, &place, 1.25), 1.25);
    }
}

/* A shell of 20 mm without and with a spike, from the apex up to 4 mm below the base. The chord from side to side is 9 mm below it; the
 * other ones are above the spike, beside it, and at 7 degrees to the wall. */
Test(endocardium, lines_through_the_cavity_meet_the_wall_at_their_ends_only)
{
    static const double apex_mm[3] = {0, 0, -20};
    for (int spike = 0; spike < 2; spike++) {
        wall w;
        const shell s = {10, 1, 1};
        size_t n = 0;
        shell_make(&arena, &s, &w.mesh);
        for (size_t v = 0; v < w.mesh.n_vertices && spike; v++) {
            if (mt_square3(w.mesh.xyz_mm + 3 * v, apex_mm) > 1e-6) continue;
            w.mesh.xyz_mm[3 * v + 2] = -4;
            n++;
        }
        cr_assert_eq(n, (size_t)spike);
        connect(&w);
        const mt_endocardium_place left = place_at(&w, -18, 0.3, -9), right = place_at(&w, 18, 0.3, -9),
                                   up[2] = {place_at(&w, -19.9, 0, -2), place_at(&w, 19.9, 0, -2)},
                                   aside = place_at(&w, 10, -15, -9), next = place_at(&w, -15.5, 0.3, -13);
        cr_expect_eq(mt_endocardium_crosses_cavity(&w.left, &left, &right, 0.2), !spike);
        cr_expect_eq(mt_endocardium_crosses_cavity(&w.left, &right, &left, 0.2), !spike);
        cr_expect(mt_endocardium_crosses_cavity(&w.left, &up[0], &up[1], 0.2));
        cr_expect(mt_endocardium_crosses_cavity(&w.left, &left, &aside, 0.2));
        cr_expect_not(mt_endocardium_crosses_cavity(&w.left, &left, &next, 0.2));
        cr_expect(mt_endocardium_crosses_cavity(&w.left, &left, &next, 0.02));
        cr_expect_not(mt_endocardium_crosses_cavity(&w.left, &left, &left, 0.2));
    }
}

Test(endocardium, a_missing_surface_is_reported)
{
    wall w;
    mt_endocardium right;
    make_slab(&w);
    cr_assert_eq(mt_endocardium_make(&arena, &w.mesh, &w.adjacency, MT_SURFACE_RV, &right), MT_INPUT);
    cr_assert(strstr(mt_message(), "right endocardium (tag 4)"), "%s", mt_message());
    for (size_t f = 0; f < w.mesh.n_faces; f++) /* no longer faces of the wall */
        if (w.mesh.face_tag[f] == MT_SURFACE_LV) w.mesh.face_vertex[3 * f] = (uint32_t)w.mesh.n_vertices - 1;
    cr_assert_eq(mt_endocardium_make(&arena, &w.mesh, &w.adjacency, MT_SURFACE_LV, &right), MT_INPUT);
}
