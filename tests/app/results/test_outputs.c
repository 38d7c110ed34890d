/* Files of a command if its standard output fails, if its folder is in use, or if it is stopped. */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include "app/cli/console.h"
#include "data/core/progress.h"
#include "data/files/folder.h"
#include "data/files/h5.h"

#include <omp.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const char small[] = "title: Small slab\n" SMALL_SLAB USUAL_TISSUE
                            "time: {end_ms: 1}\n" SMALL_STIMULUS("2") "points:\n"
                                                                      "  - {name: near, at_mm: [0, 0, 0]}\n"
                                                                      "machine: {tiles: 8}\n";

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("small.yaml", small);
    write_machine("eight.yaml", 8);
}

TestSuite(outputs, .init = enter, .fini = leave_room);

/* ---- standard output */

/* All commands that print, and the files that they must write even if printing fails. */
static const struct {
    const char *line, *files[4];
} commands[] = {
    {"mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o m.hdf", {"m.hdf"}},
    {"mesh slab --size-mm 40,40,40 --edge-mm 10 -o slab.hdf", {"slab.hdf"}},
    {"run small.yaml --output out",
        {"out/result.hdf", "out/activation.csv", "out/activation.png", "out/used.yaml"}},
    {"run small.yaml --output json --format json", {"json/result.hdf", "json/profile.json"}},
    {"run small.yaml --output host --set machine.backend=cpu", {"host/result.hdf"}},
    {"mesh info m.hdf", {NULL}},
    {"mesh convert m.hdf c.pts", {"c.pts", "c.elem", "c.lon"}},
    {"mesh convert m.hdf c.vtu", {"c.vtu"}},
    {"mesh refine m.hdf -o fine.hdf", {"fine.hdf"}},
    {"partition m.hdf --target eight.yaml -o cut.hdf --picture cut.png --profile tiles",
        {"cut.hdf", "cut.png", "tiles/profile.json"}},
    {"cell --end-ms 5 -o trace.csv", {"trace.csv"}},
    {"machine list", {NULL}},
    {"machine show gc200", {NULL}},
    {"machine allreduce --ipus 2 --bytes 4KiB --machine-set tiles=8", {NULL}},
    {"machine allreduce --ipus 2 --sweep --bytes 4KiB --machine-set tiles=8 -o sweep.csv --picture sweep.png",
        {"sweep.csv", "sweep.png"}},
    {"reproduce table1 --mesh m.hdf --ipus 1 --picture t.png", {"t.png"}},
    {"--help", {NULL}},
    {"run --help", {NULL}},
    {"--version", {NULL}},
};

/* Same as run_line, with the given stream as standard output. */
static int run_into(FILE *out, const char *format, char **said)
{
    char line[LINE_SIZE], name[] = "myotile", *word[64] = {name};
    int n = 1;
    size_t size;
    (void)snprintf(line, sizeof line, "%s", format);
    for (char *save, *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save)) word[n++] = w;
    FILE *messages = open_memstream(said, &size);
    const int code = mt_program_main(mt_commands, n, word, out, messages);
    (void)fclose(messages);
    return code;
}

static void loses_only_the_output(const char *path, int mode, const char *reason)
{
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        char *said = NULL;
        FILE *out = fopen(path, "w");
        const int only = open(path, mode);
        cr_assert(out && only >= 0 && dup2(only, fileno(out)) >= 0);
        (void)close(only);
        const int code = run_into(out, commands[k].line, &said);
        cr_assert_eq(code, 3, "%s: code %d: %s", commands[k].line, code, said);
        cr_assert(strstr(said, "myotile: standard output: ") && strstr(said, reason), "%s: %s",
            commands[k].line, said);
        for (int f = 0; f < 4 && commands[k].files[f]; f++)
            cr_assert(there(commands[k].files[f]), "%s: no %s", commands[k].line, commands[k].files[f]);
        (void)things(); /* no incomplete file */
        (void)fclose(out);
        free(said);
    }
}

Test(outputs, a_full_device_loses_only_the_printed_output)
{
    loses_only_the_output("/dev/full", O_WRONLY, "No space left on device");
}

