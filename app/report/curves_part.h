/* What a run took as time passed, as curves of a page: traces.csv, a group for each field (V, Ca_i), and ecg.csv. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* What was left out to keep a page small. */
typedef struct mt_curves_left {
    size_t rows, shown; /* of the longest file whose rows are not all shown: each so-manieth; 0: all are */
} mt_curves_left;

/* Puts the lists "traces" and "ecg", empty where there is no such file; of a file with more than `most` rows, every second, third ... of them.
 * MT_FILE. MT_INPUT: a file is damaged. MT_MEMORY. */
MT_NODISCARD mt_status mt_curves_part_put(
    mt_html_part *part, const mt_run_folder *folder, size_t most, mt_curves_left *left);
