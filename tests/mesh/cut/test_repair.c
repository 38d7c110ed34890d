#include <criterion/criterion.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/cut/repair.h"
#include "mesh/make/slab.h"
#include "tests/mesh/cut/slow_repair.h"
#include "tests/random.h"

/* A row of elements: element c touches c - 1 and c + 1, except at the ends of pieces. */
static void row_of_elements(mt_arena *arena, size_t n, size_t piece, mt_adjacency *adjacency)
{
    adjacency->n_elements = n;
    adjacency->neighbour = mt_arena_alloc(arena, 4 * n, sizeof(uint32_t));
    cr_assert_not_null(adjacency->neighbour);
    memset(adjacency->neighbour, 0xff, 4 * n * sizeof(uint32_t));
    for (size_t c = 0; c + 1 < n; c++) {
        if ((c + 1) % piece == 0) continue;
        adjacency->neighbour[4 * c + 1] = (uint32_t)c + 1;
        adjacency->neighbour[4 * (c + 1)] = (uint32_t)c;
    }
}

static void slab(mt_arena *arena, double x, double y, double z, double edge, mt_adjacency *adjacency)
{
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(arena, (double[]){x, y, z}, edge, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(arena, &mesh, adjacency), MT_OK, "%s", mt_message());
}

static void assert_sizes(
    const mt_adjacency *adjacency, uint32_t n_parts, size_t least, size_t most, const uint32_t *part)
{
    size_t *size = calloc(n_parts, sizeof *size);
    cr_assert_not_null(size);
    for (size_t c = 0; c < adjacency->n_elements; c++) {
        cr_assert_lt(part[c], n_parts);
        size[part[c]]++;
    }
    for (uint32_t p = 0; p < n_parts; p++)
        cr_assert(size[p] >= least && size[p] <= most, "part %u: %zu elements", p, size[p]);
    free(size);
}

static size_t repaired(
    const mt_adjacency *adjacency, uint32_t n_parts, size_t least, size_t most, uint32_t *part)
{
    size_t moves;
    const mt_cut_graph graph = mt_cut_graph_of(adjacency);
    cr_assert_eq(mt_repair_parts(&graph, n_parts, least, most, part, &moves), MT_OK, "%s", mt_message());
    assert_sizes(adjacency, n_parts, least, most, part);
    return moves;
}

/* Counts the connected pieces of all parts. */
static size_t pieces(const mt_adjacency *adjacency, const uint32_t *part)
{
    const size_t n = adjacency->n_elements;
    size_t found = 0;
    uint32_t *stack = calloc(n, sizeof *stack);
    uint8_t *seen = calloc(n, 1);
    cr_assert(stack && seen);
    for (size_t c = 0; c < n; c++) {
        if (seen[c]) continue;
        size_t depth = 1;
        found++;
        seen[c] = 1;
        stack[0] = (uint32_t)c;
        while (depth > 0) {
            const uint32_t at = stack[--depth];
            for (size_t f = 0; f < 4; f++) {
                const uint32_t near = adjacency->neighbour[4 * (size_t)at + f];
                if (near == MT_NO_ELEMENT || seen[near] || part[near] != part[c]) continue;
                seen[near] = 1;
                stack[depth++] = near;
            }
        }
    }
    free(stack);
    free(seen);
    return found;
}

Test(repair, correct_sizes_change_nothing)
{
    mt_arena arena = {0};
    mt_adjacency row;
    uint32_t part[12] = {0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2};
    const uint32_t before[12] = {0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2};
    row_of_elements(&arena, 12, 12, &row);
    cr_assert_eq(repaired(&row, 3, 3, 5, part), 0);
    cr_assert_arr_eq(part, before, sizeof part);
    mt_arena_free(&arena);
}

Test(repair, a_surplus_moves_through_intermediate_parts_one_element_each)
{
    mt_arena arena = {0};
    mt_adjacency row;
    uint32_t part[12] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2};
    const uint32_t after[12] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
    row_of_elements(&arena, 12, 12, &row);
    cr_assert_eq(repaired(&row, 3, 1, 4, part), 2);
    cr_assert_arr_eq(part, after, sizeof part);
    mt_arena_free(&arena);
}

