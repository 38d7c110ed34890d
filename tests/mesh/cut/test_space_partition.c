/* Partitions by the positions of the elements: curve and bisection. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/cut/partition.h"
#include "mesh/make/slab.h"
#include "tests/random.h"

static const mt_partition_method methods[] = {MT_PARTITION_CURVE, MT_PARTITION_BISECTION};

typedef struct body {
    mt_arena arena;
    mt_adjacency adjacency;
    mt_cut_graph graph;
    double *xyz_mm;
} body;

/* A slab of boxes with sides of 1 mm, with the centroids of its tetrahedra. */
static void make_slab(body *b, double x, double y, double z)
{
    mt_mesh mesh;
    *b = (body){0};
    cr_assert_eq(mt_slab_make(&b->arena, (double[]){x, y, z}, 1, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&b->arena, &mesh, &b->adjacency), MT_OK, "%s", mt_message());
    b->xyz_mm = mt_arena_alloc(&b->arena, 3 * mesh.n_elements, sizeof *b->xyz_mm);
    for (size_t c = 0; c < mesh.n_elements; c++) mt_mesh_centroid(&mesh, c, b->xyz_mm + 3 * c);
    b->graph = mt_cut_graph_of(&b->adjacency);
    b->graph.xyz_mm = b->xyz_mm;
}

/* The list of a graph without edges. */
static const uint32_t nobody[1] = {0};

/* Points at random positions, without edges. */
static void make_points(body *b, size_t n)
{
    static const size_t none[5000] = {0};
    uint64_t state = 7;
    *b = (body){.graph = {.n_nodes = n, .start = none, .near = nobody}};
    cr_assert_lt(n, sizeof none / sizeof *none);
    b->graph.xyz_mm = b->xyz_mm = mt_arena_alloc(&b->arena, 3 * n, sizeof *b->xyz_mm);
    for (size_t i = 0; i < 3 * n; i++) b->xyz_mm[i] = between(&state, -3, (double)(5 - i % 3));
}

static mt_partition divide(
    body *b, mt_partition_method method, uint32_t groups, uint32_t parts, uint32_t width)
{
    mt_partition partition;
    const mt_partition_options options = {method, groups, parts, 1.03, NULL, width, 0};
    cr_assert_eq(mt_partition_make_of(&b->arena, &b->graph, &options, &partition), MT_OK, "%s", mt_message());
    return partition;
}

/* Returns the sums of weights, or numbers of elements, of the parts. */
static uint64_t *sizes(body *b, const mt_partition *partition, bool weighted)
{
    uint64_t *size = mt_arena_alloc(&b->arena, partition->n_parts, sizeof *size);
    for (size_t i = 0; i < partition->n_elements; i++)
        size[partition->part[i]] += weighted ? mt_cut_graph_weight(&b->graph, i) : 1;
    return size;
}

static uint32_t distance(uint32_t width, uint32_t p, uint32_t q)
{
    return (uint32_t)(abs((int)(p % width) - (int)(q % width)) + abs((int)(p / width) - (int)(q / width)));
}

/* The distances in the grid of the parts on both sides of a cut face. */
typedef struct routes {
    double mean;
    uint32_t most;
} routes;

static routes routes_of(const body *b, const mt_partition *partition, uint32_t width)
{
    routes r = {0, 0};
    uint64_t sum = 0, n = 0;
    for (size_t k = 0; k < 4 * b->adjacency.n_elements; k++) {
        const uint32_t other = b->adjacency.neighbour[k];
        if (other == MT_NO_ELEMENT || partition->part[k / 4] == partition->part[other]) continue;
        const uint32_t d = distance(width, partition->part[k / 4], partition->part[other]);
        sum += d, n++;
        if (d > r.most) r.most = d;
    }
    r.mean = (double)sum / (double)n;
    return r;
}

