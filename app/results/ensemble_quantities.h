/* The quantities of the members of an ensemble that can be drawn or summarised: its varied values and its results, as columns of numbers.
 *
 * A varied key has a quantity if one of its values is a number. A list of factors, "[g_Na=0.5,g_Kr=0.8]", has one for each name of the
 * first member's list. A key with other values, such as names of models, has a quantity of categories, numbered from 0 in the order of
 * their first rows. */
#pragma once

#include "app/results/ensemble_table.h"

typedef struct mt_ensemble_quantity {
    const char *label, *unit; /* "activation P1", "ms" */
    const char *key;          /* of its column */
    bool is_result;           /* false: a varied value */
    bool is_factor;           /* of a list of factors, with its name as label */
    size_t n_words;           /* of categories; 0: numbers */
    const char **word;        /* [n_words] */
    double *value;            /* [n_rows]; NaN: none */
} mt_ensemble_quantity;

typedef struct mt_ensemble_quantities {
    size_t n_rows; /* of the table */
    size_t *beat;  /* [n_rows] from 1; 0 without results or without the column */
    bool beats;    /* true if the table has the column */
    size_t n;
    mt_ensemble_quantity *of; /* [n] varied values, then results, each in the order of the columns */
} mt_ensemble_quantities;

/* Finds the quantities of a table of an ensemble (mt_ensemble_table) of n_keys keys, in `arena`. Borrows the table for the lifetime of the
 * result. Returns the error of the table; MT_MEMORY. */
MT_NODISCARD mt_status mt_ensemble_quantities_find(
    mt_arena *arena, const mt_table *table, size_t n_keys, mt_ensemble_quantities *found);

/* Statistics of the n finite values of a quantity; NaN if there are none. Percentiles are linear between the two nearest ranks. */
typedef struct mt_ensemble_statistics {
    size_t n;
    double least, p5, median, p95, largest;
} mt_ensemble_statistics;

/* Computes them over the rows of a beat, from 1; 0: over all rows. MT_MEMORY. */
MT_NODISCARD mt_status mt_ensemble_statistics_of(const mt_ensemble_quantities *quantities, size_t quantity,
    size_t beat, mt_ensemble_statistics *statistics);