Test(repair, a_deficit_is_filled_through_intermediate_parts)
{
    mt_arena arena = {0};
    mt_adjacency row;
    uint32_t part[12] = {0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
    const uint32_t after[12] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
    row_of_elements(&arena, 12, 12, &row);
    cr_assert_eq(repaired(&row, 3, 4, 6, part), 4);
    cr_assert_arr_eq(part, after, sizeof part);
    mt_arena_free(&arena);
}

/* The empty part takes an end of the largest one: taking from the middle would disconnect it. */
Test(repair, an_empty_part_takes_one_element_of_the_largest_part_and_leaves_it_connected)
{
    mt_arena arena = {0};
    mt_adjacency row;
    uint32_t part[12] = {0, 0, 0, 2, 2, 2, 2, 2, 3, 3, 3, 3};
    row_of_elements(&arena, 12, 12, &row);
    cr_assert_eq(repaired(&row, 4, 1, 5, part), 1);
    cr_assert(part[3] == 1 || part[7] == 1);
    cr_assert_eq(pieces(&row, part), 4);
    mt_arena_free(&arena);
}

/* Cells 0, 1, 2 in a row are part 0; element 3 touches 1 and 2. Without 1 the others would be disconnected. */
Test(repair, the_element_with_the_fewest_faces_to_its_own_part_is_moved)
{
    uint32_t neighbour[16], part[4] = {0, 0, 0, 1}, after[4] = {0, 0, 1, 1};
    static const int near[16] = {1, -1, -1, -1, 0, 2, 3, -1, 1, 3, -1, -1, 1, 2, -1, -1};
    for (size_t k = 0; k < 16; k++) neighbour[k] = near[k] < 0 ? MT_NO_ELEMENT : (uint32_t)near[k];
    const mt_adjacency adjacency = {4, neighbour};
    cr_assert_eq(repaired(&adjacency, 2, 1, 2, part), 1);
    cr_assert_arr_eq(part, after, sizeof part);
}

Test(repair, between_disconnected_components_elements_are_moved_directly)
{
    mt_arena arena = {0};
    mt_adjacency row;
    uint32_t full[12] = {0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2}, poor[12] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    row_of_elements(&arena, 12, 8, &row);
    cr_assert_eq(repaired(&row, 3, 1, 4, full), 3);
    cr_assert_eq(pieces(&row, full), 3);
    cr_assert_eq(repaired(&row, 2, 6, 6, poor), 2);
    uint32_t apart[12] = {
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2}; /* after 1 has two of 0's, 2 gets its elements through 1 */
    cr_assert_eq(repaired(&row, 3, 4, 4, apart), 2 + 2 * 2);
    mt_arena_free(&arena);
}

/* Random parts, scattered over the mesh, with many empty and a few very large ones; bounds from loose to tight. */
Test(repair, any_partition_reaches_its_sizes_deterministically)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    uint64_t state = 7;
    slab(&arena, 3, 2, 1, 0.5, &adjacency);
    const size_t n = adjacency.n_elements; /* 288 */
    uint32_t *part = mt_arena_alloc(&arena, n, sizeof *part),
             *again = mt_arena_alloc(&arena, n, sizeof *again);
    for (int seed = 0; seed < 200; seed++) {
        const uint32_t n_parts = (uint32_t)(1 + draw(&state, 288)),
                       few = (uint32_t)(1 + draw(&state, n_parts));
        const size_t low = n / n_parts, high = (n + n_parts - 1) / n_parts;
        const size_t least = draw(&state, low + 1), most = high + draw(&state, 4);
        for (size_t c = 0; c < n; c++) part[c] = again[c] = (uint32_t)draw(&state, few);
        cr_assert_eq(repaired(&adjacency, n_parts, least, most, part),
            repaired(&adjacency, n_parts, least, most, again));
        cr_assert_arr_eq(part, again, n * sizeof *part);
    }
    mt_arena_free(&arena);
}

