#include <criterion/criterion.h>

#include "mesh/files/gmsh.h"
#include "mesh/files/tetgen.h"
#include "mesh/vtk/vtk.h"
#include "mesh/vtk/xdmf.h"
#include "tests/answers.h"
#include "tests/mesh/buffer.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/vtk_files.h"
#include "tests/one_file.h"

/* The arrays of files: which ones a mesh uses, and the notes about the others and about quadratic elements. */

TestSuite(array_names, .init = enter, .fini = leave);

static const char tetrahedra[] =
    "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
    "1 0 0 0 0 0 0 1 0 0 0 1 0 0 -1\nCELLS 2 10\n4 0 1 2 3\n4 0 1 2 4\nCELL_TYPES 2\n10 10\n";

static void read_vtk(mt_arena *arena, const char *data, mt_mesh *mesh)
{
    buffer b = {.n = 0};
    text(&b, "%s%s", tetrahedra, data);
    write_bytes(path, b.bytes, b.n);
    ok(mt_vtk_read(arena, path, 1, mesh));
}

static void assert_note(const mt_mesh *mesh, const char *note)
{
    cr_assert(mesh->notes && strcmp(mesh->notes, note) == 0, "'%s' instead of '%s'",
        mesh->notes ? mesh->notes : "none", note);
}

Test(array_names, every_common_array_name_is_recognised_in_any_case)
{
    static const char *const names[3][16] = {
        {"region", "LABELS", "label", "tag", "elemTag", "Material", "attribute", "gmsh:physical", "cell_tags",
            "Cell-tags", "MaterialIds", "ModelRegionID", NULL},
        {"fibre", "Fiber", "FIBRES", "fibers", "fiber_orientation", "fibreOrientation", "longitudinal", "f0",
            "F", "fiber-direction", NULL},
        {"sheet", "Sheets", "S0", "transverse", "sheet_orientation", NULL}};
    static const char *const data[] = {"CELL_DATA 2\nSCALARS %s int\nLOOKUP_TABLE default\n7 8\n",
        "CELL_DATA 2\nVECTORS %s float\n0 1 0 0 0 1\n",
        "CELL_DATA 2\nVECTORS f float\n0 1 0 0 0 1\nVECTORS %s float\n1 0 0 1 0 0\n"};
    for (int kind = 0; kind < 3; kind++)
        for (int k = 0; names[kind][k]; k++) {
            mt_arena arena = {0};
            mt_mesh mesh;
            buffer b = {.n = 0};
            text(&b, data[kind], names[kind][k]);
            b.bytes[b.n] = 0;
            read_vtk(&arena, (const char *)b.bytes, &mesh);
            cr_assert(kind != 0 || (mesh.region[0] == 7 && mesh.region[1] == 8), "%s", names[kind][k]);
            cr_assert(
                kind == 0 || (mesh.fibre && mesh.fibre[1] == 1 && mesh.fibre[5] == 1), "%s", names[kind][k]);
            cr_assert(kind != 2 || (mesh.sheet && mesh.sheet[0] == 1), "%s", names[kind][k]);
            cr_assert_null(mesh.notes, "%s: %s", names[kind][k], mesh.notes);
            mt_arena_free(&arena);
        }
}

Test(array_names, unused_arrays_are_listed_once_in_one_line)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    read_vtk(&arena,
        "CELL_DATA 2\nSCALARS tag int\nLOOKUP_TABLE default\n7 8\nSCALARS region int\nLOOKUP_TABLE "
        "default\n3 4\n"
        "VECTORS sheet float\n1 0 0 1 0 0\nVECTORS normal float\n1 0 0 1 0 0\nSCALARS scar "
        "float\nLOOKUP_TABLE default\n1 2\n"
        "POINT_DATA 5\nSCALARS labels int\nLOOKUP_TABLE default\n1 2 3 4 5\nTENSORS D float\n"
        "1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1\n",
        &mesh);
    cr_assert(mesh.region[0] == 3 && mesh.region[1] == 4);
    assert_note(&mesh, "found but not used: tag (cells), scar (cells), labels (points), D (points, 9 "
                       "components), sheet (cells, 3 components)\n");
    mt_arena_free(&arena);
}

