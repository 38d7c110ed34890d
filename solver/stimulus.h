/* Stimuli: the elements that receive current, and the time steps in which they receive it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stimulus: current from start_ms for duration_ms, repeated after each of `repeats` periods. A step is stimulated if its start is in
 * [start, start + duration), shifted by a multiple of the period; all times are rounded to whole steps. duration < period in steps. */
typedef struct mt_stimulus {
    double start_ms, duration_ms;
    double rise_mV_ms; /* strength / (chi Cm) */
    size_t n_elements;
    const uint32_t *element; /* [n_elements] ascending */
    double period_ms;        /* unused if repeats is 0 */
    size_t repeats;
} mt_stimulus;

/* True if the stimulus is on in step `step`. */
bool mt_stimulus_is_on(const mt_stimulus *stimulus, double dt_ms, size_t step);

/* Returns the first step after `step`, at most `end`, at which the stimulus is switched on or off. */
size_t mt_stimulus_next_switch(const mt_stimulus *stimulus, double dt_ms, size_t step, size_t end);
