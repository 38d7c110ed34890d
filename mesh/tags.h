/* Elements or triangles, grouped by tag. */
#pragma once

#include "mesh/mesh.h"

typedef struct mt_tags {
    size_t n;       /* number of distinct tags */
    int32_t *tag;   /* [n] ascending */
    size_t *offset; /* [n + 1] */
    uint32_t *id;   /* [offset[n]] items of tag[t], ascending: id[offset[t] .. offset[t + 1]) */
} mt_tags;

/* Groups n_items items (fewer than 2^32) by tag[n_items], in `arena`. MT_MEMORY. Time: O(n log n). Scratch: 8 bytes per item, freed. */
MT_NODISCARD mt_status mt_tags_make(mt_arena *arena, size_t n_items, const int32_t *tag, mt_tags *tags);