/* The program replaces a closed stream by one that is only readable. */
Test(outputs, a_closed_descriptor_loses_only_the_printed_output)
{
    loses_only_the_output("/dev/null", O_RDONLY, "Bad file descriptor");
}

/* Returns the path of the program, in the folder of the tests. */
static void program_path(char *path, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", path, size - 1);
    cr_assert(n > 0);
    path[n] = 0;
    char *slash = strrchr(path, '/');
    (void)snprintf(slash, size - (size_t)(slash - path), "/myotile");
    cr_assert(there(path), "%s: the tests need the program", path);
    /* memory that fontconfig does not free (program.h) must not change the program's exit code */
    cr_assert_eq(setenv("ASAN_OPTIONS", "detect_stack_use_after_return=0:detect_leaks=0", 1), 0);
}

static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *format, ...)
{
    char line[LINE_SIZE];
    FORMAT_LINE(line, format);
    const int ended = system(line);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

Test(outputs, closed_streams_and_broken_pipes_are_handled)
{
    char path[1024];
    size_t n;
    program_path(path, sizeof path);
    cr_assert_eq(shell("'%s' run small.yaml --output closed >&- 2>said", path), 3);
    cr_assert(there("closed/result.hdf") && there("closed/activation.png"));
    cr_assert_eq(shell("'%s' run small.yaml --output none >&- 2>&- <&-", path), 3);
    cr_assert(there("none/result.hdf"));
    cr_assert(same_file("closed/result.hdf", "none/result.hdf"), "no output went into a file");
    cr_assert_eq(
        shell("bash -c '\"%s\" run small.yaml --output left 2>said | true; exit ${PIPESTATUS[0]}'", path), 3);
    cr_assert(there("left/result.hdf"));
    char *said = bytes_of("said", &n);
    cr_assert_str_eq(said, "myotile: standard output: Broken pipe; the results are in left/\n");
    free(said);
}

Test(outputs, the_output_file_can_be_a_pipe)
{
    char path[1024];
    size_t n;
    program_path(path, sizeof path);
    cr_assert_eq(shell("'%s' cell --end-ms 5 -o /dev/stdout | cat > piped", path), 0);
    char *text = bytes_of("piped", &n);
    cr_assert(strncmp(text, "t[ms],V[mV],", 12) == 0 && strstr(text, "\nepi cell, 5 ms"), "%s", text);
    free(text);
}

/* The limit is in blocks of 512 or 1024 bytes, depending on the shell. */
Test(outputs, exceeding_the_file_size_limit_is_a_failure_without_a_crash)
{
    char path[1024];
    size_t n;
    program_path(path, sizeof path);
    cr_assert_eq(shell("ulimit -f 20; '%s' run small.yaml --output big >table 2>said", path), 3);
    char *said = bytes_of("said", &n), *table = bytes_of("table", &n);
    cr_assert(strstr(said, "result.hdf") && strstr(table, "Activation times"), "%s", said);
    free(said), free(table);
    (void)things();
}

/* ---- folders and names */

Test(outputs, a_folder_with_foreign_files_is_left_unchanged)
{
    cr_assert_eq(mkdir("mine", 0777), 0);
    write_text("mine/result.hdf", "mine");
    refuses(3,
        "mine: this folder contains files that myotile did not write; choose another folder, or use --force "
        "to write in it and replace files of the same names",
        "run small.yaml --output mine");
    refuses(3,
        "mine: this folder contains files that myotile did not write; choose another folder, or use --force "
        "to write in it and replace files of the same names",
        "partition slab.hdf --profile mine");
    refuses(3,
        "mine: this folder contains files that myotile did not write; choose another folder, or use --force "
        "to write in it and replace files of the same names",
        "run small.yaml --output out --profile mine");
    cr_assert(!there("out"), "no file remains in the first folder");
    free(works("run small.yaml --output mine --force"));
    free(works("run small.yaml --output mine"));
}

Test(outputs, a_failed_run_with_force_does_not_claim_the_folder)
{
    cr_assert_eq(mkdir("mine", 0777), 0);
    write_text("mine/result.hdf", "mine");
    refuses(
        2, "whole multiple of the edge", "run small.yaml --output mine --force --set mesh.slab.edge_mm=0.7");
    refuses(3,
        "mine: this folder contains files that myotile did not write; choose another folder, or use --force "
        "to write in it and replace files of the same names",
        "run small.yaml --output mine");
}

Test(outputs, an_output_name_taken_by_a_folder_is_rejected_before_the_run)
{
    free(works("run small.yaml --output out"));
    cr_assert_eq(remove("out/activation.png"), 0);
    cr_assert_eq(mkdir("out/activation.png", 0777), 0);
    refuses(3, "out/activation.png: is a folder", "run small.yaml --output out");
}

Test(outputs, two_runs_do_not_share_a_folder)
{
    mt_folder folder;
    cr_assert_eq(mt_folder_enter("out", MT_FILE_OURS, &folder), MT_OK);
    refuses(3, "out: another run of myotile is writing in this folder; wait for it, or choose another folder",
        "run small.yaml --output out");
    refuses(3, "out: another run of myotile is writing in this folder; wait for it, or choose another folder",
        "run small.yaml --output other --profile out");
    cr_assert(!there("other"));
    mt_folder_close(&folder);
    free(works("run small.yaml --output out"));
}

/* Files of other programs, in formats without and with a note of the program. */
Test(outputs, foreign_files_are_replaced_with_force_only)
{
    static const char *const lines[] = {"cell --end-ms 1 -o theirs.csv",
        "mesh slab --size-mm 1,1,1 --edge-mm 1 -o theirs.hdf", "mesh convert slab.hdf theirs.pts",
        "mesh convert slab.hdf theirs.vtu", "mesh refine slab.hdf -o theirs.hdf",
        "partition slab.hdf --target eight.yaml -o theirs.hdf",
        "partition slab.hdf --target eight.yaml --picture theirs.png"};
    free(works("mesh slab --size-mm 30,30,30 --edge-mm 15 -o slab.hdf"));
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        const char *path = strstr(lines[k], "theirs");
        write_text(path, "1 2 3\n");
        refuses(3, ": already exists, and was apparently not written by myotile; --force replaces it", "%s",
            lines[k]);
        free(works("%s --force", lines[k]));
        free(works("%s", lines[k]));
    }
    write_text("theirs.7.surf", "0\n");
    refuses(3,
        "theirs.7.surf: already exists, and was apparently not written by myotile; --force replaces it",
        "mesh convert slab.hdf theirs.pts");
}

