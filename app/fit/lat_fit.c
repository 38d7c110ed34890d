#include "app/fit/lat_fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/fit/bootstrap.h"
#include "app/fit/fit_times.h"
#include "app/fit/mesh_speed.h"
#include "data/core/progress.h"
#include "data/core/select.h"

static const double least_radius_mm = 2, radius_in_elements = 3, converged_percent = 1,
                    radian_per_degree = 0.017453292519943295, least_share = 1, most_share = 0.8,
                    sd_of_median = 1.4826, outlier = 6;
enum { STEPS = 40 };

/* ---- the case ---- */

static mt_status prepare_case(mt_arena *arena, mt_lat_fit *fit)
{
    mt_case *c = &fit->input;
    if (c->network.file[0])
        return mt_fail(MT_INPUT, "network.file: found a conduction network; allowed in a fit: none, as its "
                                 "free ends are the sites");
    if (c->start.state[0])
        return mt_fail(MT_INPUT, "start.state: found %s; allowed in a fit: none", c->start.state);
    MT_TRY(mt_problem_find_files(arena, c));
    if (mt_case_is_auto(c)) {
        mt_placing placing;
        mt_progress_stage("choosing the discretisation");
        MT_TRY(mt_problem_choose(NULL, c, fit->options.cached, &placing));
        mt_case_fix_discretisation(c, placing.at_vertices);
    }
    return MT_OK;
}

static mt_status prepare_model(mt_arena *arena, mt_lat_fit *fit)
{
    const mt_lat_fit_options *o = &fit->options;
    const mt_case *c = &fit->input;
    MT_TRY(mt_problem_make_still(arena, c, o->cached, &fit->problem));
    MT_TRY(mt_problem_prepace(arena, c, o->cached, &fit->problem));
    mt_progress_stage("measuring the CV of the cells");
    MT_TRY(mt_cell_speeds_make(arena, fit->path, c, &fit->problem, o->cached, &fit->speeds));
    mt_progress_stage("preparing the eikonal equation");
    MT_TRY(mt_fit_surface_make(arena, &fit->problem, o->surface, &fit->surface));
    MT_TRY(mt_fit_surface_make(arena, &fit->problem, o->site_surface, &fit->site_surface));
    if (isnan(fit->options.radius_mm))
        fit->options.radius_mm =
            fmax(least_radius_mm, radius_in_elements * mt_mesh_length_mm(&fit->problem.mesh));
    fit->model = (mt_fit_model){.path = fit->path,
        .input = c,
        .problem = &fit->problem,
        .speeds = &fit->speeds,
        .site_surface = &fit->site_surface,
        .cached = o->cached,
        .stimulus = {fit->options.radius_mm, c->stimuli[0].duration_ms, c->stimuli[0].strength_uA_mm3}};
    return mt_fit_model_make(arena, &fit->model);
}

/* ---- the points ---- */

/* Places the points on the surface. */
static mt_status place_points(mt_arena *arena, mt_lat_fit *fit)
{
    const mt_lat_fit_options *o = &fit->options;
    mt_lat_places *places = &fit->places;
    MT_TRY(mt_lat_places_make(arena, &fit->points, &fit->surface, o->surface, o->max_distance_mm, places));
    MT_ALLOC(arena, fit->fitted_ms, places->n);
    MT_ALLOC(arena, fit->defect_ms, places->n);
    return mt_fit_model_set_points(arena, &fit->surface, places->n, places->place, &fit->model);
}

/* Checks that there are enough points for the least number of sites. */
static mt_status check_count(const mt_lat_fit *fit)
{
    const size_t sites = fit->options.n_sites > 0 ? fit->options.n_sites : 1,
                 needed = mt_site_search_points(&fit->model, sites);
    if (fit->places.n >= needed) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: found %zu points; needed: at least %zu, for CV and ratio in %zu tissue%s and %zu site%s",
        fit->points.path, fit->places.n, needed, fit->model.n_groups, fit->model.n_groups > 1 ? "s" : "",
        sites, sites > 1 ? "s" : "");
}

/* ---- selected parameters ---- */

/* Returns the group of a word of --regions; model->n_groups: none. */
static size_t group_of_word(const mt_fit_model *model, const char *word)
{
    char *end;
    errno = 0;
    const unsigned long number = strtoul(word, &end, 10);
    const bool whole = strcmp(word, "default") == 0;
    if (!whole && (errno || end == word || *end || !strchr("0123456789", *word))) return model->n_groups;
    for (size_t g = 0; g < model->n_groups; g++)
        if (model->group[g].by == (whole ? MT_MEDIA_WHOLE : (size_t)number)) return g;
    return model->n_groups;
}

