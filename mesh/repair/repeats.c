#include "mesh/repair/repeats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/offsets.h"
#include "mesh/names.h"

/* An element identified by its vertices, in ascending order. */
typedef struct corners {
    uint32_t vertex[4], element;
} corners;

static int compare_corners(const void *left, const void *right)
{
    const corners *a = left, *b = right;
    for (int k = 0; k < 4; k++)
        if (a->vertex[k] != b->vertex[k]) return a->vertex[k] < b->vertex[k] ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

static corners corners_of(const mt_mesh *mesh, size_t element)
{
    corners c = {.element = (uint32_t)element};
    memcpy(c.vertex, mesh->element_vertex + 4 * element, sizeof c.vertex);
    for (int k = 1; k < 4; k++)
        for (int i = k; i > 0 && c.vertex[i] < c.vertex[i - 1]; i--) {
            const uint32_t low = c.vertex[i];
            c.vertex[i] = c.vertex[i - 1], c.vertex[i - 1] = low;
        }
    return c;
}

/* State shared by the steps. */
typedef struct merging {
    mt_arena *arena;
    mt_mesh *mesh;
    uint8_t *without; /* NULL if all have a region */
    uint8_t *dead;
    mt_repeats *repeats;
} merging;

static bool has_region(const merging *m, size_t element) { return !m->without || !m->without[element]; }

/* True if two elements belong to the same region and groups. */
static bool belong_together(const merging *m, size_t a, size_t b)
{
    const mt_mesh *mesh = m->mesh;
    if (mesh->groups && mesh->groups[a] != mesh->groups[b]) return false;
    if (has_region(m, a) != has_region(m, b)) return false;
    return !has_region(m, a) || mesh->region[a] == mesh->region[b];
}

static void count_pair(mt_repeats *repeats, int32_t region, int32_t other)
{
    for (size_t k = 0; k < MT_REPEATS_PAIRS; k++) {
        if (repeats->pair[k].n > 0 && (repeats->pair[k].region != region || repeats->pair[k].other != other))
            continue;
        repeats->pair[k].region = region, repeats->pair[k].other = other;
        repeats->pair[k].n++;
        return;
    }
}

/* Adds the region and groups of a later element to the first one. */
static mt_status merge(merging *m, size_t first, size_t other)
{
    mt_mesh *mesh = m->mesh;
    const int32_t tag = mesh->region[other];
    bool full = false;
    if (!has_region(m, first)) {
        mesh->region[first] = tag;
        m->without[first] = m->without[other];
    } else if (has_region(m, other) && tag != mesh->region[first]) {
        MT_TRY(mt_groups_put(m->arena, mesh, tag, first, &full));
        count_pair(m->repeats, mesh->region[first], tag);
    }
    if (mesh->groups) mesh->groups[first] |= mesh->groups[other];
    m->repeats->n_merged++;
    m->repeats->n_lost += full;
    return MT_OK;
}

/* Merges the repeats among n elements with the same lowest vertex. */
static mt_status merge_bucket(merging *m, size_t n, corners *bucket)
{
    qsort(bucket, n, sizeof *bucket, compare_corners);
    for (size_t first = 0, k = 1; k < n; k++) {
        if (memcmp(bucket[k].vertex, bucket[first].vertex, sizeof bucket->vertex) != 0) {
            first = k;
            continue;
        }
        const uint32_t kept = bucket[first].element, other = bucket[k].element;
        if (belong_together(m, kept, other)) continue;
        MT_TRY(merge(m, kept, other));
        m->dead[other] = 1;
    }
    return MT_OK;
}

mt_status mt_repeats_merge(mt_arena *arena, mt_mesh *mesh, uint8_t *without, mt_repeats *repeats)
{
    MT_SCRATCH(scratch);
    merging m = {.arena = arena, .mesh = mesh, .without = without, .repeats = repeats};
    const size_t n = mesh->n_elements;
    size_t kept = 0;
    corners *sorted;
    size_t *start;
    *repeats = (mt_repeats){0};
    MT_ALLOC(scratch, m.dead, n);
    MT_ALLOC(scratch, sorted, n);
    MT_ALLOC(scratch, start, mesh->n_vertices + 2);
    for (size_t c = 0; c < n; c++) start[(size_t)corners_of(mesh, c).vertex[0] + 2]++;
    mt_offsets_sum(start, mesh->n_vertices + 2);
    for (size_t c = 0; c < n; c++) {
        const corners one = corners_of(mesh, c);
        sorted[start[(size_t)one.vertex[0] + 1]++] = one;
    }
    for (size_t v = 0; v < mesh->n_vertices; v++)
        if (start[v + 1] - start[v] > 1) MT_TRY(merge_bucket(&m, start[v + 1] - start[v], sorted + start[v]));
    if (repeats->n_merged == 0) return MT_OK;
    for (size_t c = 0; without && c < n; c++)
        if (!m.dead[c]) without[kept++] = without[c];
    (void)mt_mesh_remove_elements(mesh, m.dead);
    return MT_OK;
}

mt_status mt_repeats_note(mt_arena *arena, mt_mesh *mesh, const mt_repeats *repeats)
{
    char pairs[MT_REPEATS_PAIRS * 64] = "";
    size_t used = 0;
    for (size_t k = 0; k < MT_REPEATS_PAIRS && repeats->pair[k].n > 0; k++)
        used += (size_t)snprintf(pairs + used, sizeof pairs - used, "%sregions %d and %d: %zu",
            k > 0 ? ", " : " (", repeats->pair[k].region, repeats->pair[k].other, repeats->pair[k].n);
    if (repeats->n_merged > 0)
        MT_TRY(mt_mesh_note(arena, mesh,
            "%zu elements repeat an earlier one with another region%s%s: each is merged into one element of "
            "the first region, in the groups of the others",
            repeats->n_merged, pairs, pairs[0] ? ")" : ""));
    if (repeats->n_lost == 0) return MT_OK;
    return mt_mesh_note(arena, mesh,
        "%zu group memberships of elements are lost, because there are more than %d groups", repeats->n_lost,
        MT_GROUPS_MAX);
}

mt_status mt_repeats_settle(mt_arena *arena, mt_mesh *mesh, uint8_t *without, size_t n_lost)
{
    mt_repeats repeats;
    MT_TRY(mt_repeats_merge(arena, mesh, without, &repeats));
    repeats.n_lost += n_lost;
    MT_TRY(mt_repeats_note(arena, mesh, &repeats));
    return mt_names_unassigned(arena, mesh, without);
}
