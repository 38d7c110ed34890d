#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "solver/kernels/block.h"
#include "solver/kernels/ellpack.h"
#include "solver/kernels/kernels.h"
#include "tests/random.h"

enum { ROW = MT_ELLPACK_WIDTH, MOST = 70, VALUES = 200 };

static uint64_t seed = 3;

static double uniform(double low, double high) { return between(&seed, low, high); }

/* The matrix row by row, in natural order. */
static double d[MOST], a[MOST][ROW], v[VALUES];
static uint32_t column[MOST][ROW];

static void make_matrix(size_t n)
{
    for (size_t row = 0; row < n; row++) {
        d[row] = uniform(0, 1);
        size_t used = (size_t)uniform(0, ROW + 1);
        for (size_t k = 0; k < ROW; k++) {
            a[row][k] = k < used ? uniform(-0.1, 0.2) : 0;
            column[row][k] = k < used ? (uint32_t)uniform(0, VALUES) : (uint32_t)row;
        }
    }
    for (size_t k = 0; k < VALUES; k++) v[k] = uniform(-90, 40);
}

/* The plain loop: a product and a sum, each rounded. volatile prevents contraction and excess precision. */
static double obvious_double(size_t row)
{
    volatile double sum = d[row] * v[row];
    for (size_t k = 0; k < ROW; k++) {
        volatile double product = a[row][k] * v[column[row][k]];
        sum = sum + product;
    }
    return sum;
}

static float obvious_float(size_t row)
{
    volatile float sum = (float)d[row] * (float)v[row];
    for (size_t k = 0; k < ROW; k++) {
        volatile float product = (float)a[row][k] * (float)v[column[row][k]];
        sum = sum + product;
    }
    return sum;
}

/* Returns columns packed in static memory, valid until the next call. */
static const mt_ellpack_columns *packed(size_t n, const uint32_t *columns)
{
    static uint32_t room[MOST * ROW];
    static mt_ellpack_columns block[MOST / MT_BLOCK + 1];
    (void)mt_ellpack_pack(n, columns, room, block);
    return block;
}

Test(ellpack, rows_are_bit_identical_to_a_plain_loop)
{
    static double a_d[MOST * ROW], out_d[MOST + 1];
    static float d_f[MOST], a_f[MOST * ROW], v_f[VALUES], out16[MOST + 1], out32[MOST + 1];
    static uint16_t column16[MOST * ROW];
    static uint32_t column32[MOST * ROW];
    for (size_t n = 0; n <= MOST; n++) {
        make_matrix(n);
        for (size_t row = 0; row < n; row++)
            for (size_t k = 0; k < ROW; k++) {
                const size_t at = mt_block_index(n, ROW, row, k);
                a_f[at] = (float)(a_d[at] = a[row][k]);
                column16[at] = (uint16_t)(column32[at] = column[row][k]);
            }
        for (size_t row = 0; row < n; row++) d_f[row] = (float)d[row];
        for (size_t k = 0; k < VALUES; k++) v_f[k] = (float)v[k];
        out16[n] = out32[n] = 12345;
        out_d[n] = 12345;
        mt_ellpack_rows_float16(n, d_f, a_f, column16, VALUES, v_f, out16);
        mt_ellpack_rows_float(n, d_f, a_f, packed(n, column32), v_f, v_f, out32);
        mt_ellpack_rows_double(n, d, a_d, packed(n, column32), v, v, out_d);
        for (size_t row = 0; row < n; row++) {
            cr_expect_eq(out_d[row], obvious_double(row), "row %zu of %zu, double", row, n);
            cr_expect_eq(out16[row], obvious_float(row), "row %zu of %zu, float, a tile", row, n);
            cr_expect_eq(out32[row], obvious_float(row), "row %zu of %zu, float, a mesh", row, n);
        }
        cr_expect(out16[n] == 12345 && out32[n] == 12345 && out_d[n] == 12345, "written after row %zu", n);
    }
}

/* The own values may start anywhere in v. */
Test(ellpack, local_values_can_be_any_range_of_v)
{
    enum { N = 20, FROM = 33 };
    static double a_d[N * ROW], out[N];
    static uint32_t column32[N * ROW];
    make_matrix(N);
    for (size_t row = 0; row < N; row++)
        for (size_t k = 0; k < ROW; k++) {
            a_d[mt_block_index(N, ROW, row, k)] = a[row][k];
            column32[mt_block_index(N, ROW, row, k)] = column[row][k];
        }
    mt_ellpack_rows_double(N, d, a_d, packed(N, column32), v + FROM, v, out);
    for (size_t row = 0; row < N; row++) {
        double expected = d[row] * v[FROM + row];
        for (size_t k = 0; k < ROW; k++) expected += a[row][k] * v[column[row][k]];
        cr_expect_eq(out[row], expected, "row %zu", row);
    }
}

