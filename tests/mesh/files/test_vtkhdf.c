#include <criterion/criterion.h>

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/files/h5.h"
#include "mesh/make/slab.h"
#include "mesh/vtk/vtkhdf.h"
#include "mesh/names.h"
#include "tests/answers.h"
#include "tests/leftovers.h"
#include "tests/temporary.h"

static char folder[64], path[128];

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "myotile_vtk_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/mesh.hdf", folder);
}

static void leave(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

TestSuite(vtkhdf, .init = enter, .fini = leave);

/* Numbers that use every bit: thirds, and fibres that are unit vectors only within rounding. */
static void make(mt_arena *arena, double edge, mt_mesh *mesh)
{
    ok(mt_slab_make(arena, (double[]){2, 1, 1}, edge, mesh));
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] /= 3;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        mesh->fibre[3 * c] = cos((double)c), mesh->fibre[3 * c + 1] = sin((double)c);
        mesh->region[c] = (int32_t)c - 7;
    }
}

/* The edge 1/16 mm yields 49,152 elements: arrays above 1 MiB, stored in compressed chunks; 1/2 mm gives small
 * ones. */
Test(vtkhdf, a_mesh_and_its_fields_are_read_back_bit_identically)
{
    for (int fine = 0; fine < 2; fine++) {
        mt_arena arena = {0};
        mt_mesh out, in;
        double *v, *t;
        make(&arena, fine ? 1.0 / 16 : 0.5, &out);
        float *v_out = mt_arena_alloc(&arena, out.n_elements, sizeof *v_out);
        double *t_out = mt_arena_alloc(&arena, out.n_elements, sizeof *t_out);
        for (size_t c = 0; c < out.n_elements; c++)
            v_out[c] = (float)c / 3, t_out[c] = c % 5 ? (double)c / 3 : NAN;
        const mt_vtkhdf_field fields[] = {{.name = "v", .unit = "mV", .f32 = v_out},
            {.name = "activation time", .unit = "ms", .f64 = t_out}};
        ok(mt_vtkhdf_write(path, &out, 2, fields));
        ok(mt_vtkhdf_read(&arena, path, &in));
        cr_assert(in.n_vertices == out.n_vertices && in.n_elements == out.n_elements);
        cr_assert_arr_eq(in.xyz_mm, out.xyz_mm, 3 * out.n_vertices * sizeof *out.xyz_mm);
        cr_assert_arr_eq(
            in.element_vertex, out.element_vertex, 4 * out.n_elements * sizeof *out.element_vertex);
        cr_assert_arr_eq(in.fibre, out.fibre, 3 * out.n_elements * sizeof *out.fibre);
        cr_assert_arr_eq(in.region, out.region, out.n_elements * sizeof *out.region);
        ok(mt_vtkhdf_read_field(&arena, path, "v", out.n_elements, &v));
        for (size_t c = 0; c < out.n_elements; c++) cr_assert_eq(v[c], (double)v_out[c]);
        ok(mt_vtkhdf_read_field(&arena, path, "activation time", out.n_elements, &t));
        cr_assert_arr_eq(t, t_out, out.n_elements * sizeof *t);
        cr_assert_eq(mt_vtkhdf_read_field(&arena, path, "w", out.n_elements, &v), MT_INPUT);
        assert_message("mesh.hdf: VTKHDF/CellData/w");
        cr_assert_eq(mt_vtkhdf_read_field(&arena, path, "v", out.n_elements + 1, &v), MT_INPUT);
        cr_assert_eq(mt_vtkhdf_read_field(&arena, path, "region", out.n_elements, &v), MT_INPUT);
        mt_arena_free(&arena);
    }
}

