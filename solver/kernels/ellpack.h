/* The matrix of a diffusion step in the machine's layout: a dense diagonal D and 16 further entries a row
 * (ELLPACK).
 *
 * Row r: out[r] = D[r] v[r] + sum over k < 16 of A[r,k] v[I[r,k]], added in the order of k, with every
 * product and every sum rounded by itself, so that the result does not depend on who owns which row. A and I
 * lie in blocks (solver/kernels/block.h) with 16 entries a row; unused entries are A = 0 with I = the row itself. v
 * holds what the rows read: for a part of a mesh its own cells first, then the cells received; at most 65,536
 * of them for 16-bit columns.
 *
 * As increments, where rows add up to 1 (D = 1 - sum over k of A[r,k]), the same is
 *
 *   out[r] = v[r] + sum over k < 16 of A[r,k] (v[I[r,k]] - v[r])
 *
 * whose roundings are as small as the change, and not as the value; a constant v stays exactly. In double words the row's own value is
 * the pair of floats v[r] + v_low[r]: the increment is added to v_low[r] first, entry by entry, then v[r] to the sum, whose rounding
 * error is a float again (two_sum: Knuth, The Art of Computer Programming 2 (1969), 4.2.2) and becomes the low part. Values of other
 * rows are floats. The pair's error is at most 18 u / (1 - 18 u) of |v_low[r]| and the sum of |A| |v[I] - v[r]|, u = 2^-24. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { MT_ELLPACK_WIDTH = 16 };

/* The rows of a tile: v holds n_v values, those of the n rows first. out and v must not overlap. */
void mt_ellpack_rows_float16(
    size_t n, const float *d, const float *a, const uint16_t *column, size_t n_v, const float *v, float *out);

/* The same as increments in double words: out becomes the sums' high parts, and v_low their low parts, or 0 where they are not kept
 * (keeps 1 or 0). */
void mt_ellpack_rows_double_word16(size_t n, const float *a, const uint16_t *column, size_t n_v,
    const float *v, float keeps, float *v_low, float *out);

/* A piece of n rows of a whole mesh, whose own values are v_own (a piece of v); out and v must not overlap. */
void mt_ellpack_rows_float32(size_t n, const float *d, const float *a, const uint32_t *column,
    const float *v_own, const float *v, float *out);
void mt_ellpack_rows_double32(size_t n, const double *d, const double *a, const uint32_t *column,
    const double *v_own, const double *v, double *out);
