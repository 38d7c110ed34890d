#include "app/fit/fit_tables.h"

#include <math.h>
#include <stdio.h>

#include "app/fit/fit_case.h"

static const double strong = 0.9;

static const char *const reason_text[MT_FIT_REASONS] = {[MT_FIT_FITTED] = "fitted",
    [MT_FIT_NOT_SELECTED] = "not selected; value of the case",
    [MT_FIT_NOT_IDENTIFIABLE] = "not identifiable; value of the case",
    [MT_FIT_NO_FIBRES] = "no fibres; value of the case",
    [MT_FIT_REFERENCE] = "reference"};

/* ---- names ---- */

/* Writes the name of the tissue of a group: "default" or "region2". */
static void group_name(const mt_fit_group *group, char text[MT_FIT_PARAMETER_NAME])
{
    if (group->by == MT_MEDIA_WHOLE)
        (void)snprintf(text, MT_FIT_PARAMETER_NAME, "default");
    else
        (void)snprintf(text, MT_FIT_PARAMETER_NAME, "region%zu", group->by);
}

const char *mt_fit_parameter_name(const mt_lat_fit *fit, size_t parameter, char text[MT_FIT_PARAMETER_NAME])
{
    static const char *const of_site[] = {"along1", "along2", "start"};
    const size_t first = mt_fit_of_site(&fit->model, 0);
    char group[MT_FIT_PARAMETER_NAME];
    if (parameter >= first) {
        const size_t site = (parameter - first) / 3;
        if (site >= fit->minimum.values.n_sites)
            (void)snprintf(text, MT_FIT_PARAMETER_NAME, "offset");
        else
            (void)snprintf(
                text, MT_FIT_PARAMETER_NAME, "site%zu_%s", site + 1, of_site[(parameter - first) % 3]);
        return text;
    }
    group_name(&fit->model.group[parameter / 2], group);
    (void)snprintf(text, MT_FIT_PARAMETER_NAME, "%s_%.32s", parameter % 2 == 0 ? "cv" : "ratio", group);
    return text;
}

/* ---- tables ---- */

mt_table mt_fit_summary_table(mt_arena *arena, const mt_lat_fit *fit)
{
    const char *title = fit->input.title;
    mt_table t = mt_table_properties(arena, "fit", title[0] ? title : "Fit to local activation times");
    mt_table_property(
        &t, "points_read", "points in the file", (double)(fit->points.n + fit->points.n_left_out), "");
    mt_table_property(&t, "points", "points in the fit", (double)fit->places.n, "");
    mt_table_property(&t, "mean_distance_mm", "mean distance from the surface", fit->places.mean_mm, "mm");
    mt_table_property(&t, "largest_distance_mm", "largest distance", fit->places.most_mm, "mm");
    mt_table_property(&t, "sites", "sites of earliest activation", (double)fit->minimum.values.n_sites, "");
    mt_table_property(&t, "parameters", "fitted parameters", (double)fit->minimum.n_free, "");
    mt_table_property(&t, "rms_ms", "root mean square residual", fit->rms_ms, "ms");
    mt_table_property(
        &t, "noise", "noise at weight 1", fit->covariance.noise_ms, fit->points.has_sd ? "sd" : "ms");
    mt_table_property(&t, "condition", "condition number", fit->covariance.condition, "");
    mt_table_property(&t, "offset_ms", "LAT at 0 ms of the case",
        fit->minimum.values.offset_ms + mt_fit_case_earliest_ms(&fit->minimum.values), "ms");
    mt_table_property(&t, "solutions", "eikonal solutions", (double)fit->model.n_solutions, "");
    return t;
}

static mt_table trials_table(mt_arena *arena, const mt_lat_fit *fit)
{
    mt_table t = mt_table_begin(arena, "trials", "Fits of the eikonal equation by number of sites");
    mt_table_decimals(&t, "sites", "sites", "", 0);
    mt_table_decimals(&t, "rms_ms", "residual", fit->points.has_sd ? "sd" : "ms", 3);
    mt_table_decimals(&t, "bic", "BIC", "", 1);
    for (size_t k = 0; k < fit->trials.n; k++)
        MT_TABLE_NUMBERS(&t, (double)(k + 1), fit->trials.rms_ms[k], fit->trials.bic[k]);
    return t;
}

