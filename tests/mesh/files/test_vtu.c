#include <criterion/criterion.h>

#include <math.h>
#include <unistd.h>

#include "mesh/make/slab.h"
#include "tests/answers.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/vtk_sample.h"
#include "tests/one_file.h"

TestSuite(vtu, .init = enter, .fini = leave);

static mt_status read_buffer(mt_arena *arena, const buffer *b, mt_mesh *mesh)
{
    write_bytes(path, b->bytes, b->n);
    return mt_vtu_read(arena, path, 1, mesh);
}

Test(vtu, one_mesh_is_read_bit_identically_in_every_encoding)
{
    for (int i = 0; i < VTU_KINDS; i++) {
        char of[32];
        mt_arena arena = {0};
        mt_mesh mesh;
        const vtu_kind k = vtu_kind_of(i);
        const buffer b = vtu_file(&k, 1);
        (void)snprintf(of, sizeof of, "kind %d", i);
        mt_status status = read_buffer(&arena, &b, &mesh);
        cr_assert_eq(status, MT_OK, "%s: %s", of, mt_message());
        assert_sample(&mesh, of);
        mt_arena_free(&arena);
    }
}

Test(vtu, coordinates_are_in_the_specified_unit)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const vtu_kind k = vtu_kind_of(4);
    const buffer b = vtu_file(&k, 1);
    write_bytes(path, b.bytes, b.n);
    ok(mt_vtu_read(&arena, path, 10, &mesh));
    for (int i = 0; i < 3 * N_POINTS; i++) cr_assert_eq(mesh.xyz_mm[i], 10 * sample_xyz[i]);
    mt_arena_free(&arena);
}

Test(vtu, pieces_are_concatenated)
{
    for (int i = 0; i < VTU_KINDS; i += 8) {
        mt_arena arena = {0};
        mt_mesh mesh;
        const vtu_kind k = vtu_kind_of(i);
        const buffer b = vtu_file(&k, 2);
        mt_status status = read_buffer(&arena, &b, &mesh);
        cr_assert_eq(status, MT_OK, "kind %d: %s", i, mt_message());
        cr_assert(mesh.n_vertices == 2 * N_POINTS && mesh.n_elements == 4 && mesh.n_faces == 4);
        cr_assert_arr_eq(mesh.xyz_mm + 3 * N_POINTS, mesh.xyz_mm, 3 * N_POINTS * sizeof(double));
        for (int c = 0; c < 8; c++)
            cr_assert_eq(mesh.element_vertex[8 + c], mesh.element_vertex[c] + N_POINTS);
        for (int c = 0; c < 6; c++) cr_assert_eq(mesh.face_vertex[6 + c], mesh.face_vertex[c] + N_POINTS);
        for (int c = 0; c < 2; c++)
            cr_assert(mesh.region[2 + c] == mesh.region[c] && mesh.face_tag[2 + c] == mesh.face_tag[c]);
        cr_assert_arr_eq(mesh.fibre + 6, mesh.fibre, 6 * sizeof(double));
        mt_arena_free(&arena);
    }
}

Test(vtu, triangles_of_polygonal_data_form_a_tagged_surface)
{
    static const uint32_t faces[6] = {0, 1, 2, 1, 2, 3};
    mt_arena arena = {0};
    mt_mesh mesh;
    write_bytes(path, vtp_surface, sizeof vtp_surface - 1);
    ok(mt_vtu_read(&arena, path, 1, &mesh));
    cr_assert(mesh.n_elements == 0 && mesh.n_faces == 2 && mesh.n_vertices == 4);
    cr_assert_arr_eq(mesh.face_vertex, faces, sizeof faces);
    cr_assert(mesh.face_tag[0] == 8 && mesh.face_tag[1] == 9);
    mt_arena_free(&arena);
}

/* ---- faults */

struct fault {
    int kind; /* 0 ascii; 1 and 2 inline, plain and compressed; 9 and 17 appended raw and base64 */
    const char *from, *to, *why;
};

