#include "solver/outputs/quadratic_fit.h"

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"

enum { TERMS = MT_QUADRATIC_TERMS };

static const double least_pivot = 1e-6;

void mt_quadratic_fit_add(mt_quadratic_fit *fit, const double u[3], double value)
{
    const double basis[TERMS] = {
        1, u[0], u[1], u[2], u[0] * u[0], u[1] * u[1], u[2] * u[2], u[0] * u[1], u[0] * u[2], u[1] * u[2]};
    for (int i = 0; i < TERMS; i++) {
        fit->b[i] += basis[i] * value;
        for (int j = 0; j <= i; j++) fit->a[i][j] += basis[i] * basis[j];
    }
    fit->squares += value * value;
    fit->n++;
}

/* Replaces the lower triangle by Cholesky's factor. False: a pivot is not above least_pivot of its diagonal entry. */
static bool factorise(double a[TERMS][TERMS])
{
    for (int i = 0; i < TERMS; i++) {
        const double before = a[i][i];
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
            if (j < i) a[i][j] /= a[j][j];
        }
        if (!(a[i][i] > least_pivot * before)) return false;
        a[i][i] = sqrt(a[i][i]);
    }
    return true;
}

/* Solves L y = b in place. */
static void substitute_forward(const double a[TERMS][TERMS], double b[TERMS])
{
    for (int i = 0; i < TERMS; i++) {
        for (int k = 0; k < i; k++) b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
}

/* Solves L' x = b in place. */
static void substitute_back(const double a[TERMS][TERMS], double b[TERMS])
{
    for (int i = TERMS - 1; i >= 0; i--) {
        for (int k = i + 1; k < TERMS; k++) b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
}

/* Returns the standard error of the slope's magnitude, relative to it, for a residual of this variance. */
static double slope_error(const double a[TERMS][TERMS], const double slope[3], double variance)
{
    const double length = mt_length3(slope);
    double y[TERMS] = {0, slope[0] / length, slope[1] / length, slope[2] / length}, squares = 0;
    substitute_forward(a, y);
    for (int i = 0; i < TERMS; i++) squares += y[i] * y[i];
    return sqrt(fmax(variance, 0) * squares) / length;
}

bool mt_quadratic_fit_solve(const mt_quadratic_fit *fit, mt_quadratic_function *function)
{
    double a[TERMS][TERMS], x[TERMS], explained = 0;
    memcpy(a, fit->a, sizeof a);
    memcpy(x, fit->b, sizeof x);
    if (fit->n <= TERMS || !factorise(a)) return false;
    substitute_forward((const double(*)[TERMS])a, x);
    for (int i = 0; i < TERMS; i++) explained += x[i] * x[i];
    substitute_back((const double(*)[TERMS])a, x);
    for (int i = 0; i < TERMS; i++)
        if (!isfinite(x[i])) return false;
    const double n = (double)fit->n, residual = (fit->squares - explained) / (n - TERMS),
                 variance = (fit->squares - fit->b[0] * fit->b[0] / n) / (n - 1);
    *function = (mt_quadratic_function){.value = x[0],
        .slope = {x[1], x[2], x[3]},
        .curvature = {{2 * x[4], x[7], x[8]}, {x[7], 2 * x[5], x[9]}, {x[8], x[9], 2 * x[6]}},
        .unexplained = residual / variance,
        .slope_error = slope_error((const double(*)[TERMS])a, x + 1, residual)};
    return true;
}

void mt_quadratic_gradient(const mt_quadratic_function *function, const double u[3], double gradient[3])
{
    for (int k = 0; k < 3; k++) gradient[k] = function->slope[k] + mt_dot3(function->curvature[k], u);
}
