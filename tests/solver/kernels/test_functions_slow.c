/* exp, expm1, log and sqrt of every float, and of many doubles, are accurate to 1 ulp. The reference for floats is the double function
 * of the C library, with an error of about 2^-29 float ulps; if an error is near 1 ulp, and for doubles, it is GNU MPFR. */
#include <criterion/criterion.h>

#include <math.h>
#include <mpfr.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "ipu/run/engine.h"
#include "solver/kernels/kernels.h"
#include "tests/random.h"
#include "tests/solver/kernels/ulps.h"

enum { N = 4096, BITS = 160 };
static const char *const names[] = {"exp", "expm1", "log", "sqrt"};

/* Returns the reference rounded to a long double, of 64 bits or more. */
static long double truth_of(int f, double x)
{
    mpfr_t y;
    mpfr_init2(y, BITS);
    (void)mpfr_set_d(y, x, MPFR_RNDN);
    if (f == MT_EXP) (void)mpfr_exp(y, y, MPFR_RNDN);
    if (f == MT_EXPM1) (void)mpfr_expm1(y, y, MPFR_RNDN);
    if (f == MT_LOG) (void)mpfr_log(y, y, MPFR_RNDN);
    if (f == MT_SQRT) (void)mpfr_sqrt(y, y, MPFR_RNDN);
    const long double rounded = mpfr_get_ld(y, MPFR_RNDN);
    mpfr_clear(y);
    return rounded;
}

static double near_truth_of(int f, double x)
{
    return f == MT_EXP ? exp(x) : f == MT_EXPM1 ? expm1(x) : f == MT_LOG ? log(x) : sqrt(x);
}

/* Returns the error; infinite if a result should be infinite or NaN and is not. */
static double error_float(int f, float x, float y)
{
    const double near = near_truth_of(f, (double)x);
    if (!isfinite(near)) return (isnan(near) ? isnan(y) : (double)y == near) ? 0 : INFINITY;
    const double error = ulps_float(y, near);
    return fabs(error - 1) < 1e-6 ? ulps_float(y, (double)truth_of(f, (double)x)) : error;
}

static double error_double(int f, double x, double y)
{
    const long double truth = truth_of(f, x);
    if (isnan(truth)) return isnan(y) ? 0 : INFINITY;
    if (isinf(truth)) return isinf(y) && signbit(y) == signbit(truth) ? 0 : INFINITY;
    return ulps_double(y, truth);
}

typedef struct worst {
    double error, x;
    size_t rounded; /* number of correctly rounded results */
} worst;

static void take(worst *w, double error, double x)
{
    if (error > w->error) *w = (worst){error, x, w->rounded};
    w->rounded += error <= 0.5;
}

/* True if, in a thread that flushes subnormal numbers, the result is not subnormal and all other results are unchanged. */
static bool flushes_rightly(float x, float y, float flushed)
{
    const bool in = fpclassify(x) == FP_SUBNORMAL, out = fpclassify(y) == FP_SUBNORMAL;
    if (in || out) return fpclassify(flushed) != FP_SUBNORMAL;
    return memcmp(&y, &flushed, sizeof y) == 0 || (isnan(y) && isnan(flushed));
}

static void of_every_float(int f, worst *all, size_t *wrongly_flushed)
{
    size_t wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    {
        worst own = {0};
        float x[N], y[N], flushed[N];
#pragma omp for schedule(dynamic, 16)
        for (uint32_t first = 0; first < 1U << 20; first++) {
            for (uint32_t k = 0; k < N; k++) {
                const uint32_t bits = first * N + k;
                memcpy(&x[k], &bits, sizeof bits);
            }
            mt_kernels_used()->function_float((mt_function)f, N, x, NULL, y);
            const uint64_t before = ipu_begin_flushing();
            mt_kernels_used()->function_float((mt_function)f, N, x, NULL, flushed);
            ipu_end_flushing(before);
            for (uint32_t k = 0; k < N; k++) {
                take(&own, error_float(f, x[k], y[k]), (double)x[k]);
                wrong += !flushes_rightly(x[k], y[k], flushed[k]);
            }
        }
#pragma omp critical
        {
            take(all, own.error, own.x);
            all->rounded += own.rounded - (own.error <= 0.5);
        }
    }
    *wrongly_flushed = wrong;
}

Test(functions, functions_of_every_float_are_accurate_to_within_one_ulp, .timeout = 3600)
{
    for (int f = 0; f <= MT_SQRT; f++) {
        worst all = {0};
        size_t wrongly_flushed;
        of_every_float(f, &all, &wrongly_flushed);
        printf("%-6s float: at most %.4f ulp, at %a; %.2f %% correctly rounded\n", names[f], all.error, all.x,
            100 * (double)all.rounded / 0x1p32);
        cr_expect(all.error <= (f == MT_SQRT ? 0.5 : 1), "%s(%a): %g ulp", names[f], all.x, all.error);
        cr_expect_eq(wrongly_flushed, 0, "%s: %zu", names[f], wrongly_flushed);
    }
}

/* Returns doubles of all patterns, evenly distributed where a function is neither 0 nor infinite, and near 0 or 1. */
static double some_double(int f, uint64_t k)
{
    uint64_t state = k;
    (void)next_state(&state);
    uint64_t bits = next_state(&state);
    bits ^= next_state(&state) >> 32;
    double x;
    memcpy(&x, &bits, sizeof x);
    if (k % 4 == 0) return f == MT_LOG || f == MT_SQRT ? fabs(x) : x;
    if (k % 4 == 1)
        return f == MT_LOG || f == MT_SQRT ? between(&state, 0, 1000) : between(&state, -746, 710);
    return f == MT_LOG ? between(&state, 0.5, 2)
                       : between(&state, k % 4 == 2 ? -1 : -40, k % 4 == 2 ? 1 : 40);
}

Test(functions, functions_of_many_doubles_are_accurate_to_within_one_ulp, .timeout = 3600)
{
    enum { ROUNDS = 5000 };
    for (int f = 0; f <= MT_SQRT; f++) {
        worst all = {0};
#pragma omp parallel
        {
            worst own = {0};
            double x[N], y[N];
#pragma omp for schedule(dynamic, 16)
            for (uint64_t round = 0; round < ROUNDS; round++) {
                for (uint64_t k = 0; k < N; k++) x[k] = some_double(f, round * N + k);
                mt_kernels_used()->function_double((mt_function)f, N, x, NULL, y);
                for (size_t k = 0; k < N; k++) take(&own, error_double(f, x[k], y[k]), x[k]);
            }
#pragma omp critical
            {
                take(&all, own.error, own.x);
                all.rounded += own.rounded - (own.error <= 0.5);
            }
            mpfr_free_cache();
        }
        printf("%-6s double: at most %.4f ulp, at %a; %.2f %% correctly rounded\n", names[f], all.error,
            all.x, 100 * (double)all.rounded / (ROUNDS * (double)N));
        cr_expect(all.error <= (f == MT_SQRT ? 0.5 : 1), "%s(%a): %g ulp", names[f], all.x, all.error);
    }
}
