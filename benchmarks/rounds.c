#include "benchmarks/rounds.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <omp.h>

double bench_processor_s(void)
{
    struct timespec own;
    struct rusage children;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    (void)getrusage(RUSAGE_CHILDREN, &children);
    return (double)(own.tv_sec + children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
           1e-9 * (double)own.tv_nsec +
           1e-6 * (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec);
}

double bench_wall_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_must(mt_status status)
{
    if (status == MT_OK) return;
    (void)fprintf(stderr, "benchmarks: %s\n", mt_message());
    exit((int)status);
}

void *bench_take(mt_arena *arena, size_t count, size_t size)
{
    void *memory = mt_arena_alloc(arena, count, size);
    bench_must(memory ? MT_OK : MT_MEMORY);
    return memory;
}

int bench_add(bench_list *list, bench_figure figure, const char *name, ...)
{
    va_list words;
    if (list->n == BENCH_FIGURES) bench_must(mt_fail(MT_INPUT, "more than %d figures", BENCH_FIGURES));
    va_start(words, name);
    (void)vsnprintf(figure.name, sizeof figure.name, name, words);
    va_end(words);
    list->figure[++list->n] = figure;
    return list->n;
}

/* ---- rounds ---- */

static double take_once(const bench_list *list, const bench_figure *f, size_t round)
{
    if (f->take) return f->take(f->data);
    if (f->go) {
        const double start = bench_processor_s();
        f->go(f->data);
        return (bench_processor_s() - start) / (f->threads ? f->threads : 1);
    }
    double sum = 0;
    for (int k = 0; k < BENCH_TERMS; k++) {
        if (f->plus[k]) sum += list->figure[f->plus[k]].taken[round];
        if (f->less[k]) sum -= list->figure[f->less[k]].taken[round];
    }
    return sum;
}

static void take_round(bench_list *list, size_t round)
{
    for (int k = 1; k <= list->n; k++)
        list->figure[k].taken[round] = take_once(list, &list->figure[k], round);
}

/* ---- statistics ---- */

/* The median and the quartiles of n values, which are sorted in place. */
typedef struct spread {
    double median, low, high;
} spread;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t n, double part)
{
    const double at = part * (double)(n - 1);
    const size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

static spread spread_of(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
    return (spread){quantile(values, n, 0.5), quantile(values, n, 0.25), quantile(values, n, 0.75)};
}

static double rate(const bench_figure *f, size_t round) { return f->items / f->taken[round]; }

static double value(const bench_figure *f, size_t round)
{
    return (f->scale != 0 ? f->scale : 1) * (f->rate ? rate(f, round) : 1 / rate(f, round));
}

static double ratio(const bench_list *list, const bench_figure *f, size_t round)
{
    return value(f, round) / value(&list->figure[f->baseline], round);
}

static double share_of(const bench_list *list, const bench_figure *f, int limit, double each, size_t round)
{
    return limit == 0 ? 0 : each * rate(f, round) / rate(&list->figure[limit], round);
}

/* A row of the output; NaN: no value. `limit` is the nearer of the two limits. */
typedef struct row {
    spread value;
    double ratio, share;
    const char *baseline, *limit;
} row;

static row make_row(const bench_list *list, const bench_figure *f, double *scratch)
{
    const size_t n = (size_t)list->rounds;
    row r = {.ratio = NAN, .share = NAN};
    for (size_t k = 0; k < n; k++) scratch[k] = value(f, k);
    r.value = spread_of(scratch, n);
    if (f->baseline) {
        for (size_t k = 0; k < n; k++) scratch[k] = ratio(list, f, k);
        r.ratio = spread_of(scratch, n).median;
        r.baseline = list->figure[f->baseline].name;
    }
    for (int side = 0; side < 2; side++) {
        const int limit = side ? f->stream : f->peak;
        for (size_t k = 0; k < n; k++) scratch[k] = share_of(list, f, limit, side ? f->bytes : f->flops, k);
        const double share = spread_of(scratch, n).median;
        if (limit == 0 || share <= r.share) continue;
        r.share = share;
        r.limit = list->figure[limit].name;
    }
    return r;
}

/* ---- output ---- */

/* Reads "model name : AMD EPYC" of Linux; "unknown" if there is no such line. */
static void processor_name(char name[128])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    (void)snprintf(name, 128, "unknown");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %127[^\n\"\\]", name) == 1) break;
    if (file) (void)fclose(file);
}