Test(vtkhdf, optional_arrays_are_read_back_bit_identically_and_normals_are_written_for_viewers)
{
    mt_arena arena = {0};
    mt_mesh out, in;
    mt_h5 h5;
    make(&arena, 1, &out);
    const size_t n = out.n_elements;
    double *normal = mt_arena_alloc(&arena, 3 * n, sizeof *normal);
    out.sheet = mt_arena_alloc(&arena, 3 * n, sizeof *out.sheet);
    out.depth = mt_arena_alloc(&arena, n, sizeof *out.depth);
    out.layer = mt_arena_alloc(&arena, n, sizeof *out.layer);
    out.segment = mt_arena_alloc(&arena, n, sizeof *out.segment);
    for (size_t c = 0; c < n; c++) {
        out.segment[c] = (int32_t)(c % (MT_SEGMENT_LAST + 1));
        out.sheet[3 * c] = -sin((double)c), out.sheet[3 * c + 1] = cos((double)c);
        out.depth[c] = (double)c / 13, out.layer[c] = (int32_t)(c % 3) + 1;
    }
    ok(mt_vtkhdf_write(path, &out, 0, NULL));
    ok(mt_vtkhdf_read(&arena, path, &in));
    cr_assert_arr_eq(in.fibre, out.fibre, 3 * n * sizeof *out.fibre);
    cr_assert_arr_eq(in.sheet, out.sheet, 3 * n * sizeof *out.sheet);
    cr_assert_arr_eq(in.depth, out.depth, n * sizeof *out.depth);
    cr_assert_arr_eq(in.layer, out.layer, n * sizeof *out.layer);
    cr_assert_arr_eq(in.segment, out.segment, n * sizeof *out.segment);
    ok(mt_h5_open(path, &h5));
    ok(mt_h5_read(&h5, "VTKHDF/CellData/normal", MT_H5_DOUBLE, 2, (size_t[]){n, 3}, normal));
    mt_h5_close(&h5);
    for (size_t k = 0; k < 3 * n; k++) cr_assert_float_eq(normal[k], k % 3 == 2, 1e-15);
    out.segment[n - 1] = MT_SEGMENT_LAST + 1;
    ok(mt_vtkhdf_write(path, &out, 0, NULL));
    cr_assert_eq(mt_vtkhdf_read(&arena, path, &in), MT_INPUT);
    cr_assert(strstr(mt_message(), "segment 18; allowed: 0 to 17"), "%s", mt_message());
    out.fibre = out.sheet = out.depth = NULL, out.layer = out.segment = NULL;
    ok(mt_vtkhdf_write(path, &out, 0, NULL));
    ok(mt_vtkhdf_read(&arena, path, &in));
    cr_assert(!in.fibre && !in.sheet && !in.depth && !in.layer && !in.segment);
    mt_arena_free(&arena);
}

Test(vtkhdf, tagged_triangles_are_read_back_and_written_only_if_present)
{
    mt_arena arena = {0};
    mt_mesh out, in;
    mt_h5 h5;
    bool there;
    make(&arena, 1, &out);
    ok(mt_mesh_new_faces(&arena, 4, &out));
    for (uint32_t f = 0; f < 4; f++) {
        for (uint32_t k = 0; k < 3; k++) out.face_vertex[3 * f + k] = f + 2 * k;
        out.face_tag[f] = (int32_t)f - 2;
    }
    ok(mt_vtkhdf_write(path, &out, 0, NULL));
    ok(mt_vtkhdf_read(&arena, path, &in));
    cr_assert_eq(in.n_faces, 4);
    cr_assert_arr_eq(in.face_vertex, out.face_vertex, 12 * sizeof *out.face_vertex);
    cr_assert_arr_eq(in.face_tag, out.face_tag, 4 * sizeof *out.face_tag);
    out.face_vertex[4] = 12;
    ok(mt_vtkhdf_write(path, &out, 0, NULL));
    cr_assert_eq(mt_vtkhdf_read(&arena, path, &in), MT_INPUT);
    assert_message("tagged triangle 1: vertex 12");
    out.n_faces = 0;
    ok(mt_vtkhdf_write(path, &out, 0, NULL));
    ok(mt_vtkhdf_read(&arena, path, &in));
    cr_assert_eq(in.n_faces, 0);
    ok(mt_h5_open(path, &h5));
    ok(mt_h5_has(&h5, "VTKHDF/FieldData", &there));
    cr_assert_not(there);
    mt_h5_close(&h5);
    mt_arena_free(&arena);
}

/* The layout that VTK's reader of version 1.0 requires. */
Test(vtkhdf, the_file_has_the_layout_that_vtk_reads)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_h5 h5;
    int64_t version[2], count;
    char text[32];
    size_t shape[2];
    const size_t one = 1;
    make(&arena, 1, &mesh);
    ok(mt_vtkhdf_write(path, &mesh, 0, NULL));
    ok(mt_h5_open(path, &h5));
    ok(mt_h5_read_integers(&h5, "VTKHDF", "Version", 2, version));
    cr_assert(version[0] == 1 && version[1] == 0);
    ok(mt_h5_read_text(&h5, "VTKHDF", "Type", text, sizeof text));
    cr_assert_str_eq(text, "UnstructuredGrid");
    ok(mt_h5_read_text(&h5, "VTKHDF/Points", "unit", text, sizeof text));
    cr_assert_str_eq(text, "mm");
    ok(mt_h5_read(&h5, "VTKHDF/NumberOfPoints", MT_H5_INT64, 1, &one, &count));
    cr_assert_eq(count, 12);
    ok(mt_h5_read(&h5, "VTKHDF/NumberOfCells", MT_H5_INT64, 1, &one, &count));
    cr_assert_eq(count, 12);
    ok(mt_h5_read(&h5, "VTKHDF/NumberOfConnectivityIds", MT_H5_INT64, 1, &one, &count));
    cr_assert_eq(count, 48);
    ok(mt_h5_shape(&h5, "VTKHDF/Offsets", 1, shape));
    cr_assert_eq(shape[0], 13);
    ok(mt_h5_shape(&h5, "VTKHDF/CellData/fibre", 2, shape));
    cr_assert(shape[0] == 12 && shape[1] == 3);
    mt_h5_close(&h5);
    mt_arena_free(&arena);
}

