/* The equations of a conduction system for one chain, one hub and one junction, shared by the host and the codelets, whose bits are
 * therefore the same. solver/conduction/elimination.h has the elimination, solver/conduction/conducting.h the time step.
 *
 * Included after solver/kernels/lanes.h has selected the arithmetic. */
#pragma once

#include "solver/conduction/junctions.h"

/* The coefficients of n points of a chain: conductance [n + 1], along, across, inverse [n]. */
typedef struct chain_rows {
    uint32_t n;
    const real *conductance, *along, *across, *inverse;
} chain_rows;

/* Computes the right-hand side of a chain, which begins with the currents of junctions in b, and eliminates its points from left to right.
 * w_left, w_right: w of the hubs; at a free end that of the end's own point. Sets what the chain adds to its left and right hub. */
static inline void chain_forward(
    const chain_rows *c, const real *w, real w_left, real w_right, real *b, real added[2])
{
    const uint32_t n = c->n;
    real in = c->conductance[0] * (w_left - (n > 0 ? w[0] : w_right)), carried = 0, left = -in;
    for (uint32_t i = 0; i < n; i++) {
        const real out = c->conductance[i + 1] * (w[i] - (i + 1 < n ? w[i + 1] : w_right)),
                   sum = b[i] + (in - out) + carried;
        b[i] = sum;
        left += c->across[i] * sum;
        carried = c->along[i] * sum;
        in = out;
    }
    added[0] = left;
    added[1] = in + carried;
}

/* Solves for the points of a chain from right to left, and adds x to V and w. x_left, x_right: of the hubs; 0 at free ends. Zeroes b. */
static inline void chain_backward(const chain_rows *c, real x_left, real x_right, real *b, real *v, real *w)
{
    real x = x_right;
    for (uint32_t i = c->n; i-- > 0;) {
        x = c->inverse[i] * b[i] + c->along[i] * x + c->across[i] * x_left;
        v[i] += x;
        w[i] += x;
        b[i] = 0;
    }
}

/* Returns what the ends of n chains add to their hub; adds to that what n earlier hubs give. */
static inline real hub_ends(uint32_t n, const real *added)
{
    real sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += added[i];
    return sum;
}
static inline real hub_entries(real sum, uint32_t n, const uint32_t *hub, const real *factor, const real *b)
{
    for (uint32_t i = 0; i < n; i++) sum += factor[i] * b[hub[i]];
    return sum;
}

/* Adds the current from one unknown of the tissue to that into a free end. */
static inline real junction_current(real sum, real coupling, real tissue, real w)
{
    return sum + coupling * (tissue - w);
}

/* Adds one unknown to the mean of the tissue at a junction. */
static inline real junction_mean(real sum, real weight, real tissue) { return sum + weight * tissue; }

/* The n entries of a junction: coupling and weight [n], and their unknowns, tissue[slot[k]], or tissue[k] if `slot` is NULL. */
typedef struct junction_entries {
    size_t n;
    const real *coupling, *weight, *tissue;
    const uint32_t *slot;
} junction_entries;

/* Computes the current into a free end at w, and the mean of the tissue, as sums over the shares of the entries. Sets both of each share. */
static inline void junction_sums(
    const junction_entries *e, real w, real shares[2 * MT_JUNCTION_SHARES], real *current, real *mean)
{
    *current = *mean = 0;
    for (size_t s = 0; s < mt_junction_shares(e->n); s++) {
        real *sum = shares + 2 * s;
        sum[0] = sum[1] = 0;
        for (size_t k = mt_junction_share(e->n, s); k < mt_junction_share(e->n, s + 1); k++) {
            const real tissue = e->tissue[e->slot ? e->slot[k] : k];
            sum[0] = junction_current(sum[0], e->coupling[k], tissue, w);
            sum[1] = junction_mean(sum[1], e->weight[k], tissue);
        }
        *current += sum[0];
        *mean += sum[1];
    }
}

/* Adds the change of V of one unknown of the tissue by a junction. */
static inline real junction_charge(real rise, real gain, real w, real tissue)
{
    return rise + gain * (w - tissue);
}

/* Returns 1 if the next passage of the threshold is an activation, else 0, after V became `now`. free_mV: MT_CONDUCTION_FREE_mV. */
static inline real place_frees(real threshold_mV, real free_mV, real now, real is_free)
{
    const real passed = now >= threshold_mV ? 0 : is_free;
    return now < free_mV ? 1 : passed;
}

/* Returns the activation time, if V changed from `before` to `now` in the step `step` of the beat (from 0). */
static inline real place_activation(
    real step, real dt_ms, real threshold_mV, real before, real now, real is_free, real activation_ms)
{
    const real crossing = dt_ms * (step + (threshold_mV - before) / (now - before)), start = dt_ms * step,
               time = before < threshold_mV ? crossing : start,
               passed = now < threshold_mV ? (real)__builtin_inf() : time,
               candidate = is_free > 0 ? passed : (real)__builtin_inf();
    return candidate < activation_ms ? candidate : activation_ms;
}
