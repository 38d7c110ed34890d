#include <criterion/criterion.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/cut/balance.h"
#include "mesh/cut/halo.h"
#include "mesh/make/slab.h"
#include "tests/random.h"

struct problem {
    mt_arena arena;
    size_t n_elements, width;
    uint32_t *columns;
    mt_partition partition;
};

static void *taken(struct problem *problem, size_t count, size_t size)
{
    void *memory = mt_arena_alloc(&problem->arena, count, size);
    cr_assert_not_null(memory);
    return memory;
}

/* A slab in groups of parts, partitioned by METIS. */
static void slab(struct problem *problem, double x, double y, double z, double edge, uint32_t n_groups,
    uint32_t parts_per_group)
{
    mt_mesh mesh;
    mt_adjacency adjacency;
    *problem = (struct problem){.width = MT_RING_MAX};
    cr_assert_eq(mt_slab_make(&problem->arena, (double[]){x, y, z}, edge, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&problem->arena, &mesh, &adjacency), MT_OK, "%s", mt_message());
    problem->n_elements = mesh.n_elements;
    problem->columns = taken(problem, mesh.n_elements * MT_RING_MAX, sizeof(uint32_t));
    for (size_t c = 0; c < mesh.n_elements; c++)
        (void)mt_adjacency_ring(&adjacency, c, problem->columns + MT_RING_MAX * c);
    cr_assert_eq(mt_partition_make(&problem->arena, &adjacency,
                     &(mt_partition_options){MT_PARTITION_FLAT, n_groups, parts_per_group, 1.03, NULL, 0, 0},
                     &problem->partition),
        MT_OK, "%s", mt_message());
}

/* Random pairs of elements that read each other, near or far; random parts, in groups, some of them empty. */
static void random_pairs(struct problem *problem, uint64_t seed)
{
    uint64_t state = seed;
    const size_t n = 1 + draw(&state, 120), width = 1 + draw(&state, 8), slices = draw(&state, 2);
    const uint32_t in_group = (uint32_t)(1 + draw(&state, 8)), n_groups = (uint32_t)(1 + draw(&state, 3));
    *problem = (struct problem){.n_elements = n, .width = width};
    problem->columns = taken(problem, n * width, sizeof(uint32_t));
    size_t *used = taken(problem, n, sizeof *used);
    for (size_t k = 0; k < n * width; k++) problem->columns[k] = (uint32_t)(k / width);
    for (size_t k = 0; k < 4 * n * width; k++) {
        const size_t a = draw(&state, n),
                     b = draw(&state, 2) ? draw(&state, n) : (a + 1 + draw(&state, 5)) % n;
        size_t known = a == b;
        for (size_t i = 0; i < used[a]; i++) known += problem->columns[a * width + i] == b;
        if (known || used[a] == width || used[b] == width) continue;
        problem->columns[a * width + used[a]++] = (uint32_t)b;
        problem->columns[b * width + used[b]++] = (uint32_t)a;
    }
    problem->partition = (mt_partition){.n_parts = n_groups * in_group,
        .parts_per_group = in_group,
        .n_elements = n,
        .part = taken(problem, n, sizeof(uint32_t))};
    for (size_t c = 0; c < n; c++)
        problem->partition.part[c] =
            (uint32_t)(slices ? c * n_groups * in_group / n : draw(&state, n_groups * in_group));
}

/* The counts by definition, from all rows. */
struct counts {
    size_t largest, total, crossing; /* largest burden of a part, and total; words between groups */
    size_t fullest, empty;
};

/* Counts for each part the elements that two or more other parts need. The readers of an element are the elements that it reads. */
static void count_mixed(const struct problem *problem, size_t *mixed)
{
    const uint32_t *part = problem->partition.part;
    for (size_t c = 0; c < problem->n_elements; c++) {
        uint32_t first = part[c];
        bool two = false;
        for (size_t k = c * problem->width; k < (c + 1) * problem->width; k++) {
            const uint32_t reader = part[problem->columns[k]];
            if (reader == part[c]) continue;
            if (first == part[c]) first = reader;
            two = two || reader != first;
        }
        mixed[part[c]] += two;
    }
}

