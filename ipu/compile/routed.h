/* A feasible schedule of an exchange phase over the links between tiles (ipu/machine/fabric.h), for machines that are not a crossbar.
 *
 * Fragments, cycles, and the limit of one word in each cycle sent and received by a tile are those of ipu/compile/schedule.h. In
 * addition a link carries at most its number of words in each cycle.
 *
 * A *send* is a run of adjacent words that leaves a tile without a pause and stops at one tile, or with multicast at several. The words
 * of a tile are cut at the ends of all its fragments, so that every receiver of a send takes all its words. They are also cut after 64
 * words, or after as many as a set-up has cycles if these are more. So the words of a fragment can arrive in parts, in any order. With
 * multicast, a word that several routes of a send take over the same link enters it once. Words never wait on the way: every word of a
 * send enters each link of its routes in the cycle that the departure determines. Routers with queues can only be faster than that.
 *
 * The set-up of a send takes each of its receivers exchange_fragment_cycles, at the same time as the words before it: the first words of
 * two sends are at least that many cycles apart. A receiver begins its first set-up in cycle exchange_fixed_cycles.
 *
 * Lower bound on every schedule in which all receivers share sends: of a link the shortest way to it, its words by its rate, and the
 * shortest way from it; of a sender its words and the shortest latency; of a receiver fixed cycles, the first set-up and the longer of
 * set-up and words of each send.
 *
 * Method: each send takes the first cycle in which its tiles and all links of its routes are free for all its words (first fit). The
 * sends are in one of three orders: by the cycles for which a tile or link that they need is in use, and the way from it, most first; by
 * the length of their longest route, longest first; or by tile. With multicast, all receivers of the same words share a send, or only
 * those that have the first link of their routes in common, or none. The shortest of these plans is selected. The search ends with a
 * plan at most 2 % above the bound, or 5 % with a million fragments or more. Memory is a bit for each link, tile and cycle; time is
 * proportional to the links of all routes. */
#pragma once

#include "ipu/compile/fragment.h"
#include "ipu/machine/fabric.h"

/* Like ipu_schedule_make_by, which calls it. The schedule has stops, and arrivals with the cycle of the first part of each fragment. Also
 * returns the errors of `ipu_fabric_make`. */
MT_NODISCARD mt_status ipu_routed_make(mt_arena *arena, const ipu_target *target,
    const ipu_fragment *fragments, size_t n_fragments, unsigned plan, ipu_schedule *schedule);

/* Like ipu_schedule_check, which calls it: checks also that no link carries more words in a cycle than its rate. */
MT_NODISCARD mt_status ipu_routed_check(const ipu_target *target, const ipu_fragment *fragments,
    size_t n_fragments, const ipu_schedule *schedule);

/* Computes in `arena` the words that each link of the fabric carries in a schedule, words[fabric->n_links]. MT_MEMORY. */
MT_NODISCARD mt_status ipu_routed_loads(mt_arena *arena, const ipu_fabric *fabric,
    const ipu_fragment *fragments, const ipu_schedule *schedule, uint64_t **words);
