#include <criterion/criterion.h>

#include "app/study/machine/wafer_programs.h"

/* Programs on wafers compared with their published times, which determined no constant of the machines (data/reference/published.csv). */
static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(wafer_programs, .fini = teardown);

static ipu_target machine(const char *path)
{
    ipu_target target;
    cr_assert_eq(ipu_target_load(&arena, path, NULL, 0, &target), MT_OK, "%s", mt_message());
    return target;
}

/* Operations are counted from the source; a task takes about 10 cycles. The tolerances above a tenth are differences that are not explained:
 * of 14 x 9 points the published time leaves 85 cycles for ten tasks and the halo. */
Test(wafer_programs, a_stencil_in_rectangles_takes_the_time_of_the_vendors_simulator)
{
    static const struct {
        size_t width, height;
        double published, tolerance;
    } of[] = {{1, 1, 127, 0.1}, {2, 2, 141, 0.11}, {5, 5, 285, 0.1}, {10, 10, 785, 0.1}, {14, 9, 841, 0.15},
        {20, 20, 2670, 0.1}, {64, 64, 25270, 0.1}, {86, 14, 7741, 0.1}};
    const ipu_target wse2 = machine("data/machines/wse2.yaml");
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        double cycles;
        cr_assert_eq(
            mt_wafer_stencil(&wse2, 4, of[k].width, of[k].height, &cycles), MT_OK, "%s", mt_message());
        cr_expect_float_eq(cycles, of[k].published, of[k].tolerance * of[k].published,
            "%zu x %zu: %.0f cycles", of[k].width, of[k].height, cycles);
    }
}

Test(wafer_programs, the_time_of_a_stencil_does_not_depend_on_the_number_of_tiles)
{
    const ipu_target wse2 = machine("data/machines/wse2.yaml");
    double few, many;
    cr_assert_eq(mt_wafer_stencil(&wse2, 4, 5, 5, &few), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_wafer_stencil(&wse2, 12, 5, 5, &many), MT_OK, "%s", mt_message());
    cr_expect_eq(few, many);
}

/* The authors measured 11.6 % of the cycles waiting for memory, which the model does not have. */
Test(wafer_programs, a_seismic_stencil_is_faster_than_measured_by_its_waits_for_memory)
{
    static const struct {
        size_t nz;
        double published; /* cycles */
    } of[] = {{100, 0.8637e-5 * 0.85e9}, {400, 3.1223e-5 * 0.85e9}};
    const ipu_target wse2 = machine("data/machines/wse2.yaml");
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        double cycles;
        cr_assert_eq(mt_wafer_seismic(&wse2, 12, of[k].nz, &cycles), MT_OK, "%s", mt_message());
        cr_expect_lt(cycles, of[k].published);
        cr_expect_float_eq(
            cycles, (1 - 0.116) * of[k].published, 0.1 * of[k].published, "%.0f cycles", cycles);
    }
}

/* Words cross half of the rows and half of the columns on the way to the middle, and the same on the way back, each word in a cycle. The
 * published reduction takes about a tenth more than that; of few tiles the constant times are a larger part. */
Test(wafer_programs, a_reduction_takes_little_more_than_the_diameter)
{
    const ipu_target wse1 = machine("data/machines/wse1.yaml");
    const ipu_target all[MT_ATS] = {wse1, wse1, wse1};
    enum { NX = 60, NY = 58 };
    double iteration[MT_ATS], reduction;
    cr_assert_eq(mt_wafer_bicgstab(all, NX, NY, 64, iteration, &reduction), MT_OK, "%s", mt_message());
    cr_expect_gt(reduction, NX + NY);
    cr_expect_lt(reduction, NX + NY + 100, "%.0f cycles", reduction);
}

/* Per point 12 multiplications of words from the network, two a cycle, 12 additions of halves, four a cycle, 6 additions of vectors, four a
 * cycle, and 4 dot products, two a cycle: so much longer is an iteration with more points. */
Test(wafer_programs, an_iteration_takes_the_operations_of_its_points)
{
    const ipu_target wse1 = machine("data/machines/wse1.yaml");
    const ipu_target all[MT_ATS] = {wse1, wse1, wse1};
    double small[MT_ATS], large[MT_ATS], reduction;
    cr_assert_eq(mt_wafer_bicgstab(all, 20, 20, 64, small, &reduction), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_wafer_bicgstab(all, 20, 20, 128, large, &reduction), MT_OK, "%s", mt_message());
    cr_expect_float_eq(large[0] - small[0], 64 * (12 / 2.0 + 12 / 4.0 + 6 / 4.0 + 4 / 2.0), 8);
}
