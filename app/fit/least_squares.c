#include "app/fit/least_squares.h"

#include <math.h>
#include <string.h>

#include "app/fit/fit_times.h"
#include "data/core/dense.h"
#include "data/core/progress.h"

static const double prior_log = 1.0986122886681098; /* log 3 */
static const double factor_log = M_LN2, longest_mm = 10, enough = 1e-5, smallest = 1e-12;
enum { TRIALS = 6 };

/* ---- the sum ---- */

static double sum_of(const mt_fit_data *data, const double *fitted_ms)
{
    double sum = 0;
    for (size_t k = 0; k < data->n; k++) {
        const double r = data->lat_ms[k] - fitted_ms[k];
        sum += data->weight[k] * r * r;
    }
    return sum;
}

/* Returns the penalty of the logarithms of CV and ratio. */
static double penalty_of(const mt_fit_model *model, const mt_fit_values *values)
{
    double sum = 0;
    for (size_t g = 0; g < model->n_groups; g++)
        sum += values->log_speed[g] * values->log_speed[g] + values->log_ratio[g] * values->log_ratio[g];
    return sum / (prior_log * prior_log);
}

/* ---- the normal equations ---- */

/* Free parameters, and the equations A x = b for them. */
typedef struct equations {
    size_t n_all, n; /* all parameters, and free ones */
    size_t number[MT_FIT_PARAMETERS_MAX];
    double *jacobian;           /* [points][n_all] */
    double *a, *b;              /* [n][n], [n] */
    double *trial, *step, *all; /* scratch: [n][n], [n], [n_all] */
    double *trial_ms;           /* [points] */
} equations;

static mt_status make_equations(
    mt_arena *scratch, const mt_fit_model *model, const mt_fit_minimum *m, equations *e)
{
    e->n_all = mt_fit_n_parameters(model, &m->values), e->n = 0;
    for (size_t p = 0; p < e->n_all; p++)
        if (!m->fixed[p]) e->number[e->n++] = p;
    MT_ALLOC(scratch, e->jacobian, model->n_points * e->n_all);
    MT_ALLOC(scratch, e->a, e->n * e->n);
    MT_ALLOC(scratch, e->b, e->n);
    MT_ALLOC(scratch, e->trial, e->n * e->n);
    MT_ALLOC(scratch, e->step, e->n);
    MT_ALLOC(scratch, e->all, e->n_all);
    MT_ALLOC(scratch, e->trial_ms, model->n_points);
    return MT_OK;
}

/* Computes A = J' W J and b = J' W r. */
static void fill(const mt_fit_data *data, const double *fitted_ms, equations *e)
{
    for (size_t i = 0; i < e->n; i++) {
        const double *of_i = e->jacobian + e->number[i];
        e->b[i] = 0;
        for (size_t k = 0; k < data->n; k++)
            e->b[i] += data->weight[k] * of_i[k * e->n_all] * (data->lat_ms[k] - fitted_ms[k]);
        for (size_t j = 0; j <= i; j++) {
            const double *of_j = e->jacobian + e->number[j];
            double sum = 0;
            for (size_t k = 0; k < data->n; k++)
                sum += data->weight[k] * of_i[k * e->n_all] * of_j[k * e->n_all];
            e->a[i * e->n + j] = e->a[j * e->n + i] = sum;
        }
    }
}

/* Adds the penalty to the equations. */
static void add_penalty(const mt_fit_model *model, const mt_fit_values *values, equations *e)
{
    for (size_t i = 0; i < e->n && e->number[i] < 2 * model->n_groups; i++) {
        const size_t g = e->number[i] / 2;
        const double value = e->number[i] % 2 == 0 ? values->log_speed[g] : values->log_ratio[g];
        e->a[i * e->n + i] += 1 / (prior_log * prior_log);
        e->b[i] -= value / (prior_log * prior_log);
    }
}

