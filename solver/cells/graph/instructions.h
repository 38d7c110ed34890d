/* The value of each instruction (solver/cells/graph/program.h) in terms of its operands A, B, C, D: expressions of
 * solver/kernels/lanes.h, functions.h and rare_functions.h, with `zero` and `one` in every lane.
 *
 * The interpreter executes them, and programs written as C contain them as text (solver/cells/compiled/c_source.h), so both compute the
 * same bits. */
#pragma once

/* COMMON(code, value) for arithmetic, RARE(code, value) for the other instructions; all but the pairs. */
#define MT_INSTRUCTIONS(COMMON, RARE)                                                                        \
    COMMON(MT_CODE_NEGATE, -A)                                                                               \
    COMMON(MT_CODE_SQRT, lanes_sqrt(A))                                                                      \
    COMMON(MT_CODE_EXP, lanes_exp(A))                                                                        \
    COMMON(MT_CODE_EXPM1, lanes_expm1(A))                                                                    \
    COMMON(MT_CODE_LOG, lanes_log(A))                                                                        \
    COMMON(MT_CODE_ADD, A + B)                                                                               \
    COMMON(MT_CODE_SUBTRACT, A - B)                                                                          \
    COMMON(MT_CODE_MULTIPLY, A *B)                                                                           \
    COMMON(MT_CODE_DIVIDE, A / B)                                                                            \
    COMMON(MT_CODE_SELECT, lanes_select_equal(A, zero, C, B))                                                \
    COMMON(MT_CODE_SELECT_LESS, lanes_select_less(A, B, C, D))                                               \
    COMMON(MT_CODE_SELECT_LESS_EQUAL, lanes_select_less_equal(A, B, C, D))                                   \
    COMMON(MT_CODE_SELECT_EQUAL, lanes_select_equal(A, B, C, D))                                             \
    RARE(MT_CODE_ABS, lanes_abs(A))                                                                          \
    RARE(MT_CODE_FLOOR, lanes_floor(A))                                                                      \
    RARE(MT_CODE_CEIL, lanes_ceil(A))                                                                        \
    RARE(MT_CODE_SIN, lanes_sin(A))                                                                          \
    RARE(MT_CODE_COS, lanes_cos(A))                                                                          \
    RARE(MT_CODE_TAN, lanes_tan(A))                                                                          \
    RARE(MT_CODE_ASIN, lanes_asin(A))                                                                        \
    RARE(MT_CODE_ACOS, lanes_acos(A))                                                                        \
    RARE(MT_CODE_ATAN, lanes_atan(A))                                                                        \
    RARE(MT_CODE_SINH, lanes_sinh(A))                                                                        \
    RARE(MT_CODE_COSH, lanes_cosh(A))                                                                        \
    RARE(MT_CODE_TANH, lanes_tanh(A))                                                                        \
    RARE(MT_CODE_CBRT, lanes_cbrt(A))                                                                        \
    RARE(MT_CODE_NOT, lanes_select_equal(A, zero, one, zero))                                                \
    RARE(MT_CODE_POWER, lanes_pow(A, B))                                                                     \
    RARE(MT_CODE_MIN, lanes_min(A, B))                                                                       \
    RARE(MT_CODE_MAX, lanes_max(A, B))                                                                       \
    RARE(MT_CODE_REMAINDER, lanes_remainder(A, B))                                                           \
    RARE(MT_CODE_LESS, lanes_select_less(A, B, one, zero))                                                   \
    RARE(MT_CODE_LESS_EQUAL, lanes_select_less_equal(A, B, one, zero))                                       \
    RARE(MT_CODE_EQUAL, lanes_select_equal(A, B, one, zero))                                                 \
    RARE(MT_CODE_AND, lanes_select_equal(A, zero, zero, lanes_select_equal(B, zero, zero, one)))             \
    RARE(MT_CODE_OR, lanes_select_equal(A, zero, lanes_select_equal(B, zero, zero, one), one))
