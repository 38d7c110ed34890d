/* Properties of the functions of solver/kernels/rare_functions.h for a sample of all numbers; test_rare_functions_slow.c takes more. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ipu/run/engine.h"
#include "solver/kernels/kernels.h"
#include "tests/random.h"
#include "tests/solver/kernels/rare_functions.h"
#include "tests/solver/kernels/ulps.h"

enum { N = 4096, AROUND = 256, TURNS = 32, TOLD = 5 };

/* ---- inputs ---- */

/* Limits of domains and of the pieces that the functions consist of: numbers around them and around their negatives are tested. */
static const double special[] = {0, 0x1p-1074, 0x1p-1022, 0x1p-149, 0x1p-126, 0x1p-55, 0x1p-27, 0x1p-26,
    0x1p-13, 0.25, 0.34657359027997264, 0.41421356237309503, 0.5, M_SQRT1_2, M_PI_4, 1, 1.0397207708399179,
    M_SQRT2, M_PI_2, 2, 2.414213562373095, M_PI, 8, 10, 22, 1000, 89.415986, 89.5, 710.4758600739439, 710.6,
    11 * M_PI_2, 0x1p17, 0x1p23, 0x1p30, 0x1p52, 0x1p60, 1e300, INFINITY};
enum { SPECIALS = sizeof special / sizeof *special };

/* Fills x with floats of all magnitudes, then with those around a special number and its negative. False after the last. */
static bool floats(size_t turn, float *x)
{
    const uint32_t stride = 32771; /* a prime; a turn more than 2^32 / N */
    for (uint32_t k = 0; k < N; k++) {
        uint32_t bits = (uint32_t)(turn * N + k) * stride;
        if (turn >= TURNS && turn - TURNS < SPECIALS) {
            const float centre = (float)special[turn - TURNS];
            memcpy(&bits, &centre, sizeof bits);
            bits += k % AROUND - AROUND / 2;
            bits ^= k / AROUND % 2 << 31;
        }
        memcpy(x + k, &bits, sizeof bits);
    }
    return turn < TURNS + SPECIALS;
}

/* The same for doubles, half of them in the range of a function's usual arguments. */
static bool doubles(const rare_function *of, size_t turn, double *x)
{
    uint64_t state = 11 + turn;
    for (uint64_t k = 0; k < N; k++) {
        uint64_t bits = next_state(&state) ^ next_state(&state) >> 32;
        if (turn >= TURNS && turn - TURNS < SPECIALS) {
            memcpy(&bits, &special[turn - TURNS], sizeof bits);
            bits += k % AROUND - AROUND / 2;
            bits ^= k / AROUND % 2 << 63;
        }
        memcpy(x + k, &bits, sizeof bits);
        if (turn < TURNS && turn % 2) x[k] = between(&state, of->low, of->high);
    }
    return turn < TURNS + SPECIALS;
}

/* Fills pairs for powers and remainders: of all magnitudes, such that powers are finite, and of any two special numbers. */
static bool pairs(size_t turn, double *x, double *y)
{
    uint64_t state = 7 + turn;
    for (uint64_t k = 0; k < N; k++) {
        const uint64_t bits[] = {
            next_state(&state) ^ next_state(&state) >> 32, next_state(&state) ^ next_state(&state) >> 32};
        memcpy(x + k, &bits[0], sizeof *x);
        memcpy(y + k, &bits[1], sizeof *y);
        if (turn % 2) rare_draw_power(&state, turn / 2, 745, x + k, y + k);
        if (turn % 8 == 6) {
            x[k] = copysign(special[draw(&state, SPECIALS)], between(&state, -1, 1));
            y[k] = copysign(special[draw(&state, SPECIALS)], between(&state, -1, 1));
        }
    }
    return turn < TURNS;
}

static bool float_pairs(size_t turn, float *x, float *y)
{
    static double x_d[N], y_d[N];
    const bool more = pairs(turn, x_d, y_d);
    uint64_t state = 3 + turn;
    for (size_t k = 0; k < N; k++) {
        if (turn % 2) rare_draw_power(&state, turn / 2, 104, x_d + k, y_d + k);
        x[k] = (float)x_d[k], y[k] = (float)y_d[k];
        if (turn % 8 == 0) memcpy(x + k, x_d + k, sizeof *x), memcpy(y + k, y_d + k, sizeof *y);
    }
    return more;
}

