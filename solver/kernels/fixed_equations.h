/* Sums of floats that do not depend on their order: in fixed point, with 32 bits after the point of a bound.
 *
 * Terms are multiplied by a power of two, `scale`, such that |term| scale < 2^16. The bound is known in advance and is the same for all
 * terms. The integer part and the next 16 bits are added as integers,
 *
 *     sum of the terms = (high 2^16 + low) / (2^16 scale)
 *
 * with an error of at most 2^-31 of the bound per term. A tile has fewer than 2^15 terms, so that both sums fit into 32 bits. Tiles send
 * their sums as three words, two of 14 bits and the rest. Up to 2^17 tiles, with fewer than 2^27 terms in total, are then added word by
 * word, as integers of 32 bits.
 *
 * Included after solver/kernels/lanes.h has selected the arithmetic, in single precision. */
#pragma once

#include <stdint.h>

#ifdef MT_TALLY
/* Calls by these names are counted (ipu/tally/tally.h). */
float mt_whole(float) __attribute__((const));
int32_t mt_int(float) __attribute__((const));
float mt_float(int32_t) __attribute__((const));
int32_t mt_bits(float) __attribute__((const));
float mt_of_bits(int32_t) __attribute__((const));
typedef int32_t fixed_part;
#    define fixed_whole mt_whole
#    define fixed_int mt_int
#    define fixed_float mt_float
#    define fixed_bits mt_bits
#    define fixed_of_bits mt_of_bits
#else
typedef int64_t fixed_part; /* the host adds the terms of all workers at once */
#    define fixed_whole __builtin_truncf
/* NaN and values out of range come from diverged voltages; C does not define their conversion. */
static inline int32_t fixed_int(float x) { return x > -0x1p31f && x < 0x1p31f ? (int32_t)x : 0; }
#    define fixed_float (float)
static inline int32_t fixed_bits(float x)
{
    int32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float fixed_of_bits(int32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
#endif

typedef struct fixed_sum {
    fixed_part high, low;
} fixed_sum;

/* Adds x y to a sum. */
static inline void fixed_add_product(fixed_sum *sum, float scale, float x, float y)
{
    const float scaled = x * y * scale, whole = fixed_whole(scaled), rest = (scaled - whole) * 65536;
    sum->high += fixed_int(whole);
    sum->low += fixed_int(rest);
}

enum { FIXED_WORDS = 3, FIXED_BITS = 14, FIXED_TILE_BITS = 15, FIXED_TERMS_BITS = 27 };

/* Computes the words that a tile sends. */
static inline void fixed_words(int64_t high, int64_t low, int32_t word[FIXED_WORDS])
{
    const int64_t sum = high * 65536 + low, mask = (1 << FIXED_BITS) - 1;
    word[0] = (int32_t)(sum & mask);
    word[1] = (int32_t)(sum >> FIXED_BITS & mask);
    word[2] = (int32_t)(sum >> 2 * FIXED_BITS);
}

/* Returns the value of the added words of all tiles, for terms with this scale. */
static inline float fixed_value(int32_t word0, int32_t word1, int32_t word2, float scale)
{
    const int32_t mask = (1 << FIXED_BITS) - 1, middle = word1 + (word0 >> FIXED_BITS),
                  high = word2 + (middle >> FIXED_BITS);
    const float base = 1 << FIXED_BITS, upper = fixed_float(high) * base + fixed_float(middle & mask);
    return (upper * base + fixed_float(word0 & mask)) / (65536 * scale);
}

/* Returns the scale for terms up to a non-negative bound: the largest power of two with bound scale < 2^16. Bounds below 2^-80 are treated
 * as 2^-80. */
static inline float fixed_scale(float bound)
{
    enum { EXPONENT_BIAS = 127, EXPONENT_AT = 23, LEAST = EXPONENT_BIAS - 80, POINT = 15 };
    const int32_t exponent = fixed_bits(bound) >> EXPONENT_AT, at_least = exponent > LEAST ? exponent : LEAST;
    return fixed_of_bits((2 * EXPONENT_BIAS + POINT - at_least) << EXPONENT_AT);
}
