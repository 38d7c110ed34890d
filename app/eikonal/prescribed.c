#include "app/eikonal/prescribed.h"

#include <math.h>

#include "app/eikonal/eikonal_map.h"
#include "data/core/progress.h"
#include "solver/cells/pacing.h"

/* ---- the current */

/* The longest time from the start of the current to 0 mV; and the largest change of V by the current [mV]. */
static const double longest_ms = 20, largest_mV = 150;

/* Computes the time from the start of the current at this V to the passage through 0 mV in an uncoupled cell; NaN: there is none. */
static mt_status find_latency(
    const mt_monodomain *m, const mt_cell_variant *cells, double v_mV, double rise_mV_ms, double *latency_ms)
{
    MT_SCRATCH(scratch);
    mt_lone_cell cell;
    const size_t on = (size_t)llround(MT_PRESCRIBED_MS / m->dt_ms),
                 end = (size_t)llround(longest_ms / m->dt_ms);
    *latency_ms = NAN;
    MT_TRY(mt_lone_cell_make(scratch, m->model, cells, m->dt_ms, false, v_mV, cells->states, &cell));
    for (size_t step = 0; step < end; step++) {
        const double before_mV = cell.v_mV;
        MT_TRY(mt_lone_cell_step(&cell, step < on ? rise_mV_ms : 0));
        if (cell.v_mV < 0) continue;
        *latency_ms = ((double)step + before_mV / (before_mV - cell.v_mV)) * m->dt_ms;
        return MT_OK;
    }
    return MT_OK;
}

/* A current, and the range in which V is held before it. */
typedef struct current {
    double rise_mV_ms, held_mV, free_mV;
} current;

/* The currents of a problem, and those of its variants. */
typedef struct currents {
    size_t n;           /* number of currents */
    current *of;        /* [n] */
    size_t *number;     /* [variants]; SIZE_MAX: no current activates these cells */
    double *latency_ms; /* [variants] */
} currents;

/* Finds the strength of the current for cells by bisection, and the range in which V is held; *found: false if none activates them. */
static mt_status find_current(const mt_monodomain *m, const mt_cell_variant *cells, current *own, bool *found)
{
    double low = 0, high = largest_mV / MT_PRESCRIBED_MS, latency_ms;
    MT_TRY(find_latency(m, cells, cells->v_mV, high, &latency_ms));
    *found = !isnan(latency_ms);
    if (!*found) return MT_OK;
    while (high - low > 1e-3 * high) {
        const double middle = (low + high) / 2;
        MT_TRY(find_latency(m, cells, cells->v_mV, middle, &latency_ms));
        *(isnan(latency_ms) ? &low : &high) = middle;
    }
    const double h_mV = 0.5 * high * MT_PRESCRIBED_MS;
    *own = (current){.rise_mV_ms = fmin(MT_PRESCRIBED_FACTOR * high, largest_mV / MT_PRESCRIBED_MS),
        .held_mV = cells->v_mV + h_mV,
        .free_mV = cells->v_mV + 3 * h_mV};
    return MT_OK;
}

/* True if cells with the current `own` can have the other one. */
static bool can_share(const current *own, const current *other)
{
    return fabs(own->rise_mV_ms - other->rise_mV_ms) <= 0.05 * own->rise_mV_ms &&
           fabs(own->held_mV - other->held_mV) <= 1 && fabs(own->free_mV - other->free_mV) <= 3;
}

/* Finds the currents of all variants. Each is a stimulus of its own, which costs a machine a compute set; so similar cells share one. */
static mt_status find_currents(mt_arena *arena, const mt_monodomain *m, currents *c)
{
    size_t n;
    const mt_cell_variant *variants = mt_monodomain_variants(m, &n);
    *c = (currents){0};
    MT_ALLOC(arena, c->of, n);
    MT_ALLOC(arena, c->number, n);
    MT_ALLOC(arena, c->latency_ms, n);
    for (size_t v = 0; v < n; v++) {
        current own;
        bool found;
        size_t k = 0;
        c->number[v] = SIZE_MAX;
        MT_TRY(find_current(m, &variants[v], &own, &found));
        if (!found) continue;
        while (k < c->n && !can_share(&own, &c->of[k])) k++;
        if (k == c->n) c->of[c->n++] = own;
        MT_TRY(find_latency(m, &variants[v], c->of[k].held_mV, c->of[k].rise_mV_ms, &c->latency_ms[v]));
        if (!isnan(c->latency_ms[v])) c->number[v] = k;
    }
    return MT_OK;
}

