/* myotile fit: conduction velocities and sites of earliest activation of a case from measured local activation times. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/fit/fit_files.h"
#include "app/fit/fit_tables.h"
#include "data/files/folder.h"

static const mt_option options[] = {
    {.name = "--lat",
        .value = "FILE",
        .help =
            "local activation times: CSV with the columns x_mm, y_mm, z_mm, lat_ms and optionally weight or "
            "sd_ms; or a MATLAB file of version 7.3 in the format of OpenEP",
        .required = true},
    {.name = "--output",
        .letter = 'o',
        .value = "DIR",
        .help = "folder for the results (created if missing)",
        .required = true},
    {.name = "--surface",
        .value = "all|endocardium|NAME",
        .help =
            "surface that points are projected onto: the complete boundary, both endocardia, or a surface of "
            "the mesh by name or tag; default: all"},
    {.name = "--site-surface",
        .value = "all|endocardium|NAME",
        .help = "surface of the sites of earliest activation; default: that of the points"},
    {.name = "--max-distance-mm",
        .value = "D",
        .help = "leave out points that are farther from the surface; default: 10"},
    {.name = "--regions",
        .value = "default,K,...",
        .help =
            "tissue with fitted CV: default, and regions of the case by number, from 0; default: all with "
            "their own tissue"},
    {.name = "--sites",
        .value = "N",
        .help = "number of sites, at most 16; default: increased up to --max-sites while the Bayesian "
                "information criterion improves"},
    {.name = "--max-sites", .value = "N", .help = "limit of the automatic number of sites; default: 6"},
    {.name = "--radius-mm",
        .value = "R",
        .help = "radius of the stimulus at a site; default: 2, or three element sizes if that is larger"},
    {.name = "--fibre-sd-deg",
        .value = "D",
        .help =
            "standard deviation of the fibre angles of the mesh, which standard errors include; 0: exact; "
            "default: 15"},
    {.name = "--limit-percent",
        .value = "P",
        .help = "largest standard error of a CV or ratio that counts as identifiable; default: 10"},
    {.name = "--limit-mm", .value = "D", .help = "same, of a site; default: 5"},
    {.name = "--eikonal-only", .help = "omit the correction by the monodomain equation"},
    {.name = "--corrections", .value = "N", .help = "largest number of corrections, 1 to 6; default: 4"},
    {.name = "--bootstrap",
        .value = "N",
        .help = "also estimate standard errors by N fits to drawn data, 2 to 1000"},
    {.name = "--set", .value = "path.to.key=value", .help = "replace a value of the case", .repeats = true},
    {.name = "--no-cache", .help = "measure CV and latencies again, even if they are cached"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

static mt_status run(mt_arena *arena, const mt_arguments *arguments);

const mt_command mt_command_fit = {
    .name = "fit",
    .operands = "CASE.yaml",
    .n_operands = 1,
    .summary =
        "fit conduction velocities and sites of earliest activation to measured local activation times (LAT)",
    .example = "myotile fit data/cases/niederer-0.5.yaml --lat data/cases/niederer-lat.csv --sites 1 "
               "--eikonal-only -o fitted",
    .options = options,
    .run = run,
};

/* Reads an option that is a number above 0. */
static mt_status read_positive(const mt_arguments *arguments, const char *name, double missing, double *value)
{
    const char *text = mt_option_value(arguments, name, NULL);
    *value = missing;
    return text ? mt_numbers(name, text, 1, 0, value) : MT_OK;
}

/* Reads an option that is a count. */
static mt_status read_count(
    const mt_arguments *arguments, const char *name, size_t least, size_t most, size_t missing, size_t *value)
{
    const char *text = mt_option_value(arguments, name, NULL);
    unsigned long number = missing;
    if (text) MT_TRY(mt_integer(name, text, least, most, &number));
    *value = number;
    return MT_OK;
}

