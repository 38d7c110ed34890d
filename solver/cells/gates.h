/* Functions that the equations of several ionic models use (NAME_kernel.c). Include solver/kernels/functions.h first. */
#pragma once

#include "solver/cells/pace.h"

/* A number in the arithmetic of the kernel. */
#define K(number) ((real)(number))

static inline lanes square(lanes x) { return x * x; }

/* 1 / (1 + exp(x)) */
static inline lanes logistic(lanes x) { return K(1) / (K(1) + lanes_exp(x)); }

/* Solves d gate / dt = (target - gate) rate for a constant V (Rush and Larsen). */
static inline lanes relax(lanes dt, lanes gate, lanes target, lanes rate)
{
    return target + (gate - target) * lanes_exp(-dt * rate);
}

/* Returns exp(-dt rate) for a rate that depends on V only: what is left of a gate's distance from its target. Function k of V is the rate,
 * or, over one time step, 1 - exp(-dt rate), of which all digits matter. */
static inline lanes decay_of(pace p, int k, lanes rate)
{
    if (p.functions == FUNCTIONS_READ) return p.relaxes ? lanes_exp(-p.dt * p.of_v[k]) : K(1) - p.of_v[k];
    if (p.functions == FUNCTIONS_STORED) p.of_v[k] = p.relaxes ? rate : -lanes_expm1(-p.dt * rate);
    return lanes_exp(-p.dt * rate);
}