/* Returns the factor that limits a step. */
static double limit_of(const mt_fit_model *model, const mt_fit_values *values, const double *all)
{
    double most = 1;
    for (size_t p = 0; p < 2 * model->n_groups; p++) most = fmax(most, fabs(all[p]) / factor_log);
    for (size_t s = 0; s < values->n_sites; s++) {
        const double *own = all + mt_fit_of_site(model, s);
        most = fmax(most, hypot(own[0], own[1]) / longest_mm);
    }
    return 1 / most;
}

/* Computes e->all, the step with this damping. Returns false if the equations are singular. */
static bool find_step(const mt_fit_model *model, const mt_fit_values *values, double damping, equations *e)
{
    memcpy(e->trial, e->a, e->n * e->n * sizeof *e->a);
    memcpy(e->step, e->b, e->n * sizeof *e->b);
    for (size_t i = 0; i < e->n; i++) e->trial[i * e->n + i] += damping * fmax(e->a[i * e->n + i], 1e-9);
    if (!mt_dense_solve(e->n, e->trial, e->step)) return false;
    for (size_t p = 0; p < e->n_all; p++) e->all[p] = 0;
    for (size_t i = 0; i < e->n; i++) e->all[e->number[i]] = e->step[i];
    const double factor = limit_of(model, values, e->all);
    for (size_t p = 0; p < e->n_all; p++) e->all[p] *= factor;
    return true;
}

/* ---- steps ---- */

/* Tries steps with growing damping until one decreases the sum. *done: true if none does, or by too little. */
static mt_status take_step(mt_fit_model *model, const mt_fit_data *data, double *damping, mt_fit_minimum *m,
    double *fitted_ms, equations *e, bool *done)
{
    const double before = m->sum + penalty_of(model, &m->values);
    *done = true;
    for (int trial = 0; trial < TRIALS; trial++, *damping *= 5) {
        mt_fit_values next = m->values;
        if (mt_progress_interrupted()) return mt_fail(MT_STOPPED, "stopped");
        if (!find_step(model, &m->values, *damping, e)) continue;
        mt_fit_model_step(model, e->all, &next);
        const mt_status status = mt_fit_model_times(model, &next, e->trial_ms);
        if (status == MT_INPUT) continue;
        MT_TRY(status);
        const double sum = sum_of(data, e->trial_ms), after = sum + penalty_of(model, &next);
        if (!(after < before)) continue;
        m->values = next, m->sum = sum, m->n_steps++;
        memcpy(fitted_ms, e->trial_ms, data->n * sizeof *fitted_ms);
        *damping = fmax(*damping / 10, 1e-7);
        *done = before - after < enough * before;
        return MT_OK;
    }
    return MT_OK;
}

mt_status mt_least_squares(
    mt_fit_model *model, const mt_fit_data *data, size_t steps, mt_fit_minimum *m, double *fitted_ms)
{
    MT_SCRATCH(scratch);
    equations e;
    double damping = 1e-3;
    bool done = false;
    MT_TRY(make_equations(scratch, model, m, &e));
    m->n_steps = 0, m->n_free = e.n;
    MT_TRY(mt_fit_model_times(model, &m->values, fitted_ms));
    m->sum = sum_of(data, fitted_ms);
    for (size_t step = 0; step < steps && !done && e.n > 0; step++) {
        MT_TRY(mt_fit_model_jacobian(model, &m->values, e.jacobian));
        fill(data, fitted_ms, &e);
        add_penalty(model, &m->values, &e);
        MT_TRY(take_step(model, data, &damping, m, fitted_ms, &e, &done));
    }
    return MT_OK;
}

/* ---- covariance ---- */

/* Scales A to a diagonal of 1. length [n]: square roots of its diagonal; 0: no effect. */
static void scale(equations *e, double *length)
{
    for (size_t i = 0; i < e->n; i++) length[i] = sqrt(e->a[i * e->n + i]);
    for (size_t i = 0; i < e->n; i++)
        for (size_t j = 0; j < e->n; j++)
            e->a[i * e->n + j] =
                length[i] > 0 && length[j] > 0 ? e->a[i * e->n + j] / (length[i] * length[j]) : 0;
}

