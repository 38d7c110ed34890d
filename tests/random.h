/* Reproducible pseudo-random numbers: the upper bits of Knuth's linear congruential generator (MMIX). */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline uint64_t next_state(uint64_t *state)
{
    return *state = *state * 6364136223846793005u + 1442695040888963407u;
}

/* Returns a number from 0 to below - 1. */
static inline size_t draw(uint64_t *state, size_t below) { return (size_t)(next_state(state) >> 33) % below; }

/* Returns a number in [low, high). */
static inline double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(next_state(state) >> 11) * 0x1p-53);
}
