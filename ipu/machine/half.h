/* IEEE 754 half precision as the machine stores and converts it: 1 sign, 5 exponent and 10 fraction bits.
 *
 * Conversion rounds to the nearest half, of two equally near to the even one; subnormal halves are numbers like any other,
 * unlike subnormal floats, which count as 0. Where no half is that large, the largest stands for it (65504): the machine's
 * usual mode, in which only an infinite float becomes an infinite half. Workers compute with floats: a codelet converts what
 * it reads and what it writes. */
#pragma once

#include <stdint.h>

uint16_t ipu_half_of(float x);
float ipu_half_value(uint16_t half);
