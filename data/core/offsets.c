#include "data/core/offsets.h"

void mt_offsets_sum(size_t *start, size_t n)
{
    for (size_t k = 1; k < n; k++) start[k] += start[k - 1];
}

mt_status mt_offsets_make(mt_arena *arena, size_t n_items, size_t each, const uint32_t *key, size_t n_keys,
    size_t **start, uint32_t **item)
{
    MT_ALLOC(arena, *start, n_keys + 2);
    MT_ALLOC(arena, *item, n_items * each);
    for (size_t k = 0; k < n_items * each; k++) (*start)[(size_t)key[k] + 2]++;
    mt_offsets_sum(*start, n_keys + 2);
    for (size_t i = 0; i < n_items; i++)
        for (size_t k = 0; k < each; k++) (*item)[(*start)[(size_t)key[i * each + k] + 1]++] = (uint32_t)i;
    return MT_OK;
}
