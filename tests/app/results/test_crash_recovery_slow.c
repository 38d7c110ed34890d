/* Runs and conversions that are killed at random times, 300 of each: all remaining files are complete, and once there is a result there
 * always is one. Runs that are killed 200 times and resumed end with the same files as an uninterrupted run. */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/random.h"

#include "app/run/checkpoints.h"
#include "data/files/folder.h"
#include "data/files/h5.h"
#include "mesh/files/formats.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { TIMES = 300 };

static char program[1024];
static uint64_t state = 1;

static void enter(void)
{
    enter_room();
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    cr_assert(n > 0);
    program[n] = 0;
    (void)snprintf(strrchr(program, '/'), 16, "/myotile");
    cr_assert(there(program), "%s: the tests need the program", program);
}

TestSuite(crash_recovery, .init = enter, .fini = leave_room);

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Starts the program with these words, without output. */
static pid_t start(char *const word[])
{
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(99);
        (void)execv(program, word);
        _exit(99);
    }
    return child;
}

static double seconds_of(char *const word[])
{
    int ended;
    const double from = now_s();
    cr_assert_eq(waitpid(start(word), &ended, 0) > 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 0, true);
    return now_s() - from;
}

/* Kills the program after at most `seconds`, unless it has ended before. Returns the signal, and its exit code in `code_of`. */
static int kill_within(char *const word[], double seconds, int *code_of)
{
    static const int numbers[] = {SIGKILL, SIGTERM, SIGINT};
    const int number = numbers[draw(&state, 3)];
    const double wait_s = between(&state, 0, seconds);
    int ended;
    const pid_t child = start(word);
    (void)nanosleep(
        &(struct timespec){.tv_sec = (time_t)wait_s, .tv_nsec = (long)(1e9 * fmod(wait_s, 1))}, NULL);
    (void)kill(child, number);
    cr_assert_eq(waitpid(child, &ended, 0), child);
    const bool of_it = WIFSIGNALED(ended) ? WTERMSIG(ended) == number : true;
    const int code = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + number;
    cr_assert(of_it && (code == 0 || code == 128 + number), "signal %d: code %d", number, code);
    *code_of = code;
    return number;
}

/* Same, after a random part of its usual time. */
static int kill_at_random(char *const word[], double seconds)
{
    int code;
    return kill_within(word, 1.1 * seconds, &code);
}

static void parts_are_swept(const char *folder)
{
    cr_assert_eq(mt_file_sweep(folder, NULL), MT_OK);
    (void)things(); /* fails if a temporary file remains */
}

/* Checks that the result is complete and that its files belong to one run, unless SIGKILL interrupted the renames. */
static void check_results(int number)
{
    static char used[65536];
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_h5 h5;
    size_t n;
    cr_assert_eq(mt_mesh_read(&arena, "out/result.hdf", &mesh), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
    cr_assert_eq(mt_h5_open("out/result.hdf", &h5), MT_OK);
    cr_assert_eq(mt_h5_read_text(&h5, "run", "used", used, sizeof used), MT_OK);
    mt_h5_close(&h5);
    char *text = bytes_of("out/used.yaml", &n), *png = bytes_of("out/activation.png", &n);
    cr_assert(n > 12 && memcmp(png + n - 8, "IEND", 4) == 0, "the picture is complete");
    cr_assert(number == SIGKILL || strcmp(used, text) == 0, "%s\nand\n%s", used, text);
    free(text), free(png);
}

Test(crash_recovery, killed_runs_leave_the_complete_results_of_one_run)
{
    char name[] = "myotile", run[] = "run", path[] = "data/cases/niederer-0.5.yaml", output[] = "--output",
         out[] = "out", set[] = "--set", cpu[] = "machine.backend=cpu", end[] = "time.end_ms=1", title[64];
    char *word[] = {name, run, path, output, out, set, cpu, set, end, set, title, NULL};
    (void)strcpy(title, "title=first");
    const double seconds = seconds_of(word);
    int last = 0;
    for (int k = 0; k < TIMES; k++) {
        (void)snprintf(title, sizeof title, "title=run %d", k);
        const int number = kill_at_random(word, seconds);
        last = number == SIGKILL ? SIGKILL : last; /* a mix of files remains until a run ends */
        check_results(last);
    }
    (void)strcpy(title, "title=last");
    (void)seconds_of(word);
    check_results(0);
    parts_are_swept("out");
}

Test(crash_recovery, killed_conversions_leave_either_the_old_or_the_new_mesh)
{
    char name[] = "myotile", mesh[] = "mesh", convert[] = "convert", from[16], to[] = "set.pts";
    char *word[] = {name, mesh, convert, from, to, NULL};
    size_t n_elements[2];
    for (int k = 0; k < 2; k++) {
        mt_arena arena = {0};
        mt_mesh m;
        free(works("mesh slab --size-mm 20,20,20 --edge-mm %d -o m%d.hdf", 2 - k, k));
        (void)snprintf(from, sizeof from, "m%d.hdf", k);
        cr_assert_eq(mt_mesh_read(&arena, from, &m), MT_OK);
        n_elements[k] = m.n_elements;
        mt_arena_free(&arena);
    }
    const double seconds = seconds_of(word);
    for (int k = 0; k < TIMES; k++) {
        mt_arena arena = {0};
        mt_mesh m;
        (void)snprintf(from, sizeof from, "m%d.hdf", k % 2);
        (void)kill_at_random(word, seconds);
        cr_assert_eq(mt_mesh_read(&arena, to, &m), MT_OK, "%s", mt_message());
        cr_assert(m.n_elements == n_elements[0] || m.n_elements == n_elements[1]);
        mt_arena_free(&arena);
    }
    (void)seconds_of(word);
    parts_are_swept(".");
}

static bool has_checkpoint(const char *folder)
{
    mt_arena arena = {0};
    mt_checkpoint newest;
    const bool has = mt_checkpoints_newest(&arena, folder, &newest) == MT_OK;
    mt_arena_free(&arena);
    return has;
}

/* Starts a run, and kills and resumes it until it ends. Returns the number of kills. */
static int run_to_the_end(char *const begin[], char *const resume[], double seconds)
{
    for (int kills = 0;; kills++) {
        int code;
        (void)kill_within(has_checkpoint("cut") ? resume : begin, seconds, &code);
        if (code == 0) return kills;
    }
}

static void expect_same_files(const char *a, const char *b)
{
    static const char *const names[] = {"result.hdf", "activation.csv", "used.yaml", "activation.png",
        "upstroke.png", "conduction_velocity_beat2.png", "profile.json", "traces.csv", "traces.png",
        "series.hdf", "series.xdmf", "ecg.csv", "ecg.png", "traces.frames", "series.frames", "ecg.frames"};
    char in_a[64], in_b[64];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        (void)snprintf(in_a, sizeof in_a, "%s/%s", a, names[k]);
        (void)snprintf(in_b, sizeof in_b, "%s/%s", b, names[k]);
        cr_assert_eq(there(in_a), there(in_b), "%s and %s", in_a, in_b);
        cr_assert(!there(in_a) || same_file(in_a, in_b), "%s and %s", in_a, in_b);
    }
}

/* Repeats this on a backend until there were 100 kills. */
static void kill_and_go_on(char *backend)
{
    enum { KILLS = 100 };
    char name[] = "myotile", run[] = "run", path[] = "data/cases/niederer-0.5.yaml", output[] = "--output",
         whole[] = "whole", cut[] = "cut", set[] = "--set", end[] = "time.end_ms=8",
         tiles[] = "machine.tiles=64", every[] = "checkpoint.every_ms=0.3",
         maps[] = "output={maps: [apd, upstroke, conduction_velocity], beats: every, beat_ms: 4}",
         traces[] = "traces={every_ms: 0.1, fields: [V, Ca_i]}", series[] = "series={every_ms: 0.5}",
         electrodes[] = "electrodes=[{name: above, at_mm: [10, 3, 12]}]", resume[] = "--resume";
    char *alone[] = {name, run, path, output, whole, set, backend, set, end, set, tiles, set, every, set,
        maps, set, traces, set, series, set, electrodes, NULL},
         *begin[] = {name, run, path, output, cut, set, backend, set, end, set, tiles, set, every, set, maps,
             set, traces, set, series, set, electrodes, NULL},
         *go_on[] = {name, run, resume, cut, NULL};
    const double seconds = seconds_of(alone);
    int kills = 0, runs = 0;
    for (; kills < KILLS; runs++) {
        kills += run_to_the_end(begin, go_on, 0.7 * seconds);
        expect_same_files("whole", "cut");
        cr_assert_not(has_checkpoint("cut"));
        cr_assert_eq(nftw("cut", remove_thing, 8, FTW_DEPTH | FTW_PHYS), 0);
    }
    cr_log_info("%s: %d kills of %d runs", backend, kills, runs);
}

Test(crash_recovery, resumed_runs_write_the_files_of_an_uninterrupted_run)
{
    char cpu[] = "machine.backend=cpu", ipu[] = "machine.backend=ipu";
    kill_and_go_on(cpu);
    kill_and_go_on(ipu);
}
