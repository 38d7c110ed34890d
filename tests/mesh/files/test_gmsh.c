#include <criterion/criterion.h>

#include <math.h>
#include <unistd.h>

#include "mesh/files/gmsh.h"
#include "mesh/make/slab.h"
#include "tests/answers.h"
#include "tests/gmsh_run.h"
#include "tests/leftovers.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/examples.h"
#include "tests/one_file.h"

TestSuite(gmsh, .init = enter, .fini = leave);

enum { KINDS = 6 };

static buffer kind(int k)
{
    buffer b = {.n = 0};
    if (k == 0) text(&b, msh2);
    if (k == 1) text(&b, msh4);
    if (k == 4) text(&b, msh4_parts);
    return k == 2 ? binary2() : k == 3 ? binary4() : k == 5 ? binary4_parts() : b;
}

/* ---- reading */

Test(gmsh, one_mesh_is_read_equally_from_every_version_as_text_and_binary)
{
    static const double xyz[15] = {10, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, -10};
    static const uint32_t elements[8] = {1, 0, 2, 3, 1, 0, 2, 4}, face[3] = {1, 3, 0};
    for (int k = 0; k < KINDS; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        buffer b = kind(k);
        write_bytes(path, b.bytes, b.n);
        ok(mt_gmsh_read(&arena, path, 10, &mesh));
        cr_assert(mesh.n_vertices == 5 && mesh.n_elements == 2 && mesh.n_faces == 1, "kind %d", k);
        cr_assert_arr_eq(mesh.xyz_mm, xyz, sizeof xyz, "kind %d", k);
        cr_assert_arr_eq(mesh.element_vertex, elements, sizeof elements, "kind %d", k);
        cr_assert_arr_eq(mesh.face_vertex, face, sizeof face, "kind %d", k);
        cr_assert(mesh.face_tag[0] == 4 && mesh.region[0] == 3 && mesh.region[1] == 0, "kind %d", k);
        cr_assert_null(mesh.fibre);
        mt_arena_free(&arena);
    }
}

struct fault {
    const char *text, *from, *to, *why;
};

