/* myotile reproduce figure1: activation map of a heart, as in the study's figure 1. */
#include <math.h>

#include "data/core/progress.h"
#include "app/draw/page.h"
#include "app/draw/scene/picture.h"
#include "app/study/paper/heart.h"
#include "app/study/reproduce.h"
#include "solver/outputs/maps.h"
#include "solver/tissue/region.h"

static mt_status figure1(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_HEART_OPTIONS,
    {.name = "--picture", .value = "OUT.png", .help = "activation map with isochrones"}, MT_OPTION_FORMAT,
    MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_figure1 = {
    .name = "reproduce figure1",
    .operands = "",
    .summary = "activation map of a heart that is stimulated at the left ventricular apex",
    .example = "myotile reproduce figure1 --mesh heart.hdf --set time.end_ms=20 --picture figure1.png",
    .options = options,
    .run = figure1,
};

/* ---- the table ---- */

/* Adds the activation times of some elements. */
static mt_status add_part(mt_arena *arena, mt_table *table, const char *key, const char *label, size_t n,
    const uint32_t *element, const double *at_ms)
{
    float *values;
    mt_map_summary s;
    double first = INFINITY, last = -INFINITY;
    MT_ALLOC(arena, values, n + 1);
    for (size_t k = 0; k < n; k++) {
        const double t = at_ms[element ? element[k] : k];
        values[k] = isfinite(t) ? (float)t : NAN;
        if (isfinite(t)) first = fmin(first, t), last = fmax(last, t);
    }
    MT_TRY(mt_map_summarise(values, n, &s));
    mt_table_item(table, key, label, 0);
    MT_TABLE_NUMBERS(
        table, (double)n, 100 * (double)s.n / (double)n, s.n ? first : NAN, s.median, s.n ? last : NAN);
    return MT_OK;
}

static mt_status add_surface(mt_arena *arena, mt_table *table, const mt_mesh *mesh, const char *name,
    const char *label, const double *at_ms)
{
    mt_region region = mt_region_empty;
    size_t n;
    uint32_t *element;
    region.surface = name;
    MT_TRY(mt_region_check(&region));
    if (mt_region_elements(arena, &region, mesh, &n, &element) != MT_OK)
        return MT_OK; /* absent, such as the right ventricle */
    return add_part(arena, table, name, label, n, element, at_ms);
}

static mt_status make_activation(
    mt_arena *arena, const mt_heart *h, const double *at_ms, const char *title, mt_table *table)
{
    static const struct {
        const char *name, *label;
    } surfaces[] = {{"lv_endocardium", "LV endocardium"}, {"rv_endocardium", "RV endocardium"},
        {"epicardium", "epicardium"}, {"base", "base"}};
    const mt_mesh *mesh = &h->problem.mesh;
    *table = mt_table_begin(arena, "activation", title);
    mt_table_strings(table, "part", "region");
    mt_table_decimals(table, "elements", "elements", "", 0);
    mt_table_decimals(table, "activated_percent", "activated", "%", 2);
    mt_table_decimals(table, "first_ms", "first", "ms", 2);
    mt_table_decimals(table, "median_ms", "median", "ms", 2);
    mt_table_decimals(table, "last_ms", "last", "ms", 2);
    MT_TRY(add_part(arena, table, "all", "all elements", mesh->n_elements, NULL, at_ms));
    for (size_t k = 0; k < sizeof surfaces / sizeof *surfaces; k++)
        MT_TRY(add_surface(arena, table, mesh, surfaces[k].name, surfaces[k].label, at_ms));
    return MT_OK;
}

/* ---- the picture ---- */

static mt_status draw(
    mt_arena *arena, const char *path, const mt_heart *h, const double *at_ms, const char *title)
{
    const size_t n = h->problem.mesh.n_elements;
    char grey[64];
    float *values;
    MT_ALLOC(arena, values, n);
    for (size_t c = 0; c < n; c++) values[c] = isfinite(at_ms[c]) ? (float)at_ms[c] : NAN;
    (void)snprintf(grey, sizeof grey, "not activated by %.6g ms", h->input.time.end_ms);
    const mt_picture_scale scale = {
        mt_map_label[MT_MAP_ACTIVATION], mt_map_unit[MT_MAP_ACTIVATION], "isochrones", grey, false, false};
    return mt_picture_map(path, &h->problem.mesh, &h->problem.adjacency, values, &scale, NULL, title);
}

/* ---- the command ---- */

enum { TABLES = 2, TITLE = 160 };

static mt_status simulate(mt_arena *arena, const char *picture, mt_heart *h, mt_table tables[TABLES])
{
    char title[TITLE];
    MT_TRY(mt_heart_make(arena, h));
    mt_run run = mt_heart_run(h, mt_case_backend(&h->input));
    MT_TRY(mt_run_make(arena, &run));
    const double *at_ms = run.results.beats[0].activation_ms;
    (void)snprintf(title, sizeof title, "Activation times of a heart: %s", h->name);
    mt_progress_stage(picture ? "drawing" : NULL);
    if (picture) MT_TRY(draw(arena, picture, h, at_ms, title));
    mt_progress_stage(NULL);
    MT_TRY(make_activation(arena, h, at_ms, title, &tables[0]));
    return mt_heart_differences(arena, h, &tables[1]);
}

static mt_status figure1(mt_arena *arena, const mt_arguments *arguments)
{
    const char *picture = mt_option_value(arguments, "--picture", NULL);
    mt_table tables[TABLES];
    mt_heart *h;
    MT_ALLOC(arena, h, 1);
    MT_TRY(mt_heart_parse(arena, arguments, NAN, h));
    if (picture) MT_TRY(mt_page_check_name(picture, mt_option_replace(arguments)));
    const mt_status status = simulate(arena, picture, h, tables);
    mt_heart_free(h);
    MT_TRY(status);
    return mt_print_tables(arguments, tables, TABLES);
}
