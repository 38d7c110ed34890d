/* Capture: whether each pulse of a stimulus starts an action potential.
 *
 * A pulse captures if some element of the stimulus is below the activation threshold when the pulse begins, and some element is above it
 * MT_CAPTURE_AFTER_MS after the pulse ended. Tissue in its plateau is above the threshold before the pulse. Refractory tissue that a pulse
 * only charges is below it again at the later time. The time loop samples the voltages at each millisecond and at each switch of a
 * stimulus. Not judged: pulses of stimuli with delays, pulses longer than MT_CAPTURE_PULSE_MOST_MS, pulses followed within MT_CAPTURE_AFTER_MS by another pulse or the end
 * of the run, and pulses that began before a run was resumed. */
#pragma once

#include "solver/stimulus.h"

#define MT_CAPTURE_AFTER_MS 5
#define MT_CAPTURE_PULSE_MOST_MS 20

/* The pulses of a stimulus so far. */
typedef struct mt_capture {
    size_t judged, lost;  /* number of judged pulses, and of those without capture */
    double first_lost_ms; /* start of the first pulse without capture */
    bool begun, excitable;
    size_t begin, due; /* steps: start of the latest pulse, and when it is judged (0: not due) */
} mt_capture;

/* Initialises the state at a step. At step 0 all tissue is excitable. */
void mt_capture_begin(mt_capture *capture, const mt_stimulus *stimulus, double dt_ms, size_t step);

/* True if mt_capture_observe needs the voltages after `step` steps. */
bool mt_capture_due(const mt_capture *capture, const mt_stimulus *stimulus, double dt_ms, size_t step);

/* Updates the state with the lowest and the highest Vm of the stimulus elements after `step` steps. */
void mt_capture_observe(mt_capture *capture, const mt_stimulus *stimulus, double dt_ms, size_t step,
    double threshold_mV, double low_mV, double high_mV);
