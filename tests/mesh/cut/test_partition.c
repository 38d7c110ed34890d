#include <criterion/criterion.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "mesh/cut/partition.h"
#include "mesh/make/slab.h"

static void slab(mt_arena *arena, double x, double y, double z, double edge, mt_adjacency *adjacency)
{
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(arena, (double[]){x, y, z}, edge, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(arena, &mesh, adjacency), MT_OK, "%s", mt_message());
}

/* Groups on a line. */
static uint64_t along(uint32_t group, uint32_t other)
{
    return group < other ? other - group : group - other;
}

static void divide_by(mt_arena *arena, const mt_adjacency *adjacency, mt_partition_method method,
    uint32_t n_groups, uint32_t parts_per_group, mt_partition *partition)
{
    cr_assert_eq(
        mt_partition_make(arena, adjacency,
            &(mt_partition_options){method, n_groups, parts_per_group, 1.03, along, 0, 0}, partition),
        MT_OK, "%s", mt_message());
    cr_assert(partition->n_parts == n_groups * parts_per_group &&
              partition->parts_per_group == parts_per_group &&
              partition->n_elements == adjacency->n_elements);
}

static void divide(mt_arena *arena, const mt_adjacency *adjacency, uint32_t n_parts, mt_partition *partition)
{
    divide_by(arena, adjacency, MT_PARTITION_FLAT, 1, n_parts, partition);
}

static size_t largest(mt_arena *arena, const mt_partition *partition, size_t *n_empty)
{
    size_t *size = mt_arena_alloc(arena, partition->n_parts, sizeof *size), most = 0;
    cr_assert_not_null(size);
    *n_empty = 0;
    for (size_t c = 0; c < partition->n_elements; c++) size[partition->part[c]]++;
    for (uint32_t p = 0; p < partition->n_parts; p++) {
        if (size[p] > most) most = size[p];
        *n_empty += size[p] == 0;
    }
    return most;
}

/* METIS alone does not achieve this: parts of a few elements are too small for it. */
Test(partition, no_part_of_a_slab_is_empty_or_exceeds_the_imbalance)
{
    static const uint32_t parts[][2] = {{1, 64}, {4, 16}, {1, 7512}, {3, 300}};
    mt_arena arena = {0};
    mt_adjacency adjacency;
    slab(&arena, 10, 7, 3, 0.5, &adjacency);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (int method = MT_PARTITION_FLAT; method <= MT_PARTITION_HIERARCHICAL; method++) {
            mt_partition partition;
            size_t n_empty;
            divide_by(&arena, &adjacency, (mt_partition_method)method, parts[i][0], parts[i][1], &partition);
            const double bound = 1.03 * (double)adjacency.n_elements / partition.n_parts;
            cr_assert_leq((double)largest(&arena, &partition, &n_empty), ceil(bound), "case %zu", i);
            cr_assert_eq(n_empty, 0, "case %zu: %zu empty", i, n_empty);
        }
    mt_arena_free(&arena);
}

static mt_partition groups_of(mt_arena *arena, const mt_partition *partition)
{
    mt_partition groups = {.n_parts = partition->n_parts / partition->parts_per_group,
        .parts_per_group = 1,
        .n_elements = partition->n_elements,
        .part = mt_arena_alloc(arena, partition->n_elements, sizeof(uint32_t))};
    for (size_t c = 0; c < partition->n_elements; c++)
        groups.part[c] = partition->part[c] / partition->parts_per_group;
    return groups;
}

/* A tenth of 3 %, and one element. */
Test(partition, hierarchical_groups_are_nearly_equal_and_have_fewer_faces_between_them)
{
    static const double size[][3] = {{20, 7, 3}, {12, 12, 1.5}, {40, 2, 2}};
    mt_arena arena = {0};
    for (size_t i = 0; i < 3; i++) {
        mt_adjacency adjacency;
        mt_partition flat, first;
        size_t n_empty;
        slab(&arena, size[i][0], size[i][1], size[i][2], 0.5, &adjacency);
        divide_by(&arena, &adjacency, MT_PARTITION_FLAT, 6, 50, &flat);
        divide_by(&arena, &adjacency, MT_PARTITION_HIERARCHICAL, 6, 50, &first);
        const mt_partition of_flat = groups_of(&arena, &flat), of_first = groups_of(&arena, &first);
        const size_t cut_flat = mt_partition_edge_cut(&adjacency, of_flat.part);
        const size_t cut_first = mt_partition_edge_cut(&adjacency, of_first.part);
        cr_assert_leq(10 * cut_first, 8 * cut_flat, "mesh %zu: %zu and %zu faces", i, cut_first, cut_flat);
        cr_assert_leq(
            (double)largest(&arena, &of_first, &n_empty), 1.003 * (double)adjacency.n_elements / 6 + 1);
    }
    mt_arena_free(&arena);
}

