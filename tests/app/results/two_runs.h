/* Two successive runs into the folder "out", with all files that a run can have; the second with faults. The first simulates 6 ms, the
 * second 5 ms, and each has maps that the other lacks. References of each, in first/out and second/out, have the same bytes as a correct
 * run. */
#pragma once

#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/faults.h"
#include "tests/solver/small_case.h"

#include "data/files/file.h"

#include <fnmatch.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

static const char two_runs_case[] =
    "title: Small slab\n"
    "mesh:\n"
    "  slab: {size_mm: [2, 1, 1], edge_mm: 0.5}\n" USUAL_TISSUE
    "time: {dt_ms: 0.05}\n" SMALL_STIMULUS("2") "points:\n"
                                                "  - {name: near, at_mm: [0.5, 0.5, 0.5]}\n"
                                                "line: {from_mm: [0, 0, 0], to_mm: [2, 1, 1], points: 3}\n"
                                                "traces: {every_ms: 1}\n"
                                                "electrodes:\n"
                                                "  - {name: ahead, at_mm: [10, 1, 0.5]}\n"
                                                "output: {vertices: [csv]}\n"
                                                "machine: {target: small_machine.yaml}\n"
                                                "checkpoint: {every_ms: 2}\n";

static char two_runs_also[256]; /* additional options of both */