static const struct fault faults[] = {
    {0, "VTKFile", "Document", ":2: not a VTK XML file: its root is <Document>"},
    {0, "</Piece>", "", "not well-formed XML: mismatched tag"},
    {0, "<?xml", "solid", ":1: not well-formed XML: "},
    {0, "LittleEndian", "MiddleEndian", ":2: byte_order 'MiddleEndian'; allowed: LittleEndian, BigEndian"},
    {0, "UInt32", "UInt16", ":2: header_type 'UInt16'; allowed: UInt32, UInt64"},
    {2, "vtkZLib", "vtkLZ4", ":2: compressor 'vtkLZ4DataCompressor'; allowed: vtkZLibDataCompressor"},
    {0, "<UnstructuredGrid>", "<ImageData>", ":3: <ImageData>; allowed: UnstructuredGrid, PolyData"},
    {0, "<?xml version=\"1.0\"?>", "<!DOCTYPE VTKFile [<!ENTITY a \"b\">]>",
        ":1: its document type declares an entity"},
    {0, "<?xml version=\"1.0\"?>", "<!DOCTYPE VTKFile [<!ATTLIST Piece a CDATA \"b\">]>",
        ":1: its document type declares attributes"},
    {0, "NumberOfPoints=\"7\"", "NumberOfPoints=\"-7\"",
        ":5: NumberOfPoints is '-7'; allowed: a whole number from"},
    {0, "NumberOfPoints=\"7\"", "NumberOfPoints=\"99999999999999999999\"",
        "NumberOfPoints is '99999999999999999999'"},
    {0, "NumberOfPoints=\"7\"", "NumberOfPoints=\"20000\"",
        "NumberOfPoints is '20000'; allowed: a whole number from 0 to"},
    {0, "NumberOfPoints=\"7\"", "NumberOfPoints=\"2000\"",
        "array 'Points': 6000 numbers are needed; the data has space for "},
    {0, "NumberOfPoints=\"7\"", "NumberOfPoints=\"6\"", "array 'Points': '5' after the last of 18 numbers"},
    {0, "NumberOfPoints=\"7\"", "NumberOfPoints=\"8\"", "the file ends before the Points"},
    {0, "NumberOfCells=\"6\"", "NumberOfCells=\"5\"", "array 'offsets': '17' after the last of 5 numbers"},
    {0, "NumberOfCells=\"6\"", "", "has no tetrahedra and no triangles among its 0 cells"},
    {0, "\"Points\" NumberOfComponents=\"3\"", "\"Points\"", "array 'Points' has 1 components; allowed: 3"},
    {0, "\"types\"", "\"type\"", "a piece has no array 'types'"},
    {0, "\"offsets\"", "\"offset\"", "a piece has no array 'offsets'"},
    {0, "\"Int64\" Name=\"connectivity\"", "\"Int65\" Name=\"connectivity\"",
        "array 'connectivity': type 'Int65'; allowed: Int8 to UInt64"},
    {0, "\"connectivity\" NumberOfComponents=\"1\"\n format=\"ascii\"",
        "\"connectivity\" NumberOfComponents=\"1\"\n format=\"text\"",
        "array 'connectivity': format 'text'; allowed: ascii"},
    {0, "1 0 0\n0 0 0\n0 1 0", "1 0 0\n0 nan 0\n0 1 0", "point 1: coordinate nan; allowed: numbers from"},
    {0, "1 0 0\n0 0 0\n0 1 0", "1 0 0\n0 2e9 0\n0 1 0", "point 1: coordinate 2e+09; allowed"},
    {0, "4 4\n0 2", "4 4\n0 7", "cell 5: point 7; allowed: a whole number below 7"},
    {0, "4 4\n0 2", "4 4\n0 -1", "cell 5: point -1"},
    {0, "1 5 8\n10 14 17", "1 5 8\n10 14 18", "the file ends before the connectivity"},
    {0, "1 5 8\n10 14 17", "1 5 8\n10 14 1e9",
        "array 'offsets' ends in 1000000000; allowed: a whole number from 0 to"},
    {0, "1 5 8\n10 14 17", "5 1 8\n10 14 17",
        "cell 1: its corners end at offset 1; allowed: a whole number from 5 to 17"},
    {0, "1 10 5\n3 10 5", "1 10 5\n3 42 5", "cell 4 is of VTK's type 42 (polyhedron); allowed"},
    {0, "1 10 5\n3 10 5", "1 10 5\n3 5 5", "cell 4, a triangle, has 4 corners"},
    {0, "0 0 2\n", "0 0 0\n",
        ": cell 1: fiber has length 0 (bath, or isotropic), as in 1 of 2 tetrahedra; every cell needs a "
        "direction"},
    {0, "\"types\" NumberOfComponents=\"1\"\n format=\"ascii\"",
        "\"types\" NumberOfComponents=\"1\"\n format=\"appended\"",
        "array 'types' is appended, but there is no AppendedData"},
    {1, "VAAAAAAAgD8A", "WAAAAAAAgD8A", "array 'Points' has 88 bytes; 84 are needed"},
    {1, "VAAAAAAAgD8A", "VAAA!AAAgD8A", "array 'Points': byte 0x21 in its base64"},
    {1, "VAAAAAAAgD8A", "VA=AAAAAgD8A", "array 'Points': byte 0x41 in its base64"},
    {1, "VAAAAAAAgD8A", "VAAA", "array 'Points': content of 84 bytes; allowed: at most 80"},
    {2, "AwAAACgAAAAEAAAA", "CQAAACgAAAAEAAAA",
        "9 blocks of 40 bytes and a last one of 4; 84 bytes are needed"},
    {2, "AwAAACgAAAAEAAAA", "AwAAACgAAAAAAAAA",
        "3 blocks of 40 bytes and a last one of 40; 84 bytes are needed"},
    {2, "AwAAACgAAAAEAAAA", "AwAAAAAAAABUAAAA",
        "3 blocks of 0 bytes and a last one of 84; 84 bytes are needed"},
    {2, "AwAAACgAAAAEAAAA", "AAAAACgAAAAEAAAA", "array 'Points': 0 compressed blocks; allowed: 1 to"},
    {2, "AwAAACgAAAAEAAAA", "////fygAAAAEAAAA",
        "array 'Points': 2147483647 compressed blocks; allowed: 1 to"},
    {9, "\"Points\" NumberOfComponents=\"3\"\n format=\"appended\" offset=\"",
        "\"Points\" NumberOfComponents=\"3\"\n format=\"appended\" offset=\"-", ": offset is '-"},
    {9, "\"Points\" NumberOfComponents=\"3\"\n format=\"appended\" offset=\"",
        "\"Points\" NumberOfComponents=\"3\"\n format=\"appended\" offset=\"9999",
        "array 'Points': offset 9999"},
    {9, "<AppendedData", "<AppendedDate",
        "<AppendedDate>; allowed: UnstructuredGrid, PolyData, AppendedData"},
    {9, "  _", "  +", "AppendedData does not begin with '_'"},
    {17, "VAAAAAAAgD8A", "VAAA AAAAgD8A", "array 'Points': byte 0x20 in its base64"},
    {17, "encoding=\"base64\"", "encoding=\"base32\"", "encoding 'base32'; allowed: raw, base64"},
    {17, "encoding=\"base64\"", "encoding=\"raw\"", " bytes; 84 are needed"},
};

