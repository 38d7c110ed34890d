/* The operations of BiCGStab on one element (solver/diffusion/implicit.h), between its products and its sums.
 *
 * Included after solver/kernels/lanes.h has selected the arithmetic. d is the diagonal of G, and g a product with G: A x = (1 + d) x - G
 * x. */
#pragma once

/* A x. */
static inline real bicgstab_product(real d, real x, real g) { return (1 + d) * x - g; }

/* The residual x - A x of x = b. */
static inline real bicgstab_start(real d, real x, real g) { return g - d * x; }

/* The residual of the original equation; its row was divided by 1 / (1 + d). */
static inline real bicgstab_residual(real d, real r) { return r / (1 + d); }

/* s, stored in place of r. */
static inline real bicgstab_half(real alpha, real r, real q) { return r - alpha * q; }

typedef struct bicgstab_scalars {
    real alpha, omega, beta;
} bicgstab_scalars;

/* Computes x, r and p of the next iteration, with s in place of r. */
static inline void bicgstab_end(bicgstab_scalars c, real q, real t, real *x, real *r, real *p)
{
    const real s = *r;
    *x += c.alpha * *p + c.omega * s;
    *r = s - c.omega * t;
    *p = *r + c.beta * (*p - c.omega * q);
}

/* The larger of |x| and a bound of the previous terms. For the instruction tally both remain calls by these names. */
#ifdef MT_TALLY
real mt_max(real, real) __attribute__((const));
real mt_abs(real) __attribute__((const));
#    define bicgstab_larger(x, most) mt_max(mt_abs(x), most)
#else
static inline real bicgstab_larger(real x, real most)
{
    const real size = x < 0 ? -x : x;
    return size > most ? size : most;
}
#endif
