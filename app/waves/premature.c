#include "app/waves/premature.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/progress.h"
#include "solver/waves/wave_run.h"
#include "solver/backends/backend.h"
#include "data/core/select.h"

/* A run of S1 or S2 and its record. */
typedef struct wave {
    void *self; /* of the backend */
    size_t steps_done;
    double *activation_ms, *repolarisation_ms, *low_mV; /* [n] recorded from the stimulus on */
} wave;

typedef struct measuring {
    const mt_premature *what;
    size_t n, n_measured;
    uint32_t *measured; /* [n_measured] elements of the measured section */
    mt_stimulus stimulus;
    mt_monodomain problem;
    wave first, second;
    double *value; /* [n] scratch */
} measuring;

/* ---- one wave ---- */

static mt_status open_wave(mt_arena *arena, const measuring *m, wave *w)
{
    MT_ALLOC(arena, w->activation_ms, m->n);
    MT_ALLOC(arena, w->repolarisation_ms, m->n);
    MT_ALLOC(arena, w->low_mV, m->n);
    return mt_backend_cpu.open(arena, &m->problem, NULL, &w->self);
}

static void read_record(wave *w)
{
    mt_backend_cpu.read(w->self, MT_ARRAY_ACTIVATION, w->activation_ms);
    mt_backend_cpu.read(w->self, MT_ARRAY_RECORD + MT_RECORDED_REPOLARISATION, w->repolarisation_ms);
    mt_backend_cpu.read(w->self, MT_ARRAY_RECORD + MT_RECORDED_LOW, w->low_mV);
}

static bool is_activated(const measuring *m, const wave *w)
{
    for (size_t k = 0; k < m->n_measured; k++)
        if (!isfinite(w->activation_ms[m->measured[k]])) return false;
    return true;
}

/* True if all measured elements have been activated and have repolarised. */
static bool is_over(const measuring *m, const wave *w)
{
    for (size_t k = 0; k < m->n_measured; k++)
        if (w->low_mV[m->measured[k]] != -INFINITY) return false;
    return is_activated(m, w);
}

static double speed_of(const measuring *m, const wave *w)
{
    const mt_strand *strand = m->what->strand;
    return mt_plane_wave_speed(m->n, strand->place_mm, w->activation_ms, strand->from_mm, strand->to_mm);
}

/* ---- velocity, DI and APD90 ---- */

static double duration_of(const measuring *m, const wave *w)
{
    for (size_t k = 0; k < m->n_measured; k++)
        m->value[k] = w->repolarisation_ms[m->measured[k]] - w->activation_ms[m->measured[k]];
    return mt_median(m->value, m->n_measured);
}

static mt_premature_wave numbers_of(const measuring *m, const wave *w, double interval_ms)
{
    mt_premature_wave numbers = {interval_ms, speed_of(m, w), NAN, NAN};
    if (is_over(m, w)) numbers.apd90_ms = duration_of(m, w);
    return numbers;
}

/* Computes DI of S2, once S1 has ended. `activation_ms`: [n_measured] of S2. */
static void set_diastolic_interval(const measuring *m, const double *activation_ms, mt_premature_wave *s2)
{
    for (size_t k = 0; k < m->n_measured; k++)
        m->value[k] = s2->interval_ms + activation_ms[k] - m->first.repolarisation_ms[m->measured[k]];
    s2->diastolic_interval_ms = mt_median(m->value, m->n_measured);
}

/* ---- S1 ---- */

static mt_status run_first(measuring *m, size_t to)
{
    wave *w = &m->first;
    MT_TRY(mt_backend_run(&m->problem, &mt_backend_cpu, w->self, w->steps_done, to, NULL, NULL, NULL));
    w->steps_done = to;
    read_record(w);
    return MT_OK;
}

/* Runs S1 until its action potentials have ended, as DI needs. */
static mt_status end_first(measuring *m)
{
    const double dt_ms = m->problem.dt_ms;
    const size_t piece = (size_t)ceil(1 / dt_ms),
                 end = m->first.steps_done + (size_t)ceil(m->what->longest_ms / dt_ms);
    mt_progress_stage("S1");
    while (!is_over(m, &m->first) && m->first.steps_done < end)
        MT_TRY(run_first(m, m->first.steps_done + piece));
    if (isnan(speed_of(m, &m->first)))
        return mt_fail(MT_NUMERICS, "S1 does not propagate through the tissue");
    if (is_over(m, &m->first)) return MT_OK;
    return mt_fail(MT_NUMERICS, "the action potentials of S1 have not ended after %g ms",
        (double)m->first.steps_done * dt_ms);
}

/* ---- S2 ---- */

/* Starts S2 with V and states of S1 and an empty record. */
static void begin_second(measuring *m)
{
    const size_t states = mt_array_states(&m->problem);
    for (size_t array = 0; array < mt_arrays(&m->problem); array++) {
        if (array == MT_ARRAY_V || array >= states)
            mt_backend_cpu.read(m->first.self, array, m->value);
        else
            for (size_t e = 0; e < m->n; e++)
                m->value[e] =
                    array == MT_ARRAY_ACTIVATION ? INFINITY : mt_recorded_start[array - MT_ARRAY_RECORD];
        mt_backend_cpu.write(m->second.self, array, m->value);
    }
    mt_backend_cpu.resume(m->second.self, 0);
}

