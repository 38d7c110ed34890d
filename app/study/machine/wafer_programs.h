/* Published programs with known times on wafer-scale machines, written for the emulated machine from the descriptions of their authors.
 * They have no values. A tile has a column of a 3-D grid, or a rectangle of a 2-D grid. Its vertices count vector instructions:
 *
 *   - an instruction on n elements in memory takes 1 + n / lanes cycles;
 *   - one that takes an operand from the network takes the words as they arrive, so a cycle for each word;
 *   - a task takes vertex.entry_cycles in addition. */
#pragma once

#include "app/study/machine/machine_programs.h"

/* An iteration of BiCGStab with the 7-point stencil on nx x ny x nz points (K. Rocki et al. 2020, arXiv:2010.03660): halves, sums of dot
 * products in floats. Per point 2 products with the matrix, each 6 multiplications and 6 additions (the diagonal is 1), 4 dot products and
 * 6 additions of scaled vectors; 3 reductions to all tiles, the second of two numbers. In a product every tile sends its vector to its four
 * neighbours and back to itself. In a reduction the tiles of a row send to its two middle tiles, these to the four middle tiles of their
 * columns, these to one, which sends the sum to all.
 *
 * Computes the cycles of an iteration with the constants of each target, and of one reduction of one number with one addition per word, on
 * a mesh of nx x ny tiles. The difference of the reductions on all tiles and on 20 x 20 is that with the values of the constants. Returns
 * the errors of `ipu_compile` and `ipu_timing_make`. Fails with MT_FIT or MT_MEMORY. */
MT_NODISCARD mt_status mt_wafer_bicgstab(const ipu_target at[MT_ATS], size_t nx, size_t ny, size_t nz,
    double iteration[MT_ATS], double *reduction);

/* A step of a 25-point stencil for seismic waves, with floats (M. Jacquelin, M. Araya-Polo, J. Meng 2022, arXiv:2204.03775): in each
 * direction along x and y 4 tiles receive the column of a tile; per point, as in the vendor's csl-examples (benchmarks/25-pt-stencil), 20
 * multiplications of received words and 20 additions, 8 fused multiplications with additions along z, 4 sends, and 4 operations for the
 * time step. Computes the cycles of a step with nz points a tile on a mesh of n x n tiles. The same errors. */
MT_NODISCARD mt_status mt_wafer_seismic(const ipu_target *one, size_t n, size_t nz, double *cycles);

/* A step of a 5-point stencil with width x height floats on each tile (github.com/Jorineg/cerebras, tiled-stencil, pe_program_r1.csl): 4
 * sends and 4 receptions of a side, which finish before 6 operations on all points begin; 8 tasks for their ends and 2 others. Computes the
 * cycles of a step on a mesh of n x n tiles. The same errors. */
MT_NODISCARD mt_status mt_wafer_stencil(
    const ipu_target *one, size_t n, size_t width, size_t height, double *cycles);
