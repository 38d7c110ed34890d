/* Things in the order of their keys, by counting them: a stable sort in O(things + keys).
 *
 *     MT_ALLOC(arena, start, n_keys + 2);
 *     for each thing: start[key + 2]++;                    counted two places on
 *     mt_offsets_sum(start, n_keys + 2);
 *     for each thing: sorted[start[key + 1]++] = thing;    filled one place on
 *
 * Then the things of key k are sorted[start[k] .. start[k + 1]), in the order in which they came. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"

/* n counts become their running sums. */
void mt_offsets_sum(size_t *start, size_t n);

/* Gives the items of every key, where item i has the keys key[i][0 .. each), each below n_keys: those of key k are
 * (*item)[(*start)[k] .. (*start)[k + 1]), ascending; *start has [n_keys + 2]. MT_MEMORY. */
MT_NODISCARD mt_status mt_offsets_make(mt_arena *arena, size_t n_items, size_t each, const uint32_t *key,
    size_t n_keys, size_t **start, uint32_t **item);
