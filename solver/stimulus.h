/* Stimuli: the elements that receive current, and the time steps in which they receive it.
 *
 * A stimulus with delays gives each element its current at a time of its own, as a wavefront would: it prescribes activation
 * (app/eikonal/prescribed.h). In the steps before, it can hold V, so that neighbours do not activate the element. Its peaks and captures
 * are not recorded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stimulus: current from start_ms for duration_ms, repeated after each of `repeats` periods. A step is stimulated if its start is in
 * [start, start + duration), shifted by a multiple of the period, and by the delay of the element; all times are rounded to whole steps.
 * longest + duration < period in steps. */
typedef struct mt_stimulus {
    double start_ms, duration_ms;
    double rise_mV_ms; /* strength / (chi Cm) */
    size_t n_elements;
    const uint32_t *element; /* [n_elements] ascending */
    double period_ms;        /* unused if repeats is 0 */
    size_t repeats;
    const uint16_t *delay; /* [n_elements] steps from the start to that of each element; NULL: none */
    size_t longest;        /* the largest delay; 0 without delays */
    /* with delays: in the `held` steps before its own start, a V between held_mV and free_mV becomes held_mV */
    size_t held;
    double held_mV, free_mV;
} mt_stimulus;

/* Return the duration of a pulse in one element, and in all, with the delays [steps]. */
size_t mt_stimulus_duration(const mt_stimulus *stimulus, double dt_ms);
size_t mt_stimulus_window(const mt_stimulus *stimulus, double dt_ms);

/* Returns the number of steps from the start of the newest pulse to `step`, which is in its window. */
size_t mt_stimulus_elapsed(const mt_stimulus *stimulus, double dt_ms, size_t step);

/* True if the stimulus is on in step `step`, in any element. */
bool mt_stimulus_is_on(const mt_stimulus *stimulus, double dt_ms, size_t step);

/* Returns the first step after `step`, at most `end`, at which the stimulus is switched on or off. */
size_t mt_stimulus_next_switch(const mt_stimulus *stimulus, double dt_ms, size_t step, size_t end);
