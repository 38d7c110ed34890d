/* Collectives over rings, as lists of the transfers between chips in each step.
 *
 * The chips of a ring have ranks in ascending order: 0 is the lowest chip. Each has a vector of the same length. It is split
 * into parts, one for each stream of the rings and each direction with separate data, and each part into n fragments, one for
 * each rank: fragment r of part p of P has the elements from floor(N (p n + r) / (P n)) to the start of the next.
 *
 *   reduce-scatter  the chip of rank r ends with fragment r of each part, reduced over all chips of its ring; the other fragments
 *                   are partially reduced
 *   all-gather      it starts with these fragments, and ends with the fragments of all
 *   all-reduce      one, then the other
 *   broadcast       all end with the vector of the chip of rank `root`; its fragments follow each other around the ring
 *
 * Methods, with the steps of a ring of n chips (names of poplibs, lib/popops/ReplicatedCollectives.cpp of January 2021):
 *
 *   clockwise           n - 1 to reduce and n - 1 to gather, each chip sending one fragment to the next in each step
 *   anticlockwise       the same to the previous one
 *   bidirectional       both simultaneously, each with half of the data
 *   meet-in-the-middle  each fragment reaches its chip from both sides, floor(n / 2) steps; with an even n the last in one
 *                       direction only. Equal to clockwise for up to two chips
 *   quad                bidirectional on both streams of a barley twist; there it replaces bidirectional
 *   auto                selected as in these sources, by thresholds for first generation IPUs: below a number of bytes
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

/* The transfers of a collective. Each step of a method becomes one step per turn of the rings. Step s has hops [first_hop[s],
 * first_hop[s + 1]), sorted by receiver and fragment. In the first n_reducing steps the receiver reduces the fragment with its
 * own, in the others it replaces its own. */
typedef struct ipu_plan {
    ipu_method method; /* never auto */
    ipu_hop *hops;
    size_t *first_hop; /* [n_steps + 1] */
    size_t n_steps, n_reducing;
    size_t n_elements;  /* of a vector */
    size_t n_fragments; /* of all parts; fragment f belongs to rank f % n */
} ipu_plan;

/* Returns the first element of a fragment; for fragment n_fragments the end of the vector. */
size_t ipu_plan_fragment(const ipu_plan *plan, size_t fragment);

/* Builds in `arena` the plan for vectors of n_elements of element_bytes bytes. `root` is used for a broadcast only. Empty
 * fragments are not transferred. Fails with MT_INPUT if the rings do not support the method or there is no such rank, or with
 * MT_MEMORY. */
MT_NODISCARD mt_status ipu_plan_make(mt_arena *arena, const ipu_rings *rings, ipu_collective collective,
    ipu_method method, size_t n_elements, size_t element_bytes, size_t root, ipu_plan *plan);

/* Builds in `arena` a plan with only the first step of each kind, and times[kinds->n_steps], the number of steps of each kind
 * in the original plan. Steps are of one kind if the same chips send fragments to the same chips, in the same order of the
 * vector; an example are the steps of a clockwise ring. If all fragments have the same layout on their chips, steps of a kind
 * take the same cycles. Then the complete plan takes the sum of times[s] x cycles of step s, and a program of the kinds is
 * compiled and timed with proportionally less time and memory. If fragments have different lengths, each step is a separate
 * kind. MT_MEMORY. */
MT_NODISCARD mt_status ipu_plan_kinds(mt_arena *arena, const ipu_plan *plan, ipu_plan *kinds, size_t **times);

/* Computes bytes[from * n_chips + to], transferred in one step. */
void ipu_plan_bytes(const ipu_plan *plan, size_t step, size_t element_bytes, size_t n_chips, uint64_t *bytes);
