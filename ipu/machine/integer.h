/* Integer arithmetic for counts of bytes, words and cycles. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline size_t ipu_divide_up(size_t n, size_t by) { return (n + by - 1) / by; }
static inline size_t ipu_round_up(size_t n, size_t to) { return ipu_divide_up(n, to) * to; }
static inline uint64_t ipu_larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t ipu_smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }
