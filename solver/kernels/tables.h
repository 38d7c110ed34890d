/* Tables of the functions of V in an ionic model's equations: piecewise polynomials, in single precision.
 *
 * [MT_TABLE_FIRST_mV, MT_TABLE_LAST_mV] is divided in intervals of MT_TABLE_WIDTH_mV. In an interval with centre c a function is
 * sum over k of a_k (V - c)^k, evaluated by Horner's rule with fused multiply-adds: the same bits on every instruction set. Published rates
 * change their form at multiples of 10 mV, where intervals meet. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    MT_TABLE_FIRST_mV = -100,
    MT_TABLE_LAST_mV = 60,
    MT_TABLE_WIDTH_mV = 2,
    MT_TABLE_INTERVALS = (MT_TABLE_LAST_mV - MT_TABLE_FIRST_mV) / MT_TABLE_WIDTH_mV,
    MT_TABLE_COEFFICIENTS = 5 /* of a polynomial of degree 4 */
};

/* Numbers from the coefficient of one power to the next: those of all functions, filled up to whole vectors of any instruction set. */
#define MT_TABLE_STRIDE(functions) (((functions) + 15) / 16 * 16)

typedef struct mt_tables {
    size_t n;
    const float
        *coefficient;   /* [n][MT_TABLE_INTERVALS][MT_TABLE_COEFFICIENTS][stride], highest power first */
    const uint16_t *of; /* [n_variants] index of the table of a variant */
} mt_tables;
