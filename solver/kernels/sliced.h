/* Rows of different lengths in blocks of 16 (SELL-C-sigma: M. Kreutzer, G. Hager, G. Wellein, H. Fehske, A. R. Bishop, SIAM J. Sci. Comput.
 * 36, C401 (2014)), with the increments of a diffusion step or of a spreading.
 *
 * Row r: out[r] = base[r] + sum over k of A[r,k] (x[I[r,k]] - x[r]). The sum starts from 0 and has the order of k, with every difference,
 * product and sum rounded separately. A constant x yields base, to the bit.
 *
 * Each block has as many entries per row as its longest row. Unused entries are A = 0 with I = the row itself, and change no bit of finite
 * numbers: a result depends on neither the block of a row, nor threads, nor the instruction set. Entry k of the row at `lane` in its block
 * is at 16 (first + k) + lane, also in a last block of fewer rows. Several arrays of values can share a pattern.
 *
 * In double words the own value of a row is the pair of floats x[r] + x_low[r], as in solver/kernels/ellpack.h: the increments are added to
 * x_low[r] in the order of k, then x[r] is added, and the rounding error of this last sum becomes the low part. Values of other rows are
 * floats. With n entries the error of the pair is at most (n + 2) u / (1 - (n + 2) u) times the sum of |x_low[r]| and |A| |x[I] - x[r]|,
 * u = 2^-24. */
#pragma once

#include "data/core/arena.h"
#include "data/core/status.h"
#include "solver/kernels/ellpack.h"

/* The entries first to first + width - 1 of the rows of a block. */
typedef struct mt_sliced_block {
    mt_ellpack_columns columns; /* [width][16] */
    size_t first, width;
} mt_sliced_block;

typedef struct mt_sliced {
    size_t n;               /* rows */
    size_t n_values;        /* 16 times the sum of the widths */
    mt_sliced_block *block; /* [n / 16, rounded up] */
} mt_sliced;

/* Rows in compressed form, and the order in which they are stored. Borrowed. */
typedef struct mt_sliced_source {
    size_t n;
    const size_t *start;    /* [n + 1] */
    const uint32_t *column; /* [start[n]] */
    const uint32_t *order;  /* [n] row r of the result is row order[r] */
    const uint32_t *place;  /* [n] the inverse: columns become place[column] */
} mt_sliced_source;

/* Builds the pattern in `arena`: 2 bytes per value, or 4 in blocks with columns far apart, and 40 per block. The entries of a row keep
 * their order. Scratch: 4 bytes per value of the widest block. MT_MEMORY. */
MT_NODISCARD mt_status mt_sliced_make(mt_arena *arena, const mt_sliced_source *source, mt_sliced *sliced);

/* Store factor * value of all entries in the blocks of a pattern, a [n_values]; rounded once to float. `value`: [start[n]]. */
void mt_sliced_values_float(
    const mt_sliced *sliced, const mt_sliced_source *source, const double *value, double factor, float *a);
void mt_sliced_values_double(
    const mt_sliced *sliced, const mt_sliced_source *source, const double *value, double factor, double *a);

/* Compute n consecutive rows, beginning with those of a block. `a`: values of the complete pattern; `x_own`: x of these rows, a range of x.
 * out can be `base` and must not overlap x. */
void mt_sliced_rows_float(size_t n, const mt_sliced_block *block, const float *a, const float *base,
    const float *x_own, const float *x, float *out);
void mt_sliced_rows_double(size_t n, const mt_sliced_block *block, const double *a, const double *base,
    const double *x_own, const double *x, double *out);

/* Same in double words with the base x: out becomes the high parts of the sums, x_low [n] the low parts if `keeps` is 1, or 0 if it is 0.
 * The sign of a zero may differ from that of a row without unused entries. */
void mt_sliced_rows_double_word(size_t n, const mt_sliced_block *block, const float *a, const float *x_own,
    const float *x, float keeps, float *x_low, float *out);
