/* Rows of different lengths, for one arithmetic and one instruction set (set by the build): see solver/kernels/sliced.h.
 *
 * The processor streams values and columns from memory without prefetches of the program, which make rows slower: 1.5 times on an AMD EPYC
 * with 750,000 rows. */
#include "solver/kernels/lanes.h"
#include "solver/kernels/block.h"
#include "solver/kernels/kernels.h"
#include "solver/kernels/sliced_equations.h"
#ifndef MT_DOUBLE
#    include <string.h>

#    include "solver/kernels/double_word_equations.h"
#endif

/* The data of a block; `a` and the columns begin with its first entry. */
typedef struct sliced_rows {
    size_t width;
    const real *a, *base, *own, *x;
    real *out;
} sliced_rows;

/* A full block LANES rows at a time, the rows of a last block of fewer rows one by one: the same sums in the same order. */
#define DEFINE_BLOCK(index)                                                                                  \
    static inline void full_block_##index(const sliced_rows *b, const index *column)                         \
    {                                                                                                        \
        for (size_t lane = 0; lane < MT_BLOCK; lane += LANES) {                                              \
            const lanes own = lanes_load(b->own + lane);                                                     \
            lanes sum = lanes_all(0);                                                                        \
            for (size_t k = 0; k < b->width; k++)                                                            \
                sum = SLICED_ADD(sum, lanes_load(b->a + k * MT_BLOCK + lane),                                \
                    gather_##index(b->x, column + k * MT_BLOCK + lane), own);                                \
            lanes_store(b->out + lane, lanes_load(b->base + lane) + sum);                                    \
        }                                                                                                    \
    }                                                                                                        \
                                                                                                             \
    static void last_block_##index(size_t n, const sliced_rows *b, const index *column)                      \
    {                                                                                                        \
        for (size_t lane = 0; lane < n; lane++) {                                                            \
            real sum = 0;                                                                                    \
            for (size_t k = 0; k < b->width; k++) {                                                          \
                const size_t at = k * MT_BLOCK + lane;                                                       \
                sum = SLICED_ADD(sum, b->a[at], b->x[column[at]], b->own[lane]);                             \
            }                                                                                                \
            b->out[lane] = b->base[lane] + sum;                                                              \
        }                                                                                                    \
    }                                                                                                        \
                                                                                                             \
    static inline void block_##index(size_t n, const sliced_rows *b, const index *column)                    \
    {                                                                                                        \
        if (n == MT_BLOCK)                                                                                   \
            full_block_##index(b, column);                                                                   \
        else                                                                                                 \
            last_block_##index(n, b, column);                                                                \
    }

DEFINE_BLOCK(uint16_t)
DEFINE_BLOCK(uint32_t)

void MT_KERNEL(sliced_rows)(size_t n, const mt_sliced_block *block, const real *a, const real *base,
    const real *x_own, const real *x, real *out)
{
    for (size_t row = 0; row < n; row += MT_BLOCK, block++) {
        const size_t rows = mt_block_width(n, row);
        const sliced_rows b = {block->width, a + MT_BLOCK * block->first, base + row, x_own + row,
            x + block->columns.base, out + row};
        if (block->columns.wide)
            block_uint32_t(rows, &b, block->columns.stored);
        else
            block_uint16_t(rows, &b, block->columns.stored);
    }
}

#ifndef MT_DOUBLE
/* The data of a block in double words. */
typedef struct word_rows {
    size_t width;
    const float *a, *own, *x;
    float keeps, *low, *out;
} word_rows;

#    define DEFINE_WORD_BLOCK(index)                                                                         \
        static inline void full_word_block_##index(const word_rows *b, const index *column)                  \
        {                                                                                                    \
            for (size_t lane = 0; lane < MT_BLOCK; lane += LANES) {                                          \
                const lanes own = lanes_load(b->own + lane);                                                 \
                lanes increment = lanes_load(b->low + lane);                                                 \
                for (size_t k = 0; k < b->width; k++)                                                        \
                    increment = SLICED_ADD(increment, lanes_load(b->a + k * MT_BLOCK + lane),                \
                        gather_##index(b->x, column + k * MT_BLOCK + lane), own);                            \
                const double_word sum = double_word_of(own, increment);                                      \
                lanes_store(b->out + lane, sum.high);                                                        \
                lanes_store(b->low + lane, b->keeps * sum.low);                                              \
            }                                                                                                \
        }                                                                                                    \
                                                                                                             \
        static void last_word_block_##index(size_t n, const word_rows *b, const index *column)               \
        {                                                                                                    \
            float own[MT_BLOCK] = {0}, low[MT_BLOCK] = {0}, out[MT_BLOCK];                                   \
            memcpy(own, b->own, n * sizeof *own);                                                            \
            memcpy(low, b->low, n * sizeof *low);                                                            \
            full_word_block_##index(                                                                         \
                &(const word_rows){b->width, b->a, own, b->x, b->keeps, low, out}, column);                  \
            memcpy(b->out, out, n * sizeof *out);                                                            \
            memcpy(b->low, low, n * sizeof *low);                                                            \
        }                                                                                                    \
                                                                                                             \
        static inline void word_block_##index(size_t n, const word_rows *b, const index *column)             \
        {                                                                                                    \
            if (n == MT_BLOCK)                                                                               \
                full_word_block_##index(b, column);                                                          \
            else                                                                                             \
                last_word_block_##index(n, b, column);                                                       \
        }

DEFINE_WORD_BLOCK(uint16_t)
DEFINE_WORD_BLOCK(uint32_t)

void MT_KERNEL(sliced_rows_double_word)(size_t n, const mt_sliced_block *block, const float *a,
    const float *x_own, const float *x, float keeps, float *x_low, float *out)
{
    for (size_t row = 0; row < n; row += MT_BLOCK, block++) {
        const size_t rows = mt_block_width(n, row);
        const word_rows b = {block->width, a + MT_BLOCK * block->first, x_own + row, x + block->columns.base,
            keeps, x_low + row, out + row};
        if (block->columns.wide)
            word_block_uint32_t(rows, &b, block->columns.stored);
        else
            word_block_uint16_t(rows, &b, block->columns.stored);
    }
}
#endif
