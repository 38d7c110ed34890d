#include "solver/stimulus.h"

#include <math.h>

static size_t on_step(const mt_stimulus *s, double dt_ms) { return (size_t)llround(s->start_ms / dt_ms); }
static size_t off_step(const mt_stimulus *s, double dt_ms)
{
    return (size_t)llround((s->start_ms + s->duration_ms) / dt_ms) + s->longest;
}

static size_t period_steps(const mt_stimulus *s, double dt_ms)
{
    return (size_t)llround(s->period_ms / dt_ms);
}

/* Returns the shift in steps of the newest pulse at this step against the first. */
static size_t pulse_shift(const mt_stimulus *s, double dt_ms, size_t step)
{
    if (s->repeats == 0 || step < on_step(s, dt_ms)) return 0;
    const size_t period = period_steps(s, dt_ms), pulse = (step - on_step(s, dt_ms)) / period;
    return period * (pulse < s->repeats ? pulse : s->repeats);
}

size_t mt_stimulus_window(const mt_stimulus *s, double dt_ms)
{
    return off_step(s, dt_ms) - on_step(s, dt_ms);
}

size_t mt_stimulus_duration(const mt_stimulus *s, double dt_ms)
{
    return mt_stimulus_window(s, dt_ms) - s->longest;
}

size_t mt_stimulus_elapsed(const mt_stimulus *s, double dt_ms, size_t step)
{
    return step - on_step(s, dt_ms) - pulse_shift(s, dt_ms, step);
}

bool mt_stimulus_is_on(const mt_stimulus *stimulus, double dt_ms, size_t step)
{
    const size_t shift = pulse_shift(stimulus, dt_ms, step);
    return step >= on_step(stimulus, dt_ms) + shift && step < off_step(stimulus, dt_ms) + shift;
}

size_t mt_stimulus_next_switch(const mt_stimulus *stimulus, double dt_ms, size_t step, size_t end)
{
    const size_t shift = pulse_shift(stimulus, dt_ms, step), on = on_step(stimulus, dt_ms) + shift;
    size_t switches[3] = {on, off_step(stimulus, dt_ms) + shift, on};
    if (stimulus->repeats > 0 && shift < stimulus->repeats * period_steps(stimulus, dt_ms))
        switches[2] += period_steps(stimulus, dt_ms);
    for (int k = 0; k < 3; k++)
        if (switches[k] > step && switches[k] < end) end = switches[k];
    return end;
}
