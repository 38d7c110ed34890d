#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/mesh.h"

static void one_element(mt_arena *arena, mt_mesh *mesh)
{
    const double xyz[12] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 5};
    cr_assert_eq(mt_mesh_new(arena, 4, 1, mesh), MT_OK);
    memcpy(mesh->xyz_mm, xyz, sizeof xyz);
    for (uint32_t k = 0; k < 4; k++) mesh->element_vertex[k] = k;
    cr_assert_eq(mt_mesh_new_fibres(arena, mesh), MT_OK);
    memcpy(mesh->fibre, (double[]){0, 1, 0}, 3 * sizeof(double));
}

/* All numbers are small integers, so the results are exact except for the division by 6, which is exact for 30. */
Test(mesh, volume_and_centroid_of_a_right_tetrahedron_are_exact)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    double centroid[3];
    one_element(&arena, &mesh);
    cr_assert_eq(mt_mesh_volume_mm3(&mesh, 0), 5);
    mt_mesh_centroid(&mesh, 0, centroid);
    cr_assert(centroid[0] == 0.5 && centroid[1] == 0.75 && centroid[2] == 1.25);
    cr_assert_eq(mt_mesh_check(&mesh), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
}

/* The vertex at 0 has edges 2, 3, 5 along the axes: the faces opposite vertices 1, 2, 3 are in the coordinate planes, and the fourth closes
 * the surface. Exact, as above. */
Test(mesh, face_area_vectors_point_outward_and_sum_to_zero)
{
    static const double expected[4][3] = {{7.5, 5, 3}, {-7.5, 0, 0}, {0, -5, 0}, {0, 0, -3}};
    mt_arena arena = {0};
    mt_mesh mesh;
    one_element(&arena, &mesh);
    for (size_t f = 0; f < 4; f++) {
        double area[3];
        mt_mesh_face_area(&mesh, 0, f, area);
        for (size_t k = 0; k < 3; k++)
            cr_assert_eq(area[k], expected[f][k], "face %zu axis %zu: %g", f, k, area[k]);
        for (size_t k = 0; k < 3; k++) cr_assert_neq(mt_mesh_face[f][k], f);
    }
    mt_arena_free(&arena);
}

static void assert_refused(const mt_mesh *mesh, const char *why)
{
    cr_assert_eq(mt_mesh_check(mesh), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), why), "'%s' is not in: %s", why, mt_message());
}

Test(mesh, the_check_reports_invalid_meshes)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    one_element(&arena, &mesh);
    mesh.element_vertex[2] = 4;
    assert_refused(&mesh, "element 0: vertex 4; the mesh has vertices 0 to 3");
    mesh.element_vertex[2] = 3, mesh.element_vertex[3] = 2;
    assert_refused(&mesh, "volume -5");
    mesh.element_vertex[3] = 3;
    assert_refused(&mesh, "volume 0");
    mesh.element_vertex[2] = 2;
    mesh.xyz_mm[11] = NAN;
    assert_refused(&mesh, "nan");
    mesh.xyz_mm[11] = 5;
    mesh.fibre[1] = 1 + 2e-6;
    assert_refused(&mesh, "fibre of length");
    mesh.fibre[1] = 0;
    assert_refused(&mesh, "fibre of length 0");
    mesh.fibre[1] = NAN;
    assert_refused(&mesh, "fibre of length");
    mesh.fibre[1] = 1 - 0.5e-6;
    cr_assert_eq(mt_mesh_check(&mesh), MT_OK);
    mt_arena_free(&arena);
}

Test(mesh, tagged_triangles_have_three_different_vertices)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    one_element(&arena, &mesh);
    cr_assert_eq(mt_mesh_new_faces(&arena, 2, &mesh), MT_OK);
    memcpy(mesh.face_vertex, (uint32_t[]){0, 1, 2, 3, 1, 4}, 6 * sizeof(uint32_t));
    assert_refused(&mesh, "tagged triangle 1: vertex 4; the mesh has vertices 0 to 3");
    mesh.face_vertex[5] = 1;
    assert_refused(&mesh, "tagged triangle 1: vertices 3 1 1");
    mesh.face_vertex[5] = 0;
    cr_assert_eq(mt_mesh_check(&mesh), MT_OK);
    cr_assert_eq(mt_mesh_new_faces(&arena, UINT32_MAX, &mesh), MT_INPUT);
    mt_arena_free(&arena);
}

Test(mesh, an_inverted_element_is_reoriented)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    one_element(&arena, &mesh);
    mesh.element_vertex[0] = 1, mesh.element_vertex[1] = 0;
    cr_assert_eq(mt_mesh_volume_mm3(&mesh, 0), -5);
    cr_assert_eq(mt_mesh_orient(&mesh), 1);
    cr_assert_eq(mt_mesh_volume_mm3(&mesh, 0), 5);
    cr_assert_eq(mt_mesh_orient(&mesh), 0);
    mt_arena_free(&arena);
}

