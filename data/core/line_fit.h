/* Straight line through points by least squares. */
#pragma once

#include <stddef.h>

/* Zero-initialised: no points. Running means avoid cancellation if x is far from 0. */
typedef struct mt_line_fit {
    size_t n;
    double mean_x, mean_y, xx, xy; /* sums of (x - mean_x)^2 and of (x - mean_x) (y - mean_y) */
} mt_line_fit;

static inline void mt_line_fit_add(mt_line_fit *fit, double x, double y)
{
    const double from_mean = x - fit->mean_x;
    fit->n++;
    fit->mean_x += from_mean / (double)fit->n;
    fit->mean_y += (y - fit->mean_y) / (double)fit->n;
    fit->xx += from_mean * (x - fit->mean_x);
    fit->xy += from_mean * (y - fit->mean_y);
}

/* Returns the slope: NaN for fewer than two points or if all have the same x; not finite if a point was not finite. */
static inline double mt_line_fit_slope(const mt_line_fit *fit) { return fit->xy / fit->xx; }
