#include "solver/cable.h"

#include <math.h>
#include <string.h>

#include "data/core/line_fit.h"
#include "solver/kernels/block.h"

/* The arrays of a run, [n] and [n][n_states] in blocks.
 *
 * Ahead of the wavefront all points have the same bits, of which a diffusion substep changes those of the first point only. Therefore only
 * the points below `n_stepped` are stepped: complete blocks, or all. The others have the values of the last of these. */
typedef struct tracking {
    const mt_cable *cable;
    size_t n, n_stimulated, n_far; /* number of points, of points below stimulated_mm, and below far_mm */
    size_t n_stepped, quiet;       /* from the point `quiet` on all values are equal when a step starts */
    size_t substeps, n_activated, n_repolarised, step;
    double constants[MT_CELL_CONSTANTS], *paced[MT_PACED], *peak; /* [n] */
    double *v, *next, *before, *states;
    double rest_mV, newest_ms; /* the latest activation; 0 before the first one */
    double *s, share;          /* [n] spread reaction, and the share of the reaction that is spread */
    /* [n] fraction of the difference to the outer and the inner point that a substep adds */
    double *outward, *inward;
    mt_cable_wave *wave;
} tracking;

static mt_status check(const mt_cable *cable)
{
    const struct {
        const char *name;
        double value;
    } positive[] = {{"diffusivity_mm2_ms", cable->diffusivity_mm2_ms}, {"length_mm", cable->length_mm},
        {"dx_mm", cable->dx_mm}, {"dt_ms", cable->dt_ms}, {"end_ms", cable->end_ms}};
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++)
        if (!(positive[k].value > 0) || !isfinite(positive[k].value))
            return mt_fail(MT_INPUT, "cable: %s is %g; it must be finite and above 0", positive[k].name,
                positive[k].value);
    if (cable->length_mm < 2 * cable->dx_mm || cable->length_mm / cable->dx_mm > 1e7)
        return mt_fail(MT_INPUT, "cable: %g mm with a spacing of %g mm; allowed: 2 to 10 million points",
            cable->length_mm, cable->dx_mm);
    if (cable->dt_ms > cable->model->dt_max_ms)
        return mt_fail(MT_INPUT, "cable: dt_ms is %g; %s is stable up to %g", cable->dt_ms,
            cable->model->name, cable->model->dt_max_ms);
    return MT_OK;
}

/* Returns the number of points below a place. */
static size_t points_below(const tracking *t, double place_mm)
{
    size_t n = 0;
    while (n < t->n && ((double)n + 0.5) * t->cable->dx_mm < place_mm) n++;
    return n;
}

/* The flux through the circle between points i and i + 1, of radius i + 1 in dx, is D 2 pi (i + 1) (v' - v). The area of ring i is 2 pi (i
 * + 1/2) dx^2. */
static void set_shares(tracking *t)
{
    const mt_cable *cable = t->cable;
    const double share =
        cable->diffusivity_mm2_ms * cable->dt_ms / (double)t->substeps / (cable->dx_mm * cable->dx_mm);
    for (size_t i = 0; i < t->n; i++) {
        const double middle = (double)i + 0.5;
        t->outward[i] = i + 1 == t->n ? 0 : cable->round ? share * (middle + 0.5) / middle : share;
        t->inward[i] = i == 0 ? 0 : cable->round ? share * (middle - 0.5) / middle : share;
    }
}

