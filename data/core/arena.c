#include "data/core/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };

struct mt_arena_block {
    struct mt_arena_block *next;
    mt_arena_end *end; /* called with `context` before the block is freed; may be NULL */
    void *context;
};

static _Thread_local size_t fail_countdown, taken;

void mt_arena_fail_at(size_t n) { fail_countdown = n; }
size_t mt_arena_allocated(void) { return taken; }

/* Allocates a header followed by `bytes` aligned bytes, returned in `*room`. calloc clears only memory that was used before.
 * Large blocks use huge pages if the system offers them, because streaming through small pages spends much time on address
 * translation. Their ends use small pages: a huge page that is used in part would occupy memory completely. */
static struct mt_arena_block *take_block(size_t bytes, void **room)
{
    const bool large = bytes >= 2 * (size_t)HUGE_PAGE;
    const size_t alignment = large ? HUGE_PAGE : ALIGNMENT;
    struct mt_arena_block *block = calloc(1, sizeof *block + alignment + bytes);
    if (!block) return NULL;
    *room = (char *)block + (alignment - (uintptr_t)block % alignment);
#ifdef MADV_HUGEPAGE
    if (large) (void)madvise(*room, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return block;
}

void *mt_arena_alloc(mt_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - 3 * (size_t)HUGE_PAGE) {
        (void)mt_fail(
            MT_MEMORY, "out of memory: %zu items of %zu bytes are more than can be addressed", count, size);
        return NULL;
    }
    taken += bytes;
    void *room = NULL;
    int planted = fail_countdown > 0 && --fail_countdown == 0;
    struct mt_arena_block *block = planted ? NULL : take_block(bytes, &room);
    if (!block) {
        (void)mt_fail(
            MT_MEMORY, "out of memory: %zu bytes requested, %zu already in use here", bytes, arena->bytes);
        return NULL;
    }
    block->next = arena->blocks;
    arena->blocks = block;
    arena->bytes += bytes;
    return room;
}

void *mt_arena_copy(mt_arena *arena, const void *source, size_t count, size_t size)
{
    void *copy = mt_arena_alloc(arena, count, size);
    if (copy && source && count > 0) memcpy(copy, source, count * size);
    return copy;
}

char *mt_arena_text(mt_arena *arena, const char *text)
{
    return mt_arena_copy(arena, text, strlen(text) + 1, 1);
}

mt_status mt_arena_at_end(mt_arena *arena, mt_arena_end *end, void *context)
{
    if (!mt_arena_alloc(arena, 0, 1)) return MT_MEMORY;
    arena->blocks->end = end;
    arena->blocks->context = context;
    return MT_OK;
}

void mt_arena_free(mt_arena *arena)
{
    for (const struct mt_arena_block *block = arena->blocks; block; block = block->next)
        if (block->end) block->end(block->context);
    while (arena->blocks) {
        struct mt_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->bytes = 0;
}
