/* Isochrones: labelled lines of equal activation time on a plot. */
#pragma once

#include "app/draw/scene/view.h"

enum { MT_TIME_LEVELS_MAX = 32 };

/* The levels k * interval, first <= k <= last; they enclose all activation times. */
typedef struct mt_times {
    double interval_ms;
    double first, last; /* integers; last > first */
    bool any;           /* true if any element was activated */
    bool all;           /* true if all elements were activated */
} mt_times;

/* Returns the scale of activation times. The distance of its levels is mt_page_step for at most 14 of them. Times of elements that
 * were never activated are not finite. */
mt_times mt_times_make(const float *activation_ms, size_t n_elements);

/* Returns the position of a time on the scale: 0 at the first level, 1 at the last. */
double mt_times_position(const mt_times *times, double time_ms);

/* Returns the number of levels between labels, for at most `most` labels. */
int mt_times_stride(const mt_times *times, int most);

/* Formats the label of a level. */
void mt_times_text(const mt_times *times, double level, char out[32]);

typedef struct mt_time_label {
    bool set;
    double x, y, score; /* samples; smaller scores are better */
} mt_time_label;

typedef struct mt_time_labels {
    int stride;
    double half_w, half_h;                /* half of the gap for a label, samples */
    double x, y, axis_x, axis_y;          /* a line along the visible surface; labels are placed near it */
    mt_time_label at[MT_TIME_LEVELS_MAX]; /* level k at [k - first] */
} mt_time_labels;

/* Draws the isochrones within the scale on a plot of a surface with activation times as values. Leaves gaps for their labels and
 * returns the label positions. */
void mt_isochrones_draw(mt_plot *plot, const mt_view_surface *surface, const mt_view *view,
    const mt_times *times, mt_time_labels *labels);
