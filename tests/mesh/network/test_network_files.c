#include <criterion/criterion.h>

#include "mesh/network/network_files.h"
#include "tests/answers.h"
#include "tests/mesh/damage.h"
#include "tests/random.h"
#include "tests/room.h"

TestSuite(network_files, .init = enter_room, .fini = leave_room, .timeout = 120);

/* ---- one network in every format */

/* A poly line of two segments, and two lines that close a loop: nodes 0 to 3 at the corners of a square, in mm. */
static const double sample_xyz[12] = {0, 0, -1, 0, 4, -1, 4, 4, -1, 4, 0.5, -1};
static const uint32_t sample_node[8] = {0, 1, 1, 2, 2, 3, 3, 0};
static const double sample_radius[4] = {0.5, 0.5, 0.25, 0.25};
static const int32_t sample_kind[4] = {7, 7, -2, -2};

enum { FILES = 2 };

/* A file of the sample: its name, or those of a set of files, and their texts. */
typedef struct sample {
    const char *what, *name[FILES], *text[FILES];
    bool radius, kind;
} sample;

#define VTK_POINTS "POINTS 4 double\n0 0 -1 0 4 -1\n4 4 -1 4 0.5 -1\n"
#define VTK_DATA                                                                                             \
    "CELL_DATA 3\nSCALARS radius float 1\nLOOKUP_TABLE default\n0.5 0.25 0.25\n"                             \
    "SCALARS kind int\nLOOKUP_TABLE default\n7 -2 -2\n"
#define XML_POINTS                                                                                           \
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">0 0 -1 0 4 -1 4 4 -1 4 0.5 -1"             \
    "</DataArray></Points>\n"
#define XML_CELLS                                                                                            \
    "<DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 2 3 3 0</DataArray>\n"                            \
    "<DataArray type=\"Int32\" Name=\"offsets\">3 5 7</DataArray>\n"
#define XML_DATA                                                                                             \
    "<CellData><DataArray type=\"Float32\" Name=\"Radius\">0.5 0.25 0.25</DataArray>\n"                      \
    "<DataArray type=\"Int8\" Name=\"elemTag\">7 -2 -2</DataArray></CellData>\n"