/* Computes the inverse of the scaled A into e->trial, infinite on the diagonal without information. value [n], vector [n][n]. */
static double invert(equations *e, double *value, double *vector)
{
    double largest = 0, least = INFINITY;
    mt_dense_eigen(e->n, e->a, value, vector);
    for (size_t k = 0; k < e->n; k++) largest = fmax(largest, value[k]), least = fmin(least, value[k]);
    for (size_t i = 0; i < e->n; i++)
        for (size_t j = 0; j < e->n; j++) {
            double sum = 0;
            for (size_t k = 0; k < e->n; k++) {
                const double both = vector[i * e->n + k] * vector[j * e->n + k];
                if (value[k] > smallest * largest)
                    sum += both / value[k];
                else if (i == j && both > 1e-6)
                    sum = INFINITY;
            }
            e->trial[i * e->n + j] = sum;
        }
    return least > 0 ? sqrt(largest / least) : INFINITY;
}

static void put_covariance(const equations *e, const double *length, mt_fit_covariance *c)
{
    for (size_t i = 0; i < e->n; i++) {
        const double of_i = e->trial[i * e->n + i];
        c->error[e->number[i]] = length[i] > 0 ? c->noise_ms * sqrt(of_i) / length[i] : INFINITY;
        for (size_t j = 0; j < e->n; j++) {
            const double both = sqrt(of_i * e->trial[j * e->n + j]);
            c->correlation[e->number[i] * c->n + e->number[j]] =
                isfinite(both) && both > 0 ? e->trial[i * e->n + j] / both : (i == j ? 1 : 0);
        }
    }
}

/* Adds the part of the fibres to the standard errors. */
static mt_status add_fibres(mt_arena *scratch, mt_fit_model *model, const mt_fit_data *data,
    const mt_fit_fibres *fibres, const mt_fit_minimum *m, const equations *e, const double *length,
    mt_fit_covariance *c)
{
    double *slope, *effect; /* F, and J' W F with scaled columns */
    MT_ALLOC(scratch, slope, MT_FIT_FIBRE_MODES * data->n);
    MT_ALLOC(scratch, effect, e->n);
    MT_TRY(mt_fit_model_fibre_slopes(model, &m->values, fibres->surface, slope));
    for (size_t mode = 0; mode < MT_FIT_FIBRE_MODES; mode++) {
        for (size_t i = 0; i < e->n; i++) {
            effect[i] = 0;
            for (size_t k = 0; k < data->n; k++)
                effect[i] += data->weight[k] * e->jacobian[k * e->n_all + e->number[i]] *
                             slope[MT_FIT_FIBRE_MODES * k + mode];
            effect[i] = length[i] > 0 ? effect[i] / length[i] : 0;
        }
        for (size_t i = 0; i < e->n; i++) {
            double change = 0;
            for (size_t j = 0; j < e->n; j++)
                if (isfinite(e->trial[i * e->n + j])) change += e->trial[i * e->n + j] * effect[j];
            change *= length[i] > 0 ? fibres->sd_rad / (sqrt(2) * length[i]) : 0;
            c->from_fibres[e->number[i]] = hypot(c->from_fibres[e->number[i]], change);
        }
    }
    for (size_t i = 0; i < e->n; i++)
        c->error[e->number[i]] = hypot(c->error[e->number[i]], c->from_fibres[e->number[i]]);
    return MT_OK;
}