/* A folder has the name of the file. */
Test(outputs, an_unwritable_profile_or_trace_is_rejected_before_the_run)
{
    static const char *const wanted[][2] = {{"profile.json", ""}, {"tiles.csv", " --profile out1"},
        {"memory.csv", " --profile out2"}, {"trace.json", " --trace 0:3"}};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        char folder[64], path[128];
        (void)snprintf(folder, sizeof folder, "out%zu", k);
        (void)snprintf(path, sizeof path, "%s/%s", folder, wanted[k][0]);
        cr_assert(mkdir(folder, 0777) == 0 && mkdir(path, 0777) == 0);
        refuses(3, wanted[k][0], "run small.yaml --force --output %s%s", folder, wanted[k][1]);
    }
    free(works("run small.yaml --force --output out3"));
}

Test(outputs, a_failed_rerun_leaves_the_old_results_unchanged)
{
    size_t before, after;
    free(works("run small.yaml --output out"));
    char *old = bytes_of("out/used.yaml", &before);
    refuses(5, "V is", "run small.yaml --output out --set stimuli.0.strength_uA_mm3=1e6");
    char *now = bytes_of("out/used.yaml", &after);
    cr_assert(before == after && memcmp(old, now, before) == 0);
    free(old), free(now);
}

/* ---- the same run twice */

Test(outputs, two_equal_runs_write_byte_identical_files)
{
    static const char *const files[] = {"result.hdf", "activation.csv", "activation.png", "used.yaml",
        "profile.json", "tiles.csv", "trace.json"};
    char a[64], b[64];
    free(works("run small.yaml --output one --profile one --trace 0:3"));
    (void)nanosleep(
        &(struct timespec){.tv_sec = 1, .tv_nsec = 100000000}, NULL); /* times in HDF5 files are in seconds */
    free(works("run small.yaml --output two --profile two --trace 0:3"));
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        (void)snprintf(a, sizeof a, "one/%s", files[k]);
        (void)snprintf(b, sizeof b, "two/%s", files[k]);
        cr_assert(same_file(a, b), "%s", files[k]);
    }
}

