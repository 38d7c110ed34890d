#include <criterion/criterion.h>

#include "app/study/paper/machine_programs.h"

/* The machine model compared with programs with published times on real machines, which determined no constant of the model
 * (data/reference/published.csv), with inputs rearranged as by the vendor's compiler. The partition of the stencil's image is known from
 * its source, not from its profile, so that the tolerance is a fifth. */
static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(machine_programs, .fini = teardown);

static ipu_target machine(const char *path)
{
    ipu_target target;
    cr_assert_eq(ipu_target_load(&arena, path, NULL, 0, &target), MT_OK, "%s", mt_message());
    target.copies = IPU_COPIES_ALWAYS;
    return target;
}

static double exchange_of(mt_program_cycles cycles[MT_TUTORIAL_SETS][MT_ATS], int at)
{
    return cycles[MT_TUTORIAL_MATRIX][at].exchange_mean + cycles[MT_TUTORIAL_PRODUCTS][at].exchange_mean +
           cycles[MT_TUTORIAL_SUMS][at].exchange_mean;
}

Test(machine_programs, matrix_vector_exchange_time_agrees_with_the_hardware)
{
    static const double published = 8743.1;
    const ipu_target gc200 = machine("data/machines/gc200.yaml");
    mt_program_cycles cycles[MT_TUTORIAL_SETS][MT_ATS];
    cr_assert_eq(mt_tutorial_cycles(&gc200, cycles), MT_OK, "%s", mt_message());
    cr_expect_float_eq(exchange_of(cycles, MT_AT_VALUES), published, 0.15 * published, "%.0f cycles",
        exchange_of(cycles, MT_AT_VALUES));
}

Test(machine_programs, matrix_vector_compute_time_agrees_with_the_hardware)
{
    static const double published = 28300.3;
    const ipu_target gc200 = machine("data/machines/gc200.yaml");
    mt_program_cycles cycles[MT_TUTORIAL_SETS][MT_ATS];
    cr_assert_eq(mt_tutorial_cycles(&gc200, cycles), MT_OK, "%s", mt_message());
    const double compute = cycles[MT_TUTORIAL_PRODUCTS][MT_AT_VALUES].compute_mean +
                           cycles[MT_TUTORIAL_SUMS][MT_AT_VALUES].compute_mean;
    cr_expect_float_eq(compute, published, 0.05 * published, "%.0f cycles", compute);
}

/* 2,200 x 1,122 pixels: copies before and after the exchange. */
Test(machine_programs, the_copy_time_of_a_stencil_agrees_with_the_hardware)
{
    static const double published[] = {8279 + 6954, 5741 + 4826};
    const ipu_target gc2 = machine("data/machines/gc2.yaml");
    for (int half = 0; half < 2; half++) {
        const mt_blur blur = {2200, 1122, 1, half, 1};
        mt_program_cycles c[MT_ATS];
        cr_assert_eq(mt_blur_cycles(&gc2, &blur, c), MT_OK, "%s", mt_message());
        const double copies = c[MT_AT_VALUES].gather + c[MT_AT_VALUES].scatter;
        cr_expect_float_eq(copies, published[half], 0.2 * published[half], "%.0f cycles", copies);
        cr_expect_leq(c[MT_AT_FAST].gather + c[MT_AT_FAST].scatter, copies);
        cr_expect_geq(c[MT_AT_SLOW].gather + c[MT_AT_SLOW].scatter, copies);
    }
}

/* The exchange between chips costs more on 2 chips, and again on 4, as some routes have two links; not on 8. */
Test(machine_programs, a_stencil_takes_longer_on_two_and_on_four_chips)
{
    const ipu_target gc2 = machine("data/machines/gc2.yaml");
    double external[4];
    for (int k = 0; k < 4; k++) {
        const mt_blur blur = {(size_t)40 << k, 40, (size_t)1 << k, true, 6};
        mt_program_cycles c[MT_ATS];
        cr_assert_eq(mt_blur_cycles(&gc2, &blur, c), MT_OK, "%s", mt_message());
        external[k] = c[MT_AT_VALUES].external;
    }
    cr_expect_eq(external[0], 0);
    cr_expect_geq(external[1], 2300 * 1.6);
    cr_expect_geq(external[2] - external[1], 750 * 1.6);
    cr_expect_eq(external[3], external[2]);
}
