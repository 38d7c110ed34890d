#include <criterion/criterion.h>

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh/files/formats.h"
#include "mesh/vtk/xdmf.h"
#include "mesh/names.h"
#include "tests/answers.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/vtk_sample.h"
#include "tests/mesh/xdmf_files.h"
#include "tests/temporary.h"

/* A folder for each test: it contains heart.xdmf and the files of its numbers. */
static char folder[64], stem[80], path[96];

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "myotile_xdmf_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(stem, sizeof stem, "%s/heart", folder);
    (void)snprintf(path, sizeof path, "%s.xdmf", stem);
}

static void leave(void)
{
    static const char *const names[] = {
        "heart.xdmf", "heart.bin", "heart.h5", "heart.vtu", "other.h5", "below/heart.bin", "below"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char file[128];
        (void)snprintf(file, sizeof file, "%s/%s", folder, names[k]);
        (void)remove(file);
    }
    cr_assert_eq(rmdir(folder), 0);
}

TestSuite(xdmf, .init = enter, .fini = leave);

static mt_status read_buffer(mt_arena *arena, const buffer *b, mt_mesh *mesh)
{
    write_bytes(path, b->bytes, b->n);
    return mt_xdmf_read(arena, path, 1, mesh);
}

static buffer sample(int kind)
{
    static xdmf_file x;
    cr_assert(xdmf_sample(stem, &xdmf_kinds[kind], &x));
    return x.xml;
}

static buffer buffer_of(const char *words)
{
    buffer b = {.n = 0};
    add(&b, words, strlen(words));
    return b;
}

static void assert_note(const mt_mesh *mesh, const char *notes)
{
    cr_assert_str_eq(mesh->notes ? mesh->notes : "", notes);
}

/* Reads the file, and expects MT_INPUT with this message. */
static void refuse(const buffer *b, const char *why)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(read_buffer(&arena, b, &mesh), MT_INPUT, "%s", why);
    assert_message(path);
    assert_message(why);
    mt_arena_free(&arena);
}

static void refuse_change(int kind, const char *from, const char *to, const char *why)
{
    buffer b = sample(kind);
    replace(&b, from, to);
    refuse(&b, why);
}

/* ---- one mesh */

#define UNUSED "found but not used: tags (cells), other (cells), xyz (points, 3 components)\n"

Test(xdmf, one_mesh_is_read_bit_identically_as_text_binary_hdf5_and_vtu)
{
    mt_arena arena = {0};
    mt_mesh of_vtu;
    char vtu[96], expected[MT_HASH_SIZE], found[MT_HASH_SIZE];
    const vtu_kind plain = vtu_kind_of(0);
    const buffer file = vtu_file(&plain, 1);
    (void)snprintf(vtu, sizeof vtu, "%s.vtu", stem);
    write_bytes(vtu, file.bytes, file.n);
    ok(mt_vtu_read(&arena, vtu, 1, &of_vtu));
    ok(mt_mesh_hash(&of_vtu, expected));
    for (int k = 0; k < XDMF_KINDS; k++) {
        mt_mesh mesh;
        const buffer b = sample(k);
        ok(read_buffer(&arena, &b, &mesh));
        assert_sample(&mesh, xdmf_kinds[k].format);
        assert_note(&mesh, UNUSED);
        cr_assert_str_eq(mt_names_text(&mesh, MT_NAMES_ELEMENTS, 3), "wall & scar");
        cr_assert_str_eq(mt_names_text(&mesh, MT_NAMES_FACES, 4), "patch");
        cr_assert_eq(mesh.n_names, 2);
        mesh.n_names = 0;
        ok(mt_mesh_hash(&mesh, found));
        cr_assert_str_eq(found, expected, "kind %d", k);
    }
    mt_arena_free(&arena);
}

Test(xdmf, coordinates_are_in_the_specified_unit)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const buffer b = sample(0);
    write_bytes(path, b.bytes, b.n);
    ok(mt_xdmf_read(&arena, path, 10, &mesh));
    for (int i = 0; i < 3 * N_POINTS; i++) cr_assert_eq(mesh.xyz_mm[i], 10 * sample_xyz[i]);
    mt_arena_free(&arena);
}

