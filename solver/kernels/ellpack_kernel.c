/* The rows of the diffusion step, for one arithmetic and one instruction set (set by the build): see
 * solver/kernels/ellpack.h. */
#include "solver/kernels/lanes.h"
#include "solver/kernels/block.h"
#include "solver/kernels/ellpack_equations.h"
#include "solver/kernels/kernels.h"

#include <string.h>

/* The matrix is read once, and a block's gathers fill the processor's window, so that it would not issue the next block's misses in time.
 * They are prefetched AHEAD rows earlier, into the second-level cache (2): into the first level they would delay the gathers.
 * Prefetching beyond the end is harmless. */
enum { AHEAD = 4 * MT_BLOCK, CACHE_LINE = 64 };
static inline void fetch_ahead(const void *block, size_t size)
{
    for (size_t byte = 0; byte < size * MT_ELLPACK_WIDTH * MT_BLOCK; byte += CACHE_LINE)
        __builtin_prefetch((const void *)((uintptr_t)block + AHEAD * size * MT_ELLPACK_WIDTH + byte), 0, 2);
}

/* A full block LANES rows at a time, the rows of a narrower last block one by one: the same sums in the same order. */
#define DEFINE_BLOCK(index)                                                                                  \
    static inline lanes lanes_of_##index(                                                                    \
        const real *d, const real *a, const index *column, const real *v_own, const real *v)                 \
    {                                                                                                        \
        lanes sum = lanes_load(d) * lanes_load(v_own);                                                       \
        _Pragma("GCC unroll 16") for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) sum +=                        \
            lanes_load(a + k * MT_BLOCK) * gather_##index(v, column + k * MT_BLOCK);                         \
        return sum;                                                                                          \
    }                                                                                                        \
    static inline void block_##index(size_t width, const real *d, const real *a, const index *column,        \
        const real *v_own, const real *v, real *out)                                                         \
    {                                                                                                        \
        if (width < MT_BLOCK) {                                                                              \
            for (size_t lane = 0; lane < width; lane++)                                                      \
                out[lane] = ellpack_row_##index(d[lane], v_own[lane], a + lane, column + lane, width, v);    \
            return;                                                                                          \
        }                                                                                                    \
        fetch_ahead(a, sizeof *a);                                                                           \
        fetch_ahead(column, sizeof *column);                                                                 \
        for (size_t lane = 0; lane < MT_BLOCK; lane += LANES)                                                \
            lanes_store(out + lane, lanes_of_##index(d + lane, a + lane, column + lane, v_own + lane, v));   \
    }

DEFINE_BLOCK(uint16_t)
DEFINE_BLOCK(uint32_t)

void MT_KERNEL(ellpack_rows)(size_t n, const real *d, const real *a, const mt_ellpack_columns *columns,
    const real *v_own, const real *v, real *out)
{
    for (size_t row = 0; row < n; row += MT_BLOCK, columns++) {
        const size_t width = mt_block_width(n, row), at = row * MT_ELLPACK_WIDTH;
        if (columns->wide)
            block_uint32_t(width, d + row, a + at, columns->stored, v_own + row, v, out + row);
        else
            block_uint16_t(
                width, d + row, a + at, columns->stored, v_own + row, v + columns->base, out + row);
    }
}

#ifndef MT_DOUBLE
void MT_KERNEL(ellpack_rows_16)(size_t n, const float *d, const float *a, const uint16_t *column,
    const float *v_own, const float *v, float *out)
{
    for (size_t row = 0; row < n; row += MT_BLOCK) {
        const size_t at = row * MT_ELLPACK_WIDTH;
        block_uint16_t(mt_block_width(n, row), d + row, a + at, column + at, v_own + row, v, out + row);
    }
}

/* The data of a block of rows in double words, at most MT_BLOCK. */
typedef struct word_rows {
    size_t width;
    const float *a, *v;
    float keeps, *v_low, *out;
} word_rows;

/* A narrow block is copied to a full block with zeros in the spare lanes. */
#    define DEFINE_WORD_BLOCK(index)                                                                         \
        static inline void full_word_block_##index(                                                          \
            const word_rows *b, const index *column, const float *values)                                    \
        {                                                                                                    \
            const float keeps = b->keeps;                                                                    \
            for (size_t lane = 0; lane < MT_BLOCK; lane += LANES) {                                          \
                const double_word sum = ellpack_row_double_word_##index(lanes_load(b->v + lane),             \
                    lanes_load(b->v_low + lane), b->a + lane, column + lane, MT_BLOCK, values);              \
                lanes_store(b->out + lane, sum.high);                                                        \
                lanes_store(b->v_low + lane, keeps * sum.low);                                               \
            }                                                                                                \
        }                                                                                                    \
                                                                                                             \
        static void narrow_word_block_##index(const word_rows *b, const index *column, const float *values)  \
        {                                                                                                    \
            float v[MT_BLOCK] = {0}, v_low[MT_BLOCK] = {0}, out[MT_BLOCK],                                   \
                  a[MT_ELLPACK_WIDTH * MT_BLOCK] = {0};                                                      \
            index full[MT_ELLPACK_WIDTH * MT_BLOCK] = {0};                                                   \
            for (size_t lane = 0; lane < b->width; lane++) {                                                 \
                v[lane] = b->v[lane], v_low[lane] = b->v_low[lane];                                          \
                for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {                                              \
                    a[k * MT_BLOCK + lane] = b->a[k * b->width + lane];                                      \
                    full[k * MT_BLOCK + lane] = column[k * b->width + lane];                                 \
                }                                                                                            \
            }                                                                                                \
            full_word_block_##index(&(const word_rows){MT_BLOCK, a, v, b->keeps, v_low, out}, full, values); \
            memcpy(b->out, out, b->width * sizeof *out);                                                     \
            memcpy(b->v_low, v_low, b->width * sizeof *v_low);                                               \
        }                                                                                                    \
                                                                                                             \
        static inline void word_block_##index(const word_rows *b, const index *column, const float *values)  \
        {                                                                                                    \
            if (b->width == MT_BLOCK)                                                                        \
                full_word_block_##index(b, column, values);                                                  \
            else                                                                                             \
                narrow_word_block_##index(b, column, values);                                                \
        }

DEFINE_WORD_BLOCK(uint16_t)
DEFINE_WORD_BLOCK(uint32_t)

void MT_KERNEL(ellpack_rows_double_word_16)(size_t n, const float *a, const uint16_t *column,
    const float *v_own, const float *v, float keeps, float *v_low, float *out)
{
    for (size_t row = 0; row < n; row += MT_BLOCK) {
        const size_t at = row * MT_ELLPACK_WIDTH;
        word_block_uint16_t(
            &(const word_rows){mt_block_width(n, row), a + at, v_own + row, keeps, v_low + row, out + row},
            column + at, v);
    }
}

void MT_KERNEL(ellpack_rows_double_word)(size_t n, const float *a, const mt_ellpack_columns *columns,
    const float *v_own, const float *v, float keeps, float *v_low, float *out)
{
    for (size_t row = 0; row < n; row += MT_BLOCK, columns++) {
        const word_rows rows = {
            mt_block_width(n, row), a + row * MT_ELLPACK_WIDTH, v_own + row, keeps, v_low + row, out + row};
        if (columns->wide)
            word_block_uint32_t(&rows, columns->stored, v);
        else
            word_block_uint16_t(&rows, columns->stored, v + columns->base);
    }
}
#endif
