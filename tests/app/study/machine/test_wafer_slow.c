#include <criterion/criterion.h>

#include "app/study/machine/wafer_programs.h"

/* The published iteration on the whole wafer: 28.1 us on 602 x 595 tiles. The clock, 0.9 GHz, is known to 5 % from the share of the peak;
 * the rest of the tolerance is for waits that the model does not have. */
Test(wafer_slow, an_iteration_on_the_whole_wafer_takes_the_published_time)
{
    static const double published_us = 28.1, published_reduction = 1.1 * (602 + 595);
    mt_arena arena = {0};
    ipu_target at[MT_ATS];
    double iteration[MT_ATS], reduction;
    cr_assert_eq(
        ipu_target_load(&arena, "data/machines/wse1.yaml", NULL, 0, &at[0]), MT_OK, "%s", mt_message());
    for (int k = 1; k < MT_ATS; k++) at[k] = mt_program_target(&at[0], k);
    cr_assert_eq(mt_wafer_bicgstab(at, 602, 595, 1536, iteration, &reduction), MT_OK, "%s", mt_message());
    const double us = iteration[MT_AT_VALUES] / at[0].clock_hz * 1e6;
    cr_expect_float_eq(us, published_us, 0.2 * published_us, "%.1f us", us);
    cr_expect_float_eq(reduction, published_reduction, 0.1 * published_reduction, "%.0f cycles", reduction);
    mt_arena_free(&arena);
}