Test(
    space_partition, sizes_of_parts_with_elements_differ_by_at_most_one_and_the_largest_is_the_least_possible)
{
    static const uint32_t cases[][3] = {
        {1, 64, 8}, {1, 1000, 25}, {3, 77, 11}, {2, 500, 0}, {1, 1440, 30}, {5, 60, 12}, {1, 1, 1}};
    body b;
    make_slab(&b, 16, 10, 5);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const uint32_t *c = cases[i / 2], n_parts = c[0] * c[1];
        const mt_partition partition = divide(&b, methods[i % 2], c[0], c[1], c[2]);
        const uint64_t *size = sizes(&b, &partition, false);
        uint64_t least = UINT64_MAX, most = 0;
        for (uint32_t p = 0; p < n_parts; p++) {
            if (size[p] > 0 && size[p] < least) least = size[p];
            if (size[p] > most) most = size[p];
        }
        cr_assert_leq(most, least + 1, "case %zu: %zu and %zu", i, (size_t)least, (size_t)most);
        cr_assert_eq(most, (b.graph.n_nodes + n_parts - 1) / n_parts, "case %zu", i);
        cr_assert_eq(partition.edge_cut, mt_partition_edge_cut(&b.adjacency, partition.part));
    }
    mt_arena_free(&b.arena);
}

/* 12 x 8 parts of 2 x 2 boxes, or 7 x 5 parts whose sides cross boxes. */
Test(space_partition, bisection_of_a_plate_makes_neighbours_of_parts_neighbours_in_the_grid)
{
    static const uint32_t grids[][2] = {{12, 8}, {7, 5}};
    body b;
    make_slab(&b, 24, 16, 1);
    for (size_t i = 0; i < 2; i++) {
        const uint32_t width = grids[i][0], parts = width * grids[i][1];
        const mt_partition partition = divide(&b, MT_PARTITION_BISECTION, 1, parts, width);
        const routes r = routes_of(&b, &partition, width);
        cr_assert(r.most <= 2 && r.mean < 1.1, "%u parts: at most %u, %g on average", parts, r.most, r.mean);
    }
    mt_arena_free(&b.arena);
}

Test(space_partition, routes_in_a_body_are_shorter_than_with_the_numbers_of_metis)
{
    body b;
    make_slab(&b, 40, 14, 6);
    const mt_partition flat = divide(&b, MT_PARTITION_FLAT, 1, 900, 30),
                       bisection = divide(&b, MT_PARTITION_BISECTION, 1, 900, 30),
                       curve = divide(&b, MT_PARTITION_CURVE, 1, 900, 30);
    const routes of_flat = routes_of(&b, &flat, 30), of_bisection = routes_of(&b, &bisection, 30),
                 of_curve = routes_of(&b, &curve, 30);
    cr_assert_lt(2 * of_bisection.mean, of_flat.mean, "%g and %g", of_bisection.mean, of_flat.mean);
    cr_assert_lt(2 * of_curve.mean, of_flat.mean, "%g and %g", of_curve.mean, of_flat.mean);
    cr_assert_lt((double)bisection.edge_cut, 1.3 * (double)flat.edge_cut, "%zu and %zu", bisection.edge_cut,
        flat.edge_cut);
    cr_assert_lt(
        (double)curve.edge_cut, 1.4 * (double)flat.edge_cut, "%zu and %zu", curve.edge_cut, flat.edge_cut);
    mt_arena_free(&b.arena);
}

/* 4096 points in 8 x 8 and in 16 x 16 parts. */
Test(space_partition, bisection_for_a_finer_grid_divides_each_part_into_four_neighbours)
{
    body b;
    make_points(&b, 4096);
    const mt_partition coarse = divide(&b, MT_PARTITION_BISECTION, 1, 64, 8),
                       fine = divide(&b, MT_PARTITION_BISECTION, 1, 256, 16);
    for (size_t i = 0; i < 4096; i++)
        cr_assert_eq(fine.part[i] / 16 / 2 * 8 + fine.part[i] % 16 / 2, coarse.part[i], "point %zu", i);
    mt_arena_free(&b.arena);
}

Test(space_partition, moved_scaled_and_repeated_positions_have_the_same_parts)
{
    body b;
    make_points(&b, 1000);
    for (int m = 0; m < 2; m++) {
        const mt_partition first = divide(&b, methods[m], 2, 60, 10);
        for (size_t i = 0; i < 3000; i++) b.xyz_mm[i] *= 0.25;
        omp_set_num_threads(3);
        const mt_partition again = divide(&b, methods[m], 2, 60, 10);
        omp_set_num_threads(1);
        for (size_t i = 0; i < 3000; i++) b.xyz_mm[i] *= 4;
        cr_assert_arr_eq(first.part, again.part, 1000 * sizeof *first.part);
    }
    mt_arena_free(&b.arena);
}

