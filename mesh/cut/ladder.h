/* Which chip of a ladder gets which group of parts, so that what they exchange goes a short way.
 *
 * Chips 2r and 2r + 1 are the two ends of rung r; the rungs are joined by two rails. A word to the other end of its rung
 * goes over four links; any other goes first across its rung, where the two chips are on different rails, and then along
 * the rail, each such step over two links (the routing of Graphcore's Poplar for machines of several chips). So the
 * distance counts a step 2, and the one step between the ends of a rung 1. */
#ifndef MT_MESH_CUT_LADDER_H
#define MT_MESH_CUT_LADDER_H

#include <stddef.h>
#include <stdint.h>

#include "data/arena.h"
#include "data/status.h"

/* Groups and what is between them: group g and near[k] have weight[k] for k = start[g] .. start[g + 1] - 1. Both
 * directions are there, with the same weight; no group is near itself. */
typedef struct mt_ladder_graph {
    uint32_t n_groups;
    size_t *start;    /* [n_groups + 1] */
    uint32_t *near;   /* [start[n_groups]] */
    uint64_t *weight; /* [start[n_groups]] */
} mt_ladder_graph;

uint64_t mt_ladder_distance(uint32_t chip, uint32_t other);

/* Sum of weight * distance over all pairs, where group g is on chip[g]. */
uint64_t mt_ladder_cost(const mt_ladder_graph *graph, const uint32_t *chip);

/* Gives each group a chip of its own, chip[n_groups] (the caller's), of low cost: exchanges of two groups at random that
 * cost less than a threshold, which falls to zero (Dueck and Scheuer, J. Comput. Phys. 90, 1990). Never worse than
 * chip[g] = g. Deterministic; at most some million exchanges are tried. MT_MEMORY. */
MT_NODISCARD mt_status mt_ladder_place(const mt_ladder_graph *graph, uint32_t *chip);

#endif
