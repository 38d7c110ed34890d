#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/info.h"
#include "mesh/make/slab.h"

static void describe(const mt_mesh *mesh, mt_info *info)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    cr_assert_eq(mt_adjacency_make(&arena, mesh, &adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_info_make(mesh, &adjacency, info), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
}

/* By Euler's formula a ball of V vertices, F faces and C elements has V + F - C - 1 edges. Lengths are sums of at most 2,000 numbers near
 * 1, each accurate to a few roundings: 2000 * 10 * 1.1e-16 < 1e-11. */
Test(info, info_of_a_slab_matches_analytical_values)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_info info;
    cr_assert_eq(mt_slab_make(&arena, (double[]){6, 4, 2}, 1, &mesh), MT_OK);
    describe(&mesh, &info);
    size_t boundary = 2 * 2 * (6 * 4 + 4 * 2 + 6 * 2), inner = (4 * 288 - boundary) / 2;
    cr_assert(info.n_vertices == 7 * 5 * 3 && info.n_elements == 288);
    cr_assert(info.n_boundary_faces == boundary && info.n_inner_faces == inner);
    cr_assert_eq(info.n_edges, 7 * 5 * 3 + boundary + inner - 288 - 1);
    cr_assert(info.n_components == 1 && info.n_regions == 1);
    cr_assert(info.min_mm[0] == 0 && info.max_mm[0] == 6 && info.max_mm[1] == 4 && info.max_mm[2] == 2);
    cr_assert_float_eq(info.volume_mm3, 48, 1e-11);
    cr_assert_float_eq(info.length_mm, cbrt(1.0 / 6), 1e-11);
    /* Edges along the axes, face diagonals and the diagonals of the boxes. */
    size_t axis = 6 * 5 * 3 + 7 * 4 * 3 + 7 * 5 * 2, face = 6 * 4 * 3 + 6 * 5 * 2 + 7 * 4 * 2, box = 48;
    cr_assert_eq(info.n_edges, axis + face + box);
    double mean = ((double)axis + sqrt(2) * (double)face + sqrt(3) * (double)box) / (double)info.n_edges;
    cr_assert_float_eq(info.edge_mean_mm, mean, 1e-11);
    mt_element_size size;
    char text[MT_ELEMENT_SIZE_TEXT], expected[MT_ELEMENT_SIZE_TEXT];
    cr_assert_eq(mt_element_size_find(&mesh, &size), MT_OK);
    cr_expect(size.length_mm == mt_mesh_length_mm(&mesh) && size.edge_mm == info.edge_mean_mm);
    mt_element_size_text(&size, text);
    snprintf(expected, sizeof expected, "%.2f mm (mean edge %.2f mm)", info.length_mm, mean);
    cr_expect_str_eq(text, expected);
    cr_assert_float_eq(info.edge_min_mm, 1, 1e-15);
    cr_assert_float_eq(info.edge_max_mm, sqrt(3), 1e-15);
    /* Kuhn: V = 1/6, areas 1/2, 1/2, sqrt(2)/2, sqrt(2)/2, R = sqrt(3)/2. */
    double quality = 3 * (3.0 / 6 / (1 + sqrt(2))) / (sqrt(3) / 2);
    cr_assert_float_eq(info.dihedral_min_deg, 45, 1e-11);
    cr_assert_eq(info.n_dangling, 0);
    cr_assert_float_eq(info.quality_min, quality, 1e-11);
    cr_assert_float_eq(info.quality_mean, quality, 1e-11);
    mt_arena_free(&arena);
}

static void one_element(mt_arena *arena, const double xyz[12], mt_mesh *mesh)
{
    cr_assert_eq(mt_mesh_new(arena, 4, 1, mesh), MT_OK);
    memcpy(mesh->xyz_mm, xyz, 12 * sizeof *xyz);
    for (uint32_t k = 0; k < 4; k++) mesh->element_vertex[k] = k;
}

