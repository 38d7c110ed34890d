/* Sums in fixed point: independent of order and partition, and accurate. */
#include <criterion/criterion.h>

#include <math.h>

#include "tests/random.h"

#define MT_LANES_ONE
#include "solver/kernels/lanes.h"
#include "solver/kernels/bicgstab_scalars.h"

enum { N = 4000 };
static float x[N], y[N];

static void draw_numbers(double size)
{
    uint64_t seed = 9;
    for (int k = 0; k < N; k++) {
        x[k] = (float)(size * between(&seed, -1, 1) * pow(10, between(&seed, -6, 0)));
        y[k] = (float)(size * between(&seed, -1, 1));
    }
}

/* Sums the terms k = from, from + stride, ... and returns the words of the sum. */
static void words_of(int from, int stride, float scale, int32_t word[FIXED_WORDS])
{
    fixed_sum sum = {0};
    for (int k = from; k < N; k += stride) fixed_add_product(&sum, scale, x[k], y[k]);
    fixed_words(sum.high, sum.low, word);
}

/* Accurate to 2^-31 of the bound per term, plus the rounding of the products and of the sum to floats. */
Test(fixed, sums_agree_with_double_precision_within_their_resolution)
{
    for (double size = 1e-9; size <= 1e9; size *= 1e3) {
        double exact = 0, sizes = 0;
        int32_t word[FIXED_WORDS];
        draw_numbers(size);
        const float bound = (float)(size * size), scale = fixed_scale(bound);
        for (int k = 0; k < N; k++)
            exact += (double)x[k] * (double)y[k], sizes += fabs((double)x[k] * (double)y[k]);
        words_of(0, 1, scale, word);
        const double sum = (double)fixed_value(word[0], word[1], word[2], scale);
        cr_expect_leq(fabs(sum - exact), N * (double)bound * 0x1p-31 + sizes * 0x1p-23, "size %g: %g, not %g",
            size, sum, exact);
    }
}

Test(fixed, sums_do_not_depend_on_the_distribution_of_terms)
{
    draw_numbers(1);
    const float scale = fixed_scale(1);
    int32_t whole[FIXED_WORDS];
    words_of(0, 1, scale, whole);
    for (int parts = 2; parts <= 2000; parts = 3 * parts + 1) {
        int32_t sum[FIXED_WORDS] = {0};
        for (int part = parts - 1; part >= 0; part--) {
            int32_t word[FIXED_WORDS];
            words_of(part, parts, scale, word);
            for (int w = 0; w < FIXED_WORDS; w++) sum[w] += word[w];
        }
        cr_assert_eq(
            fixed_value(sum[0], sum[1], sum[2], scale), fixed_value(whole[0], whole[1], whole[2], scale));
    }
}

Test(fixed, the_scale_is_the_largest_power_of_two_that_keeps_terms_below_2_to_the_16)
{
    uint64_t seed = 4;
    for (int k = 0; k < 1000; k++) {
        const float bound = (float)pow(10, between(&seed, -20, 20)), scale = fixed_scale(bound);
        int exponent;
        cr_assert_eq(frexpf(scale, &exponent), 0.5f);
        cr_assert(bound * scale < 65536 && bound * scale >= 32768, "%g: %g", (double)bound, (double)scale);
    }
    cr_expect_eq(fixed_scale(0), fixed_scale(0x1p-80f));
}

/* An iteration with vanishing vectors does not divide by 0. */
Test(fixed, scalars_of_zero_vectors_are_zero)
{
    const int32_t none[9] = {0};
    bicgstab_state state = {.norm = 2, .tolerance_mV = 1e-4f};
    bicgstab_sent sent = {0};
    cr_expect_eq(bicgstab_next(0, 0, 0, 0, &state, &sent), 0);
    bicgstab_alpha(none, &state, &sent);
    bicgstab_omega(none, &state, &sent);
    cr_expect(sent.alpha == 0 && sent.omega == 0 && sent.beta == 0);
}