typedef struct watching {
    measuring *m;
    double dead_ms;
    bool passed; /* true if all elements are activated or propagation has failed */
    bool ended;
} watching;

/* Called after each step; returns false to end the run. */
static bool watch(void *user, size_t steps_done)
{
    watching *w = user;
    wave *second = &w->m->second;
    const double dt_ms = w->m->problem.dt_ms;
    if (!mt_wave_run_check_due(dt_ms, steps_done)) return true;
    read_record(second);
    if (!w->passed)
        w->passed = mt_wave_run_has_ended(
            "propagation", w->dead_ms, w->m->n, second->activation_ms, (double)steps_done * dt_ms);
    w->ended = w->passed && (!is_activated(w->m, second) || is_over(w->m, second));
    return !w->ended;
}

/* Propagation has also failed if no element was activated in twelve times the travel time of S1 over one edge. */
static double dead_ms(const measuring *m)
{
    return fmax(mt_plane_wave_dead_ms, 12 * m->what->strand->spacing_mm / speed_of(m, &m->first));
}

static mt_status run_second(measuring *m)
{
    watching w = {.m = m, .dead_ms = dead_ms(m)};
    const size_t end = (size_t)ceil(m->what->longest_ms / m->problem.dt_ms);
    begin_second(m);
    const mt_status status =
        mt_backend_run(&m->problem, &mt_backend_cpu, m->second.self, 0, end, NULL, watch, &w);
    if (status != MT_OK && !(status == MT_STOPPED && w.ended)) return status;
    read_record(&m->second);
    return MT_OK;
}

/* Measures S2. `activation_ms`: of the measured elements, for DI once S1 has ended; NULL if S2 was blocked. */
static mt_status measure_second(mt_arena *arena, measuring *m, mt_premature_wave *s2, double **activation_ms)
{
    char stage[64];
    const size_t at = (size_t)llround(s2->interval_ms / m->problem.dt_ms);
    *activation_ms = NULL;
    *s2 = (mt_premature_wave){(double)at * m->problem.dt_ms, NAN, NAN, NAN};
    mt_progress_stage("S1");
    MT_TRY(run_first(m, at));
    if (!is_activated(m, &m->first)) return MT_OK;
    (void)snprintf(stage, sizeof stage, "S2 after %g ms", s2->interval_ms);
    mt_progress_stage(stage);
    MT_TRY(run_second(m));
    *s2 = numbers_of(m, &m->second, s2->interval_ms);
    if (isnan(s2->speed_mm_ms)) return MT_OK;
    MT_ALLOC(arena, *activation_ms, m->n_measured);
    for (size_t k = 0; k < m->n_measured; k++) (*activation_ms)[k] = m->second.activation_ms[m->measured[k]];
    return MT_OK;
}

/* ---- all ---- */

static mt_status find_measured(mt_arena *arena, measuring *m)
{
    const mt_strand *strand = m->what->strand;
    MT_ALLOC(arena, m->measured, m->n);
    for (size_t e = 0; e < m->n; e++)
        if (strand->place_mm[e] >= strand->from_mm && strand->place_mm[e] <= strand->to_mm)
            m->measured[m->n_measured++] = (uint32_t)e;
    return MT_OK;
}

static mt_status begin(mt_arena *arena, measuring *m)
{
    const mt_strand *strand = m->what->strand;
    MT_TRY(find_measured(arena, m));
    MT_TRY(mt_plane_wave_stimulus(arena, m->n, strand->place_mm, strand->stimulated_mm, &m->stimulus));
    m->problem = mt_wave_medium_problem(m->what->medium, &strand->diffusion, &m->stimulus);
    if (m->problem.diffusing == MT_DIFFUSING_EXPLICIT) m->problem.pde_steps = strand->pde_steps;
    m->problem.splitting = strand->splitting;
    m->problem.mesh = strand->mesh;
    m->problem.variants = m->what->cells;
    m->problem.n_variants = 1;
    m->problem.variant = 0;
    m->problem.record = (mt_record){.all = true, .fraction = 0.9};
    MT_ALLOC(arena, m->value, m->n);
    MT_TRY(open_wave(arena, m, &m->first));
    return open_wave(arena, m, &m->second);
}

static mt_status measure(
    mt_arena *arena, measuring *m, mt_premature_wave *s1, size_t n, mt_premature_wave *s2)
{
    double **activation_ms; /* [n] of the S2 waves that still need DI */
    MT_ALLOC(arena, activation_ms, n);
    MT_TRY(begin(arena, m));
    for (size_t k = n; k-- > 0;) MT_TRY(measure_second(arena, m, &s2[k], &activation_ms[k]));
    MT_TRY(end_first(m));
    for (size_t k = 0; k < n; k++)
        if (activation_ms[k]) set_diastolic_interval(m, activation_ms[k], &s2[k]);
    *s1 = numbers_of(m, &m->first, NAN);
    return MT_OK;
}

mt_status mt_premature_measure(
    const mt_premature *what, mt_premature_wave *s1, size_t n, mt_premature_wave *s2)
{
    MT_SCRATCH(arena);
    measuring m = {.what = what, .n = what->strand->diffusion.n_unknowns};
    const mt_status status = measure(arena, &m, s1, n, s2);
    mt_progress_stage(NULL);
    return status;
}
