/* A feasible schedule of an exchange phase: the cycles in which each word leaves its tile and arrives. This file describes the crossbar of
 * the IPU; ipu/compile/routed.h describes other machines.
 *
 * The input is a list of *fragments*. A fragment is a range of adjacent words in the memory of one tile, its source, which one
 * other tile, its receiver, stores contiguously in the same order. A word has exchange_bytes_per_cycle bytes; the words of a
 * tile's memory are numbered.
 *
 * The machine. In one cycle a tile sends at most one word and receives at most one. Each tile counts its own cycles; cycle 0 is
 * the first after the sync releases it. A word that leaves in the sender's cycle t arrives in the receiver's cycle t +
 * latency(sender, receiver) (ipu/machine/route.h). Any number of tiles can receive the same word, each at its own time. So a
 * run of words leaves once for all receivers with overlapping fragments, and each receiver takes its own part of the run.
 * The set-up of a fragment takes its receiver exchange_fragment_cycles, in which it selects the sender and the place of the words.
 * Receiving and sending need no instruction of their own, so a set-up runs at the same time as the words of the fragment before it: the
 * first words of two fragments are at least that many cycles apart, and the words of the first do not overlap those of the second. The
 * words of a fragment arrive without a pause and without words of another fragment between them. Sending needs no set-up: a tile can
 * send from cycle 0 on. (On the modelled chips one instruction can send, select and place in the same cycle.)
 *
 * Duration. A single transfer of N words to a tile in row `row` was measured to take 170 + 2 row + N cycles, for every sender
 * (data/machines/c600.yaml). Here
 *
 *     the first set-up begins in cycle   exchange_fixed_cycles + exchange_row_cycles * row(receiver)
 *     the last word arrives in cycle     exchange_fixed_cycles + exchange_row_cycles * row + exchange_fragment_cycles + N
 *
 * with 169 + 1 = 170: the measured 170 cycles include the set-up of the first fragment. The sender sends earlier by the latency, which is
 * possible for every pair: the longest latency is 164 cycles. So positions do not affect a single transfer. They delay a transfer if the
 * receiver is ready before words can arrive (a machine with a short set-up), or if one sender has several receivers: words sent to one
 * after another arrive with gaps, or late by the difference of their latencies, and tiles that share a run wait for each other.
 *
 * Paired transfers (exchange_paired; off in all machine files). The two tiles of a pair join their 32-bit paths: a sender
 * borrows its partner's output, and both tiles of a receiving pair receive the same two words in each cycle. Two fragments can
 * be paired if they have the same source and the same words, are sent to the two tiles of one pair on the source's chip, begin
 * and end at even words at both ends, and have 128 words or more (64 items; source: see ipu/machine/route.h). Meanwhile the
 * sender's partner sends nothing, but can receive. Any number of pairs can share a run, but not with a tile that receives
 * single words.
 *
 * Lower bound on every schedule, in each tile's cycles: of a receiver fixed + row cycles + the first set-up + the longer of set-up and
 * words of each fragment, of the last one only the words; of a sender the first cycle in which one of its words can leave + sent words,
 * each word once. The bound of the phase also adds the shortest latency to the latter. Words that can be paired count half.
 *
 * Method: list scheduling in the order of time. The tile that is ready first for a new fragment (on a tie the one with most
 * words left to receive) begins one with words that can arrive then or, if there is none, the one with the earliest possible
 * arrival. Among these the busiest sender comes first, and of equally busy ones each receiver begins with another one: in a list of n
 * senders it takes first the one whose place, less the receiver's own place in the sender's list, is 0 modulo n. (If all receivers began
 * with the same senders, these would delay the exchange of a transpose to one and a half times as many cycles.) Other tiles that need
 * overlapping words of the sender receive them from the same run if they can wait for it. For this a tile spends a share of its slack, the
 * cycles by which it stays below the bound. For its last fragment it spends all of its slack, and more if it would otherwise only wait for
 * the end of the run. Words for other tiles are sent again, because senders are rarely the bottleneck.
 *
 * If the result misses the bound, a second plan lets a waiting tile exceed the bound by the difference between the longest and
 * the shortest latency. If pairs are allowed, both plans are computed with every pair of fragments (of equal fragments the
 * first), then without pairs. The shortest plan is selected. The schedule of a list of fragments is deterministic. Time is
 * proportional to fragments x tiles that share a run. */
#pragma once

#include "data/core/arena.h"
#include "ipu/compile/fragment.h"
#include "ipu/machine/route.h"

enum {
    IPU_PAIRED_WORDS = 2,  /* per cycle */
    IPU_PAIRED_LEAST = 128 /* minimum of a fragment */
};

/* Returns the cycle in which a tile begins the set-up of its first fragment. */
uint64_t ipu_schedule_begin(const ipu_target *target, size_t receiver);

/* True if a fragment meets the conditions of pairing that do not depend on the other fragment. */
bool ipu_fragment_may_pair(const ipu_target *target, const ipu_fragment *fragment);

/* Computes a schedule in `arena`, for fragments in any order. MT_MEMORY. */
MT_NODISCARD mt_status ipu_schedule_make(mt_arena *arena, const ipu_target *target,
    const ipu_fragment *fragments, size_t n_fragments, ipu_schedule *schedule);

/* Same, but if the machine is not a crossbar and `plan` is not 0, only this plan is computed: of the same fragments on a machine with other
 * constants, for example. */
MT_NODISCARD mt_status ipu_schedule_make_by(mt_arena *arena, const ipu_target *target,
    const ipu_fragment *fragments, size_t n_fragments, unsigned plan, ipu_schedule *schedule);

/* Replays a schedule word by word. Checks that no tile sends or receives two words in a cycle or sends while its partner sends
 * paired words, that every set-up has its time, that a fragment's words are on the wire when they arrive, that pairs are
 * allowed and both tiles receive them, and that each fragment arrives once. Fails with MT_INPUT if the schedule cannot run (the
 * message names tile and cycle), or with MT_MEMORY. Slow; for tests and checked runs. */
MT_NODISCARD mt_status ipu_schedule_check(const ipu_target *target, const ipu_fragment *fragments,
    size_t n_fragments, const ipu_schedule *schedule);