static mt_status read_options(const mt_arguments *arguments, mt_lat_fit_options *o)
{
    const char *sd = mt_option_value(arguments, "--fibre-sd-deg", NULL);
    o->surface = mt_option_value(arguments, "--surface", "all");
    o->site_surface = mt_option_value(arguments, "--site-surface", o->surface);
    o->regions = mt_option_value(arguments, "--regions", NULL);
    o->cached = !mt_option_given(arguments, "--no-cache");
    MT_TRY(read_positive(arguments, "--max-distance-mm", 10, &o->max_distance_mm));
    MT_TRY(read_positive(arguments, "--radius-mm", NAN, &o->radius_mm));
    o->fibre_sd_deg = 15;
    if (sd) MT_TRY(mt_numbers("--fibre-sd-deg", sd, 1, -INFINITY, &o->fibre_sd_deg));
    if (!(o->fibre_sd_deg >= 0 && o->fibre_sd_deg <= 90))
        return mt_fail(MT_INPUT, "--fibre-sd-deg %s; allowed: from 0 to 90", sd);
    MT_TRY(read_positive(arguments, "--limit-percent", 10, &o->limit_percent));
    MT_TRY(read_positive(arguments, "--limit-mm", 5, &o->limit_mm));
    MT_TRY(read_count(arguments, "--sites", 1, MT_FIT_SITES_MAX, 0, &o->n_sites));
    MT_TRY(read_count(arguments, "--max-sites", 1, MT_FIT_SITES_MAX, 6, &o->most_sites));
    MT_TRY(read_count(
        arguments, "--corrections", 1, MT_FIT_CORRECTIONS_MAX, MT_FIT_CORRECTIONS, &o->corrections));
    MT_TRY(read_count(arguments, "--bootstrap", 2, 1000, 0, &o->bootstrap));
    if (o->n_sites > 0 && mt_option_given(arguments, "--max-sites"))
        return mt_fail(MT_INPUT, "--max-sites with --sites; allowed: one of them");
    if (!mt_option_given(arguments, "--eikonal-only")) return MT_OK;
    if (mt_option_given(arguments, "--corrections"))
        return mt_fail(MT_INPUT, "--corrections with --eikonal-only; allowed: one of them");
    o->corrections = 0;
    return MT_OK;
}

static mt_status read_fit(mt_arena *arena, const mt_arguments *arguments, mt_lat_fit *fit)
{
    mt_yaml_override *sets;
    size_t n_sets;
    fit->path = mt_operand(arguments, 0);
    MT_TRY(read_options(arguments, &fit->options));
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &n_sets, &sets));
    MT_TRY(mt_case_load(arena, fit->path, sets, n_sets, &fit->input));
    if (fit->input.activation != MT_CASE_MONODOMAIN)
        return mt_fail(MT_INPUT,
            "%s: activation: eikonal; allowed with fit: monodomain, as runs correct the fit", fit->path);
    return mt_lat_points_read(arena, mt_option_value(arguments, "--lat", NULL), &fit->points);
}

/* Prints the names of the files. */
static mt_status print_files(const mt_arguments *arguments, const char *folder, bool page)
{
    if (arguments->format != MT_FORMAT_TEXT) return MT_OK;
    (void)fprintf(arguments->out,
        "\nIn %s/: %sfitted.yaml (for `myotile run`), fit.csv, parameters.csv, sites.csv, correlation.csv, "
        "points.csv, residual.png, lat.png, activation.png, result.hdf, activation.csv, used.yaml\n",
        folder, page ? "report.html (for a browser), " : "");
    if (fflush(arguments->out) == 0 && !ferror(arguments->out)) return MT_OK;
    return mt_fail(MT_FILE, "standard output: %s", strerror(errno));
}

/* Computes the fit and writes its files into the folder, which has been entered. */
static mt_status fit_and_write(
    mt_arena *arena, const mt_arguments *arguments, const char *folder, mt_lat_fit *fit)
{
    mt_table tables[MT_FIT_TABLES];
    bool page;
    MT_TRY(mt_fit_files_check(&fit->input, folder));
    MT_TRY(mt_lat_fit_make(arena, fit));
    MT_TRY(mt_fit_files_write(fit, folder, &page));
    MT_TRY(mt_print_tables(arguments, tables, mt_fit_tables(arena, fit, tables)));
    return print_files(arguments, folder, page);
}

static mt_status run(mt_arena *arena, const mt_arguments *arguments)
{
    mt_folder folder;
    mt_lat_fit *fit;
    MT_ALLOC(arena, fit, 1);
    MT_TRY(read_fit(arena, arguments, fit));
    MT_TRY(
        mt_folder_enter(mt_option_value(arguments, "--output", NULL), mt_option_replace(arguments), &folder));
    const mt_status status = fit_and_write(arena, arguments, folder.path, fit);
    mt_folder_close(&folder);
    return status;
}
