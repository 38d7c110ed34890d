/* The quadratic function of position that fits values at points in space, in the least-squares sense:
 *
 *     f(u) = value + slope . u + 1/2 u . curvature . u,     minimal sum of (f(u_k) - y_k)^2
 *
 * u is a position relative to an origin and divided by a length, both chosen by the caller, so that |u| is at most about 1. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { MT_QUADRATIC_TERMS = 10 };

/* The points of a fit, as the sums of its normal equations a x = b; a stores the lower triangle. Zero-initialised: no points. */
typedef struct mt_quadratic_fit {
    size_t n;
    double a[MT_QUADRATIC_TERMS][MT_QUADRATIC_TERMS], b[MT_QUADRATIC_TERMS];
    double squares; /* sum of y_k^2 */
} mt_quadratic_fit;

typedef struct mt_quadratic_function {
    double value, slope[3], curvature[3][3];
    /* residual variance (sum of squares over n - 10) divided by the variance of y (over n - 1) */
    double unexplained;
    double slope_error; /* standard error of the slope's magnitude, relative to it */
} mt_quadratic_function;

/* Adds a point. */
void mt_quadratic_fit_add(mt_quadratic_fit *fit, const double u[3], double value);

/* Returns true and the function. False if there are fewer than 11 points, if a quadratic function vanishes at all of them (to 1e-6 of its
 * square), such as for points in two planes, or if a value is not finite. */
bool mt_quadratic_fit_solve(const mt_quadratic_fit *fit, mt_quadratic_function *function);

/* Computes gradient [3] of the function at u. */
void mt_quadratic_gradient(const mt_quadratic_function *function, const double u[3], double gradient[3]);
