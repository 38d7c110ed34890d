/* Maps of the action potential, by command: contents of the files, the table and the pictures. */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/app/sketch.h"

#include "data/files/h5.h"
#include "mesh/vtk/vtkhdf.h"
#include "solver/outputs/velocity.h"
#include "tests/solver/small_case.h"

#include <omp.h>

enum { N = 288, NONCONDUCTING = 24 };

/* All elements are repolarised by 330 ms. */
static const char body[] = SMALL_SLAB USUAL_TISSUE
    "time: {dt_ms: 0.05, end_ms: 330}\nregions:\n  - {min_mm: [1.5, 0, 0], max_mm: [2, 1, 1], "
    "non_conducting: "
    "true}\n" SMALL_STIMULUS("2") "machine: {backend: cpu}\noutput: {maps: [repolarisation, apd, rest, peak, "
                                  "upstroke, conduction_velocity]}\n";

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
}

TestSuite(maps, .init = enter, .fini = leave_room);

static const double *field(mt_arena *arena, const char *name)
{
    double *values;
    cr_assert_eq(mt_vtkhdf_read_field(arena, "out/result.hdf", name, N, &values), MT_OK, "%s", mt_message());
    return values;
}

static void check_result(void)
{
    static float velocity[N][3];
    mt_arena arena = {0};
    mt_h5 h5 = {0};
    const double *activation = field(&arena, "activation"), *repolarisation = field(&arena, "repolarisation"),
                 *apd = field(&arena, "apd90"), *rest = field(&arena, "rest"), *peak = field(&arena, "peak"),
                 *upstroke = field(&arena, "upstroke");
    cr_assert_eq(mt_h5_open("out/result.hdf", &h5), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_h5_read(&h5, "VTKHDF/CellData/conduction_velocity", MT_H5_FLOAT, 2, (size_t[]){N, 3}, velocity),
        MT_OK, "%s", mt_message());
    mt_h5_close(&h5);
    size_t n_nonconducting = 0, n_known = 0;
    for (size_t c = 0; c < N; c++) {
        n_nonconducting += isnan(activation[c]) != 0;
        cr_assert_eq(isnan(activation[c]), isnan(apd[c]));
        if (isnan(activation[c])) continue;
        cr_assert_float_eq(
            apd[c], repolarisation[c] - activation[c], 320 * 0x1p-23, "%zu", c); /* stored in single */
        cr_assert(apd[c] > 270 && apd[c] < 320, "%zu: %g ms", c, apd[c]);
        cr_assert(rest[c] > -86 && rest[c] < -85 && peak[c] > 10 && peak[c] < 60, "%zu: %g to %g mV", c,
            rest[c], peak[c]);
        cr_assert(upstroke[c] > 50 && upstroke[c] < 500, "%zu: %g mV/ms", c, upstroke[c]);
        n_known += isnan(velocity[c][0]) == 0;
    }
    cr_expect_eq(n_nonconducting, NONCONDUCTING);
    cr_expect(n_known > 20 && n_known < N - NONCONDUCTING,
        "%zu: stimulated elements have no conduction velocity", n_known);
    mt_arena_free(&arena);
}

