#include <criterion/criterion.h>

#include "mesh/tags.h"

Test(tags, groups_are_ascending_and_list_every_item_once_in_order)
{
    enum { N = 1000 };
    static const int32_t values[] = {7, -3, INT32_MAX, 0, INT32_MIN};
    static const int32_t order[] = {INT32_MIN, -3, 0, 7, INT32_MAX};
    mt_arena arena = {0};
    mt_tags tags;
    int32_t tag[N];
    size_t next = 0;
    for (size_t k = 0; k < N; k++) tag[k] = values[k * k % 97 % 5];
    cr_assert_eq(mt_tags_make(&arena, N, tag, &tags), MT_OK);
    cr_assert_eq(tags.n, sizeof order / sizeof *order);
    for (size_t t = 0; t < tags.n; t++) {
        cr_assert_eq(tags.tag[t], order[t]);
        cr_assert_eq(tags.offset[t], next);
        for (size_t k = 0; k < N; k++)
            if (tag[k] == order[t]) cr_assert_eq(tags.id[next++], k);
    }
    cr_assert(next == N && tags.offset[tags.n] == N);
    mt_arena_free(&arena);
}

Test(tags, empty_input_has_no_tags)
{
    mt_arena arena = {0};
    mt_tags tags;
    cr_assert_eq(mt_tags_make(&arena, 0, NULL, &tags), MT_OK);
    cr_assert(tags.n == 0 && tags.offset[0] == 0);
    mt_arena_free(&arena);
}

Test(tags, out_of_memory_is_reported_without_a_leak)
{
    const int32_t tag[] = {2, 1, 2};
    mt_arena arena = {0};
    mt_tags tags;
    for (size_t n = 1;; n++) {
        mt_arena_fail_at(n);
        const mt_status status = mt_tags_make(&arena, 3, tag, &tags);
        mt_arena_fail_at(0);
        if (status == MT_OK) break;
        cr_assert(status == MT_MEMORY && n < 10);
    }
    mt_arena_free(&arena);
}
