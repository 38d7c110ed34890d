#include <criterion/criterion.h>

#include <math.h>
#include <unistd.h>

#include "mesh/files/formats.h"
#include "mesh/make/slab.h"
#include "mesh/files/tetgen.h"
#include "tests/answers.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/examples.h"
#include "tests/temporary.h"

enum { FILES = sizeof tetgen_endings / sizeof *tetgen_endings };

static char folder[64], name[96], file[FILES][128];

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "myotile_tetgen_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(name, sizeof name, "%s/heart", folder);
    for (int k = 0; k < FILES; k++) (void)snprintf(file[k], sizeof file[k], "%s%s", name, tetgen_endings[k]);
}

static void leave(void)
{
    for (int k = 0; k < FILES; k++) (void)unlink(file[k]);
    (void)rmdir(folder);
}

TestSuite(tetgen, .init = enter, .fini = leave);

static void make(bool (*files)(const char *stem))
{
    for (int k = 0; k < FILES; k++) (void)unlink(file[k]);
    cr_assert(files(name));
}

static bool (*const flavours[])(const char *) = {make_tetgen_one, make_tetgen_zero, make_tetgen_binary};

Test(tetgen, one_mesh_is_read_equally_from_every_variant)
{
    static const double xyz[15] = {10, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, -10};
    static const uint32_t elements[8] = {1, 0, 2, 3, 1, 0, 2, 4}, faces[6] = {0, 3, 1, 0, 4, 1};
    static const double fibre[6] = {0, 0, 1, 0.6, 0.8, 0}, sheet[6] = {1, 0, 0, 0, 0, 1};
    for (size_t k = 0; k < sizeof flavours / sizeof *flavours; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        make(flavours[k]);
        ok(mt_tetgen_read(&arena, k == 0 ? name : file[k], 10, &mesh));
        cr_assert(mesh.n_vertices == 5 && mesh.n_elements == 2 && mesh.n_faces == 2, "flavour %zu", k);
        cr_assert_arr_eq(mesh.xyz_mm, xyz, sizeof xyz, "flavour %zu", k);
        cr_assert_arr_eq(mesh.element_vertex, elements, sizeof elements, "flavour %zu", k);
        cr_assert_arr_eq(mesh.face_vertex, faces, sizeof faces, "flavour %zu", k);
        cr_assert(mesh.face_tag[0] == 11 && mesh.face_tag[1] == -1, "flavour %zu", k);
        cr_assert(mesh.region[0] == -7 && mesh.region[1] == (k == 1), "flavour %zu", k); /* 1 or 1.5 */
        cr_assert_eq(k == 1, mesh.notes == NULL, "flavour %zu", k);
        for (int i = 0; i < 6; i++) cr_assert_float_eq(mesh.fibre[i], fibre[i], 1e-15);
        cr_assert_eq(mesh.sheet != NULL, k > 0);
        for (int i = 0; i < 6 && k > 0; i++) cr_assert_float_eq(mesh.sheet[i], sheet[i], 1e-15);
        mt_arena_free(&arena);
    }
}

Test(tetgen, triangles_and_fibres_are_optional_and_unmarked_triangles_untagged)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    make(make_tetgen_zero);
    (void)unlink(file[3]);
    write_bytes(file[2], "3\n0 1 0 2\n", 10);
    cr_assert_eq(mt_tetgen_read(&arena, name, 1, &mesh), MT_INPUT);
    assert_message(".face:1: 3 triangles are counted; the rest of the file has space for 1");
    write_bytes(file[2], "1\n0 1 0 2\n", 10);
    ok(mt_tetgen_read(&arena, name, 1, &mesh));
    cr_assert(mesh.n_faces == 0 && !mesh.fibre && !mesh.sheet);
    (void)unlink(file[2]);
    ok(mt_tetgen_read(&arena, name, 1, &mesh));
    cr_assert_eq(mesh.n_faces, 0);
    mt_arena_free(&arena);
}

