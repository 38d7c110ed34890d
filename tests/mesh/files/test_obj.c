#include <criterion/criterion.h>

#include <unistd.h>

#include "mesh/files/obj.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/examples.h"
#include "tests/one_file.h"

TestSuite(obj, .init = enter, .fini = leave);

static mt_status read_text(mt_arena *arena, const char *text, double unit_mm, mt_mesh *mesh)
{
    write_bytes(path, text, strlen(text));
    return mt_obj_read(arena, path, unit_mm, mesh);
}

Test(obj, points_and_faces_form_a_surface_and_other_records_are_ignored)
{
    static const uint32_t faces[] = {0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3};
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(read_text(&arena, obj_good, 10, &mesh), MT_OK, "%s", mt_message());
    cr_assert(mesh.n_vertices == 4 && mesh.n_elements == 0 && mesh.n_faces == 4);
    cr_assert_arr_eq(mesh.face_vertex, faces, sizeof faces);
    cr_assert(mesh.xyz_mm[3] == 10 && mesh.xyz_mm[7] == 10 && mesh.xyz_mm[11] == -25 && mesh.xyz_mm[5] == 0);
    for (size_t f = 0; f < 4; f++) cr_assert_eq(mesh.face_tag[f], 0);
    mt_arena_free(&arena);
}

Test(obj, polygons_are_triangulated_and_repeated_corners_form_no_triangle)
{
    static const uint32_t fan[] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(read_text(&arena,
                     "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 2 0\nv 0 1 0\nf 1 2 3 4 5\nf 1 1 2\nf 2 3 3\nf 4 5 4\n",
                     1, &mesh),
        MT_OK, "%s", mt_message());
    cr_assert_eq(mesh.n_faces, 3);
    cr_assert_arr_eq(mesh.face_vertex, fan, sizeof fan);
    mt_arena_free(&arena);
}

static const struct fault {
    const char *text, *why;
} faults[] = {
    {"", ".file: no triangles"},
    {"v 0 0 0\nv 1 0 0\nv 0 1 0\n", ".file: no triangles"},
    {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 2\n", ".file: no triangles"},
    {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", ".file:4: corner '4' of a face; allowed: 1 to 3"},
    {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", ".file:4: corner '0'"},
    {"v 0 0 0\nv 1 0 0\nf -3 -1 -2\nv 0 1 0\n", ".file:3: corner '-3'"},
    {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3x\n", ".file:4: corner '3x'"},
    {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", ".file:4: a face of 2 corners"},
    {"v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", ".file:2: a point of 2 coordinates"},
    {"v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", ".file:2: coordinate is 'nan'"},
    {"v 0 0 0\nv 1 0 1e10\nv 0 1 0\nf 1 2 3\n", ".file:2: coordinate is '1e10'"},
};

Test(obj, every_fault_is_reported_with_its_line)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        cr_assert_eq(read_text(&arena, faults[i].text, 1, &mesh), MT_INPUT, "fault %zu", i);
        cr_assert(strstr(mt_message(), faults[i].why), "'%s' is not in: %s", faults[i].why, mt_message());
        mt_arena_free(&arena);
    }
    mt_arena arena = {0};
    mt_mesh mesh;
    (void)unlink(path);
    cr_assert_eq(mt_obj_read(&arena, path, 1, &mesh), MT_FILE);
}

Test(obj, out_of_memory_is_reported_without_a_leak)
{
    mt_status status = MT_MEMORY;
    write_bytes(path, obj_good, strlen(obj_good));
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_arena_fail_at(n);
        status = mt_obj_read(&arena, path, 1, &mesh);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK ? n == 7 : status == MT_MEMORY, "take %zu: %s", n, mt_message());
    }
}
