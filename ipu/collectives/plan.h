/* Collectives over rings, as lists of what goes from chip to chip in each step.
 *
 * The chips of a ring have ranks: 0 is the lowest chip, and so on. Each has a vector of the same length. It is cut into parts, one
 * for each stream of the rings and each direction that has data of its own, and each part into n fragments, one for each rank:
 * fragment r of part p of P has the elements from floor(N (p n + r) / (P n)) to the beginning of the next.
 *
 *   reduce-scatter  the chip of rank r ends with fragment r of each part, reduced over all chips of its ring; others are half done
 *   all-gather      it begins with them, and ends with those of all
 *   all-reduce      one, then the other
 *   broadcast       all end with the vector of the chip of rank `root`; its fragments follow each other around the ring
 *
 * Methods, by steps of a ring of n chips (poplibs, lib/popops/ReplicatedCollectives.cpp of January 2021, names them):
 *
 *   clockwise           n - 1 to reduce and n - 1 to gather, each chip sending one fragment to the next in each step
 *   anticlockwise       the same to the one before
 *   bidirectional       both at once, each with half of the data
 *   meet-in-the-middle  each fragment comes to its chip from both sides, floor(n / 2) steps; with an even n the last in one
 *                       direction only. Up to two chips clockwise
 *   quad                bidirectional on both streams of a barley twist, which has no bidirectional by another name
 *   auto                as those sources choose, by thresholds found on first generation IPUs: below a number of bytes
 *                       meet-in-the-middle, above it quad or bidirectional; with replicas of several chips meet-in-the-middle on a
 *                       torus, clockwise on a ladder; and clockwise in a prism
 *
 * A broadcast of F = n fragments takes F - 1 steps more than a gather. */
#pragma once

#include "ipu/collectives/rings.h"

typedef enum ipu_collective {
    IPU_ALL_REDUCE,
    IPU_REDUCE_SCATTER,
    IPU_ALL_GATHER,
    IPU_BROADCAST,
    IPU_COLLECTIVES
} ipu_collective;

typedef enum ipu_method {
    IPU_AUTO,
    IPU_CLOCKWISE,
    IPU_ANTICLOCKWISE,
    IPU_BIDIRECTIONAL,
    IPU_MEET_IN_THE_MIDDLE,
    IPU_QUAD,
    IPU_METHODS
} ipu_method;

/* "all-reduce", "clockwise"; the last is NULL. */
extern const char *const ipu_collective_name[IPU_COLLECTIVES + 1];
extern const char *const ipu_method_name[IPU_METHODS + 1];

/* Elements [begin, begin + n) of the vector, from one chip to another. */
typedef struct ipu_hop {
    uint32_t step, from, to;
    size_t begin, n;
} ipu_hop;

/* Each step of a method becomes one step a turn of the rings. Step s has hops [first_hop[s], first_hop[s + 1]), those of one
 * receiver and fragment behind each other. In steps below n_reducing what comes is reduced with what is there, in the others
 * it replaces it. */
typedef struct ipu_plan {
    ipu_method method; /* never auto */
    ipu_hop *hops;
    size_t *first_hop; /* [n_steps + 1] */
    size_t n_steps, n_reducing;
    size_t n_elements;  /* of a vector */
    size_t n_fragments; /* of all parts; fragment f is that of rank f % n */
} ipu_plan;

/* The first element of a fragment; of fragment n_fragments the end of the vector. */
size_t ipu_plan_fragment(const ipu_plan *plan, size_t fragment);

/* Gives in `arena` the plan for vectors of n_elements of so many bytes. `root` is looked at for a broadcast only. Fragments without
 * elements do not go. MT_INPUT: a method that the rings do not have, or no such rank. MT_MEMORY. */
MT_NODISCARD mt_status ipu_plan_make(mt_arena *arena, const ipu_rings *rings, ipu_collective collective,
    ipu_method method, size_t n_elements, size_t element_bytes, size_t root, ipu_plan *plan);

/* Gives in `arena` a plan with the first step of each kind only, and how many of the whole plan are of it: times[kinds->n_steps]. Steps
 * are of a kind where the same chips send fragments to the same chips, in the same order of the vector: those of a ring clockwise are. Where all
 * fragments lie on their chips alike, steps of a kind take the same cycles, so that those of the whole plan are the sum of times[s] x
 * cycles of step s, and a program of the kinds is compiled and timed in as much less time and memory. Where fragments are not of
 * one length each step is a kind of its own. MT_MEMORY. */
MT_NODISCARD mt_status ipu_plan_kinds(mt_arena *arena, const ipu_plan *plan, ipu_plan *kinds, size_t **times);

/* bytes[from * n_chips + to] that go in one step. */
void ipu_plan_bytes(const ipu_plan *plan, size_t step, size_t element_bytes, size_t n_chips, uint64_t *bytes);
