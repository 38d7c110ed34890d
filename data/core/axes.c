#include "data/core/axes.h"

#include <math.h>

/* One of Jacobi's rotations: makes a[p][q] zero and turns the columns p and q of `axes` along. */
static void rotate(double a[3][3], double axes[3][3], int p, int q)
{
    if (a[p][q] == 0) return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        double x = axes[k][p], y = axes[k][q];
        axes[k][p] = c * x - s * y, axes[k][q] = s * x + c * y;
    }
}

void mt_axes_find(double a[3][3], double axes[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) axes[i][k] = i == k;
    for (int sweep = 0; sweep < 12; sweep++) { /* convergence is quadratic: 6 do */
        rotate(a, axes, 0, 1);
        rotate(a, axes, 0, 2);
        rotate(a, axes, 1, 2);
    }
}
