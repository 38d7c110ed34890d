/* Scatter plots of results against parameters, for the members of an ensemble: a row of panels for each result, with its histogram on the
 * left, and a column for each parameter. A PNG of MT_PAGE_WIDTH x MT_PAGE_HEIGHT pixels. Each panel has Pearson's correlation
 * coefficient r of its two quantities. */
#pragma once

#include "app/draw/page.h"

enum { MT_SCATTER_RESULTS_MAX = 5, MT_SCATTER_PARAMETERS_MAX = 6, MT_SCATTER_BINS = 16 };

/* A quantity of all members, borrowed; the name is UTF-8. */
typedef struct mt_scatter_quantity {
    const char *name;
    const double *value; /* [n] NaN: missing */
} mt_scatter_quantity;

/* All members are borrowed; text is UTF-8. */
typedef struct mt_scatter {
    const char *title, *note;       /* note: below the panels */
    size_t n;                       /* members */
    size_t n_results, n_parameters; /* 1 to MT_SCATTER_RESULTS_MAX; 0 to MT_SCATTER_PARAMETERS_MAX */
    const mt_scatter_quantity *result, *parameter;
} mt_scatter;

/* Returns the correlation coefficient of two quantities over the n members that have both; NaN if one is constant. */
double mt_scatter_correlation(size_t n, const double *x, const double *y);

/* Counts the values in MT_SCATTER_BINS equal parts of [low, high]; NaN does not count. */
void mt_scatter_bins(size_t n, const double *value, double low, double high, size_t count[MT_SCATTER_BINS]);

/* Writes the picture, completely or not at all. The same input yields the same bytes. Fails with MT_INPUT if a quantity has no values or
 * one that is infinite, if there are too many, or if text is not UTF-8; with MT_MEMORY; or with MT_FILE if the file cannot be written. */
MT_NODISCARD mt_status mt_scatter_write(const char *path, const mt_scatter *scatter);
