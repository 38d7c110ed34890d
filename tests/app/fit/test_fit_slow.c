/* `myotile fit` of LAT that the monodomain equation made, on a finer mesh with other fibres. */
#include <criterion/criterion.h>

#include "tests/app/fit/fit_case.h"
#include "tests/app/sketch.h"

static const double slab_mm[] = {24, 15, 3};
#define TRUE_CASE                                                                                            \
    "mesh: {file: true.hdf}\n" FIT_CELLS FIT_TISSUE(                                                         \
        "0.25", "0.05") "stimuli:\n  - {centre_mm: [5, 4, 3], radius_mm: 2, " FIT_PULSE "}\n"                \
                        "  - {centre_mm: [19, 11, 3], radius_mm: 2, start_ms: 6, " FIT_PULSE "}\n"
#define FIT_CASE                                                                                             \
    "mesh: {file: slab.hdf}\n" FIT_CELLS FIT_TISSUE(                                                         \
        "0.17", "0.04") "stimuli: [{centre_mm: [1, 1, 1], radius_mm: 2, " FIT_PULSE "}]\n"

static bool on_surface(const double x[3]) { return x[2] < 0.01 || x[2] > 2.99; }

static void enter(void)
{
    enter_room();
    share_cache();
}

TestSuite(fit_slow, .init = enter, .fini = leave_room, .timeout = 900);

/* The true fibres rotate by 50 degrees through the wall, those of the fit by 40. 200 points with a noise of 1 ms and an unknown offset. CV
 * are found to 5 %, sites to 4 mm. The correction reduces the residual, as the eikonal equation has no curvature. */
Test(fit_slow, cv_and_sites_of_a_monodomain_run_are_found)
{
    fit_write_slab("slab.hdf", slab_mm, 0.5, 20, true);
    fit_write_slab("true.hdf", slab_mm, 0.25, 25, true);
    write_text("slab.yaml", FIT_CASE);
    write_text("true.yaml", TRUE_CASE);
    free(works("run true.yaml -o true"));
    char *map = works("eikonal true.yaml -o map --format json");
    const double cv = json_number(map, "standard", "along_mm_per_ms"),
                 across = json_number(map, "standard", "across_mm_per_ms");
    fit_draw_points("true", on_surface, 200, -41, 1, 1);
    char *table = works("fit slab.yaml --lat points.csv -o fit --format json"),
         *eikonal = works("fit slab.yaml --lat points.csv -o eikonal --eikonal-only --format json");
    const double fitted = json_number(table, "cv_default", "value"),
                 ratio = json_number(table, "ratio_default", "value");
    cr_expect_float_eq(fitted, cv, 0.05 * cv, "%g: %s", cv, table);
    cr_expect_float_eq(fitted / ratio, across, 0.05 * across, "%g: %s", across, table);
    cr_expect_lt(json_property(table, "rms_ms"), json_property(eikonal, "rms_ms"), "%s", eikonal);
    cr_expect_eq(json_property(table, "sites"), 2);
    cr_expect_lt(fit_nearest_site(table, 2, (double[]){5, 4, 3}), 4, "%s", table);
    cr_expect_lt(fit_nearest_site(table, 2, (double[]){19, 11, 3}), 4, "%s", table);
    cr_expect_float_eq(json_property(table, "offset_ms"), -41, 3, "%s", table);
    /* the residual of the last run is the noise, and the difference of the fibres */
    cr_expect_lt(json_property(table, "rms_ms"), 1.5, "%s", table);
    free(map), free(table), free(eikonal);
}

/* ---- a heart ---- */

#define HEART(mesh, factor_l, factor_t, factor)                                                              \
    "mesh: {file: " mesh "}\n" HEART_CELLS FIT_TISSUE(                                                       \
        factor_l, factor_t) "regions: [{centre_mm: [0, -8, -8], radius_mm: 6.5, "                            \
                            "conductivity_factor: " factor "}]\n"
#define HEART_CELLS                                                                                          \
    "cell: {model: mitchell-schaeffer, type: standard}\ntime: {dt_ms: 0.05, end_ms: 300, until: "            \
    "activated}\n"                                                                                           \
    "machine: {backend: cpu}\noutput: {vertices: [csv], report: false, pictures: false}\n"
static const double first_mm[] = {-4.6, 3.2, -10.7}, second_mm[] = {16.5, 1.6, -7.6};

/* Writes both hearts, a quarter as large as human ones: heart.hdf with 12,000 elements of 0.63 mm and fibres from 60 to -60 degrees, and
 * true.hdf with 8 times as many elements and fibres from 50 to -50. Runs the true one. Returns its eikonal map with the CV. */
