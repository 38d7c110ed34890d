/* Principal axes of a symmetric 3 x 3 matrix, by Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5). */
#pragma once

/* Diagonalises `a`: a[k][k] becomes the k-th eigenvalue, in no particular order, and column k of `axes` its unit eigenvector. All
 * numbers must be finite. */
void mt_axes_find(double a[3][3], double axes[3][3]);

/* Applies one rotation to a symmetric matrix a[n][width] of order n <= `width`. It rotates rows and columns p and q so that
 * a[p][q] becomes zero up to rounding, and rotates rows p and q of vectors[n][width] in the same way. */
void mt_axes_rotate(int n, int width, double *a, double *vectors, int p, int q);
