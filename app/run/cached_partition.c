#include "app/run/cached_partition.h"

#include <string.h>

#include "data/files/cache.h"
#include "data/yaml/yaml.h"

static const char kind[] = "partition";

/* The header; the parts of the elements follow. It has no padding. */
typedef struct head {
    uint32_t n_parts, parts_per_group;
    uint64_t edge_cut;
} head;

static void add_number(mt_hash *hash, uint64_t number) { mt_hash_add(hash, &number, sizeof number); }

static mt_status hash_tiling(
    mt_arena *scratch, const mt_tiling *tiling, const mt_scheme *scheme, mt_hash *hash)
{
    const char *machine;
    MT_TRY(mt_yaml_write(scratch, &ipu_target_table, &tiling->one, &machine));
    mt_hash_add(hash, machine, strlen(machine) + 1);
    mt_hash_add(hash, &tiling->imbalance, sizeof tiling->imbalance);
    add_number(hash, tiling->method);
    add_number(hash, tiling->tiles);
    add_number(hash, tiling->balance_halo);
    if (!tiling->balance_halo) return MT_OK; /* the scheme then has no effect */
    mt_hash_add(hash, scheme->name, strlen(scheme->name) + 1);
    add_number(hash, scheme->ranges);
    return MT_OK;
}

static void hash_positions(const mt_tiling *tiling, const mt_cut_graph *graph, mt_hash *hash)
{
    if (mt_partition_by_position(tiling->method) && graph->xyz_mm)
        mt_hash_add(hash, graph->xyz_mm, 3 * graph->n_nodes * sizeof *graph->xyz_mm);
}

/* Adds a graph without positions. That of a mesh is its adjacency. */
static void hash_graph(const mt_cut_graph *graph, mt_hash *hash)
{
    const mt_adjacency *adjacency = graph->adjacency;
    add_number(hash, graph->n_nodes);
    if (adjacency) {
        mt_hash_add(hash, adjacency->neighbour, 4 * adjacency->n_elements * sizeof *adjacency->neighbour);
        if (!graph->weight) return;
    } else {
        mt_hash_add(hash, graph->start, (graph->n_nodes + 1) * sizeof *graph->start);
        mt_hash_add(hash, graph->near, graph->start[graph->n_nodes] * sizeof *graph->near);
    }
    add_number(hash, graph->weight != NULL);
    if (graph->weight) mt_hash_add(hash, graph->weight, graph->n_nodes * sizeof *graph->weight);
    add_number(hash, graph->together);
}

mt_status mt_cached_partition_key(const mt_tiling *tiling, const mt_scheme *scheme, uint32_t ipus,
    const mt_cut_graph *graph, char key[MT_HASH_SIZE])
{
    MT_SCRATCH(scratch);
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    add_number(&hash, MT_PARTITION_VERSION);
    add_number(&hash, ipus);
    hash_graph(graph, &hash);
    hash_positions(tiling, graph, &hash);
    const mt_status status = hash_tiling(scratch, tiling, scheme, &hash);
    mt_hash_end(&hash, key);
    return status;
}

mt_status mt_cached_partition_find(
    mt_arena *arena, const char key[MT_HASH_SIZE], size_t n_elements, mt_partition *partition, bool *found)
{
    MT_SCRATCH(scratch);
    const void *bytes;
    size_t n;
    *found = mt_cache_find(scratch, kind, key, &bytes, &n) &&
             n == sizeof(head) + n_elements * sizeof *partition->part;
    if (!*found) return MT_OK;
    const head *h = bytes;
    *partition = (mt_partition){.n_parts = h->n_parts,
        .parts_per_group = h->parts_per_group,
        .n_elements = n_elements,
        .edge_cut = h->edge_cut};
    MT_COPY(arena, partition->part, h + 1, n_elements);
    return mt_partition_check(partition);
}

mt_status mt_cached_partition_store(const char key[MT_HASH_SIZE], const mt_partition *partition)
{
    const size_t list = partition->n_elements * sizeof *partition->part;
    MT_SCRATCH(scratch);
    if (partition->metis_failures > 0) return MT_OK;
    head *h = mt_arena_alloc(scratch, sizeof *h + list, 1);
    if (!h) return MT_MEMORY;
    *h = (head){partition->n_parts, partition->parts_per_group, partition->edge_cut};
    memcpy(h + 1, partition->part, list);
    mt_cache_store(kind, key, h, sizeof *h + list);
    return MT_OK;
}
