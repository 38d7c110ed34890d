/* The linear function of position that fits values at points in space, in the least-squares sense:
 *
 *     f(d) = value + slope . d,     minimal sum of (f(d_k) - y_k)^2
 *
 * d is relative to an origin near the points, chosen by the caller: the closer it is, the smaller the rounding errors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The normal equations a (value, slope) = b of a fit. Zero-initialised: no points. */
typedef struct mt_linear_fit {
    size_t n;
    double a[4][4], b[4];
} mt_linear_fit;

/* The result of a fit. */
typedef struct mt_linear_function {
    double value, slope[3];
} mt_linear_function;

/* Adds a value at offset[3]. */
void mt_linear_fit_add(mt_linear_fit *fit, const double offset[3], double value);

/* Computes the function and returns true. False if there are fewer than four points, if they are coplanar (to 1e-9 of the sum of their
 * squared distances), or if a value is not finite. */
bool mt_linear_fit_solve(const mt_linear_fit *fit, mt_linear_function *function);