static void assert_no_files(void)
{
    cr_assert(access(path, F_OK) != 0 && leftovers(path) == 0, "a failed write leaves no file");
}

Test(vtkhdf, a_failed_write_leaves_no_new_file_and_an_old_one_unchanged)
{
    mt_arena arena = {0};
    mt_mesh mesh, back;
    const float v[12] = {0};
    make(&arena, 1, &mesh);
    cr_assert_eq(mt_vtkhdf_write("/tmp/myotile_no_such_directory/mesh.hdf", &mesh, 0, NULL), MT_FILE);
    assert_message("/tmp/myotile_no_such_directory/mesh.hdf");
    mt_arena_fail_at(2);
    cr_assert_eq(mt_vtkhdf_write(path, &mesh, 0, NULL), MT_MEMORY, "no memory in the middle of it");
    mt_arena_fail_at(0);
    assert_no_files();
    ok(mt_vtkhdf_write(path, &mesh, 0, NULL));
    struct stat before, after;
    cr_assert_eq(stat(path, &before), 0);
    mt_arena_fail_at(2);
    cr_assert_eq(mt_vtkhdf_write(path, &mesh, 1, &(mt_vtkhdf_field){.name = "v", .f32 = v}), MT_MEMORY);
    mt_arena_fail_at(0);
    cr_assert_eq(stat(path, &after), 0);
    cr_assert(before.st_ino == after.st_ino && before.st_size == after.st_size);
    ok(mt_vtkhdf_read(&arena, path, &back));
    mt_arena_free(&arena);
}

Test(vtkhdf, other_extensions_and_invalid_fields_are_rejected)
{
    static const char *const endings[] = {"mesh.vtkhdf", "mesh.h5", "mesh", "hdf", ".hdf5", ""};
    mt_arena arena = {0};
    mt_mesh mesh;
    const float v[12] = {0};
    const double d[12] = {0};
    make(&arena, 1, &mesh);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        cr_assert_eq(mt_vtkhdf_write(endings[k], &mesh, 0, NULL), MT_INPUT, "%s", endings[k]);
        assert_message("ParaView");
    }
    const mt_vtkhdf_field bad[] = {{.name = "", .f32 = v}, {.name = "a/b", .f32 = v},
        {.name = "fibre", .f32 = v}, {.name = "region", .f32 = v}, {.name = "ipu", .f32 = v},
        {.name = "tile", .f32 = v}, {.name = "v"}, {.name = "v", .f32 = v, .f64 = d},
        {.name = ".", .f32 = v}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        cr_assert_eq(mt_vtkhdf_write(path, &mesh, 1, &bad[k]), MT_INPUT, "field %zu", k);
    const mt_vtkhdf_field twice[] = {{.name = "v", .f32 = v}, {.name = "v", .f64 = d}};
    cr_assert_eq(mt_vtkhdf_write(path, &mesh, 2, twice), MT_INPUT);
    assert_no_files();
    mt_arena_free(&arena);
}

/* A manually written file of two elements with a common face, and one fault. */
struct fault {
    const char *dataset; /* omitted if `bad` is NULL */
    const void *bad;
    const char *why;
};

static const int64_t bad_version[] = {3, 0}, bad_count[] = {3}, bad_ids[] = {0, 1, 2, 3, 0, 2, 1, 5},
                     negative_ids[] = {0, 1, 2, 3, 0, 2, 1, -4}, bad_offsets[] = {0, 3, 8},
                     last_id[] = {0, 1, 2, 3, 0, 2, 1, 4294967295};
