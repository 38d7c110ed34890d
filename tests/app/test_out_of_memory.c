#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include "mesh/vtk/vtkhdf.h"
#include "tests/mesh/tagged_slab.h"

#include <dirent.h>
#include <errno.h>
#include <hdf5.h>
#include <omp.h>

/* Allocation failures at each place where a command allocates memory, one at a time: the command must end with code 3 and a
 * message, and leave complete files. This covers the program's own allocations, and those of the C library and HDF5 made on its
 * behalf, but not the internal allocations of other libraries. The linker replaces the allocating functions by the functions
 * below (cmake/tests.cmake). */

static size_t failing; /* number of the failing allocation, from 1; 0: no failure */
static size_t takings; /* allocations so far in this command */
static bool inside;    /* True in a command: allocations of the test never fail */

/* True if the failed allocation is in the listing of a folder: if the folder is only cleaned, nothing is lost. */
static bool in_folder;
static int open_folders;

static bool fails(void) { return inside && ++takings == failing; }

void *__real_mt_arena_alloc(mt_arena *arena, size_t count, size_t size);
void *__wrap_mt_arena_alloc(mt_arena *arena, size_t count, size_t size);
void *__wrap_mt_arena_alloc(mt_arena *arena, size_t count, size_t size)
{
    if (fails()) {
        in_folder = in_folder || open_folders > 0;
        mt_arena_fail_at(1);
    }
    return __real_mt_arena_alloc(arena, count, size);
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }

FILE *__real_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return fails() ? NULL : __real_open_memstream(text, size);
}

char *__real_realpath(const char *path, char *out);
char *__wrap_realpath(const char *path, char *out);
char *__wrap_realpath(const char *path, char *out)
{
    if (!fails()) return __real_realpath(path, out);
    errno = ENOMEM;
    return NULL;
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
    if (!fails()) {
        DIR *dir = __real_opendir(path);
        open_folders += dir != NULL;
        return dir;
    }
    in_folder = true;
    errno = ENOMEM;
    return NULL;
}

int __real_closedir(DIR *dir);
int __wrap_closedir(DIR *dir);
int __wrap_closedir(DIR *dir)
{
    open_folders--;
    return __real_closedir(dir);
}

/* Simulates an allocation failure in HDF5's open and read functions, with its error message. HDF5's own cleanup after failures is
 * not tested. */
static bool fails_in_hdf5(void)
{
    if (!fails()) return false;
    (void)H5Eclear2(H5E_DEFAULT);
    (void)H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_RESOURCE, H5E_NOSPACE,
        "memory allocation failed");
    return true;
}

hid_t __real_H5Fopen(const char *path, unsigned flags, hid_t list);
hid_t __wrap_H5Fopen(const char *path, unsigned flags, hid_t list);
hid_t __wrap_H5Fopen(const char *path, unsigned flags, hid_t list)
{
    return fails_in_hdf5() ? H5I_INVALID_HID : __real_H5Fopen(path, flags, list);
}

htri_t __real_H5Lexists(hid_t id, const char *name, hid_t list);
htri_t __wrap_H5Lexists(hid_t id, const char *name, hid_t list);
htri_t __wrap_H5Lexists(hid_t id, const char *name, hid_t list)
{
    return fails_in_hdf5() ? -1 : __real_H5Lexists(id, name, list);
}

hid_t __real_H5Dopen2(hid_t id, const char *name, hid_t list);
hid_t __wrap_H5Dopen2(hid_t id, const char *name, hid_t list);
hid_t __wrap_H5Dopen2(hid_t id, const char *name, hid_t list)
{
    return fails_in_hdf5() ? H5I_INVALID_HID : __real_H5Dopen2(id, name, list);
}

herr_t __real_H5Dread(hid_t id, hid_t type, hid_t memory, hid_t file, hid_t list, void *values);
herr_t __wrap_H5Dread(hid_t id, hid_t type, hid_t memory, hid_t file, hid_t list, void *values);
herr_t __wrap_H5Dread(hid_t id, hid_t type, hid_t memory, hid_t file, hid_t list, void *values)
{
    return fails_in_hdf5() ? -1 : __real_H5Dread(id, type, memory, file, list, values);
}

hid_t __real_H5Aopen_by_name(hid_t id, const char *object, const char *name, hid_t a, hid_t b);
hid_t __wrap_H5Aopen_by_name(hid_t id, const char *object, const char *name, hid_t a, hid_t b);
hid_t __wrap_H5Aopen_by_name(hid_t id, const char *object, const char *name, hid_t a, hid_t b)
{
    return fails_in_hdf5() ? H5I_INVALID_HID : __real_H5Aopen_by_name(id, object, name, a, b);
}

herr_t __real_H5Aread(hid_t id, hid_t type, void *out);
herr_t __wrap_H5Aread(hid_t id, hid_t type, void *out);
herr_t __wrap_H5Aread(hid_t id, hid_t type, void *out)
{
    return fails_in_hdf5() ? -1 : __real_H5Aread(id, type, out);
}