/* ---- the unknowns */

/* Sets the time from which a stimulus of the case acts on each unknown; infinite: none does. */
static void find_stimulated(const mt_monodomain *m, size_t n, double *from_ms)
{
    for (size_t k = 0; k < n; k++) from_ms[k] = INFINITY;
    for (size_t s = 0; s < m->n_stimuli; s++)
        for (size_t k = 0; k < m->stimulus[s].n_elements; k++) {
            double *from = &from_ms[m->stimulus[s].element[k]];
            *from = fmin(*from, m->stimulus[s].start_ms);
        }
}

/* The unknowns of one stimulus, and the steps from the start of the run to that of their current. */
typedef struct chosen {
    size_t n, first, last; /* first and last: of the steps */
    uint32_t *unknown;
    size_t *step;
} chosen;

/* Chooses the unknowns with a current and a time, less those that a stimulus reaches before. */
static mt_status choose(mt_arena *scratch, const mt_monodomain *m, const currents *of, size_t number,
    const double *time_ms, const double *from_ms, chosen *c)
{
    const size_t n = m->diffusion->n_unknowns;
    *c = (chosen){.first = SIZE_MAX};
    MT_ALLOC(scratch, c->unknown, n);
    MT_ALLOC(scratch, c->step, n);
    for (size_t k = 0; k < n; k++) {
        const size_t variant = m->variant_of ? m->variant_of[k] : m->variant;
        if (of->number[variant] != number || !isfinite(time_ms[k])) continue;
        const double start_ms = fmax(time_ms[k] - of->latency_ms[variant], 0);
        if (from_ms[k] <= start_ms) continue;
        const size_t step = (size_t)llround(start_ms / m->dt_ms);
        c->unknown[c->n] = (uint32_t)k;
        c->step[c->n++] = step;
        c->first = step < c->first ? step : c->first;
        c->last = step > c->last ? step : c->last;
    }
    return MT_OK;
}

static size_t steps_held(double dt_ms) { return (size_t)llround(MT_PRESCRIBED_HELD_MS / dt_ms); }

/* Returns the step in which the first unknown can be held. */
static size_t first_step(const chosen *c, double dt_ms)
{
    const size_t held = steps_held(dt_ms);
    return c->first > held ? c->first - held : 0;
}

/* Checks that delays fit their type, and that the last unknown has its current before the next pulse. */
static mt_status check_steps(const mt_case *input, double dt_ms, const chosen *c)
{
    size_t count;
    double period_ms;
    mt_case_pulses(input, &count, &period_ms);
    const size_t steps = c->last - first_step(c, dt_ms);
    if (steps > UINT16_MAX)
        return mt_fail(MT_INPUT,
            "activation: eikonal: found %zu time steps from the first to the last activation; allowed: at "
            "most "
            "%d; a larger time.dt_ms reduces them",
            steps, UINT16_MAX);
    const double whole_ms = (double)(steps + 1) * dt_ms + MT_PRESCRIBED_MS;
    if (count == 1 || whole_ms < period_ms) return MT_OK;
    return mt_fail(MT_INPUT,
        "activation: eikonal: found an activation of %.4g ms; allowed with several pulses: less than their "
        "period, %g ms",
        whole_ms, period_ms);
}

