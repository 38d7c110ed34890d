/* The slab of mirrored copies of a block. */
#include <criterion/criterion.h>

#include <math.h>

#include "mesh/adjacency.h"
#include "mesh/info.h"
#include "mesh/make/mosaic.h"

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(mosaic, .fini = leave);

static void make(double length_mm, double x_mm, double y_mm, mt_mesh *mesh)
{
    const double least_mm[2] = {x_mm, y_mm};
    cr_assert_eq(mt_mosaic_make(&arena, length_mm, least_mm, mesh), MT_OK, "%s", mt_message());
}

static void find_size(const mt_mesh *mesh, double size_mm[3])
{
    for (size_t k = 0; k < 3; k++) size_mm[k] = 0;
    for (size_t v = 0; v < mesh->n_vertices; v++)
        for (size_t k = 0; k < 3; k++) size_mm[k] = fmax(size_mm[k], mesh->xyz_mm[3 * v + k]);
}

/* Copies that share their vertices leave no gap: the boundary has the area of a box, and the volume is that of a box. */
Test(mosaic, copies_fill_a_box_without_gaps_and_with_elements_of_the_size_asked_for)
{
    static const double least_mm[][2] = {{1, 1}, {20, 1}, {1, 20}, {18, 19}};
    for (size_t k = 0; k < sizeof least_mm / sizeof *least_mm; k++) {
        mt_mesh mesh;
        mt_adjacency adjacency;
        double size_mm[3], volume_mm3 = 0, area_mm2 = 0;
        make(0.4, least_mm[k][0], least_mm[k][1], &mesh);
        cr_assert_eq(mt_mesh_check(&mesh), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK, "%s", mt_message());
        find_size(&mesh, size_mm);
        cr_expect(size_mm[0] >= least_mm[k][0] && size_mm[1] >= least_mm[k][1]);
        for (size_t e = 0; e < mesh.n_elements; e++) {
            const double own_mm3 = mt_mesh_volume_mm3(&mesh, e);
            cr_assert_gt(own_mm3, 0);
            volume_mm3 += own_mm3;
            for (size_t side = 0; side < 4; side++)
                if (adjacency.neighbour[4 * e + side] == MT_NO_ELEMENT) {
                    double normal[3];
                    mt_mesh_face_area(&mesh, e, side, normal);
                    area_mm2 += hypot(hypot(normal[0], normal[1]), normal[2]);
                }
        }
        const double x = size_mm[0], y = size_mm[1], z = size_mm[2];
        cr_expect_float_eq(volume_mm3, x * y * z, 1e-9 * x * y * z);
        cr_expect_float_eq(area_mm2, 2 * (x * y + y * z + z * x), 1e-9 * x * y);
        cr_expect_float_eq(mt_mesh_length_mm(&mesh), 0.4, 1e-12);
        cr_expect_float_eq(mt_mosaic_elements(0.4, x * y), (double)mesh.n_elements, 1e-6 * x * y);
        mt_arena_free(&arena);
    }
}

/* A mean radius ratio of 0.78, as in larger Gmsh meshes, and no preferred direction of the faces: the mean of n n over the faces, weighted
 * by area, is a third of the unit tensor along x and y. (Along z the two surfaces count.) */
Test(mosaic, elements_are_those_of_an_unstructured_mesh)
{
    mt_mesh mesh;
    double tensor[3] = {0}, sum = 0, quality = 0;
    make(1, 40, 40, &mesh);
    for (size_t e = 0; e < mesh.n_elements; e++) {
        const double own = mt_info_quality(&mesh, e);
        cr_assert_gt(own, 0.1);
        quality += own / (double)mesh.n_elements;
        for (size_t side = 0; side < 4; side++) {
            double normal[3];
            mt_mesh_face_area(&mesh, e, side, normal);
            const double area = hypot(hypot(normal[0], normal[1]), normal[2]);
            sum += area;
            for (size_t k = 0; k < 3; k++) tensor[k] += normal[k] * normal[k] / area;
        }
    }
    cr_expect_float_eq(quality, 0.78, 0.03, "%g", quality);
    cr_expect_float_eq(tensor[0] / sum, 1. / 3, 0.02, "%g", tensor[0] / sum);
    cr_expect_float_eq(tensor[1] / sum, 1. / 3, 0.02, "%g", tensor[1] / sum);
}

Test(mosaic, lengths_that_are_no_lengths_are_refused)
{
    static const double bad[][3] = {{0, 1, 1}, {NAN, 1, 1}, {1, 0, 1}, {1, 1, INFINITY}, {1e-9, 1, 1}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        mt_mesh mesh;
        cr_expect_eq(mt_mosaic_make(&arena, bad[k][0], bad[k] + 1, &mesh), MT_INPUT, "%zu", k);
    }
}