Test(mesh, indices_are_limited_to_32_bits)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(mt_mesh_new(&arena, UINT32_MAX, 1, &mesh), MT_INPUT);
    cr_assert_eq(mt_mesh_new(&arena, 4, UINT32_MAX, &mesh), MT_INPUT);
    mt_arena_free(&arena);
}

Test(mesh, out_of_memory_is_reported_without_a_leak)
{
    for (size_t n = 1;; n++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_arena_fail_at(n);
        mt_status status = mt_mesh_new(&arena, 4, 1, &mesh);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        if (status == MT_OK) {
            cr_assert_eq(n, 4, "a mesh takes 3 arrays");
            break;
        }
        cr_assert_eq(status, MT_MEMORY);
    }
}

Test(mesh, removed_vertices_are_deleted_and_the_others_renumbered)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    uint8_t *used;
    cr_assert_eq(mt_mesh_new(&arena, 7, 1, &mesh), MT_OK);
    cr_assert_eq(mt_mesh_new_faces(&arena, 1, &mesh), MT_OK);
    for (size_t v = 0; v < 7; v++) mesh.xyz_mm[3 * v] = (double)v;
    memcpy(mesh.element_vertex, (uint32_t[]){6, 1, 2, 4}, 4 * sizeof(uint32_t));
    memcpy(mesh.face_vertex, (uint32_t[]){4, 1, 6}, 3 * sizeof(uint32_t));
    cr_assert_eq(mt_mesh_used(&arena, &mesh, &used), MT_OK);
    cr_assert_arr_eq(used, ((uint8_t[]){0, 1, 1, 0, 1, 0, 1}), 7);
    cr_assert_eq(mt_mesh_keep_vertices(&arena, &mesh, used), MT_OK);
    cr_assert_eq(mesh.n_vertices, 4);
    cr_assert_arr_eq(mesh.element_vertex, ((uint32_t[]){3, 0, 1, 2}), 4 * sizeof(uint32_t));
    cr_assert_arr_eq(mesh.face_vertex, ((uint32_t[]){2, 0, 3}), 3 * sizeof(uint32_t));
    for (size_t v = 0; v < 4; v++) cr_assert_eq(mesh.xyz_mm[3 * v], (double)(v < 2 ? v + 1 : 2 * v));
    mt_arena_free(&arena);
}

/* Three copies of an element with different element data; the first and the last are selected. */
Test(mesh, a_submesh_has_the_selected_elements_and_their_original_numbers)
{
    mt_arena arena = {0};
    mt_mesh whole, part;
    cr_assert_eq(mt_mesh_new(&arena, 4, 3, &whole), MT_OK);
    cr_assert_eq(mt_mesh_new_fibres(&arena, &whole), MT_OK);
    whole.layer = mt_arena_alloc(&arena, 3, sizeof *whole.layer);
    whole.depth = mt_arena_alloc(&arena, 3, sizeof *whole.depth);
    whole.segment = mt_arena_alloc(&arena, 3, sizeof *whole.segment);
    for (size_t c = 0; c < 3; c++) {
        whole.segment[c] = 17 - (int32_t)c;
        for (size_t k = 0; k < 4; k++) whole.element_vertex[4 * c + k] = (uint32_t)((c + k) % 4);
        for (size_t k = 0; k < 3; k++) whole.fibre[3 * c + k] = (double)(3 * c + k);
        whole.region[c] = (int32_t)c - 5;
        whole.layer[c] = (int32_t)c + 1;
        whole.depth[c] = 0.25 * (double)c;
    }
    cr_assert_eq(mt_mesh_select(&arena, &whole, (uint8_t[]){1, 0, 1}, &part), MT_OK);
    cr_assert(part.n_elements == 2 && part.n_vertices == 4 && part.xyz_mm == whole.xyz_mm && !part.sheet);
    for (size_t c = 0; c < 2; c++) {
        const size_t from = 2 * c;
        cr_assert_eq(mt_mesh_number(&part, c), from);
        cr_assert_arr_eq(part.element_vertex + 4 * c, whole.element_vertex + 4 * from, 4 * sizeof(uint32_t));
        cr_assert_arr_eq(part.fibre + 3 * c, whole.fibre + 3 * from, 3 * sizeof(double));
        cr_assert(part.region[c] == whole.region[from] && part.layer[c] == whole.layer[from] &&
                  part.depth[c] == whole.depth[from] && part.segment[c] == whole.segment[from]);
    }
    cr_assert_eq(mt_mesh_number(&whole, 2), 2);
    for (size_t n = 1; n < 8; n++) {
        mt_arena_fail_at(n);
        cr_expect_eq(mt_mesh_select(&arena, &whole, (uint8_t[]){1, 0, 1}, &part), MT_MEMORY, "%zu", n);
        mt_arena_fail_at(0);
    }
    mt_arena_free(&arena);
}
