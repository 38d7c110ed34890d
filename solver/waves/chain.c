#include "solver/waves/chain.h"

#include <math.h>

#include "data/core/line_fit.h"
#include "solver/cable.h"
#include "solver/kernels/block.h"
#include "solver/waves/corner_wave.h"

/* Lengths in the default tissue, as those of solver/waves/corner_wave.h, and their minima in points. */
static const double stimulated_mm = 2.5, from_mm = 5, to_mm = 11, end_mm = 1.2;
static const double stimulated_points = 2, from_points = 4, to_points = 10, end_points = 3;
static const double fine_mm = 0.03; /* distance of the cable's points */
static const double dead_ms = 50, cable_dead_ms = 200, longest_ms = 500;
static const double stable = 0.4; /* D dt / b^2 of a substep; the limit is 1/2 */

/* Returns a length of the default tissue in other tissue. */
static double unit(const mt_chain *chain)
{
    return sqrt(chain->diffusivity_mm2_ms / mt_tissue_diffusivity_l(&mt_tissue_default));
}

double mt_chain_distance(const mt_chain *chain, double y_ms)
{
    return sqrt(y_ms * chain->diffusivity_mm2_ms);
}

/* ---- a wave ---- */

/* A chain in time. CV is measured at the points `from` to `to` - 1. */
typedef struct tracking {
    const mt_chain *chain;
    size_t n, stimulated, from, to, substeps, n_activated;
    double rate, share, spread; /* D dt / b^2 of a substep; share of the splitting; share of a neighbour */
    double newest_ms;           /* the latest activation; 0 before the first one */
    double constants[MT_CELL_CONSTANTS];
    double *v, *next, *before, *d, *activation_ms; /* [n] */
    double *states;                                /* [n][n_states] in blocks */
} tracking;

static size_t points(const mt_chain *chain, double distance_mm, double length_mm, double least)
{
    return (size_t)fmax(ceil(unit(chain) * length_mm / distance_mm - 1e-9), least);
}

static void place(const mt_chain *chain, double distance_mm, double share, tracking *t)
{
    const double rate = chain->diffusivity_mm2_ms * chain->dt_ms / (distance_mm * distance_mm);
    *t = (tracking){.chain = chain,
        .stimulated = points(chain, distance_mm, stimulated_mm, stimulated_points),
        .from = points(chain, distance_mm, from_mm, from_points),
        .to = points(chain, distance_mm, to_mm, to_points),
        .substeps = (size_t)fmax(ceil(rate / stable), 1),
        .spread = share};
    t->n = t->to + points(chain, distance_mm, end_mm, end_points);
    t->rate = rate / (double)t->substeps;
    t->share = mt_splitting_compensation(MT_SPLITTING_COMPENSATED, t->substeps);
    mt_cell_constants_double(chain->model, chain->cells, 1, t->constants);
}

static mt_status begin(mt_arena *arena, tracking *t)
{
    const mt_cell_variant *cells = t->chain->cells;
    const size_t n_states = t->chain->model->n_states;
    MT_ALLOC(arena, t->v, t->n);
    MT_ALLOC(arena, t->next, t->n);
    MT_ALLOC(arena, t->before, t->n);
    MT_ALLOC(arena, t->d, t->n);
    MT_ALLOC(arena, t->activation_ms, t->n);
    MT_ALLOC(arena, t->states, t->n * n_states);
    for (size_t i = 0; i < t->n; i++) {
        t->v[i] = t->before[i] = cells->v_mV;
        t->activation_ms[i] = INFINITY;
        for (size_t k = 0; k < n_states; k++)
            t->states[mt_block_index(t->n, n_states, i, k)] = cells->states[k];
    }
    return MT_OK;
}

/* Returns the sum of the differences from a point to its neighbours. */
static double differences(const tracking *t, const double *x, size_t i)
{
    return (i > 0 ? x[i - 1] - x[i] : 0) + (i + 1 < t->n ? x[i + 1] - x[i] : 0);
}