static const uint8_t bad_types[] = {10, 12};
static const double bad_fibre[] = {1, 0, 0, 0, 0, 0};
static const float bad_points[15] = {[4] = INFINITY};
static const struct fault faults[] = {
    {"VTKHDF/NumberOfPoints", NULL, "NumberOfPoints"},
    {"VTKHDF/NumberOfPoints", bad_count, "NumberOfPoints is 3 and VTKHDF/Points has 5 entries"},
    {"VTKHDF/NumberOfCells", bad_count, "NumberOfCells is 3"},
    {"VTKHDF/NumberOfConnectivityIds", bad_count, "NumberOfConnectivityIds is 3"},
    {"VTKHDF/Points", NULL, "Points"},
    {"VTKHDF/Points", bad_points, "vertex 1: coordinate y is inf"},
    {"VTKHDF/Connectivity", NULL, "Connectivity"},
    {"VTKHDF/Connectivity", bad_ids, "element 1: vertex 5"},
    {"VTKHDF/Connectivity", last_id, "element 1: vertex 4294967295"},
    {"VTKHDF/Connectivity", negative_ids, "Connectivity"},
    {"VTKHDF/Offsets", bad_offsets, "entry 1 is 3; in a mesh of tetrahedra it is 4"},
    {"VTKHDF/Offsets", NULL, "Offsets"},
    {"VTKHDF/Types", bad_types, "element 1 is of VTK type 12"},
    {"VTKHDF/Types", NULL, "Types"},
    {"VTKHDF/CellData/fibre", bad_fibre, "element 1: fibre of length 0"},
    {"Version", bad_version, "version 3.0"},
    {"Version", NULL, "no attribute Version"},
    {"Type", "PolyData", "type 'PolyData'"},
    {"Type", NULL, "no attribute Type"},
};

static void put(mt_h5 *h5, const struct fault *fault, const char *name, mt_h5_type type, size_t rank,
    const size_t *shape, const void *values)
{
    bool hit = fault && strcmp(fault->dataset, name) == 0;
    if (hit && !fault->bad) return;
    ok(mt_h5_write(h5, name, type, rank, shape, NULL, hit ? fault->bad : values));
}

static void write_by_hand(const struct fault *fault)
{
    static const float points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1};
    static const double fibre[6] = {1, 0, 0, 0, 1, 0};
    mt_h5 h5;
    ok(mt_h5_create(path, &h5));
    ok(mt_h5_group(&h5, "VTKHDF"));
    ok(mt_h5_group(&h5, "VTKHDF/CellData"));
    bool version = fault && strcmp(fault->dataset, "Version") == 0,
         type = fault && strcmp(fault->dataset, "Type") == 0;
    if (!version || fault->bad)
        ok(mt_h5_write_integers(&h5, "VTKHDF", "Version", 2, version ? fault->bad : (int64_t[]){1, 0}));
    if (!type || fault->bad)
        ok(mt_h5_write_text(&h5, "VTKHDF", "Type", type ? fault->bad : "UnstructuredGrid"));
    put(&h5, fault, "VTKHDF/NumberOfPoints", MT_H5_INT64, 1, (size_t[]){1}, (int64_t[]){5});
    put(&h5, fault, "VTKHDF/NumberOfCells", MT_H5_INT64, 1, (size_t[]){1}, (int64_t[]){2});
    put(&h5, fault, "VTKHDF/NumberOfConnectivityIds", MT_H5_INT64, 1, (size_t[]){1}, (int64_t[]){8});
    put(&h5, fault, "VTKHDF/Points", MT_H5_FLOAT, 2, (size_t[]){5, 3}, points);
    put(&h5, fault, "VTKHDF/Connectivity", MT_H5_INT64, 1, (size_t[]){8},
        (int64_t[]){0, 1, 2, 3, 0, 2, 1, 4});
    put(&h5, fault, "VTKHDF/Offsets", MT_H5_INT64, 1, (size_t[]){3}, (int64_t[]){0, 4, 8});
    put(&h5, fault, "VTKHDF/Types", MT_H5_UINT8, 1, (size_t[]){2}, (uint8_t[]){10, 10});
    put(&h5, fault, "VTKHDF/CellData/fibre", MT_H5_DOUBLE, 2, (size_t[]){2, 3}, fibre);
    ok(mt_h5_commit(&h5));
}

Test(vtkhdf, files_of_other_programs_with_float_points_and_no_regions_are_read)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    write_by_hand(NULL);
    ok(mt_vtkhdf_read(&arena, path, &mesh));
    cr_assert(mesh.n_elements == 2 && mesh.n_vertices == 5 && mesh.xyz_mm[14] == -1);
    cr_assert(mesh.region[0] == 1 && mesh.region[1] == 1);
    mt_arena_free(&arena);
}

/* Writes as h5py and ParaView do: complete arrays of any type, and an attribute "program" that is missing or of other programs. */
static void put_numbers(
    hid_t file, const char *name, hid_t type, int rank, const hsize_t *shape, const void *values)
{
    const hid_t space = H5Screate_simple(rank, shape, NULL),
                set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, "%s", name);
    (void)H5Dclose(set), (void)H5Sclose(space);
}

