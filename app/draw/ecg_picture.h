/* An ECG on its paper: a grid of 1 and 5 mm, a pulse of calibration before each row, and the leads. A PNG of
 * MT_PAGE_WIDTH x MT_PAGE_HEIGHT pixels.
 *
 * The twelve standard leads stand as they do on the paper of a clinic, each with the whole record,
 *
 *     I    aVR  V1  V4
 *     II   aVL  V2  V5
 *     III  aVF  V3  V6
 *
 * and further ones below, four in a row. Other leads have a row each, from the ninth on in two columns, from the 17th in three and from
 * the 25th in four; MT_ECG_LEADS_MAX are shown, and the picture says so where there are more.
 *
 * The paper runs at 25 mm/s and shows 10 mm/mV, as is usual, where the record fits so and is no less than four tenths of its box long,
 * and the leads 5 mm high. Else the largest of 1, 2 and 5 times a power of ten is taken that fits. As in clinics the six leads
 * of the limbs, on the left, and those of the chest have gains and pulses of their own: in a bath without a body limbs are far away.
 * What stands below them has the gain of its half. Speed and gains stand below the paper, and the voltage of a pulse beside it. */
#ifndef MT_APP_DRAW_ECG_PICTURE_H
#define MT_APP_DRAW_ECG_PICTURE_H

#include "app/draw/curves.h"

enum { MT_ECG_LEADS_MAX = 32 };

/* All is borrowed; words are UTF-8. */
typedef struct mt_ecg_record {
    const char *title;
    size_t n; /* leads, at least 1 */
    size_t
        n_standard; /* 12: the first are I, II, III, aVR, aVL, aVF, V1 to V6 (solver/outputs/leads.h); or 0 */
    const char *const *name; /* [n] */
    const mt_curve *curve;   /* [n] mV over ms, all of the same range */
} mt_ecg_record;

typedef enum mt_ecg_half { MT_ECG_LIMBS, MT_ECG_CHEST, MT_ECG_HALVES } mt_ecg_half;

typedef struct mt_ecg_scale {
    int pixels_per_mm;
    double mm_per_s, mm_per_mV[MT_ECG_HALVES]; /* both the same where there are no standard leads */
} mt_ecg_scale;

/* Gives the scale that the picture has. MT_INPUT: a lead without points, or with one that is not finite; no lead. */
MT_NODISCARD mt_status mt_ecg_scale_find(const mt_ecg_record *record, mt_ecg_scale *scale);

/* Writes the picture: whole, or not at all. The same input gives the same bytes. MT_INPUT: as above, or words that are not UTF-8.
 * MT_MEMORY. MT_FILE: the file cannot be written. */
MT_NODISCARD mt_status mt_ecg_picture(const char *path, const mt_ecg_record *record);

#endif