static const sample samples[] = {
    {"polygonal data, VTK 3.0", {"a.vtk"},
        {"# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\n" VTK_POINTS
         "LINES 3 10\n3 0 1 2\n2 2 3\n2 3 0\n" VTK_DATA},
        true, true},
    {"an unstructured grid, VTK 3.0", {"a.vtk"},
        {"# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n" VTK_POINTS
         "CELLS 3 10\n3 0 1 2\n2 2 3\n2 3 0\nCELL_TYPES 3\n4\n3\n3\n" VTK_DATA},
        true, true},
    {"polygonal data, VTK 5.1", {"a.vtk"},
        {"# vtk DataFile Version 5.1\n\nASCII\nDATASET POLYDATA\n" VTK_POINTS
         "LINES 4 7\nOFFSETS vtktypeint64\n0 3 5 7\nCONNECTIVITY vtktypeint64\n0 1 2 2 3 3 0\n" VTK_DATA},
        true, true},
    {"an unstructured grid without kinds", {"a.vtk"},
        {"# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n" VTK_POINTS
         "CELLS 3 10\n3 0 1 2\n2 2 3\n2 3 0\nCELL_TYPES 3\n4\n3\n3\n"},
        false, false},
    {"a .vtp", {"a.vtp"},
        {"<VTKFile type=\"PolyData\">\n<PolyData>\n<Piece NumberOfPoints=\"4\" "
         "NumberOfLines=\"3\">\n" XML_POINTS "<Lines>" XML_CELLS "</Lines>\n" XML_DATA
         "</Piece>\n</PolyData>\n</VTKFile>\n"},
        true, true},
    {"a .vtu", {"a.vtu"},
        {"<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"4\" "
         "NumberOfCells=\"3\">\n" XML_POINTS "<Cells>" XML_CELLS
         "<DataArray type=\"UInt8\" Name=\"types\">4 3 3</DataArray></Cells>\n" XML_DATA
         "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"},
        true, true},
    {"CARP", {"a.elem", "a.pts"},
        {"4\nLn 0 1 7\nLn 1 2 7\nLn 2 3 -2\nLn 3 0 -2\n",
            "4\n0 0 -1000\n0 4000 -1000\n4e3 4e3 -1e3\n4000 500 -1000\n"},
        false, true},
    {"CARP without regions", {"a.pts", "a.elem"},
        {"4\n0 0 -1000\n0 4000 -1000\n4e3 4e3 -1e3\n4000 500 -1000\n", "4\nLn 0 1\nLn 1 2\nLn 2 3\nLn 3 0\n"},
        false, false},
    {"CSV", {"a.csv"},
        {"x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,radius_mm,kind\n0,0,-1,0,4,-1,0.5,7\n0,4,-1,4,4,-1,0.5,7\n"
         "4,4,-1,4,0.5,-1,0.25,-2\n4,0.5,-1,0,0,-1,0.25,-2\n"},
        true, true},
    {"CSV with numbered nodes, in another order", {"a.csv"},
        {"kind,node1,node0,z1_mm,z0_mm,y1_mm,y0_mm,x1_mm,x0_mm\r\n7,1,0,-1,-1,4,0,0,0\r\n7,2,1,-1,-1,4,4,4,"
         "0\r\n"
         "-2,3,2,-1,-1,0.5,4,4,4\r\n-2,0,3,-1,-1,0,0.5,0,4\r\n"},
        false, true},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void put(const sample *s)
{
    for (int k = 0; k < FILES && s->name[k]; k++) write_text(s->name[k], s->text[k]);
}

static void assert_sample(const mt_network *network, const sample *s)
{
    cr_assert(network->n_nodes == 4 && network->n_segments == 4, "%s: %zu nodes", s->what, network->n_nodes);
    cr_assert_eq(memcmp(network->xyz_mm, sample_xyz, sizeof sample_xyz), 0, "%s", s->what);
    cr_assert_eq(memcmp(network->segment_node, sample_node, sizeof sample_node), 0, "%s", s->what);
    cr_assert_eq(network->radius_mm != NULL, s->radius, "%s", s->what);
    cr_assert_eq(network->kind != NULL, s->kind, "%s", s->what);
    if (s->radius)
        cr_assert_eq(memcmp(network->radius_mm, sample_radius, sizeof sample_radius), 0, "%s", s->what);
    if (s->kind) cr_assert_eq(memcmp(network->kind, sample_kind, sizeof sample_kind), 0, "%s", s->what);
}

Test(network_files, every_format_yields_the_same_network_without_notes)
{
    for (int k = 0; k < SAMPLES; k++) {
        mt_arena arena = {0};
        mt_network network;
        put(&samples[k]);
        cr_assert(mt_network_is_file(samples[k].name[0]), "%s", samples[k].what);
        const mt_status status = mt_network_read(&arena, samples[k].name[0], NULL, &network);
        cr_assert_eq(status, MT_OK, "%s: %s", samples[k].what, mt_message());
        assert_sample(&network, &samples[k]);
        cr_assert_null(network.notes, "%s: %s", samples[k].what, network.notes);
        mt_arena_free(&arena);
    }
}

static const sample *sample_of(const char *what)
{
    int k = 0;
    while (k < SAMPLES && strcmp(samples[k].what, what) != 0) k++;
    cr_assert_lt(k, SAMPLES, "%s", what);
    return &samples[k];
}

Test(network_files, coordinates_and_radii_have_the_specified_unit)
{
    mt_arena arena = {0};
    mt_network network;
    put(sample_of("a .vtp"));
    ok(mt_network_read(&arena, "a.vtp", "cm", &network));
    cr_assert(network.xyz_mm[4] == 40 && network.radius_mm[2] == 2.5);
    put(sample_of("CARP"));
    ok(mt_network_read(&arena, "a.pts", "mm", &network));
    cr_assert_eq(network.xyz_mm[4], 4000);
    put(sample_of("CSV"));
    ok(mt_network_read(&arena, "a.csv", "mm", &network));
    cr_assert_eq(mt_network_read(&arena, "a.csv", "um", &network), MT_INPUT);
    assert_message("a.csv: its columns are in mm, as their names say; allowed unit: mm");
    cr_assert_eq(mt_network_read(&arena, "a.vtp", "inch", &network), MT_INPUT);
    assert_message("a.vtp: ");
    mt_arena_free(&arena);
}

/* ---- written files */

/* Draws a network of a path through all nodes, in random order, and more segments. Numbers have all their digits. */
static void make_random(mt_arena *arena, size_t n_nodes, bool radius, bool kind, mt_network *network)
{
    uint64_t state = n_nodes;
    uint32_t *order;
    const size_t n = 2 * n_nodes;
    ok(mt_network_new(arena, n_nodes, n, network));
    order = mt_arena_alloc(arena, n_nodes, sizeof *order);
    for (size_t k = 0; k < 3 * n_nodes; k++) network->xyz_mm[k] = between(&state, -100, 100) / 3;
    for (uint32_t v = 0; v < n_nodes; v++) {
        const size_t at = draw(&state, v + 1);
        order[v] = order[at];
        order[at] = v;
    }
    for (size_t v = 0; v < n_nodes; v++)
        for (size_t k = 0; k < 2; k++) {
            network->segment_node[4 * v + 2 * k] = order[v];
            network->segment_node[4 * v + 2 * k + 1] = order[(v + 1 + k) % n_nodes];
        }
    if (radius) network->radius_mm = mt_arena_alloc(arena, n, sizeof *network->radius_mm);
    if (kind) network->kind = mt_arena_alloc(arena, n, sizeof *network->kind);
    for (size_t s = 0; radius && s < n; s++) network->radius_mm[s] = between(&state, 1e-9, 1);
    for (size_t s = 0; kind && s < n; s++) network->kind[s] = (int32_t)(next_state(&state) >> 32);
    network->xyz_mm[0] = -0.0, network->xyz_mm[1] = 5e-324, network->xyz_mm[2] = -1e9;
    ok(mt_network_check(network, NULL));
}

static void assert_same(const mt_network *a, const mt_network *b)
{
    const size_t n = a->n_segments;
    cr_assert(a->n_nodes == b->n_nodes && n == b->n_segments);
    cr_assert_eq(memcmp(a->xyz_mm, b->xyz_mm, 3 * a->n_nodes * sizeof *a->xyz_mm), 0);
    cr_assert_eq(memcmp(a->segment_node, b->segment_node, 2 * n * sizeof *a->segment_node), 0);
    cr_assert(!a->radius_mm == !b->radius_mm && !a->kind == !b->kind);
    if (a->radius_mm) cr_assert_eq(memcmp(a->radius_mm, b->radius_mm, n * sizeof *a->radius_mm), 0);
    if (a->kind) cr_assert_eq(memcmp(a->kind, b->kind, n * sizeof *a->kind), 0);
}

Test(network_files, written_files_are_read_back_to_the_same_bits)
{
    for (int k = 0; k < 8; k++) {
        mt_arena arena = {0};
        mt_network network, again;
        const char *path = k & 4 ? "out.csv" : "out.vtp";
        make_random(&arena, 50 + (size_t)k, k & 1, k & 2, &network);
        ok(mt_network_check_output(path, MT_FILE_OURS));
        ok(mt_network_write(path, &network));
        cr_assert(mt_file_is_ours(path), "%s", path);
        ok(mt_network_read(&arena, path, NULL, &again));
        assert_same(&network, &again);
        cr_assert_null(again.notes, "%s", again.notes);
        (void)things(); /* no temporary file is left */
        mt_arena_free(&arena);
    }
}

Test(network_files, csv_has_the_documented_columns)
{
    mt_arena arena = {0};
    mt_network network;
    size_t n;
    put(sample_of("CSV"));
    ok(mt_network_read(&arena, "a.csv", NULL, &network));
    ok(mt_network_write("b.csv", &network));
    char *text = bytes_of("b.csv", &n);
    cr_assert_str_eq(text,
        "node0,x0_mm,y0_mm,z0_mm,node1,x1_mm,y1_mm,z1_mm,radius_mm,kind\n0,0,0,-1,1,0,4,-1,0.5,7\n"
        "1,0,4,-1,2,4,4,-1,0.5,7\n2,4,4,-1,3,4,0.5,-1,0.25,-2\n3,4,0.5,-1,0,0,0,-1,0.25,-2\n");
    free(text);
    mt_arena_free(&arena);
}

Test(network_files, files_that_cannot_be_written_are_refused)
{
    mt_arena arena = {0};
    mt_network network;
    make_random(&arena, 5, false, false, &network);
    static const char *const names[] = {"a.vtu", "a.pts", "a", ".vtp", "a.vtp.gz"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        cr_assert_eq(mt_network_write(names[k], &network), MT_INPUT, "%s", names[k]);
        assert_message("not a file name of a conduction network; allowed endings: .vtp, .csv");
        cr_assert_eq(mt_network_check_output(names[k], MT_FILE_ANY), MT_INPUT, "%s", names[k]);
    }
    for (int k = 0; k < 2; k++) {
        const char *path = k ? "none/a.csv" : "none/a.vtp";
        cr_assert_eq(mt_network_write(path, &network), MT_FILE);
        assert_message(path);
    }
    write_text("a.vtp", "<foreign/>");
    cr_assert_eq(mt_network_check_output("a.vtp", MT_FILE_OURS), MT_FILE);
    ok(mt_network_check_output("a.vtp", MT_FILE_ANY));
    mt_arena_free(&arena);
}

/* ---- notes */

/* Reads a file of this name and text, and compares its notes. */
static void read_with_notes(
    mt_arena *arena, const char *name, const char *text, const char *notes, mt_network *network)
{
    write_text(name, text);
    const mt_status status = mt_network_read(arena, name, NULL, network);
    cr_assert_eq(status, MT_OK, "%s", mt_message());
    cr_assert_str_eq(network->notes ? network->notes : "", notes);
}

Test(network_files, points_at_one_place_are_merged_and_points_of_no_segment_dropped)
{
    mt_arena arena = {0};
    mt_network network;
    read_with_notes(&arena, "a.vtk",
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 10 double\n0 0 0\n1 0 0\n"
        "9 9 9\n1 0 0\n2 0 0\n2 -0.0 0\n3 0 0\n0 0 0\n1 0 1e-300\n1 0 0\n"
        "LINES 5 15\n2 0 1\n2 3 4\n2 5 6\n2 6 8\n2 9 6\n",
        "points at the place of another one, merged with it: 3\npoints of no segment, dropped: 2\n",
        &network);
    cr_assert(network.n_nodes == 5 && network.n_segments == 5);
    cr_assert_arr_eq(
        network.segment_node, ((uint32_t[]){0, 1, 1, 2, 2, 3, 3, 4, 1, 3}), 10 * sizeof(uint32_t));
    cr_assert_eq(network.xyz_mm[3 * 3], 3);
    read_with_notes(&arena, "a.csv",
        "node0,x0_mm,y0_mm,z0_mm,node1,x1_mm,y1_mm,z1_mm\n0,0,0,0,3,1,0,0\n2,1,0,0,5,2,0,0\n5,2,0,0,0,0,0,"
        "0\n",
        "points at the place of another one, merged with it: 1\npoints of no segment, dropped: 2\n",
        &network);
    mt_arena_free(&arena);
}

Test(network_files, cells_and_arrays_without_a_use_are_noted)
{
    mt_arena arena = {0};
    mt_network network;
    read_with_notes(&arena, "a.vtk",
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n" VTK_POINTS
        "CELLS 3 9\n1 2\n2 0 1\n3 0 1 2\nCELL_TYPES 3\n1\n3\n5\nCELL_DATA 3\nSCALARS delay "
        "float\nLOOKUP_TABLE "
        "default\n0 0 0\nSCALARS kind int\nLOOKUP_TABLE default\n-1 3 nan\nSCALARS region int\nLOOKUP_TABLE "
        "default\n1 2 3\nPOINT_DATA 4\nSCALARS radius float\nLOOKUP_TABLE default\n1 1 1 1\n",
        "cells other than lines (VTK's types 3 and 4), not used: 2\n"
        "found but not used: delay (cells), radius (points), region (cells)\npoints of no segment, dropped: "
        "2\n",
        &network);
    cr_assert(network.n_segments == 1 && network.kind[0] == 3 && !network.radius_mm);
    write_text("a.pts", "4\n0 0 0\n1 0 0\n2 0 0\n0 3 0\n");
    read_with_notes(&arena, "a.elem", "3\nLn 0 1 4\nTt 0 1 2 3 9\nLn 1 2\n",
        "lines without a region, of kind 0: 1\nelements other than lines (Ln), not used: 1\npoints of no "
        "segment, "
        "dropped: 1\n",
        &network);
    cr_assert(network.n_segments == 2 && network.kind[0] == 4 && network.kind[1] == 0);
    read_with_notes(&arena, "a.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,delay\n0,0,0,1,0,0,x\n",
        "found but not used: column 'delay'\n", &network);
    mt_arena_free(&arena);
}

Test(network_files, only_files_of_lines_alone_count_as_networks)
{
    static const char head[] = "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n" VTK_POINTS;
    static const struct {
        const char *cells;
        bool is;
    } cases[] = {{"CELLS 2 5\n1 0\n2 0 1\nCELL_TYPES 2\n1\n3\n", true},
        {"CELLS 2 7\n3 0 1 2\n2 0 1\nCELL_TYPES 2\n5\n3\n", false},
        {"CELLS 2 8\n4 0 1 2 3\n2 0 1\nCELL_TYPES 2\n10\n4\n", false},
        {"CELLS 1 2\n1 0\nCELL_TYPES 1\n1\n", false}, {"CELLS 1 3\n2 0 9\nCELL_TYPES 1\n3\n", true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[512];
        (void)snprintf(text, sizeof text, "%s%s", head, cases[k].cells);
        write_text("a.vtk", text);
        cr_assert_eq(mt_network_is_file("a.vtk"), cases[k].is, "%s", cases[k].cells);
    }
    cr_assert(mt_network_is_file("none.csv"));
    cr_assert_not(mt_network_is_file("none.vtp"));
    cr_assert_not(mt_network_is_file("none.hdf"));
}

/* ---- faults */

static const struct fault {
    const char *what, *from, *to, *why; /* `from` in the first file that has it */
} faults[] = {
    {"polygonal data, VTK 3.0", "LINES 3 10\n3 0 1 2\n2 2 3\n2 3 0\n", "LINES 3 9\n3 0 1 2\n2 2 3\n1 3\n",
        "a.vtk: cell 2, a poly line, has 1 points; allowed: 2 or more"},
    {"an unstructured grid, VTK 3.0", "4\n3\n3\n", "3\n3\n3\n",
        "a.vtk: cell 0, a line, has 3 points; allowed: 2"},
    {"an unstructured grid without kinds", "4\n3\n3\n", "2\n2\n2\n",
        "a.vtk: has no lines among its 3 cells; allowed: lines (VTK's types 3 and 4)"},
    {"an unstructured grid without kinds", "4\n3\n3\n", "4\n3\n300\n",
        "a.vtk: cell 2: type 300; allowed: a whole number from 0 to 255"},
    {"polygonal data, VTK 3.0", "2 3 0\n", "2 3 4\n",
        "a.vtk: cell 2: point 4; allowed: a whole number below 4"},
    {"polygonal data, VTK 3.0", "2 3 0\n", "2 3 3\n",
        "a.vtk: cell 2: a segment of length 0, from [4, 0.5, -1] mm to the same place; allowed: two places"},
    {"polygonal data, VTK 3.0", "2 3 0\n", "2 2 1\n",
        "a.vtk: cell 2: a segment between the same two places as in cell 0; allowed: one segment"},
    {"polygonal data, VTK 3.0", "0.5 0.25 0.25", "0.5 0 0.25",
        "a.vtk: cell 1: radius 0 mm; allowed: above 0, at most 1e+09"},
    {"polygonal data, VTK 3.0", "0.5 0.25 0.25", "0.5 nan 0.25", "a.vtk: cell 1: radius nan mm; allowed"},
    {"polygonal data, VTK 3.0", "7 -2 -2", "7 -2 3e9",
        "a.vtk: cell 2: kind is 3000000000; allowed: a whole number from -2147483648 to 2147483647"},
    {"a .vtp", ">7 -2 -2<", ">7 -2 nan<", "a.vtp: cell 2: elemTag is nan; allowed: a whole number from"},
    {"a .vtp", "4 0.5 -1", "4 0.5 -2e9", "a.vtp: point 3: coordinate -2e+09; allowed: numbers from"},
    {"a .vtp", "\"offsets\"", "\"offset\"", "a.vtp: a piece has no array 'offsets'"},
    {"a .vtu", "3 5 7", "3 5 6", "a.vtu:5: array 'connectivity': '0' after the last of 6 numbers"},
    {"CARP", "Ln 2 3 -2\n", "Xx 2 3 -2\n",
        "a.elem:4: element 'Xx'; allowed: Ln (a line), and other elements"},
    {"CARP", "Ln 2 3 -2\n", "Ln 2\n", "a.elem:4: the line ends after 1 of 2 numbers"},
    {"CARP", "Ln 2 3 -2\n", "Ln 2 4 -2\n", "a.elem:4: vertex is '4'; allowed: a whole number from 0 to 3"},
    {"CARP", "Ln 2 3 -2\n", "Ln 2 3 -2 1\n", "a.elem:4: '1' after the region"},
    {"CARP", "Ln 2 3 -2\n", "Ln 2 3 x\n", "a.elem:4: region is 'x'; allowed"},
    {"CARP", "Ln 2 3 -2\n", "Ln 2 2 -2\n", "a.elem:4: a segment of length 0, from [4, 4, -1] mm"},
    {"CARP", "Ln 2 3 -2\n", "Ln 2 1 -2\n", "a.elem:4: a segment between the same two places as in line 3"},
    {"CARP", "4\nLn 0 1 7\n", "5\nLn 0 1 7\n", "a.elem:6: the file ends; allowed: Ln"},
    {"CARP", "4\nLn 0 1 7\n", "3\nLn 0 1 7\n", "a.elem:5: 'Ln' after the last of 3 elements"},
    {"CARP without regions", "Ln 0 1\nLn 1 2\nLn 2 3\nLn 3 0\n",
        "Tt 0 1 2 3\nTr 0 1 2\nTr 1 2 3\nQd 0 1 2 3\n", "a.elem: has no lines (Ln) among its 4 elements"},
    {"CARP", "4000 500 -1000\n", "4000 500\n", "a.pts:5: the line ends after 2 of 3 numbers"},
    {"CSV", "x0_mm,y0_mm", "x0,y0_mm", "a.csv:1: no column 'x0_mm'; allowed: x0_mm, y0_mm, z0_mm"},
    {"CSV", ",kind", ",x0_mm", "a.csv:1: two columns 'x0_mm'; allowed: one"},
    {"CSV with numbered nodes, in another order", "node0", "node",
        "a.csv:1: column 'node1' without 'node0'; allowed: both or neither"},
    {"CSV with numbered nodes, in another order", "7,1,0,-1,-1,4,0,0,0", "7,8,0,-1,-1,4,0,0,0",
        "a.csv:2: node1 is '8'; allowed: a whole number from 0 to 7"},
    {"CSV with numbered nodes, in another order", "-2,0,3,-1,-1,0,0.5,0,4", "-2,0,3,-1,-1,1,0.5,0,4",
        "a.csv:5: node 0 is at [0, 1, -1] mm, but in line 2 at [0, 0, -1]; allowed: one place"},
    {"CSV", "0,4,-1,4,4,-1", "0,four,-1,4,4,-1",
        "a.csv:3: y0_mm is 'four'; allowed: a number from -1e+09 to 1e+09"},
    {"CSV", "0,4,-1,4,4,-1", "0,4,-1,4,4,-1e10", "a.csv:3: z1_mm is '-1e10'; allowed"},
    {"CSV", "0,4,-1,4,4,-1", "0,4,-1,0,4,-1", "a.csv:3: a segment of length 0, from [0, 4, -1] mm"},
    {"CSV", "0,4,-1,4,4,-1", "0,4,-1,0,0,-1", "a.csv:3: a segment between the same two places as in line 2"},
    {"CSV", "0.25,-2\n4", "-0.25,-2\n4", "a.csv:4: radius -0.25 mm; allowed: above 0"},
    {"CSV", "0.25,-2\n4", ",-2\n4", "a.csv:4: radius_mm is ''; allowed: a number"},
    {"CSV", "0.25,-2\n4", "0.25,-2.5\n4",
        "a.csv:4: kind is '-2.5'; allowed: a whole number from -2147483648"},
    {"CSV", "0.25,-2\n4", "0.25\n4", "a.csv:4: 7 fields; allowed: 8"},
};

/* Returns a text with the first `from` replaced; the caller frees it. */
static char *changed(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    (void)sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

Test(network_files, every_fault_is_reported_with_its_place_value_and_the_allowed_values)
{
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        mt_arena arena = {0};
        mt_network network;
        const sample *s = sample_of(faults[k].what);
        int file = 0;
        put(s);
        while (!strstr(s->text[file], faults[k].from)) cr_assert_lt(++file, FILES, "fault %zu", k);
        char *text = changed(s->text[file], faults[k].from, faults[k].to);
        write_text(s->name[file], text);
        cr_assert_eq(mt_network_read(&arena, s->name[0], NULL, &network), MT_INPUT, "%s", faults[k].why);
        cr_assert(strncmp(mt_message(), faults[k].why, strlen(faults[k].why)) == 0, "%s\n%s", faults[k].why,
            mt_message());
        free(text);
        mt_arena_free(&arena);
    }
}

Test(network_files, absent_empty_and_unknown_files_are_refused)
{
    mt_arena arena = {0};
    mt_network network;
    static const char *const names[] = {
        "none.vtp", "none.vtu", "none.vtk", "none.csv", "none.pts", "none.elem"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        cr_assert_eq(mt_network_read(&arena, names[k], NULL, &network), MT_FILE, "%s", names[k]);
        assert_message("none.");
    }
    cr_assert_eq(mt_network_read(&arena, "a.hdf", NULL, &network), MT_INPUT);
    assert_message("a.hdf: not a file name of a conduction network; allowed endings: .vtp, .csv, .vtu, .vtk, "
                   ".pts, .elem");
    write_text("a.csv", "");
    cr_assert_eq(mt_network_read(&arena, "a.csv", NULL, &network), MT_INPUT);
    assert_message("a.csv:1: the file is empty");
    write_text("a.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm\n");
    cr_assert_eq(mt_network_read(&arena, "a.csv", NULL, &network), MT_INPUT);
    assert_message("a.csv: no segments; allowed: a header and rows");
    mt_arena_free(&arena);
}

/* Every copy is a valid network or refused with the name of one of its files. */
Test(network_files, damaged_files_are_valid_or_refused_by_name)
{
    static unsigned char copy[4096];
    for (int k = 0; k < SAMPLES; k++)
        for (int file = 0; file < FILES && samples[k].name[file]; file++) {
            const unsigned char *good = (const unsigned char *)samples[k].text[file];
            const size_t n = strlen(samples[k].text[file]);
            size_t refused = 0;
            put(&samples[k]);
            for (size_t i = 0; i < DAMAGED_COPIES; i++) {
                mt_arena arena = {0};
                mt_network network;
                write_bytes(samples[k].name[file], copy, damage(i, good, n, copy));
                const mt_status status = mt_network_read(&arena, samples[k].name[0], NULL, &network);
                cr_assert(status == MT_OK || status == MT_INPUT, "%s, copy %zu: %s", samples[k].what, i,
                    mt_message());
                if (status == MT_OK)
                    ok(mt_network_check(&network, NULL));
                else
                    cr_assert(strncmp(mt_message(), "a.", 2) == 0, "%s", mt_message());
                refused += status != MT_OK;
                mt_arena_free(&arena);
            }
            cr_assert(refused > DAMAGED_COPIES / 4, "%s: %zu", samples[k].what, refused);
        }
}

Test(network_files, out_of_memory_is_reported_for_every_format_and_written_file)
{
    for (int k = 0; k < SAMPLES + 2; k++) {
        mt_status status = MT_MEMORY;
        size_t n;
        const sample *s = &samples[k < SAMPLES ? k : 0];
        put(s);
        for (n = 1; status != MT_OK; n++) {
            mt_arena arena = {0};
            mt_network network = {.n_nodes = 4,
                .n_segments = 4,
                .xyz_mm = (double *)sample_xyz,
                .segment_node = (uint32_t *)sample_node};
            mt_arena_fail_at(n);
            status = k < SAMPLES ? mt_network_read(&arena, s->name[0], NULL, &network)
                                 : mt_network_write(k == SAMPLES ? "b.vtp" : "b.csv", &network);
            mt_arena_fail_at(0);
            mt_arena_free(&arena);
            cr_assert(status == MT_OK || status == MT_MEMORY, "%s, take %zu: %s", s->what, n, mt_message());
        }
        cr_assert(k >= SAMPLES || n > 12, "%s: %zu", s->what, n);
    }
}