static mt_status fill_stimulus(mt_arena *arena, const mt_case *input, double dt_ms, const chosen *c,
    const current *of, mt_stimulus *stimulus)
{
    const size_t held = steps_held(dt_ms), begin = first_step(c, dt_ms);
    uint32_t *unknown;
    uint16_t *delay;
    size_t count;
    double period_ms;
    MT_COPY(arena, unknown, c->unknown, c->n);
    MT_ALLOC(arena, delay, c->n);
    for (size_t k = 0; k < c->n; k++) delay[k] = (uint16_t)(c->step[k] - begin);
    mt_case_pulses(input, &count, &period_ms);
    *stimulus = (mt_stimulus){.start_ms = (double)begin * dt_ms,
        .duration_ms = MT_PRESCRIBED_MS,
        .rise_mV_ms = of->rise_mV_ms,
        .n_elements = c->n,
        .element = unknown,
        .period_ms = period_ms,
        .repeats = count - 1,
        .delay = delay,
        .longest = c->last - begin,
        .held = held,
        .held_mV = of->held_mV,
        .free_mV = of->free_mV};
    return MT_OK;
}

/* Adds a current, unless it has no unknown. */
static mt_status add_current(mt_arena *arena, const mt_case *input, const mt_monodomain *m,
    const currents *of, size_t number, const double *time_ms, const double *from_ms, size_t *n_unknowns,
    mt_stimulus *stimulus)
{
    MT_SCRATCH(scratch);
    chosen c;
    MT_TRY(choose(scratch, m, of, number, time_ms, from_ms, &c));
    if (c.n == 0) return MT_OK;
    MT_TRY(check_steps(input, m->dt_ms, &c));
    *n_unknowns += c.n;
    return fill_stimulus(arena, input, m->dt_ms, &c, &of->of[number], stimulus);
}

/* Appends the stimuli of all currents to those of the problem. `paced`: the same problem with paced cells. */
static mt_status add_stimuli(mt_arena *arena, const mt_case *input, const mt_monodomain *paced,
    const double *time_ms, mt_monodomain *m, size_t *n_unknowns)
{
    MT_SCRATCH(scratch);
    const size_t own = m->n_stimuli;
    size_t n = own;
    currents c;
    size_t *of;
    mt_stimulus *all;
    double *from_ms;
    MT_TRY(find_currents(scratch, paced, &c));
    MT_ALLOC(scratch, from_ms, m->diffusion->n_unknowns);
    find_stimulated(m, m->diffusion->n_unknowns, from_ms);
    MT_ALLOC(arena, all, own + c.n);
    MT_ALLOC(arena, of, own + c.n);
    for (size_t s = 0; s < own; s++) all[s] = m->stimulus[s], of[s] = mt_monodomain_stimulus_of(m, s);
    for (size_t k = 0; k < c.n; k++) {
        of[n] = SIZE_MAX;
        all[n] = (mt_stimulus){0};
        MT_TRY(add_current(arena, input, m, &c, k, time_ms, from_ms, n_unknowns, &all[n]));
        n += all[n].n_elements > 0;
    }
    m->stimulus = all;
    m->stimulus_of = of;
    m->n_stimuli = n;
    return MT_OK;
}

mt_status mt_prescribe(mt_arena *arena, const char *path, const mt_case *input, bool paced, bool cached,
    mt_problem *problem, mt_prescribed *prescribed)
{
    MT_SCRATCH(scratch);
    mt_eikonal_map *map;
    MT_ALLOC(scratch, map, 1);
    *prescribed = (mt_prescribed){0};
    *map = (mt_eikonal_map){.path = path,
        .input = *input,
        .cached = cached,
        .junction_ms = {NAN, NAN},
        .curvature = true,
        .problem = *problem}; /* it points to the mesh and the operator of the original */
    if (!paced) MT_TRY(mt_problem_prepace(scratch, input, cached, &map->problem));
    map->input.time.dt_ms = fmin(input->time.dt_ms, MT_PRESCRIBED_DT_MS);
    MT_TRY(mt_eikonal_map_on(scratch, map));
    prescribed->latest_ms = map->latest_ms;
    return add_stimuli(arena, input, &map->problem.monodomain, map->run.results.beats[0].activation_ms,
        &problem->monodomain, &prescribed->n_unknowns);
}
