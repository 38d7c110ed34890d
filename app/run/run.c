#include "app/run/run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "data/core/progress.h"
#include "solver/backends/leader.h"
#include "solver/conduction/conducting.h"

typedef struct watching {
    mt_run *run;
    const mt_monodomain *problem;
    const mt_backend *backend;
    void *self; /* the backend's */
    size_t first;
    double *activation_ms; /* [n_elements] scratch; NULL if activation does not end the run */
    mt_status kept;        /* status of the samples and of `look` */
    char why[1024];        /* their error message */
} watching;

/* True if a checkpoint of the final state is requested and this is the final step. */
static bool is_last(const mt_run *run, size_t steps_done)
{
    return run->checkpoints && run->checkpoints->at_end &&
           (run->activated || steps_done == mt_case_steps(run->input));
}

/* Returns the start time of the last pulse of n stimuli, in its last element. */
static double last_of(size_t n, const mt_stimulus *stimulus, double dt_ms)
{
    double last_ms = 0;
    for (size_t s = 0; s < n; s++) {
        const double more_ms =
            stimulus[s].repeats > 0 ? (double)stimulus[s].repeats * stimulus[s].period_ms : 0;
        last_ms = fmax(last_ms, stimulus[s].start_ms + more_ms + (double)stimulus[s].longest * dt_ms);
    }
    return last_ms;
}

/* Returns the start time of the last pulse, of the tissue or the conduction system. */
static double last_pulse_ms(const mt_monodomain *problem)
{
    const mt_conduction *c = problem->conduction;
    return fmax(last_of(problem->n_stimuli, problem->stimulus, problem->dt_ms),
        c ? last_of(c->n_stimuli, c->stimulus, problem->dt_ms) : 0);
}

/* Returns the latest activation of the conduction system; NaN if there is none. */
static double latest_in_network(const watching *w)
{
    const mt_conducting *c = w->run->results.conducting;
    double latest_ms = NAN;
    if (c) (void)mt_record_activated(c->n_places, c->activation_ms, &latest_ms);
    return latest_ms;
}

/* True if all elements are activated, or if activation has ended (mt_case_until). Depends on the record only, so that a resumed run ends at
 * the same step as an uninterrupted one. */
static bool is_over(const watching *w, double now_ms)
{
    const mt_monodomain *problem = w->problem;
    const size_t n = problem->diffusion->n_unknowns;
    double latest_ms;
    if (w->backend->read(w->self, MT_ARRAY_ACTIVATION, w->activation_ms) != MT_OK) return false;
    if (mt_record_activated(n, w->activation_ms, &latest_ms) == n) return true;
    const double quiet_from_ms = fmax(latest_ms, fmax(last_pulse_ms(problem), latest_in_network(w)));
    return now_ms >= quiet_from_ms + MT_CASE_QUIET_MS;
}

/* Checks at the end of each ms, by host reads that the emulated machine does not count. */
static bool is_done(const watching *w, size_t steps_done)
{
    const double dt_ms = w->problem->dt_ms;
    const size_t ms = dt_ms < 1 ? (size_t)llround(1 / dt_ms) : 1;
    return w->activation_ms && steps_done % ms == 0 && is_over(w, (double)steps_done * dt_ms);
}

/* Stores the samples that are due, calls `look`, and writes a checkpoint if one is due, after syncing the samples. Returns false if a
 * sample could not be stored or `look` failed. */
static bool keep(watching *w, size_t steps_done, bool wanted)
{
    mt_run *r = w->run;
    const bool due = r->checkpoints && mt_checkpoints_due(r->checkpoints, steps_done, wanted);
    if (r->sampling) w->kept = mt_sampling_take(r->sampling, w->backend, w->self, steps_done);
    if (r->look && w->kept == MT_OK) w->kept = r->look(r->looking, w->backend, w->self, steps_done);
    if (r->sampling && w->kept == MT_OK && due) w->kept = mt_sampling_sync(r->sampling);
    if (w->kept != MT_OK) (void)snprintf(w->why, sizeof w->why, "%s", mt_message());
    if (w->kept == MT_OK && due)
        mt_checkpoints_write(
            r->checkpoints, w->problem, &r->results, w->backend, w->self, &r->segments, steps_done);
    return w->kept == MT_OK;
}

static bool watch(void *user, size_t steps_done)
{
    watching *w = user;
    mt_run *r = w->run;
    r->n_steps = steps_done;
    mt_progress_update((double)steps_done * w->problem->dt_ms,
        (double)(steps_done - w->first) * (double)w->problem->diffusion->n_unknowns);
    r->activated = is_done(w, steps_done);
    const bool stopped = !r->activated && mt_progress_interrupted();
    return keep(w, steps_done, stopped || is_last(r, steps_done)) && !stopped && !r->activated;
}

/* Runs the time loop. A stop after the first step is no failure. */
static mt_status make_steps(mt_arena *arena, watching *w)
{
    mt_run *r = w->run;
    const size_t steps = mt_case_steps(r->input);
    r->n_steps = w->first;
    mt_progress_begin(r->what, (double)steps * w->problem->dt_ms);
    if (r->until_activated) MT_ALLOC(arena, w->activation_ms, w->problem->diffusion->n_unknowns);
    if (r->sampling && w->first == 0) MT_TRY(mt_sampling_take(r->sampling, w->backend, w->self, 0));
    if (r->look) MT_TRY(r->look(r->looking, w->backend, w->self, w->first));
    if (r->on_signal) mt_progress_catch_interrupt(r->on_signal);
    const mt_status status = mt_fail_in(
        r->path, mt_backend_run(w->problem, w->backend, w->self, w->first, steps, &r->results, watch, w));
    mt_progress_end();
    if (w->kept != MT_OK)
        return mt_fail(
            w->kept, "%s; stopped at %g ms, earlier checkpoints remain", w->why, mt_run_reached_ms(r));
    return status == MT_STOPPED && r->n_steps > 0 ? MT_OK : status;
}

