/* An ECG on ECG paper: a grid of 1 and 5 mm, a calibration pulse before each row, and the leads. A PNG of MT_PAGE_WIDTH x
 * MT_PAGE_HEIGHT pixels.
 *
 * The twelve standard leads have the clinical arrangement, each with the complete record,
 *
 *     I    aVR  V1  V4
 *     II   aVL  V2  V5
 *     III  aVF  V3  V6
 *
 * with other leads below, one per column. Columns of chest leads are omitted if all of them are absent. Without standard leads each
 * lead has its own row, from 9 leads on in two columns, from 17 in three and from 25 in four. At most MT_ECG_LEADS_MAX are shown;
 * the picture states if there are more.
 *
 * The paper speed is 25 mm/s: a small square is 40 ms, a large one 200 ms. A millimetre has the largest number of pixels with which
 * the record fits. A record too long for its column gets fewer columns: limb leads next to chest leads, then all leads in one
 * column. If it is longer than a row, the speed is the largest round number that fits, and the picture states it.
 *
 * Limb leads have a common gain; so have chest leads, and so have leads without standard ones. It is 10 mm/mV if the leads then fit
 * and are at least 5 mm high, else the largest of 1, 2 and 5 times a power of ten that fits: in an unbounded volume conductor the
 * limb potentials are small. Other leads below the standard ones have the gain of their column. Speed and gains are printed below
 * the paper, and the voltage of a calibration pulse next to it. */
#pragma once

#include "app/draw/chart/curves.h"
#include "solver/case/stimulated.h"

enum { MT_ECG_LEADS_MAX = 32 };

/* All members are borrowed; text is UTF-8. */
typedef struct mt_ecg_record {
    const char *title;
    size_t n;                /* number of leads, at least 1 */
    size_t n_standard;       /* number of standard leads, which are first (solver/outputs/leads.h), or 0 */
    const char *const *name; /* [n] */
    const mt_curve *curve;   /* [n] mV over ms, all with the same range */
    /* number of spans in which the leads have no points: marked, and not crossed by lines */
    size_t n_stimulated;
    const mt_span *stimulated;
} mt_ecg_record;

typedef enum mt_ecg_lead_group { MT_ECG_LIMBS, MT_ECG_CHEST, MT_ECG_HALVES } mt_ecg_lead_group;

typedef struct mt_ecg_scale {
    int pixels_per_mm;
    double mm_per_s, mm_per_mV[MT_ECG_HALVES]; /* equal if there are no standard leads */
} mt_ecg_scale;

/* Note on amplitudes in pictures and reports. */
extern const char mt_ecg_calibration[];

/* Returns the scale of pictures and reports. Fails with MT_INPUT if there is no lead, or if a lead has no points or one that is not
 * finite. */
MT_NODISCARD mt_status mt_ecg_scale_find(const mt_ecg_record *record, mt_ecg_scale *scale);

/* Sets the values of a lead within the spans to NaN. True if any other value remains. */
bool mt_ecg_blank(
    size_t n, const double *time_ms, size_t n_spans, const mt_span *span, size_t stride, double *value_mV);

/* Writes the picture, completely or not at all. The same input yields the same bytes. Returns the errors of `mt_ecg_scale_find`.
 * Fails with MT_INPUT if text is not UTF-8, with MT_MEMORY, or with MT_FILE if the file cannot be written. */
MT_NODISCARD mt_status mt_ecg_picture(const char *path, const mt_ecg_record *record);
