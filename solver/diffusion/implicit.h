/* Diffusion steps that are solved for, so that they may be longer than explicit ones.
 *
 * A step dt from w to w + x, with L = V^-1 M (solver/diffusion/diffusion.h), solves
 *
 *     (1 - theta dt L) x = dt L w        theta = 1: backward Euler, of first order; 1/2: Crank-Nicolson, of second
 *
 * Each row is divided by its diagonal D_i = 1 + theta dt sum_j a_ij. With G = D^-1 theta dt L, of which d = -sum_j G_ij is the
 * diagonal, that is
 *
 *     A x = b        A x = (1 + d) x - G x,   b = G w / theta
 *
 * A's diagonal is 1: Jacobi's preconditioner, which knows no parts of a mesh, is in the rows already. Only G is stored, as a row of an explicit
 * step is. What is solved for is the increment: where v is constant b is 0, and the residual is in mV.
 *
 * L is not symmetric, so the solver is BiCGStab (van der Vorst, SIAM J. Sci. Stat. Comput. 13, 631, 1992). It starts from x = b, the first sweep of
 * Jacobi's iteration, which costs one product and no sum:
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
 * D r is the residual of the equation as it stands above, [mV]. The norm is that of the worst element, which says what a user asks: no voltage
 * is off by much more than the tolerance in a step, as the absolute row sums of (1 - theta dt L)^-1 are about 1; and a maximum does not depend on an order.
 * In single precision the residual that the iteration carries on and the true one part at some 1e-5 mV.
 *
 * Backward Euler damps all patterns. Crank-Nicolson takes those that decay at the rate lambda by (1 - lambda dt / 2) / (1 + lambda dt / 2),
 * which goes to -1 where lambda dt is large: on poor meshes they ring. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/communicator.h"
#include "data/core/status.h"

/* A step that needs more iterations has failed. Products with G in a step without iterations, and in an iteration. */
enum {
    MT_IMPLICIT_ITERATIONS_MOST = 200,
    MT_IMPLICIT_PRODUCTS = 2,
    MT_IMPLICIT_PRODUCTS_OF_AN_ITERATION = 2
};

/* Fills off[16], the rest of a row of G, from its rates [16], and gives d; `step_ms` is theta dt. In single precision off is rounded first,
 * and d is minus the sum (in double) of the rounded ones. */
double mt_implicit_row(const double *rate, double step_ms, double *off);
float mt_implicit_row_float(const double *rate, double step_ms, float *off);

/* The step of a mesh, or of a rank's part of it, in double precision, with OpenMP. No sum depends on an order, so the bits depend neither on
 * threads nor on ranks: products are added in fixed point, of 59 bits behind the point of a bound of them all. The bounds follow from the largest
 * |r| and |p| and from A's largest absolute row sum (solver/kernels/bicgstab_scalars.h). */
typedef struct mt_implicit {
    size_t n;
    double theta, tolerance_mV;
    const double *d, *off;              /* [n], [n][16] in blocks (solver/kernels/block.h) */
    const uint32_t *column;             /* [n][16] in blocks, below n_local */
    double *x, *r, *shadow, *p, *q, *t; /* [n], but x, r and p [n_local] */
    double norm;                        /* of A */
    struct mt_implicit_found *found;    /* by each piece of the elements */
    const mt_communicator *ranks;       /* NULL: alone */
    void *come[3];                      /* the others' x, r and p */
} mt_implicit;

/* Who steps together: behind the n own elements of a rank stand those of others that its rows read, n_local with them, which come by these
 * lists [n_ranks] of pieces of an array of doubles. All zero: one process with all elements. */
typedef struct mt_implicit_ranks {
    const mt_communicator *with;
    size_t n_local;
    const mt_neighbour *neighbour;
} mt_implicit_ranks;

/* Gives room in `arena`, 48 bytes an element, and keeps the rows of G. MT_MEMORY. Collective. */
MT_NODISCARD mt_status mt_implicit_open(mt_arena *arena, size_t n, const double *d, const double *off,
    const uint32_t *column, double theta, double tolerance_mV, const mt_implicit_ranks *ranks,
    mt_implicit *implicit);

/* v [n], with that of others behind it, goes one step on. MT_NUMERICS: the residual stays above the tolerance. Where v has what is no number,
 * more of it will have. Collective. */
MT_NODISCARD mt_status mt_implicit_step(mt_implicit *implicit, double *v);

/* The same message for all who solve. Gives MT_NUMERICS. */
mt_status mt_implicit_failed(double residual_mV, double tolerance_mV);
