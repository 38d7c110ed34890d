#include "solver/outputs/linear_fit.h"

#include <math.h>
#include <string.h>

void mt_linear_fit_add(mt_linear_fit *fit, const double offset[3], double value)
{
    const double basis[4] = {1, offset[0], offset[1], offset[2]};
    for (int i = 0; i < 4; i++) {
        fit->b[i] += basis[i] * value;
        for (int j = 0; j < 4; j++) fit->a[i][j] += basis[i] * basis[j];
    }
    fit->n++;
}

/* Solves the 4 x 4 normal equations a x = b by Cholesky's method; false if a is not safely positive definite. */
static bool solve(double a[4][4], double b[4])
{
    for (int i = 0; i < 4; i++) {
        const double before = a[i][i];
        for (int k = 0; k < i; k++) a[i][i] -= a[i][k] * a[i][k];
        if (!(a[i][i] > 1e-9 * before)) return false;
        a[i][i] = sqrt(a[i][i]);
        for (int j = i + 1; j < 4; j++) {
            for (int k = 0; k < i; k++) a[j][i] -= a[j][k] * a[i][k];
            a[j][i] /= a[i][i];
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++) b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = 3; i >= 0; i--) {
        for (int k = i + 1; k < 4; k++) b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
    return true;
}

bool mt_linear_fit_solve(const mt_linear_fit *fit, mt_linear_function *function)
{
    double a[4][4], b[4];
    memcpy(a, fit->a, sizeof a);
    memcpy(b, fit->b, sizeof b);
    if (fit->n < 4 || !solve(a, b)) return false;
    *function = (mt_linear_function){b[0], {b[1], b[2], b[3]}};
    return isfinite(b[0]) && isfinite(b[1]) && isfinite(b[2]) && isfinite(b[3]);
}
