#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "solver/kernels/block.h"
#include "solver/kernels/ellpack.h"
#include "solver/kernels/kernels.h"
#include "tests/random.h"

enum { MOST = 40, ROW = MT_ELLPACK_WIDTH, VALUES = 97 };

static uint64_t seed = 7;

static double uniform(double low, double high) { return between(&seed, low, high); }

/* Equality of bits, including NaN. */
#define EXPECT_SAME_BITS(a, b, bytes, ...) cr_expect(memcmp((a), (b), (bytes)) == 0, __VA_ARGS__)

/* Random rows in blocks, at most MOST rows. */
typedef struct rows {
    float d_f[MOST], a_f[MOST * ROW], v_f[VALUES], v_low[MOST];
    double d_d[MOST], a_d[MOST * ROW], v_d[VALUES];
    uint16_t column16[MOST * ROW];
    uint32_t column32[MOST * ROW];
} rows;

static rows random_rows(void)
{
    rows r;
    for (size_t k = 0; k < MOST; k++) {
        r.d_f[k] = (float)(r.d_d[k] = uniform(0, 1));
        r.v_low[k] = (float)uniform(-0x1p-20, 0x1p-20);
    }
    for (size_t k = 0; k < VALUES; k++) r.v_f[k] = (float)(r.v_d[k] = uniform(-90, 40));
    for (size_t k = 0; k < MOST * ROW; k++) {
        r.a_f[k] = (float)(r.a_d[k] = uniform(-0.1, 0.2));
        r.column16[k] = (uint16_t)(r.column32[k] = (uint32_t)uniform(0, VALUES));
    }
    return r;
}

/* Returns columns packed in static memory, valid until the next call. */
static const mt_ellpack_columns *packed(size_t n, const uint32_t *columns)
{
    static uint32_t room[MOST * ROW];
    static mt_ellpack_columns block[MOST / MT_BLOCK + 1];
    (void)mt_ellpack_pack(n, columns, room, block);
    return block;
}

/* Rows of a tile and, packed, of a mesh. */
typedef struct result {
    float float16[MOST], of_mesh[MOST], high[MOST], low[MOST], high_mesh[MOST], low_mesh[MOST];
    double double_mesh[MOST];
} result;

static result multiply(const mt_kernels *kernels, size_t n, const rows *r)
{
    const mt_ellpack_columns *columns = packed(n, r->column32);
    result out;
    memset(&out, 0, sizeof out);
    kernels->rows_float16(n, r->d_f, r->a_f, r->column16, r->v_f, r->v_f, out.float16);
    kernels->rows_float(n, r->d_f, r->a_f, columns, r->v_f, r->v_f, out.of_mesh);
    kernels->rows_double(n, r->d_d, r->a_d, columns, r->v_d, r->v_d, out.double_mesh);
    memcpy(out.low, r->v_low, n * sizeof *out.low);
    memcpy(out.low_mesh, r->v_low, n * sizeof *out.low_mesh);
    kernels->rows_double_word16(n, r->a_f, r->column16, r->v_f, r->v_f, 1, out.low, out.high);
    kernels->rows_double_word(n, r->a_f, columns, r->v_f, r->v_f, 1, out.low_mesh, out.high_mesh);
    return out;
}

Test(kernels, rows_are_bit_identical_on_every_instruction_set)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    for (size_t n = 1; n <= MOST; n++) {
        const rows r = random_rows();
        const result first = multiply(all[0], n, &r);
        cr_expect(memcmp(first.float16, first.of_mesh, sizeof first.float16) == 0, "of a tile and of a mesh");
        cr_expect(memcmp(first.high, first.high_mesh, 2 * sizeof first.high) == 0, "double words of both");
        for (size_t k = 1; k < n_all; k++) {
            const result other = multiply(all[k], n, &r);
            EXPECT_SAME_BITS(&first, &other, sizeof first, "%s, %zu rows", all[k]->isa, n);
        }
    }
}

