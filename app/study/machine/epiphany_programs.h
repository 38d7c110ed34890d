/* Published programs with known times on chips of 4 x 4 (Epiphany-III) and 8 x 8 tiles (Epiphany-IV), written for the emulated machine
 * from their sources. They have no values. Costs are cycles of instructions counted in the sources, not times: a pair of a float
 * instruction and another one takes one cycle, other instructions one each, a taken branch 1 + 3, and a load whose result the next
 * instruction uses 1 + 1 (Epiphany Architecture Reference, table 10).
 *
 * A copy by DMA takes MT_EPIPHANY_DMA_START cycles from the call until its first word arrives, in addition to its words. That is the
 * measured time of 8 bytes, 332 cycles, less 2 for the words and 22 for the answer. The engine has the rate of the machine, 4 bytes per
 * cycle; at the slow end 2, because in the measurements to which that of 8 bytes belongs it has 2.4. */
#pragma once

#include "app/study/machine/machine_programs.h"

enum { MT_EPIPHANY_DMA_START = 308 };

/* A store of a word from tile 0 to tile `to` of 4 x 4 tiles, and a loop that waits for it (github.com/fabigB/myParallella,
 * noCPerformance/latency). The loop is a load, a comparison that waits one cycle for it, and a branch, 6 cycles: on average half a turn,
 * and the last four cycles. Computes the cycles in one direction. Returns the errors of `mt_tile_grid_cycles`. */
MT_NODISCARD mt_status mt_epiphany_store(const ipu_target *one, uint32_t to, double *cycles);

/* A copy by DMA from tile 0 to tile 15 of 4 x 4 tiles, with an answer (noCPerformance/bandwidth). With `others`, tiles 1 and 3 send as much
 * to tile 11 at the same time, and tile 2 to tile 7: all routes have the link from tile 3 to 7. The slow rate of DMA would also limit the
 * tile that receives two copies, which it does not in the machine, so `others` have the rate of the machine. `at`: as in
 * mt_program_target, whose target is `one`. Computes the cycles to the last word and the answer. The same errors. */
MT_NODISCARD mt_status mt_epiphany_copy(
    const ipu_target *one, int at, size_t bytes, bool others, double *cycles);

/* An iteration of a 5-point stencil with 60 x 60 floats on each of 8 x 8 tiles (github.com/parallella/parallella-examples, heat_stencil):
 *
 *   stencil_20n   Three calls. A call has 30 turns for two rows of 20 points: 200 fused multiplications and additions in pairs, a
 *                 subtraction, an empty instruction and a taken branch, 206 cycles. Before them 52 instructions and 25 pairs, after
 *                 them 18 cycles.
 *   border        A loop of 62 turns, compiled without optimisation (its build.sh): 17 instructions of which four loads wait one cycle,
 *                 and a taken branch, 24 cycles.
 *   flags         To the neighbours and back, before the copies (exchange.sync_cycles) and after them. Each time four stores, of which
 *                 the pointers are loaded, and a test of four flags, without optimisation: 36 cycles.
 *   copies        Rows and columns of 62 floats to the neighbours, by two DMA channels that start together.
 *
 * Computes the cycles of an iteration. The same errors. */
MT_NODISCARD mt_status mt_epiphany_stencil(const ipu_target *one, int at, double *cycles);

/* A product of two matrices of 256 x 256 floats on 8 x 8 tiles by Cannon's algorithm, 32 x 32 floats each (assembly-opt): eight times a
 * product of blocks and four copies of half a block by DMA, one after another, to the previous tile in the row (A) and in the column (B),
 * around the ends.
 *
 *   matmul_assembly  32 rows of 1,024 fused multiplications and additions in pairs, 33 loads, stores and an addition, and as at the end
 *                    of each loop a subtraction, an empty instruction and a taken branch: 1,063 cycles. Before them 40 instructions,
 *                    after them 20 cycles, and 25 for the call, without optimisation.
 *
 * Computes the cycles of the product. The same errors. */
MT_NODISCARD mt_status mt_epiphany_product(const ipu_target *one, int at, double *cycles);
