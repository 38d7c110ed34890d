#include <criterion/criterion.h>

#include <unistd.h>

#include "tests/answers.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/vtk_sample.h"
#include "tests/one_file.h"

TestSuite(vtk, .init = enter, .fini = leave);

static void read_bytes(mt_arena *arena, const buffer *b, mt_mesh *mesh)
{
    write_bytes(path, b->bytes, b->n);
    ok(mt_vtk_read(arena, path, 1, mesh));
}

Test(vtk, one_mesh_is_read_bit_identically_from_every_version_as_text_and_binary)
{
    for (int i = 0; i < VTK_KINDS; i++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        const buffer b = vtk_file(&vtk_kinds[i]);
        read_bytes(&arena, &b, &mesh);
        assert_sample(&mesh, vtk_kinds[i].version);
        mt_arena_free(&arena);
    }
}

Test(vtk, coordinates_are_in_the_specified_unit)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const buffer b = vtk_file(&vtk_kinds[1]);
    write_bytes(path, b.bytes, b.n);
    ok(mt_vtk_read(&arena, path, 10, &mesh));
    for (int k = 0; k < 3 * N_POINTS; k++) cr_assert_eq(mesh.xyz_mm[k], 10 * sample_xyz[k]);
    mt_arena_free(&arena);
}

Test(vtk, triangles_of_polygonal_data_form_a_tagged_surface)
{
    static const uint32_t faces[6] = {0, 1, 2, 1, 2, 3};
    for (int k = 0; k < VTK_KINDS; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        const buffer b = vtk_surface(&vtk_kinds[k]);
        read_bytes(&arena, &b, &mesh);
        cr_assert(mesh.n_elements == 0 && mesh.n_faces == 2 && mesh.n_vertices == 4);
        cr_assert_arr_eq(mesh.face_vertex, faces, sizeof faces);
        cr_assert(mesh.face_tag[0] == 8 && mesh.face_tag[1] == 9);
        cr_assert(!mesh.fibre && !mesh.sheet && !mesh.depth && !mesh.layer);
        mt_arena_free(&arena);
    }
}

/* ---- directions */

static const char tetrahedra[] =
    "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
    "1 0 0 0 0 0 0 1 0 0 0 1 0 0 -1\nCELLS 2 10\n4 0 1 2 3\n4 0 1 2 4\nCELL_TYPES 2\n10 10\n";

static mt_status read_with(mt_arena *arena, const char *data, mt_mesh *mesh)
{
    buffer b = {.n = 0};
    text(&b, "%s%s", tetrahedra, data);
    write_bytes(path, b.bytes, b.n);
    return mt_vtk_read(arena, path, 1, mesh);
}

/* The depth has another name, one of the two cells has no valid fibre, and the depth of points is not that of cells. */
Test(vtk, without_arrays_regions_are_1_and_fibres_undefined)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    ok(read_with(&arena,
        "CELL_DATA 2\nSCALARS Depth float\nLOOKUP_TABLE default\n1 2\nFIELD f 1\nfibre 3 1 float\n1 0 0\n"
        "POINT_DATA 5\nSCALARS depth float\nLOOKUP_TABLE default\n1 2 3 4 5\n",
        &mesh));
    cr_assert(mesh.region[0] == 1 && mesh.region[1] == 1);
    cr_assert(!mesh.fibre && !mesh.sheet && !mesh.depth && !mesh.layer && mesh.n_faces == 0);
    mt_arena_free(&arena);
}

/* The first cell's points have the axis (3, 4, 0) / 5 three times, in either direction, and (0, 0, 1): the sum of f f' has the eigenvalues
 * 3 along the former and 1 along the latter. The sign is that of the first point. Jacobi rotations are accurate to some roundings:
 * 1e-15. */
Test(vtk, point_fibres_become_the_mean_axis_of_their_cell)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    ok(read_with(
        &arena, "POINT_DATA 5\nVECTORS fibres double\n-.6 -.8 0 .6 .8 0 .6 .8 0 0 0 1 .6 .8 0\n", &mesh));
    const double axis[3] = {-0.6, -0.8, 0};
    for (int k = 0; k < 6; k++)
        cr_assert_float_eq(mesh.fibre[k], axis[k % 3], 1e-15, "%d: %.17g", k, mesh.fibre[k]);
    mt_arena_free(&arena);
}

Test(vtk, cell_fibres_take_precedence_over_point_fibres)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    ok(read_with(&arena,
        "POINT_DATA 5\nVECTORS fibre double\n1 0 0 1 0 0 1 0 0 1 0 0 1 0 0\n"
        "CELL_DATA 2\nVECTORS F0 double\n0 1 0 0 0 1\n",
        &mesh));
    cr_assert(mesh.fibre[1] == 1 && mesh.fibre[5] == 1);
    mt_arena_free(&arena);
}

