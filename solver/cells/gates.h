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
