#include "app/fit/fit_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/draw/chart/scatter.h"
#include "app/draw/scene/picture.h"
#include "app/eikonal/eikonal_map.h"
#include "app/fit/fit_case.h"
#include "app/fit/fit_tables.h"
#include "app/report/html_report.h"
#include "data/core/progress.h"
#include "data/core/vec3.h"
#include "data/files/folder.h"
#include "data/yaml/yaml.h"

static const double reach_mm = 10, margin_ms = 20;
enum { TITLE = 128 };

/* ---- the fitted case ---- */

/* Moves the end of the case after its last activation. */
static void extend(const mt_lat_fit *fit, double latest_ms, mt_case *fitted)
{
    const double needed_ms = ceil(latest_ms + margin_ms);
    if (!(fitted->time.end_ms < needed_ms)) return;
    fitted->time.end_ms = ceil(needed_ms / fitted->time.dt_ms - MT_CASE_PART_OF_A_STEP) * fitted->time.dt_ms;
    mt_warn("%s: time.end_ms: found %g ms, before the last activation of the fit at %.1f ms; fitted.yaml has "
            "%g ms",
        fit->path, fit->input.time.end_ms, latest_ms, fitted->time.end_ms);
}

/* ---- residuals ---- */

/* Computes the residual at an element; NaN without points nearby. */
static float residual_at(const mt_lat_fit *fit, const double x[3])
{
    double sum = 0, weights = 0;
    for (size_t k = 0; k < fit->places.n; k++) {
        const double rest = 1 - mt_square3(x, fit->places.place[k].xyz_mm) / (reach_mm * reach_mm);
        if (!(rest > 0)) continue;
        weights += rest * rest;
        sum += rest * rest * (fit->places.lat_ms[k] - fit->fitted_ms[k]);
    }
    return weights > 0 ? (float)(sum / weights) : NAN;
}

/* Computes the map of the residuals. */
static mt_status make_residuals(mt_arena *arena, const mt_lat_fit *fit, float **of_element)
{
    const mt_mesh *mesh = &fit->problem.whole;
    float *values;
    MT_ALLOC(arena, values, mesh->n_elements);
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[3];
        mt_mesh_centroid(mesh, c, x);
        values[c] = residual_at(fit, x);
    }
    *of_element = values;
    return MT_OK;
}

static void title_of(const mt_lat_fit *fit, char *title, size_t size)
{
    (void)snprintf(
        title, size, "Residuals of %zu points, root mean square %.2f ms", fit->places.n, fit->rms_ms);
}

/* ---- the folder ---- */

/* A fit, its case, and its map of residuals. */
typedef struct fit_files {
    const mt_lat_fit *fit;
    mt_case fitted;
    mt_run_more_map residual;
} fit_files;

static mt_status write_case(mt_arena *arena, const fit_files *of, const char *path)
{
    const char *body;
    char *text;
    static const char head[] = "# Conductivities and sites of earliest activation by myotile fit.\n";
    MT_TRY(mt_yaml_write(arena, &mt_case_table, &of->fitted, &body));
    const size_t n = strlen(body);
    MT_ALLOC(arena, text, sizeof head + n);
    memcpy(text, head, sizeof head - 1);
    memcpy(text + sizeof head - 1, body, n);
    return mt_file_write_text(path, text, sizeof head - 1 + n);
}

static mt_status write_residual(mt_arena *arena, const fit_files *of, const char *path)
{
    const mt_mesh *mesh = &of->fit->problem.whole;
    const mt_picture_scale scale = {
        of->residual.label, of->residual.unit, "", "no points within 10 mm", false, false};
    mt_adjacency adjacency;
    char title[TITLE];
    MT_TRY(mt_adjacency_make(arena, mesh, &adjacency));
    title_of(of->fit, title, sizeof title);
    return mt_picture_map(path, mesh, &adjacency, of->residual.values, &scale, NULL, title);
}

static mt_status write_lat(mt_arena *arena, const fit_files *of, const char *path)
{
    const mt_lat_fit *fit = of->fit;
    double *residual_ms;
    char title[TITLE];
    MT_ALLOC(arena, residual_ms, fit->places.n);
    for (size_t k = 0; k < fit->places.n; k++) residual_ms[k] = fit->places.lat_ms[k] - fit->fitted_ms[k];
    const mt_scatter_quantity measured = {"Measured LAT [ms]", fit->places.lat_ms},
                              fitted[] = {{"Fitted LAT [ms]", fit->fitted_ms},
                                  {"Measured minus fitted LAT [ms]", residual_ms}};
    title_of(fit, title, sizeof title);
    return mt_scatter_write(path, &(mt_scatter){.title = title,
                                      .note = "Left: histograms. r: correlation coefficient.",
                                      .n = fit->places.n,
                                      .n_results = 2,
                                      .n_parameters = 1,
                                      .result = fitted,
                                      .parameter = &measured});
}

typedef mt_status writer(mt_arena *arena, const fit_files *of, const char *path);
typedef mt_table tabulator(mt_arena *arena, const mt_lat_fit *fit);

/* The files that a run does not have; each has one function. */
static const struct {
    const char *name;
    writer *write;
    tabulator *table;
} files[] = {{"fitted.yaml", write_case, NULL}, {"residual.png", write_residual, NULL},
    {"lat.png", write_lat, NULL}, {"fit.csv", NULL, mt_fit_summary_table},
    {"parameters.csv", NULL, mt_fit_parameters_table}, {"sites.csv", NULL, mt_fit_sites_table},
    {"correlation.csv", NULL, mt_fit_correlation_table}, {"points.csv", NULL, mt_fit_points_table}};
enum { N_FILES = sizeof files / sizeof *files };

mt_status mt_fit_files_check(const mt_case *input, const char *folder)
{
    char path[MT_FILE_PATH_MAX];
    MT_TRY(mt_run_files_check(folder, input, false, NULL, false));
    for (int f = 0; f < N_FILES; f++) {
        MT_TRY(mt_folder_path(folder, files[f].name, path));
        MT_TRY(mt_file_check(path, MT_FILE_ANY));
    }
    return mt_html_report_check(input, folder);
}

static mt_status write_table(const mt_table *table, const char *path)
{
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    return mt_file_end(&file, mt_table_put_csv(file.stream, table));
}

/* Writes these files (mt_run_files_more). */
static mt_status write_more(const void *context, const char *folder)
{
    const fit_files *of = context;
    for (int f = 0; f < N_FILES; f++) {
        MT_SCRATCH(arena);
        char path[MT_FILE_PATH_MAX];
        MT_TRY(mt_folder_path(folder, files[f].name, path));
        if (files[f].write) {
            MT_TRY(files[f].write(arena, of, path));
        } else {
            const mt_table table = files[f].table(arena, of->fit);
            MT_TRY(write_table(&table, path));
        }
    }
    return MT_OK;
}

/* Computes the eikonal map of the fitted case. */
static mt_status make_map(mt_arena *arena, const mt_lat_fit *fit, const mt_case *fitted, mt_eikonal_map *map)
{
    *map = (mt_eikonal_map){
        .path = fit->path, .input = *fitted, .cached = fit->options.cached, .junction_ms = {NAN, NAN}};
    MT_TRY(mt_eikonal_map_begin(arena, map));
    return mt_fail_in(fit->path, mt_eikonal_map_make(arena, map));
}

mt_status mt_fit_files_write(const mt_lat_fit *fit, const char *folder, bool *page)
{
    MT_SCRATCH(arena);
    mt_eikonal_map *map;
    fit_files of = {.fit = fit, .residual = mt_run_residual};
    float *residual_ms;
    double latest_ms;
    MT_ALLOC(arena, map, 1);
    MT_TRY(mt_fit_case_make(arena, &fit->model, &fit->minimum.values, &fit->factors, &of.fitted));
    if (!fit->run) MT_TRY(make_map(arena, fit, &of.fitted, map));
    MT_TRY(make_residuals(arena, fit, &residual_ms));
    mt_run run = fit->run ? fit->run->run : map->run;
    of.residual.values = residual_ms, run.more = &of.residual;
    (void)mt_record_activated(
        mt_unknowns_count(&run.problem->unknowns), run.results.beats[0].activation_ms, &latest_ms);
    extend(fit, latest_ms, &of.fitted);
    mt_progress_stage("writing the files");
    MT_TRY(mt_run_files_write_more(&run, folder, write_more, &of));
    *page = mt_html_report_of_run(&run, folder);
    mt_progress_stage(NULL);
    return MT_OK;
}
