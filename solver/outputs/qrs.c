#include "solver/outputs/qrs.h"

#include <math.h>

#include "solver/outputs/leads.h"

/* ---- onset and end ---- */

/* The sampling intervals [first, end) of a window, with their slopes. */
typedef struct window {
    const mt_qrs_record *record;
    size_t first, end;
    double *slope; /* [end - first], of interval k at k - first [mV/ms] */
} window;

static bool is_skipped(const window *w, size_t k) { return w->record->skipped && w->record->skipped[k]; }

static double slope_at(const window *w, size_t k) { return w->slope[k - w->first]; }

static double middle_ms(const window *w, size_t k)
{
    return 0.5 * (w->record->time_ms[k] + w->record->time_ms[k + 1]);
}

/* Returns the root mean square of dV/dt in an interval. */
static double find_slope(const mt_qrs_record *r, size_t k)
{
    const size_t n = r->n_standard > 0 ? r->n_standard : r->n_leads;
    const double *before = r->lead_mV + k * r->n_leads, *after = before + r->n_leads;
    double sum = 0;
    for (size_t l = 0; l < n; l++) sum += (after[l] - before[l]) * (after[l] - before[l]);
    return sqrt(sum / (double)n) / (r->time_ms[k + 1] - r->time_ms[k]);
}

static mt_status make_window(mt_arena *arena, const mt_qrs_record *r, double from_ms, double to_ms, window *w)
{
    const double rounding_ms = 1e-6;
    *w = (window){.record = r};
    while (w->first < r->n && r->time_ms[w->first] < from_ms - rounding_ms) w->first++;
    w->end = w->first;
    while (w->end + 1 < r->n && r->time_ms[w->end + 1] <= to_ms + rounding_ms) w->end++;
    MT_ALLOC(arena, w->slope, w->end - w->first);
    for (size_t k = w->first; k < w->end; k++)
        if (!is_skipped(w, k)) w->slope[k - w->first] = find_slope(r, k);
    return MT_OK;
}

/* Returns the interval with the largest slope in [from, end). */
static size_t steepest(const window *w, size_t from, size_t end)
{
    size_t most = from;
    for (size_t k = from; k < end; k++)
        if (slope_at(w, k) > slope_at(w, most)) most = k;
    return most;
}

/* Return the last interval above a threshold before and after `from`, without a longer quiet time in between. */
static size_t extend_back(const window *w, size_t from, double threshold)
{
    size_t edge = from;
    for (size_t k = from; k-- > w->first;) {
        if (slope_at(w, k) > threshold)
            edge = k;
        else if (middle_ms(w, edge) - middle_ms(w, k) > MT_QRS_QUIET_MS)
            break;
    }
    return edge;
}

static size_t extend_forward(const window *w, size_t from, double threshold)
{
    size_t edge = from;
    for (size_t k = from + 1; k < w->end; k++) {
        if (slope_at(w, k) > threshold)
            edge = k;
        else if (middle_ms(w, k) - middle_ms(w, edge) > MT_QRS_QUIET_MS)
            break;
    }
    return edge;
}

/* Returns the interval with the steepest slope of the first complex. */
static size_t find_steepest(const window *w)
{
    const double most = slope_at(w, steepest(w, w->first, w->end));
    size_t main = w->first;
    while (slope_at(w, main) < MT_QRS_MAIN * most) main++;
    return steepest(w, main, extend_forward(w, main, MT_QRS_THRESHOLD * most) + 1);
}

/* Returns the time at which the slope has a value that is between those of two intervals. */
static double crossing_ms(const window *w, size_t below, size_t above, double value)
{
    const double part = (value - slope_at(w, below)) / (slope_at(w, above) - slope_at(w, below));
    return middle_ms(w, below) + part * (middle_ms(w, above) - middle_ms(w, below));
}

/* The extent of a complex, with its first interval above the threshold. */
typedef struct extent {
    size_t first;
    mt_qrs_limit onset_at, end_at;
    double onset_ms, end_ms;
} extent;

static extent find_extent(const window *w, size_t peak, double threshold)
{
    const double *time_ms = w->record->time_ms;
    const size_t first = extend_back(w, peak, threshold), last = extend_forward(w, peak, threshold);
    extent e = {.first = first};
    if (first == w->first || is_skipped(w, first - 1))
        e.onset_at = first == w->first ? MT_QRS_AT_SAMPLE : MT_QRS_AT_STIMULUS;
    if (last + 1 == w->end || is_skipped(w, last + 1))
        e.end_at = last + 1 == w->end ? MT_QRS_AT_SAMPLE : MT_QRS_AT_STIMULUS;
    e.onset_ms =
        e.onset_at == MT_QRS_AT_THRESHOLD ? crossing_ms(w, first - 1, first, threshold) : time_ms[first];
    e.end_ms =
        e.end_at == MT_QRS_AT_THRESHOLD ? crossing_ms(w, last + 1, last, threshold) : time_ms[last + 1];
    return e;
}

static double duration_ms(const window *w, size_t peak, double threshold)
{
    const extent e = find_extent(w, peak, threshold);
    return e.end_at == MT_QRS_AT_THRESHOLD ? e.end_ms - e.onset_ms : NAN;
}

/* ---- amplitudes ---- */