static const struct fault faults[] = {
    {msh2, "$MeshFormat\n", "solid\n", ":1: not an MSH file"},
    {msh2, "2.2 0 8", "2.3 0 8", ":2: MSH version '2.3'"},
    {msh2, "2.2 0 8", "4 0 8", ":2: MSH version '4'; allowed: 2 to 2.2 and 4.1"},
    {msh2, "2.2 0 8", "2.2 0 4", ":2: data size is '4'"},
    {msh2, "2.2 0 8", "2.2 2 8", ":2: file type (0 text, 1 binary) is '2'"},
    {msh2, "$EndMeshFormat", "$EndMesh", ":3: '$EndMesh'; expected: $EndMeshFormat"},
    {msh2, "$EndPhysicalNames", "", ":8: '$Nodes'; expected: $EndPhysicalNames"},
    {msh2, "$PhysicalNames\n1", "$PhysicalNames\n1000", ":5: number of physical names is 1000"},
    {msh2, "2 4 \"rv", "4 4 \"rv", ":6: dimension of a name is '4'"},
    {msh2, "4 \"rv $Nodes\"", "4 rv $Nodes", ":6: physical tag 4 has no name in double quotes"},
    {msh2, "4 \"rv $Nodes\"", "4 \"rv $Nodes", ":6: physical tag 4 has no name in double quotes"},
    {msh2, "$Nodes\n6", "$Nodes\n60000", ":9: number of nodes is 60000; the rest of the file has space for "},
    {msh2, "$Nodes\n6", "$Nodes\n5", ":15: '7'; expected: $EndNodes"},
    {msh2, "$Nodes\n6", "$Nodes\n7", ":16: number of a node is '$EndNodes'"},
    {msh2, "20 1 0 0", "20 nan 0 0", ":10: coordinate is 'nan'; allowed: a number from"},
    {msh2, "20 1 0 0", "20 1e10 0 0", ":10: coordinate is '1e10'"},
    {msh2, "20 1 0 0", "10 1 0 0", "duplicate node 10"},
    {msh2, "$Elements\n6", "$Elements\n5", ":24: '6'; expected: $EndElements"},
    {msh2, "5 4 3 3 21 0 10 20 30 5", "5 5 3 3 21 0 10 20 30 5 7 99 5 5",
        "an element of Gmsh's type 5 (hexahedron); allowed"},
    {msh2, "6 4 2 0 22 10 20 30 7", "6 4 2 0 22 10 20 30 8", ":24: an element has node 8"},
    {msh2, "$EndElements\n", "$EndElements\nrubbish", ":26: 'rubbish"},
    {msh4, "$Entities\n1 1 2 2", "$Entities\n1 1 2 2000", ":5: number of entities is 2000"},
    {msh4, "2 6 5 99", "3 6 5 99", "dimension of an entity is '$EndNodes'"},
    {msh4, "2 6 5 99", "1 6 5 99", "$EndNodes"},
    {msh4, "2 6 5 99", "2 5 5 99", "3 nodes of an entity; $Nodes counts 5, 3 of them already read"},
    {msh4, "6 6 1 6", "6 7 1 6", "the blocks of $Elements have 6 elements; it counts 7"},
    {msh4, "6 6 1 6", "6 5 1 6", "1 elements of an entity; $Elements counts 5"},
    {msh4, "3 22 4 1\n", "3 22 29 1\n", "an element of Gmsh's type 29 (tetrahedron of 20 nodes)"},
    {msh4, "3 22 4 1\n", "3 22 92 1\n", "an element of Gmsh's type 92; allowed"},
    {msh4, "6 6 1 6", "6 99999999999999999999 1 6", "number of elements is '99999999999999999999'"},
    {msh4, "22 0 0 -1", "21 0 0 -1", ":11: duplicate entity 21 of dimension 3"},
    {msh4, "$EndEntities\n", "$EndEntities\n$Entities\n0 0 0 0\n$EndEntities\n",
        "a second section $Entities"},
    {msh4, "$EndElements\n", "$EndElements\n$PartitionedEntities\n",
        "$PartitionedEntities after $Elements; allowed: before them"},
    {msh4_parts, "2\n1\n50 2\n", "2\n1000\n50 2\n", ":13: number of ghost entities is 1000"},
    {msh4_parts, "50 2\n1 0 3 2", "50 2\n1 0 3 1", ":21: '41'; expected: $EndPartitionedEntities"},
    {msh4_parts, "35 2 11", "35 4 11",
        ":17: dimension of a parent is '4'; allowed: a whole number from 0 to 3"},
    {msh4_parts, "33 3 21 2 1 2", "33 3 21 x 1 2", ":18: number of partitions is 'x'"},
    {msh4_parts, "50 2\n1 0 3 2", "42 2\n1 0 3 2",
        ":49: 1 ghost elements (copies from other partitions); allowed: the complete mesh in one file, "
        "without ghosts (gmsh -part N without -part_split)"},
};

Test(gmsh, every_fault_is_reported_with_its_line)
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

/* Without $Entities the parts' own tags are used; a partition boundary's tag is not its own. */
Test(gmsh, parts_of_a_partitioned_mesh_have_the_tags_of_their_parent_entities)
{
    static const int32_t regions[2][2] = {{3, 0}, {5, 0}};
    static const size_t n_faces[2] = {1, 0};
    for (int alone = 0; alone < 2; alone++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        buffer b = {.n = 0};
        const char *start = strstr(msh4_parts, "$Entities"), *end = strstr(msh4_parts, "$Partitioned"),
                   *own = strstr(msh4_parts, "1 3 2 35 33");
        text(&b, "%.*s", (int)(start - msh4_parts), msh4_parts);
        if (!alone) text(&b, "%.*s", (int)(end - start), start);
        text(&b, "%.*s1 5%s", (int)(own - end), end, own + 3);
        write_bytes(path, b.bytes, b.n);
        ok(mt_gmsh_read(&arena, path, 1, &mesh));
        cr_assert_arr_eq(mesh.region, regions[alone], sizeof regions[alone], "alone: %d", alone);
        cr_assert_eq(mesh.n_faces, n_faces[alone], "alone: %d", alone);
        mt_arena_free(&arena);
    }
}

/* Sums elements and tagged triangles by region or tag: their number, and the sum of their corners' coordinates. */
static void sum_up(const mt_mesh *mesh, double sum[10][4])
{
    memset(sum, 0, 10 * sizeof *sum);
    for (size_t k = 0; k < 4 * mesh->n_elements + 3 * mesh->n_faces; k++) {
        const bool element = k < 4 * mesh->n_elements;
        const size_t f = k - 4 * mesh->n_elements;
        const double *x = mesh->xyz_mm + 3 * (element ? mesh->element_vertex[k] : mesh->face_vertex[f]);
        double *at = sum[element ? mesh->region[k / 4] : mesh->face_tag[f / 3]];
        at[0]++;
        for (int i = 0; i < 3; i++) at[1 + i] += x[i] * x[i];
    }
}

