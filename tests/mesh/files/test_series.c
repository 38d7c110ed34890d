#include <criterion/criterion.h>

#include <expat.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/files/h5.h"
#include "mesh/make/slab.h"
#include "mesh/unknowns.h"
#include "mesh/vtk/series.h"
#include "tests/answers.h"
#include "tests/leftovers.h"
#include "tests/temporary.h"

enum { FRAMES = 3, FIELDS = 2 };
static char folder[64], path[128], xdmf[MT_FILE_PATH_MAX];
static mt_arena arena;
static const mt_series_field fields[FIELDS] = {{"V", "mV"}, {"50% <&\"b>", NULL}};
static const double time_ms[FRAMES] = {0, 2.5, 1.0 / 3 + 5};

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "myotile_series_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/series.hdf", folder);
    ok(mt_series_xdmf_path(path, xdmf));
}

static void leave(void)
{
    mt_arena_free(&arena);
    (void)unlink(path);
    (void)unlink(xdmf);
    (void)rmdir(folder);
}

TestSuite(series, .init = enter, .fini = leave);

static float value_of(size_t frame, size_t field, size_t c)
{
    return (float)(10000 * frame + 1000 * field + c) / 7;
}

/* The requested interval and limit. */
typedef struct asked {
    size_t n_values, n, fails_at;
} asked;

static mt_status give(void *context, size_t frame, size_t field, float *values)
{
    asked *a = context;
    cr_assert_eq(a->n, frame * FIELDS + field);
    if (a->n++ == a->fails_at) return mt_fail(MT_NUMERICS, "no more");
    for (size_t c = 0; c < a->n_values; c++) values[c] = value_of(frame, field, c);
    return MT_OK;
}

/* True for fields of vertices; set by a test. */
static bool at_vertices;
static size_t n_values(const mt_mesh *mesh) { return at_vertices ? mesh->n_vertices : mesh->n_elements; }

/* Makes a slab, or a part of it: the odd elements after its first half. */
static void make(bool part, mt_mesh *mesh)
{
    mt_mesh whole;
    uint8_t *keep;
    ok(mt_slab_make(&arena, (double[]){2, 1, 1}, 0.5, &whole));
    keep = mt_arena_alloc(&arena, whole.n_elements, 1);
    for (size_t c = 0; c < whole.n_elements; c++) {
        whole.region[c] = (int32_t)c % 5 - 2;
        keep[c] = c % 2 && c > whole.n_elements / 2;
    }
    *mesh = whole;
    if (part) ok(mt_mesh_select(&arena, &whole, keep, mesh));
    if (at_vertices) ok(mt_unknowns_mesh(&arena, mesh, mesh));
}

static mt_series series_of(const mt_mesh *mesh, asked *a)
{
    *a = (asked){.n_values = n_values(mesh), .fails_at = SIZE_MAX};
    return (mt_series){
        .mesh = mesh,
        .at_vertices = at_vertices,
        .n_fields = FIELDS,
        .n_frames = FRAMES,
        .fields = fields,
        .time_ms = time_ms,
        .give = give,
        .context = a,
    };
}

static void write_series(const mt_mesh *mesh)
{
    asked a;
    const mt_series s = series_of(mesh, &a);
    ok(mt_series_write(path, &s));
    cr_assert_eq(a.n, FRAMES * FIELDS);
    cr_assert(leftovers(path) == 0 && leftovers(xdmf) == 0);
}

static size_t slurp(const char *file, char **bytes)
{
    FILE *stream = fopen(file, "rb");
    cr_assert_not_null(stream, "%s", file);
    enum { MOST = 1 << 20 };
    *bytes = mt_arena_alloc(&arena, MOST + 1, 1);
    const size_t n = fread(*bytes, 1, MOST, stream);
    (void)fclose(stream);
    return n;
}

