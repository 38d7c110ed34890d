/* Small dense symmetric matrices, row-major: n of at most a few hundred. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Solves a x = b for a positive definite a[n][n], by Cholesky factorisation. Overwrites a, and b by x. Returns false if a is not positive
 * definite; b is then unchanged. */
bool mt_dense_solve(size_t n, double *a, double *b);

/* Computes eigenvalues value[n] and orthonormal eigenvectors vector[n][n] of a symmetric a[n][n] by Jacobi rotations; vector[i n + k] is
 * component i of eigenvector k. Overwrites a. The order of the eigenvalues is arbitrary. */
void mt_dense_eigen(size_t n, double *a, double *value, double *vector);
