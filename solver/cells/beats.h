/* What a cell does beat by beat: rest, peak, upstroke and durations of its action potentials, from V at every time step.
 *
 * Time is cut into cycles, one a beat. In a cycle
 *
 *     upstroke   V passes 0 mV upwards for the first time, as in an activation of tissue, after it has fallen at least half of the
 *                way from the peak before. A cycle without has no action potential: all but calcium is NaN.
 *     rest       the lowest V since the peak of the action potential before, or since the beginning
 *     peak       the highest V since the upstroke
 *     dvdt       the largest change of V in one step of the cycle, the stimulus among it, over the step
 *     apd        of 90 %, 50 % and 30 %: from the upstroke until V first falls, behind its peak, to peak - 0.9 (peak - rest) and so
 *                on. In a beat that begins before it has fallen so far there is none: NaN. A notch that is deeper than that ends it.
 *     interval   the diastolic interval: from the end of the action potential before, its APD90, to the upstroke
 *     calcium    the lowest and the highest of the cycle
 *
 * Passages are interpolated linearly within their step. An action potential is followed into the next cycle, up to the upstroke
 * there. Others take durations from the largest dV/dt; V passes 0 mV within 0.01 ms of it in TP06. */
#pragma once

#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

enum { MT_APD90, MT_APD50, MT_APD30, MT_APDS };

/* NaN: not there. Times from the beginning of the run. */
typedef struct mt_beat {
    double upstroke_ms;
    double rest_mV, peak_mV, dvdt_mV_ms;
    double apd_ms[MT_APDS];
    double interval_ms;
    double calcium_low_mM, calcium_high_mM;
} mt_beat;

typedef struct mt_beats {
    size_t n;      /* beats */
    mt_beat *beat; /* [n] in the order of time; complete after mt_beats_end */
    /* while steps are added */
    double dt_ms;
    size_t cycle; /* steps of one */
    size_t step;  /* so far */
    size_t at;    /* the beat of the cycle */
    mt_beat *now; /* whose action potential is under way or was the last; NULL: none yet */
    double before_mV, low_mV, level_mV[MT_APDS];
} mt_beats;

/* Begins with V and calcium (NaN: the model has none) at time 0, for n >= 1 beats of `cycle` steps each; what comes behind the
 * last cycle belongs to the last beat. Gives the beats. MT_MEMORY. */
MT_NODISCARD mt_status mt_beats_begin(
    mt_arena *arena, size_t n, size_t cycle, double dt_ms, double v_mV, double calcium_mM, mt_beats *beats);

/* What they are after the next step. */
void mt_beats_add(mt_beats *beats, double v_mV, double calcium_mM);

/* Nothing more will come. */
void mt_beats_end(mt_beats *beats);

/* How much longer a beat's APD90 is than that of the beat before; NaN: one of them has none. 0 in each beat: the cell is
 * steady. Above and below 0 by turns: alternans. */
double mt_beat_change_ms(const mt_beats *beats, size_t beat);