Test(vtu, every_fault_is_reported_with_its_position)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        const vtu_kind k = vtu_kind_of(faults[i].kind);
        buffer b = vtu_file(&k, 1);
        replace(&b, faults[i].from, faults[i].to);
        write_bytes(path, b.bytes, b.n);
        cr_assert_eq(mt_vtu_read(&arena, path, 1, &mesh), MT_INPUT, "fault %zu (%s)", i, faults[i].why);
        assert_message(path);
        assert_message(faults[i].why);
        mt_arena_free(&arena);
    }
}

/* Reads the bytes, and expects MT_INPUT with this message. */
static void refuse(const buffer *b, const char *why)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(read_buffer(&arena, b, &mesh), MT_INPUT, "%s", why);
    assert_message(path);
    assert_message(why);
    mt_arena_free(&arena);
}

Test(vtu, faults_in_raw_bytes_are_detected)
{
    static const unsigned char one[8] = {84, 0, 0, 0, 0, 0, 0x80, 0x3f},
                               nan[8] = {84, 0, 0, 0, 0, 0, 0xc0, 0x7f},
                               header[12] = {3, 0, 0, 0, 40, 0, 0, 0, 4};
    const vtu_kind plain = vtu_kind_of(9), packed = vtu_kind_of(10);
    const buffer good = vtu_file(&plain, 1), good_packed = vtu_file(&packed, 1);
    buffer b = good;
    memcpy(b.bytes + ((unsigned char *)memmem(good.bytes, good.n, one, 8) - good.bytes), nan, 8);
    refuse(&b, "point 0: coordinate nan; allowed");
    b = good;
    b.n -= strlen("\n</AppendedData>\n</VTKFile>\n") + 3;
    refuse(&b, "array 'types': content of 6 bytes; allowed: at most 3");
    const size_t at =
        (size_t)((unsigned char *)memmem(good_packed.bytes, good_packed.n, header, 12) - good_packed.bytes);
    b = good_packed;
    b.bytes[at + 24 + 5] ^= 0xff;
    refuse(&b, "array 'Points': compressed block 1 of 3 is damaged, or not of 40 bytes");
    b = good_packed;
    b.bytes[at + 12] = 2 * 40 + 64 + 1;
    refuse(&b, "array 'Points': a compressed block of 145 bytes for 40");
    b = good_packed;
    memset(b.bytes + at + 16, 0xff, 4);
    refuse(&b, "array 'Points': a compressed block of 4294967295 bytes; allowed: at most ");
    b = good_packed;
    b.n = at + 6;
    refuse(&b, "array 'Points': ");
}

