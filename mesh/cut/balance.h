/* Lowers the peak of what parts receive: an exchange takes as long as the part that receives the most.
 *
 * A part has a burden, by one of two measures:
 *   needed  the elements of other parts that its rows read (as in mesh/cut/halo.h): what it receives under a scheme without
 *           unused elements;
 *   mixed   its needed, and, for each part of which it needs an element, the elements there that two or more parts need (counted at
 *           the beginning): close to what it receives under mixed-clean. Works best on parts that have been balanced by
 *           `needed` before.
 *
 * Elements at the borders of the parts with the largest burden change hands, about one per cent of all at most: those
 * parts are lowered by one, then the parts that have the most now, and so on until one cannot be lowered.
 *
 * To lower a part, up to 64 elements leave or join it one after the other, each time the one that lowers 3 times the part's
 * burden plus that of the others the most, even if it raises it; no element moves twice; moves after the lowest burden are
 * undone. (Kernighan and Lin, Bell Syst. Tech. J. 49, 1970, do this to the cut of two parts.) No other part may rise
 * above the level aimed at. */
#pragma once

#include "mesh/cut/partition.h"
#include "mesh/cut/pattern.h"

typedef enum mt_balance_measure { MT_BALANCE_NEEDED, MT_BALANCE_MIXED } mt_balance_measure;

enum { MT_BALANCE_WIDTH = 32 }; /* the widest rows */

/* The result, by the measure. */
typedef struct mt_balance {
    size_t largest_before, largest_after; /* burden of the part that has the most */
    size_t total_before, total_after;     /* of all parts */
    size_t moves;                         /* elements given to another part; some more than once */
} mt_balance;

/* Changes partition->part in place, not its edge_cut (mt_partition_edge_cut gives the new one). In the
 * pattern (borrowed), whose rows are kept, no element is twice in a row but the row itself, and c is in row d where d is in row c.
 * Guarantees: the largest burden does not grow; no part grows beyond the largest that there was or imbalance * n_elements /
 * n_parts, rounded up, whichever is more; no part becomes empty; every element stays in its group, and the words between
 * groups (pairs of an element and a part of another group that needs it) do not increase. Deterministic; one thread; stops
 * after evaluating 16 * n_elements moves, each O(width^2). 16 bytes of scratch an element, and for the measure
 * mixed at most some 100 a pair of parts that touch.
 * MT_INPUT: a column is no element; the pattern is not symmetric, or has an element twice in a row, or rows wider than
 * MT_BALANCE_WIDTH; the partition is of another number of elements, or broken; imbalance outside what is above 0 and up to 2.
 * MT_MEMORY; the partition is then valid but may be only partly balanced. */
MT_NODISCARD mt_status mt_balance_halo(const mt_pattern *pattern, double imbalance,
    mt_balance_measure measure, mt_partition *partition, mt_balance *balance);
