/* Capture: whether each pulse of a stimulus starts an action potential.
 *
 * A pulse captures if some element of the stimulus is below the threshold of activation when the pulse begins, and some is above it
 * MT_CAPTURE_AFTER_MS after the pulse ended. Tissue in its plateau is above the threshold before; refractory tissue that a pulse only
 * charges is below it again by then. The voltages come from the looks of the time loop at each millisecond and at each switch of a
 * stimulus. Not judged: pulses of more than MT_CAPTURE_PULSE_MOST_MS, pulses followed by another or by the end of the run before that
 * time, and pulses that began before a run was resumed. */
#pragma once

#include "solver/stimulus.h"

#define MT_CAPTURE_AFTER_MS 5
#define MT_CAPTURE_PULSE_MOST_MS 20

/* The pulses of a stimulus so far. */
typedef struct mt_capture {
    size_t judged, lost;  /* pulses, and how many of them did not capture */
    double first_lost_ms; /* start of the first of these */
    bool begun, excitable;
    size_t begin, due; /* steps: of the latest pulse, and at which it is judged; 0: none is due */
} mt_capture;

/* Starts anew at a step; at step 0 all tissue is excitable. */
void mt_capture_begin(mt_capture *capture, const mt_stimulus *stimulus, double dt_ms, size_t step);

/* True if mt_capture_look needs the voltages after so many steps. */
bool mt_capture_needs(const mt_capture *capture, const mt_stimulus *stimulus, double dt_ms, size_t step);

/* Takes the lowest and the highest V of the elements of the stimulus after so many steps. */
void mt_capture_look(mt_capture *capture, const mt_stimulus *stimulus, double dt_ms, size_t step,
    double threshold_mV, double low_mV, double high_mV);
