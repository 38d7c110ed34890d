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