Test(vtk, sheets_parallel_to_their_fibres_are_dropped)
{
    static const char *const sheets[] = {"1 0 0 0 0 1", "0 1 0 0 0 0"};
    for (int k = 0; k < 2; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        char data[256];
        (void)snprintf(data, sizeof data,
            "CELL_DATA 2\nVECTORS fibre float\n2 0 0 0 1 0\nVECTORS sheet float\n%s\n", sheets[k]);
        ok(read_with(&arena, data, &mesh));
        cr_assert(mesh.fibre && !mesh.sheet && mesh.fibre[0] == 1 && mesh.fibre[4] == 1);
        mt_arena_free(&arena);
    }
}

/* ---- faults */

struct fault {
    int kind;
    const char *from, *to, *why;
};

static const struct fault faults[] = {
    {0, "# vtk DataFile", "# vtu DataFile",
        ":1: not a legacy VTK file: it does not begin with '# vtk DataFile"},
    {0, "Version 3.0", "Version 6.0", ":1: version '6.0'; allowed: 1.0 to 5.1"},
    {0, "ASCII", "UTF-8", ":3: 'UTF-8'; allowed: ASCII, BINARY"},
    {0, "DATASET", "DATA", ":4: 'DATA'; expected: DATASET"},
    {0, "UNSTRUCTURED_GRID", "RECTILINEAR_GRID", ":4: DATASET 'RECTILINEAR_GRID'; allowed"},
    {0, "UNSTRUCTURED_GRID", "POLYDATA", "'CELLS'; expected: a section of a POLYDATA"},
    {0, "POINTS 7", "POINTS 700000", ":8: number of points is 700000; the rest of the file has space for "},
    {0, "POINTS 7", "POINTS 6", "'5'; expected: a section of a UNSTRUCTURED_GRID"},
    {0, "POINTS 7 float", "POINTS 7 flt", ":8: type of numbers 'flt'; allowed: char"},
    {0, "1 0 0\n0 0 0", "1 nan 0\n0 0 0", "point 0: coordinate nan"},
    {0, "1 0 0\n0 0 0", "1 -nan( 0\n0 0 0", ":9: coordinate is '-nan('"},
    {0, "1 0 0\n0 0 0", "1 1e10 0\n0 0 0", "point 0: coordinate 1e+10"},
    {0, "CELLS 6 23", "CELLS 6 22", ": cell 5 of 6 ends after the 22 numbers of the section"},
    {0, "CELLS 6 23", "CELLS 5 23", "CELLS: the cells have 19 numbers; the section counts 23"},
    {0, "CELLS 6 23", "CELLS 60 23", "60 CELLS in 23 numbers"},
    {0, "1 5 4\n", "1 5 -4\n", ": cell 1 of 6 ends after the "},
    {0, "1 5 4\n1 0 2", "1 5 4\n1 0 7", "cell 1: point 7; allowed: a whole number below 7"},
    {0, "1 5 4\n1 0 2", "1 5 4\n1 0 0.5", "cell 1: point 0.5"},
    {0, "CELL_TYPES 6", "CELL_TYPES 5", "'5'; expected: a section"},
    {0, "1 10 5\n3 10 5", "1 10 5\n3 12 5",
        "cell 4 is of VTK's type 12 (hexahedron); allowed: tetrahedra (10, 24, 71)"},
    {0, "1 10 5\n3 10 5", "1 10 5\n3 200 5", "cell 4 is of VTK's type 200; allowed"},
    {0, "1 10 5\n3 10 5", "1 10 5\n3 1e9 5", "cell 4: type 1e+09"},
    {0, "1 10 5\n3 10 5", "1 10 5\n3 5 5", "cell 4, a triangle, has 4 corners"},
    {0, "1 10 5\n3 10 5", "1 1 1\n3 1 1", "has no tetrahedra and no triangles among its 6 cells"},
    {0, "CELL_DATA 6", "CELL_DATA 5", "CELL_DATA 5; the mesh has 6 cells"},
    {0, "POINT_DATA 7", "POINT_DATA 8", "POINT_DATA 8; the mesh has 7 points"},
    {0, "0 0 2\n", "0 0 0\n",
        ": cell 1: fiber has length 0 (bath, or isotropic), as in 1 of 2 tetrahedra; every cell needs a "
        "direction"},
    {0, "0 0 2\n", "0 0 2e6\n", "cell 1: fiber has 2e+06; allowed: numbers from"},
    {0, "depth 1 6 double", "depth 1 5 double", "components of an array is 'layer'"},
    {0, "FieldData 4", "FieldData 5", "length of an array is 'NORMALS'"},
    {0, "NORMALS", "NORMAL", "'NORMAL'; expected: a section or a data array"},
    {1, "CELL_DATA 6", "CELL_DATA 5",
        ":16: CELL_DATA 5; the mesh has 6 cells"}, /* line numbers as in an editor */
    {1, "POINTS 7 float", "POINTS 7 double", "'; expected: a section of a UNSTRUCTURED_GRID"},
    {1, "POINTS 7 float", "POINTS 300 float",
        "900 numbers (coordinate) are counted; the rest of the file has space for "},
    {2, "UNSTRUCTURED_GRID", "POLYDATA", "'CELL_TYPES'; expected: a section of a POLYDATA"},
    {2, "OFFSETS", "OFFSET", "'OFFSET'; expected: OFFSETS"},
    {2, "0 1 5\n8 10 14\n17", "0 1 5\n8 10 14\n16", "CELLS: offsets from 0 to 16; allowed: from 0 to 17"},
    {2, "0 1 5\n8 10 14\n17", "0 5 1\n8 10 14\n17",
        "cell 1: its corners end at offset 1; allowed: a whole number from 5 to 17"},
    {2, "CELLS 7 17", "CELLS 7 1700000",
        "size of the section is 1700000; the rest of the file has space for "},
};

