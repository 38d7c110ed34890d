/* What is told of a sweep as a whole: a row for each value and each beat. */
#pragma once

#include "app/results/report.h"

/* What came of an action potential of the elements that are not inert. NaN: there is nothing to tell. */
typedef struct mt_sweep_beat {
    double activated_percent, latest_ms;
    double median[MT_MAPS]; /* of maps that the run has */
} mt_sweep_beat;

/* A value and what came of it. */
typedef struct mt_sweep_row {
    const char *value;
    const char *outcome; /* "done" */
    size_t n_beats;      /* 0: not known */
    mt_sweep_beat *beat; /* [n_beats] */
    uint32_t maps;       /* that the case asks for, a bit each by mt_map */
    double step_cycles;  /* NaN: without an emulated machine, or not known */
} mt_sweep_row;

/* Fills in what a run has of its row, in `arena`: all but value and outcome. MT_MEMORY. */
MT_NODISCARD mt_status mt_sweep_row_fill(mt_arena *arena, const mt_run *run, mt_sweep_row *row);

/* Gives the table of n rows in `arena`; `key` is what they are values of. A column that no row has anything in is left out. */
mt_table mt_sweep_table(
    mt_arena *arena, const char *title, const char *key, size_t n, const mt_sweep_row *rows);