/* Eight groups: the k-th from one end or the other has number k. */
Test(partition, groups_of_a_bar_are_numbered_in_order_along_it)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_partition partition;
    double x[8] = {0}, elements[8] = {0};
    cr_assert_eq(mt_slab_make(&arena, (double[]){32, 1, 1}, 0.25, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK, "%s", mt_message());
    divide_by(&arena, &adjacency, MT_PARTITION_HIERARCHICAL, 8, 12, &partition);
    for (size_t c = 0; c < mesh.n_elements; c++) {
        x[partition.part[c] / 12] += mesh.xyz_mm[3 * (size_t)mesh.element_vertex[4 * c]];
        elements[partition.part[c] / 12]++;
    }
    for (int g = 0; g < 8; g++) x[g] /= elements[g];
    const bool upwards = x[0] < x[7];
    for (int g = 0; g < 8; g++) {
        int place = 0; /* along the bar */
        for (int h = 0; h < 8; h++) place += upwards ? x[h] < x[g] : x[h] > x[g];
        cr_assert_eq(place, g, "group %d is the %d-th", g, place);
    }
    mt_arena_free(&arena);
}

Test(partition, with_one_group_hierarchical_is_flat)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition flat, first;
    slab(&arena, 4, 4, 2, 0.5, &adjacency);
    divide_by(&arena, &adjacency, MT_PARTITION_FLAT, 1, 17, &flat);
    divide_by(&arena, &adjacency, MT_PARTITION_HIERARCHICAL, 1, 17, &first);
    cr_assert_arr_eq(flat.part, first.part, flat.n_elements * sizeof *flat.part);
    mt_arena_free(&arena);
}

Test(partition, cut_faces_are_counted_and_few)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition partition;
    size_t cut = 0;
    slab(&arena, 8, 1, 1, 0.25, &adjacency);
    divide(&arena, &adjacency, 2, &partition);
    for (size_t k = 0; k < 4 * adjacency.n_elements; k++)
        if (adjacency.neighbour[k] != MT_NO_ELEMENT)
            cut += partition.part[k / 4] != partition.part[adjacency.neighbour[k]];
    cr_assert_eq(partition.edge_cut, cut / 2);
    /* A straight cut across the bar crosses 4 x 4 boxes of two faces; the limit is twice that. */
    cr_assert_leq(partition.edge_cut, 2 * 2 * 16);
    cr_assert_gt(partition.edge_cut, 0);
    mt_arena_free(&arena);
}

Test(partition, partitioning_is_deterministic)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    slab(&arena, 4, 4, 2, 0.5, &adjacency);
    for (int method = MT_PARTITION_FLAT; method <= MT_PARTITION_HIERARCHICAL; method++) {
        mt_partition one, two, other;
        divide_by(&arena, &adjacency, (mt_partition_method)method, 3, 17, &one);
        divide(&arena, &adjacency, 5, &other);
        divide_by(&arena, &adjacency, (mt_partition_method)method, 3, 17, &two);
        cr_assert_arr_eq(one.part, two.part, one.n_elements * sizeof *one.part);
        cr_assert_eq(one.edge_cut, two.edge_cut);
    }
    mt_arena_free(&arena);
}

Test(partition, any_number_of_parts_is_accepted)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    slab(&arena, 2, 2, 1, 1, &adjacency); /* 24 elements */
    for (uint32_t n = 1; n <= 60; n++) {
        mt_partition partition;
        size_t n_empty;
        divide(&arena, &adjacency, n, &partition);
        size_t most = largest(&arena, &partition, &n_empty);
        cr_assert(most <= (size_t)ceil(1.03 * 24 / n) && n_empty == (n > 24 ? n - 24 : 0), "%u parts", n);
        if (n == 1) cr_assert_eq(partition.edge_cut, 0);
        if (n >= 24) cr_assert_eq(partition.edge_cut, mt_adjacency_inner_faces(&adjacency));
        for (uint32_t groups = 2; groups <= n; groups++) {
            if (n % groups > 0) continue;
            divide_by(&arena, &adjacency, MT_PARTITION_HIERARCHICAL, groups, n / groups, &partition);
            most = largest(&arena, &partition, &n_empty);
            cr_assert(most <= (size_t)ceil(1.03 * 24 / n) && n_empty == (n > 24 ? n - 24 : 0),
                "%u groups of %u parts", groups, n / groups);
        }
    }
    mt_arena_free(&arena);
}

