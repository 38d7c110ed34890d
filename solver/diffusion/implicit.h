/* Implicit diffusion steps, which may be longer than the explicit stability limit.
 *
 * A step dt from w to w + x, with L = V^-1 M (solver/diffusion/diffusion.h), solves
 *
 *     (1 - theta dt L) x = dt L w        theta = 1: backward Euler, first order; 1/2: Crank-Nicolson, second order
 *
 * Each row is divided by its diagonal D_i = 1 + theta dt sum_j a_ij. With G = D^-1 theta dt L and its
 * diagonal d = -sum_(j != i) G_ij, this is
 *
 *     A x = b        A x = (1 + d) x - G x,   b = G w / theta
 *
 * The diagonal of A is 1: the rows already contain Jacobi's preconditioner, which does not depend on a
 * partition. Only G is stored, in the format of a row of an explicit step. The unknown is the increment:
 * where v is constant, b is 0. The residual is in mV.
 *
 * With voltages at the vertices (solver/diffusion/nodal.h) L has rows of different lengths, and G v is summed as increments: the sum over j
 * of G_ij (v_j - v_i), so that b is 0 to the bit where v is constant. D_i is at least 1 although some a_ij are negative: the sum of a_ij is
 * the diagonal of the stiffness matrix, divided by V_i. Symmetric or not, the solver is the same.
 *
 * L is not symmetric, so the solver is BiCGStab (van der Vorst, SIAM J. Sci. Stat. Comput. 13, 631, 1992). It
 * starts from x = b, the first iterate of Jacobi's method, which costs one product and no sum:
 *
 *     x = b;  r = b - A b;  p = r;  r^ = r
 *     while max |D r| > tolerance:
 *         q = A p;              alpha = (r^, r) / (r^, q)
 *         s = r - alpha q
 *         t = A s;              omega = (t, s) / (t, t)
 *         x = x + alpha p + omega s
 *         r = s - omega t;      beta = -omega (r^, t) / (r^, r) alpha / omega,   as (r^, s) = 0
 *         p = r + beta (p - omega q)
 *
 * D r is the residual of the original equation [mV]. The maximum norm bounds the error of every voltage:
 * since the absolute row sums of (1 - theta dt L)^-1 are about 1, no voltage is off by much more than the
 * tolerance in a step. A maximum also does not depend on an order. In single precision the recursive and the
 * true residual drift apart by some 1e-5 mV.
 *
 * Backward Euler damps all modes. Crank-Nicolson multiplies a mode with decay rate lambda by (1 - lambda dt /
 * 2) / (1 + lambda dt / 2), which tends to -1 for large lambda dt: such modes ring on poor meshes. */
#pragma once

#include <stddef.h>

#include "data/core/status.h"

/* A step that needs more iterations has failed. Products with G in a step without iterations, and per
 * iteration. */
enum {
    MT_IMPLICIT_ITERATIONS_MOST = 200,
    MT_IMPLICIT_PRODUCTS = 2,
    MT_IMPLICIT_PRODUCTS_OF_AN_ITERATION = 2
};

/* Computes the n off-diagonals of a row of G from its rates, off[0], off[stride], off[2 stride] ..., and returns d. `step_ms` is theta dt.
 * In single precision off is rounded first, and d is minus the sum (in double) of the rounded values. */
double mt_implicit_row(size_t n, const double *rate, double step_ms, size_t stride, double *off);
float mt_implicit_row_float(size_t n, const double *rate, double step_ms, size_t stride, float *off);

/* Fails with MT_NUMERICS and the message that all solvers share. */
mt_status mt_implicit_failed(double residual_mV, double tolerance_mV);
