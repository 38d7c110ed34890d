/* Principal axes of a symmetric 3 x 3 matrix, by Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5). */
#pragma once

#include <math.h>

/* Diagonalises `a`: a[k][k] becomes the k-th eigenvalue, in no particular order, and column k of `axes` its unit eigenvector. All
 * numbers must be finite. */
void mt_axes_find(double a[3][3], double axes[3][3]);

/* Rotates n pairs of numbers, `step` apart. */
static inline void mt_axes_turn(int n, int step, double c, double s, double *x, double *y)
{
    for (int k = 0; k < n * step; k += step) {
        const double from = x[k];
        x[k] = c * from - s * y[k];
        y[k] = s * from + c * y[k];
    }
}

/* Applies one rotation to a symmetric matrix a[n][width] of order n <= `width`. It rotates rows and columns p and q so that
 * a[p][q] becomes zero up to rounding, and rotates rows p and q of vectors[n][width] in the same way. Inline for
 * code with a constant n. */
static inline void mt_axes_rotate(int n, int width, double *a, double *vectors, int p, int q)
{
    const double off = a[p * width + q];
    if (off == 0) return;
    const double theta = (a[q * width + q] - a[p * width + p]) / (2 * off);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    mt_axes_turn(n, width, c, s, a + p, a + q);
    mt_axes_turn(n, 1, c, s, a + p * width, a + q * width);
    mt_axes_turn(n, 1, c, s, vectors + p * width, vectors + q * width);
}
