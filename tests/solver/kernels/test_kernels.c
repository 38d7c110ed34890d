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

/* MOST cells cell by cell, entry by entry, and n of them in blocks. */
typedef struct cells {
    float state_f[MOST * TP06_STATES], v_f[MOST];
    double state_d[MOST * TP06_STATES], v_d[MOST];
} cells;

static cells random_cells(void)
{
    static const double low[TP06_STATES] = {[TP06_CAI] = 5e-5, 0, 0.5, 1e-4, 5, 120};
    static const double high[TP06_STATES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2e-3, 1, 5, 1, 15, 150};
    cells c;
    for (size_t cell = 0; cell < MOST; cell++) {
        for (size_t k = 0; k < TP06_STATES; k++)
            c.state_f[cell * TP06_STATES + k] =
                (float)(c.state_d[cell * TP06_STATES + k] = uniform(low[k], high[k]));
        c.v_f[cell] = (float)(c.v_d[cell] = uniform(-100, 60));
    }
    c.v_f[3] = -40; /* both sides of what the model treats separately */
    c.v_d[3] = -40;
    c.v_f[5] = 15;
    c.v_d[5] = 15;
    return c;
}

/* The first n cells laid out in blocks. */
static cells in_blocks(const cells *from, size_t n)
{
    cells to = *from;
    for (size_t cell = 0; cell < n; cell++)
        for (size_t k = 0; k < TP06_STATES; k++) {
            size_t at = mt_block_index(n, TP06_STATES, cell, k);
            to.state_f[at] = from->state_f[cell * TP06_STATES + k];
            to.state_d[at] = from->state_d[cell * TP06_STATES + k];
        }
    return to;
}

static void step(const mt_kernels *kernels, int type, size_t n, cells *c)
{
    kernels->tp06_float(&mt_tp06_types[type], NULL, 0.02, n, c->state_f, c->v_f, c->v_f);
    kernels->tp06_double(&mt_tp06_types[type], NULL, 0.02, n, c->state_d, c->v_d, c->v_d);
}

/* The same bits, NaN included. */
#define EXPECT_SAME_BITS(a, b, bytes, ...) cr_expect(memcmp((a), (b), (bytes)) == 0, __VA_ARGS__)

static void expect_same_cells(const cells *a, const cells *b, const char *isa, size_t n)
{
    EXPECT_SAME_BITS(a->v_f, b->v_f, sizeof a->v_f, "V in float, %s, %zu cells", isa, n);
    EXPECT_SAME_BITS(a->v_d, b->v_d, sizeof a->v_d, "V in double, %s, %zu cells", isa, n);
    EXPECT_SAME_BITS(a->state_f, b->state_f, sizeof a->state_f, "states in float, %s, %zu cells", isa, n);
    EXPECT_SAME_BITS(a->state_d, b->state_d, sizeof a->state_d, "states in double, %s, %zu cells", isa, n);
}

Test(kernels, the_cell_model_gives_the_same_bits_on_every_instruction_set)
{
    const mt_kernels *all[3];
    const size_t n_all = mt_kernels_all(all);
    for (size_t n = 1; n <= MOST; n++) {
        const int type = (int)(n % MT_CELL_TYPES);
        const cells start = random_cells();
        const cells blocks = in_blocks(&start, n);
        cells first = blocks;
        step(all[0], type, n, &first);
        step(all[0], type, n, &first);
        cr_assert(memcmp(first.v_f, start.v_f, sizeof first.v_f) != 0, "nothing moved");
        EXPECT_SAME_BITS(first.v_f + n, start.v_f + n, (MOST - n) * sizeof(float), "V behind cell %zu", n);
        EXPECT_SAME_BITS(first.state_f + n * TP06_STATES, start.state_f + n * TP06_STATES,
            (MOST - n) * TP06_STATES * sizeof(float), "states behind cell %zu", n);
        for (size_t k = 1; k < n_all; k++) {
            cells other = blocks;
            step(all[k], type, n, &other);
            step(all[k], type, n, &other);
            expect_same_cells(&first, &other, all[k]->isa, n);
        }
    }
}

