#include "mesh/partition.h"

#include <metis.h>

_Static_assert(sizeof(idx_t) == sizeof(uint32_t), "part[] is handed to METIS as it is");

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
    int answer = METIS_PartGraphKway(&n_cells, &one, start, neighbour, NULL, NULL, NULL, &n_parts, NULL,
        &bound, options, &cut, (idx_t *)partition->part);
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

static size_t edge_cut(const mt_adjacency *adjacency, const uint32_t *part)
{
    size_t cut = 0;
    for (size_t c = 0; c < adjacency->n_cells; c++)
        for (size_t f = 0; f < 4; f++) {
            uint32_t n = adjacency->neighbour[4 * c + f];
            cut += n != MT_NO_CELL && n > c && part[n] != part[c];
        }
    return cut;
}

mt_status mt_partition_kway(mt_arena *arena, const mt_adjacency *adjacency, uint32_t n_parts,
    double imbalance, mt_partition *partition)
{
    if (n_parts == 0) return mt_fail(MT_INPUT, "a partition into 0 parts; at least 1 is needed");
    if (!(imbalance >= 1.001 && imbalance <= 2))
        return mt_fail(MT_INPUT, "a partition with imbalance %g; 1.001 to 2 are allowed", imbalance);
    if (adjacency->n_cells > (size_t)IDX_MAX)
        return mt_fail(
            MT_INPUT, "METIS: %zu cells; at most %lld are allowed", adjacency->n_cells, (long long)IDX_MAX);
    *partition = (mt_partition){.n_parts = n_parts, .n_cells = adjacency->n_cells};
    MT_TAKE(arena, partition->part, adjacency->n_cells);
    MT_TRY(divide(adjacency, imbalance, partition));
    partition->edge_cut = edge_cut(adjacency, partition->part);
    return mt_partition_check(partition);
}

mt_status mt_partition_check(const mt_partition *partition)
{
    for (size_t c = 0; c < partition->n_cells; c++)
        if (partition->part[c] >= partition->n_parts)
            return mt_fail(
                MT_INPUT, "cell %zu: part %u; there are %u", c, partition->part[c], partition->n_parts);
    return MT_OK;
}
