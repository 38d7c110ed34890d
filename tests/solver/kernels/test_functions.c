/* Properties of exp, expm1, log and division (solver/kernels/functions.h), for a sample of all numbers; test_functions_slow.c takes all. */
#include <criterion/criterion.h>

#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipu/run/engine.h"
#include "solver/kernels/kernels.h"
#include "tests/random.h"
#include "tests/solver/kernels/ulps.h"

enum { N = 4096 };
static const char *const names[] = {"exp", "expm1", "log", "sqrt", "division", "division by one"};

/* ---- inputs ---- */

static float of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Limits of the domains, and arguments from which results are subnormal or infinite: numbers around these are tested one by one. */
static const double special[] = {0, 1, 0x1p-126, 0x1p-149, 88.722839, -87.336545, -103.972077, -17.328680,
    0.34657359, 0x1p-25, INFINITY, M_SQRT1_2, 709.782712893384, -708.396418532264, -745.133219101941,
    -37.42994775023705, 0x1p-1022, 0x1p-54};
enum { SPECIALS = sizeof special / sizeof *special };

/* Fills x with the `turn`-th N of every 4093rd float, then of those around the special ones. False after the last. */
static bool floats(size_t turn, float *x)
{
    const uint32_t stride = 4093; /* a prime */
    if (turn < 256) {
        for (uint32_t k = 0; k < N; k++) x[k] = of_bits((uint32_t)(turn * N + k) * stride);
        return true;
    }
    if (turn - 256 >= (size_t)SPECIALS) return false;
    const float centre = (float)special[turn - 256];
    uint32_t bits;
    memcpy(&bits, &centre, sizeof bits);
    for (uint32_t k = 0; k < N; k++) x[k] = of_bits(bits - N / 2 + k);
    return true;
}

/* Doubles of all sizes, doubles in the ranges that a function treats separately, and those around the special ones. */
static bool doubles(size_t turn, double *x)
{
    uint64_t state = 11 + turn;
    for (size_t k = 0; k < N; k++) {
        uint64_t bits = next_state(&state) ^ next_state(&state) >> 32;
        if (turn < 30)
            memcpy(x + k, &bits, sizeof bits);
        else if (turn < 60)
            x[k] = between(&state, -760, 760);
        else if (turn < 80)
            x[k] = between(&state, -1, 4);
        else if (turn - 80 < (size_t)SPECIALS) {
            memcpy(&bits, &special[turn - 80], sizeof bits);
            bits += k - N / 2;
            memcpy(x + k, &bits, sizeof bits);
        }
    }
    return turn < 80 + (size_t)SPECIALS;
}

/* Divisors for division by a constant, from the middle of the range in the models. */
static const float one_float[1] = {9.03F};
static const double one_double[1] = {9.03};

/* ---- claims ---- */

/* Assertions are slow, so they are evaluated only after a failure, and only a few times. */
enum { TOLD = 5 };

static void expect_same_float(
    mt_function f, const mt_kernels *const all[], size_t n_all, const float *x, size_t n, int *told)
{
    static float by[N], y[N], other[N];
    for (size_t k = 0; k < n; k++) by[k] = f == MT_OVER ? one_float[0] : x[(k * 7 + 5) % n];
    all[0]->function_float(f, n, x, by, y);
    for (size_t i = 1; i < n_all; i++) {
        all[i]->function_float(f, n, x, by, other);
        for (size_t k = 0; k < n; k++)
            if (memcmp(&y[k], &other[k], sizeof y[k]) != 0 && !(isnan(y[k]) && isnan(other[k])) &&
                (*told)++ < TOLD)
                cr_expect(false, "%s(%a, %a): %s %a, %s %a", names[f], (double)x[k], (double)by[k],
                    all[0]->isa, (double)y[k], all[i]->isa, (double)other[k]);
    }
}

static void expect_same_double(
    mt_function f, const mt_kernels *const all[], size_t n_all, const double *x, int *told)
{
    static double by[N], y[N], other[N];
    for (size_t k = 0; k < N; k++) by[k] = f == MT_OVER ? one_double[0] : x[(k * 7 + 5) % N];
    all[0]->function_double(f, N, x, by, y);
    for (size_t i = 1; i < n_all; i++) {
        all[i]->function_double(f, N, x, by, other);
        for (size_t k = 0; k < N; k++)
            if (memcmp(&y[k], &other[k], sizeof y[k]) != 0 && !(isnan(y[k]) && isnan(other[k])) &&
                (*told)++ < TOLD)
                cr_expect(false, "%s(%a, %a): %s %a, %s %a", names[f], x[k], by[k], all[0]->isa, y[k],
                    all[i]->isa, other[k]);
    }
}

