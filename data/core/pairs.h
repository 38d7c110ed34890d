/* A table from pairs of numbers to numbers. Open addressing, at most half full. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* a and b not both 0: what is so is a free place. */
typedef struct mt_pair {
    uint32_t a, b, value;
} mt_pair;

/* All zero is an empty table. Those in it are the entries that are not free, in no order. */
typedef struct mt_pairs {
    size_t n, room; /* room: a power of two, or 0 */
    int shift;
    mt_pair *entry; /* [room] */
} mt_pairs;

/* Makes room in an empty table for so many pairs. MT_MEMORY. */
MT_NODISCARD mt_status mt_pairs_reserve(mt_arena *arena, mt_pairs *pairs, size_t expected);

/* The value of a pair; 0 where it is not in the table. */
uint32_t mt_pairs_value(const mt_pairs *pairs, uint32_t a, uint32_t b);

/* Gives the place of the value of a pair, until the next call; a pair that was not in the table has the value 0 now. A table
 * that is half full moves to one twice as large, the old one stays in the arena. MT_MEMORY; never for a pair that
 * is in the table. */
MT_NODISCARD mt_status mt_pairs_at(
    mt_arena *arena, mt_pairs *pairs, uint32_t a, uint32_t b, uint32_t **value);
