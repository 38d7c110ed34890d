/* The program of the benchmarks: benchmarks/README.md describes the measurements and how to read them. Not a test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/benchmarks.h"
#include "data/opencl/devices.h"

/* `memory` is first, because a child starts with the memory of its parent. */
static const struct {
    const char *name, *what;
    bench_run *run;
    const char *mesh; /* default; NULL: no mesh needed */
    int rounds;
    bool device; /* left out of all benchmarks if there is no OpenCL device */
} benchmarks[] = {{"memory", "peak memory of a run", bench_memory, "0.2", 3, false},
    {"cells", "the ionic model on one core", bench_cells, NULL, 21, false},
    {"models", "an ionic model from a file on one core, interpreted and compiled", bench_models, NULL, 21,
        false},
    {"functions", "exp, expm1 and log on one core", bench_functions, NULL, 21, false},
    {"machine", "a time step on the emulated machine, and its kernels", bench_machine, "0.2", 21, false},
    {"recording", "the cost of maps and electrodes", bench_recording, "0.2", 12, false},
    {"setup", "the stages before the first time step", bench_setup, "0.2", 3, false},
    {"growth", "growth of costs with the size of the input", bench_growth, NULL, 5, false},
    {"gpu", "kernels and a time step on an OpenCL device", bench_gpu, "0.2", 7, true},
    {"gpu-run", "a run on an OpenCL device, 100 ms or --ms MS", bench_gpu_run, "0.5", 3, true}};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

static int usage(FILE *to)
{
    (void)fprintf(to,
        "usage: benchmarks [NAME [MESH]] [--json] [--rounds N] [--device DEVICE] [--ms MS]\n"
        "       benchmarks compare COMMAND... [--json] [--rounds N]\n"
        "Without NAME, runs all benchmarks. MESH: a file with fibres, or the edge in mm of "
        "the boxes of a slab.\nDEVICE: number or name (`myotile devices`); the first GPU if not "
        "given.\n");
    for (size_t k = 0; k < BENCHMARKS; k++)
        (void)fprintf(to, "  %-10s %s\n", benchmarks[k].name, benchmarks[k].what);
    (void)fprintf(to, "  %-10s commands in turns, compared with the first\n", "compare");
    return to == stderr ? MT_INPUT : 0;
}

/* The options of the command. */
typedef struct options {
    bool json;
    int rounds; /* 0: the default */
    const char *device;
    double end_ms;
} options;

static void run(size_t k, const char *mesh, const options *given)
{
    bench_list *list = calloc(1, sizeof *list);
    if (!list) bench_must(mt_fail(MT_MEMORY, "out of memory"));
    list->benchmark = benchmarks[k].name;
    list->json = given->json;
    list->rounds = given->rounds > 0 ? given->rounds : benchmarks[k].rounds;
    list->device = given->device;
    list->end_ms = given->end_ms;
    benchmarks[k].run(list, mesh ? mesh : benchmarks[k].mesh);
    free(list);
}

/* Reads the options, at any position; moves the other words to the front. */
static int read_options(int n, char **word, options *given)
{
    int kept = 0;
    for (int at = 0; at < n; at++) {
        if (strcmp(word[at], "--json") == 0)
            given->json = true;
        else if (strcmp(word[at], "--rounds") == 0 && at + 1 < n && atoi(word[at + 1]) > 0)
            given->rounds = atoi(word[++at]);
        else if (strcmp(word[at], "--device") == 0 && at + 1 < n)
            given->device = word[++at];
        else if (strcmp(word[at], "--ms") == 0 && at + 1 < n && atof(word[at + 1]) > 0)
            given->end_ms = atof(word[++at]);
        else
            word[kept++] = word[at];
    }
    return kept;
}

static int compare(int n, char *const *command, const options *given)
{
    static bench_list list = {.benchmark = "compare"};
    list.json = given->json;
    list.rounds = given->rounds > 0 ? given->rounds : 5;
    bench_compare(&list, n, command);
    return 0;
}

/* True if there is an OpenCL device, or none is needed. */
static bool is_possible(size_t k)
{
    MT_SCRATCH(scratch);
    size_t n;
    mt_device *devices;
    if (!benchmarks[k].device || mt_devices_list(scratch, &n, &devices) == MT_OK) return true;
    (void)fprintf(stderr, "benchmarks: %s is left out: %s\n", benchmarks[k].name, mt_message());
    return false;
}

int main(int n, char **word)
{
    options given = {0};
    n = read_options(n - 1, ++word, &given);
    if (n > 0 && strcmp(word[0], "--help") == 0) return usage(stdout);
    if (n > 0 && strcmp(word[0], "compare") == 0) return compare(n - 1, word + 1, &given);
    for (size_t k = 0; k < BENCHMARKS; k++) {
        if (n == 0 && is_possible(k)) run(k, NULL, &given);
        if ((n == 1 || n == 2) && strcmp(word[0], benchmarks[k].name) == 0)
            return run(k, n == 2 ? word[1] : NULL, &given), 0;
    }
    return n == 0 ? 0 : usage(stderr);
}
