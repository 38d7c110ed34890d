/* The members of an ensemble: variants of one case, each with a name for its folder and values of some keys.
 *
 * A table is a CSV file (data/files/csv.h) with a row for each member. A column is a key of the case, as in --set
 * ("stimuli.0.start_ms"); every cell has a value. An optional first column `name` has the names; without it they are 001, 002 ...
 * A sweep is an ensemble with one key, whose names are those of app/commands/run/sweep_values.h. */
#pragma once

#include <stdbool.h>

#include "data/yaml/yaml_schema.h"
#include "data/core/arena.h"
#include "data/core/status.h"

typedef struct mt_member {
    const char *name;            /* of its folder */
    const char *place;           /* for messages: "--sweep", or the line of the table, "table.csv:3:" */
    const char *const *value;    /* [n_keys] "0.2" */
    const mt_yaml_override *set; /* [n_keys] "mesh.slab.edge_mm=0.2" */
} mt_member;

typedef struct mt_members {
    bool sweep; /* true for the values of --sweep */
    size_t n_keys, n;
    const char *const *key;  /* [n_keys] "mesh.slab.edge_mm"; of a sweep only the last part */
    const mt_member *member; /* [n] in the order of the rows or values */
} mt_members;

/* Returns the members of a sweep, in `arena`. Fails as mt_sweep_values_read. */
MT_NODISCARD mt_status mt_members_of_sweep(mt_arena *arena, const char *text, mt_members *members);

/* Reads the members of a table into `arena`. Does not check the values. Fails with the errors of mt_csv_read, and with MT_INPUT if
 * there is no row or no key, if a key or a name is duplicated, if a cell is empty or has several lines, or if a name cannot be that of a
 * folder: at most MT_SWEEP_NAME_MAX bytes without '/' and control characters, not starting with a dot, and none of `taken`
 * (terminated by NULL), the files in the folder of the ensemble. */
MT_NODISCARD mt_status mt_members_read(
    mt_arena *arena, const char *path, const char *const *taken, mt_members *members);
