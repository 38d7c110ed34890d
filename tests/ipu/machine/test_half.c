#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "ipu/machine/half.h"

/* Every half converts to a float and back unchanged. */
Test(half, every_half_is_converted_to_float_and_back_exactly)
{
    for (uint32_t h = 0; h <= 0xffff; h++) {
        const float x = ipu_half_value((uint16_t)h);
        if (isnan(x))
            cr_assert((h & 0x7c00) == 0x7c00 && (h & 0x3ff) && isnan(ipu_half_value(ipu_half_of(x))));
        else
            cr_assert_eq(ipu_half_of(x), h, "%#x: %g", h, (double)x);
    }
}

/* Values between two adjacent halves: the nearer wins, and in the middle the even one. */
Test(half, conversion_rounds_to_the_nearest)
{
    for (uint32_t h = 0; h < 0x7bff; h++) {
        const float low = ipu_half_value((uint16_t)h), high = ipu_half_value((uint16_t)(h + 1));
        const float middle = low + (high - low) / 2; /* exact: a half has a significand of 11 bits, a float
                                                      * of 24 */
        cr_assert_eq(ipu_half_of(nextafterf(middle, 0)), h, "%#x", h);
        cr_assert_eq(ipu_half_of(nextafterf(middle, INFINITY)), h + 1, "%#x", h);
        cr_assert_eq(ipu_half_of(middle), h + (h & 1), "%#x", h);
        cr_assert_eq(ipu_half_of(-middle), 0x8000 | (h + (h & 1)), "%#x", h);
    }
}

/* 2^-15 is the sum of its bits, 2^-24 the smallest half; values beyond the range become the largest half. */
Test(half, limits_of_half_match_the_hardware)
{
    cr_expect_eq(ipu_half_value(0x3c00), 1);
    cr_expect_eq(ipu_half_value(1), 0x1p-24F);
    cr_expect_eq(ipu_half_of(1.0F / 32768), 0x0200);
    cr_expect_eq(ipu_half_of(65504), 0x7bff);
    cr_expect_eq(ipu_half_of(65519), 0x7bff);
    cr_expect_eq(ipu_half_of(80000), 0x7bff);
    cr_expect_eq(ipu_half_of(-3e38F), 0xfbff);
    cr_expect_eq(ipu_half_of(INFINITY), 0x7c00);
    cr_expect_eq(ipu_half_of(-INFINITY), 0xfc00);
    cr_expect_eq(ipu_half_of(0x1p-25F), 0, "half of the smallest: to even");
    cr_expect_eq(ipu_half_of(nextafterf(0x1p-25F, 1)), 1);
    cr_expect_eq(ipu_half_of(1e-40F), 0, "a subnormal float");
    cr_expect_eq(ipu_half_of(-0.0F), 0x8000);
}