/* Returns a lead at a time within the window, linear between samples. */
static double value_at(const window *w, size_t lead, double t_ms)
{
    const mt_qrs_record *r = w->record;
    size_t k = w->first;
    while (k + 1 < w->end && r->time_ms[k + 1] < t_ms) k++;
    const double part = (t_ms - r->time_ms[k]) / (r->time_ms[k + 1] - r->time_ms[k]),
                 before = r->lead_mV[k * r->n_leads + lead], after = r->lead_mV[(k + 1) * r->n_leads + lead];
    return before + part * (after - before);
}

/* Returns the value of a lead before the complex. */
static double find_baseline(const window *w, const extent *e, size_t lead)
{
    size_t k = e->first;
    if (e->onset_at != MT_QRS_AT_STIMULUS) return value_at(w, lead, e->onset_ms);
    while (k > w->first && is_skipped(w, k - 1)) k--;
    return w->record->lead_mV[k * w->record->n_leads + lead];
}

/* A polygon of deflections from the baseline over time, under construction. */
typedef struct polygon {
    double t_ms, value_mV; /* the last point */
    mt_qrs_lead found;
} polygon;

static void add_point(polygon *p, double t_ms, double value_mV)
{
    p->found.area_mV_ms += 0.5 * (p->value_mV + value_mV) * (t_ms - p->t_ms);
    p->found.r_mV = fmax(p->found.r_mV, value_mV);
    p->found.s_mV = fmax(p->found.s_mV, -value_mV);
    p->t_ms = t_ms;
    p->value_mV = value_mV;
}

/* Measures a lead at the onset, at the samples of the complex that are not within a stimulus, and at its end. */
static mt_qrs_lead measure(const window *w, const extent *e, size_t lead)
{
    const mt_qrs_record *r = w->record;
    const double baseline_mV = find_baseline(w, e, lead);
    polygon p = {.t_ms = e->onset_ms, .value_mV = value_at(w, lead, e->onset_ms) - baseline_mV};
    add_point(&p, p.t_ms, p.value_mV);
    for (size_t k = e->first; k <= w->end && r->time_ms[k] < e->end_ms; k++) {
        const bool inside = k > w->first && k < w->end && is_skipped(w, k - 1) && is_skipped(w, k);
        if (r->time_ms[k] > e->onset_ms && !inside)
            add_point(&p, r->time_ms[k], r->lead_mV[k * r->n_leads + lead] - baseline_mV);
    }
    add_point(&p, e->end_ms, value_at(w, lead, e->end_ms) - baseline_mV);
    return p.found;
}

/* ---- axis and transition ---- */

static double find_axis(const mt_qrs_record *r, const mt_qrs_lead *lead)
{
    enum { I = 0, AVF = 5 }; /* in the order of solver/outputs/leads.h */
    if (r->n_standard == 0) return NAN;
    const double across = lead[I].area_mV_ms, down = 2 / sqrt(3) * lead[AVF].area_mV_ms;
    if (across == 0 && down == 0) return NAN;
    const double degrees = atan2(down, across) * (180 / M_PI);
    return degrees > -180 ? degrees : 180; /* atan2(-0, -1) */
}

const char *mt_qrs_axis_name(double degrees)
{
    if (isnan(degrees)) return NULL;
    if (degrees < -90) return "extreme deviation";
    if (degrees < -30) return "left deviation";
    return degrees <= 90 ? "normal" : "right deviation";
}

static void find_transition(const mt_qrs_record *r, mt_qrs *qrs)
{
    double before = NAN, at = NAN; /* R - S of the previous lead, and its number */
    qrs->transition = NAN;
    for (size_t k = MT_LEADS_LIMB; k < r->n_standard; k++) {
        const double net = qrs->lead[k].r_mV - qrs->lead[k].s_mV,
                     now = 1 + (double)mt_leads_chest(r->name[k]);
        if (net >= 0) {
            qrs->transition_first = isnan(at);
            qrs->transition = qrs->transition_first ? now : at + (now - at) * before / (before - net);
            return;
        }
        before = net, at = now;
    }
}

/* ---- all ---- */

mt_status mt_qrs_find(mt_arena *arena, const mt_qrs_record *record, double from_ms, double to_ms, mt_qrs *qrs)
{
    MT_SCRATCH(scratch);
    window w;
    mt_qrs_lead *lead;
    *qrs = (mt_qrs){0};
    MT_TRY(make_window(scratch, record, from_ms, to_ms, &w));
    if (w.first == w.end || slope_at(&w, steepest(&w, w.first, w.end)) <= 0) return MT_OK;
    MT_ALLOC(arena, lead, record->n_leads);
    const size_t peak = find_steepest(&w);
    const double threshold = MT_QRS_THRESHOLD * slope_at(&w, peak);
    const extent e = find_extent(&w, peak, threshold);
    for (size_t k = 0; k < record->n_leads; k++) lead[k] = measure(&w, &e, k);
    *qrs = (mt_qrs){.found = true,
        .onset_at = e.onset_at,
        .end_at = e.end_at,
        .onset_ms = e.onset_ms,
        .end_ms = e.end_ms,
        .shorter_ms = duration_ms(&w, peak, 2 * threshold),
        .longer_ms = duration_ms(&w, peak, threshold / 2),
        .lead = lead,
        .axis_degrees = find_axis(record, lead)};
    find_transition(record, qrs);
    return MT_OK;
}
