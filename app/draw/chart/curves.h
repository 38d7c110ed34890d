/* Curves over one axis, such as a cell's potential and its calcium over time: panels one above the other, with one horizontal axis. A
 * PNG of MT_PAGE_WIDTH x MT_PAGE_HEIGHT pixels in the style of the other pictures.
 *
 * A curve takes as many points as come and keeps, of each of MT_CURVE_PARTS equal parts of its range, the first, the lowest, the
 * highest and the last. A part is narrower than a pixel: what is drawn are the pixels of the line through all points.
 *
 *     mt_curve v;
 *     MT_TRY(mt_curve_begin(arena, 0, 500, &v));
 *     for (...) mt_curve_add(&v, t_ms, v_mV);
 *     const mt_curve_panel panel[] = {{.caption = "V, mV", .curve = &v, .look = MT_CURVE_LINE}};
 *     return mt_curves_write(path, &(mt_curves){"A cell", "time, ms", 1, panel, NULL});
 */
#pragma once

#include <stdbool.h>

#include "app/draw/page.h"
#include "data/core/arena.h"

enum { MT_CURVE_PARTS = 2048, MT_CURVE_PANELS_MAX = 3, MT_CURVES_MAX = 24 };

typedef struct mt_curve_point {
    double x, y;
} mt_curve_point;

/* The points kept of a part, of which `n` were added. */
typedef struct mt_curve_part {
    size_t n;
    mt_curve_point first, lowest, highest, last;
} mt_curve_part;

typedef struct mt_curve {
    double from, to;     /* the range of x */
    mt_curve_part *part; /* [MT_CURVE_PARTS] */
} mt_curve;

/* Gives an empty curve for x in from .. to, from < to. MT_MEMORY. */
MT_NODISCARD mt_status mt_curve_begin(mt_arena *arena, double from, double to, mt_curve *curve);

/* Its next point: x within its range, not below that of the point before. */
void mt_curve_add(mt_curve *curve, double x, double y);

/* The points kept of a part in their order along x; gives how many: 0 or 4. And the range of y; false: there are no points, or one is
 * not finite. */
size_t mt_curve_points(const mt_curve_part *part, mt_curve_point points[4]);
bool mt_curve_range(const mt_curve *curve, double *least, double *most);

/* A line through all points; each point a dot, for few of them; or both. */
typedef enum mt_curve_look { MT_CURVE_LINE, MT_CURVE_DOTS, MT_CURVE_DOTTED_LINE } mt_curve_look;

typedef struct mt_curve_panel {
    const char *caption;   /* what y is, above the panel */
    const mt_curve *curve; /* all of the same range */
    mt_curve_look look;
    size_t
        n_others; /* more curves in the panel, at most MT_CURVES_MAX with the first: eight colours, then dashed, then dotted */
    const mt_curve *other;   /* [n_others] */
    const char *const *name; /* [1 + n_others] of all of them, next to the caption; NULL: without names */
} mt_curve_panel;

/* All is borrowed; words are UTF-8. */
typedef struct mt_curves {
    const char *title, *caption;  /* caption: what x is, below it */
    size_t n_panels;              /* 1 to MT_CURVE_PANELS_MAX, from above; the first is the highest */
    const mt_curve_panel *panels; /* [n_panels] */
    const char *note;             /* below all, such as a count of points that are left out; NULL: none */
} mt_curves;

/* Writes them: whole, or not at all. Vertical axes have round ends. The same input gives the same bytes. MT_INPUT: a curve without
 * points or with one that is not finite, words that are not UTF-8. MT_MEMORY. MT_FILE: the file cannot be written. */
MT_NODISCARD mt_status mt_curves_write(const char *path, const mt_curves *curves);