/* The first element's vertices have two orthogonal directions, the second's one. */
Test(array_names, point_fibres_are_averaged_and_inconsistent_elements_counted)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    read_vtk(&arena, "POINT_DATA 5\nVECTORS Longitudinal float\n1 0 0 1 0 0 -1 0 0 0 1 0 1 0 0\n", &mesh);
    cr_assert(mesh.fibre && mesh.fibre[0] == 1 && mesh.fibre[3] == 1);
    assert_note(&mesh, "fibres: means of longitudinal over the vertices of each element\n");
    read_vtk(&arena, "POINT_DATA 5\nVECTORS Longitudinal float\n1 0 0 1 0 0 0 1 0 0 1 0 1 0 0\n", &mesh);
    assert_note(&mesh, "fibres: means of longitudinal over the vertices of each element; in 1 of 2 elements "
                       "a vertex direction differs from the mean by more than 30 degrees\n");
    mt_arena_free(&arena);
}

/* The same arrays in VTU and XDMF: a region and a fibre under the names of other programs, and two unused arrays. */
Test(array_names, common_array_names_are_recognised_in_xml_files_and_others_listed_once)
{
    static const struct {
        const char *ending, *text;
        mt_status (*read)(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);
    } files[] = {{".vtu",
                     "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" "
                     "NumberOfCells=\"1\"><PointData><DataArray type=\"Float32\" Name=\"V\">1 2 3 "
                     "4</DataArray></PointData><CellData><DataArray type=\"Int32\" "
                     "Name=\"labels\">6</DataArray><DataArray type=\"Float32\" Name=\"fiber_orientation\" "
                     "NumberOfComponents=\"3\">0 2 0</DataArray><DataArray type=\"Float32\" "
                     "Name=\"scar\">1</DataArray></CellData><Points><DataArray type=\"Float32\" "
                     "NumberOfComponents=\"3\">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points><Cells><DataArray "
                     "type=\"Int32\" Name=\"connectivity\">0 1 2 3</DataArray><DataArray type=\"Int32\" "
                     "Name=\"offsets\">4</DataArray><DataArray type=\"UInt8\" "
                     "Name=\"types\">10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>",
                     mt_vtu_read},
        {".xdmf",
            "<Xdmf><Domain><Grid><Topology TopologyType=\"Tetrahedron\"><DataItem Dimensions=\"1 4\">0 1 2 "
            "3</DataItem></Topology><Geometry><DataItem Dimensions=\"4 3\">0 0 0 1 0 0 0 1 0 0 0 "
            "1</DataItem></Geometry><Attribute Name=\"V\" Center=\"Node\"><DataItem Dimensions=\"4\">1 2 3 "
            "4</DataItem></Attribute><Attribute Name=\"labels\" Center=\"Cell\"><DataItem "
            "Dimensions=\"1\">6</DataItem></Attribute><Attribute Name=\"fiber_orientation\" "
            "Center=\"Cell\"><DataItem Dimensions=\"1 3\">0 2 0</DataItem></Attribute><Attribute "
            "Name=\"scar\" Center=\"Cell\"><DataItem "
            "Dimensions=\"1\">1</DataItem></Attribute></Grid></Domain></Xdmf>",
            mt_xdmf_read}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        write_bytes(path, files[k].text, strlen(files[k].text));
        ok(files[k].read(&arena, path, 1, &mesh));
        cr_assert(mesh.region[0] == 6 && mesh.fibre && mesh.fibre[1] == 1, "%s", files[k].ending);
        assert_note(&mesh, "found but not used: V (points), scar (cells)\n");
        mt_arena_free(&arena);
    }
}

/* ---- Gmsh */