/* The file is large enough for this number of points, but not for that array. */
Test(vtu, a_decompression_bomb_is_rejected_before_allocation)
{
    const vtu_kind k = vtu_kind_of(2);
    buffer b = vtu_file(&k, 1);
    replace(&b, "NumberOfPoints=\"7\"", "NumberOfPoints=\"40000\"");
    for (int i = 0; i < 1000; i++) text(&b, "          ");
    refuse(&b, "array 'Points': 480000 bytes cannot result from decompressing its ");
}

/* Many pieces may share bytes; their sum must stay within the limit of the file. */
Test(vtu, a_decompression_bomb_of_many_pieces_is_rejected)
{
    enum { CORNERS = 8000 };
    buffer b = {.n = 0};
    static const unsigned char raw_bytes[4 + CORNERS] = {CORNERS & 255, CORNERS >> 8};
    text(&b,
        "<VTKFile><UnstructuredGrid>\n<Piece NumberOfPoints=\"300\"/>\n<Piece NumberOfPoints=\"300\"/>\n");
    refuse(&b, ":3: NumberOfPoints is '300'; allowed: a whole number from 0 to ");
    b.n = 0;
    text(&b, "<VTKFile><UnstructuredGrid>\n");
    for (int p = 0; p < 8; p++)
        text(&b,
            "<Piece NumberOfCells=\"1\"><Cells><DataArray type=\"Int8\" Name=\"connectivity\" "
            "format=\"appended\"/><DataArray type=\"Int32\" Name=\"offsets\">%d</DataArray><DataArray "
            "type=\"Int8\" Name=\"types\">2</DataArray></Cells></Piece>\n",
            CORNERS);
    text(&b, "</UnstructuredGrid><AppendedData encoding=\"raw\">_");
    add(&b, raw_bytes, sizeof raw_bytes);
    refuse(&b, "array 'offsets' ends in 8000; allowed: a whole number from 0 to ");
}

Test(vtu, all_pieces_must_have_the_same_arrays)
{
    const vtu_kind k = vtu_kind_of(0);
    buffer b = vtu_file(&k, 2);
    replace(&b, "Name=\"elemTag\"", "Name=\"elemTug\"");
    refuse(&b, "not every piece has an array 'elemTag'");
    b = vtu_file(&k, 2);
    replace(&b, "Name=\"depth\"", "Name=\"death\"");
    refuse(&b, "not every piece has an array 'depth'");
}