hid_t __real_H5Dcreate2(hid_t id, const char *name, hid_t type, hid_t space, hid_t a, hid_t b, hid_t c);
hid_t __wrap_H5Dcreate2(hid_t id, const char *name, hid_t type, hid_t space, hid_t a, hid_t b, hid_t c);
hid_t __wrap_H5Dcreate2(hid_t id, const char *name, hid_t type, hid_t space, hid_t a, hid_t b, hid_t c)
{
    return fails_in_hdf5() ? H5I_INVALID_HID : __real_H5Dcreate2(id, name, type, space, a, b, c);
}

/* Does nothing, because durability is not tested and waiting for the disk would take most of the time. */
int __wrap_fsync(int file);
int __wrap_fsync(int file) { return (void)file, 0; }

int __real_mt_program_main(
    const mt_command *const commands[], int argc, char *const *argv, FILE *out, FILE *messages);
int __wrap_mt_program_main(
    const mt_command *const commands[], int argc, char *const *argv, FILE *out, FILE *messages);
int __wrap_mt_program_main(
    const mt_command *const commands[], int argc, char *const *argv, FILE *out, FILE *messages)
{
    takings = 0;
    in_folder = false;
    inside = true;
    const int code = __real_mt_program_main(commands, argc, argv, out, messages);
    inside = false;
    return code;
}

/* ---- the files left by a successful command ---- */

enum { FILES_MOST = 64 };

static struct made {
    char path[128];
    char *bytes;
    size_t n;
    bool before, seen;
} made[FILES_MOST];
static size_t n_made;

static struct made *find_made(const char *path)
{
    for (size_t k = 0; k < n_made; k++)
        if (strcmp(made[k].path, path) == 0) return &made[k];
    return NULL;
}

static int keep(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)at;
    if (kind != FTW_F || find_made(path)) return 0;
    cr_assert(n_made < FILES_MOST && strlen(path) < sizeof made->path);
    struct made *file = &made[n_made++];
    *file = (struct made){.before = !inside};
    (void)strcpy(file->path, path);
    file->bytes = bytes_of(path, &file->n);
    return 0;
}

static int compare(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)at;
    if (kind != FTW_F) return 0;
    size_t n;
    struct made *file = find_made(path);
    cr_assert_not_null(file, "allocation %zu fails: %s is left", failing, path);
    char *bytes = bytes_of(path, &n);
    cr_assert(n == file->n && memcmp(bytes, file->bytes, n) == 0, "allocation %zu fails: %s is incomplete",
        failing, path);
    free(bytes);
    return file->seen = true, 0;
}

/* Restores the files of the successful command, or deletes them. */
static void put_made(bool there)
{
    for (size_t k = 0; k < n_made; k++) {
        if (made[k].before) continue;
        (void)unlink(made[k].path);
        FILE *file = there ? fopen(made[k].path, "wb") : NULL;
        cr_assert(!there || (file && fwrite(made[k].bytes, 1, made[k].n, file) == made[k].n));
        if (file) (void)fclose(file);
    }
}

/* Checks the files. `all`: the files existed before the command, so they still exist, except those of a folder, which may be
 * deleted before they are replaced. */
static void check_files(bool all)
{
    for (size_t k = 0; k < n_made; k++) made[k].seen = false;
    cr_assert_eq(nftw(".", compare, 8, FTW_PHYS), 0);
    for (size_t k = 0; k < n_made; k++) {
        const bool of_results = strchr(made[k].path + 2, '/') != NULL;
        cr_assert(made[k].seen || !(made[k].before || (all && !of_results)),
            "allocation %zu fails: %s is missing", failing, made[k].path);
    }
}

/* ---- the test of one command ---- */

/* Runs the command once without a failure, to count; then fails allocation 1, 1 + step, ..., alternately with and without
 * existing files. A run with pictures has a thousand allocations. The everyday test therefore fails only some, in prime steps; the slow
 * test, which has MT_EVERY_ALLOCATION in its environment, fails all. */
static void walk(size_t step, const char *line)
{
    if (getenv("MT_EVERY_ALLOCATION")) step = 1;
    n_made = 0;
    cr_assert_eq(nftw(".", keep, 8, FTW_PHYS), 0);
    const size_t before = n_made;
    failing = 0;
    free(works("%s", line));
    cr_assert_eq(nftw(".", keep, 8, FTW_PHYS), 0);
    for (size_t k = before; k < n_made; k++) made[k].before = false;
    cr_assert(n_made > before, "%s writes no file", line);
    const size_t n = takings;
    for (failing = 1; failing <= n; failing += step) {
        const bool all = failing / step % 2;
        put_made(all);
        reply r = myotile("%s", line);
        const bool without_page = find_made("./out/report.html") && !there("out/report.html"); /* warning */
        cr_assert(r.code == 3 || (r.code == 0 && (in_folder || without_page)),
            "%s: allocation %zu of %zu fails: code %d: %s", line, failing, n, r.code, r.said);
        cr_assert(r.code == 0 || strstr(r.said, "memory"), "%s: allocation %zu: %s", line, failing, r.said);
        check_files(all);
        forget(&r);
    }
    for (size_t k = 0; k < n_made; k++) free(made[k].bytes);
}

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    mt_arena arena = {0};
    mt_mesh mesh;
    tagged_slab(&arena, (double[]){1, 1, 1}, 0.5, &mesh);
    cr_assert_eq(mt_vtkhdf_write("heart.hdf", &mesh, 0, NULL), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
    write_machine("three.yaml", 3);
}