/* 16 bits can address 65,536 values, and all of them are usable. */
Test(ellpack, columns_of_16_bits_address_65536_values)
{
    enum { N = 17, REACH = 65536 };
    float *values = calloc(REACH, sizeof *values);
    static float d_f[N], a_f[N * ROW], out[N];
    static uint16_t columns[N * ROW];
    cr_assert_not_null(values);
    for (size_t k = 0; k < REACH; k++) values[k] = (float)k;
    for (size_t row = 0; row < N; row++) {
        a_f[mt_block_index(N, ROW, row, 0)] = 1;
        columns[mt_block_index(N, ROW, row, 0)] = (uint16_t)(REACH - 1 - 2000 * row);
    }
    mt_ellpack_rows_float16(N, d_f, a_f, columns, REACH, values, out);
    for (size_t row = 0; row < N; row++) cr_expect_eq(out[row], (float)(REACH - 1 - 2000 * row));
    free(values);
}

/* ---- packed columns ---- */

enum { MANY = 200000, SPAN = 65536 }; /* values, and columns that 16 bits can address */

/* Rows of several blocks, the last one narrow, and their results by the plain loop with the unpacked columns. */
typedef struct wide_rows {
    float d_f[MOST], a_f[MOST * ROW], v_f[MANY], v_low[MOST], out_f[MOST], high[MOST], low[MOST];
    double d_d[MOST], a_d[MOST * ROW], v_d[MANY], out_d[MOST];
    uint32_t column[MOST * ROW];
} wide_rows;

/* Selects the columns of a block from `span` consecutive values, including the first and the last. */
static void choose_columns(size_t n, uint32_t span, uint32_t *columns)
{
    const uint32_t first = (uint32_t)uniform(0, MANY - span + 1);
    for (size_t k = 0; k < n; k++) columns[k] = first + (uint32_t)uniform(0, span);
    const size_t at = (size_t)uniform(0, (double)n);
    columns[at] = first;
    columns[(at + 1) % n] = first + span - 1;
}

/* Computes row `row`, whose entries start at `at` with this stride. */
static void compute_plain(wide_rows *r, size_t row, size_t at, size_t stride)
{
    volatile double sum_d = r->d_d[row] * r->v_d[row];
    volatile float sum_f = r->d_f[row] * r->v_f[row], increment = r->v_low[row];
    for (size_t k = 0; k < ROW; k++, at += stride) {
        const size_t from = r->column[at];
        volatile double product_d = r->a_d[at] * r->v_d[from];
        volatile float product_f = r->a_f[at] * r->v_f[from], difference = r->v_f[from] - r->v_f[row],
                       rise = r->a_f[at] * difference;
        sum_d = sum_d + product_d, sum_f = sum_f + product_f, increment = increment + rise;
    }
    volatile float high = r->v_f[row] + increment, v_there = high - increment, rest = high - v_there,
                   v_error = r->v_f[row] - v_there, error = increment - rest;
    r->out_d[row] = sum_d, r->out_f[row] = sum_f, r->high[row] = high, r->low[row] = v_error + error;
}

/* Computes the rows from block `first` on by the kernels of an instruction set, and compares the bits. */
static void compare_from(
    size_t first, const mt_kernels *kernels, const wide_rows *r, const mt_ellpack_columns *columns)
{
    static float out_f[MOST], high[MOST], low[MOST];
    static double out_d[MOST];
    const size_t row = first * MT_BLOCK, n = MOST - row, at = row * ROW;
    memcpy(low, r->v_low + row, n * sizeof *low);
    kernels->rows_float(n, r->d_f + row, r->a_f + at, columns + first, r->v_f + row, r->v_f, out_f);
    kernels->rows_double(n, r->d_d + row, r->a_d + at, columns + first, r->v_d + row, r->v_d, out_d);
    kernels->rows_double_word(n, r->a_f + at, columns + first, r->v_f + row, r->v_f, 1, low, high);
    cr_expect_arr_eq(out_f, r->out_f + row, n * sizeof *out_f, "float, %s", kernels->isa);
    cr_expect_arr_eq(out_d, r->out_d + row, n * sizeof *out_d, "double, %s", kernels->isa);
    cr_expect_arr_eq(high, r->high + row, n * sizeof *high, "double words, %s", kernels->isa);
    cr_expect_arr_eq(low, r->low + row, n * sizeof *low, "double words, low parts, %s", kernels->isa);
}

