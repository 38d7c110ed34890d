/* Which part owns each cell. Balanced parts with few faces between them, by METIS.
 *
 * Invariant (mt_partition_check): every part[c] < n_parts. Parts may be empty, and need not be connected. */
#ifndef MT_MESH_PARTITION_H
#define MT_MESH_PARTITION_H

#include "mesh/adjacency.h"

typedef struct mt_partition {
    uint32_t n_parts;
    size_t n_cells;
    uint32_t *part;  /* [n_cells] */
    size_t edge_cut; /* faces between cells of different parts */
} mt_partition;

/* Gives a partition of the dual graph (borrowed) by METIS' k-way method, all cells weighing the same: no part
 * shall have more than imbalance * n_cells / n_parts cells, which METIS tries to keep but does not promise
 * where parts are small. The seed is fixed: same input, same outcome. With n_parts >= n_cells every cell has
 * a part of its own and the last parts are empty; METIS is not asked. It is METIS' allocations, not the
 * arena's, that hold the scratch; it installs signal handlers while it runs, so this is for one thread at a
 * time.
 * MT_INPUT: n_parts 0; imbalance outside 1.001 .. 2; a graph too large for METIS' 32-bit numbers; METIS
 * refuses. MT_FILE: no memory. */
MT_NODISCARD mt_status mt_partition_kway(mt_arena *arena, const mt_adjacency *adjacency, uint32_t n_parts,
    double imbalance, mt_partition *partition);

/* The invariant above; the message names the first offending cell. */
MT_NODISCARD mt_status mt_partition_check(const mt_partition *partition);

#endif
