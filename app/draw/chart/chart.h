/* A chart in the style of the pictures: stacked bars in groups, for amounts of a few kinds, for example what tiles hold and receive by
 * machine (groups) and scheme (bars); or lines, for how an amount depends on a number: groups are then placed at their
 * numbers or the logarithms of these, and the values of each bar are points on a line. A PNG of MT_PAGE_WIDTH x MT_PAGE_HEIGHT
 * pixels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "app/draw/page.h"

enum { MT_CHART_GROUPS_MAX = 12, MT_CHART_BARS_MAX = 8, MT_CHART_KINDS_MAX = 4 };

/* All is borrowed; names are UTF-8. */
typedef struct mt_chart {
    const char *title, *caption;      /* caption: what the values are, above their axis; "" for none */
    bool logarithmic;                 /* the axis of values: else linear from 0 */
    size_t n_groups, n_bars, n_kinds; /* at least 1 of each, at most as above */
    const char *const *group;         /* [n_groups] names; below their bars */
    const char *const *bar;           /* [n_bars] below each bar; "" for none */
    const char *const *kind;          /* [n_kinds] from the axis up; in the legend */
    const double *value;              /* [n_groups][n_bars][n_kinds]: 0, or 1e-9 to 1e15 */
    const double *mark;               /* [n_groups][n_bars] where to draw a diamond, 1e-9 to 1e15; NaN: none.
                                         NULL: no marks at all */
    const char *mark_name;            /* in the legend, where there are marks */
    bool linear_places;               /* groups are placed at their numbers: else at the logarithms */
    const double *
        place; /* [n_groups] 1e-9 to 1e15, linear ones also 0: lines, of one kind and at most MT_CHART_KINDS_MAX
                                         bars, named in the legend; a value of 0 is no point, and a dashed line
                                         joins the marks. NULL: bars */
} mt_chart;

/* Writes the chart to `path`: whole, or not at all. The axis goes to a round number that is not below the largest bar
 * or mark; from 0, or, where it is logarithmic, from a round number that is at most half of the least value on it.
 * There a kind ends at the sum of the kinds up to it, so heights within a bar cannot be compared. The same
 * input gives the same bytes. MT_INPUT: a number or a size out of range, nothing above 0 on a logarithmic axis, places
 * with more than one kind, words that are not UTF-8; the message names group and bar. MT_MEMORY. MT_FILE: the
 * file cannot be written. */
MT_NODISCARD mt_status mt_chart_write(const char *path, const mt_chart *chart);

/* The colour of a kind, of a chart with lines that of a bar, as linear light. */
void mt_chart_colour(size_t kind, double linear[3]);