static void same_bits_everywhere(void)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    static float x[N];
    static double x_d[N];
    int told = 0;
    for (int f = 0; f <= MT_OVER; f++) {
        for (size_t turn = 0; floats(turn, x); turn++)
            expect_same_float((mt_function)f, all, n_all, x, N - turn % 3, &told);
        for (size_t turn = 0; doubles(turn, x_d); turn++)
            expect_same_double((mt_function)f, all, n_all, x_d, &told);
    }
}

Test(functions, functions_are_bit_identical_on_every_instruction_set) { same_bits_everywhere(); }

Test(functions, functions_are_bit_identical_with_flushed_subnormals)
{
    const uint64_t before = ipu_begin_flushing();
    same_bits_everywhere();
    ipu_end_flushing(before);
}

static double truth_of(int f, double x)
{
    return f == MT_EXP ? exp(x) : f == MT_EXPM1 ? expm1(x) : f == MT_LOG ? log(x) : sqrt(x);
}

static long double long_truth_of(int f, long double x)
{
    return f == MT_EXP ? expl(x) : f == MT_EXPM1 ? expm1l(x) : f == MT_LOG ? logl(x) : sqrtl(x);
}

/* Returns the largest error of a function of floats; infinite if a result should be infinite or NaN and is not. */
static double worst_float(int f)
{
    static float x[N], y[N];
    double worst = 0;
    for (size_t turn = 0; floats(turn, x); turn++) {
        mt_kernels_used()->function_float((mt_function)f, N, x, NULL, y);
        for (size_t k = 0; k < N; k++) {
            const double truth = truth_of(f, (double)x[k]);
            const bool alike = isnan(truth) ? isnan(y[k]) : (double)y[k] == truth;
            worst = fmax(worst, isfinite(truth) ? ulps_float(y[k], truth) : alike ? 0 : INFINITY);
        }
    }
    return worst;
}

static double worst_double(int f)
{
    static double x[N], y[N];
    double worst = 0;
    for (size_t turn = 0; doubles(turn, x); turn++) {
        mt_kernels_used()->function_double((mt_function)f, N, x, NULL, y);
        for (size_t k = 0; k < N; k++) {
            const long double truth = long_truth_of(f, (long double)x[k]);
            const bool alike = isnan(truth) ? isnan(y[k]) : (long double)y[k] == truth;
            worst = fmax(worst, isfinite(truth) ? ulps_double(y[k], truth) : alike ? 0 : INFINITY);
        }
    }
    return worst;
}

Test(functions, functions_are_accurate_to_within_one_ulp)
{
    for (int f = 0; f <= MT_SQRT; f++) {
        const double of_float = worst_float(f), of_double = worst_double(f);
        cr_expect(of_float > 0.45 && of_float <= 1, "%s: %g ulp", names[f], of_float);
        cr_expect(of_double > 0.45 && of_double <= 1, "%s: %g ulp", names[f], of_double);
    }
}

Test(functions, zeros_infinities_and_nans_are_handled_as_by_the_c_library)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    const float x[] = {0.F, -0.F, INFINITY, -INFINITY, NAN, -1.F, 1e30F, -1e30F, 0x1p-149F, -0x1p-149F};
    enum { N_X = sizeof x / sizeof *x };
    float y[N_X];
    double x_d[N_X], y_d[N_X];
    for (int k = 0; k < N_X; k++) x_d[k] = k < 8 ? (double)x[k] : k == 8 ? 0x1p-1074 : -0x1p-1074;
    for (size_t i = 0; i < n_all; i++)
        for (int f = 0; f <= MT_SQRT; f++) {
            all[i]->function_float((mt_function)f, N_X, x, NULL, y);
            all[i]->function_double((mt_function)f, N_X, x_d, NULL, y_d);
            for (int k = 0; k < N_X; k++) {
                const float right = (float)truth_of(f, (double)x[k]);
                const double right_d = truth_of(f, x_d[k]);
                cr_expect((isnan(right) && isnan(y[k])) || fabsf(y[k] - right) <= 1e-6F * fabsf(right) ||
                              y[k] == right,
                    "%s, %s(%a) = %a for %a", all[i]->isa, names[f], (double)x[k], (double)y[k],
                    (double)right);
                cr_expect((isnan(right_d) && isnan(y_d[k])) ||
                              fabs(y_d[k] - right_d) <= 1e-14 * fabs(right_d) || y_d[k] == right_d,
                    "%s, %s(%a) = %a for %a", all[i]->isa, names[f], x_d[k], y_d[k], right_d);
                if (right == 0) cr_expect_eq(signbit(y[k]), signbit(right), "%s(%a)", names[f], (double)x[k]);
            }
        }
}

/* ---- division by a constant that is known at compile time ---- */

enum { MOST_DIVISORS = 100 };