/* A quotient of a few roundings: 1e-14. The flat element of height h over the unit right triangle has 3 r / R < 3 h. */
Test(info, quality_is_1_for_a_regular_tetrahedron_and_near_0_for_a_flat_one)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    for (double s = 1e-3; s < 1e4; s *= 10) {
        one_element(&arena, (double[]){s, s, s, -s, -s, s, -s, s, -s, s, -s, -s}, &mesh);
        uint32_t t = mesh.element_vertex[2];
        if (mt_mesh_volume_mm3(&mesh, 0) < 0)
            mesh.element_vertex[2] = mesh.element_vertex[3], mesh.element_vertex[3] = t;
        cr_assert_float_eq(mt_info_quality(&mesh, 0), 1, 1e-14);
    }
    one_element(&arena, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 1e-4}, &mesh);
    cr_assert(mt_info_quality(&mesh, 0) > 0 && mt_info_quality(&mesh, 0) < 3e-4);
    mt_arena_free(&arena);
}

/* A low pyramid over an equilateral triangle: the angle at its base is tan = height / inradius. Small angles lose no digits: 1e-13
 * relative. The regular one: acos(1/3). */
Test(info, the_worst_dihedral_angle_is_exact_even_if_small)
{
    const double degree = acos(-1) / 180;
    for (double height = 1; height > 1e-7; height /= 10) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_info info;
        one_element(
            &arena, (double[]){1, 0, 0, -0.5, sqrt(0.75), 0, -0.5, -sqrt(0.75), 0, 0, 0, height}, &mesh);
        describe(&mesh, &info);
        const double base = atan2(height, 0.5) / degree, regular = acos(1. / 3) / degree;
        if (height < 1)
            cr_assert_float_eq(
                info.dihedral_min_deg, base, 1e-13 * base, "%.17g %.17g", info.dihedral_min_deg, base);
        else
            cr_assert(info.dihedral_min_deg < regular);
        mt_arena_free(&arena);
    }
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_info info;
    one_element(&arena, (double[]){1, 1, 1, -1, 1, -1, -1, -1, 1, 1, -1, -1}, &mesh);
    (void)mt_mesh_orient(&mesh);
    describe(&mesh, &info);
    cr_assert_float_eq(info.dihedral_min_deg, acos(1. / 3) / degree, 1e-13);
    mt_arena_free(&arena);
}

/* Kuhn elements of 1/6 mm^3; triangles with legs of 3 and 4 mm, and of 1 and 1. */
/* f and -f are the same axis. */
Test(info, fibres_are_compared_as_axes)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(&arena, (double[]){2, 2, 2}, 1, &mesh), MT_OK);
    for (size_t k = 0; k < 3; k++) mesh.fibre[3 * 7 + k] *= -1;
    cr_assert(mt_info_fibres_alike(&mesh));
    double *last = mesh.fibre + 3 * (mesh.n_elements - 1);
    last[0] = cos(0.001), last[1] = sin(0.001);
    cr_assert(!mt_info_fibres_alike(&mesh));
    mesh.fibre = NULL;
    cr_assert(!mt_info_fibres_alike(&mesh));
    mt_arena_free(&arena);
}

