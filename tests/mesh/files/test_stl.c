#include <criterion/criterion.h>

#include <unistd.h>

#include "mesh/files/stl.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/examples.h"
#include "tests/one_file.h"

TestSuite(stl, .init = enter, .fini = leave);

static void assert_triangles(const mt_mesh *mesh, double unit_mm)
{
    cr_assert(mesh->n_vertices == 12 && mesh->n_elements == 0 && mesh->n_faces == 4);
    for (size_t k = 0; k < 12; k++) cr_assert_eq(mesh->face_vertex[k], k);
    for (size_t k = 0; k < 36; k++) cr_assert_eq(mesh->xyz_mm[k], unit_mm * (double)stl_corner[k / 9][k % 9]);
    for (size_t t = 0; t < 4; t++) cr_assert_eq(mesh->face_tag[t], 0);
}

Test(stl, text_and_binary_files_contain_the_same_triangles)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const buffer binary = stl_binary();
    write_bytes(path, stl_text, strlen(stl_text));
    cr_assert_eq(mt_stl_read(&arena, path, 10, &mesh), MT_OK, "%s", mt_message());
    assert_triangles(&mesh, 10);
    write_bytes(path, binary.bytes, binary.n);
    cr_assert_eq(mt_stl_read(&arena, path, 10, &mesh), MT_OK, "%s", mt_message());
    assert_triangles(&mesh, 10);
    mt_arena_free(&arena);
}

static const struct fault {
    const char *text, *why;
} faults[] = {
    {"", ".file: no triangles"},
    {"solid x\nendsolid x\n", ".file: no triangles"},
    {"cube\n", ".file:1: 'cube'; allowed: solid, facet, endsolid (or a binary file"},
    {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\n",
        ".file:6: 'endloop'; expected: vertex"},
    {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 inf\n", "a facet without endfacet"},
    {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 inf\nvertex 0 1 0\nendloop\nendfacet\n",
        ".file:5: coordinate is 'inf'"},
    {"solid\nendfacet\n", "'endfacet'; allowed"},
    {"solid endfacet\nendsolid\n", "1 endfacet lines, but 0 facets"},
};

Test(stl, every_fault_is_reported_with_its_line_or_byte_offset)
{
    buffer binary = stl_binary();
    mt_arena arena = {0};
    mt_mesh mesh;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        write_bytes(path, faults[i].text, strlen(faults[i].text));
        cr_assert_eq(mt_stl_read(&arena, path, 1, &mesh), MT_INPUT, "fault %zu", i);
        cr_assert(strstr(mt_message(), faults[i].why), "'%s' is not in: %s", faults[i].why, mt_message());
    }
    memset(binary.bytes + 84 + 12, 0xff, 4); /* not a number */
    write_bytes(path, binary.bytes, binary.n);
    cr_assert_eq(mt_stl_read(&arena, path, 1, &mesh), MT_INPUT);
    cr_assert(strstr(mt_message(), ".file: byte 96: coordinate is"), "%s", mt_message());
    write_bytes(path, binary.bytes, binary.n - 1); /* truncated: its length differs from its count */
    cr_assert_eq(mt_stl_read(&arena, path, 1, &mesh), MT_INPUT);
    (void)unlink(path);
    cr_assert_eq(mt_stl_read(&arena, path, 1, &mesh), MT_FILE);
    mt_arena_free(&arena);
}

Test(stl, out_of_memory_is_reported_without_a_leak)
{
    mt_status status = MT_MEMORY;
    write_bytes(path, stl_text, strlen(stl_text));
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_arena_fail_at(n);
        status = mt_stl_read(&arena, path, 1, &mesh);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK ? n == 7 : status == MT_MEMORY, "take %zu: %s", n, mt_message());
    }
}