static char *make_hearts(void)
{
    free(works("mesh ventricles --elements 12000 -o human.hdf"));
    fit_scale_mesh("human.hdf", "small.hdf", 0.25);
    free(works("mesh refine small.hdf -o fine.hdf"));
    free(works("mesh fibres small.hdf -o heart.hdf"));
    free(works("mesh fibres fine.hdf -o true.hdf --endo-deg 50 --epi-deg -50"));
    write_text("true.yaml", HEART("true.hdf", "0.25", "0.05", "0.4") //
        "stimuli:\n  - {centre_mm: [-4.6, 3.2, -10.7], radius_mm: 1.5, " FIT_PULSE "}\n"
        "  - {centre_mm: [16.5, 1.6, -7.6], radius_mm: 1.5, start_ms: 8, " FIT_PULSE "}\n");
    write_text("heart.yaml", HEART("heart.hdf", "0.17", "0.04", "0.8") //
        "stimuli: [{centre_mm: [0, 0, -20], radius_mm: 1.5, " FIT_PULSE "}]\n");
    free(works("run true.yaml -o true"));
    return works("eikonal true.yaml -o map --format json");
}

/* The CV of a tissue in the table of an eikonal map: 0: default, 1: the scar. */
static double cv_of(const char *map, int tissue, const char *key)
{
    char row[32], name[64];
    (void)snprintf(row, sizeof row, "\"tissue\": %d,", tissue);
    (void)snprintf(name, sizeof name, "\"%s\": ", key);
    const char *at = strstr(map, row), *value = at ? strstr(at, name) : NULL;
    cr_assert_not_null(value, "no '%s' in %s", key, map);
    return strtod(value + strlen(name), NULL);
}

/* Checks that a fitted value is within `most` and within two of its standard errors. */
static void check_value(const char *table, const char *parameter, double truth, double most)
{
    const double value = json_number(table, parameter, "value"),
                 error = 0.02 * json_number(table, parameter, "error_percent");
    cr_expect_float_eq(value, truth, fmin(most, error) * truth, "%s %g: %s", parameter, truth, table);
}

/* A heart with a scar, whose CV is 0.63 of that of healthy tissue, two sites, and another angle of its fibres by 10 degrees. 200 points of
 * epicardium and endocardia with a noise of 1 ms and an unknown offset. CV and ratio follow from a case with other tissue and one site
 * elsewhere. The number of sites is given, since the criterion can find a third one, which makes up for the errors below. The activation
 * times of the true run are 1.3 % off in healthy tissue and 2.5 % in the scar, by its mesh (table of the run). Fibres that are 10 degrees
 * off, which elements of a quarter of the wall do not resolve either, change the CV of the scar and the ratio by some 7 %. */
Test(fit_slow, cv_of_a_scar_and_sites_of_a_heart_are_found)
{
    char *map = make_hearts();
    const double cv = cv_of(map, 0, "along_mm_per_ms"), ratio = cv / cv_of(map, 0, "across_mm_per_ms"),
                 of_scar = cv_of(map, 1, "along_mm_per_ms");
    fit_draw_surface_points("true", "true.hdf", MT_SURFACE_EPI, MT_SURFACE_RV, 200, -40, 1, 1);
    char *table, *said = warnings(&table, "fit heart.yaml --lat points.csv -o fit --sites 2 --fibre-sd-deg "
                                          "10 --limit-percent 20 --format json");
    check_value(table, "cv_default", cv, 0.05);
    check_value(table, "cv_region0", of_scar, 0.1);
    check_value(table, "ratio_default", ratio, 0.15);
    cr_expect(fit_has_remark(table, "ratio_region0", "not identifiable"), "%s", table);
    cr_expect_lt(fit_nearest_site(table, 2, first_mm), 2, "%s", table);
    cr_expect_lt(fit_nearest_site(table, 2, second_mm), 2, "%s", table);
    /* the endocardium of the left ventricle alone, without the other site */
    fit_draw_surface_points("true", "true.hdf", MT_SURFACE_LV, MT_SURFACE_LV, 100, -40, 1, 1);
    char *endocardial = works("fit heart.yaml --lat points.csv -o endo --surface lv_endocardium "
                              "--fibre-sd-deg 10 --limit-percent 20 "
                              "--eikonal-only --format json");
    check_value(endocardial, "ratio_default", ratio, 0.25);
    cr_expect_lt(fit_nearest_site(endocardial, 1, first_mm), 2, "%s", endocardial);
    free(map), free(table), free(said), free(endocardial);
}
