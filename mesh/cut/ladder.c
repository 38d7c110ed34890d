#include "mesh/cut/ladder.h"

#include <string.h>

uint64_t mt_ladder_distance(uint32_t chip, uint32_t other)
{
    const uint32_t a = chip / 2, b = other / 2;
    if (a == b) return chip != other;
    return 2 * ((uint64_t)(a < b ? b - a : a - b) + (chip % 2 != other % 2));
}

uint64_t mt_ladder_cost(const mt_ladder_graph *graph, const uint32_t *chip)
{
    uint64_t cost = 0;
    for (uint32_t g = 0; g < graph->n_groups; g++)
        for (size_t k = graph->start[g]; k < graph->start[g + 1]; k++)
            if (graph->near[k] > g)
                cost += graph->weight[k] * mt_ladder_distance(chip[g], chip[graph->near[k]]);
    return cost;
}

/* What the cost rises by where group g goes to another chip and group `other`, near or not, comes to its place. */
static int64_t rise(const mt_ladder_graph *graph, const uint32_t *chip, uint32_t g, uint32_t other)
{
    int64_t sum = 0;
    for (size_t k = graph->start[g]; k < graph->start[g + 1]; k++) {
        const uint32_t near = graph->near[k];
        if (near == other) continue; /* as far as before */
        sum += (int64_t)graph->weight[k] * ((int64_t)mt_ladder_distance(chip[other], chip[near]) -
                                               (int64_t)mt_ladder_distance(chip[g], chip[near]));
    }
    return sum;
}

/* 0 .. below - 1: Knuth's linear congruential generator (MMIX), its upper bits. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % below);
}

enum { ROUNDS = 8, MOST_TRIES = 1 << 18 }; /* tries of a round */

/* One round of exchanges, while the threshold falls from `highest` to zero. *cost goes along with chip[]; where it falls
 * below *least, that is the new *least, and best[] its state. */
static void round_of_exchanges(const mt_ladder_graph *graph, uint64_t *state, int64_t highest, int64_t *cost,
    int64_t *least, uint32_t *chip, uint32_t *best)
{
    const uint32_t n = graph->n_groups;
    const int64_t wanted = 256 * (int64_t)n * n, tries = wanted < MOST_TRIES ? wanted : MOST_TRIES;
    for (int64_t i = 0; i < tries; i++) {
        const uint32_t a = draw(state, n), b = draw(state, n);
        const int64_t threshold = highest * (tries - 1 - i) / tries;
        const int64_t more = a == b ? 0 : rise(graph, chip, a, b) + rise(graph, chip, b, a);
        if (a == b || more > threshold) continue;
        const uint32_t kept = chip[a];
        chip[a] = chip[b];
        chip[b] = kept;
        *cost += more;
        if (*cost >= *least) continue;
        *least = *cost;
        memcpy(best, chip, n * sizeof *best);
    }
}

/* Each round begins with twice what a group has on average in the beginning. */
static void exchange(const mt_ladder_graph *graph, uint32_t *chip, uint32_t *best)
{
    uint64_t state = 1;
    int64_t cost = (int64_t)mt_ladder_cost(graph, chip), least = cost;
    const int64_t highest = 4 * cost / graph->n_groups;
    for (int round = 0; round < ROUNDS; round++)
        round_of_exchanges(graph, &state, highest, &cost, &least, chip, best);
}

mt_status mt_ladder_place(const mt_ladder_graph *graph, uint32_t *chip)
{
    mt_arena scratch = {0};
    uint32_t *state = mt_arena_take(&scratch, graph->n_groups, sizeof *state);
    if (state) {
        for (uint32_t g = 0; g < graph->n_groups; g++) state[g] = chip[g] = g;
        if (graph->n_groups > 2) exchange(graph, state, chip);
    }
    mt_arena_free(&scratch);
    return state ? MT_OK : MT_MEMORY;
}
