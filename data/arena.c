#include "data/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

struct mt_arena_block {
    struct mt_arena_block *next;
};

static _Thread_local size_t fail_countdown;

void mt_arena_fail_at(size_t n) { fail_countdown = n; }

void *mt_arena_take(mt_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - 2 * ALIGNMENT) {
        (void)mt_fail(
            MT_FILE, "out of memory: %zu items of %zu bytes are more than can be addressed", count, size);
        return NULL;
    }
    size_t whole = ALIGNMENT + (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    int planted = fail_countdown > 0 && --fail_countdown == 0;
    struct mt_arena_block *block = planted ? NULL : aligned_alloc(ALIGNMENT, whole);
    if (!block) {
        (void)mt_fail(
            MT_FILE, "out of memory: %zu bytes asked for, %zu already in use here", bytes, arena->bytes);
        return NULL;
    }
    memset(block, 0, whole);
    block->next = arena->blocks;
    arena->blocks = block;
    arena->bytes += bytes;
    return (char *)block + ALIGNMENT;
}

void mt_arena_free(mt_arena *arena)
{
    while (arena->blocks) {
        struct mt_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->bytes = 0;
}
