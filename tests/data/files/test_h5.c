#include <criterion/criterion.h>

#include <hdf5.h>
#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/files/h5.h"
#include "tests/answers.h"
#include "tests/leftovers.h"

static char folder[64], path[128];

static void enter(void)
{
    strcpy(folder, "/tmp/myotile_h5_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/file.h5", folder);
}

static void leave(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

TestSuite(h5, .init = enter, .fini = leave);

static bool there(const char *name) { return access(name, F_OK) == 0; }

/* Creates a file with one array `name`. */
static void write_one(const char *name, mt_h5_type type, size_t rank, const size_t *shape, const void *values)
{
    mt_h5 h5;
    ok(mt_h5_create(path, &h5));
    ok(mt_h5_write(&h5, name, type, rank, shape, "mm", values));
    ok(mt_h5_commit(&h5));
}

Test(h5, arrays_of_every_type_are_read_back_bit_identically)
{
    const float f[3] = {1.0f / 3, -0.0f, NAN};
    const double d[3] = {1.0 / 3, 5e-324, -INFINITY};
    const int32_t i[3] = {INT32_MIN, 0, INT32_MAX};
    const int64_t l[3] = {INT64_MIN, 0, INT64_MAX};
    const uint8_t b[3] = {0, 127, 255};
    const uint32_t u[3] = {0, 7, UINT32_MAX};
    const void *values[] = {f, d, i, l, b, u};
    const size_t bytes[] = {4, 8, 4, 8, 1, 4}, three = 3;
    mt_h5 h5;
    char name[16], back[24];
    ok(mt_h5_create(path, &h5));
    for (int t = MT_H5_FLOAT; t <= MT_H5_UINT32; t++) {
        (void)snprintf(name, sizeof name, "a%d", t);
        ok(mt_h5_write(&h5, name, (mt_h5_type)t, 1, &three, NULL, values[t]));
    }
    ok(mt_h5_commit(&h5));
    mt_h5_close(&h5);
    ok(mt_h5_open(path, &h5));
    for (int t = MT_H5_FLOAT; t <= MT_H5_UINT32; t++) {
        (void)snprintf(name, sizeof name, "a%d", t);
        ok(mt_h5_read(&h5, name, (mt_h5_type)t, 1, &three, back));
        cr_assert_arr_eq(back, values[t], 3 * bytes[t], "%s", name);
    }
    mt_h5_close(&h5);
}

/* 300,000 x 3 doubles are 7.2 MB: several chunks, of which the last is partial. */
Test(h5, a_large_array_is_compressed_and_read_back_bit_identically)
{
    enum { N = 300000 };
    const size_t shape[2] = {N, 3};
    double *out = malloc(3 * N * sizeof *out), *in = malloc(3 * N * sizeof *in);
    for (size_t k = 0; k < 3 * N; k++) out[k] = (double)(k % 1000) / 7;
    write_one("big", MT_H5_DOUBLE, 2, shape, out);
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_lt(status.st_size, (off_t)(3 * N * sizeof *out / 2));
    mt_h5 h5;
    ok(mt_h5_open(path, &h5));
    ok(mt_h5_read(&h5, "big", MT_H5_DOUBLE, 2, shape, in));
    mt_h5_close(&h5);
    cr_assert_arr_eq(in, out, 3 * N * sizeof *out);
    free(in);
    free(out);
}

/* Returns number k of values whose low bytes are noise, which is stored, and whose high bytes are compressed. */
static uint32_t partly_noise(size_t k)
{
    return (uint32_t)((k + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % 1000000 + (uint32_t)(k / 100000);
}

/* Returns the bytes of the file, which the caller frees. */
static char *bytes_of_file(size_t *n)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    *n = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*n);
    cr_assert_eq(fread(bytes, 1, *n, file), *n);
    (void)fclose(file);
    return bytes;
}

/* Every type in several chunks, of which the last is partial. */
Test(h5, compressed_arrays_have_equal_bytes_for_any_number_of_threads)
{
    enum { N = 500001, EACH = 3 };
    const size_t shape[] = {N, EACH}, value_bytes[] = {4, 8, 4, 8, 1, 4};
    uint32_t *values = malloc(2 * N * EACH * sizeof *values), *back = malloc(2 * N * EACH * sizeof *back);
    for (size_t k = 0; k < 2 * N * EACH; k++) values[k] = partly_noise(k);
    for (int t = MT_H5_FLOAT; t <= MT_H5_UINT32; t++) {
        char *bytes[3];
        size_t n[3];
        for (int k = 0; k < 3; k++) {
            omp_set_num_threads(k + 1);
            write_one("a", (mt_h5_type)t, 2, shape, values);
            bytes[k] = bytes_of_file(&n[k]);
            cr_assert_eq(n[k], n[0]);
            cr_assert(memcmp(bytes[k], bytes[0], n[0]) == 0, "type %d, %d threads", t, k + 1);
        }
        for (int k = 0; k < 3; k++) free(bytes[k]);
        cr_expect_lt(n[0], N * EACH * value_bytes[t], "type %d: %zu bytes", t, n[0]);
        mt_h5 h5;
        ok(mt_h5_open(path, &h5));
        ok(mt_h5_read(&h5, "a", (mt_h5_type)t, 2, shape, back));
        mt_h5_close(&h5);
        cr_assert(memcmp(back, values, N * EACH * value_bytes[t]) == 0, "type %d", t);
    }
    free(back);
    free(values);
}

/* Rows written in any order and number form the array that is written at once. */
Test(h5, an_array_can_be_written_in_blocks_of_rows)
{
    enum { N = 7, EACH = 3 };
    const size_t shape[] = {N, EACH};
    float rows[N][EACH], back[N][EACH];
    mt_h5 h5;
    for (size_t k = 0; k < N * EACH; k++) rows[k / EACH][k % EACH] = (float)k / 3;
    ok(mt_h5_create(path, &h5));
    ok(mt_h5_reserve(&h5, "a", MT_H5_FLOAT, 2, shape, "mm"));
    ok(mt_h5_write_rows(&h5, "a", MT_H5_FLOAT, 4, 3, rows + 4));
    ok(mt_h5_write_rows(&h5, "a", MT_H5_FLOAT, 0, 1, rows));
    ok(mt_h5_write_rows(&h5, "a", MT_H5_FLOAT, 1, 3, rows + 1));
    cr_assert_eq(mt_h5_write_rows(&h5, "a", MT_H5_FLOAT, 5, 3, rows), MT_INPUT);
    cr_assert_eq(mt_h5_write_rows(&h5, "a", MT_H5_FLOAT, N + 1, 0, rows), MT_INPUT);
    cr_assert_eq(mt_h5_write_rows(&h5, "b", MT_H5_FLOAT, 0, 1, rows), MT_FILE);
    ok(mt_h5_commit(&h5));
    ok(mt_h5_open(path, &h5));
    ok(mt_h5_read(&h5, "a", MT_H5_FLOAT, 2, shape, back));
    cr_assert_arr_eq(back, rows, sizeof rows);
    mt_h5_close(&h5);
}

/* Also from compressed chunks. */
Test(h5, single_rows_can_be_read)
{
    enum { N = 300000, EACH = 3 };
    const size_t shape[] = {N, EACH};
    float *rows = malloc(N * EACH * sizeof *rows), back[5][EACH];
    mt_h5 h5;
    for (size_t k = 0; k < N * EACH; k++) rows[k] = (float)(k % 1000);
    ok(mt_h5_create(path, &h5));
    ok(mt_h5_write(&h5, "a", MT_H5_FLOAT, 2, shape, NULL, rows));
    ok(mt_h5_commit(&h5));
    ok(mt_h5_open(path, &h5));
    ok(mt_h5_read_rows(&h5, "a", MT_H5_FLOAT, 2, shape, N - 5, 5, back));
    cr_expect_arr_eq(back, rows + EACH * (N - 5), sizeof back);
    ok(mt_h5_read_rows(&h5, "a", MT_H5_FLOAT, 2, shape, 87381, 2, back)); /* of two chunks */
    cr_expect_arr_eq(back, rows + EACH * 87381, 2 * sizeof *back);
    ok(mt_h5_read_rows(&h5, "a", MT_H5_FLOAT, 2, shape, N, 0, back));
    cr_assert_eq(mt_h5_read_rows(&h5, "a", MT_H5_FLOAT, 2, shape, N - 4, 5, back), MT_INPUT);
    assert_message("does not have 5 rows from row 299996 on");
    cr_assert_eq(mt_h5_read_rows(&h5, "a", MT_H5_FLOAT, 2, (size_t[]){N, 2}, 0, 1, back), MT_INPUT);
    cr_assert_eq(mt_h5_read_rows(&h5, "a", MT_H5_INT32, 2, shape, 0, 1, back), MT_INPUT);
    mt_h5_close(&h5);
    free(rows);
}

/* Read by HDF5 directly; values written after the view was created are visible through it. */
Test(h5, a_virtual_dataset_shows_part_of_another_array)
{
    static const char source[] = "50%b of G/a%"; /* % is an ordinary character */
    const size_t n = 10;
    int32_t values[10], seen[3];
    char longer[300];
    mt_h5 h5;
    for (int32_t k = 0; k < 10; k++) values[k] = 7 * k;
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    ok(mt_h5_create(path, &h5));
    ok(mt_h5_group(&h5, "50%b of G"));
    ok(mt_h5_reserve(&h5, source, MT_H5_INT32, 1, &n, NULL));
    ok(mt_h5_view(&h5, "view", MT_H5_INT32, source, 4, 3));
    cr_assert_eq(mt_h5_view(&h5, "w", MT_H5_INT32, source, 8, 3), MT_INPUT);
    cr_assert_eq(mt_h5_view(&h5, "w", MT_H5_INT32, longer, 0, 1), MT_INPUT);
    cr_assert_eq(mt_h5_view(&h5, "w", MT_H5_INT32, "nothing", 0, 1), MT_FILE);
    ok(mt_h5_write_rows(&h5, source, MT_H5_INT32, 0, n, values));
    ok(mt_h5_commit(&h5));
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t view = H5Dopen2(file, "view", H5P_DEFAULT);
    cr_assert(H5Dread(view, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, seen) >= 0);
    cr_assert(seen[0] == 28 && seen[1] == 35 && seen[2] == 42);
    (void)H5Dclose(view);
    (void)H5Fclose(file);
}

static bool has(mt_h5 *h5, const char *name)
{
    bool there;
    ok(mt_h5_has(h5, name, &there));
    return there;
}

Test(h5, groups_and_attributes_are_read_back)
{
    mt_h5 h5;
    char text[16];
    int64_t numbers[2];
    double number;
    const size_t two = 2;
    ok(mt_h5_create(path, &h5));
    ok(mt_h5_group(&h5, "G"));
    ok(mt_h5_write(&h5, "G/a", MT_H5_FLOAT, 1, &two, "mV", (float[]){1, 2}));
    ok(mt_h5_write_text(&h5, "G", "Type", "UnstructuredGrid"));
    ok(mt_h5_write_text(&h5, "G", "empty", ""));
    ok(mt_h5_write_integers(&h5, "G", "Version", 2, (int64_t[]){1, -7}));
    ok(mt_h5_write_number(&h5, "G", "end_ms", 0.1));
    ok(mt_h5_commit(&h5));
    ok(mt_h5_open(path, &h5));
    cr_assert(has(&h5, "G") && has(&h5, "G/a") && !has(&h5, "G/b") && !has(&h5, "H/a"));
    ok(mt_h5_read_text(&h5, "G/a", "unit", text, sizeof text));
    cr_assert_str_eq(text, "mV");
    ok(mt_h5_read_text(&h5, "G", "empty", text, sizeof text));
    cr_assert_str_eq(text, "");
    ok(mt_h5_read_integers(&h5, "G", "Version", 2, numbers));
    cr_assert(numbers[0] == 1 && numbers[1] == -7);
    ok(mt_h5_read_number(&h5, "G", "end_ms", &number));
    cr_assert_eq(number, 0.1);
    cr_assert_eq(mt_h5_read_number(&h5, "G", "Version", &number), MT_INPUT);
    cr_assert_eq(mt_h5_read_number(&h5, "G", "Type", &number), MT_INPUT);
    cr_assert_eq(mt_h5_read_number(&h5, "G", "none", &number), MT_INPUT);
    cr_assert_eq(
        mt_h5_read_text(&h5, "G", "Type", text, sizeof text), MT_INPUT, "16 characters do not fit 16 bytes");
    assert_message("Type");
    cr_assert_eq(mt_h5_read_text(&h5, "G", "Version", text, sizeof text), MT_INPUT);
    cr_assert_eq(mt_h5_read_integers(&h5, "G", "Type", 1, numbers), MT_INPUT);
    cr_assert_eq(mt_h5_read_integers(&h5, "G", "Version", 3, numbers), MT_INPUT);
    cr_assert_eq(mt_h5_read_text(&h5, "G", "none", text, sizeof text), MT_INPUT);
    assert_message("none");
    mt_h5_close(&h5);
}

Test(h5, a_wrong_type_or_shape_is_rejected_with_the_name_of_the_array)
{
    const size_t shape[2] = {2, 3}, other[2] = {3, 2}, six = 6;
    double back[6];
    float narrow[6];
    mt_h5 h5;
    write_one("a", MT_H5_DOUBLE, 2, shape, (double[]){1, 2, 3, 4, 5, 6});
    ok(mt_h5_open(path, &h5));
    cr_assert_eq(mt_h5_read(&h5, "b", MT_H5_DOUBLE, 2, shape, back), MT_INPUT);
    assert_message("file.h5: b:");
    cr_assert_eq(mt_h5_read(&h5, "a", MT_H5_DOUBLE, 1, &six, back), MT_INPUT);
    assert_message("file.h5: a: has 2 dimensions; allowed: 1");
    cr_assert_eq(mt_h5_read(&h5, "a", MT_H5_DOUBLE, 2, other, back), MT_INPUT);
    assert_message("dimension 0 is 2; allowed: 3");
    cr_assert_eq(mt_h5_read(&h5, "a", MT_H5_INT64, 2, shape, back), MT_INPUT);
    assert_message("floating point numbers of 8 bytes; allowed: int64");
    cr_assert_eq(
        mt_h5_read(&h5, "a", MT_H5_FLOAT, 2, shape, narrow), MT_INPUT, "a double must not lose bits");
    mt_h5_close(&h5);
}

Test(h5, integers_out_of_range_are_rejected_and_not_clipped)
{
    const size_t one = 1;
    static const int64_t bad[] = {-1, (int64_t)UINT32_MAX + 1};
    for (int i = 0; i < 2; i++) {
        uint32_t back = 5;
        mt_h5 h5;
        write_one("ids", MT_H5_INT64, 1, &one, &bad[i]);
        ok(mt_h5_open(path, &h5));
        cr_assert_eq(mt_h5_read(&h5, "ids", MT_H5_UINT32, 1, &one, &back), MT_INPUT);
        assert_message("ids");
        mt_h5_close(&h5);
    }
}

Test(h5, the_target_file_is_either_complete_or_unchanged)
{
    const size_t one = 1;
    int32_t value = 1;
    mt_h5 h5;
    ok(mt_h5_create(path, &h5));
    ok(mt_h5_write(&h5, "a", MT_H5_INT32, 1, &one, NULL, &value));
    cr_assert(leftovers(path) > 0 && !there(path), "before the commit only the temporary file exists");
    ok(mt_h5_commit(&h5));
    cr_assert(leftovers(path) == 0 && there(path));

    ok(mt_h5_create(path, &h5));
    cr_assert_eq(mt_h5_write(&h5, "no/such/group", MT_H5_INT32, 1, &one, NULL, &value), MT_FILE);
    assert_message("no/such/group");
    mt_h5_close(&h5);
    cr_assert(leftovers(path) == 0, "a discarded file must be deleted");
    ok(mt_h5_open(path, &h5));
    value = 0;
    ok(mt_h5_read(&h5, "a", MT_H5_INT32, 1, &one, &value));
    cr_assert_eq(value, 1, "the old target must still exist");
    mt_h5_close(&h5);
}

Test(h5, a_failed_commit_leaves_no_file)
{
    char inside[160];
    mt_h5 h5;
    (void)snprintf(inside, sizeof inside, "%s/x", path);
    ok(mt_h5_create(path, &h5));
    cr_assert_eq(mkdir(path, 0700), 0);
    cr_assert_eq(mkdir(inside, 0700), 0);
    cr_assert_eq(mt_h5_commit(&h5), MT_FILE, "the target is a directory");
    assert_message(path);
    cr_assert_eq(leftovers(path), 0);
    (void)rmdir(inside);
    (void)rmdir(path);
}

Test(h5, truncated_and_invalid_hdf5_files_are_errors_and_never_crash)
{
    enum { N = 5000 };
    static double values[N];
    const size_t n = N;
    mt_h5 h5;
    cr_assert_eq(mt_h5_open(path, &h5), MT_FILE);
    assert_message("No such file");
    ok(mt_file_write_text(path, "no mesh", 7));
    cr_assert_eq(mt_h5_open(path, &h5), MT_FILE);
    assert_message(path);
    write_one("a", MT_H5_DOUBLE, 1, &n, values);
    for (long size = 45000; size >= 0; size -= 999) {
        write_one("a", MT_H5_DOUBLE, 1, &n, values);
        struct stat status;
        cr_assert_eq(stat(path, &status), 0);
        if (size >= status.st_size) continue;
        cr_assert_eq(truncate(path, size), 0);
        cr_assert_eq(mt_h5_open(path, &h5), MT_FILE, "truncated to %ld bytes", size);
    }
    mt_h5_close(&h5);
}

Test(h5, a_folder_instead_of_a_file_is_reported)
{
    mt_h5 h5;
    cr_assert_eq(mt_h5_open(folder, &h5), MT_FILE);
    assert_message("is a folder; allowed: a regular file");
}

/* The system's message without HDF5's addresses and times, which differ between runs. */
Test(h5, a_full_disk_is_reported_with_the_message_of_the_system)
{
    static double many[100000];
    const size_t n = sizeof many / sizeof *many;
    const struct rlimit small = {4096, RLIM_INFINITY}, large = {RLIM_INFINITY, RLIM_INFINITY};
    mt_h5 h5;
    for (size_t k = 0; k < n; k++) many[k] = 1 / (1.0 + (double)k); /* does not compress to 4 KiB */
    (void)signal(SIGXFSZ, SIG_IGN);
    ok(mt_h5_create(path, &h5));
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    cr_assert_eq(mt_h5_write(&h5, "many", MT_H5_DOUBLE, 1, &n, NULL, many), MT_FILE);
    cr_assert(strstr(mt_message(), "many: cannot be written (HDF5: File too large)"), "%s", mt_message());
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &large), 0);
    mt_h5_close(&h5);
    cr_assert(leftovers(path) == 0 && !there(path));
}

