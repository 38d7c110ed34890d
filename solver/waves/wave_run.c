#include "solver/waves/wave_run.h"

#include <math.h>

#include "data/core/progress.h"
#include "solver/backends/backend.h"

bool mt_wave_run_check_due(double dt_ms, size_t steps_done)
{
    return steps_done % (size_t)ceil(1 / dt_ms) == 0;
}

bool mt_wave_run_has_ended(
    const char *what, double dead_ms, size_t n, const double *activation_ms, double now_ms)
{
    double newest_ms;
    const size_t n_activated = mt_record_activated(n, activation_ms, &newest_ms);
    mt_progress_stage_part(what, (double)n_activated / (double)n);
    return n_activated == n || now_ms > fmax(newest_ms, 0) + dead_ms;
}

typedef struct running {
    const mt_wave_run *run;
    void *self; /* of the backend */
    double *v_mV, *activation_ms;
    bool ended;
} running;

/* Called after each step; returns false to end the run. */
static bool watch(void *user, size_t steps_done)
{
    running *r = user;
    const mt_wave_run *run = r->run;
    const double dt_ms = run->problem->dt_ms;
    const bool looks = mt_wave_run_check_due(dt_ms, steps_done);
    if (!run->look && !looks) return true;
    if (looks) mt_backend_cpu.read(r->self, MT_ARRAY_ACTIVATION, r->activation_ms);
    if (run->look) {
        mt_backend_cpu.read(r->self, MT_ARRAY_V, r->v_mV);
        run->look(run->user, r->v_mV);
    }
    r->ended = looks && mt_wave_run_has_ended(run->what, run->dead_ms, run->problem->diffusion->n_unknowns,
                            r->activation_ms, (double)steps_done * dt_ms);
    return !r->ended;
}

mt_status mt_wave_run_make(mt_arena *arena, const mt_wave_run *run, double *activation_ms)
{
    const mt_monodomain *problem = run->problem;
    running r = {.run = run, .activation_ms = activation_ms};
    MT_ALLOC(arena, r.v_mV, problem->diffusion->n_unknowns);
    MT_TRY(mt_backend_cpu.open(arena, problem, NULL, &r.self));
    const mt_status status = mt_backend_run(
        problem, &mt_backend_cpu, r.self, 0, (size_t)ceil(run->end_ms / problem->dt_ms), NULL, watch, &r);
    if (status != MT_OK && !(status == MT_STOPPED && r.ended)) return status;
    mt_backend_cpu.read(r.self, MT_ARRAY_ACTIVATION, activation_ms);
    return MT_OK;
}
