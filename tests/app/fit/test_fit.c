/* `myotile fit`: LAT of the eikonal equation on other meshes, derivatives, identifiability, and laws. */
#include <criterion/criterion.h>

#include "tests/app/fit/fit_case.h"
#include "tests/app/report/page_data.h"
#include "tests/app/same_files.h"
#include "tests/app/sketch.h"

#include <omp.h>

#include "app/fit/fit_times.h"
#include "app/fit/lat_fit.h"
#include "app/report/run_folder.h"

static const double slab_mm[] = {24, 15, 1.5};
#define ONE_SITE "stimuli:\n  - {centre_mm: [1, 1, 1], radius_mm: 2, " FIT_PULSE "}\n"
#define SLAB_CASE "mesh: {file: slab.hdf}\n" FIT_CELLS FIT_TISSUE("0.17", "0.04") ONE_SITE
/* Two sites, the second 6 ms later, in other tissue. */
#define TRUE_CASE                                                                                            \
    "mesh: {file: true.hdf}\n" FIT_CELLS FIT_TISSUE(                                                         \
        "0.25", "0.03") "stimuli:\n  - {centre_mm: [5, 4, 1.5], radius_mm: 2.01, " FIT_PULSE "}\n"           \
                        "  - {centre_mm: [19, 11, 1.5], radius_mm: 2.01, start_ms: 6, " FIT_PULSE "}\n"
#define HALF "regions:\n  - {min_mm: [12, 0, 0], max_mm: [24, 15, 1.5], conductivity_factor: "

static bool on_top(const double x[3]) { return x[2] > 1.49; }
/* Outside of the stimuli, where LAT are those of the wavefront. */
static bool outside(const double x[3])
{
    return on_top(x) && hypot(x[0] - 5, x[1] - 4) > 2.5 && hypot(x[0] - 19, x[1] - 11) > 2.5;
}
static bool on_line(const double x[3]) { return on_top(x) && fabs(x[1] - 4) < 0.01; }

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    fit_write_slab("slab.hdf", slab_mm, 0.75, 0, false);
    fit_write_slab("true.hdf", slab_mm, 0.5, 0, false);
    write_text("slab.yaml", SLAB_CASE);
    write_text("true.yaml", TRUE_CASE);
}

TestSuite(fit, .init = enter, .fini = leave_room, .timeout = 120);

#define FIT "fit slab.yaml --lat points.csv -o fit --force --eikonal-only --format json"

/* LAT of a finer mesh. CV and ratio are found to 5 %, sites to an element of the fit, 0.75 mm, and the offset to 1.5 ms. The residual is
 * that of the noise, 1 ms, and of the shapes of the stimuli: the true ones are vertices in a ball, and their border is up to an element,
 * 3 ms, inside. */
Test(fit, cv_and_sites_of_another_mesh_are_found)
{
    char *map = works("eikonal true.yaml -o true --format json");
    const double cv = json_number(map, "standard", "along_mm_per_ms"),
                 ratio = cv / json_number(map, "standard", "across_mm_per_ms");
    fit_draw_points("true", on_top, 200, -30, 1, 1);
    char *table = works(FIT);
    cr_expect_eq(json_property(table, "points"), 200);
    cr_expect_eq(json_property(table, "sites"), 2, "%s", table);
    cr_expect_float_eq(json_number(table, "cv_default", "value"), cv, 0.05 * cv, "%g: %s", cv, table);
    cr_expect_float_eq(
        json_number(table, "ratio_default", "value"), ratio, 0.05 * ratio, "%g: %s", ratio, table);
    cr_expect_lt(fit_nearest_site(table, 2, (double[]){5, 4, 1.5}), 0.75, "%s", table);
    cr_expect_lt(fit_nearest_site(table, 2, (double[]){19, 11, 1.5}), 0.75, "%s", table);
    cr_expect_float_eq(json_property(table, "offset_ms"), -30, 1.5, "%s", table);
    cr_expect_float_eq(json_property(table, "rms_ms"), 1.1, 0.2, "%s", table);
    free(map), free(table);
}

