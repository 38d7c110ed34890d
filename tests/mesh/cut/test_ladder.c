#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "mesh/cut/ladder.h"
#include "tests/random.h"

enum { MOST = 64 };

struct sample {
    mt_ladder_graph graph;
    size_t start[MOST + 1];
    uint32_t near[MOST * MOST];
    uint64_t weight[MOST * MOST];
};

/* From a matrix of weights, symmetric; zero is no pair. */
static const mt_ladder_graph *graph_of(struct sample *sample, uint32_t n, const uint32_t *matrix)
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
    sample->graph = (mt_ladder_graph){n, sample->start, sample->near, sample->weight};
    return &sample->graph;
}

static void assert_permutation(const uint32_t *chip, uint32_t n)
{
    uint8_t used[MOST] = {0};
    for (uint32_t g = 0; g < n; g++) cr_assert(chip[g] < n && !used[chip[g]]++, "chip %u", chip[g]);
}

Test(ladder, distance_counts_two_for_a_step_and_one_for_a_rung)
{
    static const uint32_t known[][3] = {{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {0, 3, 4}, {1, 3, 2}, {5, 0, 6},
        {4, 9, 6}, {8, 9, 1}, {7, 7, 0}, {62, 0, 62}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        cr_assert_eq(mt_ladder_distance(known[i][0], known[i][1]), known[i][2], "%zu", i);
        cr_assert_eq(mt_ladder_distance(known[i][1], known[i][0]), known[i][2], "%zu", i);
    }
}

/* The least cost of all orders of the groups from `from` on. */
static uint64_t least_cost(const mt_ladder_graph *graph, uint32_t *chip, uint32_t from)
{
    if (from == graph->n_groups) return mt_ladder_cost(graph, chip);
    uint64_t least = UINT64_MAX;
    for (uint32_t k = from; k < graph->n_groups; k++) {
        const uint32_t a = chip[from], b = chip[k];
        chip[from] = b, chip[k] = a;
        const uint64_t cost = least_cost(graph, chip, from + 1);
        chip[from] = a, chip[k] = b;
        if (cost < least) least = cost;
    }
    return least;
}

Test(ladder, up_to_seven_groups_lie_as_well_as_in_any_order)
{
    static struct sample sample;
    uint64_t state = 1;
    for (uint32_t n = 1; n <= 7; n++)
        for (int seed = 0; seed < 10; seed++) {
            uint32_t matrix[49] = {0}, chip[7], order[7];
            for (uint32_t g = 0; g < n; g++) {
                order[g] = g;
                for (uint32_t h = 0; h < g; h++)
                    matrix[g * n + h] = matrix[h * n + g] =
                        (uint32_t)(draw(&state, 3) ? 0 : draw(&state, 100));
            }
            const mt_ladder_graph *graph = graph_of(&sample, n, matrix);
            cr_assert_eq(mt_ladder_place(graph, chip), MT_OK, "%s", mt_message());
            assert_permutation(chip, n);
            cr_assert_eq(mt_ladder_cost(graph, chip), least_cost(graph, order, 0), "%u groups", n);
        }
}

/* A chain goes across each rung and on along the rail: n / 2 rungs, n / 2 - 1 steps, and no order does with less. */
Test(ladder, a_shuffled_chain_is_laid_out_along_the_ladder)
{
    static struct sample sample;
    static uint32_t matrix[MOST * MOST];
    uint32_t shuffled[MOST], chip[MOST], again[MOST];
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
        const mt_ladder_graph *graph = graph_of(&sample, n, matrix);
        cr_assert_eq(mt_ladder_place(graph, chip), MT_OK, "%s", mt_message());
        assert_permutation(chip, n);
        cr_assert_eq(mt_ladder_cost(graph, chip), 5 * (n / 2 + 2 * (n / 2 - 1)), "%u groups: %zu", n,
            (size_t)mt_ladder_cost(graph, chip));
        cr_assert_eq(mt_ladder_place(graph, again), MT_OK);
        cr_assert_arr_eq(chip, again, n * sizeof *chip);
    }
}

Test(ladder, what_lies_well_already_is_never_made_worse)
{
    static struct sample sample;
    static uint32_t matrix[MOST * MOST];
    uint32_t chip[MOST];
    for (uint32_t n = 2; n <= MOST; n += 31) {
        for (uint32_t g = 0; g < n; g++)
            for (uint32_t h = 0; h < n; h++)
                matrix[g * n + h] = g == h ? 0 : 6 / (uint32_t)mt_ladder_distance(g, h);
        for (uint32_t g = 0; g < n; g++) chip[g] = g;
        const mt_ladder_graph *graph = graph_of(&sample, n, matrix);
        const uint64_t before = mt_ladder_cost(graph, chip);
        cr_assert_eq(mt_ladder_place(graph, chip), MT_OK, "%s", mt_message());
        cr_assert_leq(mt_ladder_cost(graph, chip), before);
    }
}

Test(ladder, without_memory_there_is_a_failure)
{
    size_t start[] = {0, 0};
    const mt_ladder_graph graph = {1, start, NULL, NULL};
    uint32_t chip[1];
    mt_arena_fail_at(1);
    cr_assert_eq(mt_ladder_place(&graph, chip), MT_MEMORY);
    mt_arena_fail_at(0);
}
