/* The linear function of place that fits values at points of space best, in the sense of least squares:
 *
 *     f(d) = value + slope . d,     the least sum of (f(d_k) - y_k)^2
 *
 * d is from a place that the caller chooses, near the points: the closer it is, the fewer digits are lost. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* All zero: no points yet. The normal equations a (value, slope) = b. */
typedef struct mt_linear_fit {
    size_t n;
    double a[4][4], b[4];
} mt_linear_fit;

/* What was fitted. */
typedef struct mt_linear_function {
    double value, slope[3];
} mt_linear_function;

/* Adds a point at offset[3] with its value. */
void mt_linear_fit_add(mt_linear_fit *fit, const double offset[3], double value);

/* Gives the function, and true. False: there are fewer than four points, they lie in one plane (to 1e-9 of what the squares of
 * their distances add up to), or a value is not finite. */
bool mt_linear_fit_solve(const mt_linear_fit *fit, mt_linear_function *function);
