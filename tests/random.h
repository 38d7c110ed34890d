/* Numbers at random, the same every time: Knuth's linear congruential generator (MMIX), its upper bits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline uint64_t next_state(uint64_t *state)
{
    return *state = *state * 6364136223846793005u + 1442695040888963407u;
}

/* 0 .. below - 1. */
static inline size_t draw(uint64_t *state, size_t below) { return (size_t)(next_state(state) >> 33) % below; }

/* In [low, high). */
static inline double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(next_state(state) >> 11) * 0x1p-53);
}
