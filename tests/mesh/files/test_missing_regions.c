#include <criterion/criterion.h>

#include "mesh/files/formats.h"
#include "mesh/repair/repair.h"
#include "mesh/names.h"
#include "tests/answers.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/examples.h"
#include "tests/temporary.h"

/* Elements without a region, and duplicate elements with two regions, in every format. */

static char folder[64], stem[96];

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "myotile_missing_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(stem, sizeof stem, "%s/heart", folder);
}

static void leave(void)
{
    char command[96];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(missing_regions, .init = enter, .fini = leave);

/* ---- three elements in every format, two of them with a common face */

enum { ELEMENTS = 3, NONE = -1 };

static const double xyz[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0, -1, 0};
static const uint32_t vertex[2][4 * ELEMENTS] = {{0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 3, 5},
    {0, 1, 2, 3, 0, 2, 1, 4, 2, 1, 0, 4}}; /* the third repeats the second */

static void put_msh2(const uint32_t *v, const int *region)
{
    buffer b = {.n = 0};
    text(&b, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n");
    for (int k = 0; k < 6; k++) text(&b, "%d %g %g %g\n", k, xyz[3 * k], xyz[3 * k + 1], xyz[3 * k + 2]);
    text(&b, "$EndNodes\n$Elements\n%d\n", ELEMENTS);
    for (int c = 0; c < ELEMENTS; c++, v += 4)
        text(&b, "%d 4 2 %d 1 %u %u %u %u\n", c, region[c] == NONE ? 0 : region[c], v[0], v[1], v[2], v[3]);
    text(&b, "$EndElements\n");
    cr_assert(put_buffer(stem, ".msh", b));
}

static void put_msh4(const uint32_t *v, const int *region)
{
    buffer b = {.n = 0};
    text(&b, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 %d\n", ELEMENTS);
    for (int c = 0; c < ELEMENTS; c++) {
        text(&b, "%d 0 0 0 1 1 1 ", c + 1);
        text(&b, region[c] == NONE ? "0 0\n" : "1 %d 0\n", region[c]);
    }
    text(&b, "$EndEntities\n$Nodes\n1 6 0 5\n3 1 0 6\n0 1 2 3 4 5\n");
    numbers(&b, 18, xyz);
    text(&b, "$EndNodes\n$Elements\n%d %d 0 2\n", ELEMENTS, ELEMENTS);
    for (int c = 0; c < ELEMENTS; c++, v += 4)
        text(&b, "3 %d 4 1\n%d %u %u %u %u\n", c + 1, c, v[0], v[1], v[2], v[3]);
    text(&b, "$EndElements\n");
    cr_assert(put_buffer(stem, ".msh", b));
}

static void put_carp(const uint32_t *v, const int *region)
{
    buffer points = {.n = 0}, elements = {.n = 0};
    text(&points, "6\n"), numbers(&points, 18, xyz);
    text(&elements, "%d\n", ELEMENTS);
    for (int c = 0; c < ELEMENTS; c++, v += 4) {
        text(&elements, "Tt %u %u %u %u", v[0], v[1], v[2], v[3]);
        text(&elements, region[c] == NONE ? "\n" : " %d\n", region[c]);
    }
    cr_assert(put_buffer(stem, ".pts", points) && put_buffer(stem, ".elem", elements));
}

/* All or some have an attribute; a text file must state one: 0.5 is not a region. */
static void put_tetgen(const uint32_t *v, const int *region)
{
    buffer points = {.n = 0}, elements = {.n = 0};
    const bool all = region[0] != NONE || region[1] != NONE || region[2] != NONE;
    text(&points, "6 3\n");
    for (int k = 0; k < 6; k++) text(&points, "%d %g %g %g\n", k, xyz[3 * k], xyz[3 * k + 1], xyz[3 * k + 2]);
    text(&elements, "%d 4 %d\n", ELEMENTS, all);
    for (int c = 0; c < ELEMENTS; c++, v += 4)
        text(&elements, all ? "%d %u %u %u %u %g\n" : "%d %u %u %u %u\n", c, v[0], v[1], v[2], v[3],
            region[c] == NONE ? 0.5 : region[c]);
    cr_assert(put_buffer(stem, ".node", points) && put_buffer(stem, ".ele", elements));
}

static void put_vtu(const uint32_t *v, const int *region)
{
    buffer b = {.n = 0};
    text(&b,
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"6\" "
        "NumberOfCells=\"%d\"><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">",
        ELEMENTS);
    numbers(&b, 18, xyz);
    text(&b, "</DataArray></Points><Cells><DataArray type=\"Int32\" Name=\"connectivity\">");
    for (int k = 0; k < 4 * ELEMENTS; k++) text(&b, "%u ", v[k]);
    text(&b, "</DataArray><DataArray type=\"Int32\" Name=\"offsets\">4 8 12</DataArray><DataArray "
             "type=\"UInt8\" Name=\"types\">10 10 10</DataArray></Cells><CellData>");
    if (region[0] != NONE || region[1] != NONE || region[2] != NONE) {
        text(&b, "<DataArray type=\"Float32\" Name=\"gmsh:physical\">");
        for (int c = 0; c < ELEMENTS; c++) text(&b, region[c] == NONE ? "nan " : "%d ", region[c]);
        text(&b, "</DataArray>");
    }
    text(&b, "</CellData></Piece></UnstructuredGrid></VTKFile>");
    cr_assert(put_buffer(stem, ".vtu", b));
}

static void put_vtk(const uint32_t *v, const int *region)
{
    buffer b = {.n = 0};
    text(&b, "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 float\n");
    numbers(&b, 18, xyz);
    text(&b, "CELLS %d %d\n", ELEMENTS, 5 * ELEMENTS);
    for (int c = 0; c < ELEMENTS; c++, v += 4) text(&b, "4 %u %u %u %u\n", v[0], v[1], v[2], v[3]);
    text(&b, "CELL_TYPES 3\n10 10 10\n");
    if (region[0] != NONE || region[1] != NONE || region[2] != NONE) {
        text(&b, "CELL_DATA 3\nSCALARS elemTag double\nLOOKUP_TABLE default\n");
        for (int c = 0; c < ELEMENTS; c++) text(&b, region[c] == NONE ? "1.5 " : "%d ", region[c]);
    }
    cr_assert(put_buffer(stem, ".vtk", b));
}

static void put_xdmf(const uint32_t *v, const int *region)
{
    buffer b = {.n = 0};
    text(&b,
        "<Xdmf Version=\"3.0\"><Domain><Grid Name=\"heart\"><Topology TopologyType=\"Tetrahedron\"><DataItem "
        "Dimensions=\"%d 4\">",
        ELEMENTS);
    for (int k = 0; k < 4 * ELEMENTS; k++) text(&b, "%u ", v[k]);
    text(&b, "</DataItem></Topology><Geometry><DataItem Dimensions=\"6 3\">");
    numbers(&b, 18, xyz);
    text(&b, "</DataItem></Geometry>");
    if (region[0] != NONE || region[1] != NONE || region[2] != NONE) {
        text(&b, "<Attribute Name=\"cell_tags\" Center=\"Cell\"><DataItem Dimensions=\"%d\">", ELEMENTS);
        for (int c = 0; c < ELEMENTS; c++) text(&b, region[c] == NONE ? "nan " : "%d ", region[c]);
        text(&b, "</DataItem></Attribute>");
    }
    text(&b, "</Grid></Domain></Xdmf>");
    cr_assert(put_buffer(stem, ".xdmf", b));
}

static const struct {
    const char *name, *ending;
    void (*put)(const uint32_t *vertex, const int *region);
    bool merges;      /* merged when read; otherwise by a repair */
    const char *note; /* about values that are not regions */
} kinds[] = {{"MSH 2.2", ".msh", put_msh2, true, NULL}, {"MSH 4.1", ".msh", put_msh4, true, NULL},
    {"CARP", ".elem", put_carp, false, NULL},
    {"TetGen", ".ele", put_tetgen, false,
        "attribute: 1 values are not 32-bit integers (the first is 0.5, of element 1) and are not used as "
        "regions"},
    {"VTU", ".vtu", put_vtu, true, NULL}, {"XDMF", ".xdmf", put_xdmf, true, NULL},
    {"VTK", ".vtk", put_vtk, true,
        "elemTag: 1 values are not 32-bit integers (the first is 1.5, of cell 1) and are not used as "
        "regions"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void read_kind(
    mt_arena *arena, int kind, const uint32_t *v, const int *region, double unit_mm, mt_mesh *mesh)
{
    char path[128];
    const mt_mesh_format *format = NULL;
    kinds[kind].put(v, region);
    (void)snprintf(path, sizeof path, "%s%s", stem, kinds[kind].ending);
    ok(mt_mesh_format_find(path, false, &format));
    ok(format->read(arena, path, unit_mm, mesh));
    ok(mt_mesh_check_content(mesh, NULL));
}

static void assert_regions(const char *of, const mt_mesh *mesh, size_t n, const int32_t *region)
{
    cr_assert_eq(mesh->n_elements, n, "%s: %zu elements", of, mesh->n_elements);
    for (size_t c = 0; c < n; c++)
        cr_assert_eq(mesh->region[c], region[c], "%s: element %zu: %d", of, c, mesh->region[c]);
}

/* ---- tests */

Test(missing_regions, elements_without_a_region_get_a_separate_tag_and_a_note)
{
    for (int k = 0; k < KINDS; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        const char *of = kinds[k].name;
        read_kind(&arena, k, vertex[0], (int[]){1, NONE, 7}, 1, &mesh);
        assert_regions(of, &mesh, 3, (int32_t[]){1, 0, 7});
        cr_assert(mesh.notes && strstr(mesh.notes,
                                    "1 of 3 elements have no region in the file: they are assigned tag 0"),
            "%s: %s", of, mesh.notes ? mesh.notes : "no notes");
        cr_assert(!kinds[k].note || strstr(mesh.notes, kinds[k].note), "%s: %s", of, mesh.notes);
        mt_arena_free(&arena);
    }
}

Test(missing_regions, a_file_without_regions_has_region_1)
{
    for (int k = 0; k < KINDS; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        read_kind(&arena, k, vertex[0], (int[]){NONE, NONE, NONE}, 1, &mesh);
        assert_regions(kinds[k].name, &mesh, 3, (int32_t[]){1, 1, 1});
        cr_assert_null(mesh.notes, "%s: %s", kinds[k].name, mesh.notes);
        mt_arena_free(&arena);
    }
}

/* Formats that store an element once for each of its parts merge it when reading, the others in a repair. */
Test(missing_regions, a_duplicate_element_with_two_regions_keeps_both_and_is_reported)
{
    for (int k = 0; k < KINDS; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_repair repair;
        const char *of = kinds[k].name;
        read_kind(&arena, k, vertex[1], (int[]){5, 5, 9}, 1, &mesh);
        cr_assert_eq(mesh.n_elements, kinds[k].merges ? 2 : 3, "%s: %zu", of, mesh.n_elements);
        ok(mt_repair_mesh(&arena, &mesh, &repair));
        cr_assert_eq(repair.repeats.n_merged, kinds[k].merges ? 0 : 1, "%s", of);
        assert_regions(of, &mesh, 2, (int32_t[]){5, 5});
        cr_assert(mt_groups_has(&mesh, 9, 1) && !mt_groups_has(&mesh, 9, 0) && mt_groups_has(&mesh, 5, 1),
            "%s", of);
        cr_assert(
            mesh.notes && strstr(mesh.notes,
                              "1 elements repeat an earlier one with another region (regions 5 and 9: 1)"),
            "%s: %s", of, mesh.notes ? mesh.notes : "no notes");
        mt_arena_free(&arena);
    }
}

/* If the first of the two has no region, it takes that of the second, and needs no group. */
Test(missing_regions, a_duplicate_passes_its_region_to_an_element_without_one)
{
    for (int k = 0; k < KINDS; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        if (!kinds[k].merges) continue;
        read_kind(&arena, k, vertex[1], (int[]){5, NONE, 9}, 1, &mesh);
        assert_regions(kinds[k].name, &mesh, 2, (int32_t[]){5, 9});
        cr_assert(
            mesh.n_groups == 0 && !strstr(mesh.notes, "have no region"), "%s: %s", kinds[k].name, mesh.notes);
        mt_arena_free(&arena);
    }
}

Test(missing_regions, a_duplicate_with_the_same_region_is_a_defect)
{
    for (int k = 0; k < KINDS; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        read_kind(&arena, k, vertex[1], (int[]){5, 9, 9}, 1, &mesh);
        assert_regions(kinds[k].name, &mesh, 3, (int32_t[]){5, 9, 9});
        cr_assert_eq(mesh.n_groups, 0);
        mt_arena_free(&arena);
    }
}

Test(missing_regions, coordinates_are_in_the_specified_unit_in_every_format)
{
    for (int k = 0; k < KINDS; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        read_kind(&arena, k, vertex[0], (int[]){1, 2, 3}, 10, &mesh);
        for (int i = 0; i < 18; i++) cr_assert_eq(mesh.xyz_mm[i], 10 * xyz[i], "%s", kinds[k].name);
        mt_arena_free(&arena);
    }
}

/* ---- more than two */

Test(missing_regions, pairs_of_regions_are_counted_and_groups_of_duplicates_merged)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_repeats repeats;
    bool full;
    ok(mt_slab_make(&arena, (double[]){1, 1, 1}, 1, &mesh));
    for (size_t c = 1; c < mesh.n_elements; c++)
        memcpy(mesh.element_vertex + 4 * c, mesh.element_vertex, 4 * sizeof *mesh.element_vertex);
    cr_assert_eq(mesh.n_elements, 6);
    memcpy(mesh.region, (int32_t[]){1, 2, 3, 2, 1, 1}, 6 * sizeof *mesh.region);
    ok(mt_groups_put(&arena, &mesh, 8, 4, &full)); /* the same region, another group */
    ok(mt_repeats_merge(&arena, &mesh, NULL, &repeats));
    cr_assert(mesh.n_elements == 1 && repeats.n_merged == 5, "%zu elements", mesh.n_elements);
    cr_assert(mt_groups_has(&mesh, 2, 0) && mt_groups_has(&mesh, 3, 0) && mt_groups_has(&mesh, 8, 0));
    ok(mt_repeats_note(&arena, &mesh, &repeats));
    cr_assert(strstr(mesh.notes, "(regions 1 and 2: 2, regions 1 and 3: 1)"), "%s", mesh.notes);
    mt_arena_free(&arena);
}