static mt_status select_groups(
    mt_arena *scratch, const mt_fit_model *model, const char *regions, bool *selected)
{
    char *list, *save;
    for (size_t g = 0; g < model->n_groups; g++) selected[g] = !regions;
    if (!regions) return MT_OK;
    MT_COPY(scratch, list, regions, strlen(regions) + 1);
    for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        const size_t g = group_of_word(model, word);
        if (g == model->n_groups)
            return mt_fail(MT_INPUT,
                "--regions: found '%s'; allowed: default, and numbers of regions with their own "
                "conductivities or "
                "membrane",
                word);
        selected[g] = true;
    }
    return MT_OK;
}

static void fix(mt_lat_fit *fit, size_t parameter, mt_fit_reason why)
{
    fit->minimum.fixed[parameter] = 1;
    fit->reason[parameter] = why;
}

static mt_status select_parameters(mt_lat_fit *fit)
{
    MT_SCRATCH(scratch);
    bool selected[MT_FIT_GROUPS_MAX];
    const bool no_fibres = !fit->problem.mesh.fibre;
    MT_TRY(select_groups(scratch, &fit->model, fit->options.regions, selected));
    for (size_t g = 0; g < fit->model.n_groups; g++) {
        const size_t p = mt_fit_of_group(g);
        if (!selected[g]) fix(fit, p, MT_FIT_NOT_SELECTED);
        if (!selected[g] || no_fibres) fix(fit, p + 1, selected[g] ? MT_FIT_NO_FIBRES : MT_FIT_NOT_SELECTED);
    }
    return MT_OK;
}

/* ---- identifiability ---- */

/* Returns the standard error of a parameter relative to its limit; 0 for those without one. */
static double excess_of(const mt_lat_fit *fit, const double *error, size_t parameter)
{
    const size_t first = mt_fit_of_site(&fit->model, 0),
                 offset = mt_fit_of_offset(&fit->model, &fit->minimum.values);
    if (parameter < first) return error[parameter] / (fit->options.limit_percent / 100);
    if (parameter >= offset || (parameter - first) % 3 == 2) return 0;
    const size_t own = parameter - (parameter - first) % 3;
    return hypot(error[own], error[own + 1]) / fit->options.limit_mm;
}

bool mt_lat_fit_exceeds(const mt_lat_fit *fit, size_t parameter)
{
    return fit->reason[parameter] == MT_FIT_FITTED && excess_of(fit, fit->error, parameter) > 1;
}

static mt_fit_fibres fibres_of(const mt_lat_fit *fit)
{
    return (mt_fit_fibres){fit->options.fibre_sd_deg * radian_per_degree, &fit->surface};
}

static mt_status find_covariance(mt_arena *arena, mt_lat_fit *fit, const mt_fit_data *data)
{
    const mt_fit_fibres fibres = fibres_of(fit);
    return mt_fit_covariance_make(arena, &fit->model, data, &fibres, &fit->minimum, &fit->covariance);
}

/* Fixes the parameters that the points do not determine, one after the other. */
static mt_status fix_unidentifiable(mt_arena *arena, mt_lat_fit *fit, const mt_fit_data *data)
{
    const size_t n = mt_fit_of_site(&fit->model, 0);
    for (;;) {
        size_t worst = SIZE_MAX;
        double most = 1;
        MT_TRY(find_covariance(arena, fit, data));
        for (size_t p = 0; p < n; p++) {
            const double excess = fit->minimum.fixed[p] ? 0 : excess_of(fit, fit->covariance.error, p);
            if (excess > most) most = excess, worst = p;
        }
        if (worst == SIZE_MAX) return MT_OK;
        fit->error[worst] = fit->covariance.error[worst];
        fit->from_fibres[worst] = fit->covariance.from_fibres[worst];
        fix(fit, worst, MT_FIT_NOT_IDENTIFIABLE);
        *(worst % 2 == 0 ? &fit->minimum.values.log_speed[worst / 2]
                         : &fit->minimum.values.log_ratio[worst / 2]) = 0;
        MT_TRY(mt_least_squares(&fit->model, data, STEPS, &fit->minimum, fit->fitted_ms));
    }
}

/* Stores the standard errors of the free parameters. */
static void put_errors(mt_lat_fit *fit)
{
    const size_t n = mt_fit_n_parameters(&fit->model, &fit->minimum.values);
    for (size_t p = 0; p < n; p++)
        if (!fit->minimum.fixed[p])
            fit->error[p] = fit->covariance.error[p], fit->from_fibres[p] = fit->covariance.from_fibres[p];
    fit->reason[mt_fit_of_site(&fit->model, 0) + 2] = MT_FIT_REFERENCE;
}

/* ---- correction ---- */

