#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/partition.h"
#include "mesh/slab.h"

static void slab(mt_arena *arena, double x, double y, double z, double edge, mt_adjacency *adjacency)
{
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(arena, (double[]){x, y, z}, edge, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(arena, &mesh, adjacency), MT_OK, "%s", mt_message());
}

static void divide(mt_arena *arena, const mt_adjacency *adjacency, uint32_t n_parts, mt_partition *partition)
{
    cr_assert_eq(mt_partition_make(arena, adjacency,
                     &(mt_partition_options){MT_PARTITION_FLAT, 1, n_parts, 1.03}, partition),
        MT_OK, "%s", mt_message());
    cr_assert(partition->n_parts == n_parts && partition->n_cells == adjacency->n_cells);
}

static size_t largest(mt_arena *arena, const mt_partition *partition, size_t *n_empty)
{
    size_t *size = mt_arena_take(arena, partition->n_parts, sizeof *size), most = 0;
    cr_assert_not_null(size);
    *n_empty = 0;
    for (size_t c = 0; c < partition->n_cells; c++) size[partition->part[c]]++;
    for (uint32_t p = 0; p < partition->n_parts; p++) {
        if (size[p] > most) most = size[p];
        *n_empty += size[p] == 0;
    }
    return most;
}

/* The bound with one cell more: METIS compares part weights as floats and moves whole cells. */
Test(partition, keeps_the_imbalance_on_a_slab)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition partition;
    size_t n_empty;
    slab(&arena, 20, 7, 3, 0.5, &adjacency);
    divide(&arena, &adjacency, 64, &partition);
    cr_assert_leq((double)largest(&arena, &partition, &n_empty), 1.03 * (double)adjacency.n_cells / 64 + 1);
    cr_assert_eq(n_empty, 0);
    mt_arena_free(&arena);
}

Test(partition, counts_its_cut_faces_and_the_cut_is_small)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition partition;
    size_t cut = 0;
    slab(&arena, 8, 1, 1, 0.25, &adjacency);
    divide(&arena, &adjacency, 2, &partition);
    for (size_t k = 0; k < 4 * adjacency.n_cells; k++)
        if (adjacency.neighbour[k] != MT_NO_CELL)
            cut += partition.part[k / 4] != partition.part[adjacency.neighbour[k]];
    cr_assert_eq(partition.edge_cut, cut / 2);
    /* A straight cut across the bar goes through 4 x 4 boxes of two faces; twice that is still near it. */
    cr_assert_leq(partition.edge_cut, 2 * 2 * 16);
    cr_assert_gt(partition.edge_cut, 0);
    mt_arena_free(&arena);
}

Test(partition, is_the_same_every_time)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition one, two, other;
    slab(&arena, 4, 4, 2, 0.5, &adjacency);
    divide(&arena, &adjacency, 17, &one);
    divide(&arena, &adjacency, 5, &other);
    divide(&arena, &adjacency, 17, &two);
    cr_assert_arr_eq(one.part, two.part, one.n_cells * sizeof *one.part);
    cr_assert_eq(one.edge_cut, two.edge_cut);
    mt_arena_free(&arena);
}

Test(partition, any_number_of_parts_is_taken)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    slab(&arena, 2, 2, 1, 1, &adjacency); /* 24 cells */
    for (uint32_t n = 1; n <= 60; n++) {
        mt_partition partition;
        size_t n_empty;
        divide(&arena, &adjacency, n, &partition);
        size_t most = largest(&arena, &partition, &n_empty);
        if (n == 1) cr_assert(most == 24 && partition.edge_cut == 0);
        if (n >= 24)
            cr_assert(
                most == 1 && n_empty == n - 24 && partition.edge_cut == mt_adjacency_inner_faces(&adjacency));
    }
    mt_arena_free(&arena);
}

Test(partition, cells_without_neighbours_can_be_divided)
{
    uint32_t neighbour[4 * 10];
    memset(neighbour, 0xff, sizeof neighbour);
    const mt_adjacency alone = {10, neighbour}, none = {0, neighbour};
    mt_arena arena = {0};
    mt_partition partition;
    divide(&arena, &alone, 3, &partition);
    cr_assert_eq(partition.edge_cut, 0);
    divide(&arena, &none, 3, &partition);
    mt_arena_free(&arena);
}

Test(partition, what_makes_no_sense_is_refused)
{
    static const double bad[] = {1, 0, -1, 2.5, NAN, INFINITY};
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition partition;
    slab(&arena, 1, 1, 1, 1, &adjacency);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_eq(mt_partition_make(&arena, &adjacency,
                         &(mt_partition_options){MT_PARTITION_FLAT, 1, 2, bad[i]}, &partition),
            MT_INPUT);
        cr_assert_not_null(strstr(mt_message(), "1.001 to 2 are allowed"), "%s", mt_message());
    }
    cr_assert_eq(mt_partition_make(
                     &arena, &adjacency, &(mt_partition_options){MT_PARTITION_FLAT, 1, 0, 1.03}, &partition),
        MT_INPUT);
    const mt_adjacency huge = {(size_t)1 << 31, NULL};
    cr_assert_eq(
        mt_partition_make(&arena, &huge, &(mt_partition_options){MT_PARTITION_FLAT, 1, 2, 1.03}, &partition),
        MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "2147483648 cells; at most 2147483647"), "%s", mt_message());
    mt_arena_free(&arena);
}

Test(partition, check_finds_a_part_there_is_not)
{
    uint32_t part[3] = {0, 1, 2};
    const mt_partition partition = {2, 1, 3, part, 0};
    cr_assert_eq(mt_partition_check(&partition), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "cell 2: part 2; there are 2"), "%s", mt_message());
}

Test(partition, without_memory_there_is_a_failure_and_no_leak)
{
    mt_arena lasting = {0};
    mt_adjacency adjacency;
    slab(&lasting, 2, 2, 1, 1, &adjacency);
    mt_status status = MT_FILE;
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_partition partition;
        mt_arena_fail_at(n);
        status = mt_partition_make(
            &arena, &adjacency, &(mt_partition_options){MT_PARTITION_FLAT, 1, 4, 1.03}, &partition);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK ? n > 4 : status == MT_FILE, "take %zu", n);
    }
    mt_arena_free(&lasting);
}
