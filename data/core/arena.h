/* Memory by lifetime: all allocations of an arena are freed together, with the arena.
 *
 * Memory is zeroed and aligned to 64 bytes. A function that builds something receives the arena of its result and allocates
 * temporary data in its own arena (MT_SCRATCH). Not for use inside parallel regions. */
#pragma once

#include <stddef.h>

#include "data/core/status.h"

typedef struct mt_arena {
    struct mt_arena_block *blocks; /* newest first */
    size_t bytes;                  /* requested so far, without headers and padding */
} mt_arena;                        /* zero-initialised: an empty arena */

/* Returns `count` items of `size` bytes, or NULL with the message set (no memory, or count * size overflows). A count of zero
 * returns a valid pointer to no items. */
void *mt_arena_alloc(mt_arena *arena, size_t count, size_t size);

/* Returns a copy of `count` items of `size` bytes at `source`, zeroed items if `source` is NULL, or NULL as above. */
void *mt_arena_copy(mt_arena *arena, const void *source, size_t count, size_t size);

/* Returns a copy of a text, or NULL as above. */
char *mt_arena_text(mt_arena *arena, const char *text);

/* Calls end(context) when the arena is freed, before any of its memory is: for objects of other libraries. The newest is called first.
 * MT_MEMORY: it will not be called. */
typedef void mt_arena_end(void *context);
MT_NODISCARD mt_status mt_arena_at_end(mt_arena *arena, mt_arena_end *end, void *context);

/* Frees everything allocated; the arena is empty and usable again. */
void mt_arena_free(mt_arena *arena);

/* Declares `name`, a pointer to an empty arena that is freed at the end of its scope, after the returned value was computed. */
#define MT_SCRATCH(name)                                                                                     \
    __attribute__((cleanup(mt_arena_free))) mt_arena name##_arena = {0};                                     \
    mt_arena *const name = &name##_arena

/* For tests: makes the n-th allocation of this thread from now on (1: the next), in any arena, fail once. 0: never. */
void mt_arena_fail_at(size_t n);

/* For tests: returns the bytes that this thread has requested so far in all arenas, freed or not. */
size_t mt_arena_allocated(void);

/* Sets `pointer` to an array of `count` zeroed items; returns MT_MEMORY from the calling function if there is no memory. */
#define MT_ALLOC(arena, pointer, count)                                                                      \
    do {                                                                                                     \
        (pointer) = mt_arena_alloc((arena), (count), sizeof *(pointer));                                     \
        if (!(pointer)) return MT_MEMORY;                                                                    \
    } while (0)

/* Sets `pointer` to a copy in `arena` of the `count` items at `source`, or to zeroed items if `source` is NULL. Returns MT_MEMORY from the
 * calling function if there is no memory. */
#define MT_COPY(arena, pointer, source, count)                                                               \
    do {                                                                                                     \
        (pointer) = mt_arena_copy((arena), (source), (count), sizeof *(pointer));                            \
        if (!(pointer)) return MT_MEMORY;                                                                    \
    } while (0)
