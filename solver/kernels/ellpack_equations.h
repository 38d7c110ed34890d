/* One row of the diffusion step: out = D v + sum over k < 16 of A_k v[I_k], added in the order of k.
 *
 * Included by the kernels after solver/kernels/lanes.h has chosen the arithmetic. `stride` is the distance between a
 * row's entries (solver/kernels/block.h). */
#ifndef MT_SOLVER_KERNELS_ELLPACK_EQUATIONS_H
#define MT_SOLVER_KERNELS_ELLPACK_EQUATIONS_H

#include "solver/kernels/ellpack.h"
#ifndef MT_DOUBLE
#    include "solver/kernels/double_word_equations.h"
#endif

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
/* LANES rows in double words, whose own values are v + v_low; `values` are those that they read of others. */
static inline double_word ellpack_row_double_word(lanes d, lanes d_low, lanes v, lanes v_low, const real *a,
    const uint16_t *column, size_t stride, const real *values)
{
    const double_word own = two_product(d, v);
    double_word sum = fast_two_sum(own.high, own.low + (d * v_low + d_low * v));
    _Pragma("GCC unroll 16") for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) sum = double_word_add_product(
        sum, two_product(lanes_load(a + k * stride), gather_uint16_t(values, column + k * stride)));
    return sum;
}
#endif

#endif