static void take_step(tracking *t)
{
    const mt_chain *chain = t->chain;
    double *increment = t->next;
    mt_cell_react_double(chain->model, t->constants, 1, NULL, chain->dt_ms, t->n, t->states, t->v, increment);
    for (size_t i = 0; i < t->n; i++) increment[i] -= t->v[i];
    for (size_t i = 0; i < t->n; i++) {
        const double spread = increment[i] + t->spread * differences(t, increment, i);
        t->d[i] = t->share * spread;
        t->v[i] += spread + t->d[i];
    }
    for (size_t k = 0; k < t->substeps; k++) {
        for (size_t i = 0; i < t->n; i++) t->next[i] = t->v[i] + t->rate * differences(t, t->v, i);
        double *swapped = t->v;
        t->v = t->next;
        t->next = swapped;
    }
    for (size_t i = 0; i < t->n; i++) t->v[i] -= t->d[i];
}

static mt_status record(tracking *t, double from_step_ms)
{
    for (size_t i = 0; i < t->n; i++) {
        const double before = t->before[i], now = t->v[i];
        if (!isfinite(now)) return mt_fail(MT_NUMERICS, "chain: V is not a number at point %zu", i);
        t->before[i] = now;
        if (!(before < 0 && now >= 0) || isfinite(t->activation_ms[i])) continue;
        t->newest_ms = t->activation_ms[i] = from_step_ms + t->chain->dt_ms * before / (before - now);
        t->n_activated++;
    }
    return MT_OK;
}

static mt_status check(const mt_chain *chain, double distance_mm, double share)
{
    const double positive[] = {chain->diffusivity_mm2_ms, chain->dt_ms, distance_mm};
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++)
        if (!(positive[k] > 0) || !isfinite(positive[k]))
            return mt_fail(MT_INPUT,
                "chain: D is %g mm^2/ms, dt_ms is %g, the distance %g mm; all must be finite and above 0",
                positive[0], positive[1], positive[2]);
    if (chain->dt_ms > chain->model->dt_max_ms)
        return mt_fail(MT_INPUT, "chain: dt_ms is %g; %s is stable up to %g", chain->dt_ms,
            chain->model->name, chain->model->dt_max_ms);
    if (!(share >= 0) || share > MT_CHAIN_SHARE_MOST)
        return mt_fail(
            MT_INPUT, "chain: the share is %g; allowed: 0 to %g", share, (double)MT_CHAIN_SHARE_MOST);
    return MT_OK;
}

mt_status mt_chain_speed(const mt_chain *chain, double distance_mm, double share, double *speed_mm_ms)
{
    MT_SCRATCH(scratch);
    tracking t;
    mt_line_fit fit = {0};
    MT_TRY(check(chain, distance_mm, share));
    place(chain, distance_mm, share, &t);
    MT_TRY(begin(scratch, &t));
    const size_t stimulated_steps = (size_t)llround(mt_corner_duration_ms / chain->dt_ms);
    for (size_t k = 0; t.n_activated < t.n; k++) {
        const double now_ms = (double)k * chain->dt_ms;
        if (now_ms > t.newest_ms + dead_ms) break;
        for (size_t i = 0; k < stimulated_steps && i < t.stimulated; i++)
            t.v[i] += chain->dt_ms * mt_corner_rise_mV_ms;
        take_step(&t);
        MT_TRY(record(&t, now_ms));
    }
    for (size_t i = t.from; i < t.to; i++) mt_line_fit_add(&fit, (double)i * distance_mm, t.activation_ms[i]);
    const double slope = mt_line_fit_slope(&fit);
    *speed_mm_ms = slope > 0 && isfinite(slope) ? 1 / slope : NAN;
    return MT_OK;
}

/* ---- the cable ---- */

