/* S1-S2 restitution in tissue: conduction velocity and APD90 of an extrastimulus (S2) as functions of the diastolic interval after S1.
 *
 * Both stimuli are applied at the same end of a strand (app/waves/plane_wave.h), S2 one coupling interval after S1. Activation a and
 * repolarisation r of an element are defined in solver/record.h, at 0 mV and 90 %. For each element of the measured section
 *
 *     DI = a(S2) - r(S1),   APD90 = r(S2) - a(S2)
 *
 * The result of a wave is the median of each, about its value in the middle of the section, and the velocity by linear regression of all a.
 * S2 is slower than S1, so that DI increases along the strand and the velocity is a mean. r(S1) is computed without S2; DI is negative if
 * S2 activates the element before r(S1).
 *
 * Close to conduction block S2 starts late, from cells that stay depolarised until their neighbours have recovered. Such a wavefront
 * exceeds its steady velocity over several mm, and can be faster than after a longer interval. S2 counts as blocked if it activates no
 * element for mt_plane_wave_dead_ms and for twelve times S1's travel time over one edge. A wave that starts that late is blocked, too.
 *
 * S1 is computed once, and S2 once for each interval, from the shortest on. At the time of S2, V and states of all elements are copied from
 * the run of S1 to a second run, which starts with the stimulus. It ends once the measured elements have repolarised or propagation has
 * failed. The next steps depend on V and states only, so that S2 has the same bits as a run with both stimuli. */
#pragma once

#include "app/waves/strand.h"

/* Borrowed. */
typedef struct mt_premature {
    const mt_strand *strand;
    const mt_wave_medium *medium;
    const mt_cell_variant *cells; /* its V and states are the initial values of all elements */
    /* Time limit of S2, from its stimulus on; for S1 it is counted from the longest interval on. */
    double longest_ms;
} mt_premature;

/* All but the interval are NaN if the wave did not pass the complete section; APD90 also if repolarisation is later than the limit. */
typedef struct mt_premature_wave {
    double interval_ms; /* coupling interval from S1 to S2, rounded to time steps; NaN for S1, as its DI */
    double speed_mm_ms, diastolic_interval_ms, apd90_ms;
} mt_premature_wave;

/* Measures S1, and S2 for the n coupling intervals that the caller stored in s2, in descending order. The shortest must be longer than
 * mt_plane_wave_duration_ms. An S2 that would start before S1 has passed the section is not computed. Reports progress. Fails with
 * MT_NUMERICS if S1 does not pass the section, if its action potentials exceed the time limit, or if V diverges. */
MT_NODISCARD mt_status mt_premature_measure(
    const mt_premature *what, mt_premature_wave *s1, size_t n, mt_premature_wave *s2);
