#include "app/fit/site_search.h"

#include <math.h>
#include <string.h>

#include "data/core/progress.h"
#include "data/core/vec3.h"

enum { NEAR = 4, CANDIDATES = 4, TRIED = 2, TRIAL_STEPS = 5, STEPS = 30 };
static const double decrease_of_bic = 10, apart = 0.1;

typedef struct site_search {
    mt_fit_model *model;
    const mt_fit_data *data;
    uint32_t *near;      /* [n][NEAR] the nearest points of each */
    double *smooth_ms;   /* [n] smoothed LAT */
    double *residual_ms; /* [n] smoothed residuals, measured minus fitted */
    double *trial_ms;    /* [n] */
    double apart_mm;
} site_search;

/* ---- neighbours ---- */

/* Lists the nearest points of a point. */
static void list_near(const site_search *s, size_t point)
{
    const mt_fit_place *at = s->model->point;
    double square[NEAR];
    for (int i = 0; i < NEAR; i++) square[i] = INFINITY, s->near[NEAR * point + (size_t)i] = (uint32_t)point;
    for (size_t k = 0; k < s->data->n; k++) {
        double d = mt_square3(at[point].xyz_mm, at[k].xyz_mm);
        uint32_t number = (uint32_t)k;
        if (k == point) continue;
        for (int i = 0; i < NEAR; i++) {
            uint32_t *slot = &s->near[NEAR * point + (size_t)i];
            if (!(d < square[i])) continue;
            const double other = square[i];
            const uint32_t other_number = *slot;
            square[i] = d, *slot = number;
            d = other, number = other_number;
        }
    }
}

static void smooth(const site_search *s, const double *value, double *mean)
{
    for (size_t k = 0; k < s->data->n; k++) {
        mean[k] = value[k] / (NEAR + 1);
        for (int i = 0; i < NEAR; i++) mean[k] += value[s->near[NEAR * k + (size_t)i]] / (NEAR + 1);
    }
}

static mt_status begin(mt_arena *arena, site_search *s)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const size_t n = s->data->n;
    MT_ALLOC(arena, s->near, NEAR * n);
    MT_ALLOC(arena, s->smooth_ms, n);
    MT_ALLOC(arena, s->residual_ms, n);
    MT_ALLOC(arena, s->trial_ms, n);
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < n; k++) list_near(s, k);
    smooth(s, s->data->lat_ms, s->smooth_ms);
    for (size_t k = 0; k < n; k++)
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], s->model->point[k].xyz_mm[i]);
            high[i] = fmax(high[i], s->model->point[k].xyz_mm[i]);
        }
    s->apart_mm = apart * sqrt(mt_square3(low, high));
    return MT_OK;
}

/* ---- candidates ---- */

/* True if a point is near a site or a candidate. */
static bool is_taken(
    const site_search *s, const mt_fit_values *values, size_t n, const uint32_t *candidate, size_t point)
{
    const double square = s->apart_mm * s->apart_mm, *at = s->model->point[point].xyz_mm;
    for (size_t k = 0; k < values->n_sites; k++)
        if (mt_square3(values->site[k].place.xyz_mm, at) < square) return true;
    for (size_t k = 0; k < n; k++)
        if (mt_square3(s->model->point[candidate[k]].xyz_mm, at) < square) return true;
    return false;
}

/* True if a point has the earliest smoothed LAT of its neighbours. */
static bool is_earliest(const site_search *s, size_t point)
{
    for (int i = 0; i < NEAR; i++)
        if (s->smooth_ms[s->near[NEAR * point + (size_t)i]] < s->smooth_ms[point]) return false;
    return true;
}

/* Appends the points with the least values, at most n in total; earliest: only local minima of LAT. */
static size_t choose(const site_search *s, const mt_fit_values *values, const double *value, bool earliest,
    size_t n, size_t found, uint32_t *candidate)
{
    while (found < n) {
        size_t best = SIZE_MAX;
        for (size_t k = 0; k < s->data->n; k++) {
            if (best != SIZE_MAX && !(value[k] < value[best])) continue;
            if ((!earliest || is_earliest(s, k)) && !is_taken(s, values, found, candidate, k)) best = k;
        }
        if (best == SIZE_MAX) break;
        candidate[found++] = (uint32_t)best;
    }
    return found;
}

/* Adds a site at a point to the values, at its smoothed LAT. The first site starts at 0 ms. */
static void add_site(const site_search *s, uint32_t point, mt_fit_values *values)
{
    mt_fit_site *site = &values->site[values->n_sites];
    mt_fit_surface_project(s->model->site_surface, s->model->point[point].xyz_mm, &site->place);
    if (values->n_sites == 0) values->offset_ms = s->smooth_ms[point];
    site->start_ms = values->n_sites == 0 ? 0 : s->smooth_ms[point] - values->offset_ms;
    values->n_sites++;
}

/* Extends the fixed parameters to a new site: the offset follows it. The start of the first site is fixed. */
static void move_fixed(const mt_fit_model *model, mt_fit_minimum *m)
{
    const size_t own = mt_fit_of_site(model, m->values.n_sites - 1);
    memset(m->fixed + own, 0, 4);
    if (m->values.n_sites == 1) m->fixed[own + 2] = 1;
}

/* ---- trials ---- */

static double bic_of(const mt_fit_data *data, const mt_fit_minimum *m)
{
    const double n = (double)data->n;
    return (data->has_sd ? m->sum : n * log(m->sum / n)) + (double)m->n_free * log(n);
}