/* Counts by the measure mixed if `weight` is given: the addition of each part to the burden of the parts that need its elements. */
static struct counts count(const struct problem *problem, const size_t *weight)
{
    const mt_partition *p = &problem->partition;
    struct counts counts = {0};
    uint8_t *needs = calloc(problem->n_elements, 1), *sends = calloc(p->n_parts, 1);
    cr_assert(needs && sends);
    for (uint32_t q = 0; q < p->n_parts; q++) {
        size_t size = 0, needed = 0;
        memset(needs, 0, problem->n_elements);
        memset(sends, 0, p->n_parts);
        for (size_t k = 0; k < problem->n_elements * problem->width; k++)
            if (p->part[k / problem->width] == q) needs[problem->columns[k]] = 1;
        for (size_t c = 0; c < problem->n_elements; c++) {
            size += p->part[c] == q;
            if (!needs[c] || p->part[c] == q) continue;
            needed += 1 + (weight && !sends[p->part[c]] ? weight[p->part[c]] : 0);
            sends[p->part[c]] = 1;
            counts.crossing += p->part[c] / p->parts_per_group != q / p->parts_per_group;
        }
        counts.total += needed;
        if (needed > counts.largest) counts.largest = needed;
        if (size > counts.fullest) counts.fullest = size;
        counts.empty += size == 0;
    }
    free(needs);
    free(sends);
    return counts;
}

static mt_status balance(struct problem *problem, mt_balance_measure measure, mt_balance *report)
{
    return mt_balance_halo(&(mt_pattern){problem->n_elements, problem->width, problem->columns, NULL, NULL},
        1.03, measure, &problem->partition, report);
}

/* Balances, and checks all claims of mesh/cut/balance.h. */
static void assert_balances(struct problem *problem, mt_balance_measure measure, mt_balance *report)
{
    size_t *mixed = taken(problem, problem->partition.n_parts, sizeof *mixed);
    count_mixed(problem, mixed);
    const size_t *weight = measure == MT_BALANCE_MIXED ? mixed : NULL;
    const struct counts before = count(problem, weight);
    const size_t n = problem->n_elements, in_group = problem->partition.parts_per_group;
    const double mean = (double)n / problem->partition.n_parts;
    uint32_t *part = taken(problem, n, sizeof *part), *once = taken(problem, n, sizeof *once);
    memcpy(part, problem->partition.part, n * sizeof *part);
    cr_assert_eq(balance(problem, measure, report), MT_OK, "%s", mt_message());
    const struct counts after = count(problem, weight);
    cr_assert(report->largest_before == before.largest && report->total_before == before.total);
    cr_assert(report->largest_after == after.largest && report->total_after == after.total);
    cr_assert_leq(after.largest, before.largest);
    cr_assert_leq(after.crossing, before.crossing);
    cr_assert_leq(after.empty, before.empty);
    cr_assert(after.fullest <= before.fullest || (double)after.fullest < 1.03 * mean + 1);
    for (size_t c = 0; c < n; c++)
        cr_assert_eq(
            problem->partition.part[c] / in_group, part[c] / in_group, "element %zu changes its group", c);
    cr_assert(report->moves > 0 || memcmp(part, problem->partition.part, n * sizeof *part) == 0);
    memcpy(once, problem->partition.part, n * sizeof *once);
    memcpy(problem->partition.part, part, n * sizeof *part);
    cr_assert_eq(balance(problem, measure, report), MT_OK, "%s", mt_message());
    cr_assert_arr_eq(problem->partition.part, once, n * sizeof *once);
}

Test(balance, the_guarantees_hold_for_any_symmetric_pattern)
{
    size_t moves = 0, better = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct problem problem;
        mt_balance report;
        random_pairs(&problem, seed);
        assert_balances(&problem, seed % 2 ? MT_BALANCE_NEEDED : MT_BALANCE_MIXED, &report);
        moves += report.moves;
        better += report.largest_after < report.largest_before;
        mt_arena_free(&problem.arena);
    }
    cr_assert(moves > 400 && better > 100, "too few cases: %zu moves, %zu of 400 better", moves, better);
}

Test(balance, the_largest_number_of_needed_elements_on_a_slab_falls_by_a_tenth)
{
    for (uint32_t n_groups = 1; n_groups <= 4; n_groups += 3) {
        struct problem problem;
        mt_balance report;
        slab(&problem, 10, 7, 3, 0.5, n_groups, 96 / n_groups);
        assert_balances(&problem, MT_BALANCE_NEEDED, &report);
        cr_assert_leq(10 * report.largest_after, 9 * report.largest_before, "%zu from %zu",
            report.largest_after, report.largest_before);
        mt_arena_free(&problem.arena);
    }
}

