#include <criterion/criterion.h>

#include "app/study/machine/epiphany_programs.h"

/* Programs on an Epiphany compared with their published times (data/reference/published.csv). Of these, the store to tile 1 and the copy of
 * 8 bytes determined constants. */
static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(epiphany_programs, .fini = teardown);

static ipu_target machine(void)
{
    ipu_target target;
    cr_assert_eq(ipu_target_load(&arena, "data/machines/epiphany64.yaml", NULL, 0, &target), MT_OK, "%s",
        mt_message());
    return target;
}

/* Half cycles of hops, and the way, are rounded up. A store falls at any place of a loop of 6 cycles, with a mean exact to half a cycle. */
Test(epiphany_programs, a_store_to_any_tile_takes_the_measured_time)
{
    static const double published[] = {14.5, 15.895, 17.2, 14.58, 16.03, 17.555, 19, 15.85, 17.29, 19.14,
        20.12, 17.47, 19.095, 20.045, 21.74};
    const ipu_target epiphany = machine();
    for (uint32_t k = 0; k < sizeof published / sizeof *published; k++) {
        double cycles;
        cr_assert_eq(mt_epiphany_store(&epiphany, k + 1, &cycles), MT_OK, "%s", mt_message());
        cr_expect_float_eq(cycles, published[k], 1.5, "tile %u: %.0f cycles", k + 1, cycles);
    }
}

static double copy_cycles(int at, size_t bytes, bool others)
{
    const ipu_target epiphany = machine(), target = mt_program_target(&epiphany, at);
    double cycles;
    cr_assert_eq(mt_epiphany_copy(&target, at, bytes, others, &cycles), MT_OK, "%s", mt_message());
    return cycles;
}

/* The engine of these measurements has 2.4 bytes per cycle, the machine 4, and its slow end 2. */
Test(epiphany_programs, the_band_of_a_copy_contains_the_measured_times)
{
    static const struct {
        size_t bytes;
        double published;
    } of[] = {{512, 546}, {2048, 1088}, {4096, 1955}, {8192, 3683}, {12288, 5303}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        cr_expect_lt(copy_cycles(MT_AT_FAST, of[k].bytes, false), of[k].published);
        cr_expect_gt(copy_cycles(MT_AT_SLOW, of[k].bytes, false), of[k].published);
    }
    cr_expect_float_eq(copy_cycles(MT_AT_VALUES, 8, false), 332, 1, "its start is from this time");
}

/* 8 KiB in 2,404 cycles on another board; a start of 300 cycles is an eighth of that, and known to a third from programs of both. */
Test(epiphany_programs, a_copy_has_the_rate_of_another_board)
{
    cr_expect_float_eq(copy_cycles(MT_AT_VALUES, 8192, false), 2404, 100);
}

/* The link carries 8 bytes per cycle, whatever the rate of each engine: 2,048 cycles. Measured were 2,536 with start and answer. The
 * machine divides its links by turns; a tenth is for those that it loses. */
Test(epiphany_programs, four_copies_over_one_link_take_its_rate)
{
    const double alone = copy_cycles(MT_AT_VALUES, 4096, false),
                 shared = copy_cycles(MT_AT_VALUES, 4096, true);
    cr_expect_geq(shared - alone, 2048 - 1024);
    cr_expect_float_eq(shared, 2536, 0.1 * 2536, "%.0f cycles", shared);
}

/* 65.2 GFLOP/s are 21,202 cycles. Uncertain are code without optimisation, 1,560 cycles counted without a compiler, to a third, and the
 * start of DMA, to a third: together 3 %. */
Test(epiphany_programs, a_stencil_takes_the_published_time)
{
    static const double published = 64 * 60 * 60 * 10 / 65.2 * 0.6, multiplications = 5 * 60 * 60;
    const ipu_target epiphany = machine();
    double cycles;
    cr_assert_eq(mt_epiphany_stencil(&epiphany, MT_AT_VALUES, &cycles), MT_OK, "%s", mt_message());
    cr_expect_gt(cycles, multiplications);
    cr_expect_float_eq(cycles, published, 0.03 * published, "%.0f cycles", cycles);
}

/* 65.3 GFLOP/s are 308,306 cycles, of which 8 x 32^3 are multiplications with additions. The rate of DMA decides about the rest. */
Test(epiphany_programs, the_band_of_a_product_contains_the_published_time)
{
    static const double published = 2 * 256.0 * 256 * 256 / 65.3 * 0.6, multiplications = 8 * 32.0 * 32 * 32;
    const ipu_target epiphany = machine(), slow_machine = mt_program_target(&epiphany, MT_AT_SLOW);
    double cycles, slow;
    cr_assert_eq(mt_epiphany_product(&epiphany, MT_AT_VALUES, &cycles), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_epiphany_product(&slow_machine, MT_AT_SLOW, &slow), MT_OK, "%s", mt_message());
    cr_expect_gt(cycles, multiplications);
    cr_expect(cycles < published && published < slow, "%.0f to %.0f cycles", cycles, slow);
    cr_expect_float_eq(cycles, published, 0.05 * published);
}
