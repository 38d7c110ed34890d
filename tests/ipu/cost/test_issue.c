/* Order, registers and bundles of small turns, by hand. Loops in the text of a compiler are in tests/ipu/tally/test_tally.c. */
#include <criterion/criterion.h>

#include "data/core/arena.h"
#include "ipu/cost/issue.h"

enum { LINES = 4096 };
static ipu_instruction line[LINES];
static ipu_register_file file[LINES];
static int n;

/* Appends an instruction with the result n: the value has the number of its line. */
static int put(ipu_operation operation, ipu_register_file of, int first, int second)
{
    file[n] = of;
    ipu_instruction_put(line, n, operation, n, 2, (const int[]){first, second});
    return n++;
}

static ipu_mix count(void)
{
    ipu_mix mix = {0};
    const ipu_turn turn = {.line = line, .n = n, .n_values = n, .file = file};
    cr_assert_eq(ipu_turn_count(&turn, &mix), MT_OK, "%s", mt_message());
    unsigned sum = 0;
    for (int o = 0; o < IPU_OPERATIONS; o++) sum += mix.count[o];
    cr_expect_eq(sum, mix.bundles + mix.pairs);
    return mix;
}

Test(issue, a_source_is_kept_once)
{
    ipu_instruction_put(line, 0, IPU_OP_ADD, 5, 3, (const int[]){7, IPU_NO_VALUE, 7});
    cr_expect_eq(line[0].n_sources, 1);
    cr_expect_eq(line[0].source[0], 7);
    cr_expect_eq(line[0].result, 5);
}

/* Load and constant are of the same depth; add needs both. */
Test(issue, a_memory_and_a_float_instruction_share_a_bundle)
{
    const int x = put(IPU_OP_LOAD, IPU_FILE_FLOAT, IPU_NO_VALUE, IPU_NO_VALUE),
              y = put(IPU_OP_CONSTANT, IPU_FILE_FLOAT, IPU_NO_VALUE, IPU_NO_VALUE);
    (void)put(IPU_OP_ADD, IPU_FILE_FLOAT, x, y);
    const ipu_mix mix = count();
    cr_expect_eq(mix.bundles, 2);
    cr_expect_eq(mix.pairs, 1);
}

/* In the source a load of one chain follows the first chain; by depth both loads are first: load, load, add, add. */
Test(issue, the_smallest_depth_is_first)
{
    const int x = put(IPU_OP_CONSTANT, IPU_FILE_FLOAT, IPU_NO_VALUE, IPU_NO_VALUE);
    (void)put(IPU_OP_ADD, IPU_FILE_FLOAT, x, x);
    const int y = put(IPU_OP_LOAD, IPU_FILE_FLOAT, IPU_NO_VALUE, IPU_NO_VALUE);
    (void)put(IPU_OP_ADD, IPU_FILE_FLOAT, y, y);
    const ipu_mix mix = count(); /* constant with load, add, add */
    cr_expect_eq(mix.bundles, 3);
    cr_expect_eq(mix.pairs, 1);
}

/* A chain of n values, then their sum in the same order: 8 registers hold the values, the sum included. */
Test(issue, values_without_a_register_are_spilled_once_and_reloaded)
{
    for (int values = 2; values < 1000; values = 2 * values + 1) {
        n = 0;
        for (int k = 0; k < values; k++)
            (void)put(IPU_OP_EXP, IPU_FILE_FLOAT, k > 0 ? n - 1 : IPU_NO_VALUE, IPU_NO_VALUE);
        int sum = values - 1;
        for (int k = 0; k < values; k++) sum = put(IPU_OP_ADD, IPU_FILE_FLOAT, sum, k);
        const ipu_mix mix = count();
        const unsigned over = values > 8 ? (unsigned)values - 8 : 0;
        cr_expect_eq(mix.count[IPU_OP_SPILL], over, "%d values: %u", values, mix.count[IPU_OP_SPILL]);
        cr_expect(mix.count[IPU_OP_RELOAD] >= over && mix.count[IPU_OP_RELOAD] <= over + 1, "%d values: %u",
            values, mix.count[IPU_OP_RELOAD]);
    }
}

Test(issue, values_that_depend_on_each_other_are_refused)
{
    ipu_mix mix = {0};
    const ipu_turn turn = {.line = line, .n = 2, .n_values = 2, .file = file};
    ipu_instruction_put(line, 0, IPU_OP_ADD, 0, 1, (const int[]){1});
    ipu_instruction_put(line, 1, IPU_OP_ADD, 1, 1, (const int[]){0});
    file[0] = file[1] = IPU_FILE_FLOAT;
    cr_expect_eq(ipu_turn_count(&turn, &mix), MT_INPUT);
}