static mt_status begin(
    mt_arena *arena, mt_arena *scratch, const mt_cable *cable, mt_cable_wave *wave, tracking *t)
{
    const mt_cell_variant *variant =
        cable->changed ? cable->changed : &cable->model->variants[cable->variant];
    const size_t n_states = cable->model->n_states;
    *t = (tracking){.cable = cable, .n = (size_t)llround(cable->length_mm / cable->dx_mm), .wave = wave};
    *wave = (mt_cable_wave){.n = t->n, .dx_mm = cable->dx_mm, .peak_mV = -INFINITY};
    MT_ALLOC(arena, wave->activation_ms, t->n);
    MT_ALLOC(arena, wave->apd90_ms, t->n);
    MT_ALLOC(scratch, t->peak, t->n);
    for (int k = 0; k < MT_PACED; k++) MT_ALLOC(scratch, t->paced[k], t->n);
    mt_cell_constants_double(cable->model, variant, 1, t->constants);
    t->rest_mV = variant->v_mV;
    MT_ALLOC(scratch, t->v, t->n);
    MT_ALLOC(scratch, t->next, t->n);
    MT_ALLOC(scratch, t->before, t->n);
    MT_ALLOC(scratch, t->s, t->n);
    MT_ALLOC(scratch, t->outward, t->n);
    MT_ALLOC(scratch, t->inward, t->n);
    MT_ALLOC(scratch, t->states, t->n * n_states);
    for (size_t i = 0; i < t->n; i++) {
        t->v[i] = t->before[i] = variant->v_mV;
        wave->activation_ms[i] = wave->apd90_ms[i] = INFINITY;
        t->peak[i] = -INFINITY;
        for (int k = 0; k < MT_PACED; k++) t->paced[k][i] = mt_paced_start[k];
        for (size_t k = 0; k < n_states; k++)
            t->states[mt_block_index(t->n, n_states, i, k)] = variant->states[k];
    }
    t->n_stimulated = points_below(t, cable->stimulated_mm);
    t->n_far = points_below(t, cable->far_mm);
    t->substeps =
        (size_t)ceil(cable->diffusivity_mm2_ms * cable->dt_ms / (0.4 * cable->dx_mm * cable->dx_mm));
    t->share = mt_splitting_compensation(cable->splitting, t->substeps);
    t->n_stepped = MT_BLOCK < t->n ? MT_BLOCK : t->n;
    t->quiet = t->n_stimulated;
    set_shares(t);
    return MT_OK;
}

/* ---- the points ahead of the wavefront ---- */

/* Steps at least n points from now on. */
static void extend(tracking *t, size_t n)
{
    const size_t last = t->n_stepped - 1, n_states = t->cable->model->n_states,
                 blocks = (n + MT_BLOCK - 1) / MT_BLOCK * MT_BLOCK, to = blocks < t->n ? blocks : t->n;
    for (size_t i = t->n_stepped; i < to; i++) {
        t->v[i] = t->v[last];
        t->before[i] = t->before[last];
        t->peak[i] = t->peak[last];
        for (int k = 0; k < MT_PACED; k++) t->paced[k][i] = t->paced[k][last];
        for (size_t k = 0; k < n_states; k++)
            t->states[mt_block_index(t->n, n_states, i, k)] =
                t->states[mt_block_index(t->n, n_states, last, k)];
    }
    if (to > t->n_stepped) t->n_stepped = to;
}

/* Before a step: the last point stays quiet in all its substeps. */
static void extend_for_step(tracking *t) { extend(t, t->quiet + t->substeps + 1); }

/* After a step: its substeps reach as many points, but far ahead they change no bit. If the last point is at 0 mV, so are all ahead. */
static void find_quiet(tracking *t)
{
    const size_t last = t->n_stepped - 1, before = t->quiet;
    t->quiet = before + t->substeps < last ? before + t->substeps : last;
    while (t->quiet > before && memcmp(&t->v[t->quiet - 1], &t->v[last], sizeof *t->v) == 0) t->quiet--;
    if (!(t->v[last] < 0)) extend(t, t->n);
}

static void step_cells(tracking *t)
{
    const mt_cable *cable = t->cable;
    const mt_multirate_step at = {cable->dt_ms, cable->tolerance_mV, t->step};
    if (cable->stepping == MT_STEPPING_UNIFORM)
        mt_cell_react_double(
            cable->model, t->constants, 1, NULL, cable->dt_ms, t->n_stepped, t->states, t->v, t->next);
    else
        mt_cell_multirate_react_double(cable->model, t->constants, 1, NULL, &at, t->n_stepped, t->states,
            t->paced[MT_PACED_KEPT], t->paced[MT_PACED_CHANGE], t->paced[MT_PACED_SINCE], t->v, t->next);
}

/* Steps the ionic model: from v to v* + s. */
static void react(tracking *t)
{
    step_cells(t);
    for (size_t i = 0; i < t->n_stepped; i++) {
        t->s[i] = t->share * (t->next[i] - t->v[i]);
        t->v[i] = t->next[i] + t->s[i];
    }
}

