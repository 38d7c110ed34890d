#include "mesh/partition.h"

#include <fcntl.h>
#include <metis.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(idx_t) == sizeof(uint32_t), "part[] is handed to METIS as it is");

const char *const mt_partition_methods[] = {"flat", NULL};

mt_status mt_partition_method_find(const char *name, mt_partition_method *method)
{
    char names[128] = "";
    for (int k = 0; mt_partition_methods[k]; k++) {
        if (strcmp(mt_partition_methods[k], name) == 0) {
            *method = (mt_partition_method)k;
            return MT_OK;
        }
        if (k > 0) (void)strncat(names, ", ", sizeof names - strlen(names) - 1);
        (void)strncat(names, mt_partition_methods[k], sizeof names - strlen(names) - 1);
    }
    return mt_fail(MT_INPUT, "partition '%s'; there are: %s", name, names);
}

/* ---- METIS ---- */

/* METIS prints where it cannot split a graph further, on the stream that belongs to the program's tables. */
static int turn_output_away(void)
{
    (void)fflush(stdout);
    const int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    if (kept >= 0 && nowhere >= 0) (void)dup2(nowhere, STDOUT_FILENO);
    if (nowhere >= 0) (void)close(nowhere);
    return kept;
}

static void turn_output_back(int kept)
{
    (void)fflush(stdout);
    if (kept < 0) return;
    (void)dup2(kept, STDOUT_FILENO);
    (void)close(kept);
}

static void fill_graph(const mt_adjacency *adjacency, idx_t *start, idx_t *neighbour)
{
    idx_t n = 0;
    for (size_t c = 0; c < adjacency->n_cells; c++) {
        start[c] = n;
        for (size_t f = 0; f < 4; f++)
            if (adjacency->neighbour[4 * c + f] != MT_NO_CELL)
                neighbour[n++] = (idx_t)adjacency->neighbour[4 * c + f];
    }
    start[adjacency->n_cells] = n;
}

static mt_status call_metis(
    mt_arena *scratch, const mt_adjacency *adjacency, double imbalance, mt_partition *partition)
{
    idx_t *start, *neighbour, options[METIS_NOPTIONS], cut = 0, one = 1;
    idx_t n_cells = (idx_t)adjacency->n_cells, n_parts = (idx_t)partition->n_parts;
    real_t bound = (real_t)imbalance;
    MT_TAKE(scratch, start, adjacency->n_cells + 1);
    MT_TAKE(scratch, neighbour, 2 * mt_adjacency_inner_faces(adjacency));
    fill_graph(adjacency, start, neighbour);
    (void)METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    const int output = turn_output_away();
    const int answer = METIS_PartGraphKway(&n_cells, &one, start, neighbour, NULL, NULL, NULL, &n_parts, NULL,
        &bound, options, &cut, (idx_t *)partition->part);
    turn_output_back(output);
    if (answer == METIS_ERROR_MEMORY)
        return mt_fail(MT_FILE, "METIS: out of memory for %zu cells in %u parts", adjacency->n_cells,
            partition->n_parts);
    if (answer != METIS_OK)
        return mt_fail(MT_INPUT, "METIS: refuses %zu cells in %u parts (answer %d)", adjacency->n_cells,
            partition->n_parts, answer);
    return MT_OK;
}

static mt_status divide(const mt_adjacency *adjacency, double imbalance, mt_partition *partition)
{
    size_t n = adjacency->n_cells;
    if (partition->n_parts == 1) return MT_OK; /* the arena's zeroes */
    if (partition->n_parts >= n) {
        for (size_t c = 0; c < n; c++) partition->part[c] = (uint32_t)c;
        return MT_OK;
    }
    if (2 * mt_adjacency_inner_faces(adjacency) > (size_t)IDX_MAX)
        return mt_fail(MT_INPUT, "METIS: a graph of %zu cells has %zu entries; at most %lld are allowed", n,
            2 * mt_adjacency_inner_faces(adjacency), (long long)IDX_MAX);
    mt_arena scratch = {0};
    mt_status status = call_metis(&scratch, adjacency, imbalance, partition);
    mt_arena_free(&scratch);
    return status;
}

/* ---- partitions ---- */

size_t mt_partition_edge_cut(const mt_adjacency *adjacency, const uint32_t *part)
{
    size_t cut = 0;
    for (size_t c = 0; c < adjacency->n_cells; c++)
        for (size_t f = 0; f < 4; f++) {
            uint32_t n = adjacency->neighbour[4 * c + f];
            cut += n != MT_NO_CELL && n > c && part[n] != part[c];
        }
    return cut;
}

mt_status mt_partition_make(mt_arena *arena, const mt_adjacency *adjacency,
    const mt_partition_options *options, mt_partition *partition)
{
    const uint64_t n_parts = (uint64_t)options->n_groups * options->parts_per_group;
    if (n_parts == 0 || n_parts > INT32_MAX)
        return mt_fail(MT_INPUT, "a partition into %u groups of %u parts; 1 to %d parts are allowed",
            options->n_groups, options->parts_per_group, INT32_MAX);
    if (!(options->imbalance >= 1.001 && options->imbalance <= 2))
        return mt_fail(MT_INPUT, "a partition with imbalance %g; 1.001 to 2 are allowed", options->imbalance);
    if (adjacency->n_cells > (size_t)IDX_MAX)
        return mt_fail(
            MT_INPUT, "METIS: %zu cells; at most %lld are allowed", adjacency->n_cells, (long long)IDX_MAX);
    *partition = (mt_partition){.n_parts = (uint32_t)n_parts,
        .parts_per_group = options->parts_per_group,
        .n_cells = adjacency->n_cells};
    MT_TAKE(arena, partition->part, adjacency->n_cells);
    MT_TRY(divide(adjacency, options->imbalance, partition));
    partition->edge_cut = mt_partition_edge_cut(adjacency, partition->part);
    return mt_partition_check(partition);
}

mt_status mt_partition_check(const mt_partition *partition)
{
    if (partition->parts_per_group == 0 || partition->n_parts % partition->parts_per_group != 0)
        return mt_fail(MT_INPUT, "%u parts in groups of %u", partition->n_parts, partition->parts_per_group);
    for (size_t c = 0; c < partition->n_cells; c++)
        if (partition->part[c] >= partition->n_parts)
            return mt_fail(
                MT_INPUT, "cell %zu: part %u; there are %u", c, partition->part[c], partition->n_parts);
    return MT_OK;
}
