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
static inline void fetch_ahead(const void *row, size_t size)
{
    for (size_t byte = 0; byte < size * MT_ELLPACK_WIDTH * MT_BLOCK; byte += CACHE_LINE)
        __builtin_prefetch((const void *)((uintptr_t)row + AHEAD * size * MT_ELLPACK_WIDTH + byte), 0, 2);
}

/* Full blocks LANES rows at a time, then the rows of a narrower last block one by one: the same sums in the same order. */
#define DEFINE_ROWS(name, index)                                                                             \
    static lanes name##_lanes(                                                                               \
        const real *d, const real *a, const index *column, const real *v_own, const real *v)                 \
    {                                                                                                        \
        lanes sum = lanes_load(d) * lanes_load(v_own);                                                       \
        _Pragma("GCC unroll 16") for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) sum +=                        \
            lanes_load(a + k * MT_BLOCK) * gather_##index(v, column + k * MT_BLOCK);                         \
        return sum;                                                                                          \
    }                                                                                                        \
    void MT_KERNEL(name)(size_t n, const real *d, const real *a, const index *column, const real *v_own,     \
        const real *v, real *out)                                                                            \
    {                                                                                                        \
        size_t row = 0;                                                                                      \
        for (; row + MT_BLOCK <= n; row += MT_BLOCK) {                                                       \
            fetch_ahead(a + row * MT_ELLPACK_WIDTH, sizeof *a);                                              \
            fetch_ahead(column + row * MT_ELLPACK_WIDTH, sizeof *column);                                    \
            for (size_t lane = 0; lane < MT_BLOCK; lane += LANES) {                                          \
                size_t at = row * MT_ELLPACK_WIDTH + lane;                                                   \
                lanes_store(out + row + lane,                                                                \
                    name##_lanes(d + row + lane, a + at, column + at, v_own + row + lane, v));               \
            }                                                                                                \
        }                                                                                                    \
        size_t width = n - row;                                                                              \
        for (size_t lane = 0; lane < width; lane++) {                                                        \
            size_t at = row * MT_ELLPACK_WIDTH + lane;                                                       \
            out[row + lane] =                                                                                \
                ellpack_row_##index(d[row + lane], v_own[row + lane], a + at, column + at, width, v);        \
        }                                                                                                    \
    }

DEFINE_ROWS(ellpack_rows_32, uint32_t)
#ifndef MT_DOUBLE
DEFINE_ROWS(ellpack_rows_16, uint16_t)

/* The data of a block of MT_BLOCK rows. */
#    define DEFINE_DOUBLE_WORD_ROWS(name, index)                                                             \
        typedef struct name##_block {                                                                        \
            const float *a, *v;                                                                              \
            const index *column;                                                                             \
            float keeps, *v_low, *out;                                                                       \
        } name##_block;                                                                                      \
                                                                                                             \
        static inline void name##_whole(const name##_block *b, const float *values)                          \
        {                                                                                                    \
            const float keeps = b->keeps;                                                                    \
            for (size_t lane = 0; lane < MT_BLOCK; lane += LANES) {                                          \
                const double_word sum = ellpack_row_double_word_##index(lanes_load(b->v + lane),             \
                    lanes_load(b->v_low + lane), b->a + lane, b->column + lane, MT_BLOCK, values);           \
                lanes_store(b->out + lane, sum.high);                                                        \
                lanes_store(b->v_low + lane, keeps * sum.low);                                               \
            }                                                                                                \
        }                                                                                                    \
                                                                                                             \
        /* A narrow last block is copied to a full block with zeros in the spare lanes. */                   \
        static void name##_narrow(size_t width, const name##_block *b, const float *values)                  \
        {                                                                                                    \
            float v[MT_BLOCK] = {0}, v_low[MT_BLOCK] = {0}, out[MT_BLOCK],                                   \
                  a[MT_ELLPACK_WIDTH * MT_BLOCK] = {0};                                                      \
            index column[MT_ELLPACK_WIDTH * MT_BLOCK] = {0};                                                 \
            for (size_t lane = 0; lane < width; lane++) {                                                    \
                v[lane] = b->v[lane], v_low[lane] = b->v_low[lane];                                          \
                for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {                                              \
                    a[k * MT_BLOCK + lane] = b->a[k * width + lane];                                         \
                    column[k * MT_BLOCK + lane] = b->column[k * width + lane];                               \
                }                                                                                            \
            }                                                                                                \
            name##_whole(&(const name##_block){a, v, column, b->keeps, v_low, out}, values);                 \
            memcpy(b->out, out, width * sizeof *out);                                                        \
            memcpy(b->v_low, v_low, width * sizeof *v_low);                                                  \
        }                                                                                                    \
                                                                                                             \
        void MT_KERNEL(name)(size_t n, const float *a, const index *column, const float *v_own,              \
            const float *v, float keeps, float *v_low, float *out)                                           \
        {                                                                                                    \
            for (size_t row = 0; row < n; row += MT_BLOCK) {                                                 \
                const size_t at = row * MT_ELLPACK_WIDTH;                                                    \
                const name##_block block = {                                                                 \
                    a + at, v_own + row, column + at, keeps, v_low + row, out + row};                        \
                if (n - row >= MT_BLOCK)                                                                     \
                    name##_whole(&block, v);                                                                 \
                else                                                                                         \
                    name##_narrow(n - row, &block, v);                                                       \
            }                                                                                                \
        }

DEFINE_DOUBLE_WORD_ROWS(ellpack_rows_double_word_16, uint16_t)
DEFINE_DOUBLE_WORD_ROWS(ellpack_rows_double_word_32, uint32_t)
#endif