mt_status mt_fit_covariance_make(mt_arena *arena, mt_fit_model *model, const mt_fit_data *data,
    const mt_fit_fibres *fibres, const mt_fit_minimum *m, mt_fit_covariance *c)
{
    MT_SCRATCH(scratch);
    equations e;
    double *length, *value, *vector;
    MT_TRY(make_equations(scratch, model, m, &e));
    if (data->n <= e.n)
        return mt_fail(
            MT_INPUT, "found %zu points; needed: more than the %zu parameters of the fit", data->n, e.n);
    *c = (mt_fit_covariance){.n = e.n_all};
    MT_ALLOC(arena, c->error, c->n);
    MT_ALLOC(arena, c->from_fibres, c->n);
    MT_ALLOC(arena, c->correlation, c->n * c->n);
    MT_ALLOC(scratch, length, e.n);
    MT_ALLOC(scratch, value, e.n);
    MT_ALLOC(scratch, vector, e.n * e.n);
    MT_TRY(mt_fit_model_times(model, &m->values, e.trial_ms));
    MT_TRY(mt_fit_model_jacobian(model, &m->values, e.jacobian));
    fill(data, e.trial_ms, &e);
    const double variance = sum_of(data, e.trial_ms) / (double)(data->n - e.n);
    c->noise_ms = sqrt(data->has_sd ? fmax(variance, 1) : variance);
    scale(&e, length);
    c->condition = invert(&e, value, vector);
    put_covariance(&e, length, c);
    return fibres->sd_rad > 0 ? add_fibres(scratch, model, data, fibres, m, &e, length, c) : MT_OK;
}

/* ---- other fibres ---- */

/* Adds the fibre modes to the normal equations: A x = b of e->n + MT_FIT_FIBRE_MODES unknowns. slope: F. */
static void border(const mt_fit_data *data, const equations *e, const double *slope,
    const double *residual_ms, double *a, double *b)
{
    const size_t n = e->n + MT_FIT_FIBRE_MODES;
    for (size_t i = 0; i < n; i++) {
        const size_t mode = i - e->n;
        b[i] = i < e->n ? e->b[i] : 0;
        for (size_t k = 0; i >= e->n && k < data->n; k++)
            b[i] += data->weight[k] * slope[MT_FIT_FIBRE_MODES * k + mode] * residual_ms[k];
        for (size_t j = 0; j <= i; j++) {
            double sum = i < e->n ? e->a[i * e->n + j] : 0;
            for (size_t k = 0; i >= e->n && k < data->n; k++)
                sum += data->weight[k] * slope[MT_FIT_FIBRE_MODES * k + mode] *
                       (j < e->n ? e->jacobian[k * e->n_all + e->number[j]]
                                 : slope[MT_FIT_FIBRE_MODES * k + j - e->n]);
            a[i * n + j] = a[j * n + i] = sum;
        }
    }
}

mt_status mt_fit_sum_with_fibres(mt_fit_model *model, const mt_fit_data *data, const mt_fit_fibres *fibres,
    const mt_fit_minimum *m, double *sum)
{
    MT_SCRATCH(scratch);
    equations e;
    double *slope, *residual_ms, *a, *b, *x;
    *sum = m->sum;
    if (!(fibres->sd_rad > 0) || !model->problem->mesh.fibre) return MT_OK;
    MT_TRY(make_equations(scratch, model, m, &e));
    const size_t n = e.n + MT_FIT_FIBRE_MODES;
    MT_ALLOC(scratch, slope, MT_FIT_FIBRE_MODES * data->n);
    MT_ALLOC(scratch, residual_ms, data->n);
    MT_ALLOC(scratch, a, n * n);
    MT_ALLOC(scratch, b, n);
    MT_TRY(mt_fit_model_times(model, &m->values, e.trial_ms));
    MT_TRY(mt_fit_model_jacobian(model, &m->values, e.jacobian));
    MT_TRY(mt_fit_model_fibre_slopes(model, &m->values, fibres->surface, slope));
    for (size_t k = 0; k < data->n; k++) residual_ms[k] = data->lat_ms[k] - e.trial_ms[k];
    fill(data, e.trial_ms, &e);
    add_penalty(model, &m->values, &e);
    border(data, &e, slope, residual_ms, a, b);
    for (size_t i = 0; i < n; i++)
        a[i * n + i] +=
            i < e.n ? 1e-9 * a[i * n + i] : 2 * m->sum / ((double)data->n * fibres->sd_rad * fibres->sd_rad);
    MT_COPY(scratch, x, b, n);
    if (!mt_dense_solve(n, a, x)) return MT_OK;
    for (size_t i = 0; i < n; i++) *sum -= b[i] * x[i];
    *sum = fmax(*sum, 0);
    return MT_OK;
}
