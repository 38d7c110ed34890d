/* Destination sets: the separator elements of one part, grouped by the set of parts that need them.
 *
 * Elements of one set are alike to every destination, so an order of the separator is an order of its sets (and elements
 * ascend within a set). Two searches find the orders that schemes want, and sets are merged for schemes that want
 * fewer. All depend on the sets alone: same sets, same outcome.
 *
 * Sets are few where parts are compact: some 40 in a part of a heart, be it of 2,000 elements or of 130. There may be
 * thousands in a scattered part; the cost of each search is bounded for them as its comment says, and also grows with
 * n_to / 64. Memory: n_sets * n_to / 8 bytes for the sets, for a search O(n_sets + n_to) and what the
 * destinations of all sets take. */
#pragma once

#include <stdbool.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "mesh/cut/needs.h"

/* Sets are numbered in ascending order of their destinations, as words in a dictionary: {0}, {0 1}, {0 2}, {1}. No two
 * are the same and none is empty. */
typedef struct mt_sets {
    uint32_t n_sets, n_elements, n_to, n_words;
    uint32_t *element; /* [n_elements] the separator elements, ascending */
    uint32_t *set_of;  /* [n_elements] */
    uint32_t *size;    /* [n_sets] elements */
    uint64_t *to;      /* [n_sets][n_words] bit q % 64 of word q / 64: the source's neighbour[q] */
} mt_sets;

/* Gives the sets of a part. MT_MEMORY. */
MT_NODISCARD mt_status mt_sets_make(mt_arena *arena, const mt_needs *source, mt_sets *sets);

bool mt_sets_has(const mt_sets *sets, uint32_t set, uint32_t destination);

/* Writes to order[n_sets] an order in which the sets of a destination form few runs: stretches of the order without a set
 * that it does not need. Their number, over all destinations, is the sum of |D_i minus D_(i-1)|, D_(-1) being empty: half
 * the Hamming length of the tour that begins and ends at the empty set. From the empty set always to the nearest one,
 * then 2-opt, and moves of up to three sets, until neither gains. More than 128 sets are ordered in blocks of 128, as
 * they are numbered, each a tour of its own. Time: O(n_sets * 128) a pass, 32 passes at most. MT_MEMORY. */
MT_NODISCARD mt_status mt_sets_order_runs(mt_arena *scratch, const mt_sets *sets, uint32_t *order);

/* Writes to order[n_sets] an order in which the interval of each destination, from its first set to its last, is short:
 * in elements, summed over destinations. Begins with reciprocal averaging: destinations have a number, a set the mean of
 * its destinations', a destination then the mean of its sets' (by elements), and so on, which leads to the slowest mode of
 * the two-sided graph; sets stand by their number. Then each set in turn is moved to where the sum is least, until none
 * gains or 2^24 steps are done (a move being n_sets and the destinations of all sets). MT_MEMORY. */
MT_NODISCARD mt_status mt_sets_order_intervals(mt_arena *scratch, const mt_sets *sets, uint32_t *order);

/* Merges sets until there are at most `limit`: always the two (of equals the first, then the second, with the lowest
 * number) whose union adds the fewest elements that are sent where they are not needed. A
 * union has the lower number of the two; the numbers have no gaps at the end. More than 128 sets are first halved, in
 * blocks of 128 neighbours by number, one block after the other, until 128 or `limit` are left. The merges for a higher
 * limit are the first of those for a lower one. Up to 128 sets, no two become the same: had two a union that is there
 * already, either would cost less to merge with that. `limit` >= 1. Time: O(n_sets * 128), O(n_sets * 128^2) at worst.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_sets_merge(mt_arena *scratch, mt_sets *sets, uint32_t limit);
