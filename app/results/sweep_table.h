/* The summary table of a sweep: a row for each value and each beat. */
#pragma once

#include "app/results/run_files.h"

/* The results of a beat over the conducting elements. NaN for an undefined result. */
typedef struct mt_sweep_beat {
    double activated_percent, latest_ms;
    double median[MT_MAPS]; /* of the maps of the run */
    /* numbers of junctions of the conduction network (mt_run_junctions) */
    double junctions_failed, junctions_open;
    double qrs_ms; /* duration of the QRS complex */
} mt_sweep_beat;

/* A value of the sweep and its results. */
typedef struct mt_sweep_row {
    const char *value;
    const char *outcome; /* "done" */
    size_t n_beats;      /* 0 if not known */
    mt_sweep_beat *beat; /* [n_beats] */
    uint32_t maps;       /* the maps of the case, a bit for each mt_map */
    double step_cycles;  /* NaN without an emulated machine, or if not known */
} mt_sweep_row;

/* Fills in the row of a run, in `arena`, except value and outcome. */
MT_NODISCARD mt_status mt_sweep_row_fill(mt_arena *arena, const mt_run *run, mt_sweep_row *row);

/* Builds the table of n rows in `arena`. `key`: the key with these values. Empty columns are omitted. */
mt_table mt_sweep_table(
    mt_arena *arena, const char *title, const char *key, size_t n, const mt_sweep_row *rows);