static void add_by_others(bool and_program)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    cr_assert(file >= 0);
    if (and_program) cr_assert(H5Adelete(file, "program") >= 0);
    put_numbers(file, "VTKHDF/CellData/Labels", H5T_NATIVE_SHORT, 1, (hsize_t[]){2}, (short[]){7, 8});
    put_numbers(file, "VTKHDF/CellData/scar", H5T_NATIVE_FLOAT, 2, (hsize_t[]){2, 1}, (float[]){1, 2});
    cr_assert(H5Gclose(H5Gcreate2(file, "VTKHDF/PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) >= 0);
    put_numbers(file, "VTKHDF/PointData/fibers", H5T_NATIVE_FLOAT, 2, (hsize_t[]){5, 3}, (float[15]){0});
    cr_assert(H5Fclose(file) >= 0);
}

Test(vtkhdf, arrays_of_other_programs_are_recognised_by_name_and_others_listed)
{
    for (int k = 0; k < 2; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        write_by_hand(NULL);
        add_by_others(k == 1);
        ok(mt_vtkhdf_read(&arena, path, &mesh));
        cr_assert(mesh.n_elements == 2 && mesh.region[0] == 7 && mesh.region[1] == 8);
        cr_assert(mesh.fibre && mesh.fibre[0] == 1 && mesh.fibre[4] == 1);
        cr_assert_str_eq(mesh.notes, "found but not used: scar (cells), fibers (points, 3 components)\n",
            "%s", mesh.notes);
        mt_arena_free(&arena);
    }
}

Test(vtkhdf, names_and_groups_are_kept_if_other_programs_add_arrays)
{
    mt_arena arena = {0};
    mt_mesh mesh, read;
    bool full;
    write_by_hand(NULL);
    ok(mt_vtkhdf_read(&arena, path, &mesh));
    ok(mt_names_put(&arena, &mesh, MT_NAMES_ELEMENTS, 9, "scar", 4));
    ok(mt_groups_put(&arena, &mesh, 9, 1, &full));
    ok(mt_vtkhdf_write(path, &mesh, 0, NULL));
    add_by_others(false);
    ok(mt_vtkhdf_read(&arena, path, &read));
    cr_assert_not_null(strstr(read.notes, "scar (cells)"));
    cr_assert_null(strstr(read.notes, "groups"));
    cr_assert(mt_names_text(&read, MT_NAMES_ELEMENTS, 9) && read.n_groups == 1);
    cr_assert(!mt_groups_has(&read, 9, 0) && mt_groups_has(&read, 9, 1));
    mt_arena_free(&arena);
}

Test(vtkhdf, every_fault_in_a_file_is_reported)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        write_by_hand(&faults[i]);
        cr_assert_eq(mt_vtkhdf_read(&arena, path, &mesh), MT_INPUT, "fault %zu (%s)", i, faults[i].why);
        assert_message(path);
        assert_message(faults[i].why);
        mt_arena_free(&arena);
    }
}

Test(vtkhdf, a_file_without_a_mesh_is_an_error)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_h5 h5;
    cr_assert_eq(mt_vtkhdf_read(&arena, path, &mesh), MT_FILE);
    assert_message("No such file");
    ok(mt_file_write_text(path, "solid", 5));
    cr_assert_eq(mt_vtkhdf_read(&arena, path, &mesh), MT_FILE);
    ok(mt_h5_create(path, &h5));
    ok(mt_h5_commit(&h5));
    cr_assert_eq(mt_vtkhdf_read(&arena, path, &mesh), MT_INPUT);
    assert_message(": not a VTKHDF file: it has no group VTKHDF");
    write_by_hand(NULL);
    cr_assert_eq(truncate(path, 3000), 0);
    cr_assert_eq(mt_vtkhdf_read(&arena, path, &mesh), MT_FILE);
    mt_arena_free(&arena);
}

Test(vtkhdf, out_of_memory_is_reported_without_a_leak)
{
    write_by_hand(NULL);
    mt_status status = MT_MEMORY;
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_arena_fail_at(n);
        status = mt_vtkhdf_read(&arena, path, &mesh);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK ? n == 9 : status == MT_MEMORY, "take %zu", n);
    }
}

/* Flips a bit in the header of an object of the file, which has a checksum. */
static void damage_object(const char *name)
{
    H5O_info_t info;
    const hid_t id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    cr_assert(id >= 0 && H5Oget_info_by_name(id, name, &info, H5P_DEFAULT) >= 0);
    (void)H5Fclose(id);
    FILE *file = fopen(path, "r+b");
    cr_assert(file && fseek(file, (long)info.addr + 8, SEEK_SET) == 0);
    const int byte = fgetc(file);
    cr_assert(fseek(file, (long)info.addr + 8, SEEK_SET) == 0 && fputc(byte ^ 1, file) != EOF);
    cr_assert_eq(fclose(file), 0);
}