static const char msh2_head[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n"
                                "1 1 0 0\n2 0 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n$EndNodes\n"
                                "$Elements\n2\n7 4 2 3 1 1 2 3 4\n9 4 2 3 1 1 2 3 5\n$EndElements\n";
static const char msh4_head[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n"
                                "1 0 0 0 1 1 1 1 3 0\n$EndEntities\n$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n"
                                "1 0 0\n0 0 0\n0 1 0\n0 0 1\n0 0 -1\n$EndNodes\n"
                                "$Elements\n1 2 7 9\n3 1 4 2\n7 1 2 3 4\n9 1 2 3 5\n$EndElements\n";

static void read_msh(mt_arena *arena, const char *head, const char *data, mt_mesh *mesh)
{
    buffer b = {.n = 0};
    text(&b, "%s%s", head, data);
    write_bytes(path, b.bytes, b.n);
    ok(mt_gmsh_read(arena, path, 1, mesh));
}

Test(array_names, fibres_and_sheets_of_msh_data_are_read_and_other_arrays_listed)
{
    static const char data[] =
        "$NodeData\n1\n\"V\"\n1\n0\n3\n0 1 1\n1 5\n$EndNodeData\n"
        "$ElementData\n2\n\"fiber orientation\"\n\"scheme\"\n1\n0\n3\n0\n3\n2\n9 0 0 2\n7 0 2 "
        "0\n$EndElementData\n"
        "$ElementData\n1\n\"transverse\"\n0\n3\n0 3 2\n7 1 0 0\n9 1 0 0\n$EndElementData\n"
        "$ElementData\n1\n\"labels\"\n0\n3\n0 1 2\n7 1\n9 2\n$EndElementData\n";
    const char *const heads[] = {msh2_head, msh4_head};
    for (int k = 0; k < 2; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        read_msh(&arena, heads[k], data, &mesh);
        cr_assert(mesh.fibre && mesh.fibre[1] == 1 && mesh.fibre[5] == 1);
        cr_assert(mesh.sheet && mesh.sheet[0] == 1 && mesh.sheet[3] == 1);
        assert_note(&mesh, "found but not used: V (points), labels (cells)\n");
        mt_arena_free(&arena);
    }
}

/* The files have no physical group of elements; the second element's value is not a valid region. */
Test(array_names, msh_region_data_are_used_with_a_note_if_there_are_no_physical_groups)
{
    static const char data[] = "$ElementData\n1\n\"labels\"\n0\n3\n0 1 2\n7 4\n9 %s\n$EndElementData\n";
    static const char *const values[] = {"6", "0.5"};
    static const char *const notes[] = {
        "regions are taken from labels, since the file has no physical groups of elements\n",
        "regions are taken from labels, since the file has no physical groups of elements\nlabels: 1 values "
        "are not "
        "32-bit integers (the first is 0.5, of element 9) and are not used as regions\n1 of 2 elements have "
        "no region in the file: they are assigned tag 0, which no other element has\n"};
    for (int k = 0; k < 4; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        buffer head = {.n = 0}, b = {.n = 0};
        text(&head, "%s", k / 2 ? msh4_head : msh2_head);
        head.bytes[head.n] = 0;
        char *tag = strstr((char *)head.bytes, k / 2 ? " 1 3 0\n" : " 3 1 1 2 3 4");
        memcpy(tag, k / 2 ? " 0 0  \n" : " 0", k / 2 ? 7 : 2);
        if (k / 2 == 0) memcpy(strstr(tag, " 3 1 1 2 3 5"), " 0", 2);
        text(&b, data, values[k % 2]);
        b.bytes[b.n] = 0;
        read_msh(&arena, (const char *)head.bytes, (const char *)b.bytes, &mesh);
        cr_assert(mesh.region[0] == 4 && mesh.region[1] == (k % 2 ? 0 : 6), "%d %d", mesh.region[0],
            mesh.region[1]);
        assert_note(&mesh, notes[k % 2]);
        mt_arena_free(&arena);
    }
}

Test(array_names, msh_node_fibres_are_averaged_and_a_missing_one_is_reported)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    read_msh(&arena, msh4_head,
        "$NodeData\n1\n\"fibres\"\n0\n3\n0 3 5\n1 0 1 0\n2 0 -1 0\n3 0 1 0\n4 0 1 0\n5 0 1 0\n$EndNodeData\n",
        &mesh);
    cr_assert(mesh.fibre && mesh.fibre[1] == 1 && mesh.fibre[4] == 1);
    assert_note(&mesh, "fibres: means of fibres over the vertices of each element\n");
    buffer b = {.n = 0};
    text(&b, "%s$ElementData\n1\n\"f0\"\n0\n3\n0 3 1\n7 1 0 0\n$EndElementData\n", msh2_head);
    write_bytes(path, b.bytes, b.n);
    cr_assert_eq(mt_gmsh_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("element 9 has no f0, or one of length 0");
    mt_arena_free(&arena);
}

/* ---- quadratic elements */

/* Corners 0 to 3, then the midpoints of the edges; point 10 belongs to no element. */
static const double ten[33] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, .5, 0, 0, 0, .5, 0, .5, .5, 0, .5, 0, .5,
    0, 0, .5, 0, .5, .5, 5, 5, 5};

static void put_points(buffer *b, size_t n, bool numbered)
{
    for (size_t v = 0; v < n; v++) {
        if (numbered) text(b, "%zu ", v + 1);
        text(b, "%g %g %g\n", ten[3 * v], ten[3 * v + 1], ten[3 * v + 2]);
    }
}

static void assert_corners(const mt_mesh *mesh, size_t n_vertices)
{
    static const uint32_t corners[4] = {0, 1, 2, 3}, face[3] = {0, 1, 2};
    cr_assert(mesh->n_vertices == n_vertices && mesh->n_elements == 1 && mesh->n_faces == 1, "%zu",
        mesh->n_vertices);
    cr_assert_arr_eq(mesh->element_vertex, corners, sizeof corners);
    cr_assert_arr_eq(mesh->face_vertex, face, sizeof face);
    cr_assert_arr_eq(mesh->xyz_mm, ten, 12 * sizeof *ten);
    cr_assert_not_null(strstr(mesh->notes, " quadratic elements and triangles: only their corners are used, "
                                           "and the 6 vertices on their edges are removed\n"));
}

Test(array_names, corners_of_quadratic_vtk_elements_are_used)
{
    static const char *const types[] = {"24 22", "71 69"};
    for (int k = 0; k < 2; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        buffer b = {.n = 0};
        text(&b, "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 11 float\n");
        put_points(&b, 11, false);
        text(&b, "CELLS 2 18\n10 0 1 2 3 4 5 6 7 8 9\n6 0 1 2 4 5 6\nCELL_TYPES 2\n%s\n", types[k]);
        write_bytes(path, b.bytes, b.n);
        ok(mt_vtk_read(&arena, path, 1, &mesh));
        assert_corners(&mesh, 5);
        cr_assert_eq(mesh.xyz_mm[12], 5, "the point of no element stays");
        mt_arena_free(&arena);
    }
}

Test(array_names, corners_of_quadratic_msh_elements_are_used)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    buffer b = {.n = 0};
    text(&b, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n11\n");
    put_points(&b, 11, true);
    text(&b, "$EndNodes\n$Elements\n3\n1 8 2 0 1 1 2 5\n2 9 2 4 1 1 2 3 5 6 7\n3 11 2 3 1 1 2 3 4 5 6 7 8 9 "
             "10\n$EndElements\n");
    write_bytes(path, b.bytes, b.n);
    ok(mt_gmsh_read(&arena, path, 1, &mesh));
    assert_corners(&mesh, 4);
    mt_arena_free(&arena);
}

static void write_beside(const char *ending, const buffer *b)
{
    char name[128];
    (void)snprintf(name, sizeof name, "%s%s", path, ending);
    write_bytes(name, b->bytes, b->n);
}

static void remove_tetgen(void)
{
    static const char *const endings[] = {".node", ".ele", ".face", ".ortho", ".axi"};
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        char name[128];
        (void)snprintf(name, sizeof name, "%s%s", path, endings[k]);
        (void)unlink(name);
    }
}

