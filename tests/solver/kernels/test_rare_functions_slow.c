/* The functions of solver/kernels/rare_functions.h for a 61st of all floats, and powers, remainders and functions of many doubles; with the
 * environment variable MT_EVERY_FLOAT for all floats and ten times as many doubles, which takes a quarter of an hour. The reference for
 * floats is the double function of the C library, with an error of about 2^-29 float ulps; for doubles the long double one, with 2^-10. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipu/run/engine.h"
#include "solver/kernels/kernels.h"
#include "tests/random.h"
#include "tests/solver/kernels/rare_functions.h"
#include "tests/solver/kernels/ulps.h"

enum { N = 4096 };

static bool is_thorough(void) { return getenv("MT_EVERY_FLOAT") != NULL; }
static uint64_t rounds(void) { return is_thorough() ? 5000 : 500; }

typedef struct worst {
    double error, x, by;
    size_t wrong; /* results with other faults */
} worst;

static void take(worst *w, double error, double x, double by)
{
    if (!(error <= w->error)) *w = (worst){isnan(error) ? INFINITY : error, x, by, w->wrong};
}

static void merge(worst *all, const worst *own)
{
#pragma omp critical
    {
        take(all, own->error, own->x, own->by);
        all->wrong += own->wrong;
    }
}

/* Returns the error; infinite if a result should be infinite or NaN and is not. */
static double error_float(float y, double truth)
{
    if (isnan(truth)) return isnan(y) ? 0 : INFINITY;
    return isfinite(truth) ? ulps_float(y, truth) : (double)y == truth ? 0 : INFINITY;
}

static double error_double(double y, long double truth)
{
    if (isnan(truth)) return isnan(y) ? 0 : INFINITY;
    return isfinite(truth) ? ulps_double(y, truth) : (long double)y == truth ? 0 : INFINITY;
}

/* ---- floats ---- */

/* True if, in a thread that flushes subnormal numbers, the result is not subnormal and all other results are unchanged. */
static bool flushes_rightly(float x, float y, float flushed)
{
    const bool in = fpclassify(x) == FP_SUBNORMAL, out = fpclassify(y) == FP_SUBNORMAL;
    if (in || out) return fpclassify(flushed) != FP_SUBNORMAL;
    return memcmp(&y, &flushed, sizeof y) == 0 || (isnan(y) && isnan(flushed));
}

/* True if the results of x and -x agree for a function that is odd or even. */
static bool mirrors(symmetry of, float y, float mirrored)
{
    const float right = of == ODD ? -mirrored : mirrored;
    return of == NO_SYMMETRY || memcmp(&y, &right, sizeof y) == 0 || (isnan(y) && isnan(right));
}

/* Tests N floats from a pattern on; of symmetric functions also the negative ones, by comparison. */
static void of_floats(const rare_function *of, uint32_t first, worst *own)
{
    float x[N], y[N], other[N];
    for (uint32_t k = 0; k < N; k++) {
        const uint32_t bits = first + k;
        memcpy(&x[k], &bits, sizeof bits);
    }
    mt_kernels_used()->function_float(of->f, N, x, NULL, y);
    const uint64_t before = ipu_begin_flushing();
    mt_kernels_used()->function_float(of->f, N, x, NULL, other);
    ipu_end_flushing(before);
    for (uint32_t k = 0; k < N; k++) {
        const double truth = of->truth(rare_argument((double)x[k], of->last_float));
        take(own, error_float(y[k], truth), (double)x[k], 0);
        own->wrong += !flushes_rightly(x[k], y[k], other[k]) && of->f != MT_ABS;
        /* The patterns of negative numbers are in the opposite order. */
        const uint32_t low = signbit(x[k]) ? k : k - 1, high = signbit(x[k]) ? k - 1 : k;
        own->wrong += k > 0 && rare_misplaced(of->course, (double)x[low], (double)y[low], (double)x[high],
                                   (double)y[high]);
    }
    if (of->symmetry == NO_SYMMETRY) return;
    for (uint32_t k = 0; k < N; k++) x[k] = -x[k];
    mt_kernels_used()->function_float(of->f, N, x, NULL, other);
    for (uint32_t k = 0; k < N; k++) own->wrong += !mirrors(of->symmetry, y[k], other[k]);
}

Test(rare_functions_slow, rare_functions_of_floats_are_as_accurate_as_documented, .timeout = 7000)
{
    for (size_t i = 0; i < RARE_FUNCTIONS; i++) {
        const rare_function *of = &rare_functions[i];
        const uint32_t batches = of->symmetry == NO_SYMMETRY ? 1U << 20 : 1U << 19;
        const uint32_t stride = is_thorough() ? 1 : 61;
        worst all = {0};
#pragma omp parallel
        {
            worst own = {0};
#pragma omp for schedule(dynamic, 16)
            for (uint32_t batch = 0; batch < batches; batch += stride) of_floats(of, batch * N, &own);
            merge(&all, &own);
        }
        printf("%-6s float: at most %.4f ulp, at %a\n", of->name, all.error, all.x);
        (void)fflush(stdout);
        cr_expect(all.error <= of->most_ulp, "%s(%a): %g ulp", of->name, all.x, all.error);
        cr_expect_eq(all.wrong, 0, "%s: %zu", of->name, all.wrong);
    }
}