/* A box of two regions with one tagged side, written by Gmsh with two more options (NULL: none). */
static void gmsh_two_boxes(mt_arena *arena, const char *const more[2], mt_mesh *mesh)
{
    static const char geometry[] =
        "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\nBox(2) = {1, 0, 0, 1, 1, 1};\n"
        "Coherence;\nPhysical Volume(7) = {1};\nPhysical Volume(9) = {2};\nPhysical Surface(5) = {1};\n"
        "Mesh.CharacteristicLengthMin = 0.4;\nMesh.CharacteristicLengthMax = 0.4;\n";
    char script[96], msh[96];
    (void)snprintf(script, sizeof script, "%s.geo", path);
    (void)snprintf(msh, sizeof msh, "%s.msh", path);
    write_bytes(script, geometry, strlen(geometry));
    char *arguments[] = {"gmsh", script, "-3", "-nt", "1", "-v", "1", "-format", "msh41", "-o", msh, "-part",
        more[0] ? "4" : "0", (char *)(uintptr_t)more[0], (char *)(uintptr_t)more[1], NULL};
    const int code = gmsh_run(arguments);
    const mt_status status = code == 0 ? mt_gmsh_read(arena, msh, 1, mesh) : MT_FILE;
    (void)unlink(script), (void)unlink(msh);
    cr_assert_eq(code, 0, "the gmsh program is needed to make this test's mesh, and it ended with %d", code);
    ok(status);
}

/* Files from Gmsh itself. Sums of some thousand squares of at most 4, in another order: the rounding error is far below 1e-9. */
Test(gmsh, a_mesh_partitioned_by_gmsh_keeps_its_regions_and_surfaces)
{
    static const char *const more[][2] = {{NULL, NULL}, {"-part_topo", NULL}, {"-part_topo", "-bin"},
        {"-part_ghosts", "-bin"}, {"-part_no_topo", NULL}};
    double whole[10][4], parts[10][4];
    for (size_t kind = 0; kind < sizeof more / sizeof *more; kind++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        gmsh_two_boxes(&arena, more[kind], &mesh);
        sum_up(&mesh, kind ? parts : whole);
        cr_assert(whole[5][0] > 20 && whole[7][0] > 400 && whole[9][0] > 400);
        for (size_t k = 0; k < 40 && kind; k++)
            cr_assert_float_eq(
                parts[k / 4][k % 4], whole[k / 4][k % 4], 1e-9, "kind %zu: tag %zu", kind, k / 4);
        mt_arena_free(&arena);
    }
}

Test(gmsh, faults_in_binary_files_are_reported_with_their_byte_offset)
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

/* A slab with two alternating regions, different fibres and sheets in each element, and some tagged triangles, with coordinates that use
 * every bit. */
static void make(mt_arena *arena, mt_mesh *mesh)
{
    ok(mt_slab_make(arena, (double[]){2, 1, 1}, 0.5, mesh));
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] /= 3;
    mesh->sheet = mt_arena_alloc(arena, 3 * mesh->n_elements, sizeof *mesh->sheet);
    cr_assert_not_null(mesh->sheet);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        mesh->region[c] = c % 2 ? 70000 : 2;
        cr_assert(
            mt_mesh_put_directions(mesh, c, (double[]){3, (double)c, 1}, (double[]){0, 1, -(double)c / 7}));
    }
    ok(mt_mesh_new_faces(arena, 10, mesh));
    for (uint32_t f = 0; f < 10; f++) {
        for (uint32_t k = 0; k < 3; k++) mesh->face_vertex[3 * f + k] = 3 * f + k;
        mesh->face_tag[f] = f % 3 ? 4 : 2;
    }
}