Test(partition, elements_without_neighbours_can_be_partitioned)
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

Test(partition, invalid_input_is_rejected)
{
    static const double bad[] = {1, 0, -1, 2.5, NAN, INFINITY};
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition partition;
    slab(&arena, 1, 1, 1, 1, &adjacency);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_eq(mt_partition_make(&arena, &adjacency,
                         &(mt_partition_options){MT_PARTITION_FLAT, 1, 2, bad[i], NULL, 0, 0}, &partition),
            MT_INPUT);
        cr_assert_not_null(strstr(mt_message(), "1.001 to 2 are allowed"), "%s", mt_message());
    }
    cr_assert_eq(mt_partition_make(&arena, &adjacency,
                     &(mt_partition_options){MT_PARTITION_FLAT, 1, 0, 1.03, NULL, 0, 0}, &partition),
        MT_INPUT);
    const mt_adjacency huge = {(size_t)1 << 31, NULL};
    cr_assert_eq(mt_partition_make(&arena, &huge,
                     &(mt_partition_options){MT_PARTITION_FLAT, 1, 2, 1.03, NULL, 0, 0}, &partition),
        MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "2147483648 elements; at most 2147483647"), "%s", mt_message());
    mt_arena_free(&arena);
}

Test(partition, the_check_detects_a_part_number_out_of_range)
{
    uint32_t part[3] = {0, 1, 2};
    const mt_partition partition = {.n_parts = 2, .parts_per_group = 1, .n_elements = 3, .part = part};
    cr_assert_eq(mt_partition_check(&partition), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "element 2: part 2; there are 2"), "%s", mt_message());
}

Test(partition, out_of_memory_is_reported_without_a_leak)
{
    mt_arena lasting = {0};
    mt_adjacency adjacency;
    slab(&lasting, 2, 2, 1, 1, &adjacency);
    mt_status status = MT_MEMORY;
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_partition partition;
        mt_arena_fail_at(n);
        status = mt_partition_make(&arena, &adjacency,
            &(mt_partition_options){MT_PARTITION_HIERARCHICAL, 2, 4, 1.03, along, 0, 0}, &partition);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK ? n > 4 : status == MT_MEMORY, "take %zu", n);
    }
    mt_arena_free(&lasting);
}

/* the sanitizer's allocator ends the process */
#ifndef MT_SANITIZE
static size_t data_bytes(void)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    cr_assert(file && fscanf(file, "%*u %*u %*u %*u %*u %zu", &pages) == 1);
    (void)fclose(file);
    return pages * 4096;
}

/* METIS itself, with a limit of additional memory: sufficient, or too small at one place or another. */
Test(partition, out_of_memory_at_any_point_in_metis_is_reported_as_such)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition whole, partition;
    struct rlimit limit;
    size_t failures = 0, successes = 0;
    slab(&arena, 20, 7, 3, 0.5, &adjacency);
    divide(&arena, &adjacency, 64, &whole);
    cr_assert_eq(getrlimit(RLIMIT_DATA, &limit), 0);
    const size_t now = data_bytes();
    for (size_t more = 0; more < 12 << 20; more += 1 << 20) {
        mt_arena short_lived = {0};
        limit.rlim_cur = now + more;
        cr_assert_eq(setrlimit(RLIMIT_DATA, &limit), 0);
        const mt_status status = mt_partition_make(&short_lived, &adjacency,
            &(mt_partition_options){MT_PARTITION_FLAT, 1, 64, 1.03, NULL, 0, 0}, &partition);
        limit.rlim_cur = limit.rlim_max;
        cr_assert_eq(setrlimit(RLIMIT_DATA, &limit), 0);
        cr_assert(
            status == MT_OK || status == MT_MEMORY, "with %zu: %d, %s", more, (int)status, mt_message());
        if (status == MT_MEMORY)
            cr_assert(strstr(mt_message(), "out of memory"), "with %zu: %s", more, mt_message());
        if (status == MT_OK)
            cr_assert(partition.metis_failures == 0 &&
                          memcmp(partition.part, whole.part, adjacency.n_elements * sizeof *whole.part) == 0,
                "with %zu: %s", more, partition.remark);
        failures += status == MT_MEMORY && strstr(mt_message(), "***Memory allocation failed") != NULL;
        successes += status == MT_OK;
        mt_arena_free(&short_lived);
    }
    cr_assert(failures > 0 && successes > 0, "%zu, %zu", failures, successes);
    mt_arena_free(&arena);
}
#endif
