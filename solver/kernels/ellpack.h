/* The matrix of a diffusion step in the machine's layout: a dense diagonal D and 16 further entries per row (ELLPACK).
 *
 * Row r: out[r] = D[r] v[r] + sum over k < 16 of A[r,k] v[I[r,k]], summed in the order of k, with every product and every sum rounded
 * separately. The result then does not depend on the owner of a row. A and I are stored in blocks (solver/kernels/block.h) with 16 entries
 * per row; unused entries are A = 0 with I = the row itself. v holds the values that the rows read. For a part of a mesh its own cells are
 * first, then the received ones; at most 65,536 on a tile, where columns have 16 bits.
 *
 * As increments, if rows sum to 1 (D = 1 - sum over k of A[r,k]), the same is
 *
 *   out[r] = v[r] + sum over k < 16 of A[r,k] (v[I[r,k]] - v[r])
 *
 * with rounding errors proportional to the change, not to the value; a constant v is preserved exactly. In double words the row's own value
 * is the pair of floats v[r] + v_low[r]. The increments are added to v_low[r] entry by entry, then v[r] is added. The rounding error of
 * this last sum is again a float (two_sum: Knuth, The Art of Computer Programming 2 (1969), 4.2.2) and becomes the low part. Values of
 * other rows are floats. The error of the pair is at most 18 u / (1 - 18 u) times the sum of |v_low[r]| and |A| |v[I] - v[r]| over the
 * entries, u = 2^-24. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { MT_ELLPACK_WIDTH = 16 };

/* Computes the rows of a tile: v holds n_v values, first the own values of the n rows. out and v must not overlap. */
void mt_ellpack_rows_float16(
    size_t n, const float *d, const float *a, const uint16_t *column, size_t n_v, const float *v, float *out);

/* Same, as increments in double words: out becomes the high parts of the sums, v_low the low parts if `keeps` is 1, or 0 if it is 0. */
void mt_ellpack_rows_double_word16(size_t n, const float *a, const uint16_t *column, size_t n_v,
    const float *v, float keeps, float *v_low, float *out);

/* The columns of a block of rows of a mesh, [16][rows of the block]. In an order in which neighbours are close, most blocks have columns
 * near each other: these are stored in 16 bits, relative to the smallest. The columns of the other blocks have 32 bits. */
typedef struct mt_ellpack_columns {
    const void *stored; /* uint16_t, or uint32_t if `wide` */
    uint32_t base;      /* added to each; 0 if `wide` */
    uint32_t wide;
} mt_ellpack_columns;

/* Packs the columns of n rows, stored in blocks. `room`: memory for them, at most 4 bytes per column, aligned to 4 bytes and borrowed by
 * `block` [n / 16, rounded up]. Returns the end of the used memory. Rows can be packed in pieces: all but the last have complete blocks. */
void *mt_ellpack_pack(size_t n, const uint32_t *column, void *room, mt_ellpack_columns *block);

/* Packs the n columns of one block of any width, as above; returns the end of the used memory. */
void *mt_ellpack_pack_block(size_t n, const uint32_t *column, void *room, mt_ellpack_columns *block);

/* Compute n consecutive rows of a mesh, beginning with those of a block, with own values v_own (a range of v), as above; out and v must not
 * overlap. */
void mt_ellpack_rows_float(size_t n, const float *d, const float *a, const mt_ellpack_columns *columns,
    const float *v_own, const float *v, float *out);
void mt_ellpack_rows_double_word(size_t n, const float *a, const mt_ellpack_columns *columns,
    const float *v_own, const float *v, float keeps, float *v_low, float *out);
void mt_ellpack_rows_double(size_t n, const double *d, const double *a, const mt_ellpack_columns *columns,
    const double *v_own, const double *v, double *out);
