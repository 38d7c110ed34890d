/* When every word of an exchange phase leaves its tile and arrives: a schedule that could run.
 *
 * What is asked for: *fragments*. A fragment is a stretch of words that lie side by side in the memory of one tile,
 * its source, and that one other tile, its receiver, takes in their order to one place. Words are of
 * exchange_bytes_per_cycle, and are numbered in the memory of their tile.
 *
 * The machine. In one cycle a tile sends at most one word and takes at most one. A word that leaves in cycle t is
 * there in cycle t + latency(receiver), whoever sends it; any number of tiles may take the same word as it passes.
 * So a run of words leaves once for all whose windows overlap in it, and each listens to its own part of it. Before
 * the first word of a fragment its receiver spends exchange_fragment_cycles on its set-up and takes nothing; the
 * words of a fragment then come without a pause, and none of another fragment among them. Sending needs no set-up.
 *
 * How long. Cycle 0 is the first after the synchronisation. A single transfer of N words to a tile in physical row
 * `row` is measured to take 170 + 2 row + N cycles (data/machines/gc200.yaml). Here
 *
 *     latency(receiver)     = exchange_row_cycles * row(receiver)
 *     first set-up begins   in cycle exchange_fixed_cycles + latency(receiver)
 *     last word is there at   exchange_fixed_cycles + latency + exchange_fragment_cycles + N
 *
 * with 10 + 160 = 170: the set-up of the first fragment is a part of the measured 170, every further one is paid in
 * full, and exchange_fixed_cycles is only what remains of the 170. Nothing is counted twice. How far apart the
 * columns of two tiles stand is left out: in the measured law only the row of the receiver counts.
 *
 * Bound, below which no schedule can be: for each tile fixed + latency + its words in + set-up of its fragments;
 * and fixed + one set-up + its words out, each word once; of all tiles the most.
 *
 * Method: list scheduling in the order of time. The tile that is first ready for a new fragment (of equals the one
 * with most left to take) begins one whose sender is free then; if there is none, the one whose sender is free
 * first. Senders with most to send come first. Other tiles that want overlapping words of the sender take them from
 * the same run, where they can wait for it: each spends a share of the cycles by which it stays below the bound, or,
 * for its last fragment, all of them. For the others the words are sent again, because it is rarely sending that
 * limits. The same fragments give the same schedule always. Time grows with fragments x tiles that share a run. */
#ifndef IPU_SCHEDULE_H
#define IPU_SCHEDULE_H

#include "data/arena.h"
#include "ipu/target.h"

typedef struct ipu_fragment {
    uint32_t source, receiver; /* tiles, different ones */
    size_t from, words;        /* in the source's memory; at least one word */
} ipu_fragment;

/* A run of words that leaves a tile, a word a cycle from `cycle` on. */
typedef struct ipu_send {
    uint32_t tile;
    size_t from, words;
    uint64_t cycle;
} ipu_send;

/* A fragment's first word is there in `cycle`, the others in the cycles after it. */
typedef struct ipu_arrival {
    size_t fragment;
    uint64_t cycle;
} ipu_arrival;

typedef struct ipu_schedule {
    ipu_send *sends; /* by (tile, cycle) */
    size_t n_sends;
    ipu_arrival *arrivals; /* one a fragment, in their order */
    size_t n_arrivals;
    uint64_t *tile_cycles;  /* [tiles]: the tile's last word has left or is there; 0 where there is none */
    uint64_t *tile_bound;   /* [tiles]: no schedule has it sooner */
    uint64_t cycles, bound; /* of all tiles the most; 0 for an empty phase */
    uint64_t words_sent;    /* a word that leaves twice counts twice */
} ipu_schedule;

/* Cycles from a word's leaving until `receiver` has it. */
uint64_t ipu_exchange_latency(const ipu_target *target, uint32_t receiver);

/* Gives a schedule in `arena`. Fragments in any order. Fails with MT_FILE (no memory). */
MT_NODISCARD mt_status ipu_schedule_make(mt_arena *arena, const ipu_target *target,
    const ipu_fragment *fragments, size_t n_fragments, ipu_schedule *schedule);

/* Replays a schedule word by word: that no tile sends or takes two words in a cycle, that every set-up has its time,
 * that a fragment's words are those on the wire when they arrive, and that each fragment arrives once. Fails with
 * MT_INPUT: the message names tile and cycle; MT_FILE. Slow; for tests and for checked runs. */
MT_NODISCARD mt_status ipu_schedule_check(const ipu_target *target, const ipu_fragment *fragments,
    size_t n_fragments, const ipu_schedule *schedule);

#endif
