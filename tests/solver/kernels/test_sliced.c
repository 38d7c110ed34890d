#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "solver/kernels/block.h"
#include "solver/kernels/kernels.h"
#include "tests/random.h"

enum { LONGEST = 40, FAR = 70003 };

static uint64_t seed = 3;

/* Rows in compressed form with random columns, in a random order of storage, and their patterns and values. */
typedef struct rows {
    mt_arena arena;
    size_t n, *start;
    uint32_t *column, *order, *place;
    double *value, *base_d, *x_d, *a_d, *out_d; /* x and base in the order of storage */
    float *base_f, *x_f, *a_f, *out_f, *low;
    mt_sliced_source source;
    mt_sliced sliced;
} rows;

static const double FACTOR = 0.3;

static void shuffle(size_t n, uint32_t *order)
{
    for (size_t k = 0; k < n; k++) order[k] = (uint32_t)k;
    for (size_t k = n - 1; k > 0; k--) {
        const size_t other = draw(&seed, k + 1);
        const uint32_t moved = order[k];
        order[k] = order[other], order[other] = moved;
    }
}

/* Chooses the columns of a row. Every third block of rows has columns anywhere, the others have near ones. */
static void choose_columns(rows *r, size_t row)
{
    const size_t at = r->place[row];
    for (size_t k = r->start[row]; k < r->start[row + 1]; k++) {
        const size_t near = at + draw(&seed, 200), any = draw(&seed, r->n);
        r->column[k] = r->order[at / MT_BLOCK % 3 == 1 ? any : near < r->n ? near : any % (at + 1)];
        r->value[k] = between(&seed, -0.1, 0.2);
    }
}

static void make_rows(rows *r, size_t n, size_t longest)
{
    mt_arena *arena = &r->arena;
    *r = (rows){.n = n};
    r->start = mt_arena_alloc(arena, n + 1, sizeof *r->start);
    r->order = mt_arena_alloc(arena, n, sizeof *r->order);
    r->place = mt_arena_alloc(arena, n, sizeof *r->place);
    shuffle(n, r->order);
    for (size_t k = 0; k < n; k++) r->place[r->order[k]] = (uint32_t)k;
    for (size_t k = 0; k < n; k++) r->start[k + 1] = r->start[k] + draw(&seed, longest + 1);
    r->column = mt_arena_alloc(arena, r->start[n], sizeof *r->column);
    r->value = mt_arena_alloc(arena, r->start[n], sizeof *r->value);
    r->base_d = mt_arena_alloc(arena, n, sizeof *r->base_d);
    r->base_f = mt_arena_alloc(arena, n, sizeof *r->base_f);
    r->x_d = mt_arena_alloc(arena, n, sizeof *r->x_d);
    r->x_f = mt_arena_alloc(arena, n, sizeof *r->x_f);
    r->out_d = mt_arena_alloc(arena, n + 1, sizeof *r->out_d);
    r->out_f = mt_arena_alloc(arena, n + 1, sizeof *r->out_f);
    r->low = mt_arena_alloc(arena, n + 1, sizeof *r->low);
    for (size_t k = 0; k < n; k++) {
        choose_columns(r, k);
        r->base_f[k] = (float)(r->base_d[k] = between(&seed, -90, 40));
        r->x_f[k] = (float)(r->x_d[k] = between(&seed, -90, 40));
    }
    r->source = (mt_sliced_source){n, r->start, r->column, r->order, r->place};
    cr_assert_eq(mt_sliced_make(arena, &r->source, &r->sliced), MT_OK);
    r->a_d = mt_arena_alloc(arena, r->sliced.n_values, sizeof *r->a_d);
    r->a_f = mt_arena_alloc(arena, r->sliced.n_values, sizeof *r->a_f);
    mt_sliced_values_double(&r->sliced, &r->source, r->value, FACTOR, r->a_d);
    mt_sliced_values_float(&r->sliced, &r->source, r->value, FACTOR, r->a_f);
}

/* The plain loops over the entries of a row, without blocks. volatile prevents contraction and excess precision. */
static double obvious_double(const rows *r, size_t at)
{
    volatile double sum = 0;
    for (size_t k = r->start[r->order[at]]; k < r->start[r->order[at] + 1]; k++) {
        volatile double difference = r->x_d[r->place[r->column[k]]] - r->x_d[at], a = FACTOR * r->value[k],
                        product = a * difference;
        sum = sum + product;
    }
    return r->base_d[at] + sum;
}

static float obvious_float(const rows *r, size_t at)
{
    volatile float sum = 0;
    for (size_t k = r->start[r->order[at]]; k < r->start[r->order[at] + 1]; k++) {
        volatile float difference = r->x_f[r->place[r->column[k]]] - r->x_f[at],
                       a = (float)(FACTOR * r->value[k]), product = a * difference;
        sum = sum + product;
    }
    return r->base_f[at] + sum;
}

/* The same in double words, with a low part that depends on the row. The low part of the sum is the exact error of the high part. */
static float low_of(size_t at) { return (float)((int)(at % 7) - 3) * 0x1p-20F; }

static float obvious_words(const rows *r, size_t at, float *low)
{
    volatile float sum = low_of(at);
    for (size_t k = r->start[r->order[at]]; k < r->start[r->order[at] + 1]; k++) {
        volatile float difference = r->x_f[r->place[r->column[k]]] - r->x_f[at],
                       a = (float)(FACTOR * r->value[k]), product = a * difference;
        sum = sum + product;
    }
    volatile float high = r->x_f[at] + sum;
    *low = (float)((double)r->x_f[at] + (double)sum - (double)high);
    return high;
}

