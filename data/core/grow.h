/* Arrays that grow, in an arena: earlier copies stay until the arena ends. */
#pragma once

#include "data/core/arena.h"

/* Makes room for `more` items after the first `n` of an array with room for `room` items: copies it to twice the size, and updates `room`.
 * Returns MT_MEMORY from the calling function if there is no memory. */
#define MT_GROW(arena, pointer, n, more, room)                                                               \
    do {                                                                                                     \
        if ((n) + (more) > (room)) {                                                                         \
            const size_t room_ = 2 * ((n) + (more)) + 64;                                                    \
            void *items_ = mt_arena_alloc((arena), room_, sizeof *(pointer));                                \
            if (!items_) return MT_MEMORY;                                                                   \
            if ((n) > 0) __builtin_memcpy(items_, (pointer), (n) * sizeof *(pointer));                       \
            (pointer) = items_;                                                                              \
            (room) = room_;                                                                                  \
        }                                                                                                    \
    } while (0)
