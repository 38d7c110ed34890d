/* IEEE 754 half precision as the machine stores and converts it: 1 sign, 5 exponent and 10 fraction bits.
 *
 * Conversion rounds to nearest, ties to even. Subnormal halves are honoured, unlike subnormal floats, which are flushed to 0.
 * Floats beyond the range saturate to the largest half (65504), as in the machine's usual mode; only an infinite float becomes
 * an infinite half. Workers compute in float: a codelet converts its inputs and outputs. */
#pragma once

#include <stdint.h>

uint16_t ipu_half_of(float x);
float ipu_half_value(uint16_t half);