Test(array_names, corners_of_second_order_tetgen_elements_are_used_and_ortho_precedes_axi)
{
    static const char *const faces[] = {"1 1\n1 1 2 3 5 6 7 -4\n", "1 1\n1 1 2 3 -4\n"};
    for (int k = 0; k < 2; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        buffer node = {.n = 0}, ele = {.n = 0}, face = {.n = 0}, ortho = {.n = 0}, axi = {.n = 0};
        text(&node, "10 3 0 0\n"), put_points(&node, 10, true);
        text(&ele, "1 10 1\n1 1 2 3 4 5 6 7 8 9 10 6\n"), text(&face, "%s", faces[k]);
        text(&ortho, "1\n1 0 0 0 1 0 0 0 1\n"), text(&axi, "1\n0 0 1\n");
        write_beside(".node", &node), write_beside(".ele", &ele), write_beside(".face", &face);
        write_beside(".ortho", &ortho), write_beside(".axi", &axi);
        ok(mt_tetgen_read(&arena, path, 1, &mesh));
        remove_tetgen();
        assert_corners(&mesh, 4);
        cr_assert(mesh.region[0] == 6 && mesh.face_tag[0] == -4 && mesh.fibre[0] == 1);
        cr_assert_not_null(
            strstr(mesh.notes, "fibres are read from .ortho, which also has sheets; .axi is not used\n"));
        mt_arena_free(&arena);
    }
}

/* ---- offsets */

/* Padded with blanks, as by some programs. */
Test(array_names, offsets_padded_with_blanks_are_read)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const buffer good = vtu_file(&(vtu_kind){APPENDED_RAW, .word = 4}, 1);
    buffer b = {.n = 0};
    for (size_t k = 0; k < good.n; k++) {
        static const char mark[] = "offset=\"";
        const bool here = good.n - k >= sizeof mark && memcmp(good.bytes + k, mark, sizeof mark - 1) == 0;
        if (here)
            text(&b, "%s ", mark), k += sizeof mark - 2;
        else
            add(&b, good.bytes + k, 1);
    }
    write_bytes(path, b.bytes, b.n);
    cr_assert_gt(b.n, good.n);
    ok(mt_vtu_read(&arena, path, 1, &mesh));
    cr_assert_eq(mesh.n_elements, 2);
    assert_note(&mesh, "found but not used: tags (cells), other (cells)\n");
    mt_arena_free(&arena);
}