Test(maps, maps_are_in_the_result_file_in_a_table_and_in_pictures)
{
    sketch_draws = true;
    char *table = works("run case.yaml -o out --format json");
    check_result();
    cr_expect(fabs(json_number(table, "apd90", "median") - 293) < 10, "%s", table);
    cr_expect_eq(json_number(table, "apd90", "elements"), N - NONCONDUCTING);
    cr_expect_lt(json_number(table, "peak", "percentile_5"), json_number(table, "peak", "percentile_95"));
    cr_expect_gt(json_number(table, "conduction_velocity", "median"), 0.2);
    double n = 0;
    for (int k = 0; k < MT_VELOCITY_REASONS; k++) n += json_number(table, mt_velocity_key[k], "elements");
    cr_expect_eq(n, N - NONCONDUCTING, "%s", table);
    cr_expect_gt(json_number(table, "stimulated", "elements"), 0);
    free(table);
    cr_expect(there("out/apd.png") && there("out/conduction_velocity.png") && there("out/rest.png"));
    /* a later run with fewer maps deletes the pictures of the earlier one */
    table = works(
        "run case.yaml -o out --set output.maps=[apd] --set output.repolarisation_percent=50 --format json");
    cr_expect_lt(json_number(table, "apd50", "median"), 290);
    cr_expect_gt(json_number(table, "apd50", "median"), 200);
    free(table);
    cr_expect(there("out/apd.png") && !there("out/conduction_velocity.png") && !there("out/rest.png"));
    table = works("run case.yaml -o out --set output.maps=[apd] --set output.pictures=false");
    cr_expect(!strstr(table, ".png") && !there("out/apd.png") && !there("out/activation.png"));
    free(table);
}

/* A wavefront that has not arrived everywhere, and cells that are not repolarised: both are reported, and neither has a value. */
Test(maps, undefined_values_are_nan)
{
    mt_arena arena = {0};
    free(works("run case.yaml -o out --set time.end_ms=2"));
    const double *activation = field(&arena, "activation"), *apd = field(&arena, "apd90"),
                 *peak = field(&arena, "peak");
    size_t n = 0;
    for (size_t c = 0; c < N; c++) {
        n += isnan(activation[c]) == 0;
        cr_assert(isnan(apd[c]));
        cr_assert_eq(isnan(peak[c]), isnan(activation[c]));
    }
    cr_expect(n > 10 && n < N - NONCONDUCTING, "%zu", n);
    mt_arena_free(&arena);
}

/* With a second beat that begins before any element is repolarised, and a run that ends after it and before any
 * repolarisation. */
#define TWO_BEATS                                                                                            \
    "--set cell.model=mitchell-schaeffer --set cell.type=standard " /* cheap */                              \
    "--set time.dt_ms=0.1 --set stimuli.0.count=2 --set stimuli.0.period_ms=270 --set output.beats=every"

Test(maps, maps_are_equal_for_any_number_of_threads_and_after_a_resume)
{
    mt_arena arena = {0};
    free(works("run case.yaml -o out " TWO_BEATS));
    omp_set_num_threads(2);
    free(works("run case.yaml -o two " TWO_BEATS " --set time.end_ms=275 --set checkpoint.at_end=true"));
    free(works("run --resume two --set time.end_ms=330 --set checkpoint.at_end=false"));
    cr_expect(same_file("out/result.hdf", "two/result.hdf"));
    cr_expect(same_file("out/apd.png", "two/apd.png"));
    cr_expect(same_file("out/activation_beat2.png", "two/activation_beat2.png"));
    const double *activation = field(&arena, "activation"), *repolarisation = field(&arena, "repolarisation");
    size_t n = 0;
    for (size_t c = 0; c < N; c++) n += activation[c] < 20 && repolarisation[c] > 275;
    cr_expect_eq(n, N - NONCONDUCTING, "repolarisation of the first beat, during the second");
    /* a later run of one beat deletes the pictures of the second */
    free(works("run case.yaml -o two --set time.end_ms=5"));
    cr_expect(there("two/activation.png") && !there("two/activation_beat2.png"));
    mt_arena_free(&arena);
}

Test(maps, impossible_maps_are_rejected)
{
    refuses(2, "output.maps=[peak,apd90]: apd90; allowed: any of activation, repolarisation, apd,",
        "run case.yaml --set output.maps=[peak,apd90]");
    refuses(
        2, "30; allowed: at least 50 and at most 99", "run case.yaml --set output.repolarisation_percent=30");
    refuses(2, "output.beat_ms: 100, and output.beats is first; allowed: with every",
        "run case.yaml --set output.beat_ms=100");
    refuses(2, "40; allowed: at least -80 and at most 20", "run case.yaml --set output.threshold_mV=40");
}
