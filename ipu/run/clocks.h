/* The time of supersteps on a machine whose tiles do not all wait for each other, or compute while words arrive: exchange.sync
 * other than global, or exchange.overlap (ipu/machine/target.h). Each tile has a clock. In a superstep tile t
 *
 *   ready(t) = clock(t) + gather(t)
 *   begin(t) = max of ready(t) and of ready over the tiles for which it waits, + sync_cycles if it sends or receives words
 *   clock(t) = begin(t) + work(t)
 *   work(t)  = exchange(t) + scatter(t) + compute(t)
 *
 * with exchange(t) = tile_cycles of the schedule, the cycle of its last word. It waits, by `sync`, for
 *
 *   none        the tiles from which it receives: they send when they are ready, for which they do not wait for their own words
 *   neighbours  also those to which it sends, since they must be ready to receive
 *   global      all tiles, also if nothing is exchanged; ready is the same for all, with the longest gather, and the sync that of the
 *               superstep (ipu/run/timing.h)
 *
 * Overlap. A tile computes with the words that it has. Let compute(t) be divided equally among its `words` received words. Part i
 * begins after word i has arrived, in cycle a(i), and after part i - 1, so the last part ends in
 *
 *   max over i of a(i) + (words - i + 1) * compute / words
 *
 * If words arrive at equal distances this is linear in i, and the maximum is at the first or at the last word:
 *
 *   work(t) = max(first + compute(t), last + compute(t) / words)
 *
 * with first = tile_first, last = exchange(t), and the quotient rounded up. Without received words first and quotient are 0: the tile
 * computes while it sends. If words arrive in bursts the law is a lower bound. Computing that needs no received word could begin
 * before the first; it does not here. A tile with copies after the exchange does not overlap, since it computes with the copies; nor
 * does any tile in a superstep whose vertices write a variable that is sent.
 *
 * Data outside of the chip (ipu/cost/dram.h): compute(t) includes the additional time of the superstep, since the tiles share its rate.
 *
 * An estimate: the schedule assumes that all tiles begin at once, so a word can be late by what its receiver waits less than its sender,
 * or two words that never met in the schedule can need the same link. Queues of a receiver have no limit: with `none`, a tile that only
 * sends can run ahead by any number of supersteps.
 *
 * Bound: clock(t) is at most the time with a global sync of the same sync_cycles, and no overlap. Let all clocks be at most T. Then
 * ready is at most T + the longest gather, begin at most the end of the global sync, and work at most the sum of the remaining phases,
 * since first <= last and compute / words <= compute. So no clock exceeds T + the cycles of the superstep. The difference between
 * that sum and the advance of the latest clock is the time in which phases overlap.
 *
 * Predicates and transfers to and from the host join all clocks: they begin at the latest one. Only for one chip. */
#pragma once

#include "ipu/run/timing.h"

/* The tiles for which each tile waits in a superstep; NULL if nothing is exchanged. */
typedef struct ipu_waits {
    const size_t *first;  /* [tiles + 1] */
    const uint32_t *tile; /* those of tile t: from first[t] to first[t + 1] - 1; may repeat */
} ipu_waits;

typedef struct ipu_clocks {
    const ipu_timing *timing;
    const ipu_waits *waits; /* [n_compute_sets] */
    uint64_t *tile;         /* [tiles] the clocks; initially 0 */
    uint64_t *ready;        /* [tiles] of the current superstep */
    uint64_t *compute; /* [tiles] cycles that depend on data, set by the caller before ipu_clocks_advance */
    uint64_t latest;   /* maximum of `tile` */
} ipu_clocks;

/* True if a machine needs clocks: its sync is not global, or it overlaps. */
bool ipu_clocks_needed(const ipu_target *target);

/* Builds the clocks of an executable in `arena`; borrows its timing. NULL if it needs none. MT_MEMORY. */
MT_NODISCARD mt_status ipu_clocks_make(mt_arena *arena, const ipu_timing *timing, ipu_clocks **clocks);

/* Advances all clocks by a run of a compute set, with `compute` cycles of each tile. Allocates nothing. The result does not depend on the
 * number of threads. Returns the advance of the latest clock. */
uint64_t ipu_clocks_advance(ipu_clocks *clocks, uint32_t compute_set, const uint64_t *compute);

/* Sets all clocks to the latest one plus `cycles`. */
void ipu_clocks_join(ipu_clocks *clocks, uint64_t cycles);

/* Sets `latest` after the clocks were set. */
void ipu_clocks_find_latest(ipu_clocks *clocks);

/* Estimates the cycles in which phases overlap in one run of a program that runs repeatedly: the mean of several runs after the
 * first ones, rounded down. Compute cycles that depend on data are the typical ones; parts of the program that depend on a
 * predicate are omitted. Returns 0 for a machine without clocks. MT_MEMORY. */
MT_NODISCARD mt_status ipu_clocks_steady(
    const ipu_timing *timing, const ipu_program *program, uint64_t *overlapped_cycles);