Test(vtk, every_fault_is_reported_with_its_position)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        buffer b = vtk_file(&vtk_kinds[faults[i].kind]);
        replace(&b, faults[i].from, faults[i].to);
        write_bytes(path, b.bytes, b.n);
        cr_assert_eq(mt_vtk_read(&arena, path, 1, &mesh), MT_INPUT, "fault %zu (%s)", i, faults[i].why);
        assert_message(path);
        assert_message(faults[i].why);
        mt_arena_free(&arena);
    }
}

/* Otherwise there would be too few. */
Test(vtk, data_sections_before_points_or_cells_are_rejected)
{
    static const char *const sections[2][3] = {
        {"POINTS", "POINT_DATA 0\nVECTORS fibre float\nPOINTS",
            "POINTS after CELL_DATA or POINT_DATA; allowed: before them"},
        {"CELLS", "CELL_DATA 0\nSCALARS region int\nLOOKUP_TABLE default\nCELLS",
            "CELLS after CELL_DATA or POINT_DATA; allowed: before them"}};
    for (int k = 0; k < 2; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        buffer b = {.n = 0};
        text(&b, "%s", tetrahedra);
        replace(&b, sections[k][0], sections[k][1]);
        write_bytes(path, b.bytes, b.n);
        cr_assert_eq(mt_vtk_read(&arena, path, 1, &mesh), MT_INPUT, "%s", sections[k][0]);
        assert_message(sections[k][2]);
        mt_arena_free(&arena);
    }
}

Test(vtk, truncated_and_missing_files_are_rejected)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    write_bytes(path, tetrahedra, sizeof tetrahedra - sizeof "CELL_TYPES 2\n10 10\n");
    cr_assert_eq(mt_vtk_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("0 CELL_TYPES for 2 CELLS");
    write_bytes(path, tetrahedra, (size_t)(strstr(tetrahedra, "POINTS") - tetrahedra));
    cr_assert_eq(mt_vtk_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("the file ends without POINTS");
    const buffer b = vtk_file(&vtk_kinds[3]);
    const unsigned char *corners = memmem(b.bytes, b.n, "CONNECTIVITY", 12);
    write_bytes(path, b.bytes, (size_t)(corners - b.bytes) + 100);
    cr_assert_eq(mt_vtk_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("17 numbers (CONNECTIVITY) are counted; the rest of the file has space for 9");
    cr_assert_eq(mt_vtk_read(&arena, "/tmp/myotile_no_such.vtk", 1, &mesh), MT_FILE);
    assert_message("/tmp/myotile_no_such.vtk");
    mt_arena_free(&arena);
}

Test(vtk, out_of_memory_is_reported_without_a_leak)
{
    mt_status status = MT_MEMORY;
    const buffer b = vtk_file(&vtk_kinds[3]);
    write_bytes(path, b.bytes, b.n);
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_arena_fail_at(n);
        status = mt_vtk_read(&arena, path, 1, &mesh);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", n, mt_message());
        cr_assert(status != MT_OK || n > 15, "take %zu", n);
    }
}