/* Writes the attribute "unit" of the points of the sample in HDF5. */
static void state_unit(const char *unit)
{
    char file[96];
    (void)snprintf(file, sizeof file, "%s.h5", stem);
    const hid_t id = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1),
                space = H5Screate(H5S_SCALAR);
    cr_assert(H5Tset_size(type, strlen(unit) + 1) >= 0);
    const hid_t attribute =
        H5Acreate_by_name(id, "array1", "unit", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert(H5Awrite(attribute, type, unit) >= 0);
    (void)H5Aclose(attribute), (void)H5Sclose(space), (void)H5Tclose(type), (void)H5Fclose(id);
}

Test(xdmf, the_unit_stated_in_hdf5_points_applies_and_a_different_one_is_rejected)
{
    const mt_mesh_format *format = NULL;
    double unit_mm = 0;
    buffer b = sample(3);
    write_bytes(path, b.bytes, b.n);
    ok(mt_mesh_format_find(path, false, &format));
    ok(mt_mesh_unit(path, format, NULL, &unit_mm));
    cr_assert_eq(unit_mm, 1);
    state_unit("cm");
    ok(mt_mesh_unit(path, format, NULL, &unit_mm));
    cr_assert_eq(unit_mm, 10);
    cr_assert_eq(mt_mesh_unit(path, format, "um", &unit_mm), MT_INPUT);
    assert_message(": --unit um, but the file states cm");
    b = sample(3);
    state_unit("furlong");
    cr_assert_eq(mt_mesh_unit(path, format, NULL, &unit_mm), MT_INPUT);
    assert_message("heart.h5: /array1: unit furlong; allowed: um, mm, cm, m");
    b = sample(1);
    write_bytes(path, b.bytes, b.n);
    ok(mt_mesh_unit(path, format, NULL, &unit_mm));
    cr_assert_eq(unit_mm, 1);
}

/* ---- regions, names, arrays */

/* Two tetrahedra with additions by a test to their grid. */
#define GRID "<Xdmf Version=\"3.0\">\n<Domain><Grid Name=\"g\">\n"
#define END "</Grid></Domain></Xdmf>\n"
#define POINTS "<Geometry><DataItem Dimensions=\"5 3\">0 0 0 1 0 0 0 1 0 0 0 1 0 0 -1</DataItem></Geometry>\n"
#define CELLS                                                                                                \
    "<Topology TopologyType=\"Tetrahedron\"><DataItem Dimensions=\"2 4\">0 1 2 3 1 0 2 "                     \
    "4</DataItem></Topology>\n"
#define ATTRIBUTE(name, center, dimensions, values)                                                          \
    "<Attribute Name=\"" name "\" Center=\"" center "\"><DataItem Dimensions=\"" dimensions "\">" values     \
    "</DataItem></Attribute>\n"

static void read_words(mt_arena *arena, const char *words, mt_mesh *mesh)
{
    const buffer b = buffer_of(words);
    ok(read_buffer(arena, &b, mesh));
}

Test(xdmf, a_mesh_without_arrays_has_region_1_and_no_notes)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    read_words(&arena, GRID CELLS POINTS END, &mesh);
    cr_assert(mesh.n_elements == 2 && mesh.region[0] == 1 && mesh.region[1] == 1 && mesh.n_faces == 0);
    cr_assert(!mesh.fibre && !mesh.notes);
    mt_arena_free(&arena);
}

Test(xdmf, tags_in_separate_grids_are_regions_and_tagged_triangles)
{
    static const uint32_t faces[6] = {0, 1, 3, 0, 1, 4};
    mt_arena arena = {0};
    mt_mesh mesh;
    read_words(&arena, xdmf_tags, &mesh);
    cr_assert(mesh.n_elements == 3 && mesh.n_vertices == 6 && mesh.n_faces == 2);
    cr_assert(mesh.region[0] == 8 && mesh.region[1] == 0 && mesh.region[2] == 7);
    cr_assert_arr_eq(mesh.face_vertex, faces, sizeof faces);
    cr_assert(mesh.face_tag[0] == 11 && mesh.face_tag[1] == 12);
    assert_note(&mesh,
        "1 of 3 elements have no region in the file: they are assigned tag 0, which no other element has\n");
    mt_arena_free(&arena);
}

