/* Counting sort of items by their keys: stable, in O(items + keys).
 *
 *     MT_ALLOC(arena, start, n_keys + 2);
 *     for each item: start[key + 2]++;                  counted two places on
 *     mt_offsets_sum(start, n_keys + 2);
 *     for each item: sorted[start[key + 1]++] = item;   filled one place on
 *
 * Then the items of key k are sorted[start[k] .. start[k + 1]), in their original order. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"

/* Replaces n counts by their running sums. */
void mt_offsets_sum(size_t *start, size_t n);

/* Lists the items of every key. Item i has the keys key[i][0 .. each), each below n_keys. The items of key k are
 * (*item)[(*start)[k] .. (*start)[k + 1]), ascending; *start has [n_keys + 2]. Both are in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_offsets_make(mt_arena *arena, size_t n_items, size_t each, const uint32_t *key,
    size_t n_keys, size_t **start, uint32_t **item);