/* Returns the largest change of a CV or ratio [%]. */
static double change_of(const mt_fit_model *model, const mt_fit_values *a, const mt_fit_values *b)
{
    double most = 0;
    for (size_t g = 0; g < model->n_groups; g++) {
        most = fmax(most, fabs(a->log_speed[g] - b->log_speed[g]));
        most = fmax(most, fabs(a->log_ratio[g] - b->log_ratio[g]));
    }
    return 100 * expm1(most);
}

/* Solves the monodomain equation with the values of the fit, and computes the defect. Its data is in `arena`. */
static mt_status solve_monodomain(mt_arena *arena, mt_lat_fit *fit, mt_fit_run *r)
{
    const mt_fit_values *values = &fit->minimum.values;
    MT_TRY(mt_mesh_speed_realise(&fit->model, values, &fit->factors, fit->late));
    MT_TRY(mt_fit_model_times(&fit->model, values, fit->fitted_ms));
    MT_TRY(mt_fit_run_make(arena, &fit->model, values, &fit->factors, r));
    return mt_fit_run_defect(&fit->model, values, r, fit->defect_ms);
}

/* Same, for the LAT of a correction. */
static mt_status find_defect(mt_lat_fit *fit)
{
    MT_SCRATCH(scratch);
    mt_fit_run *r;
    MT_ALLOC(scratch, r, 1);
    return solve_monodomain(scratch, fit, r);
}

/* A correction: the values before it, and those that were fitted to the corrected LAT. */
typedef struct correction {
    mt_fit_values before, after;
} correction;

/* Replaces the fitted CV and ratios by Anderson's extrapolation from the last two corrections: of the mixtures of both results, that with
 * the least change. On coarse meshes the results would otherwise oscillate. */
static void accelerate(
    const mt_fit_model *model, const correction *last, const correction *now, mt_fit_values *values)
{
    const size_t n = model->n_groups;
    double along = 0, square = 0;
    for (size_t p = 0; p < 2 * n; p++) {
        const size_t at = p / 2;
        const double change = p % 2 ? now->after.log_ratio[at] - now->before.log_ratio[at]
                                    : now->after.log_speed[at] - now->before.log_speed[at],
                     earlier = p % 2 ? last->after.log_ratio[at] - last->before.log_ratio[at]
                                     : last->after.log_speed[at] - last->before.log_speed[at];
        along += change * (change - earlier), square += (change - earlier) * (change - earlier);
    }
    const double share = square > 0 ? fmin(fmax(along / square, -least_share), most_share) : 0;
    for (size_t g = 0; g < n; g++) {
        values->log_speed[g] += share * (last->after.log_speed[g] - values->log_speed[g]);
        values->log_ratio[g] += share * (last->after.log_ratio[g] - values->log_ratio[g]);
    }
}

/* Removes the defect from the LAT: corrected_ms [n]. Returns the root mean square residual of the run, and stores that of the defect. */
static double subtract_defect(const mt_lat_fit *fit, double *corrected_ms, double *defect_rms_ms)
{
    double residual = 0, defect = 0;
    for (size_t i = 0; i < fit->places.n; i++) {
        corrected_ms[i] = fit->places.lat_ms[i] - fit->defect_ms[i];
        residual += (corrected_ms[i] - fit->fitted_ms[i]) * (corrected_ms[i] - fit->fitted_ms[i]);
        defect += fit->defect_ms[i] * fit->defect_ms[i];
    }
    *defect_rms_ms = sqrt(defect / (double)fit->places.n);
    return sqrt(residual / (double)fit->places.n);
}

/* Computes the LAT without the defect of the current values. */
static mt_status find_corrected_lat(mt_lat_fit *fit, double *corrected_ms)
{
    double defect_rms_ms;
    MT_TRY(find_defect(fit));
    (void)subtract_defect(fit, corrected_ms, &defect_rms_ms);
    return MT_OK;
}

/* Fits to the LAT without the defect, repeatedly. Without convergence, or if a run has more than twice the least residual, the values are
 * those of the run with the least one. corrected_ms [n]: the LAT of `data`. */
