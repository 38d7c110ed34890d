/* The picture of an ensemble, ensemble.png: histograms of results, and each result against the values of each key. */
#pragma once

#include "app/results/ensemble_table.h"

/* Writes the picture for a table (mt_ensemble_table) whose first 1 + n_keys columns are the name and the keys. Uses the first beat, and the
 * first results in an order of importance: latest activation, medians of maps, points, QRS, others. Keys with names and numbers, as
 * "[g_Na=0.5,g_Kr=1.2]", have a column for each name; keys with other texts, and constant columns, have none. *written: false if
 * nothing is drawn, since no result differs between two members. Returns the errors of `mt_scatter_write`. */
MT_NODISCARD mt_status mt_ensemble_picture(
    const char *path, const mt_table *table, size_t n_keys, bool *written);