Test(xdmf, unused_grids_are_listed_and_tag_grids_must_match_the_mesh)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    buffer b = buffer_of(xdmf_tags);
    replace(&b, "5 4 2 0  3 2 1 0", "5 4 2 1  3 2 1 0");
    refuse(&b, ":14: <Topology>: cell 0 is not a cell of the mesh");
    b = buffer_of(xdmf_tags);
    replace(&b, "Reference=\"XML\">/Xdmf/Domain/Grid[@Name='mesh']/Geometry<",
        "><DataItem Dimensions=\"1 3\">0 0 0</DataItem><");
    ok(read_buffer(&arena, &b, &mesh));
    cr_assert(mesh.region[0] == 1 && mesh.region[2] == 1 && mesh.face_tag[0] == 11);
    assert_note(&mesh, "grid 'cells' (line 13): not used\n");
    mt_arena_free(&arena);
}

Test(xdmf, a_duplicate_cell_belongs_to_both_regions)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    read_words(&arena,
        GRID "<Topology TopologyType=\"Tetrahedron\"><DataItem Dimensions=\"3 4\">0 1 2 3 1 0 2 4 2 4 0 "
             "1</DataItem></Topology>" POINTS ATTRIBUTE("gmsh:physical", "Cell", "3 1", "5 5 7") END,
        &mesh);
    cr_assert(mesh.n_elements == 2 && mesh.region[0] == 5 && mesh.region[1] == 5 && mesh.n_groups == 1);
    cr_assert(!mt_groups_has(&mesh, 7, 0) && mt_groups_has(&mesh, 7, 1));
    assert_note(&mesh, "1 elements repeat an earlier one with another region (regions 5 and 7: 1): each is "
                       "merged into one element of the first region, in the groups of the others\n");
    mt_arena_free(&arena);
}

Test(xdmf, names_identify_the_surface_of_a_tag)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    read_words(&arena,
        GRID "<Topology TopologyType=\"Mixed\"><DataItem Dimensions=\"13\">6 0 1 2 3 4 0 1 2 4 0 1 "
             "3</DataItem></Topology>" POINTS ATTRIBUTE("gmsh:physical", "Cell", "3",
                 "1 1 2") "<Information Name=\"Information\" Value=\"2\">\n<![CDATA[<main><map key=\"ENDO\" "
                          "dim=\"2\">1</map><map key=\"EPI\" dim=\"2\">2</map></main>]]></Information>" END,
        &mesh);
    cr_assert(mesh.region[0] == 1 && mesh.face_tag[0] == MT_SURFACE_LV && mesh.face_tag[1] == MT_SURFACE_EPI);
    cr_assert_str_eq(mt_names_text(&mesh, MT_NAMES_FACES, MT_SURFACE_LV), "ENDO");
    mt_arena_free(&arena);
}

Test(xdmf, unused_arrays_are_listed_once_even_if_unreadable)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    read_words(&arena,
        GRID CELLS POINTS ATTRIBUTE("tag", "Cell", "2", "7 8") ATTRIBUTE("region", "Cell", "2 1", "3 4")
            ATTRIBUTE("labels", "Node", "5", "1 2 3 4 5") ATTRIBUTE("sheet", "Cell", "2 3", "1 0 0 1 0 0")
                ATTRIBUTE("when", "Grid", "1",
                    "9") "<Attribute Name=\"u\" Center=\"Node\"><DataItem ItemType=\"HyperSlab\" "
                         "Dimensions=\"5 3\" Type=\"HyperSlab\"/></Attribute>" END,
        &mesh);
    cr_assert(mesh.region[0] == 3 && mesh.region[1] == 4);
    assert_note(&mesh, "found but not used: tag (cells), labels (points), when (cells), u (points, 3 "
                       "components), sheet (cells, 3 components)\n");
    mt_arena_free(&arena);
}

