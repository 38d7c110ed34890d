#include "app/run/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/progress.h"
#include "solver/backends/leader.h"

typedef struct watching {
    const mt_simulation *simulation;
    void *self; /* the backend's */
    mt_segments *segments;
    size_t first, steps_done;
    double *activation_ms; /* [n_elements] room; NULL: nobody asks whether all is activated */
    bool activated;        /* it is, and the steps end */
    mt_status kept;        /* of samples, and who looks, */
    char why[1024];        /*   and why they were not */
} watching;

/* Is the last state wanted? */
static bool is_last(const watching *w, size_t steps_done)
{
    const mt_simulation *s = w->simulation;
    return s->checkpoints && s->checkpoints->at_end && (w->activated || steps_done == s->n_steps);
}

/* When the last pulse of a stimulus begins. */
static double last_pulse_ms(const mt_monodomain *problem)
{
    double last_ms = 0;
    for (size_t s = 0; s < problem->n_stimuli; s++) {
        const mt_stimulus *stimulus = &problem->stimulus[s];
        const double more_ms = stimulus->repeats > 0 ? (double)stimulus->repeats * stimulus->period_ms : 0;
        last_ms = fmax(last_ms, stimulus->start_ms + more_ms);
    }
    return last_ms;
}

/* Is all activated, or nothing any more (mt_case_until)? By what is recorded alone, so that a run that goes on ends where one does that never stopped. */
static bool is_over(const watching *w, double now_ms)
{
    const mt_monodomain *problem = w->simulation->problem;
    double latest_ms = last_pulse_ms(problem);
    size_t left = 0;
    w->simulation->backend->read(w->self, MT_ARRAY_ACTIVATION, w->activation_ms);
    for (size_t c = 0; c < problem->diffusion->n_elements; c++)
        if (isinf(w->activation_ms[c]))
            left++;
        else
            latest_ms = fmax(latest_ms, w->activation_ms[c]);
    return left == 0 || now_ms >= latest_ms + MT_CASE_QUIET_MS;
}

/* A machine does not hear of the look, which comes at the end of each ms. */
static bool is_done(const watching *w, size_t steps_done)
{
    const double dt_ms = w->simulation->problem->dt_ms;
    const size_t ms = dt_ms < 1 ? (size_t)llround(1 / dt_ms) : 1;
    return w->activation_ms && steps_done % ms == 0 && is_over(w, (double)steps_done * dt_ms);
}

/* Keeps what is due: samples, made durable where a checkpoint follows, and that. False: some sample could not be kept, or who looks
 * failed. */
static bool keep(watching *w, size_t steps_done, bool wanted)
{
    const mt_simulation *s = w->simulation;
    const bool due = s->checkpoints && mt_checkpoints_due(s->checkpoints, steps_done, wanted);
    if (s->sampling) w->kept = mt_sampling_take(s->sampling, s->backend, w->self, steps_done);
    if (s->look && w->kept == MT_OK) w->kept = s->look(s->looking, s->backend, w->self, steps_done);
    if (s->sampling && w->kept == MT_OK && due) w->kept = mt_sampling_sync(s->sampling);
    if (w->kept != MT_OK) (void)snprintf(w->why, sizeof w->why, "%s", mt_message());
    if (w->kept == MT_OK && due)
        mt_checkpoints_write(s->checkpoints, s->problem, s->backend, w->self, w->segments, steps_done);
    return w->kept == MT_OK;
}

static bool watch(void *user, size_t steps_done)
{
    watching *w = user;
    const mt_simulation *s = w->simulation;
    w->steps_done = steps_done;
    mt_progress_update((double)steps_done * s->problem->dt_ms,
        (double)(steps_done - w->first) * (double)s->problem->diffusion->n_elements);
    w->activated = is_done(w, steps_done);
    const bool stopped = !w->activated && mt_progress_interrupted();
    return keep(w, steps_done, stopped || is_last(w, steps_done)) && !stopped && !w->activated;
}

