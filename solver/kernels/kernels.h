/* The compiled versions of the kernels, and their selection at run time.
 *
 * Each *_kernel.c is compiled for every arithmetic and instruction set with MT_REAL_NAME (float, double) and MT_ISA (base, avx2, avx512,
 * and one: a single lane, for benchmarks) set; the names contain both. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/status.h"
#include "solver/kernels/axes.h"
#include "solver/kernels/ellpack.h"
#include "solver/kernels/sliced.h"

#define MT_KERNEL_JOIN(name, arithmetic, isa) mt_##name##_##arithmetic##_##isa
#define MT_KERNEL_EXPAND(name, arithmetic, isa) MT_KERNEL_JOIN(name, arithmetic, isa)
#define MT_KERNEL(name) MT_KERNEL_EXPAND(name, MT_REAL_NAME, MT_ISA)

/* Instruction sets, best first: index of a table of kernels, with NULL for unavailable sets. */
typedef enum mt_isa { MT_ISA_AVX512, MT_ISA_AVX2, MT_ISA_BASE, MT_ISAS } mt_isa;

/* The functions in the equations of ionic models (solver/kernels/functions.h, and from MT_POW on solver/kernels/rare_functions.h). */
typedef enum mt_function {
    MT_EXP,
    MT_EXPM1,
    MT_LOG,
    MT_SQRT,
    MT_DIVIDE, /* x[k] / by[k] */
    MT_OVER,   /* x[k] / by[0], a division by a compile-time constant */
    MT_POW,    /* of two numbers, like the next four: x[k] and by[k] */
    MT_REMAINDER,
    MT_MIN,
    MT_MAX,
    MT_COMPARE, /* 1 if x < y, plus 2 if x <= y, plus 4 if x = y: the selects of solver/kernels/lanes.h */
    MT_LOG2,
    MT_LOG10,
    MT_LOG1P,
    MT_SINH,
    MT_COSH,
    MT_TANH,
    MT_SIN,
    MT_COS,
    MT_TAN,
    MT_ASIN,
    MT_ACOS,
    MT_ATAN,
    MT_CBRT,
    MT_FLOOR,
    MT_CEIL,
    MT_ABS,
    MT_FUNCTIONS
} mt_function;

/* Computes y[k] = f(x[k]) for k < n, for tests of the functions; the loops of ionic models inline them. `by` can be NULL if f is a
 * function of one number. */
typedef void mt_function_float(mt_function f, size_t n, const float *x, const float *by, float *y);
typedef void mt_function_double(mt_function f, size_t n, const double *x, const double *by, double *y);

/* The kernels of the diffusion step (solver/kernels/ellpack.h; with voltages at the vertices solver/kernels/sliced.h) and of axes
 * (solver/kernels/axes.h), and the functions. The kernels of ionic models are in their folders. */
typedef struct mt_kernels {
    mt_isa set;
    const char *isa; /* its name */
    void (*rows_float16)(
        size_t, const float *, const float *, const uint16_t *, const float *, const float *, float *);
    void (*rows_float)(size_t, const float *, const float *, const mt_ellpack_columns *, const float *,
        const float *, float *);
    void (*rows_double)(size_t, const double *, const double *, const mt_ellpack_columns *, const double *,
        const double *, double *);
    void (*rows_double_word16)(
        size_t, const float *, const uint16_t *, const float *, const float *, float, float *, float *);
    void (*rows_double_word)(size_t, const float *, const mt_ellpack_columns *, const float *, const float *,
        float, float *, float *);
    void (*sliced_float)(
        size_t, const mt_sliced_block *, const float *, const float *, const float *, const float *, float *);
    void (*sliced_double)(size_t, const mt_sliced_block *, const double *, const double *, const double *,
        const double *, double *);
    void (*sliced_double_word)(size_t, const mt_sliced_block *, const float *, const float *, const float *,
        float, float *, float *);
    void (*axes)(double[3][3][MT_AXES_GROUP], double[3][3][MT_AXES_GROUP]);
    mt_function_float *function_float;
    mt_function_double *function_double;
} mt_kernels;

#define MT_KERNELS_DECLARE(isa)                                                                              \
    void mt_ellpack_rows_16_float_##isa(                                                                     \
        size_t, const float *, const float *, const uint16_t *, const float *, const float *, float *);      \
    void mt_ellpack_rows_float_##isa(size_t, const float *, const float *, const mt_ellpack_columns *,       \
        const float *, const float *, float *);                                                              \
    void mt_ellpack_rows_double_##isa(size_t, const double *, const double *, const mt_ellpack_columns *,    \
        const double *, const double *, double *);                                                           \
    void mt_ellpack_rows_double_word_16_float_##isa(                                                         \
        size_t, const float *, const uint16_t *, const float *, const float *, float, float *, float *);     \
    void mt_ellpack_rows_double_word_float_##isa(size_t, const float *, const mt_ellpack_columns *,          \
        const float *, const float *, float, float *, float *);                                              \
    void mt_sliced_rows_float_##isa(size_t, const mt_sliced_block *, const float *, const float *,           \
        const float *, const float *, float *);                                                              \
    void mt_sliced_rows_double_##isa(size_t, const mt_sliced_block *, const double *, const double *,        \
        const double *, const double *, double *);                                                           \
    void mt_sliced_rows_double_word_float_##isa(size_t, const mt_sliced_block *, const float *,              \
        const float *, const float *, float, float *, float *);                                              \
    void mt_axes_double_##isa(double[3][3][MT_AXES_GROUP], double[3][3][MT_AXES_GROUP]);                     \
    mt_function_float mt_function_float_##isa;                                                               \
    mt_function_double mt_function_double_##isa;
MT_KERNELS_DECLARE(base)
MT_KERNELS_DECLARE(avx2)
MT_KERNELS_DECLARE(avx512)

/* Returns the kernels in use: the selected ones, or else the best for this machine. */
const mt_kernels *mt_kernels_used(void);

/* Selects the kernels of this instruction set; NULL or "": the best. All compute the same bits. MT_INPUT if the set was not compiled or
 * cannot run here; the message lists the available sets. Must not be called while a kernel runs. */
MT_NODISCARD mt_status mt_kernels_choose(const char *isa);

/* Lists all kernels that this machine can run, best first; returns their number. */
size_t mt_kernels_all(const mt_kernels *all[MT_ISAS]);