/* HDF5 1.10 leaks memory on damaged headers; this is not our bug. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* No item of the file is omitted because it cannot be opened. */
Test(vtkhdf, damaged_optional_arrays_are_rejected)
{
    static const char *const names[] = {"VTKHDF/CellData/region", "VTKHDF/CellData/fibre",
        "VTKHDF/CellData/sheet", "VTKHDF/CellData/depth", "VTKHDF/CellData/layer",
        "VTKHDF/FieldData/face_vertex"};
    mt_arena arena = {0};
    mt_mesh out, in;
    make(&arena, 0.5, &out);
    out.sheet = mt_arena_alloc(&arena, 3 * out.n_elements, sizeof *out.sheet);
    for (size_t c = 0; c < out.n_elements; c++) out.sheet[3 * c + 2] = 1;
    out.depth = mt_arena_alloc(&arena, out.n_elements, sizeof *out.depth);
    out.layer = mt_arena_alloc(&arena, out.n_elements, sizeof *out.layer);
    ok(mt_mesh_new_faces(&arena, 1, &out));
    for (uint32_t k = 0; k < 3; k++) out.face_vertex[k] = k;
    if (__lsan_disable) __lsan_disable();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        ok(mt_vtkhdf_write(path, &out, 0, NULL));
        ok(mt_vtkhdf_read(&arena, path, &in));
        damage_object(names[k]);
        cr_assert_eq(mt_vtkhdf_read(&arena, path, &in), MT_INPUT, "%s", names[k]);
        assert_message(names[k]);
    }
    if (__lsan_enable) __lsan_enable();
    mt_arena_free(&arena);
}

/* ---- partitions */

static const char ipu[] = "VTKHDF/CellData/ipu", tile[] = "VTKHDF/CellData/tile",
                  size[] = "VTKHDF/FieldData/ipus_and_tiles";

/* Three groups of five parts, the first and the last used, some empty. */
static mt_partition divide(mt_arena *arena, size_t n_elements)
{
    mt_partition p = {.n_parts = 15, .parts_per_group = 5, .n_elements = n_elements};
    p.part = mt_arena_alloc(arena, n_elements, sizeof *p.part);
    for (size_t c = 0; c < n_elements; c++) p.part[c] = c % 4 ? (uint32_t)(c * c % 7) : 14;
    return p;
}

static void assert_same_partition(const mt_partition *in, const mt_partition *out)
{
    cr_assert(in->n_parts == out->n_parts && in->parts_per_group == out->parts_per_group);
    cr_assert(in->n_elements == out->n_elements);
    cr_assert_arr_eq(in->part, out->part, out->n_elements * sizeof *out->part);
}

/* With tagged triangles, which are in the same group of the file, and without. */
Test(vtkhdf, a_partition_is_read_back_bit_identically_and_the_mesh_is_unchanged)
{
    for (int faces = 0; faces < 2; faces++) {
        mt_arena arena = {0};
        mt_mesh out, in;
        mt_partition back;
        make(&arena, 0.25, &out);
        if (faces) {
            ok(mt_mesh_new_faces(&arena, 1, &out));
            for (uint32_t k = 0; k < 3; k++) out.face_vertex[k] = k;
            out.face_tag[0] = 3;
        }
        const mt_partition partition = divide(&arena, out.n_elements);
        ok(mt_vtkhdf_write_partition(path, &(mt_unknowns){.mesh = &out}, &partition));
        ok(mt_vtkhdf_read_partition(&arena, path, false, out.n_elements, &back));
        assert_same_partition(&back, &partition);
        ok(mt_partition_check(&back));
        ok(mt_vtkhdf_read(&arena, path, &in));
        cr_assert_eq(in.n_faces, (size_t)faces);
        cr_assert_arr_eq(in.xyz_mm, out.xyz_mm, 3 * out.n_vertices * sizeof *out.xyz_mm);
        cr_assert_arr_eq(
            in.element_vertex, out.element_vertex, 4 * out.n_elements * sizeof *out.element_vertex);
        mt_arena_free(&arena);
    }
}

Test(vtkhdf, a_partition_is_stored_as_ipu_and_tile_of_each_element)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_h5 h5;
    int32_t group[12], place[12];
    int64_t counts[2];
    const size_t n = 12, two = 2;
    make(&arena, 1, &mesh);
    const mt_partition partition = divide(&arena, n);
    ok(mt_vtkhdf_write_partition(path, &(mt_unknowns){.mesh = &mesh}, &partition));
    ok(mt_h5_open(path, &h5));
    ok(mt_h5_read(&h5, ipu, MT_H5_INT32, 1, &n, group));
    ok(mt_h5_read(&h5, tile, MT_H5_INT32, 1, &n, place));
    ok(mt_h5_read(&h5, size, MT_H5_INT64, 1, &two, counts));
    mt_h5_close(&h5);
    cr_assert(counts[0] == 3 && counts[1] == 5);
    for (size_t c = 0; c < n; c++) {
        cr_assert_eq(group[c], (int32_t)partition.part[c] / 5);
        cr_assert_eq(place[c], (int32_t)partition.part[c] % 5);
    }
    mt_arena_free(&arena);
}

