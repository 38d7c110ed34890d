#include <criterion/criterion.h>

#include <unistd.h>

#include "mesh/stl.h"
#include "tests/mesh/damage.h"
#include "tests/one_file.h"

TestSuite(stl, .init = enter, .fini = leave);

static const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 1, 0, 0, 0, -2.5f}};

static const char *const text =
    "solid heart of mine\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n"
    "  vertex 0 1.0e0 0\n endloop\nendfacet\nfacet normal nan nan nan\r\nouter loop\n"
    "vertex 0 0 0\nvertex 0 1 0\nvertex 0 0 -2.5\nendloop\nendfacet\nendsolid heart\n";

enum { BINARY_SIZE = 84 + 2 * 50 };

/* The same two triangles; the header begins as a text does, as some programs write it. */
static void make_binary(unsigned char bytes[BINARY_SIZE])
{
    memset(bytes, 0, BINARY_SIZE);
    memcpy(bytes, "solid binary", 12);
    bytes[80] = 2;
    for (size_t t = 0; t < 2; t++) memcpy(bytes + 84 + 50 * t + 12, corners[t], sizeof corners[t]);
}

static void assert_triangles(const mt_mesh *mesh, double unit_mm)
{
    cr_assert(mesh->n_vertices == 6 && mesh->n_cells == 0 && mesh->n_faces == 2);
    for (size_t k = 0; k < 6; k++) cr_assert_eq(mesh->face_vertex[k], k);
    for (size_t k = 0; k < 18; k++) cr_assert_eq(mesh->xyz_mm[k], unit_mm * (double)corners[k / 9][k % 9]);
    cr_assert(mesh->face_tag[0] == 0 && mesh->face_tag[1] == 0);
}

Test(stl, text_and_binary_give_the_same_triangles)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    unsigned char binary[BINARY_SIZE];
    write_bytes(path, text, strlen(text));
    cr_assert_eq(mt_stl_read(&arena, path, 10, &mesh), MT_OK, "%s", mt_message());
    assert_triangles(&mesh, 10);
    make_binary(binary);
    write_bytes(path, binary, sizeof binary);
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
        ".file:6: 'endloop'; vertex must stand here"},
    {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 inf\n", "a facet without endfacet"},
    {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 inf\nvertex 0 1 0\nendloop\nendfacet\n",
        ".file:5: coordinate is 'inf'"},
    {"solid\nendfacet\n", "'endfacet'; allowed"},
    {"solid endfacet\nendsolid\n", "1 times endfacet, but 0 facets"},
};

Test(stl, every_fault_is_found_and_named_with_its_line_or_byte)
{
    unsigned char binary[BINARY_SIZE];
    mt_arena arena = {0};
    mt_mesh mesh;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        write_bytes(path, faults[i].text, strlen(faults[i].text));
        cr_assert_eq(mt_stl_read(&arena, path, 1, &mesh), MT_INPUT, "fault %zu", i);
        cr_assert(strstr(mt_message(), faults[i].why), "'%s' is not in: %s", faults[i].why, mt_message());
    }
    make_binary(binary);
    memset(binary + 84 + 12, 0xff, 4); /* not a number */
    write_bytes(path, binary, sizeof binary);
    cr_assert_eq(mt_stl_read(&arena, path, 1, &mesh), MT_INPUT);
    cr_assert(strstr(mt_message(), ".file: byte 96: coordinate is"), "%s", mt_message());
    write_bytes(path, binary, sizeof binary - 1); /* cut off: no longer of the length that it counts */
    cr_assert_eq(mt_stl_read(&arena, path, 1, &mesh), MT_INPUT);
    (void)unlink(path);
    cr_assert_eq(mt_stl_read(&arena, path, 1, &mesh), MT_FILE);
    mt_arena_free(&arena);
}

/* Any answer is good but a crash or a mesh that fails its check. */
Test(stl, damaged_files_never_crash)
{
    unsigned char binary[BINARY_SIZE], copy[512];
    make_binary(binary);
    for (int kind = 0; kind < 2; kind++) {
        size_t refused = 0;
        for (size_t i = 0; i < DAMAGED_COPIES; i++) {
            mt_arena arena = {0};
            mt_mesh mesh;
            const size_t n = kind == 0 ? damage(i, (const unsigned char *)text, strlen(text), copy)
                                       : damage(i, binary, sizeof binary, copy);
            write_bytes(path, copy, n);
            mt_status status = mt_stl_read(&arena, path, 1, &mesh);
            if (status == MT_OK) cr_assert_eq(mt_mesh_check(&mesh), MT_OK, "%s", mt_message());
            cr_assert(status == MT_OK || status == MT_INPUT);
            refused += status != MT_OK;
            mt_arena_free(&arena);
        }
        cr_assert(refused > DAMAGED_COPIES / 5, "only %zu copies were damaged enough", refused);
    }
}

Test(stl, without_memory_there_is_a_failure_and_no_leak)
{
    mt_status status = MT_FILE;
    write_bytes(path, text, strlen(text));
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_arena_fail_at(n);
        status = mt_stl_read(&arena, path, 1, &mesh);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK ? n == 7 : status == MT_FILE, "take %zu: %s", n, mt_message());
    }
}
