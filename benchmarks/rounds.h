/* Figures that are measured side by side, and how they are told.
 *
 * Each round takes every figure of a list once, one after the other, so that what disturbs the machine disturbs all alike. Told are the
 * median of the rounds and the first and third quartile; the ratio to another figure, and the share of what the machine can do, are
 * medians of the ratios within a round.
 *
 * A second is one of the processor, of all threads and of children that have ended, over the number of threads that a figure has. On an
 * idle machine that is what a clock on the wall shows where all threads are busy; beside other work it is still what the work took. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

enum { BENCH_FIGURES = 64, BENCH_NAME = 64, BENCH_TERMS = 3 };

/* Numbers name figures of the list, those before this one; 0 is none. */
typedef struct bench_figure {
    char name[BENCH_NAME];
    const char *unit;
    /* What a round takes: the seconds of `go`, or what `take` gives (seconds, or bytes), or else the sum of others less that of others. */
    void (*go)(void *data);
    double (*take)(void *data);
    void *data;
    int plus[BENCH_TERMS], less[BENCH_TERMS];
    int threads; /* of which the seconds are a mean; 0: 1 */
    /* The figure is a rate, scale items / taken, or scale taken / items. */
    bool rate;
    double items, scale; /* scale 0: 1 */
    int baseline;        /* the figure that it is told as a ratio to */
    int peak, stream;    /* what limits it: rates of flops and of bytes */
    double flops, bytes; /* that an item takes */
    double *taken;       /* [rounds] */
} bench_figure;

typedef struct bench_list {
    const char *benchmark;
    bool json, unwarmed; /* unwarmed: without a first round that does not count */
    int rounds, n;
    bench_figure figure[BENCH_FIGURES + 1]; /* by number, from 1 */
} bench_list;

/* Adds a figure, named like printf; gives its number. */
int bench_add(bench_list *list, bench_figure figure, const char *name, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the rounds and prints the figures: a table, or a JSON object a line. */
void bench_measure(bench_list *list);

/* Of the processor, by all threads of this process and by children that have ended. */
double bench_processor_s(void);

/* Ends the program with the message where something failed. */
void bench_must(mt_status status);

/* [count] of `size` bytes, zeroed. */
void *bench_take(mt_arena *arena, size_t count, size_t size);