/* As data of points. Each kind of partition is refused in place of the other. */
Test(vtkhdf, a_partition_of_vertices_is_read_back_bit_identically_and_the_mesh_is_unchanged)
{
    for (int at_vertices = 0; at_vertices < 2; at_vertices++) {
        mt_arena arena = {0};
        mt_mesh out, in;
        mt_partition back;
        make(&arena, 0.25, &out);
        const mt_unknowns unknowns = {&out, at_vertices};
        const mt_partition partition = divide(&arena, mt_unknowns_count(&unknowns));
        ok(mt_vtkhdf_write_partition(path, &unknowns, &partition));
        ok(mt_vtkhdf_read_partition(&arena, path, at_vertices, partition.n_elements, &back));
        assert_same_partition(&back, &partition);
        ok(mt_vtkhdf_read(&arena, path, &in));
        cr_expect_not(in.notes, "%s", in.notes);
        cr_assert_arr_eq(in.xyz_mm, out.xyz_mm, 3 * out.n_vertices * sizeof *out.xyz_mm);
        const mt_unknowns other = {&out, !at_vertices};
        cr_expect_eq(
            mt_vtkhdf_read_partition(&arena, path, !at_vertices, mt_unknowns_count(&other), &back), MT_INPUT);
        assert_message(at_vertices ? "has a partition of vertices; allowed here: of elements"
                                   : "has a partition of elements; allowed here: of vertices");
        mt_arena_free(&arena);
    }
}

/* Two elements in two groups of three parts; one of the three arrays is replaced, or missing if `values` is NULL. */
static const struct {
    const char *name;
    mt_h5_type type;
    size_t n;
    const void *values;
    const char *why;
} partition_faults[] = {
    {size, MT_H5_INT64, 2, NULL, "has no partition: `myotile partition MESH -o FILE.hdf` saves one"},
    {size, MT_H5_INT64, 1, (int64_t[]){6}, size},
    {size, MT_H5_DOUBLE, 2, (double[]){2, 3}, size},
    {size, MT_H5_INT64, 2, (int64_t[]){0, 3}, "entry 0 is 0; 1 to 2147483647 are allowed"},
    {size, MT_H5_INT64, 2, (int64_t[]){2, -3}, "entry 1 is -3; 1 to 2147483647 are allowed"},
    {size, MT_H5_INT64, 2, (int64_t[]){2147483648, 1}, "entry 0 is 2147483648"},
    {size, MT_H5_INT64, 2, (int64_t[]){65536, 32768},
        "65536 times 32768 parts; at most 2147483647 are allowed"},
    {ipu, MT_H5_INT32, 2, NULL, ipu},
    {ipu, MT_H5_INT32, 2, (int32_t[]){0, 2}, "CellData/ipu: element 1 has 2; 0 to 1 are allowed"},
    {ipu, MT_H5_INT32, 2, (int32_t[]){-1, 1}, "CellData/ipu: element 0 has -1; 0 to 1 are allowed"},
    {ipu, MT_H5_INT64, 2, (int64_t[]){0, 4294967296}, ipu},
    {ipu, MT_H5_INT32, 3, (int32_t[]){0, 1, 1}, ipu},
    {tile, MT_H5_INT32, 2, NULL, tile},
    {tile, MT_H5_INT32, 2, (int32_t[]){3, 2}, "CellData/tile: element 0 has 3; 0 to 2 are allowed"},
    {tile, MT_H5_INT32, 2, (int32_t[]){0, -2147483647}, "CellData/tile: element 1 has -2147483647"},
    {tile, MT_H5_FLOAT, 2, (float[]){0, 2}, tile},
    {tile, MT_H5_INT32, 1, (int32_t[]){0}, tile},
};

static void put_partition(mt_h5 *h5, size_t fault, const char *name, mt_h5_type type, const void *values)
{
    const bool hit = strcmp(partition_faults[fault].name, name) == 0;
    if (hit && !partition_faults[fault].values) return;
    if (hit)
        ok(mt_h5_write(h5, name, partition_faults[fault].type, 1, &partition_faults[fault].n, NULL,
            partition_faults[fault].values));
    else
        ok(mt_h5_write(h5, name, type, 1, (size_t[]){2}, NULL, values));
}

