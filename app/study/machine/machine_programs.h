/* Published programs with known times on real machines, written for the emulated machine with the mapping, partition and
 * connections of their authors. They have no values. For the matrix-vector product the instructions of its loops are modelled, too. */
#pragma once

#include "ipu/run/timing.h"

/* With the constants of the machine, and with the ends of their uncertainty bands (ipu_target.bands). */
enum { MT_AT_VALUES, MT_AT_FAST, MT_AT_SLOW, MT_ATS };
ipu_target mt_program_target(const ipu_target *target, int at);

/* Phases of a superstep, in tile cycles. */
typedef struct mt_program_cycles {
    /* exchange: inside chips; external: between chips; sync: both */
    double gather, sync, exchange, external, scatter;
    double exchange_mean, compute_mean; /* means over the tiles; exchange_mean: inside chips */
    double store;                       /* of the stencil: copies of results, after the compute phase */
    double channels;                    /* of the stencil: largest number of a worker's values */
} mt_program_cycles;

/* A 3 x 3 stencil on an image of four channels (github.com/thorbenlouw/lbm-graphcore, main/GaussianBlurLowLevel.cpp and
 * main/include/StructuredGridUtils.hpp). Chips have adjacent strips of the image or, in later versions, rectangles in a grid. Tiles have
 * rectangles of these, and each worker has some of its tile's rows or columns. The single input of a worker is its part with a border of
 * one pixel, row by row. A vertex writes one range; results of a worker with columns are copied from it to the image. */
typedef struct mt_blur {
    size_t width, height; /* pixels */
    size_t ipus;          /* 1, 2, 4, 8 or 16 */
    bool half;            /* 2 bytes per channel instead of 4 */
    bool grid;            /* chips in a grid */
    size_t least;         /* minimum rows and columns of a tile */
} mt_blur;

/* Computes the cycles of one step of the stencil on several chips like `one`. Returns the errors of `ipu_target_several`,
 * `ipu_compile` and `ipu_timing_make`. Fails with MT_FIT or MT_MEMORY. */
MT_NODISCARD mt_status mt_blur_cycles(
    const ipu_target *one, const mt_blur *blur, mt_program_cycles cycles[MT_ATS]);

/* Computes the memory of a tile for an earlier version of the program (its main/LowLevelStencil.cpp of 22 August 2020), with at least
 * blur->least rows and least_columns columns per tile. A second image is computed from the first, and the first from the second.
 * Workers have nine inputs: their pixels, and the neighbours at each side and corner, or zeros at the border. Chips have strips of
 * rows or of columns, whichever are more even. Floats only; blur->half is ignored. The memory is known also if it exceeds the
 * machine's, up to four times. Its code is unknown and not included. The same errors. */
MT_NODISCARD mt_status mt_blur_memory(
    const ipu_target *one, const mt_blur *blur, size_t least_columns, size_t tile, ipu_tile_memory *memory);

/* Matrix-vector product, 10,000 x 1,000 floats on one chip of 1,472 tiles (the vendor's examples, tutorial 6, colAxisSplit 7). With
 * T tiles, M rows, N columns and S = 7 segments of the columns
 *
 *     in[i]                     is on tile  i T / N
 *     row r times segment s     on tile     (s M + r) T / (S M), with its part of the matrix and its partial sum
 *     out[r], of S partial sums on tile     r T / M
 *
 * The host sends the matrix, row by row, to evenly distributed tiles; it is then copied to the tiles of its parts. */
enum { MT_TUTORIAL_MATRIX, MT_TUTORIAL_PRODUCTS, MT_TUTORIAL_SUMS, MT_TUTORIAL_SETS };

/* Computes the cycles of its compute sets on `one`. Returns the same errors. */
MT_NODISCARD mt_status mt_tutorial_cycles(
    const ipu_target *one, mt_program_cycles cycles[MT_TUTORIAL_SETS][MT_ATS]);

/* Computes the tile cycles of the compute phase of an addition of n floats on one tile, by the vertices of ipu/library/elementwise.h:
 * scaled in place, or of two tensors to a third. Returns the same errors. */
MT_NODISCARD mt_status mt_addition_cycles(const ipu_target *one, size_t n, bool scaled, double *cycles);
