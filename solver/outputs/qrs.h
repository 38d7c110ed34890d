/* Measurements of the QRS complex of an ECG: onset, end, amplitudes, frontal axis and R-wave progression.
 *
 * Onset and end. s(t) is the root mean square, over the standard leads or, without these, over all leads, of dV/dt: difference quotients of
 * the samples, at the middle of each sampling interval, and linear between the middles.
 *   - The complex of a beat is the first activity of its window in which s reaches MT_QRS_MAIN of the largest s in the window. Its steepest
 *     slope is the largest s before s next stays below the threshold for longer than MT_QRS_QUIET_MS.
 *   - The threshold is MT_QRS_THRESHOLD of the steepest slope. Before and after the steepest slope, the complex extends to the last time
 *     with s above the threshold that is not separated by more than MT_QRS_QUIET_MS of s below it. Onset and end are the crossings of the
 *     threshold there.
 * The slopes of a T wave exceed the threshold in some ECGs, but the ST segment separates it from its QRS, and MT_QRS_MAIN from the next
 * one. A T wave without an ST segment, as in mice, is counted as QRS; a late activation after a longer quiet time is not. Noise must remain
 * below the threshold.
 *
 * Intervals with a stimulus are skipped: s is 0 there. If the complex begins with such an interval, its onset is the end of the interval,
 * since activation during a stimulus cannot be distinguished from its artefact: the QRS duration of a paced beat does not include the
 * stimulus. The baseline is then the value before the stimulus.
 *
 * Resolution. With smooth leads onset and end are accurate to a small fraction of the sampling interval. A jump of dV/dt is found at most
 * half an interval too far outside, so that a duration is at most one interval too long. The threshold matters more: `shorter_ms` and
 * `longer_ms` are the durations with twice and half of it, the band in which other rules are expected.
 *
 * Amplitudes. The baseline of a lead is its value at the onset, R and S are its largest deflections above and below the baseline in the
 * complex (so a Q wave counts as S), and the net area is the integral of the deflection over the complex by trapezoids.
 *
 * Frontal axis: atan2(2/sqrt(3) aVF, I) of the net areas; 0 degrees is to the left, 90 degrees downwards. The factor is needed because aVF
 * is not bipolar (D. Novosel, G. Noll and T. F. Luescher, Croat. Med. J. 40:77, 1999). Net areas, unlike amplitudes, obey Einthoven's law,
 * so that every pair of limb leads results in the same axis. Names: normal -30 to 90 degrees, left below that to -90, right to 180
 * (B. Surawicz et al., AHA/ACCF/HRS recommendations, part III, Circulation 119:e235, 2009), extreme between -180 and -90.
 *
 * Transition: the first place in V1 to V6 with R >= S, from R - S, linear between neighbouring existing leads: 3.4 is between V3 and V4. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

#define MT_QRS_THRESHOLD 0.05
#define MT_QRS_MAIN 0.5
#define MT_QRS_QUIET_MS 20

#define MT_QRS_SAMPLES_MS                                                                                    \
    2 /* longest sampling interval without a warning: a duration is then at most 2 ms too long */

/* A record of an ECG; borrowed. */
typedef struct mt_qrs_record {
    size_t n, n_leads,
        n_standard;          /* samples; leads; standard leads, which are first (solver/outputs/leads.h) */
    const char *const *name; /* [n_leads] */
    const double *time_ms;   /* [n] ascending */
    const double *lead_mV;   /* [n][n_leads] */
    const bool
        *skipped; /* [n] true if the interval from sample k to k + 1 has a stimulus; NULL if none has */
} mt_qrs_record;

/* Reason for an onset or an end: the threshold, a stimulus next to it, or the first or last sample of the window. */
typedef enum mt_qrs_limit { MT_QRS_AT_THRESHOLD, MT_QRS_AT_STIMULUS, MT_QRS_AT_SAMPLE } mt_qrs_limit;

typedef struct mt_qrs_lead {
    double r_mV, s_mV; /* neither is negative; the net amplitude is r_mV - s_mV */
    double area_mV_ms; /* net area */
} mt_qrs_lead;

typedef struct mt_qrs {
    bool found;                    /* false: nothing else is defined */
    mt_qrs_limit onset_at, end_at; /* if not MT_QRS_AT_THRESHOLD, the complex may be longer */
    double onset_ms, end_ms;
    double shorter_ms,
        longer_ms; /* durations with twice and half the threshold; NaN if the end is not at the threshold */
    const mt_qrs_lead *lead; /* [n_leads] */
    double axis_degrees;     /* in (-180, 180]; NaN without standard leads, or if both areas are 0 */
    double transition;       /* 1 to 6; NaN without chest leads, or if R < S in all */
    bool transition_first;   /* true if R >= S in the first existing chest lead already */
} mt_qrs;

/* Measures the complex in the window of a beat, which consists of the sampling intervals between the times. `lead` is in `arena`. Not found
 * if all leads are constant in the window, or it has no interval. MT_MEMORY. */
MT_NODISCARD mt_status mt_qrs_find(
    mt_arena *arena, const mt_qrs_record *record, double from_ms, double to_ms, mt_qrs *qrs);

/* Returns the name of an axis: "normal", "left deviation", "right deviation", "extreme deviation"; NULL for NaN. */
const char *mt_qrs_axis_name(double degrees);
