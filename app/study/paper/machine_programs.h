/* Programs of others whose time on real machines is known, written for the emulated ones: mapped, cut and connected as their
 * authors did. They have no values. The work of the matrix-vector product is modelled, too, by the instructions of its loops. */
#pragma once

#include "ipu/run/timing.h"

/* With the machine's constants, and with them at the ends of their bands (ipu_target.bands). */
enum { MT_AT_VALUES, MT_AT_FAST, MT_AT_SLOW, MT_ATS };
ipu_target mt_program_target(const ipu_target *target, int at);

/* What one superstep takes, in tile cycles. */
typedef struct mt_program_cycles {
    double gather, sync, exchange, external,
        scatter;                        /* exchange: inside chips; external: between them; sync: both */
    double exchange_mean, compute_mean; /* of the tiles: exchange inside chips, and compute */
} mt_program_cycles;

/* A 3 x 3 stencil on an image of four channels (github.com/thorbenlouw/lbm-graphcore, main/GaussianBlurLowLevel.cpp). Chips have
 * strips of it side by side, tiles rectangles of these, and each worker a part of its tile's rows or columns; its one input is that
 * part with a border of one pixel, row by row. */
typedef struct mt_blur {
    size_t width, height; /* pixels */
    size_t ipus;
    bool half;    /* 2 bytes a channel instead of 4 */
    size_t least; /* rows and columns of a tile */
} mt_blur;

/* Gives the cycles of one step of the stencil on so many chips like `one`. MT_INPUT: as ipu_target_several, ipu_compile and
 * ipu_timing_make; MT_FIT; MT_MEMORY. */
MT_NODISCARD mt_status mt_blur_cycles(
    const ipu_target *one, const mt_blur *blur, mt_program_cycles cycles[MT_ATS]);

/* Matrix times vector, 10,000 x 1,000 floats on one chip of 1,472 tiles (the vendor's examples, tutorial 6, colAxisSplit 7). Of
 * T tiles, M rows, N columns and S = 7 segments of the columns
 *
 *     in[i]                       is on tile i T / N
 *     row r times segment s       on tile (s M + r) T / (S M), with its part of the matrix and its partial sum
 *     out[r], of S partial sums   on tile r T / M
 *
 * and the matrix comes from the host spread evenly over the tiles, row by row, and goes from there to its parts. */
enum { MT_TUTORIAL_MATRIX, MT_TUTORIAL_PRODUCTS, MT_TUTORIAL_SUMS, MT_TUTORIAL_SETS };

/* Gives the cycles of its compute sets on `one`. Fails as above. */
MT_NODISCARD mt_status mt_tutorial_cycles(
    const ipu_target *one, mt_program_cycles cycles[MT_TUTORIAL_SETS][MT_ATS]);
