/* The principal axes of a symmetric 3 x 3 matrix, by Jacobi's rotations (Golub and Van Loan, Matrix Computations, 8.5). */
#pragma once

/* Makes `a` diagonal: a[k][k] become its eigenvalues, in no order, and column k of `axes` the unit
 * eigenvector of the k-th. Numbers are finite. */
void mt_axes_find(double a[3][3], double axes[3][3]);

/* One rotation, of a symmetric matrix of order n <= `width`: turns rows and columns p and q of a[n][width] so that a[p][q] becomes zero but for
 * rounding, and rows p and q of vectors[n][width] along. */
void mt_axes_rotate(int n, int width, double *a, double *vectors, int p, int q);
