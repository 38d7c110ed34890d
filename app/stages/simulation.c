#include "app/stages/simulation.h"

#include "app/cli/progress.h"

typedef struct watching {
    mt_progress progress;
    const mt_simulation *simulation;
    size_t steps_done;
} watching;

static bool watch(void *user, size_t steps_done)
{
    watching *w = user;
    const mt_monodomain *problem = w->simulation->problem;
    w->steps_done = steps_done;
    mt_progress_update(&w->progress, (double)steps_done * problem->dt_ms,
        (double)steps_done * (double)problem->diffusion->n_elements);
    return !mt_progress_interrupted();
}

/* Being stopped behind the first step is no failure. */
static mt_status make_steps(const mt_simulation *s, void *self, size_t *n_steps)
{
    watching w = {mt_progress_begin(s->what, (double)s->n_steps * s->problem->dt_ms), s, 0};
    if (s->on_signal) mt_progress_catch_interrupt(s->on_signal);
    const mt_status status =
        mt_fail_in(s->path, mt_backend_run(s->problem, s->backend, self, s->n_steps, watch, &w));
    mt_progress_end(&w.progress);
    *n_steps = w.steps_done;
    return status == MT_STOPPED && w.steps_done > 0 ? MT_OK : status;
}

mt_status mt_simulate(mt_arena *arena, const mt_simulation *s, mt_simulated *out)
{
    void *self;
    *out = (mt_simulated){0};
    mt_progress_stage("laying it out");
    MT_TRY(s->backend->open(arena, s->problem, s->layout, &self));
    if (mt_progress_interrupted()) return mt_fail(MT_STOPPED, "stopped before the first step");
    if (s->tracing) MT_TRY(s->backend->trace(self, arena, s->tracing, &out->trace));
    MT_TRY(make_steps(s, self, &out->n_steps));
    MT_ALLOC(arena, out->activation_ms, s->problem->diffusion->n_elements);
    MT_TRY(s->backend->read(self, NULL, out->activation_ms));
    return s->backend->profile ? s->backend->profile(self, arena, &out->profile) : MT_OK;
}
