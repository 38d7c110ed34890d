/* The table of an ensemble (app/commands/run/ensemble.h): a row for each member and each beat, with its values and its results. */
#pragma once

#include "app/results/run_files.h"

/* The results of a beat over the conducting elements. NaN for an undefined result. */
typedef struct mt_member_beat {
    double activated_percent, latest_ms;
    mt_map_summary map[MT_MAPS]; /* of the maps of the run */
    /* numbers of junctions of the conduction network (mt_run_junctions) */
    double junctions_failed, junctions_open;
    double qrs_ms;    /* duration of the QRS complex */
    double *point_ms; /* [n_points] activation at the points */
} mt_member_beat;

/* The results of a member. */
typedef struct mt_member_row {
    const char *outcome; /* "done" */
    const char *error;   /* the message of a member that failed or was stopped; "" if there is none */
    const char
        *chosen;    /* the discretisation that was chosen, "elements" or "nodes"; "" if the case states it */
    size_t n_beats; /* 0 if not known */
    mt_member_beat *beat; /* [n_beats] */
    uint32_t maps;        /* the maps of the case, a bit for each mt_map */
    double step_cycles;   /* NaN without an emulated machine, or if not known */
    size_t n_points;
    const char **point; /* [n_points] names */
} mt_member_row;

/* Fills in the row of a run, in `arena`, except outcome and error. */
MT_NODISCARD mt_status mt_member_row_fill(mt_arena *arena, const mt_run *run, mt_member_row *row);

/* The members of a table, all borrowed. */
typedef struct mt_ensemble_rows {
    const char *title;
    /* true for the values of one key: column `value` instead of a name and columns for keys, without points and errors */
    bool sweep;
    size_t n, n_keys;
    const char *const *key;          /* [n_keys] */
    const char *const *name;         /* [n] */
    const char *const *const *value; /* [n][n_keys] */
    const mt_member_row *row;        /* [n] */
} mt_ensemble_rows;

/* Builds the table in `arena`. Empty columns are omitted. Numbers of cells are numbers, others are text. `exact`: columns have the
 * keys of the case and the names of points as keys, as in ensemble.csv; otherwise keys with lower-case letters, digits and underscores. */
mt_table mt_ensemble_table(mt_arena *arena, const mt_ensemble_rows *rows, bool exact);
