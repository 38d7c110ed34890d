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

/* Loads and stores take two more cycles; fewer than one cycle saves no bundle. */
Test(mix, classes_of_paired_instructions_add_their_cycles_above_one)
{
    const ipu_instruction_costs costs = {.issue = IPU_PAIRED, .memory = 3, .floats = 0.5, .integer = 1};
    const ipu_mix mix = {.bundles = 10,
        .count = {[IPU_OP_LOAD] = 2, [IPU_OP_STORE] = 1, [IPU_OP_ADD] = 4, [IPU_OP_ADDRESS] = 3}};
    cr_expect_eq(ipu_mix_cycles(&mix, &costs), 10 + 3 * 2);
}

/* One of each operation: four of memory, eight of floats, four of integers, and a float more for expm1. */
Test(mix, single_instructions_take_the_sum_of_their_cycles)
{
    const ipu_instruction_costs costs = {.issue = IPU_SINGLE,
        .memory = 0.5,
        .floats = 2,
        .integer = 0,
        .f32_div = 3,
        .f32_exp = 7,
        .f32_log = 11,
        .f32_sqrt = 5};
    ipu_mix mix = {.bundles = 1000, .pairs = 1000, .start = 1000};
    for (int k = 0; k < IPU_OPERATIONS; k++) mix.count[k] = 1;
    cr_expect_eq(ipu_mix_cycles(&mix, &costs), 4 * 0.5 + 8 * 2 + 3 + 7 + (7 + 2) + 11 + 5);
    mix = (ipu_mix){
        .count = {[IPU_OP_CONSTANT] = 1, [IPU_OP_INTEGER] = 1, [IPU_OP_ADDRESS] = 1, [IPU_OP_LOOP] = 1}};
    cr_expect_eq(ipu_mix_cycles(&mix, &costs), 0, "a loop counted in hardware");
}

Test(mix, a_turn_of_a_vector_loop_has_as_many_elements_as_lanes)
{
    static const size_t cases[][3] = {{0, 4, 0}, {1, 4, 1}, {4, 4, 1}, {5, 4, 2}, {5, 1, 5}, {5, 0, 5}};
    const ipu_instruction_costs costs = {.issue = IPU_SINGLE, .floats = 1.25};
    const ipu_mix mix = {.count = {[IPU_OP_ADD] = 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        cr_expect_eq(ipu_mix_turns(cases[k][0], cases[k][1]), cases[k][2], "%zu", k);
    cr_expect_eq(ipu_mix_loop(&mix, &costs, 5, 4), 3, "2.5 rounded up");
}