TestSuite(out_of_memory, .init = enter, .fini = leave_room);

static const char small[] =
    "title: Small slab\n"
    "mesh:\n"
    "  slab: {size_mm: [1, 0.5, 0.5], edge_mm: 0.5}\n" USUAL_TISSUE "time: {end_ms: 0.1}\n" SMALL_STIMULUS(
        "2") "points:\n"
             "  - {name: near, at_mm: [0, 0, 0]}\n"
             "line: {from_mm: [0, 0, 0], to_mm: [1, 0.5, 0.5], points: 5}\n"
             "machine: {target: three.yaml}\n";

Test(out_of_memory, every_failed_allocation_of_a_run_on_the_host_is_reported)
{
    write_text("small.yaml", small);
    walk(83, "run small.yaml --output out --set machine.backend=cpu --set prepace.bcl_ms=10 --set "
             "prepace.beats=2");
}

Test(out_of_memory, every_failed_allocation_of_a_run_on_tiles_with_profile_and_trace_is_reported)
{
    write_text("small.yaml", small);
    walk(157, "run small.yaml --output out --set machine.ipus=2 --set output.report=false --profile tiles "
              "--trace 0:1");
}

Test(out_of_memory, every_failed_allocation_of_an_eikonal_map_is_reported)
{
    write_text("small.yaml", small);
    walk(41, "eikonal small.yaml --output out --curvature");
}

Test(out_of_memory, every_failed_allocation_of_a_fit_is_reported)
{
    write_text("small.yaml", small);
    write_text("lat.csv", "x_mm,y_mm,z_mm,lat_ms\n0,0,0,1\n2,0,0,3\n3,0,1,4.5\n0,2,0,6\n3,2,1,9\n1,1,1,2."
                          "4\n2,2,0,7.5\n1,0,1,1.6\n");
    walk(1999, "fit small.yaml --lat lat.csv --sites 1 --eikonal-only --output out");
}

Test(out_of_memory, every_failed_allocation_of_a_report_is_reported)
{
    write_text("small.yaml", small);
    write_text("page.html", "<!DOCTYPE html>\n<!-- data -->\n");
    free(works("run small.yaml --output out --set machine.ipus=2 --profile out --set traces.every_ms=0.05 "
               "--set series.every_ms=0.05"));
    walk(23, "report out -o r.html --template page.html --force");
}

Test(out_of_memory, every_failed_allocation_of_a_partition_is_reported)
{
    walk(193, "partition heart.hdf --target three.yaml --ipus 2 --balance-halo -o parted.hdf --picture "
              "parts.png --profile profile");
}

Test(out_of_memory, every_failed_allocation_of_the_slab_benchmark_is_reported)
{
    walk(83,
        "reproduce figure3 --edges-mm 0.5 --corners 2 --set mesh.slab.size_mm=[2,2,1] --set points=[] "
        "--set line.to_mm=[2,2,1] --set time.end_ms=0.1 --set machine.target=three.yaml --picture p.png");
}

Test(out_of_memory, every_failed_allocation_of_a_cell_is_reported)
{
    free(works("cell --end-ms 2 --save start.yaml"));
    static const char line[] =
        "cell --start start.yaml --scale g_Kr=0.5 --bcl 5 --beats 2 -o trace.csv --save end.yaml --force";
    char with_picture[256];
    (void)snprintf(with_picture, sizeof with_picture, "%s --picture p.png", line);
    walk(1, line);
    walk(29, with_picture);
}

Test(out_of_memory, every_failed_allocation_of_fibres_is_reported)
{
    walk(1, "mesh fibres heart.hdf -o fibred.hdf");
}

Test(out_of_memory, every_failed_allocation_of_ventricular_coordinates_is_reported)
{
    walk(3, "mesh coordinates heart.hdf -o coordinates.hdf --septum 0,1,0");
}

Test(out_of_memory, every_failed_allocation_of_a_purkinje_network_is_reported)
{
    walk(3, "mesh purkinje heart.hdf -o purkinje.vtp --septum 0,1,0 --left-root 0,0.5,0.8 --segment-mm 0.1 "
            "--branch-mm 0.3");
}

Test(out_of_memory, every_failed_allocation_of_conversions_between_all_formats_is_reported)
{
    static const char *const formats[] = {"hdf", "vtu", "pts", "msh"};
    char line[128];
    free(works("mesh fibres heart.hdf -o one.hdf"));
    for (int k = 1; k < 4; k++) {
        (void)snprintf(line, sizeof line, "mesh convert one.%s one.%s --force", formats[k - 1], formats[k]);
        walk(3, line);
    }
    walk(1, "mesh convert one.msh two.hdf --repair");
}