Test(gmsh, written_meshes_are_read_back_sorted_by_region)
{
    mt_arena arena = {0};
    mt_mesh out, in;
    size_t c = 0, f = 0;
    make(&arena, &out);
    ok(mt_gmsh_write(path, &out));
    ok(mt_gmsh_read(&arena, path, 1, &in));
    cr_assert(
        in.n_vertices == out.n_vertices && in.n_elements == out.n_elements && in.n_faces == out.n_faces);
    cr_assert_arr_eq(in.xyz_mm, out.xyz_mm, 3 * out.n_vertices * sizeof *out.xyz_mm);
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = (size_t)pass; k < out.n_elements; k += 2, c++) {
            cr_assert_arr_eq(
                in.element_vertex + 4 * c, out.element_vertex + 4 * k, 4 * sizeof *out.element_vertex);
            cr_assert_eq(in.region[c], out.region[k]);
            for (size_t i = 0; i < 3; i++) {
                cr_assert_float_eq(in.fibre[3 * c + i], out.fibre[3 * k + i], 1e-15);
                cr_assert_float_eq(in.sheet[3 * c + i], out.sheet[3 * k + i], 1e-15);
            }
        }
    for (int tag = 2; tag <= 4; tag += 2)
        for (size_t k = 0; k < out.n_faces; k++) {
            if (out.face_tag[k] != tag) continue;
            cr_assert_eq(in.face_tag[f], tag);
            cr_assert_arr_eq(in.face_vertex + 3 * f++, out.face_vertex + 3 * k, 3 * sizeof *out.face_vertex);
        }
    cr_assert(c == out.n_elements && f == out.n_faces);
    mt_arena_free(&arena);
}

/* Triangles of tag 0 are not a surface. */
Test(gmsh, untagged_triangles_are_omitted)
{
    mt_arena arena = {0};
    mt_mesh out, in;
    make(&arena, &out);
    for (size_t f = 0; f < 5; f++) out.face_tag[f] = 0;
    ok(mt_gmsh_write(path, &out));
    ok(mt_gmsh_read(&arena, path, 1, &in));
    cr_assert(in.n_elements == out.n_elements && in.n_faces == out.n_faces - 5);
    for (size_t f = 0; f < in.n_faces; f++) cr_assert_neq(in.face_tag[f], 0);
    mt_arena_free(&arena);
}

/* Gmsh 4.8 then states more nodes than it writes; a later version may not. */
Test(gmsh, a_mesh_resaved_by_gmsh_without_untagged_elements_is_read)
{
    char again[96];
    mt_arena arena = {0};
    mt_mesh out, in;
    make(&arena, &out);
    size_t n_tagged = 0;
    for (size_t c = 0; c < out.n_elements; c++) {
        out.region[c] = c < 10 ? 0 : 3;
        n_tagged += out.region[c] > 0;
    }
    ok(mt_gmsh_write(path, &out));
    (void)snprintf(again, sizeof again, "%s.again.msh", path);
    char *arguments[] = {"gmsh", path, "-save", "-v", "1", "-format", "msh41", "-o", again, NULL};
    cr_assert_eq(gmsh_run(arguments), 0, "the gmsh program is needed");
    const mt_status status = mt_gmsh_read(&arena, again, 1, &in);
    (void)unlink(again);
    ok(status);
    cr_assert_eq(in.n_elements, n_tagged);
    cr_assert_eq(in.n_faces, out.n_faces);
    mt_arena_free(&arena);
}

Test(gmsh, a_mesh_that_msh_cannot_represent_is_rejected_and_no_file_is_written)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    make(&arena, &mesh);
    cr_assert_eq(mt_gmsh_write("/tmp/myotile_no_such_directory/a.msh", &mesh), MT_FILE);
    mesh.region[5] = -1;
    (void)unlink(path);
    cr_assert_eq(mt_gmsh_write(path, &mesh), MT_INPUT);
    assert_message("region -1; in MSH tags are 1 and above");
    for (size_t c = 0; c < mesh.n_elements; c++) mesh.region[c] = 0;
    cr_assert_eq(mt_gmsh_write(path, &mesh), MT_INPUT);
    assert_message("region 0; in MSH tags are 1 and above");
    cr_assert(access(path, F_OK) != 0 && leftovers(path) == 0);
    mt_arena_free(&arena);
}

Test(gmsh, out_of_memory_is_reported_without_a_leak)
{
    write_bytes(path, msh4, sizeof msh4 - 1);
    for (int writing = 0; writing < 2; writing++) {
        mt_status status = MT_MEMORY;
        for (size_t n = 1; status != MT_OK; n++) {
            mt_arena arena = {0};
            mt_mesh mesh;
            if (writing) make(&arena, &mesh);
            mt_arena_fail_at(n);
            status = writing ? mt_gmsh_write(path, &mesh) : mt_gmsh_read(&arena, path, 1, &mesh);
            mt_arena_fail_at(0);
            mt_arena_free(&arena);
            cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", n, mt_message());
            cr_assert(status != MT_OK || n > 8, "take %zu", n);
        }
    }
}
