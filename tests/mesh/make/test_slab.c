#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/adjacency.h"
#include "mesh/make/slab.h"

static void make(mt_arena *arena, double x, double y, double z, double edge, mt_mesh *mesh)
{
    cr_assert_eq(mt_slab_make(arena, (double[]){x, y, z}, edge, mesh), MT_OK, "%s", mt_message());
}

static void make_cut(
    mt_arena *arena, double x, double y, double z, double edge, mt_slab_cut cut, mt_mesh *mesh)
{
    cr_assert_eq(mt_slab_make_cut(arena, (double[]){x, y, z}, edge, cut, mesh), MT_OK, "%s", mt_message());
}

Test(slab, a_slab_has_the_expected_counts_and_is_a_valid_mesh)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    make(&arena, 1.5, 1, 0.5, 0.25, &mesh);
    cr_assert_eq(mesh.n_vertices, 7 * 5 * 3);
    cr_assert_eq(mesh.n_elements, 6 * 6 * 4 * 2);
    cr_assert_eq(mt_mesh_check(&mesh), MT_OK, "%s", mt_message());
    for (size_t c = 0; c < mesh.n_elements; c++) {
        cr_assert_eq(mesh.region[c], 1);
        cr_assert(mesh.fibre[3 * c] == 1 && mesh.fibre[3 * c + 1] == 0 && mesh.fibre[3 * c + 2] == 0);
    }
    mt_arena_free(&arena);
}

/* Coordinates are within 2 roundings of 20 mm, 2^-51 * 20 < 1e-14 mm; a volume is a product of three edges of 0.5 mm, with an error below
 * 10 * 1e-14 * 0.25 mm^3. */
Test(slab, every_element_has_a_sixth_of_the_volume_of_a_box)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    for (int cut = 0; cut < MT_SLAB_CUTS; cut++) {
        double sum = 0;
        make_cut(&arena, 20, 7, 3, 0.5, (mt_slab_cut)cut, &mesh);
        for (size_t c = 0; c < mesh.n_elements; c++) {
            double volume = mt_mesh_volume_mm3(&mesh, c);
            cr_assert_float_eq(volume, 0.125 / 6, 2.5e-14);
            sum += volume;
        }
        cr_assert_float_eq(sum, 420, 2.5e-14 * (double)mesh.n_elements);
    }
    mt_arena_free(&arena);
}

Test(slab, a_slab_has_exactly_its_size_and_the_last_vertex_is_the_far_corner)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    make(&arena, 0.7, 0.3, 0.1, 0.1, &mesh);
    const double *last = mesh.xyz_mm + 3 * (mesh.n_vertices - 1);
    cr_assert(last[0] == 0.7 && last[1] == 0.3 && last[2] == 0.1);
    mt_arena_free(&arena);
}

static bool on_a_side(const mt_mesh *mesh, size_t element, size_t face, const double size[3])
{
    for (size_t axis = 0; axis < 3; axis++)
        for (int far = 0; far < 2; far++) {
            bool all = true;
            for (size_t k = 0; k < 4; k++)
                all &= k == face || mesh->xyz_mm[3 * (size_t)mesh->element_vertex[4 * element + k] + axis] ==
                                        far * size[axis];
            if (all) return true;
        }
    return false;
}

/* Every face belongs to two elements, or to one if its three vertices are on one of the slab's six sides; for even and odd numbers of
 * boxes. */
Test(slab, a_slab_is_conforming)
{
    static const double size[3] = {1, 0.75, 0.5};
    for (int cut = 0; cut < MT_SLAB_CUTS; cut++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_adjacency adjacency;
        make_cut(&arena, size[0], size[1], size[2], 0.25, (mt_slab_cut)cut, &mesh);
        cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK, "%s", mt_message());
        for (size_t c = 0; c < mesh.n_elements; c++)
            for (size_t f = 0; f < 4; f++)
                cr_assert_eq(adjacency.neighbour[4 * c + f] == MT_NO_ELEMENT, on_a_side(&mesh, c, f, size),
                    "%s: element %zu face %zu", mt_slab_cut_name[cut], c, f);
        cr_assert_eq(mt_adjacency_boundary_faces(&adjacency), 2 * 2 * (4 * 3 + 3 * 2 + 4 * 2));
        mt_arena_free(&arena);
    }
}

/* 4 x 3 x 3 vertices. If all boxes are alike, the diagonal connects a box's lowest corner with its highest; if they are mirrored, the
 * corner with even numbers with the one with odd numbers. */
Test(slab, all_six_elements_of_a_box_share_its_diagonal)
{
    for (int cut = 0; cut < MT_SLAB_CUTS; cut++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        make_cut(&arena, 1.5, 1, 1, 0.5, (mt_slab_cut)cut, &mesh);
        for (size_t c = 0; c < mesh.n_elements; c++) {
            const size_t box = c / 6, at[3] = {box % 3, box / 3 % 2, box / 6};
            size_t ends[2] = {0};
            for (size_t axis = 0, stride = 1; axis < 3; stride *= axis == 0 ? 4 : 3, axis++) {
                const bool back = cut == MT_SLAB_MIRRORED && at[axis] % 2 == 1;
                ends[0] += (at[axis] + back) * stride;
                ends[1] += (at[axis] + !back) * stride;
            }
            cr_assert_eq(mesh.element_vertex[4 * c], ends[0], "%s: element %zu", mt_slab_cut_name[cut], c);
            cr_assert_eq(
                mesh.element_vertex[4 * c + 3], ends[1], "%s: element %zu", mt_slab_cut_name[cut], c);
        }
        mt_arena_free(&arena);
    }
}

