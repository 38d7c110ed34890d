/* The position and orientation of a heart in space. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/mesh/gmsh_ventricles.h"
#include "mesh/anatomy/fibres.h"
#include "tests/mesh/tagged_slab.h"

static mt_arena arena;
static mt_mesh mesh;

static void end(void) { mt_arena_free(&arena); }

TestSuite(landmarks, .fini = end);

static mt_landmarks find(void)
{
    mt_landmarks landmarks;
    cr_assert_eq(mt_landmarks_find(&mesh, &landmarks), MT_OK, "%s", mt_message());
    return landmarks;
}

/* In the script the base is the plane z = 0, the right ventricle is at +x of the left one and symmetric in y, and the left tip is at z =
 * -90.2 mm. Vertices are up to an edge, 5 mm, from these positions. The tolerance of the direction between the cavities is that over their
 * distance, 40 mm; the lowest vertex can be an edge off the axis. */
Test(landmarks, landmarks_of_two_ventricles_are_correct_in_any_orientation)
{
    mt_adjacency adjacency;
    mt_fibres fibres;
    const double edge = 5,
                 turn[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}; /* Pythagorean */
    gmsh_ventricles(&arena, edge, &mesh);
    mt_landmarks here = find();
    const double *tip = mesh.xyz_mm + 3 * here.apex;
    cr_assert_float_eq(here.up[2], 1, 1e-12, "%g", here.up[2]);
    cr_assert_float_eq(here.base_mm[2], 0, 1e-9);
    cr_assert(here.to_rv[0] > 0 && fabs(here.to_rv[1]) < edge / 40, "%g", here.to_rv[1]);
    cr_assert_float_eq(here.to_rv[2], 0, 1e-12);
    cr_assert(
        hypot(tip[0], tip[1]) < edge && fabs(tip[2] + 90.2) < 1, "[%g, %g, %g]", tip[0], tip[1], tip[2]);

    /* fibres start at the same apex */
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    cr_assert_eq(mt_fibres_make(&arena, &mesh, &adjacency, &mt_fibres_rule_default, &fibres), MT_OK);
    cr_assert_eq(fibres.psi[here.apex], 0);

    for (size_t v = 0; v < mesh.n_vertices; v++) {
        double x[3];
        memcpy(x, mesh.xyz_mm + 3 * v, sizeof x);
        for (size_t i = 0; i < 3; i++)
            mesh.xyz_mm[3 * v + i] = turn[i][0] * x[0] + turn[i][1] * x[1] + turn[i][2] * x[2] + 100;
    }
    mt_landmarks there = find();
    cr_assert_eq(there.apex, here.apex);
    for (int i = 0; i < 3; i++) {
        double up = 0, to_rv = 0;
        for (int k = 0; k < 3; k++) up += turn[i][k] * here.up[k], to_rv += turn[i][k] * here.to_rv[k];
        cr_assert_float_eq(there.up[i], up, 1e-9);
        cr_assert_float_eq(there.to_rv[i], to_rv, 1e-9);
    }
}

Test(landmarks, a_left_ventricle_has_no_direction_to_a_right_one)
{
    const double size_mm[3] = {4, 3, 5};
    tagged_slab(&arena, size_mm, 1, &mesh);
    mt_landmarks landmarks = find();
    for (int k = 0; k < 3; k++) cr_assert_eq(landmarks.to_rv[k], 0);
    cr_assert_float_eq(landmarks.up[2], 1, 1e-12);
    cr_assert_eq(mesh.xyz_mm[3 * landmarks.apex], 4);
    cr_assert_eq(mesh.xyz_mm[3 * landmarks.apex + 2], 0);
}

Test(landmarks, landmarks_need_base_epicardium_and_left_endocardium)
{
    const double size_mm[3] = {2, 2, 2};
    tagged_slab(&arena, size_mm, 1, &mesh);
    for (int32_t tag = MT_SURFACE_BASE; tag <= MT_SURFACE_LV; tag++) {
        mt_landmarks landmarks;
        for (size_t f = 0; f < mesh.n_faces; f++) mesh.face_tag[f] += 100 * (mesh.face_tag[f] == tag);
        cr_assert_eq(mt_landmarks_find(&mesh, &landmarks), MT_INPUT, "%d", tag);
        for (size_t f = 0; f < mesh.n_faces; f++) mesh.face_tag[f] %= 100;
    }
}