Test(info, groups_are_listed_in_order_with_counts_and_sizes)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_info_group *g;
    size_t n;
    cr_assert_eq(mt_slab_make(&arena, (double[]){4, 3, 1}, 1, &mesh), MT_OK);
    for (size_t c = 0; c < mesh.n_elements; c++) mesh.region[c] = c % 4 == 0 ? 7 : -2;
    cr_assert_eq(mt_info_regions(&arena, &mesh, &n, &g), MT_OK);
    cr_assert(n == 2 && g[0].tag == -2 && g[0].count == 54 && g[1].tag == 7 && g[1].count == 18);
    cr_assert_float_eq(g[0].size, 9, 1e-12);
    cr_assert_float_eq(g[1].size, 3, 1e-12);
    cr_assert_eq(mt_info_surfaces(&arena, &mesh, &n, &g), MT_OK);
    cr_assert_eq(n, 0);
    cr_assert_eq(mt_mesh_new_faces(&arena, 3, &mesh), MT_OK);
    memcpy(mesh.face_vertex, (uint32_t[]){0, 4, 15, 0, 1, 5, 6, 1, 5}, 9 * sizeof(uint32_t));
    memcpy(mesh.face_tag, (int32_t[]){4, 1, 4}, 3 * sizeof(int32_t));
    cr_assert_eq(mt_info_surfaces(&arena, &mesh, &n, &g), MT_OK);
    cr_assert(n == 2 && g[0].tag == 1 && g[0].count == 1 && g[1].tag == 4 && g[1].count == 2);
    cr_assert_float_eq(g[0].size, 0.5, 1e-15);
    cr_assert_float_eq(g[1].size, 6.5, 1e-14);
    mt_arena_free(&arena);
}

/* Two distant boxes, and two elements with only an edge in common: four pieces. */
Test(info, a_surface_has_tags_and_a_bounding_box_but_no_volume)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_info info, whole;
    cr_assert_eq(mt_mesh_new(&arena, 4, 0, &mesh), MT_OK);
    cr_assert_eq(mt_mesh_new_faces(&arena, 3, &mesh), MT_OK);
    const double xyz_mm[] = {1, -2, 3, 4, -5, 6, 0, -7, 9, 2, -3, 8};
    const int32_t tag[] = {5, -1, 5};
    memcpy(mesh.xyz_mm, xyz_mm, sizeof xyz_mm);
    memcpy(mesh.face_tag, tag, sizeof tag);
    for (uint32_t k = 0; k < 9; k++) mesh.face_vertex[k] = k % 4;
    cr_assert_eq(mt_info_find(&mesh, &info), MT_OK);
    cr_assert(info.n_vertices == 4 && info.n_elements == 0 && info.n_regions == 0 && info.n_surfaces == 2);
    cr_assert(info.min_mm[0] == 0 && info.min_mm[1] == -7 && info.min_mm[2] == 3);
    cr_assert(info.max_mm[0] == 4 && info.max_mm[1] == -2 && info.max_mm[2] == 9);
    cr_assert(info.volume_mm3 == 0 && info.length_mm == 0);
    describe(&mesh, &whole);
    cr_assert(memcmp(&info, &whole, sizeof info) == 0);
    mt_arena_free(&arena);
}

Test(info, components_and_regions_are_counted)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_info info;
    static const uint32_t elements[5][4] = {
        {0, 1, 2, 3}, {1, 2, 3, 4}, {5, 6, 7, 8}, {5, 6, 9, 10}, {11, 12, 13, 14}};
    cr_assert_eq(mt_mesh_new(&arena, 16, 5, &mesh), MT_OK);
    memcpy(mesh.element_vertex, elements, sizeof elements);
    for (size_t k = 0; k < 45; k++) mesh.xyz_mm[k] = (double)(k * k % 17);
    mesh.region[0] = -3, mesh.region[3] = INT32_MAX, mesh.region[4] = -3;
    describe(&mesh, &info);
    cr_assert_eq(info.n_components, 4);
    cr_assert_eq(info.n_dangling, 1);
    cr_assert_eq(info.n_regions, 3);
    mt_arena_free(&arena);
}

Test(info, out_of_memory_is_reported_without_a_leak)
{
    mt_arena lasting = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_info info;
    cr_assert_eq(mt_slab_make(&lasting, (double[]){1, 1, 1}, 1, &mesh), MT_OK);
    cr_assert_eq(mt_adjacency_make(&lasting, &mesh, &adjacency), MT_OK);
    mt_status status = MT_MEMORY;
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena_fail_at(n);
        status = mt_info_make(&mesh, &adjacency, &info);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK ? n == 15 : status == MT_MEMORY, "take %zu", n);
    }
    mt_arena_free(&lasting);
}