Test(kernels, a_cell_does_not_depend_on_its_place_in_the_block)
{
    const mt_kernels *all[3];
    const size_t n_all = mt_kernels_all(all);
    const cells start = random_cells();
    for (size_t k = 0; k < n_all; k++) {
        cells alone = start;
        for (size_t cell = 0; cell < MOST; cell++) {
            all[k]->tp06_float(&mt_tp06_types[MT_EPI], NULL, 0.02, 1, alone.state_f + cell * TP06_STATES,
                alone.v_f + cell, alone.v_f + cell);
            all[k]->tp06_double(&mt_tp06_types[MT_EPI], NULL, 0.02, 1, alone.state_d + cell * TP06_STATES,
                alone.v_d + cell, alone.v_d + cell);
        }
        for (size_t n = 1; n <= MOST; n++) {
            cells together = in_blocks(&start, n), expected = in_blocks(&alone, n);
            step(all[k], MT_EPI, n, &together);
            memcpy(expected.v_f + n, start.v_f + n, (MOST - n) * sizeof(float));
            memcpy(expected.v_d + n, start.v_d + n, (MOST - n) * sizeof(double));
            const size_t rest = (MOST - n) * TP06_STATES;
            memcpy(expected.state_f + n * TP06_STATES, start.state_f + n * TP06_STATES, rest * sizeof(float));
            memcpy(
                expected.state_d + n * TP06_STATES, start.state_d + n * TP06_STATES, rest * sizeof(double));
            expect_same_cells(&expected, &together, all[k]->isa, n);
        }
    }
}

Test(kernels, among_other_types_a_cell_gets_the_bits_it_gets_among_its_like)
{
    const mt_kernels *all[3];
    const size_t n_all = mt_kernels_all(all);
    for (size_t n = 1; n <= MOST; n++) {
        const cells start = random_cells(), blocks = in_blocks(&start, n);
        uint16_t of[MOST];
        for (size_t cell = 0; cell < n; cell++) of[cell] = (uint16_t)(cell * 7 % 5 % MT_CELL_TYPES);
        for (size_t k = 0; k < n_all; k++) {
            cells like[MT_CELL_TYPES], expected = blocks, mixed = blocks;
            for (int type = 0; type < MT_CELL_TYPES; type++) {
                like[type] = blocks;
                step(all[k], type, n, &like[type]);
            }
            for (size_t cell = 0; cell < n; cell++) {
                expected.v_f[cell] = like[of[cell]].v_f[cell], expected.v_d[cell] = like[of[cell]].v_d[cell];
                for (size_t s = 0; s < TP06_STATES; s++) {
                    const size_t at = mt_block_index(n, TP06_STATES, cell, s);
                    expected.state_f[at] = like[of[cell]].state_f[at];
                    expected.state_d[at] = like[of[cell]].state_d[at];
                }
            }
            all[k]->tp06_float(mt_tp06_types, of, 0.02, n, mixed.state_f, mixed.v_f, mixed.v_f);
            all[k]->tp06_double(mt_tp06_types, of, 0.02, n, mixed.state_d, mixed.v_d, mixed.v_d);
            expect_same_cells(&expected, &mixed, all[k]->isa, n);
        }
    }
}

/* Random rows in blocks, of MOST rows at most. */
typedef struct rows {
    float d_f[MOST], a_f[MOST * ROW], v_f[VALUES];
    double d_d[MOST], a_d[MOST * ROW], v_d[VALUES];
    uint16_t column16[MOST * ROW];
    uint32_t column32[MOST * ROW];
} rows;