Test(space_partition, elements_at_one_position_are_divided_by_their_numbers)
{
    double xyz_mm[3 * 100];
    size_t start[101] = {0};
    for (size_t i = 0; i < 300; i++) xyz_mm[i] = 2;
    body b = {.graph = {.n_nodes = 100, .start = start, .near = nobody, .xyz_mm = xyz_mm}};
    for (int m = 0; m < 2; m++) {
        const mt_partition partition = divide(&b, methods[m], 1, 20, 0);
        for (size_t i = 0; i < 100; i++) cr_assert_eq(partition.part[i], i / 5, "%zu", i);
    }
    mt_arena_free(&b.arena);
}

/* A point in each cell of a cube: the defining property of a Hilbert curve. */
Test(space_partition, consecutive_parts_on_the_curve_are_neighbours_in_space)
{
    enum { SIDE = 8, N = SIDE * SIDE * SIDE };
    double xyz_mm[3 * N];
    size_t start[N + 1] = {0}, at[N];
    for (size_t i = 0; i < N; i++) {
        const size_t from = i * 75 % N; /* in disorder */
        xyz_mm[3 * i] = (double)(from % SIDE);
        xyz_mm[3 * i + 1] = (double)(from / SIDE % SIDE);
        xyz_mm[3 * i + 2] = (double)(from / SIDE / SIDE);
    }
    body b = {.graph = {.n_nodes = N, .start = start, .near = nobody, .xyz_mm = xyz_mm}};
    const mt_partition partition = divide(&b, MT_PARTITION_CURVE, 1, N, 0);
    for (size_t i = 0; i < N; i++) at[partition.part[i]] = i;
    for (size_t p = 1; p < N; p++) {
        double far = 0;
        for (size_t k = 0; k < 3; k++) far += fabs(xyz_mm[3 * at[p] + k] - xyz_mm[3 * at[p - 1] + k]);
        cr_assert_float_eq(far, 1, 1e-9, "parts %zu and %zu: %g", p - 1, p, far);
    }
    mt_arena_free(&b.arena);
}

Test(space_partition, groups_of_a_bar_follow_each_other_along_it)
{
    body b;
    make_slab(&b, 32, 2, 2);
    for (int m = 0; m < 2; m++) {
        const mt_partition partition = divide(&b, methods[m], 4, 6, 3);
        for (size_t i = 0; i < b.graph.n_nodes; i++) {
            const double place = b.xyz_mm[3 * i] / 8;
            const double group = mt_partition_group_of(&partition, i);
            cr_assert(place > group - 0.1 && place < group + 1.1, "%g in group %g", place, group);
        }
    }
    mt_arena_free(&b.arena);
}

/* Weights from 10 to 49, or a single heavy element. */
Test(space_partition, sums_of_weights_differ_from_their_mean_by_less_than_two_elements)
{
    enum { N = 4000 };
    uint32_t weight[N];
    uint64_t state = 5;
    body b;
    make_points(&b, N);
    b.graph.weight = weight;
    for (int i = 0; i < 6; i++) {
        static const uint32_t parts[] = {60, 600, 3000};
        for (size_t k = 0; k < N; k++) weight[k] = (uint32_t)(10 + draw(&state, 40));
        const mt_partition partition = divide(&b, methods[i % 2], 2, parts[i / 2], 20);
        const uint64_t *sum = sizes(&b, &partition, true), *size = sizes(&b, &partition, false);
        const double n = fmin(2. * parts[i / 2], N), mean = (double)mt_cut_graph_total(&b.graph) / n;
        double most = 0;
        size_t used = 0;
        for (uint32_t p = 0; p < partition.n_parts; p++) {
            most = fmax(most, (double)sum[p]);
            used += size[p] > 0;
        }
        cr_expect_leq(most, mean + 2 * 49, "case %d: %g of %g", i, most, mean);
        cr_expect_eq(used, (size_t)n, "case %d", i);
    }
    mt_arena_free(&b.arena);
}