/* Compares rows in double words; `keeps` is 0 or 1. */
static void compare_words_from(rows *r, size_t first, const mt_kernels *kernels, float keeps)
{
    const size_t row = first * MT_BLOCK, n = r->n - row;
    for (size_t k = 0; k < n; k++) r->low[k] = low_of(row + k);
    r->low[n] = r->out_f[n] = 12345;
    kernels->sliced_double_word(
        n, r->sliced.block + first, r->a_f, r->x_f + row, r->x_f, keeps, r->low, r->out_f);
    for (size_t k = 0; k < n; k++) {
        float low;
        cr_assert_eq(r->out_f[k], obvious_words(r, row + k, &low), "%s, row %zu of %zu, high", kernels->isa,
            row + k, r->n);
        cr_assert_eq(r->low[k], keeps * low, "%s, row %zu of %zu, low", kernels->isa, row + k, r->n);
    }
    cr_assert(r->low[n] == 12345 && r->out_f[n] == 12345, "%s: written after row %zu", kernels->isa, r->n);
}

/* Compares the rows from block `first` on, computed by an instruction set. */
static void compare_from(rows *r, size_t first, const mt_kernels *kernels)
{
    const size_t row = first * MT_BLOCK, n = r->n - row;
    r->out_d[n] = r->out_f[n] = 12345;
    kernels->sliced_double(
        n, r->sliced.block + first, r->a_d, r->base_d + row, r->x_d + row, r->x_d, r->out_d);
    kernels->sliced_float(
        n, r->sliced.block + first, r->a_f, r->base_f + row, r->x_f + row, r->x_f, r->out_f);
    for (size_t k = 0; k < n; k++) {
        cr_assert_eq(r->out_d[k], obvious_double(r, row + k), "%s, row %zu of %zu, double", kernels->isa,
            row + k, r->n);
        cr_assert_eq(
            r->out_f[k], obvious_float(r, row + k), "%s, row %zu of %zu, float", kernels->isa, row + k, r->n);
    }
    cr_assert(r->out_d[n] == 12345 && r->out_f[n] == 12345, "%s: written after row %zu", kernels->isa, r->n);
    for (int keeps = 0; keeps <= 1; keeps++) compare_words_from(r, first, kernels, (float)keeps);
}

Test(sliced, rows_have_the_bits_of_a_plain_loop_on_any_instruction_set)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    for (size_t n = 1; n <= 70; n++) {
        rows r;
        make_rows(&r, n, n % 7 == 0 ? 0 : LONGEST);
        for (size_t i = 0; i < n_all; i++)
            for (size_t first = 0; first * MT_BLOCK < n; first++) compare_from(&r, first, all[i]);
        mt_arena_free(&r.arena);
    }
}

Test(sliced, columns_far_apart_have_32_bits_and_change_no_bit_of_the_result)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    rows r;
    size_t wide = 0, n_blocks = (FAR + MT_BLOCK - 1) / MT_BLOCK;
    make_rows(&r, FAR, LONGEST);
    for (size_t b = 0; b < n_blocks; b++) wide += r.sliced.block[b].columns.wide;
    cr_assert(wide > n_blocks / 4 && wide < n_blocks / 2, "%zu wide blocks of %zu", wide, n_blocks);
    for (size_t i = 0; i < n_all; i++) compare_from(&r, 0, all[i]);
    mt_arena_free(&r.arena);
}

Test(sliced, a_constant_field_yields_the_base_to_the_bit)
{
    rows r;
    make_rows(&r, 100, LONGEST);
    for (size_t k = 0; k < r.n; k++) r.x_f[k] = -85.23F;
    mt_sliced_rows_float(r.n, r.sliced.block, r.a_f, r.base_f, r.x_f, r.x_f, r.out_f);
    cr_expect_arr_eq(r.out_f, r.base_f, r.n * sizeof *r.out_f);
    mt_arena_free(&r.arena);
}

Test(sliced, results_can_replace_their_base)
{
    rows r;
    make_rows(&r, 100, LONGEST);
    mt_sliced_rows_double(r.n, r.sliced.block, r.a_d, r.base_d, r.x_d, r.x_d, r.out_d);
    mt_sliced_rows_double(r.n, r.sliced.block, r.a_d, r.base_d, r.x_d, r.x_d, r.base_d);
    cr_expect_arr_eq(r.out_d, r.base_d, r.n * sizeof *r.out_d);
    mt_arena_free(&r.arena);
}

Test(sliced, blocks_are_as_wide_as_their_longest_row)
{
    rows r;
    size_t first = 0;
    make_rows(&r, 75, LONGEST);
    for (size_t b = 0; b * MT_BLOCK < r.n; b++) {
        size_t longest = 0;
        for (size_t at = b * MT_BLOCK; at < r.n && at < (b + 1) * MT_BLOCK; at++) {
            const size_t length = r.start[r.order[at] + 1] - r.start[r.order[at]];
            if (length > longest) longest = length;
        }
        cr_expect_eq(r.sliced.block[b].width, longest, "block %zu", b);
        cr_expect_eq(r.sliced.block[b].first, first, "block %zu", b);
        first += longest;
    }
    cr_expect_eq(r.sliced.n_values, MT_BLOCK * first);
    mt_arena_free(&r.arena);
}