Test(repair, impossible_sizes_are_rejected)
{
    mt_arena arena = {0};
    mt_adjacency row;
    uint32_t part[12] = {0};
    size_t moves;
    row_of_elements(&arena, 12, 12, &row);
    const mt_cut_graph row_graph = mt_cut_graph_of(&row);
    cr_assert_eq(mt_repair_parts(&row_graph, 5, 3, 12, part, &moves), MT_INPUT);
    cr_assert_not_null(
        strstr(mt_message(), "12 elements cannot be partitioned into 5 parts of 3 to 12 elements"), "%s",
        mt_message());
    cr_assert_eq(mt_repair_parts(&row_graph, 5, 1, 2, part, &moves), MT_INPUT);
    cr_assert_eq(mt_repair_parts(&row_graph, 0, 0, 12, part, &moves), MT_INPUT);
    mt_arena_free(&arena);
}

Test(repair, out_of_memory_is_reported_without_a_leak)
{
    mt_arena arena = {0};
    mt_adjacency row;
    mt_status status = MT_MEMORY;
    row_of_elements(&arena, 12, 12, &row);
    const mt_cut_graph row_graph = mt_cut_graph_of(&row);
    for (size_t n = 1; status != MT_OK; n++) {
        uint32_t part[12] = {0};
        size_t moves;
        mt_arena_fail_at(n);
        status = mt_repair_parts(&row_graph, 3, 4, 4, part, &moves);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK ? n > 4 : status == MT_MEMORY, "take %zu", n);
    }
    mt_arena_free(&arena);
}

/* Removes one adjacency in four. */
static void loosen(mt_adjacency *adjacency, uint64_t *state)
{
    for (uint32_t c = 0; c < adjacency->n_elements; c++)
        for (size_t f = 0; f < 4; f++) {
            const uint32_t near = adjacency->neighbour[4 * (size_t)c + f];
            if (near == MT_NO_ELEMENT || draw(state, 4) > 0) continue;
            adjacency->neighbour[4 * (size_t)c + f] = MT_NO_ELEMENT;
            for (size_t g = 0; g < 4; g++)
                if (adjacency->neighbour[4 * (size_t)near + g] == c)
                    adjacency->neighbour[4 * (size_t)near + g] = MT_NO_ELEMENT;
        }
}

/* Returns a random part; in a row; one part; in a row with some random; half in one. */
static uint32_t any_part(uint64_t *state, size_t kind, size_t c, size_t n, uint32_t n_parts)
{
    const uint32_t in_a_row = (uint32_t)(c * n_parts / n), by_chance = (uint32_t)draw(state, n_parts);
    const uint32_t part[5] = {
        by_chance, in_a_row, n_parts - 1, draw(state, 8) ? in_a_row : by_chance, c < n / 2 ? 0 : in_a_row};
    return part[kind];
}

Test(repair, moves_equal_those_of_a_new_search_for_each_element)
{
    uint64_t state = 3;
    size_t all_moves = 0;
    for (int round = 0; round < 80; round++) {
        mt_arena arena = {0};
        mt_adjacency adjacency;
        slab(&arena, 1 + (double)draw(&state, 4), 1 + (double)draw(&state, 3), 1, 0.5, &adjacency);
        const size_t n = adjacency.n_elements, kind = draw(&state, 5);
        if (draw(&state, 3) == 0) loosen(&adjacency, &state);
        const uint32_t n_parts = (uint32_t)(1 + draw(&state, n / (1 + draw(&state, 20))));
        const size_t least = draw(&state, n / n_parts + 1),
                     most = (n + n_parts - 1) / n_parts + draw(&state, 3);
        uint32_t *part = mt_arena_alloc(&arena, n, sizeof *part),
                 *slow = mt_arena_alloc(&arena, n, sizeof *slow);
        size_t moves, slow_moves = 0;
        cr_assert(part && slow);
        for (size_t c = 0; c < n; c++) part[c] = slow[c] = any_part(&state, kind, c, n, n_parts);
        cr_assert_eq(slow_repair(&adjacency, n_parts, least, most, slow, &slow_moves), MT_OK);
        moves = repaired(&adjacency, n_parts, least, most, part);
        cr_assert_eq(moves, slow_moves, "round %d: %zu moves and %zu", round, moves, slow_moves);
        cr_assert_arr_eq(part, slow, n * sizeof *part, "round %d", round);
        all_moves += moves;
        mt_arena_free(&arena);
    }
    cr_assert_gt(all_moves, 5000);
}
