/* Electrodes around a heart in any orientation. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"
#include "solver/outputs/chest.h"

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(chest, .fini = leave);

/* Returns a mesh of one element with centroid `middle`, `size` mm wide. */
static mt_mesh element_at(const double middle_mm[3], double size_mm)
{
    mt_mesh mesh;
    cr_assert_eq(mt_mesh_new(&arena, 4, 1, &mesh), MT_OK);
    for (uint32_t v = 0; v < 4; v++) {
        for (uint32_t k = 0; k < 3; k++)
            mesh.xyz_mm[3 * v + k] = middle_mm[k] + size_mm * ((v == k + 1) - 0.25);
        mesh.element_vertex[v] = v;
    }
    return mesh;
}

/* In data/cases/s1-s2.yaml the apex is at -z, the right ventricle at +x, and the centre of the heart at (20, 0, -40). */
Test(chest, electrode_positions_match_the_example_case_with_an_ecg)
{
    static const double middle[3] = {20, 0, -40},
                        expected[MT_CHEST_ELECTRODES][3] = {{133, 85, 172}, {-100, 202, -30},
                            {-22, -282, -252}, {105, 24, -51}, {77, 41, -81}, {54, 34, -109}, {26, 24, -131},
                            {-26, 23, -129}, {-72, 10, -108}};
    static const char *const name[] = {"RA", "LA", "LL", "V1", "V2", "V3", "V4", "V5", "V6"};
    const mt_mesh mesh = element_at(middle, 10);
    const mt_landmarks landmarks = {.up = {0, 0, 1}, .to_rv = {1, 0, 0}};
    mt_electrode electrode[MT_CHEST_ELECTRODES];
    cr_assert_eq(mt_chest_electrodes(&mesh, &landmarks, electrode), MT_OK, "%s", mt_message());
    for (size_t e = 0; e < MT_CHEST_ELECTRODES; e++) {
        cr_assert_str_eq(electrode[e].name, name[e]);
        for (int k = 0; k < 3; k++)
            cr_assert_float_eq(electrode[e].at_mm[k], expected[e][k], 0.7, "%s: %g, not %g", name[e],
                electrode[e].at_mm[k], expected[e][k]);
    }
}

/* V1 is on the side of the right ventricle, V6 on that of the left, LL below the inferior wall, for any rotation of the heart. */
Test(chest, electrodes_rotate_with_the_heart)
{
    static const double middle[3] = {0, 0, 0};
    const mt_mesh mesh = element_at(middle, 10);
    const mt_landmarks landmarks = {.up = {0, 0.6, 0.8}, .to_rv = {0, 0.8, -0.6}};
    mt_electrode electrode[MT_CHEST_ELECTRODES];
    double inferior[3], down[3] = {0, -0.6, -0.8};
    mt_cross3(down, landmarks.to_rv, inferior);
    cr_assert_eq(mt_chest_electrodes(&mesh, &landmarks, electrode), MT_OK, "%s", mt_message());
    cr_assert_gt(mt_dot3(electrode[3].at_mm, landmarks.to_rv), 60);
    cr_assert_lt(mt_dot3(electrode[8].at_mm, landmarks.to_rv), -60);
    cr_assert_gt(mt_dot3(electrode[2].at_mm, inferior), 250);
}

/* In the axes of a scanner the electrodes have their positions in the chest; a right ventricle is not needed. */
Test(chest, electrodes_have_the_axes_of_the_chest_if_the_file_has_them)
{
    static const double middle[3] = {5, -3, 40};
    const mt_mesh mesh = element_at(middle, 10);
    mt_electrode electrode[MT_CHEST_ELECTRODES];
    cr_assert_eq(mt_chest_electrodes(&mesh, NULL, electrode), MT_OK, "%s", mt_message());
    static const double ll[3] = {65, -3, -310}, v1[3] = {-40, -78, 55};
    for (int k = 0; k < 3; k++) {
        cr_assert_float_eq(electrode[2].at_mm[k], ll[k], 1e-9, "%g", electrode[2].at_mm[k]);
        cr_assert_float_eq(electrode[3].at_mm[k], v1[k], 1e-9, "%g", electrode[3].at_mm[k]);
    }
}

Test(chest, no_electrodes_without_a_right_ventricle_or_inside_a_large_heart)
{
    static const double middle[3] = {0, 0, 0};
    mt_mesh mesh = element_at(middle, 10);
    const mt_landmarks one = {.up = {0, 0, 1}}, two = {.up = {0, 0, 1}, .to_rv = {1, 0, 0}};
    mt_electrode electrode[MT_CHEST_ELECTRODES];
    mt_status status = mt_chest_electrodes(&mesh, &one, electrode);
    cr_assert(status == MT_INPUT && strstr(mt_message(), "without a right ventricle"), "%s", mt_message());
    cr_assert_eq(mt_chest_electrodes(&mesh, &two, electrode), MT_OK);
    double *more = mt_arena_alloc(&arena, 15, sizeof *more); /* a vertex 9 mm from V2 */
    memcpy(more, mesh.xyz_mm, 12 * sizeof *more);
    memcpy(more + 12, electrode[4].at_mm, 3 * sizeof *more);
    more[12] += 9;
    mesh.xyz_mm = more, mesh.n_vertices = 5;
    status = mt_chest_electrodes(&mesh, &two, electrode);
    cr_assert(status == MT_INPUT &&
                  strstr(mt_message(), "electrode V2 would be 9 mm from the heart; allowed: at least "),
        "%s", mt_message());
}