/* Computes CV of a cable with points at a distance; NaN: no propagation. */
static mt_status cable_speed(const mt_chain *chain, double distance_mm, double *speed_mm_ms)
{
    MT_SCRATCH(scratch);
    mt_cable_wave wave;
    const double scale = unit(chain);
    const mt_cable cable = {.model = chain->model,
        .changed = chain->cells,
        .diffusivity_mm2_ms = chain->diffusivity_mm2_ms,
        .length_mm = scale * (to_mm + end_mm),
        .dx_mm = scale * distance_mm,
        .dt_ms = chain->dt_ms,
        .end_ms = longest_ms,
        .dead_ms = cable_dead_ms,
        .splitting = MT_SPLITTING_COMPENSATED,
        .stimulated_mm = scale * stimulated_mm,
        .duration_ms = mt_corner_duration_ms,
        .rise_mV_ms = mt_corner_rise_mV_ms};
    MT_TRY(mt_cable_run(scratch, &cable, &wave));
    const double speed = mt_cable_speed(&wave, scale * from_mm, scale * to_mm);
    *speed_mm_ms = isfinite(speed) && speed > 0 ? speed : NAN;
    return MT_OK;
}

/* The error of CV is of second order in the distance. */
mt_status mt_chain_converged(const mt_chain *chain, double *speed_mm_ms)
{
    double coarse, fine;
    MT_TRY(check(chain, 1, 0));
    MT_TRY(cable_speed(chain, 2 * fine_mm, &coarse));
    *speed_mm_ms = NAN;
    if (isnan(coarse)) return MT_OK;
    MT_TRY(cable_speed(chain, fine_mm, &fine));
    *speed_mm_ms = fine + (fine - coarse) / 3;
    return MT_OK;
}

/* ---- the share ---- */

double mt_chain_law_share(const mt_nodal_law *law, double y_ms)
{
    const double q = law->front_ms;
    return law->strength / 6 * (y_ms + law->fine * q) / (y_ms + q);
}

/* A search between `low`, where the wave is too slow or fails, and `high`, where it is too fast. */
typedef struct search {
    const mt_chain *chain;
    double distance_mm, speed_mm_ms, low, high;
    double last, last_error; /* the share before match->share; NaN: none */
    mt_chain_match *match;
} search;

/* Computes the logarithm of CV relative to that of the cable; NaN: no propagation. */
static mt_status measure(search *s, double share, double *error)
{
    double speed;
    MT_TRY(mt_chain_speed(s->chain, s->distance_mm, share, &speed));
    *error = log(speed / s->speed_mm_ms);
    s->match->n_waves++;
    return MT_OK;
}

/* Returns the zero of the line through two shares if it is between the limits, else their middle. */
static double next_share(const search *s, double share, double error)
{
    const double zero = share - error * (share - s->last) / (error - s->last_error);
    return zero > s->low && zero < s->high ? zero : (s->low + s->high) / 2;
}

static mt_status find_share(search *s, double share)
{
    enum { WAVES_MOST = 40 };
    static const double narrow = 1e-6;
    double error, least = INFINITY;
    while (s->match->n_waves < WAVES_MOST && s->high - s->low > narrow) {
        MT_TRY(measure(s, share, &error));
        if (fabs(error) < least) {
            least = fabs(error);
            s->match->share = share;
            s->match->error = expm1(error);
        }
        if (fabs(error) <= MT_CHAIN_TOLERANCE) break;
        *(error > 0 ? &s->high : &s->low) = share;
        const double next = next_share(s, share, error);
        s->last = share, s->last_error = error;
        share = next;
    }
    return MT_OK;
}

mt_status mt_chain_share(const mt_chain *chain, double distance_mm, double speed_mm_ms, mt_chain_match *match)
{
    static const double step = 0.1, least_step = 0.01;
    const double y_ms = distance_mm * distance_mm / chain->diffusivity_mm2_ms;
    search s = {chain, distance_mm, speed_mm_ms, 0, MT_CHAIN_SHARE_MOST, NAN, NAN, match};
    double error;
    *match = (mt_chain_match){.share = MT_CHAIN_SHARE_MOST, .error = NAN};
    MT_TRY(find_share(&s, mt_chain_law_share(&mt_nodal_law_default, y_ms)));
    match->reached = fabs(match->error) <= MT_CHAIN_SPEED_SIGMA;
    if (!match->reached) return MT_OK;
    const double more = fmin(match->share + fmax(step * match->share, least_step), MT_CHAIN_SHARE_MOST);
    MT_TRY(measure(&s, more, &error));
    match->effect = fmax((error - log1p(match->error)) / (more - match->share), 0);
    return MT_OK;
}