Test(kernels, a_row_does_not_depend_on_its_position_in_the_block)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    const rows r = random_rows(); /* read as single rows, one after another */
    for (size_t i = 0; i < n_all; i++)
        for (size_t n = 1; n <= MOST; n++) {
            rows blocks = r;
            for (size_t row = 0; row < n; row++)
                for (size_t k = 0; k < ROW; k++) {
                    const size_t to = mt_block_index(n, ROW, row, k), from = ROW * row + k;
                    blocks.a_f[to] = r.a_f[from];
                    blocks.a_d[to] = r.a_d[from];
                    blocks.column16[to] = r.column16[from];
                    blocks.column32[to] = r.column32[from];
                }
            const result together = multiply(all[i], n, &blocks);
            result alone;
            memset(&alone, 0, sizeof alone);
            for (size_t row = 0; row < n; row++) {
                const size_t at = ROW * row;
                const mt_ellpack_columns *columns = packed(1, r.column32 + at);
                all[i]->rows_float16(
                    1, r.d_f + row, r.a_f + at, r.column16 + at, r.v_f + row, r.v_f, alone.float16 + row);
                all[i]->rows_float(
                    1, r.d_f + row, r.a_f + at, columns, r.v_f + row, r.v_f, alone.of_mesh + row);
                all[i]->rows_double(
                    1, r.d_d + row, r.a_d + at, columns, r.v_d + row, r.v_d, alone.double_mesh + row);
                alone.low[row] = alone.low_mesh[row] = r.v_low[row];
                all[i]->rows_double_word16(
                    1, r.a_f + at, r.column16 + at, r.v_f + row, r.v_f, 1, alone.low + row, alone.high + row);
                all[i]->rows_double_word(1, r.a_f + at, columns, r.v_f + row, r.v_f, 1, alone.low_mesh + row,
                    alone.high_mesh + row);
            }
            EXPECT_SAME_BITS(&alone, &together, sizeof alone, "%s, %zu rows", all[i]->isa, n);
        }
}

/* Flushing of subnormals is set by the calling thread, not by the kernels. */
Test(kernels, subnormal_values_are_preserved)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    rows r;
    memset(&r, 0, sizeof r);
    for (size_t k = 0; k < MOST; k++) {
        r.d_f[k] = 1;
        r.d_d[k] = 1;
    }
    for (size_t k = 0; k < VALUES; k++) {
        r.v_f[k] = FLT_MIN / 4;
        r.v_d[k] = DBL_MIN / 4;
    }
    for (size_t i = 0; i < n_all; i++) {
        const result out = multiply(all[i], MOST, &r);
        for (size_t row = 0; row < MOST; row++) {
            cr_expect_eq(out.float16[row], FLT_MIN / 4, "%s, row %zu", all[i]->isa, row);
            cr_expect_eq(out.of_mesh[row], FLT_MIN / 4, "%s, row %zu", all[i]->isa, row);
            cr_expect_eq(out.double_mesh[row], DBL_MIN / 4, "%s, row %zu", all[i]->isa, row);
        }
    }
}

Test(kernels, the_baseline_is_always_available_and_the_best_is_first)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n = mt_kernels_all(all);
    cr_assert(n >= 1 && n <= 3);
    cr_expect_str_eq(all[n - 1]->isa, "base");
    cr_expect_eq(mt_kernels_used(), all[0]);
}

Test(kernels, kernels_of_an_instruction_set_can_be_chosen_by_name)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n = mt_kernels_all(all);
    for (size_t k = n; k-- > 0;) {
        cr_expect_eq(mt_kernels_choose(all[k]->isa), MT_OK);
        cr_expect_eq(mt_kernels_used(), all[k]);
    }
    cr_assert_eq(mt_kernels_choose("base"), MT_OK);
    cr_expect_eq(mt_kernels_choose("sse9"), MT_INPUT);
    cr_expect(
        strstr(mt_message(), "'sse9'") && strstr(mt_message(), all[0]->isa) && strstr(mt_message(), "base"),
        "%s", mt_message());
    cr_expect_eq(mt_kernels_used(), all[n - 1], "a set that is not available changes nothing");
    cr_expect_eq(mt_kernels_choose(""), MT_OK);
    cr_expect_eq(mt_kernels_used(), all[0]);
    cr_expect_eq(mt_kernels_choose("base"), MT_OK);
    cr_expect_eq(mt_kernels_choose(NULL), MT_OK);
    cr_expect_eq(mt_kernels_used(), all[0]);
}