static int by_number(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static int by_vertices(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    for (int k = 0; k < 4; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* Returns all elements as ascending vertices, in ascending order, of the slab mirrored along an axis (3: not mirrored). */
static uint32_t *elements_mirrored(mt_arena *arena, const mt_mesh *mesh, const size_t n[3], size_t axis)
{
    uint32_t *elements = mt_arena_alloc(arena, 4 * mesh->n_elements, sizeof *elements);
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) {
        const size_t vertex = mesh->element_vertex[k];
        size_t at[3] = {
            vertex % (n[0] + 1), vertex / (n[0] + 1) % (n[1] + 1), vertex / ((n[0] + 1) * (n[1] + 1))};
        if (axis < 3) at[axis] = n[axis] - at[axis];
        elements[k] = (uint32_t)(at[0] + (n[0] + 1) * (at[1] + (n[1] + 1) * at[2]));
    }
    for (size_t c = 0; c < mesh->n_elements; c++) qsort(elements + 4 * c, 4, sizeof *elements, by_number);
    qsort(elements, mesh->n_elements, 4 * sizeof *elements, by_vertices);
    return elements;
}

/* The mirrored slab is symmetric along the axes with an even number of boxes, and only these; with identical boxes never. The four corners
 * of the benchmark's slab therefore differ (tests/solver/test_niederer.c). */
Test(slab, mirrored_slabs_are_symmetric_along_axes_with_an_even_number_of_boxes)
{
    static const size_t counts[][3] = {{4, 2, 6}, {2, 3, 4}, {1, 2, 5}, {3, 3, 3}};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
        for (size_t cut = 0; cut < MT_SLAB_CUTS; cut++) {
            mt_arena arena = {0};
            mt_mesh mesh;
            const size_t *n = counts[k];
            make_cut(&arena, (double)n[0], (double)n[1], (double)n[2], 1, (mt_slab_cut)cut, &mesh);
            const uint32_t *as_it_is = elements_mirrored(&arena, &mesh, n, 3);
            for (size_t axis = 0; axis < 3; axis++) {
                const uint32_t *mirrored = elements_mirrored(&arena, &mesh, n, axis);
                const bool same = memcmp(mirrored, as_it_is, 4 * mesh.n_elements * sizeof *mirrored) == 0;
                cr_assert_eq(same, cut == MT_SLAB_MIRRORED && n[axis] % 2 == 0, "%s, %zu boxes along %c",
                    mt_slab_cut_name[cut], n[axis], "xyz"[axis]);
            }
            mt_arena_free(&arena);
        }
}

static const struct {
    double size[3], edge;
    const char *why;
} bad[] = {
    {{20, 7, 3}, 0.3, "size x is 20 mm and the edge 0.3 mm; the size must be a whole multiple"},
    {{20.0005, 7, 3}, 0.1, "size x is 20.0005 mm"},
    {{21, 7, 3}, 0.7, "size z is 3 mm"},
    {{20, 7, 0.05}, 0.1, "size z is 0.05 mm"},
    {{20, 7, 3}, 0, "edge is 0 mm"},
    {{20, 7, 3}, -1, "edge is -1 mm"},
    {{20, 7, 3}, NAN, "edge is nan mm"},
    {{20, 7, 3}, INFINITY, "edge is inf mm"},
    {{20, -7, 3}, 1, "size y is -7 mm"},
    {{20, 0, 3}, 1, "size y is 0 mm"},
    {{20, NAN, 3}, 1, "size y is nan mm"},
    {{INFINITY, 7, 3}, 1, "size x is inf mm"},
    {{1000, 1000, 1000}, 1, "has 6000000000 elements"},
    {{1e300, 1e300, 1e300}, 1e-5, "elements"},
    {{1, 1, 1}, 5e-324, "slab"},
};

Test(slab, invalid_sizes_are_rejected_and_reported)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        cr_assert_eq(mt_slab_make(&arena, bad[i].size, bad[i].edge, &mesh), MT_INPUT, "case %zu", i);
        cr_assert_not_null(strstr(mt_message(), bad[i].why), "case %zu: %s", i, mt_message());
        mt_arena_free(&arena);
    }
}

Test(slab, a_size_that_is_a_multiple_to_within_rounding_is_accepted)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    make(&arena, 0.3, 0.3, 3, 0.1, &mesh);
    cr_assert_eq(mesh.n_elements, 6 * 3 * 3 * 30);
    mt_arena_free(&arena);
}

Test(slab, out_of_memory_is_reported_without_a_leak)
{
    mt_status status = MT_MEMORY;
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_arena_fail_at(n);
        status = mt_slab_make(&arena, (double[]){1, 1, 1}, 1, &mesh);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK ? n > 1 : status == MT_MEMORY);
    }
}
