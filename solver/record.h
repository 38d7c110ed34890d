/* The record of a run: quantities of one action potential per beat, gathered for each element in the time loop.
 *
 * A beat is a sequence of complete time steps. A run has at least one beat, and beats are consecutive. At the start of a beat an element is
 * free to record. With V_k the voltage after k steps, and linear interpolation in time between two steps:
 *
 *    activation      the first time since the element is free that V passes the threshold upwards [ms]
 *    rest            V_k at the second to last multiple of MT_RECORD_REST_MS (from the beginning of the beat) between becoming free and
 *                    activation, or when the element became free [mV]. V immediately before a front is not used: on coarse meshes it can dip
 *                    by some mV, because the diffusion operator is not monotone.
 *    peak            the highest V_k from activation to repolarisation [mV]
 *    upstroke        the largest (V_k+1 - V_k) / dt from becoming free to repolarisation [mV/ms], including the rise by a stimulus; 0 if V
 *                    never rose by MT_RECORD_UPSTROKE_LEAST or more
 *    repolarisation  the first time after activation that V falls below peak - fraction (peak - rest), with the peak so far [ms].
 *                    A fraction below MT_RECORD_FRACTION_LEAST could detect the notch after the spike instead of the end.
 *
 * After repolarisation nothing more is recorded in the beat. At the beginning of the next beat the element is free, with its V at that
 * time. An action potential still in progress is recorded to its end, and belongs to the beat of its activation. The element is then free
 * from the next multiple of MT_RECORD_REST_MS from the beginning of the current beat. An element that was not activated stays free, with
 * its rest and upstroke.
 *
 * Times are relative to the beginning of the run. In the loop they are relative to the beginning of the beat, so that neither single
 * precision nor a long run reduces their accuracy.
 *
 * The action potential duration (APD90 for a fraction of 0.9) is repolarisation - activation. The equations are in
 * solver/kernels/record_equations.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "solver/cells/model.h"

#define MT_RECORD_UPSTROKE_LEAST 1 /* mV/ms; slow depolarisations rise by less than a tenth of this */
#define MT_RECORD_FRACTION_LEAST 0.5
#define MT_RECORD_REST_MS 10

/* Returns MT_RECORD_REST_MS in steps, at least one. */
size_t mt_record_rest_steps(double dt_ms);

/* Quantities recorded in addition to the activation, defined if there is one. The last one is internal, stored to resume from a
 * checkpoint. */
typedef enum mt_recorded {
    MT_RECORDED_REST,
    MT_RECORDED_PEAK,
    MT_RECORDED_UPSTROKE,
    MT_RECORDED_REPOLARISATION,
    MT_RECORDED_LOW,
    MT_RECORDED
} mt_recorded;

/* Their names and units; and their initial values, infinite if not yet known. */
extern const mt_cell_quantity mt_recorded_quantity[MT_RECORDED];
extern const double mt_recorded_start[MT_RECORDED];

/* Recording options. Zero-initialised: activation at 0 mV of one beat, and nothing else. */
typedef struct mt_record {
    bool all; /* false: only the activation, with threshold_mV 0, `fraction` unused, and one beat */
    double threshold_mV, fraction;
    uint32_t stored;    /* bit mask by mt_recorded: quantities to store for each beat */
    size_t n_beats;     /* 0: one */
    const size_t *beat; /* [n_beats] first step of each, ascending from 0; unused if n_beats is 0 */
} mt_record;

/* Return the number of beats, the first step of a beat, and the beat that contains the last of `steps_done` steps. */
size_t mt_record_beats(const mt_record *record);
size_t mt_record_first(const mt_record *record, size_t beat);
size_t mt_record_beat(const mt_record *record, size_t steps_done);

/* The record of a beat, [n_elements] each. Infinite: not activated, or not repolarised. */
typedef struct mt_records {
    double *activation_ms;
    double *recorded[MT_RECORDED]; /* NULL: not stored */
} mt_records;

/* Returns the number of activated elements of n; sets the latest activation time, NaN if there is none. */
size_t mt_record_activated(size_t n, const double *activation_ms, double *latest_ms);

/* Allocates in `arena` the empty records of all beats of n elements. MT_MEMORY. */
MT_NODISCARD mt_status mt_records_new(
    mt_arena *arena, const mt_record *record, size_t n_elements, mt_records **beats);