static void check_steps(mt_h5 *h5, const char *name, int64_t first, int64_t each)
{
    int64_t found[FRAMES];
    char full[128];
    const size_t n = FRAMES;
    (void)snprintf(full, sizeof full, "VTKHDF/Steps/%s", name);
    ok(mt_h5_read(h5, full, MT_H5_INT64, 1, &n, found));
    for (int64_t k = 0; k < FRAMES; k++) cr_assert_eq(found[k], first + k * each, "%s", full);
}

static void check_values(mt_h5 *h5, size_t n)
{
    const size_t all = FRAMES * n;
    float *values = mt_arena_alloc(&arena, all, sizeof *values);
    char full[128], unit[16];
    for (size_t field = 0; field < FIELDS; field++) {
        (void)snprintf(
            full, sizeof full, "VTKHDF/%s/%s", at_vertices ? "PointData" : "CellData", fields[field].name);
        ok(mt_h5_read(h5, full, MT_H5_FLOAT, 1, &all, values));
        for (size_t k = 0; k < all; k++) cr_assert_eq(values[k], value_of(k / n, field, k % n));
    }
    ok(mt_h5_read_text(
        h5, at_vertices ? "VTKHDF/PointData/V" : "VTKHDF/CellData/V", "unit", unit, sizeof unit));
    cr_assert_str_eq(unit, "mV");
}

/* The groups and arrays that VTK's reader of transient files requires, by its documentation. */
Test(series, the_file_has_the_layout_that_vtk_reads)
{
    for (int kind = 0; kind < 4; kind++) {
        const bool part = kind % 2;
        int64_t version[2], n_steps;
        double times[FRAMES];
        char type[32];
        mt_mesh mesh;
        mt_h5 h5;
        bool numbered;
        at_vertices = kind >= 2;
        make(part, &mesh);
        write_series(&mesh);
        ok(mt_h5_open(path, &h5));
        ok(mt_h5_read_integers(&h5, "VTKHDF", "Version", 2, version));
        cr_assert(version[0] == 2 && version[1] == 0);
        ok(mt_h5_read_text(&h5, "VTKHDF", "Type", type, sizeof type));
        cr_assert_str_eq(type, "UnstructuredGrid");
        ok(mt_h5_read_integers(&h5, "VTKHDF/Steps", "NSteps", 1, &n_steps));
        cr_assert_eq(n_steps, FRAMES);
        ok(mt_h5_read(&h5, "VTKHDF/Steps/Values", MT_H5_DOUBLE, 1, (size_t[]){FRAMES}, times));
        cr_assert_arr_eq(times, time_ms, sizeof times);
        check_steps(&h5, "NumberOfParts", 1, 0);
        check_steps(&h5, "PartOffsets", 0, 0);
        check_steps(&h5, "PointOffsets", 0, 0);
        check_steps(&h5, "CellOffsets", 0, 0);
        check_steps(&h5, "ConnectivityIdOffsets", 0, 0);
        check_steps(&h5, "CellDataOffsets/region", 0, 0);
        const int64_t each = (int64_t)n_values(&mesh);
        check_steps(&h5, at_vertices ? "PointDataOffsets/V" : "CellDataOffsets/V", 0, each);
        check_steps(&h5, at_vertices ? "PointDataOffsets/50% <&\"b>" : "CellDataOffsets/50% <&\"b>", 0, each);
        check_values(&h5, n_values(&mesh));
        ok(mt_h5_has(&h5, "VTKHDF/CellData/element", &numbered));
        cr_assert_eq(numbered, part);
        ok(mt_h5_has(&h5, "VTKHDF/PointData/vertex", &numbered));
        cr_assert_eq(numbered, part && at_vertices);
        if (numbered) check_steps(&h5, "PointDataOffsets/vertex", 0, 0);
        mt_h5_close(&h5);
    }
}

