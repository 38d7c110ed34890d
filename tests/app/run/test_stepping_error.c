/* The error of multirate stepping that each such run measures. */
#include <criterion/criterion.h>

#include <math.h>

#include "app/run/stepping_error.h"

static mt_stepping_error error_of(double tolerance_mV)
{
    mt_case input = {.tissue = {.intracellular_l_mS_mm = 0.17,
                         .intracellular_t_mS_mm = 0.019,
                         .extracellular_l_mS_mm = 0.62,
                         .extracellular_t_mS_mm = 0.24,
                         .chi_per_mm = 140,
                         .cm_uF_mm2 = 0.01}};
    const mt_cell_model *model;
    cr_assert_eq(mt_cell_model_find("mitchell-schaeffer", &model), MT_OK);
    const mt_monodomain problem = {.model = model,
        .dt_ms = 0.05,
        .pde_steps = 1,
        .stepping = MT_STEPPING_MULTIRATE,
        .tolerance_mV = tolerance_mV};
    mt_stepping_error error;
    cr_assert_eq(mt_stepping_error_find(&input, &problem, &error), MT_OK, "%s", mt_message());
    return error;
}

Test(stepping_error, the_error_is_0_if_every_cell_is_evaluated_in_each_step)
{
    const mt_stepping_error none = error_of(0);
    cr_expect_eq(none.speed_percent, 0);
    cr_expect_eq(none.apd90_ms, 0);
}

/* The error is of first order: at most the time between evaluations. */
Test(stepping_error, the_error_is_above_0_and_below_one_longest_step)
{
    const mt_stepping_error some = error_of(0.1);
    cr_expect_lt(fabs(some.speed_percent), 0.1, "%g %%", some.speed_percent);
    cr_expect(some.apd90_ms != 0 && fabs(some.apd90_ms) < 16 * 0.05, "%g ms", some.apd90_ms);
}