Test(tetgen, the_format_is_read_only)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const mt_mesh_format *format;
    for (int k = 0; k < 2; k++) {
        make(make_tetgen_one);
        ok(mt_mesh_format_find(file[k], false, &format));
        ok(format->read(&arena, file[k], 1, &mesh));
        cr_assert_eq(mt_mesh_format_find(file[k], true, &format), MT_INPUT);
        assert_message(" files can only be read; allowed for writing: .hdf (VTKHDF), .msh");
        write_bytes(file[1], "2 4\n1 1 2 2 3\n2 1 2 3 4\n", 24);
        cr_assert_eq(mt_mesh_read(&arena, file[k], &mesh), MT_INPUT);
        assert_message(file[k]);
        assert_message("mm: volume 0");
    }
    mt_arena_free(&arena);
}

struct fault {
    bool (*files)(const char *stem);
    int file;
    const char *text, *why;
};

static const struct fault faults[] = {
    {make_tetgen_one, 0, "", "heart.node:1: the file ends before the count"},
    {make_tetgen_one, 0, "0 3 0 0\n", ".node: counts no vertices"},
    {make_tetgen_one, 0, "5 2 0 0\n", ".node:1: dimension is '2'"},
    {make_tetgen_one, 0, "5 3 0 2\n", ".node:1: number of markers is '2'"},
    {make_tetgen_one, 0, "5 3 0 0 0\n", ".node:1: '0' after the first line"},
    {make_tetgen_one, 0, "5 3 0 0 BIN 0\n", ".node:1: '0' after the first line"},
    {make_tetgen_one, 0, "400 3\n1 0 0 0\n",
        ".node:1: 400 vertices are counted; the rest of the file has space for "},
    {make_tetgen_one, 0, "2 3\n2 0 0 0\n3 1 1 1\n",
        ".node:2: first id is '2'; allowed: a whole number from 0 to 1"},
    {make_tetgen_one, 0, "2 3\n1 0 0 0\n1 1 1 1\n",
        ".node:3: id is '1'; allowed: a whole number from 2 to 2"},
    {make_tetgen_one, 0, "2 3\n1 0 0 0\n\n\n\n\n\n\n\n\n", ".node:11: the file ends before the id"},
    {make_tetgen_one, 0, "1 3\n1 0 0\n0\n", ".node:2: the line ends after 3 of 4 numbers"},
    {make_tetgen_one, 0, "1 3\n1 0 0 # 0\n", ".node:2: the line ends after 3 of 4 numbers"},
    {make_tetgen_one, 0, "1 3 1\n1 0 0 0\n\n", ".node:2: the line ends after 4 of 5 numbers"},
    {make_tetgen_one, 0, "1 3 0\n1 0 0 0 0\n", ".node:2: '0' after a vertex"},
    {make_tetgen_one, 0, "1 3\n1 0 0 nan\n", ".node:2: coordinate is 'nan'"},
    {make_tetgen_one, 0, "1 3\n1 0 0 1e10\n", ".node:2: coordinate is '1e10'"},
    {make_tetgen_one, 0, "1 3 1\n1 0 0 0 inf\n", ".node:2: attribute or marker is 'inf'"},
    {make_tetgen_one, 0, "1 3\n1 0 0 0\n2 0 0 0", ".node:3: '2' after the last of 1 vertices"},
    {make_tetgen_one, 1, "0 4 0\n", ".ele: counts no elements"},
    {make_tetgen_one, 1, "1 9 0\n1 1 2 3 4 1 1 1 1 1\n",
        ".ele:1: number of vertices per element is 9; allowed: 4, or 10 (second order)"},
    {make_tetgen_one, 1, "1 4 4294967295\n", ".ele:1: number of attributes is '4294967295'"},
    {make_tetgen_one, 1, "1 4 0\n1 0 1 2 3\n", ".ele:2: vertex is '0'; allowed: a whole number from 1 to 5"},
    {make_tetgen_zero, 1, "1 4 0\n0 0 1 2 5\n", ".ele:2: vertex is '5'; allowed: a whole number from 0 to 4"},
    {make_tetgen_one, 1, "1 4 0\n0 1 2 3 4\n", ".ele:2: id is '0'"},
    {make_tetgen_one, 1, "1 4 1\n1 1 2 3 4\n1 1\n", ".ele:2: the line ends after 5 of 6 numbers"},
    {make_tetgen_one, 2, "1 2\n", ".face:1: number of markers is '2'"},
    {make_tetgen_one, 2, "1 1\n1 1 2 6 1\n", ".face:2: vertex is '6'"},
    {make_tetgen_one, 2, "1 1\n1 1 2 3 1.5\n", ".face:2: marker is 1.5; allowed: a whole number"},
    {make_tetgen_one, 2, "1 1\n1 1 2 3 3000000000\n", ".face:2: marker is 3e+09"},
    {make_tetgen_one, 2, "1 1\n1 1 2 3 1 5 5 5\n", ".face:2: '5' after a triangle"},
    {make_tetgen_one, 2, "1 1\n1 1 2 3 1\n2 1 2 3 1\n", ".face:3: '2' after the last of 1 triangles"},
    {make_tetgen_one, 4, "3\n1 0 0\n1 0 0\n1 0 0\n", ".axi:1: 3 fibres are counted; allowed: 2"},
    {make_tetgen_one, 4, "2\n1 0 0\n0 0 0\n", ".axi:3: a fibre of length 0"},
    {make_tetgen_one, 4, "2\n1 0 0\n0 1 0 0\n", ".axi:3: '0' after the directions of an element"},
    {make_tetgen_one, 4, "2\n1 0 0\n0 1 0\n1", ".axi:4: '1' after the last of 2 fibres"},
    {make_tetgen_zero, 3, "2\n1 0 0 0 1 0 0 0 1\n1 0 0 2 0 0 0 0 1\n",
        ".ortho:3: a fibre of length 0, or a sheet"},
    {make_tetgen_zero, 3, "2\n1 0 0 0 1 0 0 0 1\n1 0 0 0 1 0 0 0\n", ".ortho:3: the line ends after 8 of 9"},
    {make_tetgen_binary, 0, "5 3 0 0 BIN\nxyz",
        ".node: byte 12: 5 vertices are counted; the rest of the file has"},
};