Test(series, a_part_of_a_mesh_lists_the_numbers_of_its_vertices)
{
    mt_mesh mesh;
    mt_h5 h5;
    at_vertices = true;
    make(true, &mesh);
    int64_t *number = mt_arena_alloc(&arena, mesh.n_vertices, sizeof *number);
    write_series(&mesh);
    ok(mt_h5_open(path, &h5));
    ok(mt_h5_read(&h5, "VTKHDF/PointData/vertex", MT_H5_INT64, 1, &mesh.n_vertices, number));
    mt_h5_close(&h5);
    for (size_t v = 0; v < mesh.n_vertices; v++) cr_assert_eq(number[v], (int64_t)mesh.vertex_number[v]);
}

/* Every corner of every element keeps its position, with other vertex numbers. */
Test(series, a_part_of_a_mesh_has_only_its_vertices_and_lists_its_elements)
{
    int64_t counts[3], *corner, *number;
    double *xyz;
    mt_mesh mesh;
    mt_h5 h5;
    make(true, &mesh);
    const size_t n = mesh.n_elements;
    write_series(&mesh);
    ok(mt_h5_open(path, &h5));
    ok(mt_h5_read(&h5, "VTKHDF/NumberOfPoints", MT_H5_INT64, 1, (size_t[]){1}, counts));
    ok(mt_h5_read(&h5, "VTKHDF/NumberOfCells", MT_H5_INT64, 1, (size_t[]){1}, counts + 1));
    ok(mt_h5_read(&h5, "VTKHDF/NumberOfConnectivityIds", MT_H5_INT64, 1, (size_t[]){1}, counts + 2));
    cr_assert(counts[0] < (int64_t)mesh.n_vertices && counts[1] == (int64_t)n && counts[2] == 4 * counts[1]);
    xyz = mt_arena_alloc(&arena, 3 * (size_t)counts[0], sizeof *xyz);
    corner = mt_arena_alloc(&arena, 4 * n, sizeof *corner);
    number = mt_arena_alloc(&arena, n, sizeof *number);
    ok(mt_h5_read(&h5, "VTKHDF/Points", MT_H5_DOUBLE, 2, (size_t[]){(size_t)counts[0], 3}, xyz));
    ok(mt_h5_read(&h5, "VTKHDF/Connectivity", MT_H5_INT64, 1, (size_t[]){4 * n}, corner));
    ok(mt_h5_read(&h5, "VTKHDF/CellData/element", MT_H5_INT64, 1, &n, number));
    mt_h5_close(&h5);
    for (size_t k = 0; k < 4 * n; k++) {
        cr_assert(corner[k] >= 0 && corner[k] < counts[0]);
        cr_assert_arr_eq(
            xyz + 3 * corner[k], mesh.xyz_mm + 3 * (size_t)mesh.element_vertex[k], 3 * sizeof *xyz);
    }
    for (size_t c = 0; c < n; c++) cr_assert_eq(number[c], (int64_t)mesh.number[c]);
}

/* ---- the XDMF, as read by a program ---- */

/* The latest value of each word during a walk through the file. */
typedef struct walk {
    hid_t h5;
    const mt_mesh *mesh;
    size_t frame, field, fields, arrays;
    size_t bytes;
    bool temporal, floating;
    char dimensions[64], text[512];
} walk;

static const char *attribute(const char **list, const char *name)
{
    for (; *list; list += 2)
        if (strcmp(list[0], name) == 0) return list[1];
    return "";
}