/* Restores the checkpoint, if there is one. `counted`: true if the machine continues its cycle counts from there. */
static mt_status go_to_checkpoint(watching *w, bool *counted)
{
    mt_run *r = w->run;
    *counted = false;
    if (!r->from && !r->start) return MT_OK;
    mt_progress_stage("reading the checkpoint");
    if (!r->from) return mt_checkpoint_start(r->start, w->problem, &r->results, w->backend, w->self);
    MT_TRY(mt_checkpoint_restore(r->from, w->problem, &r->results, w->backend, w->self, counted));
    const mt_backend *before = mt_backend_find(r->from->backend);
    if (before && before->single != w->backend->single)
        mt_warn(
            "%s: a checkpoint in %s precision, here %s: voltages agree in single precision, not bit by bit",
            r->from->path, before->single ? "single" : "double", w->backend->single ? "single" : "double");
    return MT_OK;
}

static mt_status take_profile(mt_arena *arena, const watching *w)
{
    ipu_profile *profile;
    if (!w->backend->profile) return MT_OK;
    MT_ALLOC(arena, profile, 1);
    MT_TRY(w->backend->profile(w->self, arena, profile));
    MT_TRY(w->backend->add_bands(w->self, profile));
    w->run->profile = profile;
    return MT_OK;
}

static const char *name_of_signal(int number)
{
    return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
}

/* Describes the device, and warns if it may not compute the bits of the host. */
static void find_device(mt_run *r, const mt_backend *backend, void *self)
{
    if (!backend->describe) return;
    backend->describe(self, &r->device);
    if (r->device.differs[0])
        mt_warn(
            "%s: machine.strict: false: results of the device %s may differ from the host's in their last "
            "digits: %s",
            r->path, r->device.name, r->device.differs);
}

static mt_status run_on(mt_arena *arena, mt_run *r, const mt_backend *backend, void *self)
{
    watching w = {.run = r,
        .problem = &r->problem->monodomain,
        .backend = backend,
        .self = self,
        .first = r->from ? r->from->step : 0};
    ipu_trace *trace = NULL;
    bool counted;
    if (mt_progress_interrupted()) return mt_fail(MT_STOPPED, "stopped before the first step");
    find_device(r, backend, self);
    if (r->tracing) MT_TRY(backend->trace(self, arena, r->tracing, &trace));
    r->trace = trace;
    MT_TRY(go_to_checkpoint(&w, &counted));
    MT_TRY(mt_segments_begin(
        arena, r->from ? &r->from->segments : NULL, counted, backend, self, r->layout, &r->segments));
    MT_TRY(make_steps(arena, &w));
    MT_TRY(take_profile(arena, &w));
    mt_segments_set(&r->segments, w.problem, r->profile, r->n_steps);
    if (!r->activated && r->n_steps < mt_case_steps(r->input))
        r->stopped_by = name_of_signal(mt_progress_signal());
    return MT_OK;
}

/* Opens the conduction system of the problem, and allocates its results. */
static mt_status open_conduction(mt_arena *arena, mt_run *r)
{
    const mt_monodomain *problem = &r->problem->monodomain;
    const size_t n_beats = mt_record_beats(&problem->record);
    if (!problem->conduction) return MT_OK;
    MT_ALLOC(arena, r->results.conducting, 1);
    MT_ALLOC(arena, r->results.conduction_ms, n_beats);
    MT_TRY(mt_conducting_open(
        arena, problem->conduction, problem->dt_ms, r->backend->single, r->results.conducting));
    if (r->sampling) r->sampling->conducting = r->results.conducting;
    for (size_t b = 0; b < n_beats; b++)
        MT_COPY(arena, r->results.conduction_ms[b], r->results.conducting->activation_ms,
            r->results.conducting->n_places);
    return MT_OK;
}

/* The backend is freed at the end, unless there is a trace, which refers to its machine. */
mt_status mt_run_make(mt_arena *arena, mt_run *r)
{
    const mt_monodomain *problem = &r->problem->monodomain;
    const mt_backend *led;
    void *self;
    MT_SCRATCH(scratch);
    mt_arena *of_backend = r->tracing ? arena : scratch;
    MT_TRY(mt_results_new(arena, problem, &r->results));
    MT_TRY(open_conduction(arena, r));
    mt_progress_stage("mapping to tiles");
    if (!r->layout || !r->layout->ranks) {
        MT_TRY(mt_fail_in(r->path, r->backend->open(of_backend, problem, r->layout, &self)));
        return run_on(arena, r, r->backend, self);
    }
    MT_TRY(mt_fail_in(
        r->path, mt_backend_open_on_ranks(of_backend, r->backend, problem, r->layout, &led, &self)));
    mt_communicator_take_threads(r->layout->ranks, false);
    const mt_status status = run_on(arena, r, led, self);
    mt_backend_dismiss(self);
    return status;
}

mt_status mt_run_part(const mt_backend *backend, const mt_layout *layout)
{
    MT_SCRATCH(arena);
    const mt_backend *led;
    void *self;
    MT_TRY(mt_backend_open_on_ranks(arena, backend, NULL, layout, &led, &self));
    return mt_backend_serve(self);
}

double mt_run_reached_ms(const mt_run *run) { return (double)run->n_steps * run->problem->monodomain.dt_ms; }