/* Being stopped behind the first step is no failure. */
static mt_status make_steps(
    mt_arena *arena, const mt_simulation *s, void *self, mt_segments *segments, mt_simulated *out)
{
    const size_t first = s->from ? s->from->step : 0;
    watching w = {.simulation = s, .self = self, .segments = segments, .first = first, .steps_done = first};
    mt_progress_begin(s->what, (double)s->n_steps * s->problem->dt_ms);
    if (s->until_activated) MT_ALLOC(arena, w.activation_ms, s->problem->diffusion->n_elements);
    if (s->sampling && first == 0) MT_TRY(mt_sampling_take(s->sampling, s->backend, self, 0));
    if (s->look) MT_TRY(s->look(s->looking, s->backend, self, first));
    if (s->on_signal) mt_progress_catch_interrupt(s->on_signal);
    const mt_status status =
        mt_fail_in(s->path, mt_backend_run(s->problem, s->backend, self, first, s->n_steps, watch, &w));
    mt_progress_end();
    out->n_steps = w.steps_done;
    out->activated = w.activated;
    if (w.kept != MT_OK)
        return mt_fail(w.kept, "%s; stopped at %g ms, earlier checkpoints stay", w.why,
            (double)w.steps_done * s->problem->dt_ms);
    return status == MT_STOPPED && w.steps_done > 0 ? MT_OK : status;
}

/* To where the checkpoint is; `counted`: the machine counts on from there. */
static mt_status go_to_checkpoint(const mt_simulation *s, void *self, bool *counted)
{
    *counted = false;
    if (!s->from && !s->start) return MT_OK;
    mt_progress_stage("reading the checkpoint");
    if (!s->from) return mt_checkpoint_start(s->start, s->problem, s->backend, self);
    MT_TRY(mt_checkpoint_restore(s->from, s->problem, s->backend, self, counted));
    if (strcmp(s->from->backend, s->backend->name) != 0)
        mt_warn("%s: of the backend %s, here %s: voltages agree to single precision, not to the bit",
            s->from->path, s->from->backend, s->backend->name);
    return MT_OK;
}

/* The same problem, with room for what is recorded of it. */
static mt_status with_beats(mt_arena *arena, const mt_simulation *s, mt_monodomain **problem)
{
    MT_ALLOC(arena, *problem, 1);
    **problem = *s->problem;
    return mt_records_new(arena, &s->problem->record, s->problem->diffusion->n_elements, &(*problem)->beats);
}

static mt_status simulate_on(
    mt_arena *arena, const mt_simulation *s, void *self, const mt_monodomain *problem, mt_simulated *out)
{
    bool counted;
    if (mt_progress_interrupted()) return mt_fail(MT_STOPPED, "stopped before the first step");
    if (s->tracing) MT_TRY(s->backend->trace(self, arena, s->tracing, &out->trace));
    MT_TRY(go_to_checkpoint(s, self, &counted));
    MT_TRY(mt_segments_begin(
        arena, s->from ? &s->from->segments : NULL, counted, s->backend, self, s->layout, &out->segments));
    MT_TRY(make_steps(arena, s, self, &out->segments, out));
    if (s->backend->profile) {
        MT_TRY(s->backend->profile(self, arena, &out->profile));
        MT_TRY(s->backend->add_bands(self, &out->profile));
    }
    mt_segments_set(&out->segments, problem, s->backend->profile ? &out->profile : NULL, out->n_steps);
    out->beats = problem->beats;
    out->n_beats = mt_record_beat(&problem->record, out->n_steps) + 1;
    return MT_OK;
}

/* Alone, or on all ranks. */
static mt_status simulate(
    mt_arena *arena, mt_arena *of_backend, mt_simulation *s, const mt_monodomain *problem, mt_simulated *out)
{
    void *self;
    mt_progress_stage("laying it out");
    if (!s->layout || !s->layout->ranks) {
        MT_TRY(s->backend->open(of_backend, s->problem, s->layout, &self));
        return simulate_on(arena, s, self, problem, out);
    }
    MT_TRY(mt_backend_open_on_ranks(of_backend, s->backend, s->problem, s->layout, &s->backend, &self));
    mt_communicator_take_threads(s->layout->ranks, false);
    const mt_status status = simulate_on(arena, s, self, problem, out);
    mt_backend_dismiss(self);
    return status;
}

mt_status mt_simulate_part(const mt_backend *backend, const mt_layout *layout)
{
    MT_SCRATCH(arena);
    const mt_backend *led;
    void *self;
    MT_TRY(mt_backend_open_on_ranks(arena, backend, NULL, layout, &led, &self));
    return mt_backend_serve(self);
}

/* The backend ends with the steps; but a trace is one of its machine. */
mt_status mt_simulate(mt_arena *arena, const mt_simulation *simulation, mt_simulated *out)
{
    mt_simulation keeping = *simulation;
    mt_monodomain *problem;
    MT_SCRATCH(of_backend);
    *out = (mt_simulated){0};
    MT_TRY(with_beats(arena, simulation, &problem));
    keeping.problem = problem;
    return simulate(arena, keeping.tracing ? arena : of_backend, &keeping, problem, out);
}
