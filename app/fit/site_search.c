#include "app/fit/site_search.h"

#include <math.h>
#include <string.h>

#include "data/core/progress.h"
#include "data/core/vec3.h"

enum { NEAR = 4, CANDIDATES = 4, FIRST = 2, TRIAL_STEPS = 5, STEPS = 30 };
static const double decrease_of_bic = 10, apart = 0.1, thickest_mm = 30;

typedef struct site_search {
    mt_fit_model *model;
    const mt_fit_data *data;
    const mt_fit_fibres *fibres;
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

static double bic_of(const mt_fit_data *data, double sum, size_t n_free)
{
    const double n = (double)data->n;
    return (data->has_sd ? sum : n * log(sum / n)) + (double)n_free * log(n);
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

/* Fits with one more site at a candidate by a number of steps. An invalid site has an infinite sum. */
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
    if (from->values.n_sites == 0) return choose(s, &from->values, s->smooth_ms, false, FIRST, 0, candidate);
    for (size_t k = 0; k < s->data->n; k++) s->trial_ms[k] = s->data->lat_ms[k] - fitted_ms[k];
    smooth(s, s->trial_ms, s->residual_ms);
    const size_t n = choose(s, &from->values, s->residual_ms, false, CANDIDATES, 0, candidate);
    return choose(s, &from->values, s->smooth_ms, true, n + CANDIDATES / 2, n, candidate);
}

/* Adds the best further site. *found: false if there was no candidate. `must`: true: also if it is close to another site; false: the fit is
 * not completed if BIC is far from a sufficient decrease. */
static mt_status add_best(const site_search *s, const mt_fit_minimum *from, bool must,
    const double *fitted_ms, mt_fit_minimum *best, double *best_ms, bool *found)
{
    uint32_t candidate[2 * CANDIDATES];
    const size_t n = list_candidates(s, from, fitted_ms, candidate);
    *best = *from, best->sum = INFINITY;
    for (size_t k = 0; k < n; k++) {
        mt_fit_minimum trial;
        MT_TRY(try_candidate(s, from, candidate[k], TRIAL_STEPS, &trial));
        if (trial.sum < best->sum && (must || !has_close_sites(s, &trial.values))) *best = trial;
    }
    *found = isfinite(best->sum);
    if (!*found) return MT_OK;
    if (must ||
        bic_of(s->data, best->sum, best->n_free) < bic_of(s->data, from->sum, from->n_free) + decrease_of_bic)
        MT_TRY(mt_least_squares(s->model, s->data, STEPS, best, best_ms));
    *found = must || !has_close_sites(s, &best->values);
    return MT_OK;
}

size_t mt_site_search_points(const mt_fit_model *model, size_t n_sites)
{
    return 2 * model->n_groups + 3 * n_sites + 1;
}

/* ---- sides of a wall ---- */

static void normal_of(const mt_fit_surface *surface, uint32_t triangle, double normal[3])
{
    mt_triangle_area(&surface->mesh, triangle, normal);
    (void)mt_normalise3(normal);
}

/* Finds the place on the other side of the wall. Returns false if there is none. */
static bool cross_wall(const mt_fit_surface *surface, const mt_fit_place *from, mt_fit_place *to)
{
    const double step_mm = mt_mesh_length_mm(&surface->mesh) / 2;
    double outward[3], other[3], x[3];
    normal_of(surface, from->triangle, outward);
    for (double depth_mm = step_mm; depth_mm < thickest_mm; depth_mm += step_mm) {
        for (int k = 0; k < 3; k++) x[k] = from->xyz_mm[k] - depth_mm * outward[k];
        mt_fit_surface_project(surface, x, to);
        normal_of(surface, to->triangle, other);
        if (mt_dot3(outward, other) < 0) return true;
    }
    return false;
}

/* Moves sites to the other side of the wall if BIC decreases by more than decrease_of_bic. fitted_ms: of the minimum. */
static mt_status choose_sides(const site_search *s, mt_fit_minimum *m, double *fitted_ms)
{
    MT_SCRATCH(scratch);
    double *trial_ms;
    MT_ALLOC(scratch, trial_ms, s->data->n);
    for (size_t k = 0; k < m->values.n_sites; k++) {
        mt_fit_minimum trial = *m;
        if (!cross_wall(s->model->site_surface, &m->values.site[k].place, &trial.values.site[k].place))
            continue;
        mt_status status = mt_least_squares(s->model, s->data, TRIAL_STEPS, &trial, trial_ms);
        if (status == MT_OK && trial.sum < m->sum)
            status = mt_least_squares(s->model, s->data, STEPS, &trial, trial_ms);
        if (status == MT_INPUT) continue;
        MT_TRY(status);
        if (!(bic_of(s->data, trial.sum, trial.n_free) <
                bic_of(s->data, m->sum, m->n_free) - decrease_of_bic))
            continue;
        *m = trial;
        memcpy(fitted_ms, trial_ms, s->data->n * sizeof *fitted_ms);
    }
    return MT_OK;
}

/* ---- removal ---- */

/* Removes a site. The first of the others defines 0 ms. */
static void remove_site(const mt_fit_model *model, size_t site, mt_fit_minimum *m)
{
    mt_fit_values *v = &m->values;
    v->n_sites--;
    for (size_t k = site; k < v->n_sites; k++) v->site[k] = v->site[k + 1];
    const double first_ms = v->site[0].start_ms;
    for (size_t k = 0; k < v->n_sites; k++) v->site[k].start_ms -= first_ms;
    v->offset_ms += first_ms;
    memset(m->fixed + mt_fit_of_site(model, 0), 0, 3 * (v->n_sites + 1) + 1);
    m->fixed[mt_fit_of_site(model, 0) + 2] = 1;
}

/* Finds the best fit with one site less; its sum is infinite if there is none. */
static mt_status remove_best(
    const site_search *s, const mt_fit_minimum *from, mt_fit_minimum *best, double *best_ms)
{
    best->sum = INFINITY;
    for (size_t k = 0; k < from->values.n_sites; k++) {
        mt_fit_minimum trial = *from;
        remove_site(s->model, k, &trial);
        const mt_status status = mt_least_squares(s->model, s->data, TRIAL_STEPS, &trial, s->trial_ms);
        if (status != MT_OK && status != MT_INPUT) return status;
        if (status == MT_OK && trial.sum < best->sum) *best = trial;
    }
    return isfinite(best->sum) ? mt_least_squares(s->model, s->data, STEPS, best, best_ms) : MT_OK;
}

/* ---- search ---- */

/* Computes the BIC of a fit, and lists the fit if it is the best with its number of sites. */
static mt_status judge(const site_search *s, const mt_fit_minimum *m, mt_site_trials *trials, double *bic)
{
    const size_t k = m->values.n_sites - 1;
    double sum;
    MT_TRY(mt_fit_sum_with_fibres(s->model, s->data, s->fibres, m, &sum));
    *bic = bic_of(s->data, sum, m->n_free);
    if (k < trials->n && trials->bic[k] <= *bic) return MT_OK;
    trials->bic[k] = *bic;
    trials->rms_ms[k] = sqrt(m->sum / (double)s->data->n);
    trials->n = k < trials->n ? trials->n : k + 1;
    return MT_OK;
}

/* Adds sites up to a number. `must`: true: regardless of BIC. *bic: of the result. */
static mt_status add_sites(const site_search *s, size_t most, bool must, mt_fit_minimum *m, double *fitted_ms,
    mt_site_trials *trials, double *bic)
{
    MT_SCRATCH(scratch);
    mt_fit_minimum next;
    double *next_ms, next_bic;
    bool found;
    MT_ALLOC(scratch, next_ms, s->data->n);
    for (size_t k = 0; k < most; k++) {
        if (s->data->n < mt_site_search_points(s->model, k + 1)) break;
        mt_progress_stage_part("sites", (double)k / (double)most);
        MT_TRY(add_best(s, m, must || k == 0, fitted_ms, &next, next_ms, &found));
        if (!found) break;
        MT_TRY(choose_sides(s, &next, next_ms));
        MT_TRY(judge(s, &next, trials, &next_bic));
        if (!must && k > 0 && !(next_bic < *bic - decrease_of_bic)) break;
        *m = next, *bic = next_bic;
        memcpy(fitted_ms, next_ms, s->data->n * sizeof *fitted_ms);
    }
    return MT_OK;
}

/* Removes sites down to a number. `must`: false: only while BIC increases by at most decrease_of_bic. bic: of the fit before. */
static mt_status remove_sites(const site_search *s, size_t least, bool must, mt_fit_minimum *m,
    double *fitted_ms, mt_site_trials *trials, double bic)
{
    MT_SCRATCH(scratch);
    double *next_ms, next_bic;
    MT_ALLOC(scratch, next_ms, s->data->n);
    while (m->values.n_sites > least) {
        mt_fit_minimum next = *m;
        MT_TRY(remove_best(s, m, &next, next_ms));
        if (!isfinite(next.sum)) break;
        MT_TRY(judge(s, &next, trials, &next_bic));
        if (!must && !(next_bic < bic + decrease_of_bic)) break;
        *m = next, bic = next_bic;
        memcpy(fitted_ms, next_ms, s->data->n * sizeof *fitted_ms);
    }
    return MT_OK;
}

mt_status mt_site_search(mt_fit_model *model, const mt_fit_data *data, const mt_fit_fibres *fibres,
    size_t n_sites, size_t most, mt_fit_minimum *m, double *fitted_ms, mt_site_trials *trials)
{
    MT_SCRATCH(scratch);
    const bool must = n_sites > 0;
    const size_t up_to = must ? (n_sites < MT_FIT_SITES_MAX ? n_sites + 1 : n_sites) : most;
    site_search s = {.model = model, .data = data, .fibres = fibres};
    double bic = INFINITY;
    MT_TRY(begin(scratch, &s));
    *trials = (mt_site_trials){0};
    MT_TRY(add_sites(&s, up_to, must, m, fitted_ms, trials, &bic));
    MT_TRY(remove_sites(&s, must ? n_sites : 1, must, m, fitted_ms, trials, bic));
    if (m->values.n_sites > 0 && (!must || m->values.n_sites == n_sites)) return MT_OK;
    return mt_fail(MT_INPUT,
        "found places for %zu sites at %zu points; needed: more points, farther from each other, or fewer "
        "--sites",
        m->values.n_sites, data->n);
}