static rows random_rows(void)
{
    rows r;
    for (size_t k = 0; k < MOST; k++) r.d_f[k] = (float)(r.d_d[k] = uniform(0, 1));
    for (size_t k = 0; k < VALUES; k++) r.v_f[k] = (float)(r.v_d[k] = uniform(-90, 40));
    for (size_t k = 0; k < MOST * ROW; k++) {
        r.a_f[k] = (float)(r.a_d[k] = uniform(-0.1, 0.2));
        r.column16[k] = (uint16_t)(r.column32[k] = (uint32_t)uniform(0, VALUES));
    }
    return r;
}

typedef struct result {
    float float16[MOST], float32[MOST];
    double double32[MOST];
} result;

static result multiply(const mt_kernels *kernels, size_t n, const rows *r)
{
    result out;
    memset(&out, 0, sizeof out);
    kernels->rows_float16(n, r->d_f, r->a_f, r->column16, r->v_f, r->v_f, out.float16);
    kernels->rows_float32(n, r->d_f, r->a_f, r->column32, r->v_f, r->v_f, out.float32);
    kernels->rows_double32(n, r->d_d, r->a_d, r->column32, r->v_d, r->v_d, out.double32);
    return out;
}

Test(kernels, rows_give_the_same_bits_on_every_instruction_set)
{
    const mt_kernels *all[3];
    const size_t n_all = mt_kernels_all(all);
    for (size_t n = 1; n <= MOST; n++) {
        const rows r = random_rows();
        const result first = multiply(all[0], n, &r);
        cr_expect(
            memcmp(first.float16, first.float32, sizeof first.float16) == 0, "columns of 16 and 32 bits");
        for (size_t k = 1; k < n_all; k++) {
            const result other = multiply(all[k], n, &r);
            EXPECT_SAME_BITS(&first, &other, sizeof first, "%s, %zu rows", all[k]->isa, n);
        }
    }
}

Test(kernels, a_row_does_not_depend_on_its_place_in_the_block)
{
    const mt_kernels *all[3];
    const size_t n_all = mt_kernels_all(all);
    const rows r = random_rows(); /* read as single rows, one behind the other */
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
                all[i]->rows_float16(
                    1, r.d_f + row, r.a_f + at, r.column16 + at, r.v_f + row, r.v_f, alone.float16 + row);
                all[i]->rows_float32(
                    1, r.d_f + row, r.a_f + at, r.column32 + at, r.v_f + row, r.v_f, alone.float32 + row);
                all[i]->rows_double32(
                    1, r.d_d + row, r.a_d + at, r.column32 + at, r.v_d + row, r.v_d, alone.double32 + row);
            }
            EXPECT_SAME_BITS(&alone, &together, sizeof alone, "%s, %zu rows", all[i]->isa, n);
        }
}

/* Whether subnormals become zero is the calling thread's choice, not the kernels'. */
Test(kernels, subnormal_values_pass_through)
{
    const mt_kernels *all[3];
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
            cr_expect_eq(out.float32[row], FLT_MIN / 4, "%s, row %zu", all[i]->isa, row);
            cr_expect_eq(out.double32[row], DBL_MIN / 4, "%s, row %zu", all[i]->isa, row);
        }
    }
}

Test(kernels, the_baseline_runs_everywhere_and_the_best_comes_first)
{
    const mt_kernels *all[3];
    const size_t n = mt_kernels_all(all);
    cr_assert(n >= 1 && n <= 3);
    cr_expect_str_eq(all[n - 1]->isa, "base");
    cr_expect_eq(mt_kernels_used(), all[0]);
}

Test(kernels, those_of_an_instruction_set_can_be_chosen_by_name)
{
    const mt_kernels *all[3];
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
    cr_expect_eq(mt_kernels_used(), all[n - 1], "what cannot be chosen changes nothing");
    cr_expect_eq(mt_kernels_choose(""), MT_OK);
    cr_expect_eq(mt_kernels_used(), all[0]);
    cr_expect_eq(mt_kernels_choose("base"), MT_OK);
    cr_expect_eq(mt_kernels_choose(NULL), MT_OK);
    cr_expect_eq(mt_kernels_used(), all[0]);
}
