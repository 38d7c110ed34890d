/* Curves over a common horizontal axis, such as Vm and calcium of a cell over time, in stacked panels. A PNG of MT_PAGE_WIDTH x
 * MT_PAGE_HEIGHT pixels.
 *
 * A curve accepts any number of points. It divides its range into MT_CURVE_PARTS equal parts and stores the first, lowest, highest
 * and last point of each. A part is narrower than a pixel, so all points together would draw the same pixels.
 *
 *     mt_curve v;
 *     MT_TRY(mt_curve_begin(arena, 0, 500, &v));
 *     for (...) mt_curve_add(&v, t_ms, v_mV);
 *     const mt_curve_panel panel[] = {{.caption = "V, mV", .curve = &v, .look = MT_CURVE_LINE}};
 *     return mt_curves_write(path, &(mt_curves){"A cell", "time, ms", 1, panel, NULL}); */
#pragma once

#include <stdbool.h>

#include "app/draw/page.h"
#include "data/core/arena.h"

enum { MT_CURVE_PARTS = 2048, MT_CURVE_PANELS_MAX = 3, MT_CURVES_MAX = 24 };

typedef struct mt_curve_point {
    double x, y;
} mt_curve_point;

/* The stored points of a part to which n points were added. */
typedef struct mt_curve_part {
    size_t n;
    mt_curve_point first, lowest, highest, last;
} mt_curve_part;

typedef struct mt_curve {
    double from, to;     /* range of x */
    mt_curve_part *part; /* [MT_CURVE_PARTS] */
} mt_curve;

/* Returns an empty curve for x in [from, to], from < to. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_curve_begin(mt_arena *arena, double from, double to, mt_curve *curve);

/* Adds a point. x is within the range and not below that of the previous point. */
void mt_curve_add(mt_curve *curve, double x, double y);

/* Return the stored points of a part, ordered by x, and their number (0 or 4); and the range of y, false if there are no points or
 * one is not finite. */
size_t mt_curve_points(const mt_curve_part *part, mt_curve_point points[4]);
bool mt_curve_range(const mt_curve *curve, double *least, double *most);

/* A line through all points; a dot for each of a few points; or both. */
typedef enum mt_curve_style { MT_CURVE_LINE, MT_CURVE_DOTS, MT_CURVE_DOTTED_LINE } mt_curve_style;

typedef struct mt_curve_panel {
    const char *caption;   /* label of y, above the panel */
    const mt_curve *curve; /* all panels have the same range */
    mt_curve_style look;
    /* number of further curves in the panel, at most MT_CURVES_MAX with the first. Styles: eight colours, then dashed, then dotted */
    size_t n_others;
    const mt_curve *other;   /* [n_others] */
    const char *const *name; /* [1 + n_others] names of all curves, next to the caption; NULL: no names */
} mt_curve_panel;

/* All members are borrowed; text is UTF-8. */
typedef struct mt_curves {
    const char *title, *caption;  /* caption: label of x, below the axis */
    size_t n_panels;              /* 1 to MT_CURVE_PANELS_MAX, from the top; the first is the tallest */
    const mt_curve_panel *panels; /* [n_panels] */
    const char *note;             /* below the panels, such as the number of omitted points; NULL: no note */
} mt_curves;

/* Writes the picture, completely or not at all. Vertical axes have round ends. The same input yields the same bytes. Fails with
 * MT_INPUT if a curve has no points or one that is not finite, or if text is not UTF-8; with MT_MEMORY; or with MT_FILE if the file
 * cannot be written. */
MT_NODISCARD mt_status mt_curves_write(const char *path, const mt_curves *curves);