/* Adds the row of a CV or ratio. */
static void parameter_row(mt_table *t, const mt_lat_fit *fit, size_t group, bool ratio)
{
    const mt_fit_group *g = &fit->model.group[group];
    const size_t p = mt_fit_of_group(group) + ratio;
    const mt_fit_values *values = &fit->minimum.values;
    const double of_case = ratio ? g->speed_mm_ms[0] / g->speed_mm_ms[1] : g->speed_mm_ms[0],
                 factor = exp(ratio ? values->log_ratio[group] : values->log_speed[group]),
                 error = fit->reason[p] == MT_FIT_FITTED || fit->reason[p] == MT_FIT_NOT_IDENTIFIABLE
                             ? 100 * fit->error[p]
                             : NAN;
    char name[MT_FIT_PARAMETER_NAME];
    mt_table_text(t, mt_fit_parameter_name(fit, p, name));
    MT_TABLE_NUMBERS(t, of_case, of_case * factor);
    mt_table_text(t, ratio ? "" : "mm/ms");
    MT_TABLE_NUMBERS(t, isfinite(error) ? error : NAN, isnan(error) ? NAN : 100 * fit->from_fibres[p],
        100 * fit->spread[p]);
    mt_table_text(
        t, mt_lat_fit_exceeds(fit, p) ? "above the limit after the correction" : reason_text[fit->reason[p]]);
}

mt_table mt_fit_parameters_table(mt_arena *arena, const mt_lat_fit *fit)
{
    mt_table t = mt_table_begin(arena, "parameters", "Longitudinal CV, and its ratio to the transverse CV");
    mt_table_strings(&t, "parameter", "parameter");
    mt_table_digits(&t, "case_value", "case", "", 4);
    mt_table_digits(&t, "value", "fit", "", 4);
    mt_table_strings(&t, "unit", "unit");
    mt_table_digits(&t, "error_percent", "standard error", "%", 3);
    mt_table_digits(&t, "fibre_percent", "of fibres", "%", 3);
    mt_table_digits(&t, "bootstrap_percent", "bootstrap", "%", 3);
    mt_table_strings(&t, "remark", "remark");
    for (size_t g = 0; g < fit->model.n_groups; g++)
        for (int ratio = 0; ratio < 2; ratio++) parameter_row(&t, fit, g, ratio);
    return t;
}

mt_table mt_fit_sites_table(mt_arena *arena, const mt_lat_fit *fit)
{
    const mt_fit_values *values = &fit->minimum.values;
    const double earliest_ms = mt_fit_case_earliest_ms(values);
    mt_table t = mt_table_begin(arena, "sites", "Sites of earliest activation");
    mt_table_decimals(&t, "site", "site", "", 0);
    mt_table_decimals(&t, "x_mm", "x", "mm", 2);
    mt_table_decimals(&t, "y_mm", "y", "mm", 2);
    mt_table_decimals(&t, "z_mm", "z", "mm", 2);
    mt_table_decimals(&t, "error_mm", "standard error", "mm", 2);
    mt_table_decimals(&t, "bootstrap_mm", "bootstrap", "mm", 2);
    mt_table_decimals(&t, "start_ms", "start", "ms", 2);
    mt_table_decimals(&t, "start_error_ms", "standard error", "ms", 2);
    mt_table_strings(&t, "remark", "remark");
    for (size_t s = 0; s < values->n_sites; s++) {
        const size_t p = mt_fit_of_site(&fit->model, s);
        const double *x = values->site[s].place.xyz_mm, error = hypot(fit->error[p], fit->error[p + 1]);
        MT_TABLE_NUMBERS(&t, (double)(s + 1), x[0], x[1], x[2], isfinite(error) ? error : NAN,
            hypot(fit->spread[p], fit->spread[p + 1]), values->site[s].start_ms - earliest_ms,
            s > 0 ? fit->error[p + 2] : NAN);
        mt_table_text(&t, mt_lat_fit_exceeds(fit, p) ? "place not identifiable from these points" : "fitted");
    }
    return t;
}