Test(xdmf, a_fenics_mesh_function_is_the_region_and_a_field_of_that_name_is_not)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    buffer b = buffer_of(GRID CELLS POINTS ATTRIBUTE("f", "Cell", "2 1\" NumberType=\"UInt", "6 4") END);
    ok(read_buffer(&arena, &b, &mesh));
    cr_assert(mesh.region[0] == 6 && mesh.region[1] == 4 && !mesh.notes);
    replace(&b, "UInt", "Float");
    ok(read_buffer(&arena, &b, &mesh));
    cr_assert(mesh.region[0] == 1 && mesh.region[1] == 1);
    assert_note(&mesh, "found but not used: f (cells)\n");
    mt_arena_free(&arena);
}

Test(xdmf, the_first_step_of_a_time_series_is_used_and_point_fibres_are_averaged)
{
    static const uint32_t cells[8] = {0, 1, 2, 3, 1, 0, 2, 4};
    static const double xyz[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1};
    mt_arena arena = {0};
    mt_mesh mesh;
    read_words(&arena, xdmf_series, &mesh);
    cr_assert_arr_eq(mesh.element_vertex, cells, sizeof cells);
    cr_assert_arr_eq(mesh.xyz_mm, xyz, sizeof xyz);
    cr_assert(mesh.region[0] == 4 && mesh.region[1] == 5 && mesh.fibre && mesh.fibre[1] == 1);
    assert_note(&mesh, "fibres: means of f0 over the vertices of each element\na time series of 2 steps: the "
                       "first is used\n");
    mt_arena_free(&arena);
}

Test(xdmf, corners_of_quadratic_cells_are_used)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    read_words(&arena,
        GRID "<Topology TopologyType=\"Mixed\" NumberOfElements=\"3\"><DataItem Dimensions=\"22\">38 0 1 2 3 "
             "4 5 6 7 8 9  36 0 1 2 4 5 6  34 0 1 4</DataItem></Topology><Geometry><DataItem Dimensions=\"10 "
             "3\">0 0 0 2 0 0 0 2 0 0 0 2 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 0 1 1</DataItem></Geometry>" END,
        &mesh);
    cr_assert(
        mesh.n_vertices == 4 && mesh.n_elements == 1 && mesh.n_faces == 1 && mesh.element_vertex[3] == 3);
    cr_assert_not_null(strstr(mesh.notes, "2 quadratic"), "%s", mesh.notes);
    mt_arena_free(&arena);
}

Test(xdmf, triangles_without_elements_are_a_surface)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    read_words(&arena,
        GRID "<Topology Type=\"Triangle\" BaseOffset=\"1\"><DataItem Dimensions=\"2 3\">1 2 3 2 3 "
             "4</DataItem></Topology>" POINTS ATTRIBUTE("f", "Cell", "2", "8 9")
                 ATTRIBUTE("name_to_read", "Cell", "2", "5 6") END,
        &mesh);
    cr_assert(mesh.n_elements == 0 && mesh.n_faces == 2 && mesh.face_vertex[5] == 3);
    cr_assert(mesh.face_tag[0] == 5 && mesh.face_tag[1] == 6);
    mt_arena_free(&arena);
}

/* ---- other files */

static void move(const char *from, const char *to)
{
    char old[128], new[128];
    (void)snprintf(old, sizeof old, "%s/%s", folder, from);
    (void)snprintf(new, sizeof new, "%s/%s", folder, to);
    cr_assert_eq(rename(old, new), 0);
}

/* Writes the sample with its bytes in a file named in its XML. */
static void name_bytes(const char *name)
{
    buffer b = sample(1);
    for (int k = 0; k < 10; k++) replace(&b, ">heart.bin", name);
    write_bytes(path, b.bytes, b.n);
}

