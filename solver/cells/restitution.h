/* Restitution: how the duration of an action potential depends on the diastolic interval before it, in a single cell.
 *
 * By the S1-S2 protocol a cell is paced at one cycle length (S1), and once a premature pulse (S2) follows the last of them at a
 * shorter interval. By the dynamic protocol (also steady-state) the cycle itself gets shorter, and at each length the cell is paced
 * until it is steady, or alternates. Durations and intervals are those of solver/cells/beats.h. All is in double precision.
 *
 * A pulse that finds the cell before 90 % of its repolarisation has no diastolic interval, and is no point of the curve. */
#pragma once

#include "solver/cells/beats.h"
#include "solver/cells/pacing.h"

/* One S1 of these pulses from the start of a cycle with this V and states [n_states], which stay as they are, and S2 interval_ms
 * behind it. Gives the beat of S2; it must end within pulses->bcl_ms. Fails as mt_cell_pace; MT_INPUT also where the pulses of
 * S1 and S2 would meet. */
MT_NODISCARD mt_status mt_restitution_premature(const mt_cell_model *model, const mt_cell_variant *variant,
    double dt_ms, const mt_pulses *pulses, double interval_ms, double v_mV, const double *states,
    mt_beat *beat);

enum { MT_RESTITUTION_BEATS_LEAST = 4 };

/* Paces for pulses->beats cycles, at least MT_RESTITUTION_BEATS_LEAST, and gives the last two beats before the last: that one's end
 * may lie behind its cycle. Two, because they may alternate. *v_mV and states [n_states] become those at the end. Fails as
 * mt_cell_pace, and leaves them as they were then. */
MT_NODISCARD mt_status mt_restitution_paced(const mt_cell_model *model, const mt_cell_variant *variant,
    double dt_ms, const mt_pulses *pulses, double *v_mV, double *states, mt_beat beats[2]);

/* Is the beat a point of the curve: an action potential with its duration and the interval before it? */
bool mt_restitution_is_point(const mt_beat *beat);
