/* The program of the benchmarks: benchmarks/README.md describes the measurements and how to read them. Not a test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/benchmarks.h"

/* `memory` is first, because a child starts with the memory of its parent. */
static const struct {
    const char *name, *what;
    bench_run *run;
    const char *mesh; /* default; NULL: no mesh needed */
    int rounds;
} benchmarks[] = {{"memory", "peak memory of a run", bench_memory, "0.2", 3},
    {"cells", "the ionic model on one core", bench_cells, NULL, 21},
    {"models", "an ionic model from a file on one core, interpreted and compiled", bench_models, NULL, 21},
    {"functions", "exp, expm1 and log on one core", bench_functions, NULL, 21},
    {"machine", "a time step on the emulated machine, and its kernels", bench_machine, "0.2", 21},
    {"recording", "the cost of maps and electrodes", bench_recording, "0.2", 12},
    {"setup", "the stages before the first time step", bench_setup, "0.2", 3},
    {"growth", "growth of costs with the size of the input", bench_growth, NULL, 5}};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

static int usage(FILE *to)
{
    (void)fprintf(to, "usage: benchmarks [NAME [MESH]] [--json] [--rounds N]\n"
                      "       benchmarks compare COMMAND... [--json] [--rounds N]\n"
                      "Without NAME, runs all benchmarks. MESH: a file with fibres, or the edge in mm of "
                      "the boxes of a slab.\n");
    for (size_t k = 0; k < BENCHMARKS; k++)
        (void)fprintf(to, "  %-10s %s\n", benchmarks[k].name, benchmarks[k].what);
    (void)fprintf(to, "  %-10s commands in turns, compared with the first\n", "compare");
    return to == stderr ? MT_INPUT : 0;
}

static void run(size_t k, const char *mesh, bool json, int rounds)
{
    bench_list *list = calloc(1, sizeof *list);
    if (!list) bench_must(mt_fail(MT_MEMORY, "out of memory"));
    list->benchmark = benchmarks[k].name;
    list->json = json;
    list->rounds = rounds > 0 ? rounds : benchmarks[k].rounds;
    benchmarks[k].run(list, mesh ? mesh : benchmarks[k].mesh);
    free(list);
}

/* Reads the options, at any position; moves the other words to the front. */
static int read_options(int n, char **word, bool *json, int *rounds)
{
    int kept = 0;
    for (int at = 0; at < n; at++) {
        if (strcmp(word[at], "--json") == 0)
            *json = true;
        else if (strcmp(word[at], "--rounds") == 0 && at + 1 < n && atoi(word[at + 1]) > 0)
            *rounds = atoi(word[++at]);
        else
            word[kept++] = word[at];
    }
    return kept;
}

static int compare(int n, char *const *command, bool json, int rounds)
{
    static bench_list list = {.benchmark = "compare"};
    list.json = json;
    list.rounds = rounds > 0 ? rounds : 5;
    bench_compare(&list, n, command);
    return 0;
}

int main(int n, char **word)
{
    bool json = false;
    int rounds = 0;
    n = read_options(n - 1, ++word, &json, &rounds);
    if (n > 0 && strcmp(word[0], "--help") == 0) return usage(stdout);
    if (n > 0 && strcmp(word[0], "compare") == 0) return compare(n - 1, word + 1, json, rounds);
    for (size_t k = 0; k < BENCHMARKS; k++) {
        if (n == 0) run(k, NULL, json, rounds);
        if ((n == 1 || n == 2) && strcmp(word[0], benchmarks[k].name) == 0)
            return run(k, n == 2 ? word[1] : NULL, json, rounds), 0;
    }
    return n == 0 ? 0 : usage(stderr);
}
