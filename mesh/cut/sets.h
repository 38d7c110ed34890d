/* Destination sets: the separator elements of one part, grouped by the set of parts that need them.
 *
 * Elements of one set are equivalent for every destination. An order of the separator is therefore an order of its sets, with elements
 * ascending within a set. Two heuristics compute the orders for schemes, and sets can be merged for schemes with a limit. All are
 * deterministic functions of the sets.
 *
 * Compact parts have few sets: about 40 in a part of a heart with 2,000 elements, and also with 130. A scattered part may have thousands;
 * the cost of each function is bounded as stated there, and also grows with n_to / 64. Memory: n_sets * n_to / 8 bytes for the sets; each
 * heuristic needs O(n_sets + n_to) and space for the destinations of all sets. */
#pragma once

#include <stdbool.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "mesh/cut/needs.h"

/* Sets are numbered in lexicographic order of their destinations: {0}, {0 1}, {0 2}, {1}. They are distinct and not empty. */
typedef struct mt_sets {
    uint32_t n_sets, n_elements, n_to, n_words;
    uint32_t *element; /* [n_elements] the separator elements, ascending */
    uint32_t *set_of;  /* [n_elements] set of each of them */
    uint32_t *size;    /* [n_sets] number of elements */
    uint64_t *to;      /* [n_sets][n_words] bit q % 64 of word q / 64: contains neighbour[q] of the source */
} mt_sets;

/* Builds the sets of a part in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_sets_make(mt_arena *arena, const mt_needs *source, mt_sets *sets);

/* True if a set contains a destination, an index of the source's neighbours. */
bool mt_sets_has(const mt_sets *sets, uint32_t set, uint32_t destination);

/* Writes to order[n_sets] an order in which the sets of a destination form few runs (maximal sequences of consecutive sets that contain
 * it). The number of runs, over all destinations, is the sum of |D_i minus D_(i-1)| with empty D_(-1): half the Hamming length of the
 * closed tour from the empty set. Method: nearest-neighbour tour from the empty set, then 2-opt and or-opt moves of up to three sets until
 * there is no gain. More than 128 sets are ordered in separate blocks of 128 consecutive numbers. Time: O(n_sets * 128) per pass, at most
 * 32 passes. MT_MEMORY. */
MT_NODISCARD mt_status mt_sets_order_runs(mt_arena *scratch, const mt_sets *sets, uint32_t *order);

/* Writes to order[n_sets] an order in which the intervals of destinations, from the first to the last of their sets, are short: minimises
 * the sum of their numbers of elements. Starts with reciprocal averaging: the number of a set is the mean of its destinations' numbers,
 * that of a destination is the mean of its sets' numbers (weighted by elements), and so on. This converges to the slowest mode of the
 * bipartite graph, and the sets are sorted by their numbers. Each set in turn then moves to the best position, until there is no gain or
 * 2^24 steps are used (a move counts n_sets plus the number of destinations of all sets). MT_MEMORY. */
MT_NODISCARD mt_status mt_sets_order_intervals(mt_arena *scratch, const mt_sets *sets, uint32_t *order);

/* Merges sets until there are at most `limit` (at least 1). Each step merges the two sets that add the fewest unused elements; ties are
 * broken by the lowest number of the first, then of the second. The union has the lower number of the two; finally the numbers are made
 * contiguous. More than 128 sets are first halved, in successive blocks of 128 consecutive numbers, until 128 or `limit` are left. The
 * merges for a higher limit are a prefix of those for a lower one. Up to 128 sets, no two become equal: if the union of two sets existed
 * already, merging either with it would cost less. Time: O(n_sets * 128), at worst O(n_sets * 128^2). MT_MEMORY. */
MT_NODISCARD mt_status mt_sets_merge(mt_arena *scratch, mt_sets *sets, uint32_t limit);