/* ---- the law ---- */

const double mt_chain_y_ms[MT_CHAIN_POINTS] = {0.5, 1, 2, 4, 8, 16, 32, 64};

/* Sums of products for s = a Y / (Y + q) + c q / (Y + q), where a is the share of long distances and c that of short ones. */
typedef struct sums {
    double aa, ac, cc, as, cs, ss;
} sums;

/* Shares to fit. */
typedef struct shares {
    size_t n;
    const double *y_ms, *share, *sigma; /* [n] */
} shares;

static sums sums_of(double q, const shares *of)
{
    sums x = {0};
    for (size_t k = 0; k < of->n; k++) {
        const double y = of->y_ms[k], s = of->share[k] / of->sigma[k], a = y / (y + q) / of->sigma[k],
                     c = q / (y + q) / of->sigma[k];
        x.aa += a * a, x.ac += a * c, x.cc += c * c, x.as += a * s, x.cs += c * s, x.ss += s * s;
    }
    return x;
}

static double squares(const sums *x, double a, double c)
{
    return a * a * x->aa + 2 * a * c * x->ac + c * c * x->cc - 2 * a * x->as - 2 * c * x->cs + x->ss;
}

static const double least_share = 1e-4; /* `fine` is relative to the share of long distances */

static double in_range(double share) { return fmin(fmax(share, least_share), MT_CHAIN_SHARE_MOST); }

/* Finds a and c in the range of shares with the least sum of squares, and returns the sum. It is convex: the least is inside or on an
 * edge. */
static double fit_linear(const sums *x, double *a, double *c)
{
    const double edge[] = {least_share, MT_CHAIN_SHARE_MOST}, determinant = x->aa * x->cc - x->ac * x->ac;
    double least = INFINITY;
    if (determinant > 1e-12 * x->aa * x->cc) {
        *a = (x->as * x->cc - x->cs * x->ac) / determinant;
        *c = (x->cs * x->aa - x->as * x->ac) / determinant;
        if (*a == in_range(*a) && *c == in_range(*c)) return squares(x, *a, *c);
    }
    for (int k = 0; k < 4; k++) {
        const double at = edge[k % 2],
                     other = k < 2 ? in_range((x->cs - at * x->ac) / x->cc)
                                   : in_range((x->as - at * x->ac) / x->aa),
                     sum = k < 2 ? squares(x, at, other) : squares(x, other, at);
        if (sum >= least) continue;
        least = sum;
        *a = k < 2 ? at : other;
        *c = k < 2 ? other : at;
    }
    return least;
}

/* Tries `count` values of front_ms from `from` on, each larger by a factor. Keeps the best law. */
static void try_fronts(
    const shares *of, double from, double factor, size_t count, double *least, mt_nodal_law *law)
{
    double q = from, a, c;
    for (size_t k = 0; k < count; k++, q *= factor) {
        const sums x = sums_of(q, of);
        const double sum = fit_linear(&x, &a, &c);
        if (sum >= *least) continue;
        *least = sum;
        *law = (mt_nodal_law){
            .strength = 6 * a, .fine = c / a, .front_ms = q, .reaction_ms = mt_nodal_law_default.reaction_ms};
    }
}

