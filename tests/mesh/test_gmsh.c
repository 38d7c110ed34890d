#include <criterion/criterion.h>

#include <math.h>
#include <unistd.h>

#include "mesh/gmsh.h"
#include "mesh/slab.h"
#include "tests/answers.h"
#include "tests/leftovers.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/examples.h"
#include "tests/one_file.h"

TestSuite(gmsh, .init = enter, .fini = leave);

enum { KINDS = 4 };

static buffer kind(int k)
{
    buffer b = {.n = 0};
    if (k == 0) text(&b, msh2);
    if (k == 1) text(&b, msh4);
    return k == 2 ? binary2() : k == 3 ? binary4() : b;
}

/* ---- reading */

Test(gmsh, one_mesh_is_read_from_every_version_as_text_and_binary)
{
    static const double xyz[15] = {10, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, -10};
    static const uint32_t cells[8] = {1, 0, 2, 3, 1, 0, 2, 4}, face[3] = {1, 3, 0};
    for (int k = 0; k < KINDS; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        buffer b = kind(k);
        write_bytes(path, b.bytes, b.n);
        ok(mt_gmsh_read(&arena, path, 10, &mesh));
        cr_assert(mesh.n_vertices == 5 && mesh.n_cells == 2 && mesh.n_faces == 1, "kind %d", k);
        cr_assert_arr_eq(mesh.xyz_mm, xyz, sizeof xyz, "kind %d", k);
        cr_assert_arr_eq(mesh.cell_vertex, cells, sizeof cells, "kind %d", k);
        cr_assert_arr_eq(mesh.face_vertex, face, sizeof face, "kind %d", k);
        cr_assert(mesh.face_tag[0] == 4 && mesh.region[0] == 3 && mesh.region[1] == 1, "kind %d", k);
        cr_assert_null(mesh.fibre);
        mt_arena_free(&arena);
    }
}

struct fault {
    const char *text, *from, *to, *why;
};

static const struct fault faults[] = {
    {msh2, "$MeshFormat\n", "solid\n", ":1: is no MSH file"},
    {msh2, "2.2 0 8", "2.3 0 8", ":2: MSH version '2.3'"},
    {msh2, "2.2 0 8", "4 0 8", ":2: MSH version '4'; allowed: 2 to 2.2 and 4.1"},
    {msh2, "2.2 0 8", "2.2 0 4", ":2: data size is '4'"},
    {msh2, "2.2 0 8", "2.2 2 8", ":2: file type (0 text, 1 binary) is '2'"},
    {msh2, "$EndMeshFormat", "$EndMesh", ":3: '$EndMesh'; $EndMeshFormat must follow"},
    {msh2, "$EndPhysicalNames", "", "section $PhysicalNames has no $EndPhysicalNames"},
    {msh2, "$Nodes\n6", "$Nodes\n60000", ":9: number of nodes is 60000; the rest of the file has room for"},
    {msh2, "$Nodes\n6", "$Nodes\n5", ":15: '7'; $EndNodes must follow here"},
    {msh2, "$Nodes\n6", "$Nodes\n7", ":16: number of a node is '$EndNodes'"},
    {msh2, "20 1 0 0", "20 nan 0 0", ":10: coordinate is 'nan'; allowed: a number from"},
    {msh2, "20 1 0 0", "20 1e10 0 0", ":10: coordinate is '1e10'"},
    {msh2, "20 1 0 0", "10 1 0 0", "node 10 is there twice"},
    {msh2, "$Elements\n6", "$Elements\n5", ":24: '6'; $EndElements must follow here"},
    {msh2, "5 4 3 3 21 0 10 20 30 5", "5 5 3 3 21 0 10 20 30 5 7 99 5 5",
        "an element of Gmsh's type 5 (hexahedron); allowed"},
    {msh2, "6 4 2 0 22 10 20 30 7", "6 4 2 0 22 10 20 30 8", ":24: an element has node 8"},
    {msh2, "$EndElements\n", "$EndElements\nrubbish", ":26: 'rubbish"},
    {msh4, "$Entities\n1 1 2 2", "$Entities\n1 1 2 2000", ":5: number of entities is 2000"},
    {msh4, "2 6 5 99", "3 6 5 99", "dimension of an entity is '$EndNodes'"},
    {msh4, "2 6 5 99", "1 6 5 99", "the blocks of $Nodes hold 3 nodes; it counts 6"},
    {msh4, "2 6 5 99", "2 5 5 99", "3 nodes of an entity; $Nodes counts 5, and 3 came before"},
    {msh4, "6 6 1 6", "6 7 1 6", "the blocks of $Elements hold 6 elements; it counts 7"},
    {msh4, "6 6 1 6", "6 5 1 6", "1 elements of an entity; $Elements counts 5"},
    {msh4, "3 22 4 1\n", "3 22 11 1\n", "an element of Gmsh's type 11 (tetrahedron of 10 nodes)"},
    {msh4, "3 22 4 1\n", "3 22 92 1\n", "an element of Gmsh's type 92; allowed"},
    {msh4, "6 6 1 6", "6 99999999999999999999 1 6", "number of elements is '99999999999999999999'"},
};