/* Adds the pairs of free parameters whose correlation has a magnitude above a limit. */
static void add_correlations(mt_table *t, const mt_lat_fit *fit, double limit)
{
    const mt_fit_covariance *c = &fit->covariance;
    mt_table_strings(t, "first", "first");
    mt_table_strings(t, "second", "second");
    mt_table_decimals(t, "correlation", "correlation", "", 4);
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < i; j++) {
            const double correlation = c->correlation[i * c->n + j];
            char name[MT_FIT_PARAMETER_NAME];
            if (fit->minimum.fixed[i] || fit->minimum.fixed[j] || !(fabs(correlation) > limit)) continue;
            mt_table_text(t, mt_fit_parameter_name(fit, j, name));
            mt_table_text(t, mt_fit_parameter_name(fit, i, name));
            mt_table_number(t, correlation);
        }
}

mt_table mt_fit_correlation_table(mt_arena *arena, const mt_lat_fit *fit)
{
    mt_table t = mt_table_begin(arena, "correlation", "Correlation of the fitted parameters");
    add_correlations(&t, fit, -1);
    return t;
}

static mt_table strong_table(mt_arena *arena, const mt_lat_fit *fit)
{
    mt_table t =
        mt_table_begin(arena, "strong_correlation", "Pairs of parameters with a correlation above 0.9");
    add_correlations(&t, fit, strong);
    return t;
}

static mt_table corrections_table(mt_arena *arena, const mt_lat_fit *fit)
{
    mt_table t = mt_table_begin(arena, "corrections",
        "Corrections by the monodomain equation: its LAT minus the eikonal LAT, and the change of CV and "
        "ratios");
    mt_table_decimals(&t, "correction", "correction", "", 0);
    mt_table_decimals(&t, "defect_rms_ms", "defect (root mean square)", "ms", 3);
    mt_table_decimals(&t, "change_percent", "largest change", "%", 2);
    for (size_t k = 0; k < fit->n_corrections; k++)
        MT_TABLE_NUMBERS(&t, (double)(k + 1), fit->defect_rms_ms[k], fit->change_percent[k]);
    return t;
}

mt_table mt_fit_points_table(mt_arena *arena, const mt_lat_fit *fit)
{
    mt_table t = mt_table_begin(arena, "points", "LAT at the projected points");
    mt_table_decimals(&t, "row", "row", "", 0);
    mt_table_decimals(&t, "x_mm", "x", "mm", 3);
    mt_table_decimals(&t, "y_mm", "y", "mm", 3);
    mt_table_decimals(&t, "z_mm", "z", "mm", 3);
    mt_table_decimals(&t, "distance_mm", "distance", "mm", 3);
    mt_table_decimals(&t, "lat_ms", "measured", "ms", 3);
    mt_table_decimals(&t, "fitted_ms", "fitted", "ms", 3);
    mt_table_decimals(&t, "residual_ms", "residual", "ms", 3);
    for (size_t k = 0; k < fit->places.n; k++) {
        const mt_fit_place *at = &fit->places.place[k];
        MT_TABLE_NUMBERS(&t, (double)fit->points.point[fit->places.point[k]].row, at->xyz_mm[0],
            at->xyz_mm[1], at->xyz_mm[2], at->distance_mm, fit->places.lat_ms[k], fit->fitted_ms[k],
            fit->places.lat_ms[k] - fit->fitted_ms[k]);
    }
    return t;
}

size_t mt_fit_tables(mt_arena *arena, const mt_lat_fit *fit, mt_table tables[MT_FIT_TABLES])
{
    size_t n = 0;
    tables[n++] = mt_fit_summary_table(arena, fit);
    tables[n++] = trials_table(arena, fit);
    tables[n++] = mt_fit_parameters_table(arena, fit);
    tables[n++] = mt_fit_sites_table(arena, fit);
    tables[n] = strong_table(arena, fit);
    n += tables[n].n_values > 0;
    if (fit->n_corrections > 0) tables[n++] = corrections_table(arena, fit);
    return n;
}
