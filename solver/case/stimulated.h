/* The times at which the stimuli of a case act.
 *
 * The current of a stimulus enters the tissue from outside. While on, it drives Vm of all its elements at once, and with it the potentials
 * at electrodes: they change with the stimulus and not with the propagation. Recordings of paced hearts have the same artefact and blank
 * it. Pictures of an ECG and reports blank it too; ecg.csv has the potentials as computed. */
#pragma once

#include "solver/case/case.h"

/* A time span, from_ms < t <= to_ms, in which a stimulus affects Vm directly. */
typedef struct mt_span {
    double from_ms, to_ms;
} mt_span;

/* Longest span. A longer series of overlapping pulses represents a conduction system: part of the beat, not an artefact. */
#define MT_STIMULATED_MOST_MS 10

/* Returns in `arena` the spans of all pulses until end_ms, rounded to steps like the time loop: ascending, with overlapping or adjacent
 * spans merged, and without spans longer than MT_STIMULATED_MOST_MS. MT_MEMORY. Time O(p log p) for p pulses. */
MT_NODISCARD mt_status mt_case_stimulated(mt_arena *arena, const mt_case *input, size_t *n, mt_span **span);

/* True if a time is within one of n ascending spans. */
bool mt_spans_cover(size_t n, const mt_span *span, double t_ms);

/* True if one of n ascending spans ends between two times: at or after the first and before the second. */
bool mt_spans_between(size_t n, const mt_span *span, double from_ms, double to_ms);
