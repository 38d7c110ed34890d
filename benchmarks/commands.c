/* Commands in turns: processor time, and peak memory of their processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benchmarks/benchmarks.h"
#include "benchmarks/slab.h"

typedef struct command {
    const char *words; /* for the shell */
    double bytes;      /* peak memory of the last run */
} command;

static double seconds_of(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           1e-6 * (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);
}

/* Runs the command with its output discarded; returns its seconds. */
static double run(void *data)
{
    command *c = data;
    struct rusage used;
    int ended = -1;
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout)) _exit(127);
        (void)execl("/bin/sh", "sh", "-c", c->words, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &ended, 0, &used) < 0)
        bench_must(mt_fail(MT_FILE, "no process for: %s", c->words));
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0) bench_must(mt_fail(MT_INPUT, "failed: %s", c->words));
    c->bytes = 1024 * (double)used.ru_maxrss;
    return seconds_of(&used);
}

static double bytes_of(void *data) { return ((const command *)data)->bytes; }

void bench_compare(bench_list *list, int n, char *const *words)
{
    enum { MOST = BENCH_FIGURES / 2 };
    command c[MOST];
    int first[2] = {0, 0};
    if (n < 1 || n > MOST) bench_must(mt_fail(MT_INPUT, "%d commands; allowed: 1 to %d", n, MOST));
    for (int k = 0; k < n; k++) {
        c[k] = (command){.words = words[k]};
        const int time = bench_add(list,
            (bench_figure){.unit = "s", .take = run, .data = &c[k], .items = 1, .baseline = first[0]}, "%s",
            words[k]);
        const int room = bench_add(list,
            (bench_figure){.unit = "MB", .take = bytes_of, .data = &c[k], .items = 1e6, .baseline = first[1]},
            "%s", words[k]);
        if (k == 0) first[0] = time, first[1] = room;
    }
    list->unwarmed = true;
    bench_measure(list);
}

/* ---- memory of a run ---- */

/* Writes the command that runs three milliseconds of a case in a folder and then deletes the folder. */
static void write_words(char *words, size_t size, const char *backend, const char *mesh)
{
    char options[1024];
    slab_options(mesh, sizeof options, options);
    (void)snprintf(words, size,
        "folder=$(mktemp -d) && '%s' run '%s/cases/niederer-0.2.yaml' %s --set machine.backend=%s --set "
        "points=[] --set time.end_ms=3 --no-cache --output \"$folder/out\" 2>\"$folder/said\"; ended=$?; [ "
        "$ended = 0 ] || cat \"$folder/said\" >&2; rm -rf \"$folder\"; exit $ended",
        MT_PROGRAM, MT_DATA_DIR, options, backend);
}

void bench_memory(bench_list *list, const char *mesh)
{
    static const char *const backend[] = {"ipu", "cpu"};
    char words[2][4096];
    command c[2];
    slab s;
    slab_mesh(&s, mesh);
    const double n_elements = (double)s.mesh.n_elements;
    mt_arena_free(&s.arena);
    for (int k = 0; k < 2; k++) {
        write_words(words[k], sizeof words[k], backend[k], mesh);
        c[k] = (command){.words = words[k]};
        (void)bench_add(list, (bench_figure){.unit = "s", .take = run, .data = &c[k], .items = 1},
            "myotile run of 3 ms, %s", backend[k]);
        (void)bench_add(list,
            (bench_figure){.unit = "B/element", .take = bytes_of, .data = &c[k], .items = n_elements},
            "most memory of it, %s", backend[k]);
    }
    list->unwarmed = true;
    bench_measure(list);
}
