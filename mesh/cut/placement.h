/* Which place each group of parts gets, so that what the groups exchange goes a short way.
 *
 * There are as many places as groups, and the caller says how far one place is from another: chips of a machine, racks of a
 * hall. Nothing here knows what a place is. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* How far it is between two places, numbered from 0; the same both ways, and 0 from a place to itself. */
typedef uint64_t mt_placement_distance(uint32_t place, uint32_t other);

/* Groups and what they exchange: group g and near[k] have weight[k] for k = start[g] .. start[g + 1] - 1. Every pair stands
 * there in both directions with the same weight; no group is near itself. */
typedef struct mt_placement_graph {
    uint32_t n_groups;
    size_t *start;    /* [n_groups + 1] */
    uint32_t *near;   /* [start[n_groups]] */
    uint64_t *weight; /* [start[n_groups]] */
    mt_placement_distance *distance;
} mt_placement_graph;

/* Sum of weight * distance over all pairs, where group g is at place[g]. */
uint64_t mt_placement_cost(const mt_placement_graph *graph, const uint32_t *place);

/* Gives each group a place of its own, place[n_groups] (the caller's), at a low cost: swaps two groups at random where that
 * costs less than a threshold, which falls to zero (Dueck and Scheuer, J. Comput. Phys. 90, 1990). Never worse than
 * place[g] = g. Deterministic; tries at most some million swaps. MT_MEMORY. */
MT_NODISCARD mt_status mt_placement_find(const mt_placement_graph *graph, uint32_t *place);