/* A region with a quarter of the conductivity has half the CV. The case of the fit has the region without this factor. */
Test(fit, a_slow_region_is_found)
{
    write_text("true.yaml", TRUE_CASE HALF "0.25}\n");
    write_text("slab.yaml", SLAB_CASE HALF "0.9}\n");
    char *map = works("eikonal true.yaml -o true --format json");
    const double cv = json_number(map, "standard", "along_mm_per_ms");
    fit_draw_points("true", outside, 200, 0, 0.5, 2);
    char *table = works(FIT " --sites 2");
    cr_expect_float_eq(json_number(table, "cv_default", "value"), cv, 0.06 * cv, "%s", table);
    cr_expect_float_eq(json_number(table, "cv_region0", "value"), cv / 2, 0.06 * cv / 2, "%s", table);
    free(table);
    table = works(FIT " --sites 2 --regions 0");
    cr_expect(fit_has_remark(table, "cv_default", "not selected"), "%s", table);
    cr_expect(fit_has_remark(table, "ratio_region0", "\"fitted\""), "%s", table);
    cr_expect_eq(json_number(table, "cv_default", "value"), json_number(table, "cv_default", "case_value"));
    free(map), free(table);
}

/* Points on a line along the fibres through the site have the same LAT for any transverse CV: the ratio keeps the value of the case,
 * while CV is fitted. */
Test(fit, a_ratio_without_information_keeps_the_value_of_the_case)
{
    write_text(
        "true.yaml", "mesh: {file: true.hdf}\n" FIT_CELLS FIT_TISSUE("0.25",
                         "0.03") "stimuli: [{centre_mm: [4, 4, 1.5], radius_mm: 2.01, " FIT_PULSE "}]\n");
    char *map = works("eikonal true.yaml -o true --format json");
    const double cv = json_number(map, "standard", "along_mm_per_ms");
    fit_draw_points("true", on_line, 30, 0, 0.5, 3);
    char *table = works(FIT " --sites 1");
    cr_expect(fit_has_remark(table, "ratio_default", "not identifiable"), "%s", table);
    cr_expect(fit_has_remark(table, "cv_default", "\"fitted\""), "%s", table);
    cr_expect_eq(
        json_number(table, "ratio_default", "value"), json_number(table, "ratio_default", "case_value"));
    cr_expect_float_eq(json_number(table, "cv_default", "value"), cv, 0.08 * cv, "%s", table);
    free(map), free(table);
}

static bool on_endocardium(const double x[3])
{
    return hypot(hypot(x[0], x[1]), x[2]) < SHELL_INNER_MM + 0.01;
}
static bool on_both(const double x[3])
{
    return on_endocardium(x) || hypot(hypot(x[0], x[1]), x[2]) > SHELL_OUTER_MM - 0.01;
}

/* A shell with fibres that rotate through the wall. By the noise alone, endocardial points determine the ratio to 3 %. But at the
 * endocardium the wavefront follows the deeper fibres, too, so that an error of the fibre angles has an effect like that of another
 * ratio: 30 endocardial points do not identify the ratio, and 30 points on both surfaces do. */
Test(fit, endocardial_points_alone_do_not_identify_the_ratio_if_fibres_are_uncertain)
{
    const struct {
        fit_selected *selected;
        const char *surface, *remark;
    } sets[] = {{on_endocardium, "endocardium", "not identifiable"}, {on_both, "all", "\"fitted\""}};
    double from_fibres[2];
    fit_write_shell("slab.hdf", 6, 4, 60);
    fit_write_shell("true.hdf", 9, 6, 60);
    write_text(
        "slab.yaml", "mesh: {file: slab.hdf}\n" FIT_CELLS FIT_TISSUE("0.17",
                         "0.04") "stimuli: [{centre_mm: [-20, 0, -3], radius_mm: 4, " FIT_PULSE "}]\n");
    write_text(
        "true.yaml", "mesh: {file: true.hdf}\n" FIT_CELLS FIT_TISSUE("0.25",
                         "0.05") "stimuli: [{centre_mm: [-12, 0, -16], radius_mm: 4, " FIT_PULSE "}]\n");
    free(works("eikonal true.yaml -o true"));
    for (int k = 0; k < 2; k++) {
        fit_draw_points("true", sets[k].selected, 30, 0, 1, 3);
        char *table = works(FIT " --sites 1 --radius-mm 4 --surface %s", sets[k].surface);
        cr_expect(fit_has_remark(table, "ratio_default", sets[k].remark), "%s", table);
        from_fibres[k] = json_number(table, "ratio_default", "fibre_percent");
        cr_expect_lt(from_fibres[k], json_number(table, "ratio_default", "error_percent"));
        free(table);
        if (k > 0) continue;
        table = works(FIT " --sites 1 --radius-mm 4 --fibre-sd-deg 0 --surface %s", sets[k].surface);
        cr_expect(fit_has_remark(table, "ratio_default", "\"fitted\""), "%s", table);
        cr_expect_lt(json_number(table, "ratio_default", "error_percent"), 4, "%s", table);
        free(table);
    }
    cr_expect_gt(from_fibres[0], 2 * from_fibres[1], "%g %% and %g %%", from_fibres[0], from_fibres[1]);
}