/* Reads the divisors in one source: the number K(...) at the end of each lanes_over(...). */
static size_t divisors_in(const char *path, double *divisor, size_t n)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    for (const char *at = text; (at = strstr(at, "lanes_over(")); n++) {
        int depth = 1;
        const char *last = NULL;
        for (at += strlen("lanes_over("); depth > 0; at++) {
            depth += (*at == '(') - (*at == ')');
            if (*at == ',' && depth == 1) last = at + 1;
        }
        while (isspace((unsigned char)*last)) last++;
        cr_assert(n < MOST_DIVISORS && strncmp(last, "K(", 2) == 0,
            "%s: a divisor that is not K(number): %.40s", path, last);
        divisor[n] = strtod(last + 2, NULL);
    }
    return n;
}

static size_t divisors_of_models(double divisor[MOST_DIVISORS])
{
    glob_t found;
    size_t n = 0;
    cr_assert_eq(glob("solver/cells/*/*_kernel.c", 0, NULL, &found), 0);
    for (size_t k = 0; k < found.gl_pathc; k++) n = divisors_in(found.gl_pathv[k], divisor, n);
    globfree(&found);
    cr_assert(n >= 30, "%zu divisors", n);
    return n;
}

/* Returns the number of float significands (only these matter) with a quotient that differs from the processor's. */
static size_t wrong_floats(float by)
{
    static float x[N], y[N];
    size_t wrong = 0;
    for (uint32_t first = 0; first < 1U << 23; first += N) {
        for (uint32_t k = 0; k < N; k++) x[k] = of_bits(0x3f800000 | (first + k));
        mt_kernels_used()->function_float(MT_OVER, N, x, &by, y);
        for (uint32_t k = 0; k < N; k++) wrong += y[k] != x[k] / by;
    }
    return wrong;
}

/* Tests the hardest doubles. With integers X and D of 53 bits, a quotient X / D (2 X / D if X < D) is close to a number M / 2^53 halfway
 * between two doubles, M odd: |X 2^53 - M D| = t (2^54 for 2^53). The value before the final rounding has a relative error of at most
 * 2^-105, so a wrong result needs |t| <= 4. For each t there are few M: those with M D = -t modulo 2^53 (or 2^54). */
static size_t wrong_doubles(double by)
{
    size_t wrong = 0;
    int exponent;
    const uint64_t d = (uint64_t)ldexp(fabs(frexp(by, &exponent)), 53);
    const double divisor = ldexp((double)d, -52);
    for (int shift = 53; shift <= 54; shift++)
        for (int t = -8; t <= 8; t++) {
            const int twos = __builtin_ctzll(d);
            if (t == 0 || (twos > 0 && t % (1 << (twos < 4 ? twos : 4)) != 0)) continue;
            const int bits = shift - twos;
            const uint64_t odd = d >> twos, mask = ((uint64_t)1 << bits) - 1;
            uint64_t inverse = odd; /* Newton: each step doubles the number of correct bits, initially 3 */
            for (int k = 0; k < 6; k++) inverse *= 2 - odd * inverse;
            const uint64_t residue = ((uint64_t)(-t / (1 << twos)) * inverse) & mask;
            for (uint64_t m = residue; m < (uint64_t)1 << 54; m += mask + 1) {
                if (m < (uint64_t)1 << 53 || m % 2 == 0) continue;
                const __int128 product = (__int128)m * d + t;
                const uint64_t whole = (uint64_t)(product >> shift);
                if (whole < (uint64_t)1 << 52 || whole >= (uint64_t)1 << 53) continue;
                const double x = (double)whole;
                double y;
                mt_kernels_used()->function_double(MT_OVER, 1, &x, &divisor, &y);
                wrong += y != x / divisor;
            }
        }
    return wrong;
}

Test(functions, division_by_every_model_constant_is_correctly_rounded)
{
    double divisor[MOST_DIVISORS];
    const size_t n = divisors_of_models(divisor);
    for (size_t d = 0; d < n; d++) {
        bool seen = false;
        for (size_t e = 0; e < d; e++) seen |= divisor[e] == divisor[d];
        if (seen) continue;
        cr_expect_eq(wrong_floats((float)divisor[d]), 0, "floats by %g", divisor[d]);
        cr_expect_eq(wrong_doubles(divisor[d]), 0, "doubles by %g", divisor[d]);
        uint64_t state = 3;
        double x[N], y[N];
        for (size_t k = 0; k < N; k++) x[k] = between(&state, -200, 200);
        mt_kernels_used()->function_double(MT_OVER, N, x, divisor + d, y);
        size_t wrong = 0;
        for (size_t k = 0; k < N; k++) wrong += y[k] != x[k] / divisor[d];
        cr_expect_eq(wrong, 0, "doubles at random by %g", divisor[d]);
    }
}

/* Some divisors yield wrong quotients, so the test above can fail. */
Test(functions, constants_with_incorrectly_rounded_divisions_are_detected)
{
    size_t found = 0;
    for (int k = 0; k < 20000; k++) {
        uint64_t state = 5 + (uint64_t)k;
        found += wrong_doubles(between(&state, 1, 2)) > 0;
    }
    cr_expect(found > 20 && found < 2000, "%zu", found);
}
