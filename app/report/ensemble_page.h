/* The HTML file that shows an ensemble, ensemble.html: the table of its members, the distribution of every result, every result against
 * every varied value, failed members with their errors, warnings, and the values of the case. It is a page of `myotile report`
 * (app/report/html.h) with one run, whose data is the ensemble. */
#pragma once

#include "app/cli/table.h"
#include "app/report/html.h"
#include "data/core/progress.h"
#include "solver/case/case.h"

extern const char mt_ensemble_page_name[]; /* "ensemble.html" */

/* An ensemble with its results; all are borrowed. */
typedef struct mt_ensemble_page {
    const char *folder;          /* of the ensemble */
    const char *command;         /* repeats it */
    const mt_case *input;        /* of the first member */
    size_t n_members, n_keys;    /* number of varied keys */
    const char *const *key;      /* [n_keys] */
    const mt_table *table;       /* mt_ensemble_table with exact keys */
    const mt_messages *messages; /* of all members */
} mt_ensemble_page;

/* Writes ensemble.html into the folder, completely or not at all; the same input yields the same bytes. Returns the errors of
 * `mt_html_template_read`, of the table, and of `mt_html_write`. */
MT_NODISCARD mt_status mt_ensemble_page_write(const mt_ensemble_page *page);

/* Checks before the first run that it can be written: reads the template, and checks the path (mt_file_check). */
MT_NODISCARD mt_status mt_ensemble_page_check(const char *folder);