/* The files of the fit repeat its CV and, apart from the shape of the stimuli, its LAT: the eikonal map of fitted.yaml. They have the same
 * bytes with any number of threads. */
Test(fit, the_fitted_case_repeats_the_fit)
{
    mt_arena arena = {0};
    mt_csv map, points;
    free(works("eikonal true.yaml -o true"));
    fit_draw_points("true", on_top, 200, 12, 1, 4);
    char *table = works(FIT " --sites 2");
    char *again = works("eikonal fit/fitted.yaml -o again --format json --set output.vertices=[csv]");
    cr_assert_eq(mt_csv_read(&arena, "again/activation_vertices.csv", &map), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_csv_read(&arena, "fit/points.csv", &points), MT_OK, "%s", mt_message());
    const double offset_ms = json_property(table, "offset_ms"),
                 cv = json_number(table, "cv_default", "value"),
                 ratio = json_number(table, "ratio_default", "value");
    cr_expect_float_eq(json_number(again, "standard", "along_mm_per_ms"), cv, 1e-9);
    cr_expect_float_eq(json_number(again, "standard", "across_mm_per_ms"), cv / ratio, 1e-9);
    free(again);
    size_t n = 0;
    double sum = 0, squares = 0;
    for (size_t k = 0; k < points.n_rows; k++)
        for (size_t v = 0; v < map.n_rows; v++) {
            double d = 0;
            for (size_t i = 0; i < 3; i++)
                d += fabs(mt_csv_number(&map, v, i) - mt_csv_number(&points, k, i + 1));
            if (d > 1e-6) continue;
            n++;
            const double later = mt_csv_number(&map, v, 3) + offset_ms - mt_csv_number(&points, k, 6);
            sum += later, squares += later * later;
        }
    cr_expect_gt(n, 5);
    cr_expect_lt(fabs(sum) / (double)n, 2.5, "%g ms", sum / (double)n);
    cr_expect_lt(sqrt(squares / (double)n - pow(sum / (double)n, 2)), 1.5, "%g %g", sum / (double)n,
        squares / (double)n);
    omp_set_num_threads(3);
    free(works("fit slab.yaml --lat points.csv -o three --eikonal-only --sites 2"));
    static const char *const names[] = {
        "fitted.yaml", "points.csv", "parameters.csv", "sites.csv", "correlation.csv"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char one[64], three[64];
        (void)snprintf(one, sizeof one, "fit/%s", names[k]);
        (void)snprintf(three, sizeof three, "three/%s", names[k]);
        cr_expect(same_file(one, three), "%s", names[k]);
    }
    free(table);
    mt_arena_free(&arena);
}

/* Returns the weighted mean residual of points.csv around a place, as fit_files.h defines it; NaN without points nearby. */
static double mean_residual(const mt_csv *points, const double x[3])
{
    double sum = 0, weights = 0;
    for (size_t k = 0; k < points->n_rows; k++) {
        double d2 = 0;
        for (size_t i = 0; i < 3; i++) d2 += pow(mt_csv_number(points, k, i + 1) - x[i], 2);
        const double weight = d2 < 100 ? pow(1 - d2 / 100, 2) : 0;
        weights += weight, sum += weight * mt_csv_number(points, k, 7);
    }
    return weights > 0 ? sum / weights : NAN;
}

