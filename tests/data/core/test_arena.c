#include <criterion/criterion.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "data/core/arena.h"

Test(arena, every_allocation_is_zeroed_aligned_and_disjoint)
{
    enum { TAKES = 200 };
    mt_arena arena = {0};
    unsigned char *taken[TAKES];
    for (int round = 0; round < 2; round++) { /* in the second round the memory has been used before */
        for (size_t i = 0; i < TAKES; i++) {
            taken[i] = mt_arena_alloc(&arena, i, 3);
            cr_assert_not_null(taken[i]);
            cr_assert_eq((uintptr_t)taken[i] % 64, 0);
            for (size_t k = 0; k < 3 * i; k++) cr_assert_eq(taken[i][k], 0);
            memset(taken[i], (int)i, 3 * i);
        }
        for (size_t i = 0; i < TAKES; i++)
            for (size_t k = 0; k < 3 * i; k++) cr_assert_eq(taken[i][k], i, "take %zu was overwritten", i);
        mt_arena_free(&arena);
    }
}

/* Fresh pages of the system in the first round, reused memory later. */
Test(arena, large_allocations_are_zeroed_and_aligned_too)
{
    enum { BYTES = 5 << 20, TAKES = 3 };
    mt_arena arena = {0};
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < TAKES; i++) {
            unsigned char *taken = mt_arena_alloc(&arena, BYTES, 1);
            cr_assert_not_null(taken);
            cr_assert_eq((uintptr_t)taken % 64, 0);
            for (size_t k = 0; k < BYTES; k += 509) cr_assert_eq(taken[k], 0);
            memset(taken, 0xFF, BYTES);
        }
        mt_arena_free(&arena);
    }
}

/* Returns the bytes of this process in memory. */
static double resident_bytes(void)
{
    unsigned long pages = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    cr_assert(statm && fscanf(statm, "%lu %lu", &pages, &resident) == 2);
    (void)fclose(statm);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* Huge pages of 2 MiB that are used in part would add half of it. */
Test(arena, large_allocations_occupy_little_more_than_their_bytes)
{
    enum { BYTES = (4 << 20) + 65536, TAKES = 12 };
    mt_arena arena = {0};
    const double before = resident_bytes();
    for (size_t i = 0; i < TAKES; i++) {
        void *taken = mt_arena_alloc(&arena, BYTES, 1);
        cr_assert_not_null(taken);
        memset(taken, 0xFF, BYTES);
    }
    const double grown = (resident_bytes() - before) / ((double)TAKES * BYTES);
    cr_assert(grown > 0.9 && grown < 1.3, "%g", grown);
    mt_arena_free(&arena);
}

Test(arena, bytes_counts_the_requested_bytes_and_a_freed_arena_is_reusable)
{
    mt_arena arena = {0};
    cr_assert_not_null(mt_arena_alloc(&arena, 10, 8));
    cr_assert_not_null(mt_arena_alloc(&arena, 1, 1));
    cr_assert_eq(arena.bytes, 81);
    mt_arena_free(&arena);
    cr_assert_eq(arena.bytes, 0);
    cr_assert_null(arena.blocks);
    cr_assert_not_null(mt_arena_alloc(&arena, 0, 8));
    mt_arena_free(&arena);
    mt_arena_free(&arena);
}

Test(arena, impossible_allocations_are_rejected_with_a_message)
{
    mt_arena arena = {0};
    cr_assert_null(mt_arena_alloc(&arena, SIZE_MAX / 2, 3));
    cr_assert_not_null(strstr(mt_message(), "more than can be addressed"), "%s", mt_message());
    cr_assert_null(mt_arena_alloc(&arena, SIZE_MAX, 1));
    cr_assert_null(mt_arena_alloc(&arena, SIZE_MAX - 64, 1));
    cr_assert_eq(arena.bytes, 0);
    mt_arena_free(&arena);
}

Test(arena, fail_at_fails_the_nth_allocation_once_in_any_arena)
{
    mt_arena one = {0}, two = {0};
    mt_arena_fail_at(3);
    cr_assert_not_null(mt_arena_alloc(&one, 1, 1));
    cr_assert_not_null(mt_arena_alloc(&two, 1, 1));
    cr_assert_null(mt_arena_alloc(&one, 1, 1));
    cr_assert_not_null(strstr(mt_message(), "out of memory"), "%s", mt_message());
    for (int i = 0; i < 9; i++) cr_assert_not_null(mt_arena_alloc(&one, 1, 1));
    mt_arena_fail_at(1);
    mt_arena_fail_at(0);
    cr_assert_not_null(mt_arena_alloc(&one, 1, 1));
    mt_arena_free(&one);
    mt_arena_free(&two);
}

static mt_status take_two(mt_arena *arena, int **first, double **second)
{
    MT_ALLOC(arena, *first, 2);
    MT_ALLOC(arena, *second, 2);
    return MT_OK;
}

Test(arena, MT_ALLOC_propagates_the_failure)
{
    mt_arena arena = {0};
    int *first = NULL;
    double *second = NULL;
    mt_arena_fail_at(2);
    cr_assert_eq(take_two(&arena, &first, &second), MT_MEMORY);
    cr_assert_null(second);
    cr_assert_eq(take_two(&arena, &first, &second), MT_OK);
    cr_assert_eq(arena.bytes, 2 * (2 * sizeof *first) + 2 * sizeof *second);
    mt_arena_free(&arena);
}

/* An object that ends with an arena, and memory of the arena that it reads. */
typedef struct ending {
    const int *number;
    int *sum;
} ending;

static void end(void *context)
{
    const ending *e = context;
    *e->sum = 10 * *e->sum + *e->number;
}

Test(arena, ends_are_called_newest_first_while_all_memory_is_there)
{
    mt_arena arena = {0};
    int sum = 0, *number;
    ending *e;
    for (int k = 1; k <= 3; k++) {
        cr_assert_not_null(e = mt_arena_alloc(&arena, 1, sizeof *e));
        cr_assert_eq(mt_arena_at_end(&arena, end, e), MT_OK);
        cr_assert_not_null(number = mt_arena_alloc(&arena, 1, sizeof *number)); /* newer than its reader */
        *number = k;
        *e = (ending){number, &sum};
    }
    mt_arena_free(&arena);
    cr_expect_eq(sum, 321);
    mt_arena_free(&arena);
    cr_expect_eq(sum, 321, "an end was called twice");
    mt_arena_fail_at(1);
    cr_expect_eq(mt_arena_at_end(&arena, end, e), MT_MEMORY);
    mt_arena_free(&arena);
    cr_expect_eq(sum, 321);
}
