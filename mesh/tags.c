#include "mesh/tags.h"

#include <stdlib.h>

#include "data/core/order.h"

typedef struct tagged {
    int32_t tag;
    uint32_t id;
} tagged;

MT_ORDER(compare_tagged, tagged, tag, id)

mt_status mt_tags_make(mt_arena *arena, size_t n_items, const int32_t *tag, mt_tags *tags)
{
    MT_SCRATCH(scratch);
    tagged *sorted;
    size_t t = 0;
    MT_ALLOC(scratch, sorted, n_items);
    for (size_t k = 0; k < n_items; k++) sorted[k] = (tagged){tag[k], (uint32_t)k};
    qsort(sorted, n_items, sizeof *sorted, compare_tagged);
    tags->n = 0;
    for (size_t k = 0; k < n_items; k++) tags->n += k == 0 || sorted[k].tag != sorted[k - 1].tag;
    MT_ALLOC(arena, tags->tag, tags->n);
    MT_ALLOC(arena, tags->offset, tags->n + 1);
    MT_ALLOC(arena, tags->id, n_items);
    for (size_t k = 0; k < n_items; k++) {
        tags->id[k] = sorted[k].id;
        if (k > 0 && sorted[k].tag == sorted[k - 1].tag) continue;
        tags->offset[t] = k;
        tags->tag[t++] = sorted[k].tag;
    }
    tags->offset[t] = n_items;
    return MT_OK;
}
