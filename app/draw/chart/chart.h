/* Charts: stacked bars in groups, or lines. Bars show amounts of a few kinds, for example the data that tiles store and receive, by
 * machine (groups) and scheme (bars). Lines show how an amount depends on a number: groups are placed at their numbers or the
 * logarithms of these, and the values of each bar are points on a line. A chart is a PNG of MT_PAGE_WIDTH x MT_PAGE_HEIGHT pixels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "app/draw/page.h"

enum { MT_CHART_GROUPS_MAX = 12, MT_CHART_BARS_MAX = 8, MT_CHART_KINDS_MAX = 4 };

/* All members are borrowed; names are UTF-8. */
typedef struct mt_chart {
    const char *title, *caption;      /* caption: label of the value axis, above it; "" if none */
    bool logarithmic;                 /* value axis: logarithmic, else linear from 0 */
    size_t n_groups, n_bars, n_kinds; /* each at least 1, at most the maxima above */
    const char *const *group;         /* [n_groups] names below their bars */
    const char *const *bar;           /* [n_bars] names below each bar; "" if none */
    const char *const *kind;          /* [n_kinds] names in the legend, from the axis upwards */
    const double *value;              /* [n_groups][n_bars][n_kinds]: 0, or 1e-9 to 1e15 */
    /* [n_groups][n_bars] positions of diamonds, 1e-9 to 1e15; NaN: no mark. NULL: no marks */
    const double *mark;
    const char *mark_name; /* in the legend, if there are marks */
    bool linear_places;    /* groups are placed at their numbers, else at the logarithms */
    /* [n_groups] 1e-9 to 1e15, linear ones also 0: draws lines, of one kind and at most MT_CHART_KINDS_MAX bars, named in the
     * legend. A value of 0 is not drawn; a dashed line joins the marks. NULL: draws bars */
    const double *place;
} mt_chart;

/* Writes the chart to `path`, completely or not at all. The value axis ends at a round number not below the largest bar or mark. A
 * linear axis starts at 0, a logarithmic one at a round number of at most half the smallest value. On a logarithmic axis a kind
 * ends at the cumulative sum of the kinds, so heights within a bar cannot be compared. The same input yields the same bytes. Fails
 * with MT_INPUT if a number or a size is out of range, if no value on a logarithmic axis is positive, if lines have more than one
 * kind, or if text is not UTF-8; the message names group and bar. Fails with MT_MEMORY, or with MT_FILE if the file cannot be
 * written. */
MT_NODISCARD mt_status mt_chart_write(const char *path, const mt_chart *chart);

/* Returns the colour of a kind (of a line: the colour of its bar) in linear light. */
void mt_chart_colour(size_t kind, double linear[3]);