/* The report has the map of residuals and the tables of the fit, the same from the fit as later from its folder. */
Test(fit, the_report_has_residuals_and_tables)
{
    static const char *const titles[] = {"Fit to local activation times (LAT)",
        "Longitudinal CV, and its ratio to the transverse CV", "Sites of earliest activation",
        "Correlation of the fitted parameters", "Measured and fitted LAT at the projected points"};
    mt_arena arena = {0};
    mt_csv points;
    mt_run_folder folder;
    free(works("eikonal true.yaml -o true"));
    fit_draw_points("true", on_top, 50, 12, 1, 6);
    free(works(FIT " --sites 2 --set output.report=true"));
    free(works("report fit -o again.html"));
    cr_expect(same_file("fit/report.html", "again.html"));
    page p = open_page(&arena, "again.html");
    const json *run = json_at(p.data, "runs")->first, *tables = json_at(run, "tables");
    cr_assert_eq(json_length(tables), sizeof titles / sizeof *titles);
    for (size_t k = 0; k < sizeof titles / sizeof *titles; k++) (void)json_item(tables, "title", titles[k]);
    cr_expect_eq(json_length(json_at(json_item(tables, "title", titles[4]), "rows")), 50);
    cr_assert_eq(mt_csv_read(&arena, "fit/points.csv", &points), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_run_folder_read(&arena, "fit", NULL, &folder), MT_OK, "%s", mt_message());
    cr_assert_eq(folder.n_maps, 2);
    cr_expect_str_eq(folder.maps[1].name, "residual");
    for (size_t c = 0; c < folder.mesh.n_elements; c += 17) {
        double x[3];
        mt_mesh_centroid(&folder.mesh, c, x);
        const double mean = mean_residual(&points, x), found = folder.maps[1].values[c];
        cr_expect(isnan(mean) ? isnan(found) : fabs(found - mean) < 1e-4, "%zu: %g %g", c, found, mean);
    }
    /* a run in the same folder has no residuals */
    free(works("eikonal slab.yaml -o fit --force"));
    free(works("report fit -o run.html"));
    p = open_page(&arena, "run.html");
    cr_expect_eq(json_length(json_at(json_at(p.data, "runs")->first, "tables")), 0);
    mt_arena_free(&arena);
}

/* The bootstrap's spread of CV agrees with the standard error: 12 samples determine it to a factor of 2. */
Test(fit, a_bootstrap_agrees_with_the_covariance)
{
    free(works("eikonal true.yaml -o true"));
    fit_draw_points("true", on_top, 80, 0, 1, 5);
    char *table = works(FIT " --sites 2 --bootstrap 12 --fibre-sd-deg 0");
    const double factor = json_number(table, "cv_default", "bootstrap_percent") /
                          json_number(table, "cv_default", "error_percent");
    cr_expect(factor > 0.5 && factor < 2, "%g", factor);
    free(table);
}

/* One correction changes the values by more than 1 %. The values before it are those with which a run was compared, and the only ones
 * with a known residual, so they are the result: those of --eikonal-only. */
Test(fit, without_convergence_the_values_are_those_of_the_run_with_the_least_residual)
{
    static const char *const parameters[] = {"cv_default", "ratio_default"}, least[] = "the least residual, ";
    free(works("eikonal true.yaml -o true"));
    fit_draw_points("true", outside, 100, 5, 0.5, 7);
    char *eikonal = works(FIT " --sites 2"), *table,
         *said = warnings(
             &table, "fit slab.yaml --lat points.csv -o corrected --sites 2 --corrections 1 --format json");
    cr_assert(strstr(said, "slab.yaml: found a change of") &&
                  strstr(said, "in the last of 1 corrections; usual: below 1 %") && strstr(said, least),
        "%s", said);
    for (int k = 0; k < 2; k++)
        cr_expect_eq(json_number(table, parameters[k], "value"), json_number(eikonal, parameters[k], "value"),
            "%s", table);
    const double residual_ms = strtod(strstr(said, least) + strlen(least), NULL);
    cr_expect_float_eq(json_property(table, "rms_ms"), residual_ms, 0.005 * residual_ms, "%s", said);
    cr_expect_gt(json_property(table, "rms_ms"), json_property(eikonal, "rms_ms"));
    free(eikonal), free(table), free(said);
}

