/* Partitions where METIS behaves as badly as it may: here is one in its place that does. */
#include <criterion/criterion.h>

#include <math.h>
#include <metis.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mesh/partition.h"
#include "mesh/slab.h"

static int answer = METIS_OK;

/* Talks, and puts every cell into the last part. */
int METIS_PartGraphKway(idx_t *n_cells, idx_t *n_constraints, idx_t *start, idx_t *neighbour, idx_t *weight,
    idx_t *size, idx_t *edge_weight, idx_t *n_parts, real_t *target, real_t *imbalance, idx_t *options,
    idx_t *cut, idx_t *part)
{
    (void)n_constraints, (void)start, (void)neighbour, (void)weight, (void)size, (void)edge_weight;
    (void)target, (void)imbalance, (void)options;
    (void)printf("cannot bisect");
    *cut = 0;
    for (idx_t c = 0; c < *n_cells; c++) part[c] = *n_parts - 1;
    return answer;
}

static mt_status divide(
    mt_arena *arena, mt_partition_method method, mt_adjacency *adjacency, mt_partition *partition)
{
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(arena, (double[]){4, 2, 1}, 0.5, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(arena, &mesh, adjacency), MT_OK, "%s", mt_message());
    return mt_partition_make(arena, adjacency, &(mt_partition_options){method, 3, 7, 1.03}, partition);
}

Test(metis, whatever_it_answers_no_part_is_empty_or_too_large)
{
    for (int method = MT_PARTITION_FLAT; method <= MT_PARTITION_HIERARCHICAL; method++) {
        mt_arena arena = {0};
        mt_adjacency adjacency;
        mt_partition partition;
        size_t size[21] = {0};
        answer = METIS_OK;
        cr_assert_eq(
            divide(&arena, (mt_partition_method)method, &adjacency, &partition), MT_OK, "%s", mt_message());
        for (size_t c = 0; c < partition.n_cells; c++) size[partition.part[c]]++;
        for (size_t p = 0; p < 21; p++)
            cr_assert(size[p] > 0 && (double)size[p] <= ceil(1.03 * (double)partition.n_cells / 21),
                "part %zu: %zu cells", p, size[p]);
        cr_assert_eq(partition.edge_cut, mt_partition_edge_cut(&adjacency, partition.part));
        mt_arena_free(&arena);
    }
}

Test(metis, its_printing_does_not_reach_the_output_and_ours_does)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition partition;
    char text[64] = "";
    FILE *output = tmpfile();
    const int kept = dup(STDOUT_FILENO);
    cr_assert(output && kept >= 0 && dup2(fileno(output), STDOUT_FILENO) >= 0);
    (void)printf("before ");
    const mt_status status = divide(&arena, MT_PARTITION_HIERARCHICAL, &adjacency, &partition);
    (void)printf("after");
    (void)fflush(stdout);
    cr_assert_geq(dup2(kept, STDOUT_FILENO), 0);
    rewind(output);
    (void)fread(text, 1, sizeof text - 1, output);
    cr_assert_eq(status, MT_OK, "%s", mt_message());
    cr_assert_str_eq(text, "before after");
    (void)fclose(output);
    (void)close(kept);
    mt_arena_free(&arena);
}

Test(metis, its_refusals_are_handed_on)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition partition;
    answer = METIS_ERROR_MEMORY;
    cr_assert_eq(divide(&arena, MT_PARTITION_FLAT, &adjacency, &partition), MT_FILE);
    cr_assert_not_null(strstr(mt_message(), "out of memory for 384 cells in 21 parts"), "%s", mt_message());
    answer = METIS_ERROR_INPUT;
    cr_assert_eq(divide(&arena, MT_PARTITION_HIERARCHICAL, &adjacency, &partition), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "refuses 384 cells in 3 parts"), "%s", mt_message());
    mt_arena_free(&arena);
}
