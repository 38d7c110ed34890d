/* Fragments, which an exchange phase sends, and schedules of them (ipu/compile/schedule.h, ipu/compile/routed.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ipu_fragment {
    uint32_t source, receiver; /* different tiles */
    size_t from, words;        /* in the source's memory; at least one word */
    size_t to;                 /* in the receiver's memory; only its parity matters */
} ipu_fragment;

/* A run of words that leaves a tile from `cycle` on, one word per cycle, or two if paired. */
typedef struct ipu_send {
    uint32_t tile;
    size_t from, words;
    uint64_t cycle;
    bool paired;
} ipu_send;

/* A fragment's first word arrives in `cycle`. On a crossbar the others arrive in the cycles after it; on other machines this is the first
 * of its words to arrive. */
typedef struct ipu_arrival {
    size_t fragment;
    uint64_t cycle;
    bool paired;
} ipu_arrival;

typedef struct ipu_schedule {
    ipu_send *sends; /* by (tile, cycle) */
    size_t n_sends;
    /* of a machine that is not a crossbar: send i stops at the receivers of fragments stop[first_stop[i]] .. [first_stop[i + 1] - 1];
     * otherwise NULL */
    size_t *first_stop, *stop;
    ipu_arrival *arrivals; /* one per fragment, in their order */
    size_t n_arrivals;
    /* [tiles] the cycle of the last departure or arrival of a word; 0 without words */
    uint64_t *tile_cycles;
    uint64_t *tile_bound;   /* [tiles] the lower bound of these */
    uint64_t cycles, bound; /* the maximum over tiles; the bound of the phase; 0 for an empty phase */
    uint64_t bound_words;   /* included in `bound`: cycles in which its tile sends or receives words */
    uint64_t words_sent;    /* a word sent twice counts twice */
    unsigned plan; /* of a machine that is not a crossbar: number of the selected plan, from 1; otherwise 0 */
} ipu_schedule;