/* ---- derivatives ---- */

enum { POINTS = 40 };

/* A model of slab.yaml, with points and sites on its top. */
typedef struct fixture {
    mt_arena arena;
    mt_case input;
    mt_problem problem;
    mt_cell_speeds speeds;
    mt_fit_surface surface; /* only the top */
    mt_fit_place place[POINTS];
    mt_fit_model model;
    mt_fit_values values;
} fixture;

static void begin(fixture *f)
{
    uint64_t seed = 9;
    *f = (fixture){0};
    cr_assert_eq(mt_case_load(&f->arena, "slab.yaml", NULL, 0, &f->input), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_problem_make_still(&f->arena, &f->input, true, &f->problem), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_cell_speeds_make(&f->arena, "slab.yaml", &f->input, &f->problem, true, &f->speeds), MT_OK);
    f->surface.mesh = f->problem.mesh;
    cr_assert_eq(mt_boundary_make(&f->arena, &f->problem.adjacency, &f->surface.mesh), MT_OK);
    for (size_t t = 0; t < f->surface.mesh.n_faces; t++) {
        double normal[3];
        mt_triangle_area(&f->surface.mesh, t, normal);
        f->surface.mesh.face_tag[t] = normal[2] > 0.1;
    }
    cr_assert_eq(mt_nearest_make(&f->arena, &f->surface.mesh, 1, &f->surface.nearest), MT_OK);
    f->model = (mt_fit_model){.path = "slab.yaml",
        .input = &f->input,
        .problem = &f->problem,
        .speeds = &f->speeds,
        .site_surface = &f->surface,
        .cached = true,
        .stimulus = {2, 2, 50}};
    cr_assert_eq(mt_fit_model_make(&f->arena, &f->model), MT_OK, "%s", mt_message());
    for (int k = 0; k < POINTS; k++)
        mt_fit_surface_project(
            &f->surface, (double[]){between(&seed, 0, 24), between(&seed, 0, 15), 2}, &f->place[k]);
    cr_assert_eq(mt_fit_model_set_points(&f->arena, &f->surface, POINTS, f->place, &f->model), MT_OK);
    f->values =
        (mt_fit_values){.n_sites = 2, .log_speed = {0.1, -0.1}, .log_ratio = {0.2, 0}, .offset_ms = 7};
    mt_fit_surface_project(&f->surface, (double[]){5.2, 4.1, 2}, &f->values.site[0].place);
    mt_fit_surface_project(&f->surface, (double[]){18.1, 10.4, 2}, &f->values.site[1].place);
    f->values.site[1].start_ms = 3;
}

/* Central differences of all LAT with respect to all parameters. A few points have two equal arrivals within the step. */
Test(fit, derivatives_agree_with_differences)
{
    const double h = 0.01;
    double lat_ms[POINTS], side_ms[2][POINTS];
    fixture f;
    write_text("slab.yaml", SLAB_CASE HALF "0.5}\n");
    begin(&f);
    const size_t n = mt_fit_n_parameters(&f.model, &f.values);
    double *jacobian = mt_arena_alloc(&f.arena, POINTS * n, sizeof *jacobian);
    cr_assert_eq(n, 2 * 2 + 2 * 3 + 1);
    cr_assert_eq(mt_fit_model_times(&f.model, &f.values, lat_ms), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_fit_model_jacobian(&f.model, &f.values, jacobian), MT_OK);
    for (size_t p = 0; p < n; p++) {
        double step[MT_FIT_PARAMETERS_MAX] = {0};
        size_t n_other = 0;
        for (int side = 0; side < 2; side++) {
            mt_fit_values moved = f.values;
            step[p] = side ? h : -h;
            mt_fit_model_step(&f.model, step, &moved);
            cr_assert_eq(mt_fit_model_times(&f.model, &moved, side_ms[side]), MT_OK);
        }
        for (size_t k = 0; k < POINTS; k++) {
            const double difference = (side_ms[1][k] - side_ms[0][k]) / (2 * h), found = jacobian[n * k + p];
            n_other += fabs(difference - found) > 0.02 * fmax(0.5, fabs(found));
        }
        cr_expect_leq(n_other, POINTS / 10, "parameter %zu: %zu points differ", p, n_other);
    }
    mt_arena_free(&f.arena);
}