/* Runs a command line in a separate process, and returns its exit code. */
static inline int run_apart(fault what, int at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline int run_apart(fault what, int at, const char *format, ...)
{
    char line[LINE_SIZE];
    int ended;
    FORMAT_LINE(line, format);
    const pid_t child = fork();
    if (child == 0) {
        (void)freopen("said", "w", stderr);
        begin_fault(what, at);
        reply r = run_line(line);
        begin_fault(NO_FAULT, calls);
        (void)fputs(r.said, stderr), (void)fflush(stderr);
        FILE *count = fopen("calls", "w");
        (void)fprintf(count, "%d", faulty_call), (void)fclose(count);
        _exit(r.code);
    }
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert(WIFEXITED(ended), "%d", ended);
    return WEXITSTATUS(ended);
}

/* Returns the number of calls of the last process that was not killed. */
static inline int calls_of_run(void)
{
    size_t n;
    char *text = bytes_of("calls", &n);
    const int count = atoi(text);
    free(text);
    return count;
}

static inline int run_into(const char *folder, const char *how, fault what, int at)
{
    const bool tiles = !strstr(two_runs_also, "backend=cpu");
    return run_apart(what, at, "run small.yaml -o %s %s%s%s%s", folder, how, two_runs_also,
        tiles ? " --trace 0:1 --profile " : "", tiles ? folder : "");
}

static inline int first_run(const char *folder)
{
    return run_into(folder, "--set time.end_ms=6 --set output.maps=[peak]", NO_FAULT, 0);
}

static inline int second_run(const char *folder, fault what, int at)
{
    return run_into(folder, "--set time.end_ms=5 --set output.maps=[conduction_velocity]", what, at);
}

static inline void begin_two_runs(const char *also)
{
    write_text("small.yaml", two_runs_case);
    write_machine("small_machine.yaml", 3);
    (void)snprintf(two_runs_also, sizeof two_runs_also, "%s", also);
    cr_assert(mkdir("first", 0777) == 0 && mkdir("second", 0777) == 0);
    cr_assert_eq(first_run("first/out"), 0);
    cr_assert_eq(second_run("second/out", NO_FAULT, 0), 0);
}

/* True for a file of results, not a file of others or one to resume from. */
static inline bool is_result(const char *name)
{
    return name[0] != '.' && strcmp(name, "notes") != 0 && fnmatch("checkpoint-*.hdf", name, 0) != 0 &&
           fnmatch("*.frames", name, 0) != 0;
}

/* True if out/ has all results of this run. The report, which is built from them, may be missing. */
static inline bool holds_run(const char *run, char why[512])
{
    const char *const folders[] = {"out", run};
    bool same = true;
    for (int k = 0; k < 2 && same; k++) {
        DIR *list = opendir(folders[k]);
        for (struct dirent *e; same && list && (e = readdir(list));) {
            char one[300], other[300];
            (void)snprintf(one, sizeof one, "out/%s", e->d_name);
            (void)snprintf(other, sizeof other, "%s/%s", run, e->d_name);
            if (!is_result(e->d_name) || (k == 1 && strcmp(e->d_name, "report.html") == 0 && !there(one)))
                continue;
            same = there(one) && there(other) && same_file(one, other);
            if (!same) (void)snprintf(why, 512, "%s", one);
        }
        if (list) (void)closedir(list);
    }
    return same;
}

/* Replaces out/ by the folder of the first run, with a file of another program. */
static inline void restore_first_run(void)
{
    cr_assert_eq(system("rm -rf out && cp -a first/out out"), 0);
    write_text("out/notes", "mine");
}

/* Checks the folder after the second run ended with this code: its files belong to one run, and files of others remain. Then checks that a
 * report and the second run, repeated or resumed, work and leave no other files. */
static inline void expect_one_run(int code, const char *what, int at)
{
    char why_first[512] = "", why_second[512] = "";
    const bool settled = code != KILLED_CODE;
    const bool first = holds_run("first/out", why_first), second = holds_run("second/out", why_second);
    cr_assert(!settled || first || second, "%s %d: neither the first run's: %s; nor the second's: %s", what,
        at, why_first, why_second);
    cr_assert_eq(run_apart(NO_FAULT, 0, "report out -o r.html --force"), 0);
    cr_assert(holds_run("first/out", why_first) || holds_run("second/out", why_second),
        "%s %d, report: neither the first run's: %s; nor the second's: %s", what, at, why_first, why_second);
    size_t n;
    char *notes = bytes_of("out/notes", &n);
    cr_assert_str_eq(notes, "mine", "%s %d", what, at);
    free(notes);
    if (system("ls out/checkpoint-*.hdf >/dev/null 2>&1") == 0) {
        cr_assert_eq(run_apart(NO_FAULT, 0, "run --resume out"), 0, "%s %d, resumed", what, at);
        cr_assert(same_file("out/result.hdf", "second/out/result.hdf"), "%s %d, resumed", what, at);
    }
    cr_assert_eq(second_run("out", NO_FAULT, 0), 0, "%s %d, again", what, at);
    cr_assert(holds_run("second/out", why_second), "%s %d: the second run's: %s", what, at, why_second);
    cr_assert_eq(system("ls -A out | grep '^[.]' | grep -qvx .myotile"), 256, "%s %d: leftovers", what, at);
}

/* Mounts a memory file system of `mib` MiB at `path`, until the test ends. Returns false if that is not permitted. */
static inline bool mount_memory(const char *path, int mib)
{
    char size[32];
    (void)snprintf(size, sizeof size, "size=%dm", mib);
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mkdir(path, 0777) == 0 &&
           mount("tmpfs", path, "tmpfs", 0, size) == 0;
}

/* Fills the file system of `file` except `bytes` bytes. */
static inline void fill_but(const char *file, size_t bytes)
{
    struct statvfs info;
    (void)unlink(file);
    const int fd = open(file, O_CREAT | O_WRONLY, 0666);
    cr_assert(fd >= 0 && fstatvfs(fd, &info) == 0);
    cr_assert_eq(posix_fallocate(fd, 0, (off_t)(info.f_bfree * info.f_bsize - bytes)), 0);
    (void)close(fd);
}

/* Repeats the second run into the folder of the first on a file system with different amounts of free space. Unmounts it, so that the
 * folder can be deleted. */
static inline void fill_sizes(int n_sizes, size_t step_bytes)
{
    int failed = 0;
    if (!mount_memory("disk", 64)) cr_skip("SKIPPED: no file system can be mounted here\n");
    cr_assert_eq(mkdir("disk/out", 0777), 0);
    cr_assert_eq(symlink("disk/out", "out"), 0);
    for (int k = 0; k < n_sizes; k++) {
        cr_assert_eq(system("find disk/out -mindepth 1 -delete && cp -a first/out/. disk/out"), 0);
        write_text("out/notes", "mine");
        fill_but("disk/filler", (size_t)k * step_bytes);
        const int code = second_run("out", NO_FAULT, 0);
        cr_assert(code == 0 || code == 3, "code %d", code);
        failed += code != 0;
        (void)unlink("disk/filler");
        char why[512] = "";
        cr_assert(
            holds_run(code == 0 ? "second/out" : "first/out", why), "size %d: code %d: %s", k, code, why);
        expect_one_run(code, "size", k);
    }
    cr_assert(failed > n_sizes / 3 && failed < n_sizes, "%d of %d sizes are too small", failed, n_sizes);
    cr_assert_eq(umount("disk"), 0);
}