Test(vtkhdf, every_fault_in_a_partition_is_reported)
{
    for (size_t k = 0; k < sizeof partition_faults / sizeof *partition_faults; k++) {
        mt_arena arena = {0};
        mt_partition partition;
        mt_h5 h5;
        ok(mt_h5_create(path, &h5));
        ok(mt_h5_group(&h5, "VTKHDF"));
        ok(mt_h5_group(&h5, "VTKHDF/CellData"));
        ok(mt_h5_group(&h5, "VTKHDF/FieldData"));
        put_partition(&h5, k, size, MT_H5_INT64, (int64_t[]){2, 3});
        put_partition(&h5, k, ipu, MT_H5_INT32, (int32_t[]){0, 1});
        put_partition(&h5, k, tile, MT_H5_INT32, (int32_t[]){0, 2});
        ok(mt_h5_commit(&h5));
        cr_assert_eq(mt_vtkhdf_read_partition(&arena, path, false, 2, &partition), MT_INPUT, "fault %zu", k);
        assert_message(path);
        assert_message(partition_faults[k].why);
        mt_arena_free(&arena);
    }
}

Test(vtkhdf, an_invalid_partition_or_one_of_another_mesh_is_not_written)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    make(&arena, 1, &mesh);
    mt_partition partition = divide(&arena, mesh.n_elements - 1);
    cr_assert_eq(mt_vtkhdf_write_partition(path, &(mt_unknowns){.mesh = &mesh}, &partition), MT_INPUT);
    assert_message("a partition of 11 elements and a mesh of 12");
    partition = divide(&arena, mesh.n_elements);
    partition.part[5] = 15;
    cr_assert_eq(mt_vtkhdf_write_partition(path, &(mt_unknowns){.mesh = &mesh}, &partition), MT_INPUT);
    assert_message("element 5: part 15");
    assert_no_files();
    mt_arena_free(&arena);
}

Test(vtkhdf, out_of_memory_while_writing_or_reading_a_partition_is_reported)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    make(&arena, 1, &mesh);
    const mt_partition partition = divide(&arena, mesh.n_elements);
    mt_partition back;
    size_t n = 1;
    for (mt_status status = MT_MEMORY; status != MT_OK; n++) {
        mt_arena_fail_at(n);
        status = mt_vtkhdf_write_partition(path, &(mt_unknowns){.mesh = &mesh}, &partition);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK || status == MT_MEMORY);
        if (status != MT_OK) assert_no_files();
    }
    cr_assert_eq(n, 6, "two arrays for the elements, two for the partition");
    for (n = 1; n < 3; n++) {
        mt_arena_fail_at(n);
        cr_assert_eq(mt_vtkhdf_read_partition(&arena, path, false, mesh.n_elements, &back), MT_MEMORY);
        mt_arena_fail_at(0);
    }
    ok(mt_vtkhdf_read_partition(&arena, path, false, mesh.n_elements, &back));
    mt_arena_free(&arena);
}

static const char *unit_written;

/* As mt_h5_write, with another unit of points. */
static mt_status write_unit(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank, const size_t *shape,
    const char *unit, const void *values)
{
    return mt_h5_write(h5, name, type, rank, shape, unit ? unit_written : NULL, values);
}

static void write_in(const char *unit)
{
    mt_arena arena = {0};
    mt_h5 h5 = {0};
    mt_mesh mesh;
    unit_written = unit;
    make(&arena, 0.5, &mesh);
    ok(mt_h5_create(path, &h5));
    ok(mt_vtkhdf_put_grid(&arena, &h5, &mesh, 1, write_unit));
    ok(mt_h5_commit(&h5));
    mt_h5_close(&h5);
    mt_arena_free(&arena);
}

Test(vtkhdf, points_are_read_in_the_unit_stated_in_the_file)
{
    static const struct {
        const char *unit;
        double mm;
    } units[] = {{"um", 1e-3}, {"mm", 1}, {"cm", 10}, {"m", 1000}, {NULL, 1}};
    mt_arena arena = {0};
    mt_mesh out, in;
    char unit[MT_UNIT_SIZE];
    make(&arena, 0.5, &out);
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        write_in(units[k].unit);
        ok(mt_vtkhdf_read(&arena, path, &in));
        for (size_t i = 0; i < 3 * out.n_vertices; i++)
            cr_assert_float_eq(in.xyz_mm[i], units[k].mm * out.xyz_mm[i], 1e-12 * units[k].mm);
        ok(mt_vtkhdf_stated_unit(path, unit));
        cr_expect_str_eq(unit, units[k].unit ? units[k].unit : "");
        /* for a file without a unit, the caller's */
        ok(mt_vtkhdf_read_in(&arena, path, 10, &in));
        cr_expect_float_eq(in.xyz_mm[3 * out.n_vertices - 1],
            (units[k].unit ? units[k].mm : 10) * out.xyz_mm[3 * out.n_vertices - 1], 1e-9);
    }
    write_in("furlong");
    cr_assert_eq(mt_vtkhdf_read(&arena, path, &in), MT_INPUT);
    cr_expect(strstr(mt_message(), path) &&
                  strstr(mt_message(), ": VTKHDF/Points: unit furlong; allowed: um, mm, cm, m"),
        "%s", mt_message());
    (void)remove(path);
    mt_arena_free(&arena);
}