static void diffuse(tracking *t)
{
    const size_t last = t->n_stepped - 1;
    for (size_t i = 0; i <= last; i++) {
        const double here = t->v[i];
        t->next[i] = here + t->outward[i] * (t->v[i < last ? i + 1 : i] - here) +
                     t->inward[i] * (t->v[i > 0 ? i - 1 : i] - here);
    }
    double *swapped = t->v;
    t->v = t->next;
    t->next = swapped;
}

/* Records the end of an action potential. */
static void record_end(tracking *t, size_t i, double before, double now, double from_ms)
{
    t->peak[i] = fmax(t->peak[i], now);
    const double end_mV = t->rest_mV + 0.1 * (t->peak[i] - t->rest_mV);
    if (isinf(t->wave->activation_ms[i]) || isfinite(t->wave->apd90_ms[i])) return;
    if (!(before >= end_mV && now < end_mV)) return;
    t->wave->apd90_ms[i] =
        from_ms + t->cable->dt_ms * (before - end_mV) / (before - now) - t->wave->activation_ms[i];
    t->n_repolarised++;
}

static mt_status record(tracking *t, double from_ms)
{
    if (t->n_far < t->n) t->wave->peak_mV = fmax(t->wave->peak_mV, t->v[t->n_stepped - 1]);
    for (size_t i = 0; i < t->n_stepped; i++) {
        const double before = t->before[i], now = t->v[i];
        if (!isfinite(now))
            return mt_fail(
                MT_NUMERICS, "cable: V is not a number at %g mm", ((double)i + 0.5) * t->cable->dx_mm);
        t->before[i] = now;
        if (i >= t->n_far) t->wave->peak_mV = fmax(t->wave->peak_mV, now);
        record_end(t, i, before, now, from_ms);
        if (!(before < 0 && now >= 0) || isfinite(t->wave->activation_ms[i])) continue;
        t->wave->activation_ms[i] = from_ms + t->cable->dt_ms * before / (before - now);
        t->newest_ms = t->wave->activation_ms[i];
        t->n_activated++;
    }
    return MT_OK;
}

static mt_status run(tracking *t)
{
    const mt_cable *cable = t->cable;
    const size_t stimulated_steps = (size_t)llround(cable->duration_ms / cable->dt_ms);
    for (t->step = 0; (cable->repolarises ? t->n_repolarised : t->n_activated) < t->n; t->step++) {
        const double now_ms = (double)t->step * cable->dt_ms;
        if (now_ms >= cable->end_ms) break;
        if (cable->dead_ms > 0 && now_ms > t->newest_ms + cable->dead_ms) break;
        extend_for_step(t);
        for (size_t i = 0; t->step < stimulated_steps && i < t->n_stimulated; i++)
            t->v[i] += cable->dt_ms * cable->rise_mV_ms;
        react(t);
        for (size_t k = 0; k < t->substeps; k++) diffuse(t);
        for (size_t i = 0; i < t->n_stepped; i++) t->v[i] -= t->s[i];
        find_quiet(t);
        MT_TRY(record(t, now_ms));
    }
    return MT_OK;
}

mt_status mt_cable_run(mt_arena *arena, const mt_cable *cable, mt_cable_wave *wave)
{
    MT_SCRATCH(scratch);
    tracking t;
    MT_TRY(check(cable));
    MT_TRY(begin(arena, scratch, cable, wave, &t));
    return run(&t);
}

double mt_cable_time(const mt_cable_wave *wave, double at_mm)
{
    const double place = at_mm / wave->dx_mm - 0.5;
    const size_t i = (size_t)fmin(fmax(place, 0), (double)(wave->n - 2));
    const double *t = wave->activation_ms + i;
    return t[0] + (place - (double)i) * (t[1] - t[0]);
}

double mt_cable_speed(const mt_cable_wave *wave, double from_mm, double to_mm)
{
    mt_line_fit fit = {0};
    for (size_t i = 0; i < wave->n; i++) {
        const double at_mm = ((double)i + 0.5) * wave->dx_mm;
        if (at_mm >= from_mm && at_mm <= to_mm) mt_line_fit_add(&fit, at_mm, wave->activation_ms[i]);
    }
    return 1 / mt_line_fit_slope(&fit);
}
