#include "solver/waves/calibration.h"

#include <math.h>
#include <string.h>

#include "solver/case/delay.h"
#include "solver/diffusion/spreading.h"

/* ---- single cells ---- */

/* A cell that is stepped alone. */
typedef struct cell {
    const mt_cell_model *model;
    double dt_ms, constants[MT_CELL_CONSTANTS], v_mV, states[MT_CELL_STATES];
} cell;

static void begin(const mt_cell_model *model, const mt_cell_variant *from, double dt_ms, cell *c)
{
    *c = (cell){.model = model, .dt_ms = dt_ms, .v_mV = from->v_mV};
    mt_cell_constants_double(model, from, 1, c->constants);
    memcpy(c->states, from->states, model->n_states * sizeof *c->states);
}

static void step(cell *c)
{
    mt_cell_react_double(c->model, c->constants, 1, NULL, c->dt_ms, 1, c->states, &c->v_mV, &c->v_mV);
}

static const double fires_mV = -40; /* V that resting cells do not reach */

mt_status mt_calibration_rest(
    mt_arena *arena, const mt_cell_model *model, const mt_cell_variant *cells, mt_cell_variant *rested)
{
    cell c;
    double *states;
    *rested = *cells;
    begin(model, cells, model->dt_max_ms, &c);
    for (double t = 0; t < MT_CALIBRATION_REST_MS; t += c.dt_ms) {
        step(&c);
        if (!(c.v_mV < fires_mV)) return MT_OK;
    }
    MT_COPY(arena, states, c.states, model->n_states);
    rested->v_mV = c.v_mV;
    rested->states = states;
    return MT_OK;
}

/* Returns the change of V in a step from a state with V changed by `more`. */
static double change(const cell *c, double more_mV)
{
    const double before = c->v_mV + more_mV;
    double v_mV = before, states[MT_CELL_STATES];
    memcpy(states, c->states, c->model->n_states * sizeof *states);
    mt_cell_react_double(c->model, c->constants, 1, NULL, c->dt_ms, 1, states, &v_mV, &v_mV);
    return v_mV - before;
}

static void step_stimulated(cell *c, double t)
{
    if (t < mt_corner_duration_ms) c->v_mV += c->dt_ms * mt_corner_rise_mV_ms;
    step(c);
}

double mt_calibration_restoring_rate(const mt_cell_model *model, const mt_cell_variant *rested, double dt_ms)
{
    static const double end_ms = 400, probe_mV = 0.05;
    double largest = 0;
    cell c;
    begin(model, rested, dt_ms, &c);
    for (double t = 0; t < end_ms; t += dt_ms) {
        largest = fmax(largest, -(change(&c, probe_mV) - change(&c, -probe_mV)) / (2 * probe_mV * dt_ms));
        step_stimulated(&c, t);
    }
    return largest;
}

double mt_calibration_hyperpolarised_rate(
    const mt_cell_model *model, const mt_cell_variant *rested, double dt_ms)
{
    static const double least_mV = 5, most_mV = 40;
    double largest = 0;
    cell c;
    begin(model, rested, dt_ms, &c);
    const double at_rest = change(&c, 0);
    for (double down = least_mV; down <= most_mV; down++)
        largest = fmax(largest, (change(&c, -down) - at_rest) / (down * dt_ms));
    return largest;
}

void mt_calibration_upstroke(const mt_cell_model *model, const mt_cell_variant *cells, double dt_ms,
    double v_mV[MT_CALIBRATION_UPSTROKE])
{
    cell c;
    double t = 0;
    begin(model, cells, dt_ms, &c);
    for (int k = 0; k < MT_CALIBRATION_UPSTROKE; k++) {
        for (; t < mt_corner_duration_ms * k / (MT_CALIBRATION_UPSTROKE - 1); t += dt_ms)
            step_stimulated(&c, t);
        v_mV[k] = c.v_mV;
    }
}

bool mt_calibration_same_upstroke(
    const double a_mV[MT_CALIBRATION_UPSTROKE], const double b_mV[MT_CALIBRATION_UPSTROKE])
{
    for (int k = 0; k < MT_CALIBRATION_UPSTROKE; k++)
        if (!(fabs(a_mV[k] - b_mV[k]) <= MT_CALIBRATION_SAME_mV)) return false;
    return true;
}

/* ---- the law ---- */

static double reaction_ms_of(const mt_corner *corner)
{
    const double j = mt_calibration_restoring_rate(corner->model, corner->cells, corner->dt_ms),
                 low = mt_calibration_hyperpolarised_rate(corner->model, corner->cells, corner->dt_ms);
    return fmin(MT_CALIBRATION_RESTORING / j, 1 / low);
}

