/* Elements or triangles, grouped by tag. */
#pragma once

#include "mesh/mesh.h"

typedef struct mt_tags {
    size_t n;       /* different tags */
    int32_t *tag;   /* [n] ascending */
    size_t *offset; /* [n + 1] */
    uint32_t *id;   /* those of tag[t], ascending, are id[offset[t] .. offset[t + 1]) */
} mt_tags;

/* Gives the groups of n_items (fewer than 2^32) things, tag[k] being that of the k-th. MT_MEMORY. Time O(n log n);
 * scratch 8 bytes a thing, freed. */
MT_NODISCARD mt_status mt_tags_make(mt_arena *arena, size_t n_items, const int32_t *tag, mt_tags *tags);
