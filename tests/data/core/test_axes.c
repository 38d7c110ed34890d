#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "data/core/axes.h"

/* Builds a matrix from eigenvalues and axes: the axes of a rotation by 30 degrees about z and then 40 about x. */
static void make(const double values[3], double a[3][3])
{
    const double p = M_PI / 6, q = M_PI * 2 / 9;
    const double axis[3][3] = {{cos(p), sin(p) * cos(q), sin(p) * sin(q)},
        {-sin(p), cos(p) * cos(q), cos(p) * sin(q)}, {0, -sin(q), cos(q)}};
    memset(a, 0, 9 * sizeof a[0][0]);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) a[i][j] += values[k] * axis[k][i] * axis[k][j];
}

/* Checks a x = value x for each axis x, and that the axes are unit vectors. The tolerance is the rounding error of tens of
 * products of numbers up to `largest`. */
static void check(const double values[3], double largest)
{
    double a[3][3], diagonal[3][3], axes[3][3], sum = 0;
    make(values, a);
    memcpy(diagonal, a, sizeof a);
    mt_axes_find(diagonal, axes);
    for (int k = 0; k < 3; k++) {
        double length = 0;
        for (int i = 0; i < 3; i++) {
            const double product = a[i][0] * axes[0][k] + a[i][1] * axes[1][k] + a[i][2] * axes[2][k];
            cr_assert_float_eq(product, diagonal[k][k] * axes[i][k], 1e-14 * largest);
            length += axes[i][k] * axes[i][k];
        }
        cr_assert_float_eq(length, 1, 1e-14);
        sum += diagonal[k][k];
    }
    cr_assert_float_eq(sum, values[0] + values[1] + values[2], 1e-14 * largest);
}

Test(axes, axes_are_the_eigenvectors)
{
    check((double[]){3, 1, 2}, 3);
    check((double[]){1e6, -1, 1e-3}, 1e6);
}

Test(axes, axes_are_unit_vectors_for_equal_or_zero_eigenvalues)
{
    check((double[]){2, 2, 1}, 2);
    check((double[]){5, 5, 5}, 5);
    check((double[]){0, 0, 0}, 1);
    check((double[]){4, 0, 0}, 4);
}
