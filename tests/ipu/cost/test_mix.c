#include <criterion/criterion.h>

#include "ipu/cost/mix.h"

/* Calculated by hand with the costs of the GC200: 10 bundles; 2 more cycles for a division, 2 for exp, 2 and a subtraction for expm1, 5
 * for log, 4 for sqrt; each twice. */
Test(mix, long_instructions_add_their_cycles_beyond_one_bundle)
{
    const ipu_instruction_costs costs = {.f32_div = 3, .f32_exp = 3, .f32_log = 6, .f32_sqrt = 5};
    ipu_mix mix = {.bundles = 10};
    cr_expect_eq(ipu_mix_cycles(&mix, &costs), 10);
    mix.count[IPU_OP_DIVIDE] = mix.count[IPU_OP_EXP] = mix.count[IPU_OP_EXPM1] = mix.count[IPU_OP_LOG] =
        mix.count[IPU_OP_SQRT] = 2;
    cr_expect_eq(ipu_mix_cycles(&mix, &costs), 10 + 2 * (2 + 2 + (2 + 1) + 5 + 4));
    mix.count[IPU_OP_ADD] = mix.count[IPU_OP_MULTIPLY] = mix.count[IPU_OP_LOAD] =
        7; /* already counted in the bundles */
    cr_expect_eq(ipu_mix_cycles(&mix, &costs), 42);
}
