#include "data/core/dense.h"

#include <math.h>

enum { SWEEPS = 60 };

/* Factorises a = l l' in its lower triangle. */
static bool factorise(size_t n, double *a)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = a[n * i + j];
            for (size_t k = 0; k < j; k++) sum -= a[n * i + k] * a[n * j + k];
            if (i == j && !(sum > 0 && isfinite(sum))) return false;
            a[n * i + j] = i == j ? sqrt(sum) : sum / a[n * j + j];
        }
    return true;
}

bool mt_dense_solve(size_t n, double *a, double *b)
{
    if (!factorise(n, a)) return false;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) b[i] -= a[n * i + k] * b[k];
        b[i] /= a[n * i + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) b[i] -= a[n * k + i] * b[k];
        b[i] /= a[n * i + i];
    }
    return true;
}

/* Rotates columns, then rows, p and q of a, and the columns of the eigenvectors, so that a_pq becomes 0. */
static void rotate(size_t n, double *a, double *vector, size_t p, size_t q)
{
    const double theta = (a[n * q + q] - a[n * p + p]) / (2 * a[n * p + q]),
                 t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1),
                 s = t * c;
    for (size_t k = 0; k < n; k++) {
        const double x = a[n * k + p], y = a[n * k + q];
        a[n * k + p] = c * x - s * y, a[n * k + q] = s * x + c * y;
    }
    for (size_t k = 0; k < n; k++) {
        const double x = a[n * p + k], y = a[n * q + k];
        a[n * p + k] = c * x - s * y, a[n * q + k] = s * x + c * y;
        const double u = vector[n * k + p], v = vector[n * k + q];
        vector[n * k + p] = c * u - s * v, vector[n * k + q] = s * u + c * v;
    }
}

void mt_dense_eigen(size_t n, double *a, double *value, double *vector)
{
    for (size_t i = 0; i < n * n; i++) vector[i] = i % (n + 1) == 0 ? 1 : 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, on = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++) *(i == k ? &on : &off) += a[n * i + k] * a[n * i + k];
        if (!(off > 1e-30 * on)) break;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++)
                if (a[n * p + q] != 0) rotate(n, a, vector, p, q);
    }
    for (size_t i = 0; i < n; i++) value[i] = a[n * i + i];
}