/* Same, for a rotation of the fibres in the plane of the slab. Times next to the sites are not differentiated, a few per cent. */
Test(fit, derivatives_with_respect_to_the_fibre_angle_agree_with_differences)
{
    const double h = 0.005;
    double lat_ms[POINTS], side_ms[2][POINTS], slope[MT_FIT_FIBRE_MODES * POINTS], largest = 0;
    size_t n_other = 0;
    fixture f;
    for (int side = 0; side < 2; side++) {
        fit_write_slab("slab.hdf", slab_mm, 0.75, 20 + (side ? h : -h) * 180 / M_PI, false);
        begin(&f);
        cr_assert_eq(mt_fit_model_times(&f.model, &f.values, side_ms[side]), MT_OK, "%s", mt_message());
        mt_arena_free(&f.arena);
    }
    fit_write_slab("slab.hdf", slab_mm, 0.75, 20, false);
    begin(&f);
    cr_assert_eq(mt_fit_model_times(&f.model, &f.values, lat_ms), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_fit_model_fibre_slopes(&f.model, &f.values, &f.surface, slope), MT_OK);
    for (size_t k = 0; k < POINTS; k++) largest = fmax(largest, fabs(slope[MT_FIT_FIBRE_MODES * k]));
    for (size_t k = 0; k < POINTS; k++)
        n_other +=
            fabs((side_ms[1][k] - side_ms[0][k]) / (2 * h) - slope[MT_FIT_FIBRE_MODES * k]) > 0.1 * largest;
    cr_expect_gt(largest, 10);
    cr_expect_leq(n_other, POINTS / 10, "%zu points differ", n_other);
    mt_arena_free(&f.arena);
}

/* LAT of fibres that are rotated by 3 degrees: with an uncertain angle a small part of the sum of squares remains, since times next
 * to the sites are not differentiated. LAT that are shifted alternately do not follow from other angles. */
Test(fit, other_fibre_angles_explain_their_part_of_the_residuals)
{
    double lat_ms[POINTS], fitted_ms[POINTS], weight[POINTS], rest[2], least;
    mt_fit_minimum m = {0};
    fixture f;
    fit_write_slab("slab.hdf", slab_mm, 0.75, 23, false);
    begin(&f);
    cr_assert_eq(mt_fit_model_times(&f.model, &f.values, lat_ms), MT_OK, "%s", mt_message());
    mt_arena_free(&f.arena);
    fit_write_slab("slab.hdf", slab_mm, 0.75, 20, false);
    begin(&f);
    cr_assert_eq(mt_fit_model_times(&f.model, &f.values, fitted_ms), MT_OK, "%s", mt_message());
    const mt_fit_fibres fibres = {15 * M_PI / 180, &f.surface}, exact = {0, &f.surface};
    const mt_fit_data data = {POINTS, lat_ms, weight, false};
    m.values = f.values;
    memset(m.fixed, 1, sizeof m.fixed);
    for (int k = 0; k < 2; k++) {
        m.sum = 0;
        for (size_t i = 0; i < POINTS; i++) {
            weight[i] = 1;
            if (k == 1) lat_ms[i] = fitted_ms[i] + (i % 2 ? 1 : -1);
            m.sum += pow(lat_ms[i] - fitted_ms[i], 2);
        }
        cr_assert_eq(
            mt_fit_sum_with_fibres(&f.model, &data, &fibres, &m, &rest[k]), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_fit_sum_with_fibres(&f.model, &data, &exact, &m, &least), MT_OK);
        cr_expect_eq(least, m.sum);
        rest[k] /= m.sum;
    }
    cr_expect_lt(rest[0], 0.25, "%g", rest[0]);
    cr_expect(rest[1] > 0.8 && rest[1] <= 1, "%g", rest[1]);
    mt_arena_free(&f.arena);
}