mt_spreading_law mt_calibration_law(const mt_corner *corner, const mt_diffusion_scheme *scheme, double beta)
{
    if (beta == scheme->spreading) return mt_spreading_law_of(scheme);
    return (mt_spreading_law){.beta = beta, .reaction_ms = reaction_ms_of(corner), .limits_kappa = true};
}

/* A search for the value with the least mean error: beta of elements, or a factor of the strength of a chain's law. */
typedef struct fitting {
    const mt_corner_slab *slab;
    const mt_diffusion_scheme *scheme; /* of elements */
    const mt_nodal_law *chain;         /* of vertices; NULL: elements */
    double least, most, step;          /* range, and the factor of a step without a secant */
    mt_calibration *found;             /* the best so far */
} fitting;

/* Measures a law. If V diverges, the errors are infinite and the mean is negative: there is too much spreading. */
static mt_status measure(
    const mt_corner_slab *slab, const mt_corner_method *method, const char *what, mt_corner_errors *errors)
{
    const mt_status status = mt_corner_measure(slab, method, what, errors);
    if (status != MT_NUMERICS) return status;
    *errors = (mt_corner_errors){.mean = -INFINITY, .rms = INFINITY};
    return MT_OK;
}

/* Measures the law of a value; keeps it if it is the best, or the first. Returns its mean error, at most 1 if propagation fails, and -1 if
 * V diverges. */
static mt_status try_value(fitting *f, double value, double *mean)
{
    mt_corner_errors errors;
    mt_spreading_law law = {0};
    mt_nodal_law nodal = {0};
    if (f->chain) {
        nodal = *f->chain;
        nodal.strength *= value;
    } else
        law = mt_calibration_law(f->slab->corner, f->scheme, value);
    const mt_corner_method method = {.scheme = f->scheme, .law = &law, .nodal = &nodal};
    MT_TRY(measure(f->slab, &method, "calibrating the reaction spreading", &errors));
    *mean = fmin(fmax(errors.mean, -1), 1);
    if (f->found->n_waves++ > 0 && !(fabs(errors.mean) < fabs(f->found->errors.mean))) return MT_OK;
    f->found->law = law;
    f->found->nodal = nodal;
    f->found->errors = errors;
    return MT_OK;
}

/* Finds the value by the secant method, from a last one and its mean error, and a next one. Changes it by a factor of 2 at most. */
static mt_status find_value(fitting *f, double last, double last_mean, double value)
{
    enum { WAVES_MOST = 5 };
    double mean;
    while (f->found->n_waves < WAVES_MOST) {
        MT_TRY(try_value(f, value, &mean));
        if (fabs(mean) <= MT_CALIBRATION_TOLERANCE || mean == last_mean) break;
        double next = value - mean * (value - last) / (mean - last_mean);
        if ((mean < last_mean) != (value > last)) next = value * (mean > 0 ? f->step : 1 / f->step);
        next = fmin(fmax(next, fmax(value / 2, f->least)), fmin(2 * value, f->most));
        if (next == value) break;
        last = value, last_mean = mean;
        value = next;
    }
    return MT_OK;
}

/* Measures the scheme's law, or that of `beta`. Fits one if the scheme's error is too large; that law does not compete then. */
static mt_status fit_elements(
    const mt_corner_slab *slab, const mt_diffusion_scheme *scheme, const double *beta, mt_calibration *found)
{
    fitting f = {
        .slab = slab, .scheme = scheme, .most = MT_CALIBRATION_BETA_MOST, .step = 1.5, .found = found};
    const double first = scheme->spreading;
    double mean;
    MT_TRY(try_value(&f, beta ? *beta : first, &mean));
    if (beta || !(first > 0) || fabs(mean) <= MT_CALIBRATION_KEPT) return MT_OK;
    found->n_waves = 0;
    return find_value(&f, first, mean, first * (mean > 0 ? 2 : 0.7));
}

/* Measures the law of a chain with a factor of its strength. With the factor 1, fits another one if the error is too large. A tenth more
 * spreading makes a wave about 0.1 earlier. */
static mt_status fit_vertices(
    const mt_corner_slab *slab, const mt_nodal_law *chain, double factor, mt_calibration *found)
{
    const double most = MT_CALIBRATION_FACTOR_MOST;
    fitting f = {.slab = slab, .chain = chain, .least = 1 / most, .most = most, .step = 1.1, .found = found};
    double mean;
    MT_TRY(try_value(&f, factor, &mean));
    if (factor != 1 || fabs(mean) <= MT_CALIBRATION_KEPT) return MT_OK;
    return find_value(&f, factor, mean, fmin(fmax(1 + mean, f.least), f.most));
}

static void scale_errors(double factor, mt_corner_errors *errors)
{
    for (int k = 0; k < MT_CORNER_SECTORS; k++) errors->sector[k] *= factor;
    errors->mean *= factor;
    errors->rms *= factor;
}

