/* The function of second order of place that fits values at points of space best in the sense of least squares:
 *
 *     f(u) = value + slope . u + 1/2 u . curvature . u,     the least sum of (f(u_k) - y_k)^2
 *
 * u is a place relative to an origin that the caller chooses, over a length that the caller chooses, so that |u| is about 1 at most. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { MT_QUADRATIC_TERMS = 10 };

/* The points of a fit, as the sums of its normal equations a x = b, of which the lower triangle of a is stored. All zero: no points. */
typedef struct mt_quadratic_fit {
    size_t n;
    double a[MT_QUADRATIC_TERMS][MT_QUADRATIC_TERMS], b[MT_QUADRATIC_TERMS];
    double squares; /* sum of y_k^2 */
} mt_quadratic_fit;

typedef struct mt_quadratic_function {
    double value, slope[3], curvature[3][3];
    double
        unexplained; /* variance of the residual, its sum of squares over n - 10, over the variance of y, its over n - 1 */
    double slope_error; /* standard error of the slope's length, over its length */
} mt_quadratic_function;

/* Adds a point. */
void mt_quadratic_fit_add(mt_quadratic_fit *fit, const double u[3], double value);

/* Returns true and the function. False: there are fewer than 11 points, a function of second order is 0 at all of them (to 1e-6 of its
 * square), as if they are in two planes, or a value is not finite. */
bool mt_quadratic_fit_solve(const mt_quadratic_fit *fit, mt_quadratic_function *function);

/* Fills gradient [3] of the function at u. */
void mt_quadratic_gradient(const mt_quadratic_function *function, const double u[3], double gradient[3]);