static mt_status correct(mt_lat_fit *fit, const mt_fit_data *data, double *corrected_ms)
{
    correction now = {0};
    mt_fit_values best = fit->minimum.values;
    double least_ms = INFINITY;
    for (size_t k = 0; k < fit->options.corrections; k++) {
        const correction last = now;
        now.before = fit->minimum.values;
        MT_TRY(find_defect(fit));
        const double residual_ms = subtract_defect(fit, corrected_ms, &fit->defect_rms_ms[k]);
        if (residual_ms > 2 * least_ms) break;
        if (residual_ms < least_ms) least_ms = residual_ms, best = now.before;
        mt_progress_stage("fitting to the corrected LAT");
        MT_TRY(mt_least_squares(&fit->model, data, STEPS, &fit->minimum, fit->fitted_ms));
        fit->n_corrections = k + 1;
        fit->change_percent[k] = change_of(&fit->model, &now.before, &fit->minimum.values);
        if (fit->change_percent[k] < converged_percent) return MT_OK;
        now.after = fit->minimum.values;
        if (k > 0) accelerate(&fit->model, &last, &now, &fit->minimum.values);
    }
    if (fit->options.corrections == 0) return MT_OK;
    fit->minimum.values = best;
    mt_warn("%s: found a change of %.2g %% in the last of %zu corrections; usual: below %g %%; the values "
            "are those of the run with the least residual, %.3g ms",
        fit->path, fit->change_percent[fit->n_corrections - 1], fit->n_corrections, converged_percent,
        least_ms);
    return find_corrected_lat(fit, corrected_ms);
}

/* Warns of residuals that are far larger than most. Their standard deviation is estimated by 1.4826 times the median magnitude. */
static mt_status warn_of_outliers(const mt_lat_fit *fit)
{
    MT_SCRATCH(scratch);
    double *magnitude, *scaled;
    size_t n = 0, worst = 0;
    MT_ALLOC(scratch, magnitude, fit->places.n);
    for (size_t k = 0; k < fit->places.n; k++)
        magnitude[k] = fabs(fit->places.lat_ms[k] - fit->fitted_ms[k]) * sqrt(fit->places.weight[k]);
    MT_COPY(scratch, scaled, magnitude, fit->places.n);
    const double sd = sd_of_median * mt_median(scaled, fit->places.n);
    for (size_t k = 0; k < fit->places.n; k++) {
        n += magnitude[k] > outlier * sd;
        if (magnitude[k] > magnitude[worst]) worst = k;
    }
    if (n > 0)
        mt_warn("%s: found %zu residual%s above %g standard deviations, %.3g ms in line %zu; expected: none; "
                "points.csv lists them",
            fit->points.path, n, n > 1 ? "s" : "", outlier, fit->places.lat_ms[worst] - fit->fitted_ms[worst],
            fit->points.point[fit->places.point[worst]].row);
    return MT_OK;
}

/* Computes the fitted LAT: those of a last run, or of the eikonal equation. */
static mt_status finish(mt_arena *arena, mt_lat_fit *fit)
{
    double sum = 0;
    fit->factors = mt_fit_case_factors(&fit->model, &fit->minimum.values);
    MT_TRY(mt_fit_model_times(&fit->model, &fit->minimum.values, fit->fitted_ms));
    if (fit->options.corrections > 0) {
        MT_ALLOC(arena, fit->run, 1);
        MT_TRY(solve_monodomain(arena, fit, fit->run));
    }
    for (size_t k = 0; k < fit->places.n; k++) {
        fit->fitted_ms[k] += fit->defect_ms[k];
        sum += (fit->places.lat_ms[k] - fit->fitted_ms[k]) * (fit->places.lat_ms[k] - fit->fitted_ms[k]);
    }
    fit->rms_ms = sqrt(sum / (double)fit->places.n);
    mt_progress_stage(NULL);
    return MT_OK;
}

/* Fits the model with the points on its surface. */
static mt_status solve(mt_arena *arena, mt_lat_fit *fit)
{
    double *corrected_ms;
    MT_COPY(arena, corrected_ms, fit->places.lat_ms, fit->places.n);
    const mt_fit_data data = {fit->places.n, corrected_ms, fit->places.weight, fit->points.has_sd};
    mt_progress_stage("fitting the eikonal equation");
    const mt_fit_fibres fibres = fibres_of(fit);
    MT_TRY(mt_site_search(&fit->model, &data, &fibres, fit->options.n_sites, fit->options.most_sites,
        &fit->minimum, fit->fitted_ms, &fit->trials));
    MT_TRY(fix_unidentifiable(arena, fit, &data));
    MT_TRY(correct(fit, &data, corrected_ms));
    MT_TRY(find_covariance(arena, fit, &data));
    put_errors(fit);
    MT_TRY(mt_fit_bootstrap(
        &fit->model, &data, &fit->minimum, fit->covariance.noise_ms, fit->options.bootstrap, fit->spread));
    return finish(arena, fit);
}

mt_status mt_lat_fit_make(mt_arena *arena, mt_lat_fit *fit)
{
    MT_TRY(mt_fail_in(fit->path, prepare_case(arena, fit)));
    MT_TRY(mt_fail_in(fit->path, prepare_model(arena, fit)));
    MT_TRY(place_points(arena, fit));
    MT_TRY(mt_fail_in(fit->path, select_parameters(fit)));
    MT_TRY(check_count(fit));
    MT_TRY(mt_fail_in(fit->path, solve(arena, fit)));
    return warn_of_outliers(fit);
}