static void begin(void *context, const char *name, const char **list)
{
    walk *w = context;
    w->text[0] = 0;
    if (strcmp(attribute(list, "CollectionType"), "Temporal") == 0) w->temporal = true;
    if (strcmp(name, "Time") == 0) cr_assert_eq(strtod(attribute(list, "Value"), NULL), time_ms[w->frame]);
    if (strcmp(name, "Topology") == 0)
        cr_assert(strcmp(attribute(list, "TopologyType"), "Tetrahedron") == 0 &&
                  strtoul(attribute(list, "NumberOfElements"), NULL, 10) == w->mesh->n_elements);
    if (strcmp(name, "Attribute") == 0) {
        w->field = FIELDS;
        for (size_t k = 0; k < FIELDS; k++)
            if (strcmp(attribute(list, "Name"), fields[k].name) == 0) w->field = k;
        cr_assert_str_eq(attribute(list, "Center"), at_vertices && w->field < FIELDS ? "Node" : "Cell");
    }
    if (strcmp(name, "DataItem") != 0) return;
    cr_assert_str_eq(attribute(list, "Format"), "HDF");
    (void)snprintf(w->dimensions, sizeof w->dimensions, "%s", attribute(list, "Dimensions"));
    w->floating = strcmp(attribute(list, "NumberType"), "Float") == 0;
    w->bytes = strtoul(attribute(list, "Precision"), NULL, 10);
}

static void text(void *context, const char *some, int n)
{
    walk *w = context;
    const size_t used = strlen(w->text);
    (void)snprintf(w->text + used, sizeof w->text - used, "%.*s", n, some);
}

