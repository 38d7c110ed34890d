/* Stimuli: which elements get current, and in which time steps. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Elements that get current from start_ms for duration_ms, and again after each of `repeats` periods. A step is
 * stimulated when its start lies in [start, start + duration) or as much later, all of them rounded to whole
 * steps; duration < period in steps. */
typedef struct mt_stimulus {
    double start_ms, duration_ms;
    double rise_mV_ms; /* strength / (chi Cm) */
    size_t n_elements;
    const uint32_t *element; /* [n_elements] ascending */
    double period_ms;        /* not looked at where repeats is 0 */
    size_t repeats;
} mt_stimulus;

/* Is the stimulus on in the step with this number? */
bool mt_stimulus_is_on(const mt_stimulus *stimulus, double dt_ms, size_t step);

/* The first step after `step`, at most `end`, at which the stimulus is switched on or off. */
size_t mt_stimulus_next_switch(const mt_stimulus *stimulus, double dt_ms, size_t step, size_t end);
