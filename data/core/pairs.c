#include "data/core/pairs.h"

/* Returns the entry of a pair, or the free entry where it would be inserted. Fibonacci hashing: the upper bits of the product
 * with 2^64 divided by the golden ratio. */
static mt_pair *place_of(const mt_pairs *pairs, uint32_t a, uint32_t b)
{
    const uint64_t key = (uint64_t)a << 32 | b;
    size_t k = (size_t)((key ^ key >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> pairs->shift);
    while ((pairs->entry[k].a != a || pairs->entry[k].b != b) && (pairs->entry[k].a | pairs->entry[k].b) != 0)
        k = (k + 1) & (pairs->room - 1);
    return &pairs->entry[k];
}

mt_status mt_pairs_reserve(mt_arena *arena, mt_pairs *pairs, size_t expected)
{
    *pairs = (mt_pairs){.room = 16, .shift = 60};
    while (pairs->room < 2 * expected) pairs->room *= 2, pairs->shift--;
    MT_ALLOC(arena, pairs->entry, pairs->room);
    return MT_OK;
}

uint32_t mt_pairs_value(const mt_pairs *pairs, uint32_t a, uint32_t b)
{
    return pairs->room > 0 ? place_of(pairs, a, b)->value : 0;
}

static mt_status grow(mt_arena *arena, mt_pairs *pairs)
{
    mt_pairs larger;
    MT_TRY(mt_pairs_reserve(arena, &larger, pairs->room));
    larger.n = pairs->n;
    for (size_t k = 0; k < pairs->room; k++) {
        const mt_pair *entry = &pairs->entry[k];
        if ((entry->a | entry->b) != 0) *place_of(&larger, entry->a, entry->b) = *entry;
    }
    *pairs = larger;
    return MT_OK;
}

mt_status mt_pairs_at(mt_arena *arena, mt_pairs *pairs, uint32_t a, uint32_t b, uint32_t **value)
{
    if (pairs->room == 0) MT_TRY(mt_pairs_reserve(arena, pairs, 0));
    mt_pair *entry = place_of(pairs, a, b);
    if ((entry->a | entry->b) == 0) {
        if (2 * (pairs->n + 1) > pairs->room) {
            MT_TRY(grow(arena, pairs));
            entry = place_of(pairs, a, b);
        }
        *entry = (mt_pair){.a = a, .b = b};
        pairs->n++;
    }
    *value = &entry->value;
    return MT_OK;
}