Test(xdmf, data_files_are_found_below_the_folder_or_by_name_in_it)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    char below[96];
    (void)snprintf(below, sizeof below, "%s/below", folder);
    cr_assert_eq(mkdir(below, 0700), 0);
    name_bytes(">/no/such/folder/heart.bin");
    ok(mt_xdmf_read(&arena, path, 1, &mesh));
    assert_sample(&mesh, "from the root");
    name_bytes(">out/heart.bin");
    ok(mt_xdmf_read(&arena, path, 1, &mesh));
    assert_sample(&mesh, "from the folder above");
    name_bytes(">../out/heart.bin");
    move("heart.bin", "below/heart.bin");
    cr_assert_eq(mt_xdmf_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message(
        ":6: <DataItem>: file '../out/heart.bin'; allowed: a file in the folder of the XDMF file or below");
    name_bytes(">./below/heart.bin");
    move("heart.bin", "below/heart.bin");
    ok(mt_xdmf_read(&arena, path, 1, &mesh));
    assert_sample(&mesh, "below");
    name_bytes(">heart.bin");
    move("heart.bin", "below/heart.bin");
    cr_assert_eq(mt_xdmf_read(&arena, path, 1, &mesh), MT_FILE);
    assert_message("heart.bin: cannot be");
    mt_arena_free(&arena);
}

Test(xdmf, missing_hdf5_data_and_external_links_are_rejected)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    char file[96];
    buffer b = sample(3);
    (void)snprintf(file, sizeof file, "%s.h5", stem);
    refuse_change(3, "h5:/array1\n", "h5:/array99\n", "heart.h5: /array99: ");
    refuse_change(3, "h5:/array1\n", "h5\n", ":11: <DataItem>: 'heart.h5'; allowed: FILE:/ARRAY");
    refuse_change(3, "Dimensions=\"7 3\"", "Dimensions=\"8 3\"", "its Dimensions count 24 numbers; ");
    refuse_change(3, "Dimensions=\"7 3\"", "Dimensions=\"6 3\"", "its Dimensions count 18 numbers; ");
    const hid_t id = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    cr_assert(H5Ldelete(id, "array1", H5P_DEFAULT) >= 0);
    cr_assert(H5Lcreate_external("other.h5", "/array1", id, "array1", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    (void)H5Fclose(id);
    refuse(&b, "is a link to another file, other.h5");
    write_bytes(file, "no HDF5", 7);
    cr_assert_eq(read_buffer(&arena, &b, &mesh), MT_FILE);
    assert_message("heart.h5: not an HDF5 file");
    cr_assert_eq(unlink(file), 0);
    cr_assert_eq(mt_xdmf_read(&arena, path, 1, &mesh), MT_FILE);
    assert_message("heart.h5: cannot be");
    mt_arena_free(&arena);
}

/* ---- faults */

static const struct {
    int kind; /* 0: text, 1: bytes */
    const char *from, *to, *why;
} faults[] = {
    {0, "<Xdmf", "<VTKFile><Xdmf", "not well-formed XML: no element found"},
    {0, "<Grid ", "<Gird ", "not well-formed XML: "},
    {0, "[]>", "[<!ENTITY a \"b\">]>", ":2: its document type declares an entity"},
    {0, "GridType=\"Uniform\"", "GridType=\"Subset\"",
        ":4: <Grid>: GridType 'Subset' in space, or empty; allowed: Uniform, a Collection in time"},
    {0, "\"Mixed\"", "\"Hexahedron\"", ":5: <Topology>: TopologyType 'Hexahedron'; allowed: Tetrahedron"},
    {0, "1 1 5\n6 1 0", "1 1 5\n9 1 0", "cell 1 is of XDMF's type 9 (hexahedron); allowed: tetrahedra"},
    {0, "1 1 5\n6 1 0", "1 1 5\n6 7 0", "cell 1: point 7; allowed: a whole number below 7"},
    {0, "1 1 5\n6 1 0", "1 9 5\n6 1 0", "cell 1 is of XDMF's type 0; allowed"},
    {0, "1 1 5\n6 1 0", "1 99 5\n6 1 0", "cell 0 needs more than the 25 numbers available"},
    {0, "\"XYZ\"", "\"XY\"", ":17: <Geometry>: GeometryType 'XY'; allowed: XYZ, X_Y_Z"},
    {0, "Dimensions=\"7 3\"", "Dimensions=\"7 2\"", "14 coordinates; allowed: three for each point"},
    {0, "Dimensions=\"7 3\"", "Dimensions=\"6 3\"", "<DataItem>: '5' after the last of 18 numbers"},
    {0, "Dimensions=\"7 3\"", "Dimensions=\"8 3\"", "number of a <DataItem>"},
    {0, "Dimensions=\"7 3\"", "Dimensions=\"-7 3\"",
        ": <DataItem>: Dimensions is '-7 3'; allowed: whole numbers"},
    {0, "Dimensions=\"7 3\"", "", "<DataItem>: Dimensions is ''; allowed"},
    {0, "Dimensions=\"7 3\"", "Dimensions=\"1000000000000 3\"", "Dimensions is '1000000000000 3'"},
    {0, "Dimensions=\"7 3\"", "Dimensions=\"300000000000 3\"",
        "its Dimensions count 900000000000 numbers; the data has space for "},
    {0, "Dimensions=\"7 3\"", "ItemType=\"HyperSlab\" Dimensions=\"7 3\"",
        "ItemType 'HyperSlab'; allowed: Uniform (parts and functions of arrays are not read)"},
    {0, "Format=\"XML\"", "Format=\"TIFF\"", ": <DataItem>: Format 'TIFF'; allowed: XML, HDF, Binary"},
    {0, "1 0 0\n0 0 0\n0 1 0", "1 0 0\n0 nan 0\n0 1 0", "point 1: coordinate nan; allowed: numbers from"},
    {0, "1 0 0\n0 0 0\n0 1 0", "1 0 0\n0 2e9 0\n0 1 0", "point 1: coordinate 2e+09; allowed"},
    {0, "dim=\"3\">3<", "dim=\"3\">x<",
        ":81: <map>: the tag of 'wall & scar' is 'x'; allowed: a whole number"},
    {0, "</map></main>", "</map>", "not well-formed XML: no element found"},
    {1, "DataType=\"Int\" Precision=\"8\"", "DataType=\"Int\" Precision=\"3\"",
        "NumberType 'Int' with Precision '3'; allowed: Float of 4 or 8"},
    {1, "DataType=\"Int\"", "DataType=\"Complex\"", "NumberType 'Complex' with Precision '8'; allowed"},
    {1, "Endian=\"Little\"", "Endian=\"Middle\"", "Endian 'Middle'; allowed: Native, Little, Big"},
    {1, "Endian=\"Little\"", "Compression=\"Zlib\"", "Compression 'Zlib'; allowed: Raw"},
    {1, "Seek=\"0\"", "Seek=\"-1\"", "Seek is '-1'; allowed: a number of bytes"},
    {1, "Seek=\"0\"", "Seek=\"100000\"", " numbers; the data has space for 0"},
    {1, "Dimensions=\"7 3\"", "Dimensions=\"100000000 3\"", "300000000 numbers; the data has space for"},
    {1, "heart.bin", "..", "file '..'; allowed: a file in the folder"},
    {1, "heart.bin", "", "file ''; allowed: a file in the folder"},
};

Test(xdmf, every_fault_is_reported_with_its_position)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        refuse_change(faults[i].kind, faults[i].from, faults[i].to, faults[i].why);
}