static void run_says(const char *path, const char *attribute, const char *text)
{
    char found[65536];
    mt_h5 h5;
    cr_assert_eq(mt_h5_open(path, &h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_read_text(&h5, attribute[0] == '/' ? "VTKHDF/CellData/activation" : "run",
                     attribute + (attribute[0] == '/'), found, sizeof found),
        MT_OK, "%s", mt_message());
    mt_h5_close(&h5);
    cr_assert(strncmp(found, text, strlen(text)) == 0, "%s: %s", attribute, found);
}

Test(outputs, a_result_file_records_its_provenance)
{
    char program[64];
    mt_h5 h5;
    free(works("run small.yaml --output out"));
    run_says("out/result.hdf", "used", "# Every value used by a run of myotile ");
    run_says("out/result.hdf", "stopped_by", "its end");
    run_says("out/result.hdf", "/nan", "not activated within the 1 ms of the run");
    cr_assert_eq(mt_h5_open("out/result.hdf", &h5), MT_OK);
    cr_assert_eq(mt_h5_read_text(&h5, "/", "program", program, sizeof program), MT_OK);
    cr_assert_eq(strncmp(program, "myotile ", 8), 0);
    int64_t number[288];
    cr_assert_eq(mt_h5_read(&h5, "VTKHDF/CellData/element", MT_H5_INT64, 1, &(size_t){288}, number), MT_OK);
    for (int64_t k = 0; k < 288; k++) cr_assert_eq(number[k], k);
    mt_h5_close(&h5);
}

/* ---- signals */

/* Starts a run of minutes in a child process, and waits for `text` in its log. Returns the child. */
static pid_t start_run(const char *line, const char *text)
{
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        char *said;
        if (!freopen("log", "w", stderr)) _exit(99);
        mt_console_choose_interval(0.02);
        FILE *out = fopen("out.txt", "w");
        const int code = out ? run_into(out, line, &said) : 99;
        if (out) (void)fclose(out);
        write_text("said", said);
        _exit(code);
    }
    for (int k = 0; k < 3000; k++) {
        char log[65536] = "";
        FILE *file = fopen("log", "r");
        if (file) log[fread(log, 1, sizeof log - 1, file)] = 0;
        if (file) (void)fclose(file);
        if (strstr(log, text)) return child;
        (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    (void)kill(child, SIGKILL);
    cr_assert(false, "the log does not have '%s'", text);
    return child;
}

static void leaves_what_there_is(int number, const char *name)
{
    int ended = 0;
    size_t n;
    const pid_t child = start_run(
        "run small.yaml --output out --progress lines --set time.end_ms=300000 --set machine.backend=cpu",
        "simulating");
    cr_assert_eq(kill(child, number), 0);
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 128 + number, "status %d", ended);
    run_says("out/result.hdf", "stopped_by", name);
    run_says("out/result.hdf", "/nan", "not activated before the run was stopped at ");
    char *said = bytes_of("said", &n), *table = bytes_of("out.txt", &n), *log = bytes_of("log", &n);
    cr_assert(
        strstr(said, "myotile: stopped at ") && strstr(said, " of 300000 ms; the results so far are in out/"),
        "%s", said);
    cr_assert(
        strstr(table, "requested time (the run was stopped)") && strstr(table, "300000  ms"), "%s", table);
    cr_assert(
        strstr(log, "myotile: stopping: writing the results so far; a second signal quits immediately\n"),
        "%s", log);
    cr_assert(there("out/activation.png") && there("out/activation.csv") && there("out/used.yaml"));
    free(said), free(table), free(log);
    (void)things();
}

Test(outputs, sigint_leaves_the_results_up_to_that_time) { leaves_what_there_is(SIGINT, "SIGINT"); }
Test(outputs, sigterm_leaves_the_results_up_to_that_time) { leaves_what_there_is(SIGTERM, "SIGTERM"); }
Test(outputs, sighup_leaves_the_results_up_to_that_time) { leaves_what_there_is(SIGHUP, "SIGHUP"); }
