/* The program of the benchmarks: benchmarks/README.md says what is measured, and how to read it. Nothing here is a test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/benchmarks.h"

/* `memory` stands first: a child begins with the memory that its parent has. */
static const struct {
    const char *name, *what;
    bench_run *run;
    const char *mesh; /* where none is given; NULL: it needs none */
    int rounds;
} benchmarks[] = {{"memory", "the most memory of a whole run", bench_memory, "0.2", 3},
    {"cells", "the cell model on one core", bench_cells, NULL, 21},
    {"functions", "exp, expm1 and log on one core", bench_functions, NULL, 21},
    {"machine", "a time step on the emulated machine, beside its kernels", bench_machine, "0.2", 21},
    {"recording", "what maps and electrodes cost", bench_recording, "0.2", 12},
    {"setup", "what stands before the first time step", bench_setup, "0.2", 3},
    {"growth", "what more of something costs", bench_growth, NULL, 5}};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

static int usage(FILE *to)
{
    (void)fprintf(to,
        "usage: benchmarks [NAME [MESH]] [--json] [--rounds N]\n"
        "       benchmarks compare COMMAND... [--json] [--rounds N]\n"
        "Without a name all of them. MESH: a file with fibres, or the edge in mm of the boxes of a slab.\n");
    for (size_t k = 0; k < BENCHMARKS; k++)
        (void)fprintf(to, "  %-10s %s\n", benchmarks[k].name, benchmarks[k].what);
    (void)fprintf(to, "  %-10s commands in turns, beside the first of them\n", "compare");
    return to == stderr ? MT_INPUT : 0;
}

static void run(size_t k, const char *mesh, bool json, int rounds)
{
    bench_list *list = calloc(1, sizeof *list);
    if (!list) bench_must(mt_fail(MT_MEMORY, "no memory"));
    list->benchmark = benchmarks[k].name;
    list->json = json;
    list->rounds = rounds > 0 ? rounds : benchmarks[k].rounds;
    benchmarks[k].run(list, mesh ? mesh : benchmarks[k].mesh);
    free(list);
}

/* Options stand anywhere; the other words move to the front. */
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