/* ---- doubles ---- */

/* Returns doubles of all patterns, in the usual range of a function, and near 0 or 1. */
static double some_double(const rare_function *of, uint64_t k)
{
    uint64_t state = k;
    (void)next_state(&state);
    uint64_t bits = next_state(&state);
    bits ^= next_state(&state) >> 32;
    double x;
    memcpy(&x, &bits, sizeof x);
    return k % 4 == 0 ? x : k % 4 < 3 ? between(&state, of->low, of->high) : between(&state, -1.5, 1.5);
}

Test(rare_functions_slow, rare_functions_of_many_doubles_are_as_accurate_as_documented, .timeout = 3600)
{
    for (size_t i = 0; i < RARE_FUNCTIONS; i++) {
        const rare_function *of = &rare_functions[i];
        const uint64_t n_rounds = rounds();
        worst all = {0};
#pragma omp parallel
        {
            worst own = {0};
            double x[N], y[N];
#pragma omp for schedule(dynamic, 16)
            for (uint64_t round = 0; round < n_rounds; round++) {
                for (uint64_t k = 0; k < N; k++) x[k] = some_double(of, round * N + k);
                mt_kernels_used()->function_double(of->f, N, x, NULL, y);
                for (size_t k = 0; k < N; k++)
                    take(&own, error_double(y[k], of->long_truth((long double)rare_argument(x[k], of->last))),
                        x[k], 0);
            }
            merge(&all, &own);
        }
        printf("%-6s double: at most %.4f ulp, at %a\n", of->name, all.error, all.x);
        (void)fflush(stdout);
        cr_expect(all.error <= of->most_ulp, "%s(%a): %g ulp", of->name, all.x, all.error);
    }
}

/* ---- pairs ---- */

/* Draws pairs with finite powers; the fifth of any patterns. */
static void draw_pairs(uint64_t round, double most, double x[N], double y[N])
{
    uint64_t state = round;
    for (uint64_t k = 0; k < N; k++) {
        if (k % 5 < 4) {
            rare_draw_power(&state, k % 5, most, x + k, y + k);
            continue;
        }
        const uint64_t bits[] = {
            next_state(&state) ^ next_state(&state) >> 32, next_state(&state) ^ next_state(&state) >> 32};
        memcpy(x + k, &bits[0], sizeof *x);
        memcpy(y + k, &bits[1], sizeof *y);
    }
}

static void of_pairs(uint64_t round, worst *of_float, worst *of_double)
{
    float x[N], by[N], y[N];
    double x_d[N], by_d[N], y_d[N];
    draw_pairs(round, 104, x_d, by_d);
    for (size_t k = 0; k < N; k++) x[k] = (float)x_d[k], by[k] = (float)by_d[k];
    draw_pairs(round, 745, x_d, by_d);
    mt_kernels_used()->function_float(MT_POW, N, x, by, y);
    mt_kernels_used()->function_double(MT_POW, N, x_d, by_d, y_d);
    for (size_t k = 0; k < N; k++) {
        take(of_float, error_float(y[k], pow((double)x[k], (double)by[k])), (double)x[k], (double)by[k]);
        take(of_double, error_double(y_d[k], powl((long double)x_d[k], (long double)by_d[k])), x_d[k],
            by_d[k]);
    }
    mt_kernels_used()->function_float(MT_REMAINDER, N, x, by, y);
    mt_kernels_used()->function_double(MT_REMAINDER, N, x_d, by_d, y_d);
    for (size_t k = 0; k < N; k++) {
        of_float->wrong += error_float(y[k], (double)fmodf(x[k], by[k])) != 0;
        of_double->wrong += error_double(y_d[k], (long double)fmod(x_d[k], by_d[k])) != 0;
    }
}

Test(rare_functions_slow, powers_of_many_pairs_are_accurate_to_within_one_ulp_and_remainders_exact,
    .timeout = 3600)
{
    const uint64_t n_rounds = rounds();
    worst of_float = {0}, of_double = {0};
#pragma omp parallel
    {
        worst own = {0}, own_double = {0};
#pragma omp for schedule(dynamic, 16)
        for (uint64_t round = 0; round < n_rounds; round++) of_pairs(round, &own, &own_double);
        merge(&of_float, &own);
        merge(&of_double, &own_double);
    }
    printf("pow    float: at most %.4f ulp, at %a, %a\n", of_float.error, of_float.x, of_float.by);
    printf("pow    double: at most %.4f ulp, at %a, %a\n", of_double.error, of_double.x, of_double.by);
    cr_expect(of_float.error <= 1, "%a^%a: %g ulp", of_float.x, of_float.by, of_float.error);
    cr_expect(of_double.error <= 1, "%a^%a: %g ulp", of_double.x, of_double.by, of_double.error);
    cr_expect_eq(of_float.wrong + of_double.wrong, 0, "%zu, %zu", of_float.wrong, of_double.wrong);
}
