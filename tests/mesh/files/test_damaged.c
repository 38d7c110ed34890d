#include <criterion/criterion.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh/files/formats.h"
#include "mesh/vtk/vtkhdf.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/examples.h"
#include "tests/temporary.h"

/* Damaged copies of small valid files of every format. */

static char folder[64], stem[96], file[EXAMPLE_FILES][128];

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "myotile_damaged_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(stem, sizeof stem, "%s/heart", folder);
}

/* Names the files of an example; returns their number. */
static int name_files(const example *e)
{
    int n = 0;
    for (; e->ending[n]; n++) (void)snprintf(file[n], sizeof file[n], "%s%s", stem, e->ending[n]);
    return n;
}

static void remove_files(const example *e)
{
    for (int k = name_files(e); k > 0; k--) (void)unlink(file[k - 1]);
}

static void leave(void)
{
    for (int i = 0; i < N_EXAMPLES; i++) remove_files(&examples[i]);
    (void)rmdir(folder);
}

TestSuite(damaged, .init = enter, .fini = leave, .timeout = 300);

static size_t bytes_in(const example *e)
{
    size_t bytes = 0;
    struct stat info;
    for (int k = name_files(e); k > 0; k--) {
        if (stat(file[k - 1], &info) == 0) bytes += (size_t)info.st_size;
    }
    return bytes;
}

static void check_answer(mt_status status, const example *e, size_t copy)
{
    if (status == MT_OK) return;
    cr_assert(status == MT_INPUT || status == MT_FILE, "%s, copy %zu: %d", e->what, copy, status);
    cr_assert(
        strncmp(mt_message(), stem, strlen(stem)) == 0, "%s, copy %zu: %s", e->what, copy, mt_message());
}

/* Reads the partition of one of our files: valid, or refused by name, with memory limited by the number of elements. */
static void look_at_partition(const example *e, size_t copy, size_t n_elements)
{
    mt_arena arena = {0};
    mt_partition partition;
    const size_t before = mt_arena_allocated();
    const mt_status status = mt_vtkhdf_read_partition(&arena, file[0], false, n_elements, &partition);
    cr_assert_leq(mt_arena_allocated() - before, 8 * n_elements);
    check_answer(status, e, copy);
    if (status == MT_OK)
        cr_assert_eq(mt_partition_check(&partition), MT_OK, "%s, copy %zu: %s", e->what, copy, mt_message());
    mt_arena_free(&arena);
}

/* Reads a copy: the result is a valid mesh or one of two codes with a message that names a file, and memory is limited by the content of
 * the files (without HDF5's own memory). Returns whether the copy was refused. */
static bool look_at(const example *e, size_t copy)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const size_t bytes = bytes_in(e), before = mt_arena_allocated();
    const mt_mesh_format *format = NULL;
    cr_assert_eq(mt_mesh_format_find(file[0], false, &format), MT_OK, "%s", mt_message());
    const mt_status status = format->read(&arena, file[0], 1, &mesh);
    const size_t taken = mt_arena_allocated() - before;
    check_answer(status, e, copy);
    cr_assert(taken <= e->multiple * bytes, "%s, copy %zu: %zu bytes for a file of %zu; %s", e->what, copy,
        taken, bytes, mt_message());
    if (status == MT_OK) {
        cr_assert_eq(
            mt_mesh_check_content(&mesh, NULL), MT_OK, "%s, copy %zu: %s", e->what, copy, mt_message());
        if (strcmp(format->ending, ".hdf") == 0) look_at_partition(e, copy, mesh.n_elements);
    }
    mt_arena_free(&arena);
    return status != MT_OK;
}

/* Reads a file of the example completely into bytes[size]. */
static size_t load(const char *path, unsigned char *bytes, size_t size)
{
    FILE *in = fopen(path, "rb");
    cr_assert_not_null(in, "%s", path);
    const size_t n = fread(bytes, 1, size, in);
    cr_assert(n < size, "%s is larger than the test foresees", path);
    (void)fclose(in);
    return n;
}