/* True if two sites are so close that they are one of another shape. */
static bool has_close_sites(const site_search *s, const mt_fit_values *values)
{
    for (size_t k = 1; k < values->n_sites; k++)
        for (size_t i = 0; i < k; i++)
            if (mt_square3(values->site[k].place.xyz_mm, values->site[i].place.xyz_mm) <
                s->apart_mm * s->apart_mm)
                return true;
    return false;
}

/* Fits with one more site at a candidate by a number of steps, which can be 0. An invalid site has an infinite sum. */
static mt_status try_candidate(
    const site_search *s, const mt_fit_minimum *from, uint32_t candidate, size_t steps, mt_fit_minimum *trial)
{
    *trial = *from;
    add_site(s, candidate, &trial->values);
    move_fixed(s->model, trial);
    const mt_status status = mt_least_squares(s->model, s->data, steps, trial, s->trial_ms);
    if (status == MT_INPUT) trial->sum = INFINITY;
    return status == MT_INPUT ? MT_OK : status;
}

/* Lists the candidates, at most CANDIDATES + CANDIDATES / 2. */
static size_t list_candidates(
    const site_search *s, const mt_fit_minimum *from, const double *fitted_ms, uint32_t *candidate)
{
    if (from->values.n_sites == 0) return choose(s, &from->values, s->smooth_ms, false, TRIED, 0, candidate);
    for (size_t k = 0; k < s->data->n; k++) s->trial_ms[k] = s->data->lat_ms[k] - fitted_ms[k];
    smooth(s, s->trial_ms, s->residual_ms);
    const size_t n = choose(s, &from->values, s->residual_ms, false, CANDIDATES, 0, candidate);
    return choose(s, &from->values, s->smooth_ms, true, n + CANDIDATES / 2, n, candidate);
}

/* Sorts the candidates by their sums before any step. */
static mt_status rank(const site_search *s, const mt_fit_minimum *from, size_t n, uint32_t *candidate)
{
    double sum[2 * CANDIDATES];
    for (size_t k = 0; k < n; k++) {
        mt_fit_minimum trial;
        MT_TRY(try_candidate(s, from, candidate[k], 0, &trial));
        sum[k] = trial.sum;
        for (size_t i = k; i > 0 && sum[i] < sum[i - 1]; i--) {
            const double other = sum[i];
            const uint32_t other_candidate = candidate[i];
            sum[i] = sum[i - 1], candidate[i] = candidate[i - 1];
            sum[i - 1] = other, candidate[i - 1] = other_candidate;
        }
    }
    return MT_OK;
}

/* Adds the best further site. *found: false if there was no candidate. `must`: true: also if it is close to another site; false: the fit is
 * not completed if BIC is far from a sufficient decrease. */
static mt_status add_best(const site_search *s, const mt_fit_minimum *from, bool must,
    const double *fitted_ms, mt_fit_minimum *best, double *best_ms, bool *found)
{
    uint32_t candidate[2 * CANDIDATES];
    const size_t n = list_candidates(s, from, fitted_ms, candidate);
    *best = *from, best->sum = INFINITY;
    MT_TRY(rank(s, from, n, candidate));
    for (size_t k = 0; k < n && k < TRIED; k++) {
        mt_fit_minimum trial;
        MT_TRY(try_candidate(s, from, candidate[k], TRIAL_STEPS, &trial));
        if (trial.sum < best->sum && (must || !has_close_sites(s, &trial.values))) *best = trial;
    }
    *found = isfinite(best->sum);
    if (!*found) return MT_OK;
    if (must || bic_of(s->data, best) < bic_of(s->data, from) + decrease_of_bic)
        MT_TRY(mt_least_squares(s->model, s->data, STEPS, best, best_ms));
    *found = must || !has_close_sites(s, &best->values);
    return MT_OK;
}

size_t mt_site_search_points(const mt_fit_model *model, size_t n_sites)
{
    return 2 * model->n_groups + 3 * n_sites + 1;
}

mt_status mt_site_search(mt_fit_model *model, const mt_fit_data *data, size_t n_sites, size_t most,
    mt_fit_minimum *m, double *fitted_ms, mt_site_trials *trials)
{
    MT_SCRATCH(scratch);
    site_search s = {.model = model, .data = data};
    mt_fit_minimum next;
    double *next_ms;
    bool found = true;
    MT_ALLOC(scratch, next_ms, data->n);
    MT_TRY(begin(scratch, &s));
    *trials = (mt_site_trials){0};
    for (size_t k = 0; k < (n_sites > 0 ? n_sites : most); k++) {
        if (data->n < mt_site_search_points(model, k + 1)) break;
        mt_progress_stage_part("sites", (double)k / (double)(n_sites > 0 ? n_sites : most));
        MT_TRY(add_best(&s, m, n_sites > 0 || k == 0, fitted_ms, &next, next_ms, &found));
        if (!found) break;
        trials->rms_ms[k] = sqrt(next.sum / (double)data->n);
        trials->bic[k] = bic_of(data, &next);
        trials->n = k + 1;
        if (n_sites == 0 && k > 0 && !(trials->bic[k] < trials->bic[k - 1] - decrease_of_bic)) break;
        *m = next;
        memcpy(fitted_ms, next_ms, data->n * sizeof *fitted_ms);
    }
    if (m->values.n_sites == 0 || (n_sites > 0 && m->values.n_sites < n_sites))
        return mt_fail(MT_INPUT,
            "found places for %zu sites at %zu points; needed: more points, farther from each other, or "
            "fewer "
            "--sites",
            m->values.n_sites, data->n);
    return MT_OK;
}
