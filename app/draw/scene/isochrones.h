/* Isochrones: lines of equal activation time on a plot, with their times. */
#pragma once

#include "app/draw/scene/view.h"

enum { MT_TIME_LEVELS_MAX = 32 };

/* The levels are k * interval, first <= k <= last; they enclose all times. */
typedef struct mt_times {
    double interval_ms;
    double first, last; /* whole numbers; last > first */
    bool any;           /* was anything activated? */
    bool all;           /* was everything? */
} mt_times;

/* Gives the scale of activation times; the distance of its levels is mt_page_step for at most 14 of them. Times of elements that were
 * never activated are not finite. */
mt_times mt_times_make(const float *activation_ms, size_t n_elements);

/* The position of a time on the scale: 0 at its first level, 1 at its last. */
double mt_times_position(const mt_times *times, double time_ms);

/* How many levels there are from one label to the next, for at most `most` labels. */
int mt_times_stride(const mt_times *times, int most);

/* The label of a level. */
void mt_times_text(const mt_times *times, double level, char out[32]);

typedef struct mt_time_label {
    bool set;
    double x, y, score; /* samples; the lower the better */
} mt_time_label;

typedef struct mt_time_labels {
    int stride;
    double half_w, half_h;                /* of the gap they need, samples */
    double x, y, axis_x, axis_y;          /* a line along the visible surface: labels are placed near it */
    mt_time_label at[MT_TIME_LEVELS_MAX]; /* level k at [k - first] */
} mt_time_labels;

/* Draws the isochrones inside the scale on a plot of this surface, whose values are times; leaves room for their labels and gives
 * where these are. */
void mt_isochrones_draw(mt_plot *plot, const mt_view_surface *surface, const mt_view *view,
    const mt_times *times, mt_time_labels *labels);