Test(gmsh, every_fault_is_found_and_named_with_its_line)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        buffer b = {.n = 0};
        const char *at = strstr(faults[i].text, faults[i].from);
        cr_assert_not_null(at, "fault %zu", i);
        memcpy(b.bytes, faults[i].text, b.n = (size_t)(at - faults[i].text));
        text(&b, "%s%s", faults[i].to, at + strlen(faults[i].from));
        write_bytes(path, b.bytes, b.n);
        cr_assert_eq(mt_gmsh_read(&arena, path, 1, &mesh), MT_INPUT, "fault %zu (%s)", i, faults[i].why);
        assert_message(path);
        assert_message(faults[i].why);
        mt_arena_free(&arena);
    }
}

Test(gmsh, faults_of_binary_files_are_named_with_their_byte)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    buffer b = binary4();
    memcpy(b.bytes + strlen("$MeshFormat\n4.1 1 8\n"), (unsigned char[]){0, 0, 0, 1}, 4);
    write_bytes(path, b.bytes, b.n);
    cr_assert_eq(mt_gmsh_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("the file is big-endian");
    b = binary4();
    write_bytes(path, b.bytes, b.n - strlen("\n$EndElements\n") - 3);
    cr_assert_eq(mt_gmsh_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("byte 1");
    assert_message("the file ends before the node of an element");
    write_bytes(path, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", 36);
    cr_assert_eq(mt_gmsh_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("has no tetrahedra");
    cr_assert_eq(mt_gmsh_read(&arena, "/tmp/myotile_no_such.msh", 1, &mesh), MT_FILE);
    mt_arena_free(&arena);
}

/* ---- writing */

/* A slab of two regions in turns and some tagged triangles, with coordinates that show every bit. */
static void make(mt_arena *arena, mt_mesh *mesh)
{
    ok(mt_slab_make(arena, (double[]){2, 1, 1}, 0.5, mesh));
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] /= 3;
    for (size_t c = 0; c < mesh->n_cells; c++) mesh->region[c] = c % 2 ? 70000 : 2;
    ok(mt_mesh_new_faces(arena, 10, mesh));
    for (uint32_t f = 0; f < 10; f++) {
        for (uint32_t k = 0; k < 3; k++) mesh->face_vertex[3 * f + k] = 3 * f + k;
        mesh->face_tag[f] = f % 3 ? 4 : 2;
    }
}

Test(gmsh, what_is_written_comes_back_sorted_by_region)
{
    mt_arena arena = {0};
    mt_mesh out, in;
    size_t c = 0, f = 0;
    make(&arena, &out);
    ok(mt_gmsh_write(path, &out));
    ok(mt_gmsh_read(&arena, path, 1, &in));
    cr_assert(in.n_vertices == out.n_vertices && in.n_cells == out.n_cells && in.n_faces == out.n_faces);
    cr_assert_arr_eq(in.xyz_mm, out.xyz_mm, 3 * out.n_vertices * sizeof *out.xyz_mm);
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = (size_t)pass; k < out.n_cells; k += 2, c++) {
            cr_assert_arr_eq(in.cell_vertex + 4 * c, out.cell_vertex + 4 * k, 4 * sizeof *out.cell_vertex);
            cr_assert_eq(in.region[c], out.region[k]);
        }
    for (int tag = 2; tag <= 4; tag += 2)
        for (size_t k = 0; k < out.n_faces; k++) {
            if (out.face_tag[k] != tag) continue;
            cr_assert_eq(in.face_tag[f], tag);
            cr_assert_arr_eq(in.face_vertex + 3 * f++, out.face_vertex + 3 * k, 3 * sizeof *out.face_vertex);
        }
    cr_assert(c == out.n_cells && f == out.n_faces);
    mt_arena_free(&arena);
}

Test(gmsh, a_mesh_that_msh_has_no_room_for_is_refused_and_nothing_is_written)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    make(&arena, &mesh);
    cr_assert_eq(mt_gmsh_write("/tmp/myotile_no_such_directory/a.msh", &mesh), MT_FILE);
    mesh.region[5] = 0;
    (void)unlink(path);
    cr_assert_eq(mt_gmsh_write(path, &mesh), MT_INPUT);
    assert_message("region 0; in MSH tags are 1 and above");
    cr_assert(access(path, F_OK) != 0 && leftovers(path) == 0);
    mt_arena_free(&arena);
}

Test(gmsh, without_memory_there_is_a_failure_and_no_leak)
{
    write_bytes(path, msh4, sizeof msh4 - 1);
    for (int writing = 0; writing < 2; writing++) {
        mt_status status = MT_FILE;
        for (size_t n = 1; status != MT_OK; n++) {
            mt_arena arena = {0};
            mt_mesh mesh;
            if (writing) make(&arena, &mesh);
            mt_arena_fail_at(n);
            status = writing ? mt_gmsh_write(path, &mesh) : mt_gmsh_read(&arena, path, 1, &mesh);
            mt_arena_fail_at(0);
            mt_arena_free(&arena);
            cr_assert(status == MT_OK || status == MT_FILE, "take %zu: %s", n, mt_message());
            cr_assert(status != MT_OK || n > 8, "take %zu", n);
        }
    }
}