/* Each combination of blocks with columns that just fit 16 bits, and that just do not. */
Test(ellpack, packed_columns_change_no_bit_on_any_instruction_set)
{
    enum { BLOCKS = (MOST + MT_BLOCK - 1) / MT_BLOCK };
    static wide_rows r;
    static uint32_t room[MOST * ROW];
    mt_ellpack_columns block[BLOCKS];
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    for (size_t k = 0; k < MANY; k++) r.v_f[k] = (float)(r.v_d[k] = uniform(-90, 40));
    for (unsigned wide = 0; wide < 1U << BLOCKS; wide++) {
        size_t bytes = 0;
        for (size_t k = 0; k < MOST * ROW; k++) r.a_f[k] = (float)(r.a_d[k] = uniform(-0.1, 0.2));
        for (size_t b = 0; b < BLOCKS; b++) {
            const size_t width = mt_block_width(MOST, MT_BLOCK * b), at = MT_BLOCK * ROW * b;
            choose_columns(width * ROW, SPAN + (wide >> b & 1), r.column + at);
            bytes += width * ROW * (wide >> b & 1 ? sizeof(uint32_t) : sizeof(uint16_t));
            for (size_t row = MT_BLOCK * b; row < MT_BLOCK * b + width; row++) {
                r.d_f[row] = (float)(r.d_d[row] = uniform(0, 1));
                r.v_low[row] = r.v_f[row] * (float)uniform(-0x1p-24, 0x1p-24);
                compute_plain(&r, row, at + row % MT_BLOCK, width);
            }
        }
        const char *end = mt_ellpack_pack(MOST, r.column, room, block);
        cr_expect_eq((size_t)(end - (char *)room), bytes, "combination %u", wide);
        for (size_t i = 0; i < n_all; i++)
            for (size_t first = 0; first < BLOCKS; first++) compare_from(first, all[i], &r, block);
    }
}

/* Returns the sum of a row with entries that sum to 1, to the precision of a long double, and the size of its increment. */
static long double exact(size_t row, float v_low, long double *size)
{
    const long double own = (float)v[row];
    long double sum = own + v_low;
    *size = fabsl((long double)v_low);
    for (size_t k = 0; k < ROW; k++) {
        const long double increment = (float)a[row][k] * ((long double)(float)v[column[row][k]] - own);
        sum += increment;
        *size += fabsl(increment);
    }
    return sum;
}

/* Values far apart, of both signs, and in half of the rows a small own value, so that the increment is the larger summand. */
Test(ellpack, double_word_errors_are_bounded_on_every_instruction_set)
{
    static float a_f[MOST * ROW], v_f[VALUES], v_low[MOST], low[MOST], low32[MOST], out[MOST], out32[MOST];
    static uint16_t column16[MOST * ROW];
    static uint32_t column32[MOST * ROW];
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    const long double bound = 18 * 0x1p-24L / (1 - 18 * 0x1p-24L);
    for (size_t turn = 0; turn < 50; turn++) {
        make_matrix(MOST);
        for (size_t row = 0; row < MOST; row += 2) v[row] = uniform(-0.1, 0.1);
        for (size_t k = 0; k < VALUES; k++) v_f[k] = (float)v[k];
        for (size_t row = 0; row < MOST; row++) {
            v_low[row] = v_f[row] * (float)uniform(-0x1p-24, 0x1p-24);
            for (size_t k = 0; k < ROW; k++) {
                const size_t at = mt_block_index(MOST, ROW, row, k);
                a_f[at] = (float)a[row][k];
                column16[at] = (uint16_t)(column32[at] = (uint32_t)column[row][k]);
            }
        }
        for (size_t i = 0; i < n_all; i++) {
            memcpy(low, v_low, sizeof low);
            memcpy(low32, v_low, sizeof low);
            all[i]->rows_double_word16(MOST, a_f, column16, v_f, v_f, 1, low, out);
            all[i]->rows_double_word(MOST, a_f, packed(MOST, column32), v_f, v_f, 1, low32, out32);
            cr_assert_arr_eq(out, out32, sizeof out);
            cr_assert_arr_eq(low, low32, sizeof low);
            for (size_t row = 0; row < MOST; row++) {
                long double size;
                const long double sum = exact(row, v_low[row], &size);
                cr_assert_leq(fabsl((long double)out[row] + low[row] - sum), bound * size,
                    "%s, row %zu: %Lg of %Lg", all[i]->isa, row, (long double)out[row] + low[row] - sum,
                    size);
                cr_assert(out[row] + low[row] == out[row], "%s, row %zu: a low part of %g for %g",
                    all[i]->isa, row, (double)low[row], (double)out[row]);
            }
        }
    }
}