Test(xdmf, dangling_grids_and_references_are_rejected)
{
    static const struct {
        const char *words, *why;
    } cases[] = {
        {"<VTKFile/>", ":1: <VTKFile>: not an XDMF file; allowed: a root <Xdmf>"},
        {"<Xdmf/>", ":1: <Xdmf>: has no <Grid> with a <Topology> and a <Geometry>"},
        {GRID CELLS END, "has no <Grid> with a <Topology> and a <Geometry>"},
        {"<Xdmf><Domain><Grid GridType=\"Collection\" "
         "CollectionType=\"Spatial\"><Grid/><Grid/></Grid></Domain></Xdmf>",
            ":1: <Grid>: GridType 'Collection' in space, or empty; allowed: Uniform"},
        {GRID CELLS "<Geometry/>" END, ":4: <Geometry>: has no <DataItem>"},
        {GRID "<Topology Type=\"Tetrahedron\"/>" POINTS END, ":3: <Topology>: has no <DataItem>"},
        {GRID "<Topology Type=\"Tetrahedron\" NumberOfElements=\"3\"><DataItem Dimensions=\"8\">0 1 2 3 1 0 "
              "2 4</DataItem></Topology>" POINTS END,
            ":3: <Topology>: NumberOfElements is 3, but there are corners for 2"},
        {GRID "<Topology Type=\"Tetrahedron\"><DataItem Dimensions=\"7\">0 1 2 3 1 0 "
              "2</DataItem></Topology>" POINTS END,
            ":3: <Topology>: 7 corners; allowed: a multiple of 4"},
        {GRID "<Topology Type=\"Polyline\" NodesPerElement=\"two\"><DataItem Dimensions=\"2\">0 "
              "1</DataItem></Topology>" POINTS END,
            "NodesPerElement is 'two'; allowed: a whole number"},
        {GRID CELLS "<Geometry Type=\"X_Y_Z\"><DataItem Dimensions=\"1\">0</DataItem><DataItem "
                    "Dimensions=\"2\">0 1</DataItem></Geometry>" END,
            "X_Y_Z needs three <DataItem> of the same length"},
        {GRID CELLS "<Geometry Reference=\"/Xdmf/Domain/Grid[2]/Geometry\"/>" END,
            ":4: <Geometry>: its reference '/Xdmf/Domain/Grid[2]/Geometry' does not refer to a <Geometry>"},
        {GRID CELLS "<Geometry Reference=\"XML\">/Xdmf/Domain/Grid/Geometry</Geometry>" END,
            "does not refer to a <Geometry>"},
        {GRID CELLS "<Geometry Reference=\"//Geometry[@Name='x\"/>" END, "does not refer to a <Geometry>"},
        {GRID CELLS "<xi:include href=\"mesh.xdmf\" xpointer=\"xpointer(//Geometry)\"/>" END,
            "<include>: file 'mesh.xdmf'; allowed: only elements of this file"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const buffer b = buffer_of(cases[k].words);
        refuse(&b, cases[k].why);
    }
}

/* References in the middle of many elements, nested elements, grids without end: each is a small file. */
Test(xdmf, files_that_are_too_expensive_to_read_are_rejected)
{
    enum { MANY = 3000 };
    static char words[64 * MANY];
    mt_arena arena = {0};
    mt_mesh mesh;
    char *at = stpcpy(words, "<Xdmf><Domain>");
    for (int i = 0; i < MANY; i++) at = stpcpy(at, "<a>");
    write_bytes(path, words, (size_t)(at - words));
    cr_assert_eq(mt_xdmf_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("elements are nested more than 64 levels deep");
    at = stpcpy(words, "<Xdmf><Domain>");
    for (int i = 0; i < MANY; i++) at = stpcpy(at, "<Grid/>");
    at = stpcpy(at, "</Domain></Xdmf>");
    write_bytes(path, words, (size_t)(at - words));
    cr_assert_eq(mt_xdmf_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("more than 32 grids next to each other");
    at = stpcpy(words, GRID "<Topology Reference=\"//*[1]//*[1]//*[1]//*[1]//*[2]//x//Topology\"/>");
    for (int i = 0; i < 30; i++) at = stpcpy(at, "<a><b/><b/>");
    for (int i = 0; i < 30; i++) at = stpcpy(at, "</a>");
    for (int i = 0; i < MANY; i++) at = stpcpy(at, "<b/>");
    at = stpcpy(at, END);
    write_bytes(path, words, (size_t)(at - words));
    cr_assert_eq(mt_xdmf_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("resolving the references of this file takes too long");
    mt_arena_free(&arena);
}

Test(xdmf, out_of_memory_is_reported_without_a_leak)
{
    static const int kinds[] = {1, 3, -1, -2};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        mt_status status = MT_MEMORY;
        const buffer b =
            kinds[k] >= 0 ? sample(kinds[k]) : buffer_of(kinds[k] == -1 ? xdmf_tags : xdmf_series);
        write_bytes(path, b.bytes, b.n);
        for (size_t n = 1; status != MT_OK; n++) {
            mt_arena arena = {0};
            mt_mesh mesh;
            mt_arena_fail_at(n);
            status = mt_xdmf_read(&arena, path, 1, &mesh);
            mt_arena_fail_at(0);
            mt_arena_free(&arena);
            cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", n, mt_message());
            cr_assert(status != MT_OK || n > 20, "take %zu", n);
        }
    }
}