Test(vtu, a_quadrilateral_is_rejected)
{
    buffer b = {.n = 0};
    add(&b, vtp_surface, sizeof vtp_surface - 1);
    replace(&b, "3 6<", "3 7<"), replace(&b, "0 1 2 1 2 3", "0 1 2 1 2 3 0");
    refuse(&b, "cell 2 is of VTK's type 7 (polygon)");
}

/* XML that is expensive to read: nested elements, and pieces without end. */
Test(vtu, excessively_deep_or_long_xml_is_rejected)
{
    enum { MANY = 5000 };
    static char deep[2 * 3 * MANY + 200], wide[8 * MANY + 200];
    mt_arena arena = {0};
    mt_mesh mesh;
    char *at = stpcpy(deep, "<VTKFile><UnstructuredGrid>");
    for (int i = 0; i < MANY; i++) at = stpcpy(at, "<a>");
    write_bytes(path, deep, (size_t)(at - deep));
    cr_assert_eq(mt_vtu_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("elements are nested more than 64 levels deep");
    at = stpcpy(wide, "<VTKFile><UnstructuredGrid>");
    for (int i = 0; i < MANY; i++) at = stpcpy(at, "<Piece/>");
    write_bytes(path, wide, (size_t)(at - wide));
    cr_assert_eq(mt_vtu_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("more than 4096 pieces");
    write_bytes(path, "", 0);
    cr_assert_eq(mt_vtu_read(&arena, path, 1, &mesh), MT_INPUT);
    assert_message("not well-formed XML: no element found");
    cr_assert_eq(mt_vtu_read(&arena, "/tmp/myotile_no_such.vtu", 1, &mesh), MT_FILE);
    mt_arena_free(&arena);
}

/* ---- writing */

/* A slab with numbers that use every bit, and all optional data of a mesh. */
static void make(mt_arena *arena, mt_mesh *mesh)
{
    ok(mt_slab_make(arena, (double[]){2, 1, 1}, 0.5, mesh));
    mesh->sheet = mt_arena_alloc(arena, 3 * mesh->n_elements, sizeof *mesh->sheet);
    mesh->depth = mt_arena_alloc(arena, mesh->n_elements, sizeof *mesh->depth);
    mesh->layer = mt_arena_alloc(arena, mesh->n_elements, sizeof *mesh->layer);
    cr_assert(mesh->sheet && mesh->depth && mesh->layer);
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] /= 3;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const double a = (double)c, fibre[3] = {cos(a), sin(a), 0.1 * a}, sheet[3] = {-sin(a), cos(a), 0.3};
        cr_assert(mt_mesh_put_directions(mesh, c, fibre, sheet));
        mesh->region[c] = (int32_t)c - 5;
        mesh->depth[c] = a / 7;
        mesh->layer[c] = (int32_t)(c % 3);
    }
    ok(mt_mesh_new_faces(arena, 10, mesh));
    for (uint32_t f = 0; f < 10; f++) {
        for (uint32_t k = 0; k < 3; k++) mesh->face_vertex[3 * f + k] = 3 * f + k;
        mesh->face_tag[f] = (int32_t)f - 3;
    }
}

static void assert_same(const mt_mesh *a, const mt_mesh *b)
{
    cr_assert(a->n_vertices == b->n_vertices && a->n_elements == b->n_elements && a->n_faces == b->n_faces);
    cr_assert(
        !a->fibre == !b->fibre && !a->sheet == !b->sheet && !a->depth == !b->depth && !a->layer == !b->layer);
    cr_assert_arr_eq(a->xyz_mm, b->xyz_mm, 3 * a->n_vertices * sizeof *a->xyz_mm);
    cr_assert_arr_eq(a->element_vertex, b->element_vertex, 4 * a->n_elements * sizeof *a->element_vertex);
    cr_assert_arr_eq(a->region, b->region, a->n_elements * sizeof *a->region);
    if (a->fibre) cr_assert_arr_eq(a->fibre, b->fibre, 3 * a->n_elements * sizeof *a->fibre);
    if (a->sheet) cr_assert_arr_eq(a->sheet, b->sheet, 3 * a->n_elements * sizeof *a->sheet);
    if (a->depth) cr_assert_arr_eq(a->depth, b->depth, a->n_elements * sizeof *a->depth);
    if (a->layer) cr_assert_arr_eq(a->layer, b->layer, a->n_elements * sizeof *a->layer);
    for (size_t k = 0; k < 3 * a->n_faces; k++) cr_assert_eq(a->face_vertex[k], b->face_vertex[k]);
    for (size_t f = 0; f < a->n_faces; f++) cr_assert_eq(a->face_tag[f], b->face_tag[f]);
}