Test(ellpack, increments_of_a_constant_field_are_exactly_zero)
{
    static float a_f[MOST * ROW], v_f[VALUES], low[MOST], out[MOST];
    static uint16_t column16[MOST * ROW];
    for (size_t k = 0; k < VALUES; k++) v_f[k] = -85.23F;
    for (size_t at = 0; at < MOST * ROW; at++) {
        a_f[at] = (float)uniform(-0.1, 0.2);
        column16[at] = (uint16_t)uniform(0, VALUES);
    }
    mt_ellpack_rows_double_word16(MOST, a_f, column16, VALUES, v_f, 1, low, out);
    cr_expect_arr_eq(out, v_f, sizeof out);
}

Test(ellpack, low_parts_are_stored_on_request_only)
{
    static float a_f[MOST * ROW], v_f[VALUES], kept[MOST], dropped[MOST], out[2][MOST];
    static uint16_t column16[MOST * ROW];
    make_matrix(MOST);
    for (size_t k = 0; k < VALUES; k++) v_f[k] = (float)v[k];
    for (size_t at = 0; at < MOST * ROW; at++) {
        a_f[at] = 1e-4F; /* increments that are rounded */
        column16[at] = (uint16_t)uniform(MOST, VALUES);
    }
    mt_ellpack_rows_double_word16(MOST, a_f, column16, VALUES, v_f, 1, kept, out[0]);
    mt_ellpack_rows_double_word16(MOST, a_f, column16, VALUES, v_f, 0, dropped, out[1]);
    cr_expect_arr_eq(out[0], out[1], sizeof out[0]);
    for (size_t row = 0; row < MOST; row++)
        cr_expect(kept[row] != 0 && dropped[row] == 0, "row %zu: %g and %g", row, (double)kept[row],
            (double)dropped[row]);
}

Test(ellpack, the_index_is_a_bijection_onto_n_times_k)
{
    static const size_t entries[] = {1, 16, 18};
    for (size_t e = 0; e < 3; e++)
        for (size_t n = 1; n <= 70; n++) {
            bool seen[70 * 18] = {false};
            for (size_t cell = 0; cell < n; cell++)
                for (size_t k = 0; k < entries[e]; k++) {
                    size_t at = mt_block_index(n, entries[e], cell, k);
                    cr_assert(at < n * entries[e], "cell %zu of %zu, entry %zu: %zu", cell, n, k, at);
                    cr_assert(!seen[at], "cell %zu of %zu, entry %zu: %zu twice", cell, n, k, at);
                    seen[at] = true;
                }
        }
}

Test(ellpack, entries_of_adjacent_cells_are_adjacent_within_a_block)
{
    for (size_t n = 1; n <= 70; n++) {
        cr_expect_eq(mt_block_width(n, n - 1), (n - 1) % 16 + 1);
        for (size_t cell = 0; cell + 1 < n; cell++)
            for (size_t k = 0; k < 18; k++) {
                size_t step = mt_block_index(n, 18, cell + 1, k) - mt_block_index(n, 18, cell, k);
                if (cell % 16 != 15) cr_assert_eq(step, 1, "cell %zu of %zu, entry %zu", cell, n, k);
            }
    }
    /* calculated by hand: 37 cells of 18 entries; cell 20 is the fifth of the second block, cell 36 the last of a block of 5 */
    cr_expect_eq(mt_block_index(37, 18, 20, 3), 16 * 18 + 16 * 3 + 4);
    cr_expect_eq(mt_block_index(37, 18, 36, 17), 2 * 16 * 18 + 5 * 17 + 4);
    cr_expect_eq(mt_block_width(37, 31), 16);
    cr_expect_eq(mt_block_width(37, 32), 5);
}
