/* The record of a run: what is gathered of each element in the time loop, of one action potential in each beat.
 *
 * A beat is a stretch of whole time steps; a run has at least one, and they follow each other. In a beat an element is first free.
 * With V_k the potential after k steps, and between two steps linear in time:
 *
 *   activation      the first time since it is free that V passes the threshold upwards [ms]
 *   rest            V_k at the last but one of the times between the two that are whole multiples of MT_RECORD_REST_MS from the beginning
 *                   of their beat, or where it became free [mV]: not right before a front, where on coarse meshes V can dip by some
 *                   mV, for diffusion is not monotone
 *   peak            the highest V_k from there to repolarisation [mV]
 *   upstroke        the largest (V_k+1 - V_k) / dt since it is free up to repolarisation [mV/ms], what a stimulus adds with it; 0
 *                   where V never rose by MT_RECORD_UPSTROKE_LEAST or more
 *   repolarisation  the first time after activation that V falls below peak - fraction (peak - rest), with the peak so far [ms].
 *                   A fraction below MT_RECORD_FRACTION_LEAST could find the notch behind the spike in place of the end.
 *
 * Then nothing more is recorded of it in the beat. At the beginning of the next it is free, from its V at that time. An action potential
 * that has not ended there is recorded to its end, and belongs to the beat of its activation; the element is free from the next whole
 * multiple of MT_RECORD_REST_MS from the beginning of the beat that is under way by then. One that was not activated stays free, with
 * its rest and upstroke.
 *
 * Times count from the beginning of the run. In the loop they count from that of the beat, so that neither single precision nor a
 * long run makes them coarse.
 *
 * The duration of the action potential (APD90 for a fraction of 0.9) is repolarisation - activation. The equations stand in
 * solver/kernels/record_equations.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "solver/cells/model.h"

#define MT_RECORD_UPSTROKE_LEAST 1 /* mV/ms; a slow depolarisation rises by less than a tenth of this */
#define MT_RECORD_FRACTION_LEAST 0.5
#define MT_RECORD_REST_MS 10

/* The same in steps, at least one. */
size_t mt_record_rest_steps(double dt_ms);

/* What is gathered beside the activation; it means something where there is one. The last is needed to go on from a checkpoint, and
 * means nothing else. */
typedef enum mt_recorded {
    MT_RECORDED_REST,
    MT_RECORDED_PEAK,
    MT_RECORDED_UPSTROKE,
    MT_RECORDED_REPOLARISATION,
    MT_RECORDED_LOW,
    MT_RECORDED
} mt_recorded;

/* Their names and units; and their values at the start, infinite where there is none yet. */
extern const mt_cell_quantity mt_recorded_quantity[MT_RECORDED];
extern const double mt_recorded_start[MT_RECORDED];

/* All zero: activation at 0 mV of one beat, and nothing else. */
typedef struct mt_record {
    bool
        all; /* or only the activation; then threshold_mV is 0, fraction not looked at, and there is one beat */
    double threshold_mV, fraction;
    uint32_t kept;  /* a bit each, by mt_recorded: what is wanted of each beat beside the activation */
    size_t n_beats; /* 0: one */
    const size_t
        *beat; /* [n_beats] the first step of each, ascending from 0; not looked at where n_beats is 0 */
} mt_record;

/* How many beats there are, the first step of one, and the beat in which the last of so many steps was. */
size_t mt_record_beats(const mt_record *record);
size_t mt_record_first(const mt_record *record, size_t beat);
size_t mt_record_beat(const mt_record *record, size_t steps_done);

/* What was recorded of a beat, by the elements of the problem. Infinite: not activated, or not repolarised. */
typedef struct mt_records {
    double *activation_ms;
    double *recorded[MT_RECORDED]; /* NULL: not kept */
} mt_records;

/* Returns how many of n elements were activated, and the latest activation time; NaN if there is none. */
size_t mt_record_activated(size_t n, const double *activation_ms, double *latest_ms);

/* Gives room in `arena` for all beats of n elements, of which nothing was recorded yet. MT_MEMORY. */
MT_NODISCARD mt_status mt_records_new(
    mt_arena *arena, const mt_record *record, size_t n_elements, mt_records **beats);
