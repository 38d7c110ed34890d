/* The HTML file that shows runs, written by `myotile report`.
 *
 * The file is self-contained (app/report/html.h). Unless all data is requested, its size is limited: each run has an equal share, and its
 * surface, cut and frames are coarsened together until it fits. The notes of the run list the omitted data. */
#pragma once

#include "app/report/heart_part.h"
#include "app/results/run_files.h"

typedef struct mt_html_report {
    size_t n;
    const char *const *folder;  /* [n] of runs */
    const char *const *profile; /* optional: [n] folders of their profiles; each may be NULL */
    const mt_run *run;    /* the only run, which has just written its folder; NULL to read the folders */
    const char *path;     /* the file */
    const char *template; /* a page (data/report/template.html) */
    size_t bytes;         /* limit of its size; SIZE_MAX for all data at full resolution */
} mt_html_report;

typedef struct mt_html_run {
    const char *name;
    mt_heart_shown heart;
    size_t bytes; /* share of the file size */
} mt_html_run;

typedef struct mt_html_written {
    size_t bytes;
    mt_html_run *run; /* [n] */
} mt_html_written;

/* The default size limit. */
extern const size_t mt_html_report_bytes;

/* Returns, in `arena`, the path of the installed template. */
MT_NODISCARD mt_status mt_html_report_template(mt_arena *arena, const char **path);

/* Writes the complete file or none. `made`: its contents, in `arena`. Fails with MT_INPUT if the size limit is too low, and with the
 * errors of `mt_run_folder_read`. */
MT_NODISCARD mt_status mt_html_report_make(
    mt_arena *arena, const mt_html_report *report, mt_html_written *made);

/* Writes report.html of a run of this program into `folder`, next to its results, if the case requests it (output.report). After a signal
 * nothing is written, so that the run ends within a second. A failure is only a warning. Returns true if the file was written. */
bool mt_html_report_of_run(const mt_run *done, const char *folder);

/* Checks, before long computations, that report.html can be written. Returns the errors of `mt_file_check` and `mt_html_template_read`. */
MT_NODISCARD mt_status mt_html_report_check(const mt_case *input, const char *folder);
