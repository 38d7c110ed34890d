#include "data/core/axes.h"

#include <math.h>

/* Rotates n pairs of numbers, `step` apart. */
static void turn(int n, int step, double c, double s, double *x, double *y)
{
    for (int k = 0; k < n * step; k += step) {
        const double from = x[k];
        x[k] = c * from - s * y[k];
        y[k] = s * from + c * y[k];
    }
}

void mt_axes_rotate(int n, int width, double *a, double *vectors, int p, int q)
{
    const double off = a[p * width + q];
    if (off == 0) return;
    const double theta = (a[q * width + q] - a[p * width + p]) / (2 * off);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    turn(n, width, c, s, a + p, a + q);
    turn(n, 1, c, s, a + p * width, a + q * width);
    turn(n, 1, c, s, vectors + p * width, vectors + q * width);
}

void mt_axes_find(double a[3][3], double axes[3][3])
{
    double rows[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < 12; sweep++) { /* convergence is quadratic: 6 sweeps suffice */
        mt_axes_rotate(3, 3, a[0], rows[0], 0, 1);
        mt_axes_rotate(3, 3, a[0], rows[0], 0, 2);
        mt_axes_rotate(3, 3, a[0], rows[0], 1, 2);
    }
    for (int i = 0; i < 9; i++) axes[i / 3][i % 3] = rows[i % 3][i / 3];
}
