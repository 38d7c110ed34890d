#include "solver/monodomain.h"

#include <math.h>
#include <string.h>

#include "solver/backends.h"

const mt_backend *const mt_backends[] = {&mt_backend_cpu, &mt_backend_ipu, NULL};

size_t mt_monodomain_pde_steps(const mt_diffusion *diffusion, double dt_ms)
{
    size_t steps = 1;
    if (dt_ms > diffusion->limit_dt_ms) steps = (size_t)ceil(dt_ms / diffusion->limit_dt_ms);
    while (dt_ms / (double)steps > diffusion->limit_dt_ms)
        steps++; /* the quotient above may have been rounded down */
    return steps;
}

mt_status mt_monodomain_check(const mt_monodomain *problem)
{
    double dt_pde_ms = problem->dt_ms / (double)problem->pde_steps;
    if (dt_pde_ms <= problem->diffusion->limit_dt_ms) return MT_OK;
    return mt_fail(MT_NUMERICS,
        "pde_steps %zu: diffusion steps of %g ms are unstable on this mesh; the limit is %g ms: at least %zu",
        problem->pde_steps, dt_pde_ms, problem->diffusion->limit_dt_ms,
        mt_monodomain_pde_steps(problem->diffusion, problem->dt_ms));
}

const mt_tp06_type *mt_monodomain_type(const mt_monodomain *problem, size_t cell)
{
    return &mt_tp06_types[problem->cell_type_of ? problem->cell_type_of[cell] : problem->cell_type];
}

static size_t on_step(const mt_stimulus *s, double dt_ms) { return (size_t)llround(s->start_ms / dt_ms); }
static size_t off_step(const mt_stimulus *s, double dt_ms)
{
    return (size_t)llround((s->start_ms + s->duration_ms) / dt_ms);
}

static size_t period_steps(const mt_stimulus *s, double dt_ms)
{
    return (size_t)llround(s->period_ms / dt_ms);
}

/* By how many steps the newest pulse at this step is later than the first. */
static size_t pulse_shift(const mt_stimulus *s, double dt_ms, size_t step)
{
    if (s->repeats == 0 || step < on_step(s, dt_ms)) return 0;
    const size_t period = period_steps(s, dt_ms), pulse = (step - on_step(s, dt_ms)) / period;
    return period * (pulse < s->repeats ? pulse : s->repeats);
}

bool mt_stimulus_is_on(const mt_stimulus *stimulus, double dt_ms, size_t step)
{
    const size_t shift = pulse_shift(stimulus, dt_ms, step);
    return step >= on_step(stimulus, dt_ms) + shift && step < off_step(stimulus, dt_ms) + shift;
}

size_t mt_monodomain_next_switch(const mt_monodomain *problem, size_t step, size_t end)
{
    const double dt_ms = problem->dt_ms;
    for (size_t s = 0; s < problem->n_stimuli; s++) {
        const mt_stimulus *stimulus = &problem->stimulus[s];
        const size_t shift = pulse_shift(stimulus, dt_ms, step), on = on_step(stimulus, dt_ms) + shift;
        size_t switches[3] = {on, off_step(stimulus, dt_ms) + shift, on};
        if (stimulus->repeats > 0 && shift < stimulus->repeats * period_steps(stimulus, dt_ms))
            switches[2] += period_steps(stimulus, dt_ms);
        for (int k = 0; k < 3; k++)
            if (switches[k] > step && switches[k] < end) end = switches[k];
    }
    return end;
}

const mt_backend *mt_backend_find(const char *name)
{
    for (const mt_backend *const *b = mt_backends; *b; b++)
        if (strcmp((*b)->name, name) == 0) return *b;
    (void)mt_fail(MT_INPUT, "backend '%s'; allowed: cpu, ipu", name);
    return NULL;
}

static mt_status check_voltages(const double *v_mV, size_t n, double t_ms)
{
    for (size_t c = 0; c < n; c++)
        if (!(fabs(v_mV[c]) <= 200))
            return mt_fail(MT_NUMERICS,
                "cell %zu: V is %g mV after %g ms; it must stay within -200 .. 200 mV", c, v_mV[c], t_ms);
    return MT_OK;
}

static mt_status run(const mt_monodomain *problem, const mt_backend *backend, void *self, size_t n_steps,
    mt_monodomain_watch *watch, void *user, double *v_mV)
{
    const size_t piece = problem->dt_ms < 1 ? (size_t)llround(1 / problem->dt_ms) : 1;
    for (size_t step = 0; step < n_steps;) {
        size_t end = step + piece < n_steps ? step + piece : n_steps;
        end = mt_monodomain_next_switch(problem, step, end);
        bool stopped = false;
        while (step < end && !stopped) {
            MT_TRY(backend->advance(self, step++, 1));
            stopped = watch && !watch(user, step);
        }
        MT_TRY(backend->read(self, v_mV, NULL));
        MT_TRY(check_voltages(v_mV, problem->diffusion->n_cells, (double)step * problem->dt_ms));
        if (stopped) return mt_fail(MT_STOPPED, "stopped at %g ms", (double)step * problem->dt_ms);
    }
    return MT_OK;
}

mt_status mt_monodomain_run(const mt_monodomain *problem, const mt_backend *backend, void *self,
    size_t n_steps, mt_monodomain_watch *watch, void *user)
{
    mt_arena scratch = {0};
    double *v_mV = mt_arena_take(&scratch, problem->diffusion->n_cells, sizeof *v_mV);
    mt_status status = v_mV ? run(problem, backend, self, n_steps, watch, user, v_mV) : MT_FILE;
    mt_arena_free(&scratch);
    return status;
}