/* ---- the same bits ---- */

static bool same_float(float a, float b) { return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)); }
static bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void expect_same(
    mt_function f, size_t n, const float *x, const float *by, const double *x_d, const double *by_d)
{
    static float y[N], other[N];
    static double y_d[N], other_d[N];
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    int told = 0;
    all[0]->function_float(f, n, x, by, y);
    all[0]->function_double(f, n, x_d, by_d, y_d);
    for (size_t i = 1; i < n_all; i++) {
        all[i]->function_float(f, n, x, by, other);
        all[i]->function_double(f, n, x_d, by_d, other_d);
        for (size_t k = 0; k < n; k++) {
            if (!same_float(y[k], other[k]) && told++ < TOLD)
                cr_expect(false, "function %d of %a: %s %a, %s %a", f, (double)x[k], all[0]->isa,
                    (double)y[k], all[i]->isa, (double)other[k]);
            if (!same_double(y_d[k], other_d[k]) && told++ < TOLD)
                cr_expect(false, "function %d of %a: %s %a, %s %a", f, x_d[k], all[0]->isa, y_d[k],
                    all[i]->isa, other_d[k]);
        }
    }
}

static void same_bits_everywhere(void)
{
    static float x[N], by[N];
    static double x_d[N], by_d[N];
    for (size_t i = 0; i < RARE_FUNCTIONS; i++)
        for (size_t turn = 0; floats(turn, x) && doubles(&rare_functions[i], turn, x_d); turn++)
            expect_same(rare_functions[i].f, N - turn % 3, x, NULL, x_d, NULL);
    for (mt_function f = MT_POW; f <= MT_COMPARE; f++)
        for (size_t turn = 0; float_pairs(turn, x, by) && pairs(turn, x_d, by_d); turn++)
            expect_same(f, N - turn % 3, x, by, x_d, by_d);
}

Test(rare_functions, rare_functions_are_bit_identical_on_every_instruction_set) { same_bits_everywhere(); }

Test(rare_functions, rare_functions_are_bit_identical_with_flushed_subnormals)
{
    const uint64_t before = ipu_begin_flushing();
    same_bits_everywhere();
    ipu_end_flushing(before);
}

/* ---- accuracy ---- */

/* Returns the error; infinite if a result should be infinite, NaN or a zero of either sign and is not. */
static double error_float(float y, double truth)
{
    if (!isfinite(truth)) return isnan(truth) ? (isnan(y) ? 0 : INFINITY) : (double)y == truth ? 0 : INFINITY;
    return truth == 0 && !signbit(y) != !signbit(truth) ? INFINITY : ulps_float(y, truth);
}

static double error_double(double y, long double truth)
{
    if (!isfinite(truth))
        return isnan(truth) ? (isnan(y) ? 0 : INFINITY) : (long double)y == truth ? 0 : INFINITY;
    return truth == 0 && !signbit(y) != !signbit(truth) ? INFINITY : ulps_double(y, truth);
}

/* fmax would ignore NaN, the error of a result that is NaN by mistake. */
static void raise(double *worst, double error)
{
    *worst = error <= *worst ? *worst : isnan(error) ? INFINITY : error;
}

Test(rare_functions, rare_functions_are_as_accurate_as_documented)
{
    static float x[N], y[N];
    static double x_d[N], y_d[N];
    for (size_t i = 0; i < RARE_FUNCTIONS; i++) {
        const rare_function *of = &rare_functions[i];
        double worst = 0, worst_d = 0;
        for (size_t turn = 0; floats(turn, x) && doubles(of, turn, x_d); turn++) {
            mt_kernels_used()->function_float(of->f, N, x, NULL, y);
            mt_kernels_used()->function_double(of->f, N, x_d, NULL, y_d);
            for (size_t k = 0; k < N; k++) {
                raise(&worst, error_float(y[k], of->truth(rare_argument((double)x[k], of->last_float))));
                raise(&worst_d,
                    error_double(y_d[k], of->long_truth((long double)rare_argument(x_d[k], of->last))));
            }
        }
        const double least = of->most_ulp > 0 ? 0.45 : 0;
        cr_expect(worst >= least && worst <= of->most_ulp, "%s: %g ulp", of->name, worst);
        cr_expect(worst_d >= least && worst_d <= of->most_ulp, "%s: %g ulp", of->name, worst_d);
    }
}

