/* Principal axes of symmetric 3 x 3 matrices by the Jacobi rotations of data/core/axes.h, several matrices at once: a rotation is a chain
 * of divisions and roots, and the processor would wait for each. */
#pragma once

enum { MT_AXES_GROUP = 8 };

/* Diagonalises matrix[..][..][k] for all k: matrix[i][i][k] becomes an eigenvalue, in no particular order, and axis[i][..][k] its unit
 * eigenvector. Every matrix has the bits that it has among others, on every instruction set. */
void mt_axes_of_group(double matrix[3][3][MT_AXES_GROUP], double axis[3][3][MT_AXES_GROUP]);
