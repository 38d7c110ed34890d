/* A wave behind a wave: how fast a premature wave (S2) is, and how long its action potentials last, by how long the tissue has had to recover
 * from the wave before (S1).
 *
 * Both begin at the same end of a strand, with the stimulus of app/waves/plane_wave.h, S2 an interval behind S1. Activation a and
 * repolarisation r of an element are those of solver/record.h, at 0 mV and 90 %. Of each element of the measured stretch
 *
 *     DI = a(S2) - r(S1),   APD90 = r(S2) - a(S2)
 *
 * and what is given of a wave is the median of each, which is about what it is in the middle of the stretch, and the speed by a straight fit
 * of all a. S2 is slower than S1, so that DI grows on the way, and the speed is a mean. r(S1) is what it is without S2; where S2 comes
 * before, DI is below 0. Next to block S2 starts late, from cells that stay depolarised until their neighbours have recovered. Such a wave
 * runs ahead of its steady speed over several mm, which may be more than that behind a longer interval. S2 is blocked where it activates
 * nothing for mt_plane_wave_dead_ms, or for longer than twelve times S1's time from edge to edge: so is one that starts so late.
 *
 * S1 is computed once, and only S2 again for each interval, from the shortest on. At its time V and states of all elements are
 * copied from the run of S1 to another, which the stimulus begins; it goes on until the measured elements have repolarised, or the
 * wave has died out. V and states are all that the next steps depend on: every S2 has the bits of a run of its own with both
 * stimuli. */
#pragma once

#include "app/waves/strand.h"

/* Borrowed. */
typedef struct mt_premature {
    const mt_strand *strand;
    const mt_wave_medium *medium;
    const mt_cell_variant *cells; /* all of them begin S1 with its V and states */
    double longest_ms; /* S2 is given up so long after its stimulus, S1 also after the longest interval */
} mt_premature;

/* All but the interval are NaN where the wave did not pass the whole stretch; APD90 also where it did not end in time. */
typedef struct mt_premature_wave {
    double interval_ms; /* from S1 to S2, rounded to steps; of S1 NaN, as is its DI */
    double speed_mm_ms, diastolic_interval_ms, apd90_ms;
} mt_premature_wave;

/* Measures S1, and S2 of n intervals, which descend and are given in s2; the shortest is longer than mt_plane_wave_duration_ms. An S2 that
 * would begin before S1 has passed the stretch is not run. Shows progress. MT_NUMERICS: S1 does not pass the stretch, or its action
 * potentials do not end in time; V grows beyond all bounds. MT_MEMORY. */
MT_NODISCARD mt_status mt_premature_measure(
    const mt_premature *what, mt_premature_wave *s1, size_t n, mt_premature_wave *s2);
