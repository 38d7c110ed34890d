/* Takes the peaks off what parts must be sent: the time of an exchange is that of the part that receives most.
 *
 * The measure is the `needed` of mesh/halo.h: how many cells of other parts a part's rows read, which is what it receives
 * under a scheme without unused cells. (What the part that receives most receives under mixed-clean falls along, by less
 * than half as much: that counts neighbours rather than cells.) Cells at the borders of the parts with the largest needed change hands, a few per
 * cent of all at most: first those parts come down by one, then those that have the most then, and so on until one of
 * them cannot.
 *
 * To bring a part down, up to 64 cells one after the other leave it or join it, each time the one that lowers 3 times the
 * part's needed plus the other part's needed the most, be it by less than nothing; no cell twice; what came after the
 * lowest needed is taken back. (Kernighan and Lin, Bell Syst. Tech. J. 49, 1970, do this to the cut of two parts.) No
 * other part is lifted above the level that is aimed at. */
#ifndef MT_MESH_BALANCE_H
#define MT_MESH_BALANCE_H

#include "mesh/partition.h"

/* What came of it. */
typedef struct mt_balance {
    size_t largest_before, largest_after; /* needed of the part that has the most */
    size_t total_before, total_after;     /* needed of all parts */
    size_t moves;                         /* cells given to another part; some more than once */
} mt_balance;

/* Changes partition->part in place, not its edge_cut (mt_partition_edge_cut gives the new one). Row c of the pattern reads
 * the cells columns[c][0 .. width), no cell twice but c itself, which fills the row; c is in row d where d is in row c.
 * It holds that: the largest needed does not grow; no part grows beyond the largest that there was or imbalance * n_cells /
 * n_parts, rounded up, whichever is more; no part becomes empty; every cell stays in its group, and the words between
 * groups (pairs of a cell and a part of another group that needs it) do not become more. Deterministic; one thread; stops
 * after 16 * n_cells looks at what a move would change, each O(width^2). 16 bytes of scratch a cell.
 * MT_INPUT: a column is no cell; the pattern is not symmetric, or has a cell twice in a row; the partition is of another
 * number of cells, or broken; imbalance outside what is above 0 and up to 2. MT_FILE: no memory. */
MT_NODISCARD mt_status mt_balance_halo(size_t n_cells, size_t width, const uint32_t *columns,
    double imbalance, mt_partition *partition, mt_balance *balance);

#endif
