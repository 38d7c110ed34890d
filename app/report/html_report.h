/* One HTML file that shows runs: what `myotile report` writes.
 *
 * It holds all that it shows: nothing is fetched, and nothing else need be there (app/report/html.h says how). Unless all is asked for, it has at most
 * so many bytes: each run may take an equal share, and of each the surface, the cut and the frames become coarser together until it
 * does. What was left out is said in the notes of the run. */
#pragma once

#include "app/report/heart_part.h"
#include "app/results/report.h"

typedef struct mt_html_report {
    size_t n;
    const char *const *folder;  /* [n] of runs */
    const char *const *profile; /* [n] folders of their profiles; each may be NULL, and so may all */
    const mt_run *run;    /* the only one, which has just written its folder; NULL: the folders are read */
    const char *path;     /* the file */
    const char *template; /* a page (data/report/template.html) */
    size_t bytes;         /* the file has at most so many; SIZE_MAX: nothing is made coarser or left out */
} mt_html_report;

typedef struct mt_html_run {
    const char *name;
    mt_heart_shown heart;
    size_t bytes; /* of the file */
} mt_html_run;

typedef struct mt_html_made {
    size_t bytes;
    mt_html_run *run; /* [n] */
} mt_html_made;

/* The usual bound of a file. */
extern const size_t mt_html_report_bytes;

/* Gives in `arena` the template that is installed. MT_MEMORY. */
MT_NODISCARD mt_status mt_html_report_template(mt_arena *arena, const char **path);

/* Writes it, whole or not at all; gives in `arena` what came of it. Fails as mt_run_folder_read, and MT_INPUT: it cannot be made that small. */
MT_NODISCARD mt_status mt_html_report_make(mt_arena *arena, const mt_html_report *report, mt_html_made *made);

/* The same of a run of this program whose results are in `folder`, as report.html beside them, where its case asks for that
 * (output.report). A signal ends a run within a second, so that nothing is made behind one. Where it cannot be made the run is no
 * worse: a warning says why. Is it there? */
bool mt_html_report_of_run(const mt_run *done, const char *folder);

/* Can that be written? Before long work. Fails as mt_file_check and mt_html_template_read. */
MT_NODISCARD mt_status mt_html_report_check(const mt_case *input, const char *folder);
