/* Sums in double words (solver/kernels/ellpack.h).
 *
 * Included by the kernels after solver/kernels/lanes.h has selected the arithmetic, single precision. */
#pragma once

/* A number as a pair of floats, high + low, with high the sum rounded to a float; here LANES of them. */
typedef struct double_word {
    lanes high, low;
} double_word;

/* Adds an increment to v, without error. */
static inline double_word double_word_of(lanes v, lanes increment)
{
    const lanes sum = v + increment, v_there = sum - increment, increment_there = sum - v_there;
    return (double_word){sum, (v - v_there) + (increment - increment_there)};
}
