#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "mesh/cut/placement.h"
#include "tests/random.h"

enum { MOST = 64 };

/* Distances on a ladder: places 2r and 2r + 1 are the ends of rung r, at distance 1; all other steps, across a rung or along a rail, are
 * 2. */
static uint64_t ladder(uint32_t place, uint32_t other)
{
    if (place / 2 == other / 2) return place != other;
    return 2 * (uint64_t)(abs((int)(place / 2) - (int)(other / 2)) + (place % 2 != other % 2));
}

struct sample {
    mt_placement_graph graph;
    size_t start[MOST + 1];
    uint32_t near[MOST * MOST];
    uint64_t weight[MOST * MOST];
};

/* Builds a graph from a symmetric matrix of weights; zero: no pair. */
static const mt_placement_graph *graph_of(struct sample *sample, uint32_t n, const uint32_t *matrix)
{
    size_t k = 0;
    for (uint32_t g = 0; g < n; g++) {
        sample->start[g] = k;
        for (uint32_t h = 0; h < n; h++)
            if (matrix[g * n + h] > 0) {
                sample->near[k] = h;
                sample->weight[k++] = matrix[g * n + h];
            }
    }
    sample->start[n] = k;
    sample->graph = (mt_placement_graph){n, sample->start, sample->near, sample->weight, ladder};
    return &sample->graph;
}

static void assert_permutation(const uint32_t *place, uint32_t n)
{
    uint8_t used[MOST] = {0};
    for (uint32_t g = 0; g < n; g++) cr_assert(place[g] < n && !used[place[g]]++, "place %u", place[g]);
}

/* Returns the least cost of all orders of the groups from `from` on. */
static uint64_t least_cost(const mt_placement_graph *graph, uint32_t *place, uint32_t from)
{
    if (from == graph->n_groups) return mt_placement_cost(graph, place);
    uint64_t least = UINT64_MAX;
    for (uint32_t k = from; k < graph->n_groups; k++) {
        const uint32_t a = place[from], b = place[k];
        place[from] = b, place[k] = a;
        const uint64_t cost = least_cost(graph, place, from + 1);
        place[from] = a, place[k] = b;
        if (cost < least) least = cost;
    }
    return least;
}

Test(placement, placement_of_up_to_seven_groups_is_optimal)
{
    static struct sample sample;
    uint64_t state = 1;
    for (uint32_t n = 1; n <= 7; n++)
        for (int seed = 0; seed < 10; seed++) {
            uint32_t matrix[49] = {0}, place[7], order[7];
            for (uint32_t g = 0; g < n; g++) {
                order[g] = g;
                for (uint32_t h = 0; h < g; h++)
                    matrix[g * n + h] = matrix[h * n + g] =
                        (uint32_t)(draw(&state, 3) ? 0 : draw(&state, 100));
            }
            const mt_placement_graph *graph = graph_of(&sample, n, matrix);
            cr_assert_eq(mt_placement_find(graph, place), MT_OK, "%s", mt_message());
            assert_permutation(place, n);
            cr_assert_eq(mt_placement_cost(graph, place), least_cost(graph, order, 0), "%u groups", n);
        }
}

/* A chain crosses each rung and continues along the rail: n / 2 rungs and n / 2 - 1 steps, the minimum of all orders. */
Test(placement, a_shuffled_chain_is_placed_along_the_ladder)
{
    static struct sample sample;
    static uint32_t matrix[MOST * MOST];
    uint32_t shuffled[MOST], place[MOST], again[MOST];
    uint64_t state = 3;
    for (uint32_t n = 4; n <= 32; n += 4) {
        memset(matrix, 0, sizeof matrix);
        for (uint32_t g = 0; g < n; g++) shuffled[g] = g;
        for (uint32_t g = n; g-- > 1;) {
            const uint32_t k = (uint32_t)draw(&state, g + 1), kept = shuffled[g];
            shuffled[g] = shuffled[k], shuffled[k] = kept;
        }
        for (uint32_t g = 0; g + 1 < n; g++)
            matrix[shuffled[g] * n + shuffled[g + 1]] = matrix[shuffled[g + 1] * n + shuffled[g]] = 5;
        const mt_placement_graph *graph = graph_of(&sample, n, matrix);
        cr_assert_eq(mt_placement_find(graph, place), MT_OK, "%s", mt_message());
        assert_permutation(place, n);
        cr_assert_eq(mt_placement_cost(graph, place), 5 * (n / 2 + 2 * (n / 2 - 1)), "%u groups: %zu", n,
            (size_t)mt_placement_cost(graph, place));
        cr_assert_eq(mt_placement_find(graph, again), MT_OK);
        cr_assert_arr_eq(place, again, n * sizeof *place);
    }
}

Test(placement, a_good_placement_is_never_made_worse)
{
    static struct sample sample;
    static uint32_t matrix[MOST * MOST];
    uint32_t place[MOST];
    for (uint32_t n = 2; n <= MOST; n += 31) {
        for (uint32_t g = 0; g < n; g++)
            for (uint32_t h = 0; h < n; h++) matrix[g * n + h] = g == h ? 0 : 6 / (uint32_t)ladder(g, h);
        for (uint32_t g = 0; g < n; g++) place[g] = g;
        const mt_placement_graph *graph = graph_of(&sample, n, matrix);
        const uint64_t before = mt_placement_cost(graph, place);
        cr_assert_eq(mt_placement_find(graph, place), MT_OK, "%s", mt_message());
        cr_assert_leq(mt_placement_cost(graph, place), before);
    }
}

Test(placement, out_of_memory_is_reported)
{
    size_t start[] = {0, 0};
    const mt_placement_graph graph = {1, start, NULL, NULL, ladder};
    uint32_t place[1];
    mt_arena_fail_at(1);
    cr_assert_eq(mt_placement_find(&graph, place), MT_MEMORY);
    mt_arena_fail_at(0);
}
