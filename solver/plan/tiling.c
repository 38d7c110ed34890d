#include "solver/plan/tiling.h"

#include <stdio.h>

#include "data/core/progress.h"
#include "data/files/available_memory.h"
#include "ipu/machine/topology.h"
#include "solver/diffusion/diffusion.h"

const char *const mt_streamed_words[] = {
    [MT_STREAMED_NONE] = "none", [MT_STREAMED_STATES] = "states", [MT_STREAMED_ALL] = "all", NULL};

mt_status mt_tiling_check_streamed(const char *name, const mt_tiling *tiling)
{
    if (tiling->streamed == MT_STREAMED_NONE || tiling->one.dram.bytes > 0) return MT_OK;
    return mt_fail(MT_INPUT, "%s: %s; allowed with %s, which has no memory outside of the chip: none", name,
        mt_streamed_words[tiling->streamed], tiling->one.name);
}

mt_status mt_tiling_check_ipus(const mt_tiling *tiling, unsigned long ipus)
{
    const uint64_t parts = (uint64_t)ipus * mt_tiling_parts(tiling);
    if (parts > INT32_MAX)
        return mt_fail(MT_INPUT, "%lu IPUs of %u tiles: %llu parts; allowed: at most %d", ipus,
            mt_tiling_parts(tiling), (unsigned long long)parts, INT32_MAX);
    return ipu_topology_allows(&tiling->one.links, ipus);
}

mt_status mt_tiling_check_memory(const mt_tiling *tiling, uint32_t ipus)
{
    char finding[256];
    char left[64] = "";
    const size_t there = mt_memory_available();
    const double tiles = (double)tiling->one.tiles * ipus, bytes = tiles * MT_TILE_HOST_BYTES;
    if (there < SIZE_MAX) (void)snprintf(left, sizeof left, "; %.1f GB are available", (double)there / 1e9);
    (void)snprintf(finding, sizeof finding,
        "%u IPUs of %zu tiles: the emulator's tables of %.0f tiles take at least %.1f GB (%d bytes per "
        "tile), for any mesh%s",
        ipus, tiling->one.tiles, tiles, bytes / 1e9, MT_TILE_HOST_BYTES, left);
    if (bytes > (double)there) return mt_fail(MT_FILE, "%s", finding);
    if (bytes >= 1e9) mt_warn("%s", finding);
    return MT_OK;
}

mt_status mt_tiling_pattern(mt_arena *arena, const mt_adjacency *adjacency, mt_pattern *pattern)
{
    uint32_t *columns;
    MT_ALLOC(arena, columns, adjacency->n_elements * MT_DIFFUSION_ROW);
#pragma omp parallel for schedule(static)
    for (size_t element = 0; element < adjacency->n_elements; element++)
        (void)mt_adjacency_ring(adjacency, element, columns + element * MT_DIFFUSION_ROW);
    *pattern = (mt_pattern){adjacency->n_elements, MT_DIFFUSION_ROW, columns, NULL, NULL};
    return MT_OK;
}

void mt_tiling_choose(mt_tiling *tiling, mt_partition_method method)
{
    tiling->method = mt_partition_chosen(method, tiling->one.fabric.width);
}

/* True if parts are placed on the grid of the machine's tiles. */
static bool has_grid(const mt_tiling *tiling)
{
    return mt_partition_by_position(tiling->method) && tiling->one.fabric.width > 0;
}

uint32_t mt_tiling_parts(const mt_tiling *tiling)
{
    return has_grid(tiling) ? (uint32_t)tiling->one.tiles : tiling->tiles;
}

mt_status mt_tiling_place(
    mt_arena *arena, const mt_tiling *tiling, const mt_unknowns *unknowns, mt_cut_graph *graph)
{
    double *xyz_mm;
    if (!mt_partition_by_position(tiling->method)) return MT_OK;
    graph->xyz_mm = unknowns->mesh->xyz_mm;
    if (unknowns->at_vertices) return MT_OK;
    MT_ALLOC(arena, xyz_mm, 3 * graph->n_nodes);
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < graph->n_nodes; c++) mt_mesh_centroid(unknowns->mesh, c, xyz_mm + 3 * c);
    graph->xyz_mm = xyz_mm;
    return MT_OK;
}

mt_status mt_tiling_partition(mt_arena *arena, const mt_tiling *tiling, const mt_cut_graph *graph,
    const mt_pattern *pattern, uint32_t ipus, mt_partition *parts, mt_balance *balance)
{
    const mt_partition_options options = {.method = tiling->method,
        .n_groups = ipus,
        .parts_per_group = mt_tiling_parts(tiling),
        .imbalance = tiling->imbalance,
        .distance = ipu_topology_ladder_distance,
        .width = has_grid(tiling) ? (uint32_t)tiling->one.fabric.width : 0,
        .most = tiling->tiles};
    *balance = (mt_balance){0};
    MT_TRY(mt_partition_make_of(arena, graph, &options, parts));
    if (parts->metis_failures > 0) mt_warn("%s", parts->remark);
    if (!tiling->balance_halo) return MT_OK;
    MT_TRY(mt_balance_halo(pattern, tiling->imbalance, MT_BALANCE_NEEDED, parts, balance));
    parts->edge_cut = mt_cut_graph_edges_cut(graph, parts->part);
    return MT_OK;
}

mt_status mt_tiling_balance_sent(const mt_tiling *tiling, const mt_scheme *scheme, const mt_cut_graph *graph,
    const mt_pattern *pattern, mt_partition *parts, mt_balance *balance)
{
    mt_balance second;
    if (!tiling->balance_halo || !scheme->broadcasts) return MT_OK;
    MT_TRY(mt_balance_halo(pattern, tiling->imbalance, MT_BALANCE_MIXED, parts, &second));
    balance->moves += second.moves;
    parts->edge_cut = mt_cut_graph_edges_cut(graph, parts->part);
    return MT_OK;
}