Test(h5, a_file_in_a_missing_folder_is_an_error)
{
    mt_h5 h5 = {0};
    cr_assert_eq(mt_h5_create("/tmp/myotile_no_such_directory/a.h5", &h5), MT_FILE);
    assert_message("No such file or directory");
    mt_h5_close(&h5);
    cr_assert_eq(mt_h5_create("", &h5), MT_INPUT);
}

static void read_text(char *out, size_t size)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    out[fread(out, 1, size - 1, file)] = 0;
    (void)fclose(file);
}

/* Byte 8 of an HDF5 file is the version of its superblock (HDF5 File Format Specification, II.A); from version 2 on the
 * superblock and all object headers have checksums. */
Test(h5, corrupted_metadata_are_detected_by_checksums)
{
    char bytes[64];
    const size_t one = 1;
    mt_h5 h5;
    write_one("a", MT_H5_INT64, 1, &one, (int64_t[]){7});
    read_text(bytes, sizeof bytes);
    cr_assert_geq(bytes[8], 2);
    FILE *file = fopen(path, "r+b");
    cr_assert_not_null(file);
    cr_assert_eq(fseek(file, 20, SEEK_SET), 0);
    (void)fputc(bytes[20] ^ 1, file);
    (void)fclose(file);
    cr_assert_eq(mt_h5_open(path, &h5), MT_FILE);
}

