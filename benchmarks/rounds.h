/* Figures measured in interleaved rounds, and their output.
 *
 * Each round measures every figure of a list once, in order, so that disturbances affect all figures equally. The output has the
 * median of the rounds and the first and third quartile; the ratio to another figure and the share of a machine limit are medians
 * of the ratios within a round.
 *
 * A second is processor time of all threads and of ended children, divided by the number of threads of the figure. On an idle
 * machine with all threads busy it equals wall-clock time; next to other work it is still the time spent on the figure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

enum { BENCH_FIGURES = 64, BENCH_NAME = 64, BENCH_TERMS = 3 };

/* A figure. References to other figures are numbers of the list, of figures before this one; 0: no figure. */
typedef struct bench_figure {
    char name[BENCH_NAME];
    const char *unit;
    /* The measurement of a round: the seconds of `go`, or the result of `take` (seconds, or bytes), or else the sum of the
     * figures `plus` minus the figures `less`. */
    void (*go)(void *data);
    double (*take)(void *data);
    void *data;
    int plus[BENCH_TERMS], less[BENCH_TERMS];
    int threads; /* number by which the seconds are divided; 0: 1 */
    /* True if the figure is a rate, scale items / taken; otherwise it is scale taken / items. */
    bool rate;
    double items, scale; /* scale 0: 1 */
    int baseline;        /* figure for the reported ratio */
    int peak, stream;    /* limits: rates of flops and of bytes */
    double flops, bytes; /* per item */
    double *taken;       /* [rounds] */
} bench_figure;

typedef struct bench_list {
    const char *benchmark;
    bool json, unwarmed; /* unwarmed: without an uncounted first round */
    int rounds, n;
    const char *device;                     /* of gpu and gpu-run: as of mt_devices_find */
    double end_ms;                          /* simulated time of gpu-run; 0: the default */
    bench_figure figure[BENCH_FIGURES + 1]; /* by number, from 1 */
} bench_list;

/* Adds a figure, with a name in printf format; returns its number. */
int bench_add(bench_list *list, bench_figure figure, const char *name, ...)
    __attribute__((format(printf, 3, 4)));

/* Measures the rounds and prints the figures: as a table, or as one JSON object per line. */
void bench_measure(bench_list *list);

/* Returns the processor time of all threads of this process and of ended children. */
double bench_processor_s(void);

/* Returns the wall-clock time. */
double bench_wall_s(void);

/* Ends the program with the message if the status is an error. */
void bench_must(mt_status status);

/* Allocates [count] items of `size` bytes, zeroed. */
void *bench_take(mt_arena *arena, size_t count, size_t size);