/* Under mixed-clean, as mesh/cut/halo.h counts: by needed first, then by mixed. */
Test(balance, received_elements_under_mixed_clean_decrease_by_either_measure)
{
    struct problem problem;
    mt_balance report;
    mt_scheme scheme;
    size_t largest[3] = {0};
    slab(&problem, 10, 7, 3, 0.5, 4, 24);
    cr_assert_eq(mt_scheme_find("mixed-clean", 0, &scheme), MT_OK, "%s", mt_message());
    for (int round = 0; round < 3; round++) {
        mt_halo halo;
        cr_assert_eq(mt_halo_make(&problem.arena,
                         &(mt_pattern){problem.n_elements, problem.width, problem.columns, NULL, NULL},
                         &problem.partition, &scheme, &halo),
            MT_OK, "%s", mt_message());
        for (uint32_t p = 0; p < halo.n_parts; p++)
            if (halo.inbound[p] > largest[round]) largest[round] = halo.inbound[p];
        if (round < 2) assert_balances(&problem, round == 0 ? MT_BALANCE_NEEDED : MT_BALANCE_MIXED, &report);
    }
    cr_assert(largest[2] < largest[1] && largest[1] < largest[0], "%zu, %zu, %zu", largest[0], largest[1],
        largest[2]);
    mt_arena_free(&problem.arena);
}

/* Two squares of four by four elements that read their neighbours, with two elements of the left one protruding into the right: a grid of
 * eight by four elements, read up, down, left and right. A straight border needs 4, the minimum. */
Test(balance, protruding_elements_are_moved_to_the_adjacent_part)
{
    struct problem problem = {.n_elements = 32, .width = 4};
    problem.columns = taken(&problem, 32 * 4, sizeof(uint32_t));
    uint32_t part[32];
    for (uint32_t c = 0; c < 32; c++) {
        const uint32_t x = c % 8, y = c / 8;
        const uint32_t row[4] = {x > 0 ? c - 1 : c, x < 7 ? c + 1 : c, y > 0 ? c - 8 : c, y < 3 ? c + 8 : c};
        memcpy(problem.columns + 4 * (size_t)c, row, sizeof row);
        part[c] = x < 4 ? 0 : 1;
    }
    part[8 + 4] = part[8 + 5] = 0;
    problem.partition = (mt_partition){.n_parts = 2, .parts_per_group = 2, .n_elements = 32, .part = part};
    mt_balance report;
    assert_balances(&problem, MT_BALANCE_NEEDED, &report);
    cr_assert(report.largest_before == 6 && report.largest_after == 4, "%zu to %zu", report.largest_before,
        report.largest_after);
    mt_arena_free(&problem.arena);
}

Test(balance, invalid_patterns_and_partitions_are_rejected)
{
    uint32_t part[3] = {0, 1, 1}, columns[6] = {1, 0, 0, 2, 1, 2};
    struct problem problem = {.n_elements = 3, .width = 2, .columns = columns};
    problem.partition = (mt_partition){.n_parts = 2, .parts_per_group = 2, .n_elements = 3, .part = part};
    mt_balance report;
    cr_assert_eq(balance(&problem, MT_BALANCE_NEEDED, &report), MT_OK, "%s", mt_message());
    columns[4] = 0; /* row 2 reads element 0, and row 0 does not read element 2 */
    cr_assert_eq(balance(&problem, MT_BALANCE_NEEDED, &report), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "row 1 has element 2 1 times and row 2 has element 1 0 times"),
        "%s", mt_message());
    columns[4] = columns[5] = 1;
    cr_assert_eq(balance(&problem, MT_BALANCE_NEEDED, &report), MT_INPUT);
    columns[5] = 3;
    cr_assert_eq(balance(&problem, MT_BALANCE_NEEDED, &report), MT_INPUT);
    cr_assert_not_null(
        strstr(mt_message(), "row 2 reads element 3; there are 3 elements"), "%s", mt_message());
    columns[5] = 2;
    part[2] = 2;
    cr_assert_eq(balance(&problem, MT_BALANCE_NEEDED, &report), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "element 2: part 2; there are 2"), "%s", mt_message());
    part[2] = 1;
    cr_assert_eq(mt_balance_halo(&(mt_pattern){3, 2, columns, NULL, NULL}, 0, MT_BALANCE_NEEDED,
                     &problem.partition, &report),
        MT_INPUT);
    cr_assert_eq(mt_balance_halo(&(mt_pattern){3, 33, columns, NULL, NULL}, 1.03, MT_BALANCE_NEEDED,
                     &problem.partition, &report),
        MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "rows of 33 elements; at most 32"), "%s", mt_message());
    problem.partition.n_elements = 2;
    cr_assert_eq(balance(&problem, MT_BALANCE_NEEDED, &report), MT_INPUT);
    cr_assert_not_null(
        strstr(mt_message(), "a pattern of 3 elements and a partition of 2"), "%s", mt_message());
}

Test(balance, out_of_memory_is_reported_without_a_leak)
{
    struct problem problem;
    mt_balance report;
    mt_status status = MT_MEMORY;
    random_pairs(&problem, 5);
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena_fail_at(n);
        status = balance(&problem, MT_BALANCE_MIXED, &report);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK ? n > 4 : status == MT_MEMORY, "take %zu", n);
    }
    mt_arena_free(&problem.arena);
}
