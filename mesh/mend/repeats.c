#include "mesh/mend/repeats.h"

#include <stdlib.h>
#include <string.h>

#include "data/offsets.h"
#include "mesh/names.h"

/* An element by its vertices, ascending. */
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

/* Adds what a later element belongs to to the first one. */
static mt_status merge(
    mt_arena *arena, mt_mesh *mesh, size_t first, size_t other, bool zero_is_none, mt_repeats *repeats)
{
    const int32_t tag = mesh->region[other];
    bool full = false;
    if (zero_is_none && mesh->region[first] == 0)
        mesh->region[first] = tag;
    else if (!(zero_is_none && tag == 0))
        MT_TRY(mt_groups_put(arena, mesh, tag, first, &full));
    if (mesh->groups) mesh->groups[first] |= mesh->groups[other];
    repeats->n_merged++;
    repeats->n_lost += full;
    return MT_OK;
}

/* Merges the repeats among n elements with the same lowest vertex. */
static mt_status merge_bucket(mt_arena *arena, mt_mesh *mesh, size_t n, corners *bucket, bool zero_is_none,
    uint8_t *dead, mt_repeats *repeats)
{
    qsort(bucket, n, sizeof *bucket, compare_corners);
    for (size_t first = 0, k = 1; k < n; k++) {
        if (memcmp(bucket[k].vertex, bucket[first].vertex, sizeof bucket->vertex) != 0) {
            first = k;
            continue;
        }
        const uint32_t kept = bucket[first].element, other = bucket[k].element;
        if (mesh->region[kept] == mesh->region[other]) continue;
        MT_TRY(merge(arena, mesh, kept, other, zero_is_none, repeats));
        dead[other] = 1;
    }
    return MT_OK;
}

static mt_status merge_all(
    mt_arena *arena, mt_arena *scratch, mt_mesh *mesh, bool zero_is_none, mt_repeats *repeats)
{
    const size_t n = mesh->n_elements;
    uint8_t *dead;
    corners *sorted;
    size_t *start;
    MT_ALLOC(scratch, dead, n);
    MT_ALLOC(scratch, sorted, n);
    MT_ALLOC(scratch, start, mesh->n_vertices + 2);
    for (size_t c = 0; c < n; c++) start[(size_t)corners_of(mesh, c).vertex[0] + 2]++;
    mt_offsets_sum(start, mesh->n_vertices + 2);
    for (size_t c = 0; c < n; c++) {
        const corners one = corners_of(mesh, c);
        sorted[start[(size_t)one.vertex[0] + 1]++] = one;
    }
    for (size_t v = 0; v < mesh->n_vertices; v++)
        if (start[v + 1] - start[v] > 1)
            MT_TRY(merge_bucket(
                arena, mesh, start[v + 1] - start[v], sorted + start[v], zero_is_none, dead, repeats));
    if (repeats->n_merged > 0) (void)mt_mesh_drop_elements(mesh, dead);
    return MT_OK;
}

mt_status mt_repeats_merge(mt_arena *arena, mt_mesh *mesh, bool zero_is_none, mt_repeats *repeats)
{
    mt_arena scratch = {0};
    *repeats = (mt_repeats){0};
    const mt_status status = merge_all(arena, &scratch, mesh, zero_is_none, repeats);
    mt_arena_free(&scratch);
    return status;
}

mt_status mt_repeats_note(mt_arena *arena, const mt_repeats *repeats, mt_mesh *mesh)
{
    if (repeats->n_merged > 0)
        MT_TRY(mt_mesh_note(arena, mesh,
            "%zu elements repeat an earlier one in another region or group: they are one element each, which "
            "belongs to both",
            repeats->n_merged));
    if (repeats->n_lost == 0) return MT_OK;
    return mt_mesh_note(arena, mesh,
        "%zu memberships of elements in groups are lost: there are more than %d groups", repeats->n_lost,
        MT_GROUPS_MAX);
}