/* Does nothing if the example has no such file. */
static void damage_file(const example *e, int k)
{
    static unsigned char good[1 << 16], copy[sizeof good + DAMAGE_ROOM];
    size_t refused = 0;
    cr_assert(e->make(stem), "%s", e->what);
    if (access(file[k], F_OK) != 0) return;
    const size_t n = load(file[k], good, sizeof good);
    for (size_t i = 0; i < DAMAGED_COPIES; i++) {
        write_bytes(file[k], copy, damage(i, good, n, copy));
        refused += look_at(e, i);
    }
    cr_assert(refused > DAMAGED_COPIES / 3, "%s: only %zu copies of %s were damaged enough", e->what, refused,
        file[k]);
}

/* Numbers are between blanks, or in quotes. */
static bool ends_number(unsigned char byte) { return isspace(byte) || byte == '"'; }

/* Makes a copy with another number at `at`; returns its length, or 0 if no number begins there. */
static size_t put_number(
    uint64_t number, size_t at, const unsigned char *bytes, size_t n, unsigned char *copy)
{
    memcpy(copy, bytes, n);
    if (memchr(bytes, 0, n)) {
        if (n - at < sizeof number) return 0;
        memcpy(copy + at, &number, sizeof number);
        return n;
    }
    size_t end = at;
    if (!isdigit(bytes[at]) || (at > 0 && !ends_number(bytes[at - 1]))) return 0;
    while (end < n && !ends_number(bytes[end])) end++;
    at += (size_t)sprintf((char *)copy + at, "%llu", (unsigned long long)number);
    memcpy(copy + at, bytes + end, n - end);
    return at + n - end;
}

/* Replaces each number of a text, and the value at each byte of a binary file (at a hundred places for HDF5), by a count that exceeds the
 * content: slightly, more, and by far. */
static void change_numbers(const example *e, int k)
{
    static const uint64_t numbers[] = {500, 6000, 300000};
    static unsigned char good[1 << 16], copy[sizeof good + DAMAGE_ROOM];
    cr_assert(e->make(stem), "%s", e->what);
    if (access(file[k], F_OK) != 0) return;
    const size_t n = load(file[k], good, sizeof good);
    const size_t step = n > 4000 ? n / 100 : 1;
    for (size_t at = 0; at < n; at += step)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            const size_t length = put_number(numbers[i], at, good, n, copy);
            if (length == 0) continue;
            write_bytes(file[k], copy, length);
            (void)look_at(e, at);
        }
}

Test(damaged, every_undamaged_example_is_valid)
{
    for (int i = 0; i < N_EXAMPLES; i++) {
        cr_assert(examples[i].make(stem), "%s", examples[i].what);
        cr_assert_not(look_at(&examples[i], 0), "%s: %s", examples[i].what, mt_message());
        remove_files(&examples[i]);
    }
}

/* HDF5 1.10 leaks memory on damaged headers; this is not our bug. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

static size_t peak_kb(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return (size_t)usage.ru_maxrss;
}

/* The peak memory of the process includes HDF5: its caches take some MB. Sanitizers retain freed memory. */
Test(damaged, damaged_files_are_valid_or_rejected_by_name_without_excessive_memory)
{
    const size_t before = peak_kb();
    if (__lsan_disable) __lsan_disable();
    for (int i = 0; i < N_EXAMPLES; i++)
        for (int k = name_files(&examples[i]); k > 0; k--) {
            damage_file(&examples[i], k - 1);
            change_numbers(&examples[i], k - 1);
            remove_files(&examples[i]);
        }
    if (__lsan_enable)
        __lsan_enable();
    else
        cr_assert(peak_kb() - before < 32 << 10, "%zu kB at first, %zu at last", before, peak_kb());
}
