/* Evaluation of tables of functions of V (solver/kernels/tables.h) for LANES cells at once. Include solver/kernels/lanes.h first; single
 * precision only.
 *
 * A vector holds the functions of one cell, not one function of all cells: each cell reads the rows of its own interval and variant, and
 * needs no gather instruction. The vectors are transposed afterwards. Loops are unrolled, so that vectors stay in registers; without the
 * pragma compilers do so at -O3 only. */
#pragma once

#include "solver/kernels/tables.h"

#ifndef MT_DOUBLE
/* The interval of V, and V relative to its centre. `margin`: negative outside all intervals, where the other numbers have no
 * meaning. */
typedef struct located {
    lanes margin, offset;
    lanes_mask interval;
} located;

static inline located locate(lanes v)
{
    const real first = MT_TABLE_FIRST_mV, last = MT_TABLE_LAST_mV, width = MT_TABLE_WIDTH_mV;
    const lanes none = lanes_all(0), above = v - first, below = last - v,
                margin = lanes_select_less(above, below, above, below);
    /* 0 outside, and for NaN; the upper end belongs to the last interval */
    const lanes at = lanes_at_most(
        lanes_select_less_equal(none, margin, above, none) / width, (real)(MT_TABLE_INTERVALS - 0.5));
    const lanes_mask interval = lanes_to_integers(at);
    const lanes centre = lanes_of_integers(interval) * width + (first + width / 2);
    return (located){margin, v - centre, interval};
}

