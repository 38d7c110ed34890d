#include "mesh/cut/placement.h"

#include <string.h>

uint64_t mt_placement_cost(const mt_placement_graph *graph, const uint32_t *place)
{
    uint64_t cost = 0;
    for (uint32_t g = 0; g < graph->n_groups; g++)
        for (size_t k = graph->start[g]; k < graph->start[g + 1]; k++)
            if (graph->near[k] > g)
                cost += graph->weight[k] * graph->distance(place[g], place[graph->near[k]]);
    return cost;
}

/* Returns the change of the cost of group g if it swaps places with group `other`, without the pair of the two. */
static int64_t rise(const mt_placement_graph *graph, const uint32_t *place, uint32_t g, uint32_t other)
{
    int64_t sum = 0;
    for (size_t k = graph->start[g]; k < graph->start[g + 1]; k++) {
        const uint32_t near = graph->near[k];
        if (near == other) continue; /* the distance is unchanged */
        sum += (int64_t)graph->weight[k] * ((int64_t)graph->distance(place[other], place[near]) -
                                               (int64_t)graph->distance(place[g], place[near]));
    }
    return sum;
}

/* Draws a number from 0 .. below - 1: upper bits of Knuth's linear congruential generator (MMIX). */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % below);
}

enum { ROUNDS = 8, MOST_TRIES = 1 << 18 }; /* rounds, and tries per round */

/* Performs one round of swaps, with a threshold that falls from `highest` to zero. *cost is the cost of place[]; *least and best[] are the
 * lowest cost so far and its placement. */
static void round_of_exchanges(const mt_placement_graph *graph, uint64_t *state, int64_t highest,
    int64_t *cost, int64_t *least, uint32_t *place, uint32_t *best)
{
    const uint32_t n = graph->n_groups;
    const int64_t wanted = 256 * (int64_t)n * n, tries = wanted < MOST_TRIES ? wanted : MOST_TRIES;
    for (int64_t i = 0; i < tries; i++) {
        const uint32_t a = draw(state, n), b = draw(state, n);
        const int64_t threshold = highest * (tries - 1 - i) / tries;
        const int64_t more = a == b ? 0 : rise(graph, place, a, b) + rise(graph, place, b, a);
        if (a == b || more > threshold) continue;
        const uint32_t kept = place[a];
        place[a] = place[b];
        place[b] = kept;
        *cost += more;
        if (*cost >= *least) continue;
        *least = *cost;
        memcpy(best, place, n * sizeof *best);
    }
}

/* Performs all rounds. The initial threshold of each is twice the initial mean cost per group (a pair counts for both groups). */
static void exchange(const mt_placement_graph *graph, uint32_t *place, uint32_t *best)
{
    uint64_t state = 1;
    int64_t cost = (int64_t)mt_placement_cost(graph, place), least = cost;
    const int64_t highest = 4 * cost / graph->n_groups;
    for (int round = 0; round < ROUNDS; round++)
        round_of_exchanges(graph, &state, highest, &cost, &least, place, best);
}

mt_status mt_placement_find(const mt_placement_graph *graph, uint32_t *place)
{
    MT_SCRATCH(scratch);
    uint32_t *state;
    MT_ALLOC(scratch, state, graph->n_groups);
    for (uint32_t g = 0; g < graph->n_groups; g++) state[g] = place[g] = g;
    if (graph->n_groups > 2) exchange(graph, state, place);
    return MT_OK;
}
