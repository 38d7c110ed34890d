/* Action potentials of a cell, beat by beat: rest, peak, upstroke and durations, from Vm at every time step.
 *
 * Time is divided into cycles, one per beat. In a cycle
 *
 *     upstroke   the first passage of V through 0 mV upwards, as in an activation of tissue, after V has fallen at least half of the way
 *                from the previous peak. A cycle without one has no action potential: all values except calcium are NaN.
 *     rest       the lowest V since the peak of the previous action potential, or since the beginning
 *     peak       the highest V since the upstroke
 *     dvdt       the largest change of V in one step of the cycle, including the stimulus, divided by the step
 *     apd        APD90, APD50 and APD30: from the upstroke until V, after its peak, first falls to peak - 0.9 (peak - rest) etc.
 *                NaN if the next beat begins earlier. A notch deeper than that ends the duration.
 *     interval   the diastolic interval: from the end of the previous action potential, by its APD90, to the upstroke
 *     calcium    the lowest and the highest of the cycle
 *
 * Further action potentials of a cycle, of a cell that beats spontaneously, are only counted. They begin after V has fallen 90 % of the
 * way, and the interval to the next beat begins at their end.
 *
 * Passages are interpolated linearly within their step. An action potential is followed into the next cycle, up to the next upstroke. Other
 * authors measure durations from the largest dV/dt; V passes 0 mV within 0.01 ms of it in TP06. */
#pragma once

#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

enum { MT_APD90, MT_APD50, MT_APD30, MT_APDS };

/* The action potential of a beat. NaN: not defined. Times are from the beginning of the run. */
typedef struct mt_beat {
    double upstroke_ms;
    double rest_mV, peak_mV, dvdt_mV_ms;
    double apd_ms[MT_APDS];
    double interval_ms;
    double calcium_low_mM, calcium_high_mM;
} mt_beat;

typedef struct mt_beats {
    size_t n;          /* number of beats */
    mt_beat *beat;     /* [n] in temporal order; complete after mt_beats_end */
    size_t n_further;  /* number of action potentials after the first of a cycle */
    double further_ms; /* sum of the times from the previous upstroke to theirs */
    /* state while steps are added */
    double dt_ms;
    size_t cycle; /* steps per cycle */
    size_t step;  /* number of steps so far */
    size_t at;    /* index of the current cycle's beat */
    mt_beat *
        now; /* the current or latest action potential: a beat, or beat[n] if further in its cycle; NULL: none yet */
    double before_mV, low_mV, level_mV[MT_APDS];
} mt_beats;

/* Begins with V and calcium (NaN if the model has none) at time 0, for n >= 1 beats of `cycle` steps each. Steps after the last cycle
 * belong to the last beat. The beats are in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_beats_begin(
    mt_arena *arena, size_t n, size_t cycle, double dt_ms, double v_mV, double calcium_mM, mt_beats *beats);

/* Adds V and calcium after the next step. */
void mt_beats_add(mt_beats *beats, double v_mV, double calcium_mM);

/* Completes the beats. */
void mt_beats_end(mt_beats *beats);

/* Returns the difference of a beat's APD90 and that of the previous beat; NaN if one has none. Zero in each beat: steady state. Alternating
 * sign: alternans. */
double mt_beat_change_ms(const mt_beats *beats, size_t beat);