Test(space_partition, a_heavy_element_leaves_no_part_empty)
{
    enum { N = 200 };
    uint32_t weight[N];
    body b;
    make_points(&b, N);
    b.graph.weight = weight;
    for (int i = 0; i < 2 * N; i += 7) {
        for (size_t k = 0; k < N; k++) weight[k] = k == (size_t)i / 2 ? 1000000 : 1;
        const mt_partition partition = divide(&b, methods[i % 2], 1, 150, 15);
        const uint64_t *size = sizes(&b, &partition, false);
        for (uint32_t p = 0; p < 150; p++) cr_assert_gt(size[p], 0, "case %d: part %u", i, p);
    }
    mt_arena_free(&b.arena);
}

/* 100 elements on 40 x 50 parts, with or without weights. */
Test(space_partition, with_fewer_elements_than_parts_each_is_a_part_of_a_square)
{
    uint32_t weight[100];
    body b;
    make_points(&b, 100);
    for (uint32_t k = 0; k < 100; k++) weight[k] = 1 + k % 7;
    for (int i = 0; i < 4; i++) {
        b.graph.weight = i < 2 ? NULL : weight;
        const mt_partition partition = divide(&b, methods[i % 2], 1, 2000, 40);
        const uint64_t *size = sizes(&b, &partition, false);
        for (uint32_t p = 0; p < 2000; p++)
            cr_assert_eq(
                size[p], p % 40 < 10 && p / 40 < 10, "case %d: part %u has %zu", i, p, (size_t)size[p]);
    }
    mt_arena_free(&b.arena);
}

Test(space_partition, at_most_the_given_number_of_parts_has_elements)
{
    body b;
    make_points(&b, 3000);
    for (int m = 0; m < 2; m++) {
        mt_partition partition;
        const mt_partition_options options = {methods[m], 1, 2000, 1.03, NULL, 40, 250};
        cr_assert_eq(
            mt_partition_make_of(&b.arena, &b.graph, &options, &partition), MT_OK, "%s", mt_message());
        const uint64_t *size = sizes(&b, &partition, false);
        for (uint32_t p = 0; p < 2000; p++)
            cr_assert_eq(size[p], p % 40 < 16 && p / 40 * 16 + p % 40 < 250 ? 12 : 0, "part %u", p);
    }
    mt_arena_free(&b.arena);
}

Test(space_partition, auto_is_flat_without_a_grid_and_bisection_with_one)
{
    body b;
    make_slab(&b, 6, 4, 2);
    for (uint32_t width = 0; width < 16; width += 8) {
        const mt_partition chosen = divide(&b, MT_PARTITION_AUTO, 1, 40, width),
                           same =
                               divide(&b, width ? MT_PARTITION_BISECTION : MT_PARTITION_FLAT, 1, 40, width);
        cr_assert_arr_eq(chosen.part, same.part, b.graph.n_nodes * sizeof *same.part);
    }
    mt_arena_free(&b.arena);
}

Test(space_partition, missing_positions_and_incomplete_rows_are_rejected)
{
    body b;
    mt_partition partition;
    make_points(&b, 30);
    for (int m = 0; m < 2; m++) {
        mt_partition_options options = {methods[m], 1, 10, 1.03, NULL, 4, 0};
        cr_assert_eq(mt_partition_make_of(&b.arena, &b.graph, &options, &partition), MT_INPUT);
        cr_assert_not_null(strstr(mt_message(), "10 parts in rows of 4"), "%s", mt_message());
        b.graph.xyz_mm = NULL;
        cr_assert_eq(mt_partition_make_of(&b.arena, &b.graph, &options, &partition), MT_INPUT);
        cr_assert_not_null(strstr(mt_message(), "without positions"), "%s", mt_message());
        b.graph.xyz_mm = b.xyz_mm;
    }
    mt_arena_free(&b.arena);
}

Test(space_partition, out_of_memory_is_reported_without_a_leak)
{
    body b;
    make_points(&b, 30);
    for (int m = 0; m < 2; m++) {
        mt_status status = MT_MEMORY;
        for (size_t n = 1; status != MT_OK; n++) {
            mt_arena arena = {0};
            mt_partition partition;
            mt_arena_fail_at(n);
            const mt_partition_options options = {methods[m], 1, 10, 1.03, NULL, 5, 0};
            status = mt_partition_make_of(&arena, &b.graph, &options, &partition);
            mt_arena_fail_at(0);
            mt_arena_free(&arena);
            cr_assert(status == MT_OK ? n > 2 : status == MT_MEMORY, "allocation %zu", n);
        }
    }
    mt_arena_free(&b.arena);
}