/* Complete; with less and less of the optional data; with directions that are unit vectors only to float; and a surface alone. */
Test(vtu, written_meshes_are_read_back_bit_identically)
{
    for (int less = 0; less < 7; less++) {
        mt_arena arena = {0};
        mt_mesh out, in;
        make(&arena, &out);
        for (size_t k = 0; less == 6 && k < 3 * out.n_elements; k++)
            out.fibre[k] = (float)out.fibre[k], out.sheet[k] = (float)out.sheet[k];
        if (less >= 1 && less < 6) out.n_faces = 0;
        if (less >= 2 && less < 6) out.sheet = NULL;
        if (less >= 3 && less < 6) out.depth = NULL, out.layer = NULL;
        if (less >= 4 && less < 6) out.fibre = NULL;
        if (less == 5) out.n_elements = 0, out.n_faces = 10;
        ok(mt_vtu_write(path, &out));
        ok(mt_vtu_read(&arena, path, 1, &in));
        assert_same(&out, &in);
        mt_arena_free(&arena);
    }
}

/* 12 and 24 bytes fill groups of three, 40 do not: two characters of "=". */
Test(vtu, written_base64_is_padded)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const vtu_kind k = vtu_kind_of(0);
    const buffer b = vtu_file(&k, 1);
    char text_of_file[8192] = "";
    ok(read_buffer(&arena, &b, &mesh));
    ok(mt_vtu_write(path, &mesh));
    FILE *file = fopen(path, "rb");
    cr_assert(file && fread(text_of_file, 1, sizeof text_of_file - 1, file) > 0);
    (void)fclose(file);
    cr_assert(strstr(text_of_file, "Name=\"types\" format=\"binary\">\nBAAAAAAAAAAKCgUF\n</DataArray>"), "%s",
        text_of_file);
    cr_assert(strstr(text_of_file, "Name=\"layer\" format=\"binary\">\nEAAAAAAAAAABAAAAAwAAAAAAAAAAAAAA\n<"),
        "%s", text_of_file);
    cr_assert(
        strstr(text_of_file,
            "Name=\"depth\" format=\"binary\">\nIAAAAAAAAAAAAAAAAADQPwAAAAAAAOg/AAAAAAAAAAAAAAAAAAAAAA==\n<"),
        "%s", text_of_file);
    mt_arena_free(&arena);
}

Test(vtu, an_unwritable_file_is_reported_by_name)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    make(&arena, &mesh);
    cr_assert_eq(mt_vtu_write("/tmp/myotile_no_such_directory/a.vtu", &mesh), MT_FILE);
    assert_message("/tmp/myotile_no_such_directory/a.vtu");
    mt_arena_free(&arena);
}

Test(vtu, out_of_memory_is_reported_without_a_leak)
{
    for (int i = 0; i < VTU_KINDS; i += 4) {
        mt_status status = MT_MEMORY;
        const vtu_kind k = vtu_kind_of(i);
        const buffer b = vtu_file(&k, 2);
        write_bytes(path, b.bytes, b.n);
        for (size_t n = 1; status != MT_OK; n++) {
            mt_arena arena = {0};
            mt_mesh mesh;
            mt_arena_fail_at(n);
            status = mt_vtu_read(&arena, path, 1, &mesh);
            mt_arena_fail_at(0);
            mt_arena_free(&arena);
            cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", n, mt_message());
            cr_assert(status != MT_OK || n > 20, "take %zu", n);
        }
    }
}
