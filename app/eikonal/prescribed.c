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

/* Finds the strength of the current for cells by bisection, its latency, and the range in which V is held. The latency is NaN if no current
 * activates them. */
static mt_status find_current(const mt_monodomain *m, mt_prescribed_cells *p, const mt_cell_variant *cells)
{
    double low = 0, high = largest_mV / MT_PRESCRIBED_MS, latency_ms;
    MT_TRY(find_latency(m, cells, cells->v_mV, high, &p->latency_ms));
    if (isnan(p->latency_ms)) return MT_OK;
    while (high - low > 1e-3 * high) {
        const double middle = (low + high) / 2;
        MT_TRY(find_latency(m, cells, cells->v_mV, middle, &latency_ms));
        *(isnan(latency_ms) ? &low : &high) = middle;
    }
    const double h_mV = 0.5 * high * MT_PRESCRIBED_MS;
    p->held_mV = cells->v_mV + h_mV;
    p->free_mV = cells->v_mV + 3 * h_mV;
    p->rise_mV_ms = fmin(MT_PRESCRIBED_FACTOR * high, largest_mV / MT_PRESCRIBED_MS);
    return find_latency(m, cells, p->held_mV, p->rise_mV_ms, &p->latency_ms);
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

/* Chooses the unknowns of a variant with a time, less those that a stimulus reaches before. */
static mt_status choose(mt_arena *scratch, const mt_monodomain *m, size_t variant, const double *time_ms,
    const double *from_ms, double latency_ms, chosen *c)
{
    const size_t n = m->diffusion->n_unknowns;
    *c = (chosen){.first = SIZE_MAX};
    MT_ALLOC(scratch, c->unknown, n);
    MT_ALLOC(scratch, c->step, n);
    for (size_t k = 0; k < n; k++) {
        const double start_ms = fmax(time_ms[k] - latency_ms, 0);
        if ((m->variant_of ? m->variant_of[k] : m->variant) != variant || !isfinite(start_ms)) continue;
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
    const mt_prescribed_cells *cells, mt_stimulus *stimulus)
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
        .rise_mV_ms = cells->rise_mV_ms,
        .n_elements = c->n,
        .element = unknown,
        .period_ms = period_ms,
        .repeats = count - 1,
        .delay = delay,
        .longest = c->last - begin,
        .held = held,
        .held_mV = cells->held_mV,
        .free_mV = cells->free_mV};
    return MT_OK;
}

/* Adds the current of a variant; none if no current activates its cells, or it has no unknown with a time. */
static mt_status add_variant(mt_arena *arena, const mt_case *input, const mt_monodomain *m, size_t variant,
    const double *time_ms, const double *from_ms, mt_prescribed *p, mt_stimulus *stimulus)
{
    MT_SCRATCH(scratch);
    size_t n_variants;
    const mt_cell_variant *cells = &mt_monodomain_variants(m, &n_variants)[variant];
    mt_prescribed_cells found = {.name = cells->name};
    chosen c;
    MT_TRY(find_current(m, &found, cells));
    if (isnan(found.latency_ms)) return MT_OK;
    MT_TRY(choose(scratch, m, variant, time_ms, from_ms, found.latency_ms, &c));
    if (c.n == 0) return MT_OK;
    found.n_unknowns = c.n;
    MT_TRY(check_steps(input, m->dt_ms, &c));
    p->cells[p->n++] = found;
    return fill_stimulus(arena, input, m->dt_ms, &c, &found, stimulus);
}

/* Appends the stimuli of all variants to those of the problem. */
static mt_status add_stimuli(
    mt_arena *arena, const mt_case *input, const double *time_ms, mt_monodomain *m, mt_prescribed *p)
{
    MT_SCRATCH(scratch);
    const size_t own = m->n_stimuli;
    size_t n_variants, *of;
    mt_stimulus *all;
    double *from_ms;
    (void)mt_monodomain_variants(m, &n_variants);
    MT_ALLOC(scratch, from_ms, m->diffusion->n_unknowns);
    find_stimulated(m, m->diffusion->n_unknowns, from_ms);
    MT_ALLOC(arena, all, own + n_variants);
    MT_ALLOC(arena, of, own + n_variants);
    MT_ALLOC(arena, p->cells, n_variants);
    for (size_t s = 0; s < own; s++) all[s] = m->stimulus[s], of[s] = mt_monodomain_stimulus_of(m, s);
    for (size_t v = 0; v < n_variants; v++) {
        of[own + v] = SIZE_MAX;
        MT_TRY(add_variant(arena, input, m, v, time_ms, from_ms, p, &all[own + p->n]));
    }
    m->stimulus = all;
    m->stimulus_of = of;
    m->n_stimuli = own + p->n;
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
    return add_stimuli(
        arena, input, map->run.results.beats[0].activation_ms, &problem->monodomain, prescribed);
}