Test(tetgen, every_fault_is_reported_with_its_line)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        make(faults[i].files);
        write_bytes(file[faults[i].file], faults[i].text, strlen(faults[i].text));
        cr_assert_eq(mt_tetgen_read(&arena, name, 1, &mesh), MT_INPUT, "fault %zu (%s)", i, faults[i].why);
        assert_message(name);
        assert_message(faults[i].why);
        mt_arena_free(&arena);
    }
}

Test(tetgen, faults_in_binary_files_are_reported_with_their_byte_offset)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    buffer b = {.n = 0};
    make(make_tetgen_binary);
    text(&b, "1 4 0 BIN\n"), INTS(&b, 1, 2, 3, 5);
    write_bytes(file[1], b.bytes, b.n);
    cr_assert_eq(mt_tetgen_read(&arena, name, 1, &mesh), MT_INPUT);
    assert_message(".ele: byte 22: vertex is 5; allowed: 0 to 4");
    b.bytes[22] = 4, b.bytes[b.n] = 1;
    write_bytes(file[1], b.bytes, b.n + 1);
    cr_assert_eq(mt_tetgen_read(&arena, name, 1, &mesh), MT_INPUT);
    assert_message(".ele: byte 26: more data after the last of 1 elements");
    write_bytes(file[1], b.bytes, b.n - 1);
    cr_assert_eq(mt_tetgen_read(&arena, name, 1, &mesh), MT_INPUT);
    assert_message(".ele: byte 22: the file ends before the vertex");
    mt_arena_free(&arena);
}

Test(tetgen, missing_files_are_named)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    for (int k = 0; k < 2; k++) {
        make(make_tetgen_one);
        (void)unlink(file[k]);
        cr_assert_eq(mt_tetgen_read(&arena, name, 1, &mesh), MT_FILE);
        assert_message(file[k]);
    }
    cr_assert_eq(mt_tetgen_read(&arena, ".node", 1, &mesh), MT_INPUT);
    mt_arena_free(&arena);
}

Test(tetgen, out_of_memory_is_reported_without_a_leak)
{
    mt_status status = MT_MEMORY;
    make(make_tetgen_zero);
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_arena_fail_at(n);
        status = mt_tetgen_read(&arena, name, 1, &mesh);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK ? n == 13 : n < 13 && status == MT_MEMORY, "take %zu: %s", n, mt_message());
    }
}
