/* The scalars of BiCGStab on the machine (solver/diffusion/implicit.h), from sums in fixed point (solver/kernels/fixed_equations.h).
 *
 * A bound of all terms must be known before they are summed. The largest |r| and |p| are known at the beginning of an iteration. The other
 * bounds follow from |A x| <= norm |x|, with norm the largest absolute row sum of A:
 *
 *     |q| <= norm |p|,   |s| <= |r| + |alpha| |q|,   |t| <= norm |s|
 *
 * In single precision. Divisions by 0 yield 0: no step is taken along a direction of zero length. */
#pragma once

#include "solver/kernels/fixed_equations.h"

/* The state of the iteration on one tile. */
typedef struct bicgstab_state {
    float norm, tolerance_mV;
    float first, r, p; /* bounds of r^, r and p */
    float rho;         /* (r^, r) */
    float residual_mV; /* largest residual */
} bicgstab_state;

/* The values sent to all tiles, in parts. */
typedef struct bicgstab_sent {
    float scale_r, scale_q;             /* scales of (r^, r) and (r^, q), for the first product */
    float scale_ts, scale_tt, scale_rt; /* scales for the second product */
    float alpha, omega, beta;
} bicgstab_sent;

/* Starts an iteration with the largest |r|, |p| and residual. Returns whether the iteration is needed. */
static inline int32_t bicgstab_next(
    int32_t iteration, float r, float p, float residual_mV, bicgstab_state *state, bicgstab_sent *sent)
{
    const float before = state->first, first = iteration == 0 ? r : before;
    state->first = first;
    state->r = r;
    state->p = p;
    state->residual_mV = residual_mV;
    sent->scale_r = fixed_scale(first * r);
    sent->scale_q = fixed_scale(first * (state->norm * p));
    return residual_mV > state->tolerance_mV;
}

/* Computes alpha after the first product, from the words of (r^, r), then of (r^, q). */
static inline void bicgstab_alpha(const int32_t *word, bicgstab_state *state, bicgstab_sent *sent)
{
    const float rho = fixed_value(word[0], word[1], word[2], sent->scale_r),
                along = fixed_value(word[3], word[4], word[5], sent->scale_q), found = rho / along,
                alpha = along == 0 ? 0 : found, size = alpha < 0 ? -alpha : alpha,
                s = state->r + size * (state->norm * state->p), t = state->norm * s;
    state->rho = rho;
    sent->alpha = alpha;
    sent->scale_ts = fixed_scale(t * s);
    sent->scale_tt = fixed_scale(t * t);
    sent->scale_rt = fixed_scale(state->first * t);
}

/* Computes omega and beta after the second product, from the words of (t, s), (t, t) and (r^, t). */
static inline void bicgstab_omega(const int32_t *word, const bicgstab_state *state, bicgstab_sent *sent)
{
    const float ts = fixed_value(word[0], word[1], word[2], sent->scale_ts),
                tt = fixed_value(word[3], word[4], word[5], sent->scale_tt),
                rt = fixed_value(word[6], word[7], word[8], sent->scale_rt), rho = state->rho,
                omega = ts / tt, beta = -sent->alpha * rt / rho;
    sent->omega = tt == 0 ? 0 : omega;
    sent->beta = rho == 0 ? 0 : beta;
}