Test(rare_functions, powers_are_accurate_to_within_one_ulp_for_small_and_large_exponents)
{
    static float x[N], by[N], y[N];
    static double x_d[N], by_d[N], y_d[N];
    double worst = 0, worst_d = 0;
    for (size_t turn = 0; float_pairs(turn, x, by) && pairs(turn, x_d, by_d); turn++) {
        mt_kernels_used()->function_float(MT_POW, N, x, by, y);
        mt_kernels_used()->function_double(MT_POW, N, x_d, by_d, y_d);
        for (size_t k = 0; k < N; k++) {
            raise(&worst, error_float(y[k], pow((double)x[k], (double)by[k])));
            raise(&worst_d, error_double(y_d[k], powl((long double)x_d[k], (long double)by_d[k])));
        }
    }
    cr_expect(worst > 0.6 && worst <= 1, "%g ulp", worst);
    cr_expect(worst_d > 0.6 && worst_d <= 1, "%g ulp", worst_d);
}

Test(rare_functions, remainders_are_exact)
{
    static float x[N], by[N], y[N];
    static double x_d[N], by_d[N], y_d[N];
    size_t wrong = 0;
    for (size_t turn = 0; float_pairs(turn, x, by) && pairs(turn, x_d, by_d); turn++) {
        mt_kernels_used()->function_float(MT_REMAINDER, N, x, by, y);
        mt_kernels_used()->function_double(MT_REMAINDER, N, x_d, by_d, y_d);
        for (size_t k = 0; k < N; k++)
            wrong += !same_float(y[k], fmodf(x[k], by[k])) || !same_double(y_d[k], fmod(x_d[k], by_d[k]));
    }
    cr_expect_eq(wrong, 0, "%zu", wrong);
}

/* ---- special values, order ---- */

static const double values[] = {0, 0x1p-1074, 0x1p-1022, 0x1p-149, 0x1p-54, 0.5, 1 - 0x1p-53, 1 - 0x1p-24, 1,
    1 + 0x1p-23, 1.5, 2, 3, 4, 0x1p23 - 0.5, 0x1p23 + 1, 0x1p24 - 1, 0x1p24, 0x1p52 - 0.5, 0x1p52 + 1,
    0x1p53 - 1, 0x1p53, 1e10, 1e30, 1e300, INFINITY, NAN};
enum { VALUES = 2 * sizeof values / sizeof *values, VALUE_PAIRS = VALUES * VALUES };

static double value(size_t k) { return k % 2 ? -values[k / 2] : values[k / 2]; }

Test(rare_functions, powers_of_zeros_ones_negative_numbers_infinities_and_nans_are_those_of_the_c_library)
{
    static float x[VALUE_PAIRS], by[VALUE_PAIRS], y[VALUE_PAIRS];
    static double x_d[VALUE_PAIRS], by_d[VALUE_PAIRS], y_d[VALUE_PAIRS];
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    for (size_t k = 0; k < VALUE_PAIRS; k++) {
        x[k] = (float)(x_d[k] = value(k / VALUES));
        by[k] = (float)(by_d[k] = value(k % VALUES));
    }
    for (size_t i = 0; i < n_all; i++) {
        all[i]->function_float(MT_POW, VALUE_PAIRS, x, by, y);
        all[i]->function_double(MT_POW, VALUE_PAIRS, x_d, by_d, y_d);
        for (size_t k = 0; k < VALUE_PAIRS; k++) {
            const float right = powf(x[k], by[k]);
            const double right_d = pow(x_d[k], by_d[k]);
            if (!(error_float(y[k], (double)right) <= 1))
                cr_expect(false, "%s: %a^%a = %a", all[i]->isa, (double)x[k], (double)by[k], (double)y[k]);
            if (!(error_double(y_d[k], (long double)right_d) <= 1))
                cr_expect(false, "%s: %a^%a = %a for %a", all[i]->isa, x_d[k], by_d[k], y_d[k], right_d);
        }
    }
}

