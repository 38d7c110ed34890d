/* The times at which the stimuli of a case act.
 *
 * The current of a stimulus comes from outside the tissue. While it flows, it drives V of all its elements at once, and so the potentials at
 * electrodes: they change as fast as the stimulus acts and not as activation propagates. Recordings of paced hearts have the same artefact,
 * and leave it out (blanking). Pictures of an ECG and reports do so; ecg.csv has the potentials as computed. */
#pragma once

#include "solver/case/case.h"

/* V differs from what it is without the stimulus at from_ms < t <= to_ms. */
typedef struct mt_span {
    double from_ms, to_ms;
} mt_span;

/* A longer series of overlapping pulses stands for a conduction system. It is a part of the beat and not an artefact. */
#define MT_STIMULATED_MOST_MS 10

/* Returns in `arena` the spans of all pulses until end_ms, as the time loop rounds them to steps: ascending, those that overlap or touch as one,
 * without those longer than MT_STIMULATED_MOST_MS. MT_MEMORY. Time O(p log p) for p pulses. */
MT_NODISCARD mt_status mt_case_stimulated(mt_arena *arena, const mt_case *input, size_t *n, mt_span **span);

/* True if a time is within one of n ascending spans. */
bool mt_spans_cover(size_t n, const mt_span *span, double t_ms);

/* True if one of n ascending spans ends between two times: at or after the first and before the second. */
bool mt_spans_between(size_t n, const mt_span *span, double from_ms, double to_ms);
