#include "app/stages/kept_partition.h"

#include <string.h>

#include "app/stages/cache.h"

enum { KEY = MT_HASH_SIZE - 1 }; /* characters of a fingerprint */

/* What stands before the parts of the elements; KEY characters of fingerprint stand behind them. No padding inside. */
typedef struct head {
    char what[20], key[KEY];
    uint32_t n_parts, parts_per_group, reserved;
    uint64_t n_elements, edge_cut;
} head;

static const char what[20] = "myotile partition\n";

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
    if (!tiling->balance_halo) return MT_OK; /* the scheme has no say then */
    mt_hash_add(hash, scheme->name, strlen(scheme->name) + 1);
    add_number(hash, scheme->ranges);
    return MT_OK;
}

mt_status mt_kept_partition_key(const mt_tiling *tiling, const mt_scheme *scheme, uint32_t ipus,
    const mt_adjacency *adjacency, char key[MT_HASH_SIZE])
{
    mt_arena scratch = {0};
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    add_number(&hash, MT_PARTITION_VERSION);
    add_number(&hash, ipus);
    add_number(&hash, adjacency->n_elements);
    mt_hash_add(&hash, adjacency->neighbour, 4 * adjacency->n_elements * sizeof *adjacency->neighbour);
    const mt_status status = hash_tiling(&scratch, tiling, scheme, &hash);
    mt_hash_end(&hash, key);
    mt_arena_free(&scratch);
    return status;
}

/* The bytes say that they are of this key, and are whole. */
static mt_status is_whole(
    const char key[MT_HASH_SIZE], const unsigned char *bytes, size_t n, size_t n_elements, bool *whole)
{
    head h;
    char sum[MT_HASH_SIZE];
    *whole = false;
    if (n != sizeof h + n_elements * sizeof(uint32_t) + KEY) return MT_OK;
    memcpy(&h, bytes, sizeof h);
    if (memcmp(h.what, what, sizeof what) != 0 || memcmp(h.key, key, KEY) != 0 || h.n_elements != n_elements)
        return MT_OK;
    MT_TRY(mt_hash_of(bytes, n - KEY, sum));
    *whole = memcmp(bytes + n - KEY, sum, KEY) == 0;
    return MT_OK;
}

mt_status mt_kept_partition_find(
    mt_arena *arena, const char key[MT_HASH_SIZE], size_t n_elements, mt_partition *partition, bool *found)
{
    mt_arena scratch = {0};
    unsigned char *bytes;
    size_t n;
    head h;
    mt_status status = MT_OK;
    *found = false;
    if (mt_cache_find(&scratch, key, &bytes, &n)) status = is_whole(key, bytes, n, n_elements, found);
    if (status == MT_OK && *found) {
        memcpy(&h, bytes, sizeof h);
        *partition = (mt_partition){.n_parts = h.n_parts,
            .parts_per_group = h.parts_per_group,
            .n_elements = n_elements,
            .edge_cut = h.edge_cut};
        partition->part = mt_arena_alloc(arena, n_elements, sizeof *partition->part);
        if (partition->part) memcpy(partition->part, bytes + sizeof h, n_elements * sizeof *partition->part);
        status = partition->part ? mt_partition_check(partition) : MT_MEMORY;
    }
    mt_arena_free(&scratch);
    return status;
}

static mt_status pack(mt_arena *scratch, const char key[MT_HASH_SIZE], const mt_partition *partition)
{
    const size_t list = partition->n_elements * sizeof *partition->part, n = sizeof(head) + list + KEY;
    unsigned char *bytes;
    char sum[MT_HASH_SIZE];
    head h = {.n_parts = partition->n_parts,
        .parts_per_group = partition->parts_per_group,
        .n_elements = partition->n_elements,
        .edge_cut = partition->edge_cut};
    memcpy(h.what, what, sizeof what);
    memcpy(h.key, key, KEY);
    MT_ALLOC(scratch, bytes, n);
    memcpy(bytes, &h, sizeof h);
    if (list > 0) memcpy(bytes + sizeof h, partition->part, list);
    MT_TRY(mt_hash_of(bytes, n - KEY, sum));
    memcpy(bytes + n - KEY, sum, KEY);
    mt_cache_keep(key, bytes, n);
    return MT_OK;
}

mt_status mt_kept_partition_keep(const char key[MT_HASH_SIZE], const mt_partition *partition)
{
    mt_arena scratch = {0};
    const mt_status status = partition->metis_failures == 0 ? pack(&scratch, key, partition) : MT_OK;
    mt_arena_free(&scratch);
    return status;
}