static void print_head(const bench_list *list)
{
    char processor[128];
    processor_name(processor);
    if (list->json)
        printf("{\"benchmark\": \"%s\", \"processor\": \"%s\", \"threads\": %d, \"compiler\": \"%s\", "
               "\"version\": \"%s\", \"rounds\": %d}\n",
            list->benchmark, processor, omp_get_max_threads(), MT_COMPILER, MT_VERSION, list->rounds);
    else
        printf("%s: %d rounds; %s, %d threads at most, %s\n  %-46s %-16s %9s %9s %9s %7s %6s\n",
            list->benchmark, list->rounds, processor, omp_get_max_threads(), MT_COMPILER, "", "unit",
            "median", "low", "high", "ratio", "share");
}

/* Prints a name as JSON text; names of commands may contain quotes and backslashes. */
static void print_quoted(const char *text)
{
    (void)putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') (void)putchar('\\');
        (void)putchar((unsigned char)*text < ' ' ? ' ' : *text);
    }
    (void)putchar('"');
}

static void print_json(const bench_list *list, const bench_figure *f, const row *r)
{
    printf("{\"benchmark\": \"%s\", \"name\": ", list->benchmark);
    print_quoted(f->name);
    printf(", \"unit\": \"%s\", \"median\": %.6g, \"low\": %.6g, \"high\": %.6g", f->unit, r->value.median,
        r->value.low, r->value.high);
    if (r->baseline) {
        printf(", \"ratio\": %.4g, \"baseline\": ", r->ratio);
        print_quoted(r->baseline);
    }
    if (r->limit) printf(", \"share\": %.4g, \"limit\": \"%s\"", r->share, r->limit);
    if (f->flops > 0) printf(", \"flops\": %g", f->flops);
    if (f->bytes > 0) printf(", \"bytes\": %g", f->bytes);
    if (f->flops > 0 && f->bytes > 0) {
        const double items_s = f->rate ? r->value.median / (f->scale != 0 ? f->scale : 1)
                                       : (f->scale != 0 ? f->scale : 1) / r->value.median;
        printf(", \"flops_per_s\": %.5g", f->flops * items_s);
    }
    printf("}\n");
}

static void print_text(const bench_figure *f, const row *r)
{
    printf("  %-46s %-16s %9.4g %9.4g %9.4g", f->name, f->unit, r->value.median, r->value.low, r->value.high);
    if (r->baseline) printf(" %7.3g", r->ratio);
    if (r->limit) printf("%*s", r->baseline ? 0 : 8, ""), printf(" %6.2f", r->share);
    if (r->baseline) printf("%*s  to %s", r->limit ? 0 : 7, "", r->baseline);
    if (r->limit) printf("%s of %s", r->baseline ? ";" : " ", r->limit);
    printf("\n");
}

void bench_measure(bench_list *list)
{
    mt_arena arena = {0};
    double *scratch = bench_take(&arena, (size_t)list->rounds, sizeof *scratch);
    for (int k = 1; k <= list->n; k++)
        list->figure[k].taken = bench_take(&arena, (size_t)list->rounds, sizeof(double));
    if (!list->unwarmed) take_round(list, 0);
    for (int round = 0; round < list->rounds; round++) take_round(list, (size_t)round);
    print_head(list);
    for (int k = 1; k <= list->n; k++) {
        const row r = make_row(list, &list->figure[k], scratch);
        if (list->json)
            print_json(list, &list->figure[k], &r);
        else
            print_text(&list->figure[k], &r);
    }
    (void)fflush(stdout);
    mt_arena_free(&arena);
}
