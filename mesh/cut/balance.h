/* Load balancing of the halo exchange: reduces the largest number of elements that a part receives, which determines the exchange time.
 *
 * The burden of a part has two measures:
 *   needed  the number of elements of other parts that its rows read (as in mesh/cut/halo.h). This is the number of elements received under
 *           a scheme without unused elements;
 *   mixed   `needed` plus, for each part from which it needs an element, the number of elements there that two or more parts need (counted
 *           once, before any moves). This approximates the number received under mixed-clean. Works best after balancing by `needed`.
 *
 * Elements at the borders of the parts with the largest burden move to other parts, about one per cent of all elements at most. The burden
 * of these parts is reduced by one, then that of the parts with the largest burden now, and so on until one cannot be reduced.
 *
 * To reduce the burden of a part, up to 64 elements leave or join it one at a time. Each move is the one that minimises 3 times the change
 * of the part's burden plus the change of the other burdens, even if it increases them. No element moves twice. Moves after the lowest
 * burden are undone. (Kernighan and Lin, Bell Syst. Tech. J. 49, 1970, apply this to the cut between two parts.) No other burden may rise
 * above the target level. */
#pragma once

#include "mesh/cut/partition.h"
#include "mesh/cut/pattern.h"

typedef enum mt_balance_measure { MT_BALANCE_NEEDED, MT_BALANCE_MIXED } mt_balance_measure;

enum { MT_BALANCE_WIDTH = 32 }; /* maximum width of rows; of different lengths: longer ones do not move */

/* The result, in the chosen measure. */
typedef struct mt_balance {
    size_t largest_before, largest_after; /* largest burden of a part */
    size_t total_before, total_after;     /* sum over all parts */
    size_t moves;                         /* number of moves; an element may move more than once */
} mt_balance;

/* Balances partition->part in place, without updating its edge_cut (use mt_partition_edge_cut). The pattern (borrowed) stores its rows, is
 * symmetric, and has no repeated element in a row except the row itself.
 * Guarantees: the largest burden does not increase; no part grows beyond the larger of the largest initial part and imbalance * n_elements
 * / n_parts, rounded up (of weights, if the partition has some: sums of weights instead of numbers of elements); the largest number of
 * elements rises to no further multiple of those that are processed together; no part becomes empty; every element stays in its group; and
 * the words between groups (pairs of an element and a part of another group that needs it) do not increase. Deterministic and
 * single-threaded. Stops after evaluating 16 * n_elements moves, each in O(width^2). Scratch: 16 bytes per element and, for the measure
 * `mixed`, at most about 100 bytes per pair of adjacent parts. MT_INPUT: a column is no element; the pattern is not symmetric, has repeated
 * elements or rows wider than MT_BALANCE_WIDTH; the partition has another number of elements or is invalid; imbalance is not in (0, 2].
 * MT_MEMORY; the partition is then valid, but may be only partly balanced. */
MT_NODISCARD mt_status mt_balance_halo(const mt_pattern *pattern, double imbalance,
    mt_balance_measure measure, mt_partition *partition, mt_balance *balance);
