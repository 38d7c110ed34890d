#include <criterion/criterion.h>

#include "data/core/offsets.h"
#include "tests/random.h"

enum { ITEMS = 100, EACH = 3, KEYS = 20 };

Test(offsets, every_key_lists_its_items_in_order)
{
    mt_arena arena = {0};
    uint64_t state = 1;
    uint32_t key[ITEMS * EACH], *item;
    size_t *start, n = 0;
    for (size_t k = 0; k < ITEMS * EACH; k++)
        key[k] = (uint32_t)draw(&state, KEYS - 1); /* the last key has no items */
    cr_assert_eq(mt_offsets_make(&arena, ITEMS, EACH, key, KEYS, &start, &item), MT_OK);
    for (uint32_t k = 0; k < KEYS; k++) {
        cr_assert_eq(start[k], n);
        for (size_t i = 0; i < ITEMS * EACH; i++)
            if (key[i] == k) cr_assert_eq(item[n++], i / EACH);
    }
    cr_assert_eq(start[KEYS], n);
    cr_assert_eq(n, ITEMS * EACH);
    mt_arena_free(&arena);
}

Test(offsets, empty_input_has_no_offsets_and_out_of_memory_is_reported)
{
    mt_arena arena = {0};
    uint32_t key = 0, *item;
    size_t *start;
    cr_assert_eq(mt_offsets_make(&arena, 0, 1, NULL, 0, &start, &item), MT_OK);
    cr_assert_eq(start[0], 0);
    for (size_t n = 1; n <= 2; n++) {
        mt_arena_fail_at(n);
        cr_assert_eq(mt_offsets_make(&arena, 1, 1, &key, 1, &start, &item), MT_MEMORY);
    }
    mt_arena_free(&arena);
}

Test(offsets, counts_become_running_sums)
{
    size_t start[5] = {1, 2, 0, 3, 9};
    mt_offsets_sum(start, 4);
    cr_assert(start[0] == 1 && start[1] == 3 && start[2] == 3 && start[3] == 6);
    cr_assert_eq(start[4], 9, "at most n");
}