/* Returns the factor of the element size with which errors are measured: the smallest one with a slab that fits. In tissue of extreme
 * anisotropy none fits; the factor then only makes the elements as large as the least ones. */
static double enlargement(const mt_corner *corner)
{
    enum { TRIALS = 12 };
    mt_corner at = *corner;
    const double least =
        fmax(1, MT_CALIBRATION_LEAST_MM / mt_delay_default_length_mm(corner->tissue, corner->length_mm));
    double factor = least;
    for (int k = 0; k < TRIALS; k++, factor *= 1.05) {
        at.length_mm = factor * corner->length_mm;
        if (mt_corner_fits(&at)) return factor;
    }
    return least;
}

/* Builds a slab, and sets the converged CV; NaN: there is no slab. */
static mt_status make_slab(mt_arena *arena, const mt_corner *at, mt_corner_slab *slab, mt_calibration *found)
{
    const double d_l = mt_tissue_diffusivity_l(at->tissue), d_t = mt_tissue_diffusivity_t(at->tissue);
    found->errors = (mt_corner_errors){.mean = NAN, .rms = NAN};
    MT_TRY(mt_corner_make(arena, at, slab));
    found->speed_l_mm_ms = slab->speed_mm_ms;
    found->speed_t_mm_ms = slab->speed_mm_ms * sqrt(d_t / d_l);
    return MT_OK;
}

mt_status mt_calibrate(
    const mt_corner *corner, const mt_diffusion_scheme *scheme, const double *beta, mt_calibration *found)
{
    MT_SCRATCH(arena);
    mt_corner_slab slab;
    mt_corner at = *corner;
    const double enlarged = enlargement(corner);
    *found = (mt_calibration){.law = mt_calibration_law(corner, scheme, beta ? *beta : scheme->spreading)};
    at.length_mm *= enlarged;
    MT_TRY(make_slab(arena, &at, &slab, found));
    if (isnan(slab.speed_mm_ms)) return MT_OK;
    MT_TRY(fit_elements(&slab, scheme, beta, found));
    scale_errors(1 / (enlarged * enlarged), &found->errors);
    return MT_OK;
}

mt_status mt_calibrate_nodal(const mt_corner *corner, double strength, mt_calibration *found)
{
    MT_SCRATCH(arena);
    mt_corner_slab slab;
    mt_corner at = *corner;
    mt_chain_fit fit;
    const mt_chain chain = {
        corner->model, corner->cells, mt_tissue_diffusivity_l(corner->tissue), corner->dt_ms};
    const double enlarged = enlargement(corner);
    at.length_mm *= enlarged;
    MT_TRY(mt_chain_law(&chain, &fit));
    fit.law.reaction_ms = reaction_ms_of(corner);
    *found = (mt_calibration){.nodal = fit.law};
    found->nodal.strength *= strength;
    MT_TRY(make_slab(arena, &at, &slab, found));
    if (isnan(slab.speed_mm_ms)) return MT_OK;
    MT_TRY(fit_vertices(&slab, &fit.law, strength, found));
    scale_errors(1 / (enlarged * enlarged), &found->errors);
    return MT_OK;
}

/* Stores the state of a cell at an interval after its activation in `cells`. */
static mt_status recover(mt_arena *arena, const mt_corner *corner, double interval_ms, mt_cell_variant *cells)
{
    cell c;
    double *states, since_ms = -INFINITY;
    begin(corner->model, corner->cells, corner->dt_ms, &c);
    for (double t = 0; t - since_ms < interval_ms || isinf(since_ms); t += corner->dt_ms) {
        if (isinf(since_ms) && (c.v_mV >= 0 || t > mt_corner_duration_ms)) since_ms = t;
        step_stimulated(&c, t);
    }
    MT_COPY(arena, states, c.states, corner->model->n_states);
    *cells = *corner->cells;
    cells->v_mV = c.v_mV;
    cells->states = states;
    return MT_OK;
}

mt_status mt_calibration_early(const mt_corner *corner, const mt_corner_method *method, double interval_ms,
    bool *conducts, mt_corner_errors *errors)
{
    MT_SCRATCH(arena);
    mt_corner_slab slab;
    mt_cell_variant recovering;
    mt_corner at = *corner;
    const double enlarged = enlargement(corner);
    *errors = (mt_corner_errors){.mean = 0};
    MT_TRY(recover(arena, corner, interval_ms, &recovering));
    at.cells = &recovering;
    at.length_mm *= enlarged;
    MT_TRY(mt_corner_make(arena, &at, &slab));
    *conducts = !isnan(slab.speed_mm_ms);
    if (!*conducts) return MT_OK;
    MT_TRY(measure(&slab, method, "measuring premature activation", errors));
    scale_errors(1 / (enlarged * enlarged), errors);
    return MT_OK;
}
