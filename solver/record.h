/* The record of a run: what is gathered of each element in the time loop, of its first action potential.
 *
 * With V_k the potential after k steps, and between two steps linear in time:
 *
 *   activation      the first time that V passes the threshold upwards [ms]
 *   rest            V_k at the last but one of the times before that which are whole multiples of MT_RECORD_REST_MS [mV], or V_0: not
 *                   right before a front, where on coarse meshes V can dip by some mV, for diffusion is not monotone
 *   peak            the highest V_k from there to repolarisation [mV]
 *   upstroke        the largest (V_k+1 - V_k) / dt up to repolarisation [mV/ms], what a stimulus adds with it; 0 where V never rose
 *                   by MT_RECORD_UPSTROKE_LEAST or more
 *   repolarisation  the first time after activation that V falls below peak - fraction (peak - rest), with the peak so far [ms].
 *                   A fraction below MT_RECORD_FRACTION_LEAST could find the notch behind the spike in place of the end.
 *
 * The duration of the action potential (APD90 for a fraction of 0.9) is repolarisation - activation. The equations stand in
 * solver/kernels/record_equations.h. */
#ifndef MT_SOLVER_RECORD_H
#define MT_SOLVER_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "solver/cells/model.h"

#define MT_RECORD_UPSTROKE_LEAST 1 /* mV/ms; a slow depolarisation rises by less than a tenth of this */
#define MT_RECORD_FRACTION_LEAST 0.5
#define MT_RECORD_REST_MS 10

/* The same in steps, at least one. */
size_t mt_record_rest_steps(double dt_ms);

/* All zero: activation at 0 mV, and nothing else. */
typedef struct mt_record {
    bool all; /* or only the activation; then threshold_mV is 0 and fraction not looked at */
    double threshold_mV, fraction;
} mt_record;

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

#endif