#    ifndef MT_OPENCL /* devices read tables in solver/device/steps.cl */
/* Transposes a square of numbers: lane k of row[j] becomes lane j of row[k]. */
#        if defined(LANE_ONE)
static inline void lanes_transpose(lanes row[LANES]) { (void)row; }
#        else
#            define SHUFFLE __builtin_shufflevector
/* In parts of 16 bytes: the lower and upper numbers of two vectors in turn, and their lower and upper pairs of numbers. */
#            if LANE_BYTES == 64
#                define LOW(x, y) SHUFFLE(x, y, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#                define HIGH(x, y) SHUFFLE(x, y, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#                define LOW_PAIRS(x, y)                                                                      \
                    SHUFFLE(x, y, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#                define HIGH_PAIRS(x, y)                                                                     \
                    SHUFFLE(x, y, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#                define EVEN_PARTS(x, y)                                                                     \
                    SHUFFLE(x, y, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#                define ODD_PARTS(x, y)                                                                      \
                    SHUFFLE(x, y, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#            elif LANE_BYTES == 32
#                define LOW(x, y) SHUFFLE(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#                define HIGH(x, y) SHUFFLE(x, y, 2, 10, 3, 11, 6, 14, 7, 15)
#                define LOW_PAIRS(x, y) SHUFFLE(x, y, 0, 1, 8, 9, 4, 5, 12, 13)
#                define HIGH_PAIRS(x, y) SHUFFLE(x, y, 2, 3, 10, 11, 6, 7, 14, 15)
#                define EVEN_PARTS(x, y) SHUFFLE(x, y, 0, 1, 2, 3, 8, 9, 10, 11)
#                define ODD_PARTS(x, y) SHUFFLE(x, y, 4, 5, 6, 7, 12, 13, 14, 15)
#            else
#                define LOW(x, y) SHUFFLE(x, y, 0, 4, 1, 5)
#                define HIGH(x, y) SHUFFLE(x, y, 2, 6, 3, 7)
#                define LOW_PAIRS(x, y) SHUFFLE(x, y, 0, 1, 4, 5)
#                define HIGH_PAIRS(x, y) SHUFFLE(x, y, 2, 3, 6, 7)
#            endif

/* Transposes 4 by 4 numbers in each part of 16 bytes: part l of part[j] becomes the numbers 4 l + j of the four vectors. */
static inline void transpose_parts(lanes part[4])
{
    const lanes low = LOW(part[0], part[1]), high = HIGH(part[0], part[1]), low_2 = LOW(part[2], part[3]),
                high_2 = HIGH(part[2], part[3]);
    part[0] = LOW_PAIRS(low, low_2);
    part[1] = HIGH_PAIRS(low, low_2);
    part[2] = LOW_PAIRS(high, high_2);
    part[3] = HIGH_PAIRS(high, high_2);
}

static inline void lanes_transpose(lanes row[LANES])
{
#            pragma GCC unroll 16
    for (int k = 0; k < LANES; k += 4) transpose_parts(row + k);
#            if LANE_BYTES == 64
#                pragma GCC unroll 16
    for (int j = 0; j < 4; j++) {
        const lanes even = EVEN_PARTS(row[j], row[j + 4]), odd = ODD_PARTS(row[j], row[j + 4]),
                    even_2 = EVEN_PARTS(row[j + 8], row[j + 12]), odd_2 = ODD_PARTS(row[j + 8], row[j + 12]);
        row[j] = EVEN_PARTS(even, even_2);
        row[j + 4] = EVEN_PARTS(odd, odd_2);
        row[j + 8] = ODD_PARTS(even, even_2);
        row[j + 12] = ODD_PARTS(odd, odd_2);
    }
#            elif LANE_BYTES == 32
#                pragma GCC unroll 16
    for (int j = 0; j < 4; j++) {
        const lanes low = EVEN_PARTS(row[j], row[j + 4]);
        row[j + 4] = ODD_PARTS(row[j], row[j + 4]);
        row[j] = low;
    }
#            endif
}
#        endif

/* The rows of tables that LANES cells read: the coefficients of the highest power in the interval of each cell. */
typedef struct table_rows {
    const float *row[LANES];
    real offset[LANES]; /* of V from the centre of the interval */
} table_rows;

/* Finds the rows at the located V: of[lane] is the variant of a cell, or all have the first one if `of` is NULL. */
static inline table_rows find_rows(
    const mt_tables *tables, size_t stride, const uint16_t *of, const located *at)
{
    table_rows rows;
    real_bits interval[LANES];
    __builtin_memcpy(interval, &at->interval, sizeof interval);
    lanes_store(rows.offset, at->offset);
#        pragma GCC unroll 16
    for (int lane = 0; lane < LANES; lane++) {
        const size_t table = tables->of[of ? of[lane] : 0];
        rows.row[lane] = tables->coefficient + (table * MT_TABLE_INTERVALS + (size_t)interval[lane]) *
                                                   MT_TABLE_COEFFICIENTS * stride;
    }
    return rows;
}

/* Computes the functions k to k + LANES - 1. */
static inline void read_rows(const table_rows *rows, size_t stride, size_t k, lanes y[LANES])
{
#        pragma GCC unroll 16
    for (int lane = 0; lane < LANES; lane++) {
        const lanes x = lanes_all(rows->offset[lane]);
        lanes sum = lanes_load(rows->row[lane] + k);
#        pragma GCC unroll 16
        for (size_t power = 1; power < MT_TABLE_COEFFICIENTS; power++)
            sum = lanes_fma(sum, x, lanes_load(rows->row[lane] + power * stride + k));
        y[lane] = sum;
    }
    lanes_transpose(y);
}

/* Computes y[n_functions] at the located V, each cell from its table. n_functions is known to the compiler. */
static inline void look_up(
    const mt_tables *tables, size_t n_functions, const uint16_t *of, const located *at, lanes *y)
{
    const size_t stride = MT_TABLE_STRIDE(n_functions);
    const table_rows rows = find_rows(tables, stride, of, at);
    for (size_t k = 0; k < n_functions; k += LANES) {
        lanes of_cell[LANES];
        read_rows(&rows, stride, k, of_cell);
#        pragma GCC unroll 16
        for (size_t j = 0; j < LANES; j++)
            if (k + j < n_functions) y[k + j] = of_cell[j];
    }
}
#    endif
#endif
