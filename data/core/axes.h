/* The principal axes of a symmetric 3 x 3 matrix, by Jacobi's rotations. */
#ifndef MT_DATA_CORE_AXES_H
#define MT_DATA_CORE_AXES_H

/* Makes `a` diagonal: a[k][k] become its eigenvalues, in no order, and column k of `axes` the unit
 * eigenvector of the k-th. Numbers are finite. */
void mt_axes_find(double a[3][3], double axes[3][3]);

#endif
