/* Restitution: dependence of the action potential duration on the preceding diastolic interval, in a single cell.
 *
 * In the S1-S2 protocol a cell is paced at one cycle length (S1), and a premature pulse (S2) follows the last S1 at a shorter interval. In
 * the dynamic (steady-state) protocol the cycle length itself decreases, and at each length the cell is paced until it is steady or
 * alternates. Durations and intervals are those of solver/cells/beats.h. All computations are in double precision.
 *
 * The first action potential that is followed repolarises to its V at the start of the cycle. A cell that beats spontaneously depolarises
 * before that, so its first interval is a few ms longer than in a complete run (4 ms in solver/cells/stewart at 600 ms).
 *
 * A pulse before 90 % of the repolarisation has no diastolic interval, and is not a point of the curve. */
#pragma once

#include "solver/cells/beats.h"
#include "solver/cells/pacing.h"

/* Applies one S1 of these pulses from the start of a cycle with this V and states [n_states], which are not changed, and S2 interval_ms
 * later. Returns the beat of S2, which must end within pulses->bcl_ms. Returns the errors of mt_cell_pace; MT_INPUT also if the pulses of
 * S1 and S2 overlap. */
MT_NODISCARD mt_status mt_restitution_premature(const mt_cell_model *model, const mt_cell_variant *variant,
    double dt_ms, const mt_pulses *pulses, double interval_ms, double v_mV, const double *states,
    mt_beat *beat);

enum { MT_RESTITUTION_BEATS_LEAST = 4 };

/* Paces for pulses->beats cycles, at least MT_RESTITUTION_BEATS_LEAST. Returns the two beats before the last one, which may end after its
 * cycle; two, because they may alternate. *v_mV and states [n_states] become the final values. Returns the errors of mt_cell_pace, and then
 * leaves V and the states unchanged. */
MT_NODISCARD mt_status mt_restitution_paced(const mt_cell_model *model, const mt_cell_variant *variant,
    double dt_ms, const mt_pulses *pulses, double *v_mV, double *states, mt_beat beats[2]);

/* True if the beat is a point of the curve: an action potential with a duration and a preceding interval. */
bool mt_restitution_is_point(const mt_beat *beat);
