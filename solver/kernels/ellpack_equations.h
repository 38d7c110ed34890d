/* One row of the diffusion step (solver/kernels/ellpack.h), summed in the order of its entries.
 *
 * Included by the kernels after solver/kernels/lanes.h has selected the arithmetic. `stride` is the distance between a row's entries
 * (solver/kernels/block.h). */
#pragma once

#include "solver/kernels/ellpack.h"

#define DEFINE_ROW(index)                                                                                    \
    static inline real ellpack_row_##index(                                                                  \
        real d, real v_own, const real *a, const index *column, size_t stride, const real *v)                \
    {                                                                                                        \
        real sum = d * v_own;                                                                                \
        _Pragma("GCC unroll 16") for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) sum +=                        \
            a[k * stride] * v[column[k * stride]];                                                           \
        return sum;                                                                                          \
    }
DEFINE_ROW(uint16_t)
DEFINE_ROW(uint32_t)
#undef DEFINE_ROW

#ifndef MT_DOUBLE
#    include "solver/kernels/double_word_equations.h"

/* Computes LANES rows as increments, with own values v + v_low; the rows read `values`. */
#    define DEFINE_DOUBLE_WORD_ROW(index)                                                                    \
        static inline double_word ellpack_row_double_word_##index(                                           \
            lanes v, lanes v_low, const real *a, const index *column, size_t stride, const real *values)     \
        {                                                                                                    \
            lanes increment = v_low;                                                                         \
            _Pragma("GCC unroll 16") for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) increment +=              \
                lanes_load(a + k * stride) * (gather_##index(values, column + k * stride) - v);              \
            return double_word_of(v, increment);                                                             \
        }
DEFINE_DOUBLE_WORD_ROW(uint16_t)
DEFINE_DOUBLE_WORD_ROW(uint32_t)
#    undef DEFINE_DOUBLE_WORD_ROW
#endif
