/* Placement of groups of parts for short communication distances.
 *
 * There are as many places as groups. A place is abstract, such as a chip of a machine or a rack; the caller provides the distances between
 * places. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* Returns the distance between two places, numbered from 0; symmetric, and 0 from a place to itself. */
typedef uint64_t mt_placement_distance(uint32_t place, uint32_t other);

/* Communication graph of groups: group g and near[k] exchange weight[k] for k = start[g] .. start[g + 1] - 1. Every pair is stored in both
 * directions with the same weight; no group is its own neighbour. */
typedef struct mt_placement_graph {
    uint32_t n_groups;
    size_t *start;    /* [n_groups + 1] */
    uint32_t *near;   /* [start[n_groups]] */
    uint64_t *weight; /* [start[n_groups]] */
    mt_placement_distance *distance;
} mt_placement_graph;

/* Returns the sum of weight * distance over all pairs if group g is at place[g]. */
uint64_t mt_placement_cost(const mt_placement_graph *graph, const uint32_t *place);

/* Computes a permutation place[n_groups] of low cost by threshold accepting: swaps two random groups if the cost rises by at most a
 * threshold, which falls to zero (Dueck and Scheuer, J. Comput. Phys. 90, 1990). Never worse than place[g] = g. Deterministic; tries at
 * most about two million swaps. MT_MEMORY. */
MT_NODISCARD mt_status mt_placement_find(const mt_placement_graph *graph, uint32_t *place);
