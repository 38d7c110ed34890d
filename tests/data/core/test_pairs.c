#include <criterion/criterion.h>

#include "data/core/pairs.h"
#include "tests/random.h"

enum { SIDE = 30 };

Test(pairs, every_pair_keeps_its_value_as_the_table_grows)
{
    for (size_t expected = 0; expected <= 1000; expected += 500) {
        mt_arena arena = {0};
        mt_pairs pairs = {0};
        uint32_t sum[SIDE][SIDE] = {{0}}, *value;
        uint64_t state = 1;
        size_t n = 0;
        if (expected > 0) cr_assert_eq(mt_pairs_reserve(&arena, &pairs, expected), MT_OK);
        cr_assert_eq(mt_pairs_value(&pairs, 1, 2), 0);
        for (int k = 0; k < 1000; k++) {
            const uint32_t a = (uint32_t)draw(&state, SIDE), b = (uint32_t)draw(&state, SIDE);
            if (a == 0 && b == 0) continue;
            cr_assert_eq(mt_pairs_at(&arena, &pairs, a, b, &value), MT_OK);
            n += sum[a][b] == 0;
            cr_assert_eq(*value, sum[a][b]);
            sum[a][b] = *value += (uint32_t)k + 1;
        }
        cr_assert_eq(pairs.n, n);
        cr_assert(2 * n <= pairs.room);
        for (uint32_t k = 1; k < SIDE * SIDE; k++)
            cr_assert_eq(mt_pairs_value(&pairs, k / SIDE, k % SIDE), sum[k / SIDE][k % SIDE]);
        for (size_t k = 0; k < pairs.room; k++) {
            const mt_pair *entry = &pairs.entry[k];
            n -= (entry->a | entry->b) != 0;
        }
        cr_assert_eq(n, 0);
        mt_arena_free(&arena);
    }
}

Test(pairs, out_of_memory_leaves_the_table_unchanged)
{
    mt_arena arena = {0};
    mt_pairs pairs = {0};
    uint32_t *value;
    for (uint32_t k = 1; k <= 8; k++) {
        cr_assert_eq(mt_pairs_at(&arena, &pairs, k, k, &value), MT_OK);
        *value = k;
    }
    mt_arena_fail_at(1);
    cr_assert_eq(mt_pairs_at(&arena, &pairs, 8, 8, &value), MT_OK); /* already in the table: no allocation */
    cr_assert_eq(mt_pairs_at(&arena, &pairs, 9, 9, &value), MT_MEMORY);
    for (uint32_t k = 1; k <= 8; k++) cr_assert_eq(mt_pairs_value(&pairs, k, k), k);
    cr_assert_eq(mt_pairs_value(&pairs, 9, 9), 0);
    mt_arena_free(&arena);
}
