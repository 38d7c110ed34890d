/* The operations of the self-test (solver/device/self_test.h), for the host and, as text, for devices: what the equations consist of, and
 * expressions that a compiler could change: by contraction, reassociation, reciprocals, or other rules for zeros, infinities and NaN.
 *
 * The result of abs is flushed, since compilers can turn its operation on bits into an instruction that flushes. lanes_remainder is absent:
 * with wrong arithmetic its loop need not end. */
#pragma once

#include "solver/kernels/rare_functions.h"

/* OPERATION(name, expression) of the lanes x, y, z. */
#define SELF_TEST_OPERATIONS(OPERATION)                                                                      \
    OPERATION("x + y", x + y)                                                                                \
    OPERATION("x - y", x - y)                                                                                \
    OPERATION("x * y", x *y)                                                                                 \
    OPERATION("x / y", x / y)                                                                                \
    OPERATION("1 / x", 1 / x)                                                                                \
    OPERATION("x / 3", x / (real)3)                                                                          \
    OPERATION("x + 0", x + (real)0)                                                                          \
    OPERATION("x - x", x - x)                                                                                \
    OPERATION("sqrt(x)", lanes_sqrt(x))                                                                      \
    OPERATION("fma(x, y, z)", lanes_fma(x, y, z))                                                            \
    OPERATION("x * y + z", x *y + z)                                                                         \
    OPERATION("x * y - z * x", x *y - z * x)                                                                 \
    OPERATION("(x + y) - x", (x + y) - x)                                                                    \
    OPERATION("x * y / x", x *y / x)                                                                         \
    OPERATION("x < y, x <= y, x = y", lanes_select_less(x, y, lanes_all(1), lanes_all(0)) +                  \
                                          lanes_select_less_equal(x, y, lanes_all(2), lanes_all(0)) +        \
                                          lanes_select_equal(x, y, lanes_all(4), lanes_all(0)))              \
    OPERATION("y or z, by x < 0.1", lanes_select_below(x, (real)0.1, y, z))                                  \
    OPERATION("x within -80 and 80, times y", lanes_at_most(lanes_at_least(x, (real)-80), (real)80) * y)     \
    OPERATION("1 / 1.46", lanes_all((real)(1 / 1.46)))                                                       \
    OPERATION("0.1", lanes_all((real)0.1))                                                                   \
    OPERATION("0.7 * 0.1 - 0.07", lanes_all((real)(0.7 * 0.1 - 0.07)))                                       \
    OPERATION("96485.3415 / (8314.472 * 310)", lanes_all((real)(96485.3415 / (8314.472 * 310))))             \
    OPERATION("x over 5", lanes_over(x, 5))                                                                  \
    OPERATION("x over -6.8", lanes_over(x, (real)-6.8))                                                      \
    OPERATION("x over 0.1688", lanes_over(x, (real)0.1688))                                                  \
    OPERATION("exp(x)", lanes_exp(x))                                                                        \
    OPERATION("expm1(x)", lanes_expm1(x))                                                                    \
    OPERATION("log(x)", lanes_log(x))                                                                        \
    OPERATION("min(x, y)", lanes_min(x, y))                                                                  \
    OPERATION("max(x, y)", lanes_max(x, y))                                                                  \
    OPERATION("log1p(x)", lanes_log1p(x))                                                                    \
    OPERATION("tanh(x)", lanes_tanh(x))                                                                      \
    OPERATION("sin(x)", lanes_sin(x))                                                                        \
    OPERATION("cbrt(x)", lanes_cbrt(x))                                                                      \
    OPERATION("floor(x)", lanes_floor(x))                                                                    \
    OPERATION("abs(x)", flushed(lanes_abs(x)))
