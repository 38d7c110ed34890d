#include "solver/kernels/kernels.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define KERNELS_OF(set, name)                                                                                \
    {                                                                                                        \
        set, #name, mt_ellpack_rows_16_float_##name, mt_ellpack_rows_float_##name,                           \
            mt_ellpack_rows_double_##name, mt_ellpack_rows_double_word_16_float_##name,                      \
            mt_ellpack_rows_double_word_float_##name, mt_sliced_rows_float_##name,                           \
            mt_sliced_rows_double_##name, mt_sliced_rows_double_word_float_##name, mt_axes_double_##name,    \
            mt_function_float_##name, mt_function_double_##name                                              \
    }

static const mt_kernels compiled[] = {
#ifdef __x86_64__
    KERNELS_OF(MT_ISA_AVX512, avx512),
    KERNELS_OF(MT_ISA_AVX2, avx2),
#endif
    KERNELS_OF(MT_ISA_BASE, base),
};
enum { N_COMPILED = sizeof compiled / sizeof compiled[0] };

static int runs_here(const mt_kernels *kernels)
{
#ifdef __x86_64__
    if (kernels->set == MT_ISA_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("fma");
    if (kernels->set == MT_ISA_AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    (void)kernels;
    return 1;
}

size_t mt_kernels_all(const mt_kernels *all[MT_ISAS])
{
    size_t n = 0;
    for (size_t i = 0; i < N_COMPILED; i++)
        if (runs_here(&compiled[i])) all[n++] = &compiled[i];
    return n;
}

static _Atomic(const mt_kernels *) used;

const mt_kernels *mt_kernels_used(void)
{
    const mt_kernels *found = atomic_load(&used);
    if (found) return found;
    const mt_kernels *all[MT_ISAS];
    (void)mt_kernels_all(all);
    atomic_store(&used, all[0]);
    return all[0];
}

mt_status mt_kernels_choose(const char *isa)
{
    const mt_kernels *all[MT_ISAS];
    char names[64] = "";
    const size_t n = mt_kernels_all(all);
    for (size_t k = 0; k < n; k++) {
        if (!isa || !isa[0] || strcmp(all[k]->isa, isa) == 0) {
            atomic_store(&used, all[k]);
            return MT_OK;
        }
        (void)snprintf(
            names + strlen(names), sizeof names - strlen(names), "%s%s", k > 0 ? ", " : "", all[k]->isa);
    }
    return mt_fail(MT_INPUT,
        "instruction set '%.40s'; allowed on this processor: %s (the first is the default)", isa, names);
}

/* Prefetches v, because the gathers would load it one miss at a time. */
static void fetch(size_t n_v, const float *v)
{
    enum { LINE = 64 / sizeof(float) };
    for (size_t k = 0; k < n_v; k += LINE) __builtin_prefetch(v + k);
}

void mt_ellpack_rows_float16(
    size_t n, const float *d, const float *a, const uint16_t *column, size_t n_v, const float *v, float *out)
{
    fetch(n_v, v);
    mt_kernels_used()->rows_float16(n, d, a, column, v, v, out);
}

void mt_ellpack_rows_double_word16(size_t n, const float *a, const uint16_t *column, size_t n_v,
    const float *v, float keeps, float *v_low, float *out)
{
    fetch(n_v, v);
    mt_kernels_used()->rows_double_word16(n, a, column, v, v, keeps, v_low, out);
}

void mt_ellpack_rows_double_word(size_t n, const float *a, const mt_ellpack_columns *columns,
    const float *v_own, const float *v, float keeps, float *v_low, float *out)
{
    mt_kernels_used()->rows_double_word(n, a, columns, v_own, v, keeps, v_low, out);
}

void mt_ellpack_rows_float(size_t n, const float *d, const float *a, const mt_ellpack_columns *columns,
    const float *v_own, const float *v, float *out)
{
    mt_kernels_used()->rows_float(n, d, a, columns, v_own, v, out);
}

void mt_ellpack_rows_double(size_t n, const double *d, const double *a, const mt_ellpack_columns *columns,
    const double *v_own, const double *v, double *out)
{
    mt_kernels_used()->rows_double(n, d, a, columns, v_own, v, out);
}

void mt_sliced_rows_float(size_t n, const mt_sliced_block *block, const float *a, const float *base,
    const float *x_own, const float *x, float *out)
{
    mt_kernels_used()->sliced_float(n, block, a, base, x_own, x, out);
}

void mt_sliced_rows_double(size_t n, const mt_sliced_block *block, const double *a, const double *base,
    const double *x_own, const double *x, double *out)
{
    mt_kernels_used()->sliced_double(n, block, a, base, x_own, x, out);
}

void mt_sliced_rows_double_word(size_t n, const mt_sliced_block *block, const float *a, const float *x_own,
    const float *x, float keeps, float *x_low, float *out)
{
    mt_kernels_used()->sliced_double_word(n, block, a, x_own, x, keeps, x_low, out);
}

void mt_axes_of_group(double matrix[3][3][MT_AXES_GROUP], double axis[3][3][MT_AXES_GROUP])
{
    mt_kernels_used()->axes(matrix, axis);
}