/* Checks that the array of a field has the values of this frame. */
static void check_field(walk *w, hid_t array)
{
    const size_t n = n_values(w->mesh);
    float *values = mt_arena_alloc(&arena, n, sizeof *values);
    cr_assert(H5Dread(array, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (size_t c = 0; c < n; c++) cr_assert_eq(values[c], value_of(w->frame, w->field, c));
    w->fields++;
}

/* Checks that an array exists, with this shape and type. */
static void check_array(walk *w)
{
    static const char prefix[] = "series.hdf:";
    hsize_t found[2] = {0, 0}, said[2] = {0, 0};
    cr_assert_eq(strncmp(w->text, prefix, sizeof prefix - 1), 0, "%s", w->text);
    const hid_t array = H5Dopen2(w->h5, w->text + sizeof prefix - 1, H5P_DEFAULT);
    cr_assert(array >= 0, "%s", w->text);
    const hid_t space = H5Dget_space(array), type = H5Dget_type(array);
    const int rank = sscanf(w->dimensions, "%llu %llu", &said[0], &said[1]);
    cr_assert_eq(H5Sget_simple_extent_dims(space, found, NULL), rank);
    cr_assert(found[0] == said[0] && found[1] == said[1], "%s", w->text);
    cr_assert_eq(H5Tget_size(type), w->bytes);
    cr_assert_eq(H5Tget_class(type), w->floating ? H5T_FLOAT : H5T_INTEGER);
    w->arrays++;
    if (w->field < FIELDS) check_field(w, array);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    (void)H5Dclose(array);
}

static void end(void *context, const char *name)
{
    walk *w = context;
    if (strcmp(name, "Attribute") == 0) w->field = FIELDS;
    if (strcmp(name, "Grid") == 0) w->frame++;
    if (strcmp(name, "DataItem") == 0) check_array(w);
}

Test(series, each_time_step_of_the_xdmf_has_the_mesh_and_its_slice_of_every_field)
{
    for (int kind = 0; kind < 4; kind++) {
        const int part = kind % 2;
        mt_mesh mesh;
        char *bytes;
        at_vertices = kind >= 2;
        make(part, &mesh);
        write_series(&mesh);
        walk w = {.h5 = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), .mesh = &mesh, .field = FIELDS};
        cr_assert(w.h5 >= 0);
        XML_Parser parser = XML_ParserCreate(NULL);
        XML_SetUserData(parser, &w);
        XML_SetElementHandler(parser, begin, end);
        XML_SetCharacterDataHandler(parser, text);
        const size_t n = slurp(xdmf, &bytes);
        cr_assert_eq(XML_Parse(parser, bytes, (int)n, true), XML_STATUS_OK, "%s",
            XML_ErrorString(XML_GetErrorCode(parser)));
        XML_ParserFree(parser);
        (void)H5Fclose(w.h5);
        cr_assert(w.temporal && w.frame == FRAMES + 1);
        cr_assert_eq(w.fields, FRAMES * FIELDS);
        cr_assert_eq(w.arrays, FRAMES * (FIELDS + 3u + (unsigned)part));
        cr_assert_null(strstr(bytes, folder), "the files cannot be moved");
    }
}

/* ---- */

Test(series, equal_series_are_byte_identical)
{
    char *first[2], *second[2];
    size_t n[2];
    mt_mesh mesh;
    make(false, &mesh);
    write_series(&mesh);
    n[0] = slurp(path, &first[0]), n[1] = slurp(xdmf, &first[1]);
    cr_assert(mt_file_is_ours(path) && mt_file_is_ours(xdmf));
    sleep(1); /* no times in it */
    write_series(&mesh);
    cr_assert_eq(slurp(path, &second[0]), n[0]);
    cr_assert_eq(slurp(xdmf, &second[1]), n[1]);
    for (int k = 0; k < 2; k++) cr_assert_arr_eq(first[k], second[k], n[k]);
}

Test(series, a_failure_leaves_both_files_unchanged)
{
    char *before, *after;
    mt_mesh mesh;
    asked a;
    make(false, &mesh);
    for (size_t at = 0; at < FRAMES * FIELDS; at++) {
        mt_series s = series_of(&mesh, &a);
        a.fails_at = at;
        cr_assert_eq(mt_series_write(path, &s), MT_NUMERICS);
        cr_assert(access(path, F_OK) != 0 && access(xdmf, F_OK) != 0 && leftovers(path) == 0);
    }
    write_series(&mesh);
    const size_t n = slurp(path, &before);
    for (size_t k = 1;; k++) {
        mt_series s = series_of(&mesh, &a);
        mt_arena_fail_at(k);
        const mt_status status = mt_series_write(path, &s);
        mt_arena_fail_at(0);
        if (status == MT_OK) break;
        cr_assert_eq(status, MT_MEMORY);
        cr_assert_eq(slurp(path, &after), n);
        cr_assert_arr_eq(before, after, n);
    }
}

Test(series, invalid_series_are_rejected)
{
    static const mt_series_field bad[][FIELDS] = {{{"V", NULL}, {"V", NULL}}, {{"region", NULL}, {"V", NULL}},
        {{"element", NULL}, {"V", NULL}}, {{"a/b", NULL}, {"V", NULL}}, {{"", NULL}, {"V", NULL}}};
    mt_mesh mesh, none;
    asked a;
    make(false, &mesh);
    none = mesh, none.n_elements = 0;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        mt_series s = series_of(&mesh, &a);
        s.fields = bad[k];
        cr_assert_eq(mt_series_write(path, &s), MT_INPUT, "%zu", k);
    }
    for (int k = 0; k < 3; k++) {
        mt_series s = series_of(&mesh, &a);
        k == 0 ? (s.n_fields = 0) : k == 1 ? (s.n_frames = 0) : 0;
        if (k == 2) s.mesh = &none;
        cr_assert_eq(mt_series_write(path, &s), MT_INPUT, "%d", k);
    }
    const mt_series s = series_of(&mesh, &a);
    cr_assert_eq(mt_series_write("/tmp/series.vtkhdf", &s), MT_INPUT);
    assert_message(".hdf");
    cr_assert_eq(mt_series_write("/nowhere/at/all.hdf", &s), MT_FILE);
    cr_assert_eq(a.n, 0);
}

/* In a set the old pair remains until the new one is complete. */
Test(series, in_a_file_set_both_files_appear_together)
{
    mt_mesh mesh;
    asked a;
    make(false, &mesh);
    const mt_series s = series_of(&mesh, &a);
    ok(mt_file_set_begin());
    ok(mt_series_write(path, &s));
    cr_assert(access(path, F_OK) != 0 && access(xdmf, F_OK) != 0);
    ok(mt_file_set_end(MT_OK));
    cr_assert(access(path, F_OK) == 0 && access(xdmf, F_OK) == 0);
}