Test(h5, a_text_file_is_replaced_completely_or_not_at_all)
{
    char text[32], longest[MT_FILE_PATH_MAX + 1];
    ok(mt_file_write_text(path, "one", 3));
    ok(mt_file_write_text(path, "second", 6));
    read_text(text, sizeof text);
    cr_assert_str_eq(text, "second");
    cr_assert_eq(leftovers(path), 0);
    memset(longest, 'a', sizeof longest);
    longest[MT_FILE_PATH_MAX] = 0;
    cr_assert_eq(mt_file_write_text(longest, "", 0), MT_INPUT);
}

/* ---- values in other files ---- */

/* Creates a file with "far", an external link to another file, and "near", a link to a name below it. The other file is a pipe
 * without a writer, or a valid file. */
static void write_links(const char *other)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert(H5Lcreate_external(other, "/", file, "far", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    cr_assert(H5Lcreate_soft("/far/a", file, "near", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    (void)H5Fclose(file);
}

Test(h5, external_links_are_rejected_and_not_followed)
{
    static const char *const names[] = {"far/a", "near"};
    char other[2][128], text[8];
    double value;
    mt_h5 h5;
    bool has;
    (void)snprintf(other[0], sizeof other[0], "%s/good.h5", folder);
    (void)snprintf(other[1], sizeof other[1], "%s/pipe", folder);
    write_one("a", MT_H5_DOUBLE, 1, (size_t[]){1}, (double[]){1});
    cr_assert(rename(path, other[0]) == 0 && mkfifo(other[1], 0600) == 0);
    for (int k = 0; k < 4; k++) {
        write_links(other[k / 2]);
        ok(mt_h5_open(path, &h5));
        cr_assert_eq(mt_h5_read(&h5, names[k % 2], MT_H5_DOUBLE, 1, (size_t[]){1}, &value), MT_INPUT);
        assert_message("is a link to another file, ");
        cr_assert(strstr(mt_message(), other[k / 2]), "%s", mt_message());
        cr_assert_eq(mt_h5_shape(&h5, names[k % 2], 1, (size_t[]){0}), MT_INPUT);
        cr_assert_eq(mt_h5_has(&h5, names[k % 2], &has), MT_INPUT);
        cr_assert_eq(mt_h5_read_text(&h5, names[k % 2], "unit", text, sizeof text), MT_INPUT);
        assert_message("is a link to another file, ");
        mt_h5_close(&h5);
    }
    (void)unlink(other[0]), (void)unlink(other[1]);
}

/* With unlimited size HDF5 opens the other file as soon as the extents are read. */
Test(h5, virtual_datasets_of_other_files_are_rejected_and_not_followed)
{
    char pipe[128];
    size_t shape;
    mt_h5 h5;
    const hsize_t one = 1, most = H5S_UNLIMITED, all = H5S_UNLIMITED, first = 0;
    (void)snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    cr_assert_eq(mkfifo(pipe, 0600), 0);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &one, &most);
    cr_assert(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &all, NULL) >= 0);
    cr_assert(H5Pset_virtual(list, space, pipe, "a", space) >= 0);
    const hid_t id = H5Dcreate2(file, "a", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    cr_assert(id >= 0);
    (void)H5Dclose(id), (void)H5Pclose(list), (void)H5Sclose(space), (void)H5Fclose(file);
    ok(mt_h5_open(path, &h5));
    cr_assert_eq(mt_h5_shape(&h5, "a", 1, &shape), MT_INPUT);
    assert_message("a: its values are in other datasets or files");
    mt_h5_close(&h5);
    (void)unlink(pipe);
}

/* ---- headers that claim more values than stored ---- */

enum { BAD_CHUNK = 1000003 };

static void shape_of_layout(hid_t list, int kind)
{
    const hsize_t chunk = kind == 2 ? BAD_CHUNK : 1000;
    if (kind != 1 && kind != 3) cr_assert(H5Pset_chunk(list, 1, &chunk) >= 0);
    if (kind == 0 || kind == 2) cr_assert(H5Pset_deflate(list, 1) >= 0);
    if (kind == 3) cr_assert(H5Pset_external(list, "/dev/zero", 0, H5F_UNLIMITED) >= 0);
    if (kind == 4) cr_assert(H5Pset_scaleoffset(list, H5Z_SO_INT, 0) >= 0);
    if (kind == 5) cr_assert(H5Pset_deflate(list, 1) >= 0 && H5Pset_deflate(list, 1) >= 0);
}

/* Creates a file by HDF5 directly, with a dataset "n" and its first 1000 bytes written. */
static void write_layout(int kind, hsize_t extent)
{
    uint8_t values[1000] = {0};
    const hsize_t first = 0, some = sizeof values;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                list = H5Pcreate(H5P_DATASET_CREATE);
    shape_of_layout(list, kind);
    const hid_t space = H5Screate_simple(1, &extent, &(hsize_t){kind % 2 ? extent : H5S_UNLIMITED}),
                memory = H5Screate_simple(1, &some, NULL),
                id = H5Dcreate2(file, "n", H5T_STD_U8LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    cr_assert(id >= 0);
    if (kind != 1 && kind != 3) {
        cr_assert(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &some, NULL) >= 0);
        cr_assert(H5Dwrite(id, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, values) >= 0);
    }
    (void)H5Dclose(id), (void)H5Sclose(memory), (void)H5Sclose(space), (void)H5Pclose(list),
        (void)H5Fclose(file);
}

/* Replaces one 4-byte number in the file by another. */
static void change_in_file(uint32_t from, uint32_t to)
{
    static unsigned char bytes[1 << 16];
    FILE *file = fopen(path, "r+b");
    cr_assert_not_null(file);
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    unsigned char *at = memmem(bytes, n, &from, 4);
    cr_assert_not_null(at);
    memcpy(at, &to, 4);
    rewind(file);
    cr_assert_eq(fwrite(bytes, 1, n, file), n);
    (void)fclose(file);
}

Test(h5, shapes_too_large_for_the_stored_bytes_are_rejected_before_allocation)
{
    static const struct {
        int kind;
        hsize_t extent;
        const char *why; /* NULL: valid */
    } cases[] = {
        {0, 1000, NULL},
        {0, 2000, NULL},
        {0, (hsize_t)1 << 40, "n: has a size of 1099511627776 bytes, but its stored data can have"},
        {1, (hsize_t)1 << 40, "n: has a size of 1099511627776 bytes, but its stored data can have at most 0"},
        {2, 1000, NULL},
        {3, (hsize_t)1 << 40, "n: its values are in other datasets or files"},
        {4, 1000, "n: stored with an unknown filter"},
        {5, 1000, "n: stored with an unknown filter"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mt_h5 h5;
        size_t n = 0;
        write_layout(cases[k].kind, cases[k].extent);
        ok(mt_h5_open(path, &h5));
        const mt_status status = mt_h5_shape(&h5, "n", 1, &n);
        cr_assert_eq(status, cases[k].why ? MT_INPUT : MT_OK, "case %zu: %s", k, mt_message());
        if (cases[k].why)
            assert_message(cases[k].why);
        else
            cr_assert_eq(n, cases[k].extent);
        mt_h5_close(&h5);
    }
    mt_h5 h5;
    write_layout(2, 1000);
    change_in_file(BAD_CHUNK, 2000000011);
    ok(mt_h5_open(path, &h5));
    uint8_t values[1000];
    cr_assert_eq(mt_h5_read(&h5, "n", MT_H5_UINT8, 1, (size_t[]){1000}, values), MT_INPUT);
    assert_message("n: has a size of 2000000011 bytes, but its stored data can have");
    mt_h5_close(&h5);
}

/* HDF5 1.10 crashes when it converts such numbers. */
Test(h5, number_types_with_bits_beyond_their_size_are_rejected)
{
    enum { N = 4 };
    const int32_t values[N] = {1, 2, 3, 4};
    const hsize_t extent = N;
    double numbers[N];
    int32_t integers[N];
    mt_h5 h5;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                type = H5Tcopy(H5T_STD_I32LE), space = H5Screate_simple(1, &extent, NULL);
    cr_assert(H5Tset_precision(type, 23) >= 0 && H5Tset_offset(type, 3) >= 0);
    const hid_t id = H5Dcreate2(file, "n", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert(H5Dwrite(id, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    (void)H5Dclose(id), (void)H5Sclose(space), (void)H5Tclose(type), (void)H5Fclose(file);
    ok(mt_h5_open(path, &h5));
    ok(mt_h5_read_numbers(&h5, "n", N, numbers));
    for (int k = 0; k < N; k++) cr_assert_eq(numbers[k], values[k]);
    mt_h5_close(&h5);
    change_in_file(23 << 16 | 3, 10023 << 16 | 3);
    ok(mt_h5_open(path, &h5));
    cr_assert_eq(mt_h5_read_numbers(&h5, "n", N, numbers), MT_INPUT);
    assert_message("n: is not numeric");
    cr_assert_eq(mt_h5_read(&h5, "n", MT_H5_INT32, 1, (size_t[]){N}, integers), MT_INPUT);
    assert_message("n: has non-numeric values");
    mt_h5_close(&h5);
}

Test(h5, highly_compressible_arrays_are_read_back)
{
    const size_t n = (size_t)1 << 24;
    const hsize_t extent = n, chunk = n / 4;
    uint8_t *zeros = calloc(n, 1), *back = malloc(n);
    mt_h5 h5;
    struct stat info;
    cr_assert(zeros && back);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &extent, NULL);
    cr_assert(H5Pset_chunk(list, 1, &chunk) >= 0 && H5Pset_deflate(list, 9) >= 0);
    const hid_t id = H5Dcreate2(file, "n", H5T_STD_U8LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    cr_assert(H5Dwrite(id, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0);
    (void)H5Dclose(id), (void)H5Sclose(space), (void)H5Pclose(list), (void)H5Fclose(file);
    cr_assert(stat(path, &info) == 0 && (size_t)info.st_size < n / 800);
    ok(mt_h5_open(path, &h5));
    ok(mt_h5_read(&h5, "n", MT_H5_UINT8, 1, &n, back));
    cr_assert_eq(memcmp(zeros, back, n), 0);
    mt_h5_close(&h5);
    free(zeros), free(back);
}