/* Returns what solver/kernels/rare_functions.h documents. */
static double order(mt_function f, double x, double y)
{
    if (f == MT_MIN) return y < x ? y : x;
    if (f == MT_MAX) return x < y ? y : x;
    return (x < y) + 2 * (x <= y) + 4 * (x == y);
}

Test(rare_functions, minima_maxima_and_selects_are_defined_for_every_pair_of_numbers)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    for (size_t i = 0; i < n_all; i++)
        for (mt_function f = MT_MIN; f <= MT_COMPARE; f++)
            for (size_t k = 0; k < VALUE_PAIRS; k++) {
                const double x_d = value(k / VALUES), by_d = value(k % VALUES);
                const float x = (float)x_d, by = (float)by_d;
                float y;
                double y_d;
                all[i]->function_float(f, 1, &x, &by, &y);
                all[i]->function_double(f, 1, &x_d, &by_d, &y_d);
                if (!same_float(y, (float)order(f, (double)x, (double)by)) ||
                    !same_double(y_d, order(f, x_d, by_d)))
                    cr_expect(false, "%s: %d(%a, %a) = %a, %a", all[i]->isa, f, x_d, by_d, (double)y, y_d);
            }
}

Test(rare_functions, monotone_functions_keep_the_order_of_adjacent_numbers)
{
    static float x[N], y[N];
    static double x_d[N], y_d[N];
    for (size_t i = 0; i < RARE_FUNCTIONS; i++) {
        const rare_function *of = &rare_functions[i];
        size_t wrong = 0;
        for (uint64_t turn = 0; turn < 2 * TURNS + SPECIALS; turn++) {
            uint64_t state = turn;
            const bool at_special = turn >= 2 * TURNS;
            x_d[0] = at_special ? special[turn - 2 * TURNS] : between(&state, of->low, of->high);
            x[0] = (float)x_d[0];
            for (size_t k = 0; k < N / 2; k++)
                x[0] = nextafterf(x[0], -INFINITY), x_d[0] = nextafter(x_d[0], -INFINITY);
            for (size_t k = 1; k < N; k++)
                x[k] = nextafterf(x[k - 1], INFINITY), x_d[k] = nextafter(x_d[k - 1], INFINITY);
            mt_kernels_used()->function_float(of->f, N, x, NULL, y);
            mt_kernels_used()->function_double(of->f, N, x_d, NULL, y_d);
            for (size_t k = 1; k < N; k++)
                wrong += rare_misplaced(
                             of->course, (double)x[k - 1], (double)y[k - 1], (double)x[k], (double)y[k]) +
                         rare_misplaced(of->course, x_d[k - 1], y_d[k - 1], x_d[k], y_d[k]);
        }
        cr_expect_eq(wrong, 0, "%s: %zu", of->name, wrong);
    }
}

Test(rare_functions, functions_of_angles_beyond_their_largest_argument_are_those_of_that_argument)
{
    const mt_function angles[] = {MT_SIN, MT_COS, MT_TAN};
    const float x[] = {
        0x1p17F, 0x1p18F, 1e30F, 0x1.fffffep127F, -0x1p17F, -0x1p18F, -1e30F, -0x1.fffffep127F};
    const double x_d[] = {0x1p30, 0x1p31, 1e30, 1e308, -0x1p30, -0x1p31, -1e30, -1e308};
    float y[8];
    double y_d[8];
    for (size_t i = 0; i < 3; i++) {
        mt_kernels_used()->function_float(angles[i], 8, x, NULL, y);
        mt_kernels_used()->function_double(angles[i], 8, x_d, NULL, y_d);
        for (size_t k = 0; k < 8; k++) {
            cr_expect(isfinite(y[k]) && y[k] == y[k / 4 * 4], "%zu, %a: %a", i, (double)x[k], (double)y[k]);
            cr_expect(isfinite(y_d[k]) && y_d[k] == y_d[k / 4 * 4], "%zu, %a: %a", i, x_d[k], y_d[k]);
        }
    }
}
