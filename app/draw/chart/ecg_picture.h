/* An ECG on its paper: a grid of 1 and 5 mm, a pulse of calibration before each row, and the leads. A PNG of
 * MT_PAGE_WIDTH x MT_PAGE_HEIGHT pixels.
 *
 * The twelve standard leads are arranged as on the paper of a clinic, each with the complete record,
 *
 *     I    aVR  V1  V4
 *     II   aVL  V2  V5
 *     III  aVF  V3  V6
 *
 * and further ones below, one in each column. Columns of chest leads that are all absent are left out. Other leads have a row each, from
 * the ninth on in two columns, from the 17th in three and from the 25th in four; MT_ECG_LEADS_MAX are shown, and the picture says so if there
 * are more.
 *
 * The paper runs at 25 mm/s: a small square is 40 ms, a large one 200 ms. A millimetre has the most pixels with which the record fits. A record
 * that is too long for its column gets fewer columns: limb leads beside chest leads, then all leads below each other. One that is longer
 * than a row runs at the largest round speed that fits, and the picture says which.
 *
 * Limb leads have one gain and chest leads have one; so have other leads. It is 10 mm/mV if the leads then fit and are at least 5 mm high,
 * else the largest of 1, 2 and 5 times a power of ten that fits: in an unbounded conductor limbs are far away. Leads below the standard ones have
 * the gain of their column. Speed and gains are printed below the paper, and the voltage of a pulse next to it. */
#pragma once

#include "app/draw/chart/curves.h"
#include "solver/case/stimulated.h"

enum { MT_ECG_LEADS_MAX = 32 };

/* All is borrowed; words are UTF-8. */
typedef struct mt_ecg_record {
    const char *title;
    size_t n;          /* leads, at least 1 */
    size_t n_standard; /* of them that are standard leads and come first (solver/outputs/leads.h); or 0 */
    const char *const *name; /* [n] */
    const mt_curve *curve;   /* [n] mV over ms, all of the same range */
    size_t
        n_stimulated; /* spans that the leads have no points in: a mark is drawn at each, and no line across it */
    const mt_span *stimulated;
} mt_ecg_record;

typedef enum mt_ecg_half { MT_ECG_LIMBS, MT_ECG_CHEST, MT_ECG_HALVES } mt_ecg_half;

typedef struct mt_ecg_scale {
    int pixels_per_mm;
    double mm_per_s, mm_per_mV[MT_ECG_HALVES]; /* both the same without standard leads */
} mt_ecg_scale;

/* The note of pictures and reports on amplitudes. */
extern const char mt_ecg_calibration[];

/* Returns the scale of the picture and of reports. MT_INPUT: a lead without points, or with one that is not finite; no lead. */
MT_NODISCARD mt_status mt_ecg_scale_find(const mt_ecg_record *record, mt_ecg_scale *scale);

/* Removes the values of a lead within the spans: NaN. Returns true if any is left. */
bool mt_ecg_blank(
    size_t n, const double *time_ms, size_t n_spans, const mt_span *span, size_t stride, double *value_mV);

/* Writes the picture: whole, or not at all. The same input gives the same bytes. MT_INPUT: as above, or words that are not UTF-8.
 * MT_MEMORY. MT_FILE: the file cannot be written. */
MT_NODISCARD mt_status mt_ecg_picture(const char *path, const mt_ecg_record *record);
