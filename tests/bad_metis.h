/* A replacement of METIS that misbehaves as requested by a test. Included by one file of a program; the linker then uses it
 * instead of the library. */
#pragma once

#include <metis.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum mood {
    CRAMMED,      /* prints, and puts every element into the last part */
    IN_TURN,      /* element by element */
    ANSWERS,      /* `bad_answer`, after `bad_words` on stderr */
    GARBAGE,      /* an invalid part number */
    DIES,         /* from the signal `bad_signal` */
    EXITS,        /* calls exit(0) */
    WAITS,        /* writes its process id to `bad_pipe`, then never returns */
    CAUGHT_ITSELF /* raises SIGTERM on an error, as METIS does, and catches it */
};

static struct {
    enum mood mood;
    int failing;  /* number of bad seeds from 1 on, then IN_TURN; 0: all */
    double up_to; /* bad up to this imbalance */
    int answer, signal, pipe;
    const char *words;
} bad = {.up_to = 100};

static void caught(int number)
{
    (void)number;
    (void)fputs("Failed during initial partitioning\n", stderr);
    _exit(7);
}

int METIS_PartGraphKway(idx_t *n_elements, idx_t *n_constraints, idx_t *start, idx_t *neighbour,
    idx_t *weight, idx_t *size, idx_t *edge_weight, idx_t *n_parts, real_t *target, real_t *imbalance,
    idx_t *options, idx_t *cut, idx_t *part)
{
    (void)n_constraints, (void)start, (void)neighbour, (void)weight, (void)size, (void)edge_weight;
    (void)target;
    enum mood mood = bad.mood;
    const pid_t me = getpid();
    if ((bad.failing > 0 && options[METIS_OPTION_SEED] > bad.failing) || (double)*imbalance > bad.up_to)
        mood = IN_TURN;
    *cut = 0;
    for (idx_t c = 0; c < *n_elements; c++) part[c] = mood == IN_TURN ? c % *n_parts : *n_parts - 1;
    if (mood == CRAMMED) (void)printf("cannot bisect");
    if (mood == GARBAGE) part[*n_elements / 2] = *n_parts;
    if (mood == DIES) (void)raise(bad.signal);
    if (mood == EXITS) exit(0);
    if (mood == WAITS && write(bad.pipe, &me, sizeof me) == sizeof me)
        for (;;) (void)pause();
    if (mood == CAUGHT_ITSELF) {
        (void)signal(SIGTERM, caught);
        (void)raise(SIGTERM);
    }
    if (mood != ANSWERS) return METIS_OK;
    if (bad.words) (void)fputs(bad.words, stderr);
    return bad.answer;
}
