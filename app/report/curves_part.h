/* The time series of a run as curves of a page: traces.csv, with a group for each field (V, Ca_i), and ecg.csv. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* The rows omitted to keep a page small. */
typedef struct mt_curves_left {
    /* Of the longest file with omitted rows: number of rows, number of shown rows; 0 if nothing is omitted. */
    size_t rows, shown;
} mt_curves_left;

/* Writes the lists "traces" and "ecg", empty if there is no such file. A file with more than `most` rows is shown by every second, third
 * ... row. Fails with MT_FILE, or with MT_INPUT if a file is damaged. */
MT_NODISCARD mt_status mt_curves_part_put(
    mt_html_part *part, const mt_run_folder *folder, size_t most, mt_curves_left *left);
