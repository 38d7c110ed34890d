/* Macros for the row of a model in the table; only models include them. */
#pragma once

#include "solver/cells/model.h"

/* Declares the kernels that the build creates from a model's kernel file. */
#define MT_CELL_DECLARE(model)                                                                               \
    extern mt_cell_kernel_float mt_cell_##model##_float_base, mt_cell_##model##_float_avx2,                  \
        mt_cell_##model##_float_avx512;                                                                      \
    extern mt_cell_kernel_double mt_cell_##model##_double_base, mt_cell_##model##_double_avx2,               \
        mt_cell_##model##_double_avx512;                                                                     \
    extern mt_cell_multirate_float mt_cell_##model##_multirate_float_base,                                   \
        mt_cell_##model##_multirate_float_avx2, mt_cell_##model##_multirate_float_avx512;                    \
    extern mt_cell_multirate_double mt_cell_##model##_multirate_double_base,                                 \
        mt_cell_##model##_multirate_double_avx2, mt_cell_##model##_multirate_double_avx512

/* Declares those of a model whose functions of V can be read from tables. */
#define MT_CELL_DECLARE_TABULATED(model)                                                                     \
    extern mt_cell_tabulated_float mt_cell_##model##_tabulated_float_base,                                   \
        mt_cell_##model##_tabulated_float_avx2, mt_cell_##model##_tabulated_float_avx512;                    \
    extern mt_cell_tabulated_multirate_float mt_cell_##model##_tabulated_multirate_float_base,               \
        mt_cell_##model##_tabulated_multirate_float_avx2,                                                    \
        mt_cell_##model##_tabulated_multirate_float_avx512;                                                  \
    extern mt_cell_functions mt_cell_##model##_functions_double_base,                                        \
        mt_cell_##model##_functions_double_avx2, mt_cell_##model##_functions_double_avx512

/* The function for the currents of a model, if its kernel file defines them. It is rarely called: one instruction set suffices. */
#define MT_CELL_DECLARE_CURRENTS(model) extern mt_cell_currents mt_cell_##model##_currents_double_base
#define MT_CELL_CURRENTS(model) mt_cell_##model##_currents_double_base

/* The kernels of one arithmetic, float or double, of a model, MODEL_multirate, MODEL_tabulated, MODEL_tabulated_multirate or
 * MODEL_functions. */
#ifdef __x86_64__
#    define MT_CELL_KERNELS(model, arithmetic)                                                               \
        {                                                                                                    \
            [MT_ISA_AVX512] = mt_cell_##model##_##arithmetic##_avx512,                                       \
            [MT_ISA_AVX2] = mt_cell_##model##_##arithmetic##_avx2,                                           \
            [MT_ISA_BASE] = mt_cell_##model##_##arithmetic##_base                                            \
        }
#else
#    define MT_CELL_KERNELS(model, arithmetic)                                                               \
        {                                                                                                    \
            [MT_ISA_BASE] = mt_cell_##model##_##arithmetic##_base                                            \
        }
#endif

/* The lines of a model's tally file. */
#define TALLY(codelet, instructions, ...) .codelet = {.name = #codelet, __VA_ARGS__},