/* Two shares do not determine front_ms, and one does not determine `fine`: they are the default's then. */
mt_nodal_law mt_chain_law_of(size_t n, const double *y_ms, const double *share, const double *sigma)
{
    enum { COARSE = 41, FINE = 21, ROUNDS = 3 };
    static const double from_ms = 0.1, to_ms = 1000;
    const shares of = {n, y_ms, share, sigma};
    mt_nodal_law law = mt_nodal_law_default;
    double factor = pow(to_ms / from_ms, 1. / (COARSE - 1)), least = INFINITY;
    if (n == 1)
        law.strength =
            fmin(law.strength * share[0] / mt_chain_law_share(&law, y_ms[0]), 6 * MT_CHAIN_SHARE_MOST);
    if (n == 2) try_fronts(&of, law.front_ms, 1, 1, &least, &law);
    if (n <= 2) return law;
    try_fronts(&of, from_ms, factor, COARSE, &least, &law);
    for (int k = 0; k < ROUNDS; k++) {
        const double finer = pow(factor, 2. / (FINE - 1)); /* up to a step on both sides */
        try_fronts(&of, law.front_ms / factor, finer, FINE, &least, &law);
        factor = finer;
    }
    return law;
}

/* Fits the law to the shares that were reached, and finds its errors. */
static void fit_law(mt_chain_fit *fit)
{
    double y_ms[MT_CHAIN_POINTS], share[MT_CHAIN_POINTS], sigma[MT_CHAIN_POINTS];
    size_t n = 0;
    for (size_t k = 0; k < MT_CHAIN_POINTS; k++) {
        const mt_chain_match *m = &fit->match[k];
        if (!m->reached || !(m->effect > 0)) continue;
        y_ms[n] = mt_chain_y_ms[k];
        share[n] = m->share;
        sigma[n++] = hypot(MT_CHAIN_SHARE_SIGMA * m->share, MT_CHAIN_SPEED_SIGMA / m->effect);
    }
    if (n > 0) fit->law = mt_chain_law_of(n, y_ms, share, sigma);
    for (size_t k = 0; k < MT_CHAIN_POINTS; k++) {
        const mt_chain_match *m = &fit->match[k];
        if (!m->reached) continue;
        const double error = fabs(mt_chain_law_share(&fit->law, mt_chain_y_ms[k]) - m->share);
        fit->share_error = fmax(fit->share_error, error / m->share);
        fit->speed_error = fmax(fit->speed_error, error * m->effect);
    }
}

/* True if a wave with the law's share propagates. */
static mt_status propagates(const mt_chain *chain, mt_chain_fit *fit, double y_ms, bool *does)
{
    double speed;
    MT_TRY(
        mt_chain_speed(chain, mt_chain_distance(chain, y_ms), mt_chain_law_share(&fit->law, y_ms), &speed));
    *does = !isnan(speed);
    fit->n_waves++;
    return MT_OK;
}

static mt_status find_farthest(const mt_chain *chain, mt_chain_fit *fit)
{
    static const double narrow = 1.1;
    bool does = true;
    double low = 0, high = INFINITY;
    for (size_t k = 0; k < MT_CHAIN_POINTS && does; k++) {
        MT_TRY(propagates(chain, fit, mt_chain_y_ms[k], &does));
        *(does ? &low : &high) = mt_chain_y_ms[k];
    }
    while (low > 0 && high < INFINITY && high / low > narrow) {
        const double middle = sqrt(low * high);
        MT_TRY(propagates(chain, fit, middle, &does));
        *(does ? &low : &high) = middle;
    }
    fit->farthest_y_ms = isinf(high) ? INFINITY : low;
    return MT_OK;
}

mt_status mt_chain_law(const mt_chain *chain, mt_chain_fit *fit)
{
    *fit = (mt_chain_fit){.law = mt_nodal_law_default};
    MT_TRY(mt_chain_converged(chain, &fit->speed_mm_ms));
    if (isnan(fit->speed_mm_ms)) return MT_OK;
    for (size_t k = 0; k < MT_CHAIN_POINTS; k++) {
        MT_TRY(mt_chain_share(
            chain, mt_chain_distance(chain, mt_chain_y_ms[k]), fit->speed_mm_ms, &fit->match[k]));
        fit->n_waves += fit->match[k].n_waves;
    }
    fit_law(fit);
    return find_farthest(chain, fit);
}
