/* Hash table from pairs of numbers to numbers, with open addressing and at most half full. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* An entry; a and b are not both 0. A free entry has a = b = 0. */
typedef struct mt_pair {
    uint32_t a, b, value;
} mt_pair;

/* Zero-initialised: an empty table. The pairs of the table are the entries that are not free, in no particular order. */
typedef struct mt_pairs {
    size_t n, room; /* room: number of entries, a power of two, or 0 */
    int shift;
    mt_pair *entry; /* [room] */
} mt_pairs;

/* Allocates an empty table for `expected` pairs. MT_MEMORY. */
MT_NODISCARD mt_status mt_pairs_reserve(mt_arena *arena, mt_pairs *pairs, size_t expected);

/* Returns the value of a pair; 0 if it is not in the table. */
uint32_t mt_pairs_value(const mt_pairs *pairs, uint32_t a, uint32_t b);

/* Finds the place of the value of a pair, valid until the next call, and inserts a missing pair with the value 0. A table that is
 * half full is replaced by one of twice its size; the old one stays in the arena. MT_MEMORY, but never for a pair in the
 * table. */
MT_NODISCARD mt_status mt_pairs_at(
    mt_arena *arena, mt_pairs *pairs, uint32_t a, uint32_t b, uint32_t **value);
