/* Multirate stepping: each cell evaluates its ionic model at its own rate.
 *
 * In a beat few cells are in their upstroke at a time; cells at rest and on the plateau change slowly. Multirate stepping evaluates the
 * equations of a cell only in some of the time steps. In the others V changes at its last evaluated rate and by diffusion, and the states
 * wait. The next evaluation advances the states by the elapsed time in one step: gates by their solution for a constant V (Rush and Larsen
 * 1978), calcium with its rates at a mean time, the rest by forward Euler. Stored for each cell:
 *
 *   kept    V at the last evaluation [mV]; infinite at the start, so that the cell is evaluated in the first step
 *   change  change of V per time step by the ionic model at the last evaluation [mV]
 *   since   number of time steps since the last evaluation
 *
 * In step i of a beat, let a be the largest power of 2 that divides i + 1, at most MT_MULTIRATE_MOST. A cell is evaluated if, with `since`
 * including this step,
 *
 *   strain > tolerance,   or   strain > tolerance / 2 and since <= a,   or   a = MT_MULTIRATE_MOST
 *
 *   strain = the larger of |V - kept| and MT_MULTIRATE_DIFFUSED |V - (kept + since change)|
 *
 * The second term is the change by diffusion. It has a larger weight, so that an arriving front is detected in its foot: otherwise
 * activation would be up to 0.3 % early. A cell with a steady change of V takes the longest of 1, 2, 4, 8 and 16 steps that changes V by at
 * most the tolerance. A cell reached by a front or a stimulus is evaluated in that step. Similar cells are evaluated in the same steps, so
 * that complete blocks are skipped. The choice depends only on the cell's own numbers: results are the same for any partition.
 *
 * Calcium changes fast on the plateau, with up to 16 steps between evaluations. tp06 and stewart therefore take its rates at a mean time, not
 * at the last evaluation (centre_calcium, solver/cells/tp06/tp06_equations.h). The peak of Ca_i is then within 0.15 % of that with uniform
 * stepping and the same time step; otherwise it would be 0.5 to 3 % low. In courtemanche mean times are no better: the moments at which
 * release begins and ends matter, and the peak is within 0.1 % at a BCL of 1 s, and 2 % at 500 ms.
 *
 * A model whose states need shorter steps (mt_cell_model.interval_max_ms) has a smaller power of 2 in place of MT_MULTIRATE_MOST. Imported
 * models take no longer steps than with uniform stepping: 4 time steps of 0.02 ms for one that is stable up to 0.1 ms.
 *
 * With a tolerance of 0 every cell is evaluated in each step. A cell that was evaluated in the previous step has the same bits as with
 * uniform stepping: its gates also take that step by forward Euler. */
#pragma once

#include <stddef.h>

/* Longest interval between evaluations in time steps, a power of 2; up to twice as many at the start of a beat. */
#define MT_MULTIRATE_MOST 16

/* Weight of the change by diffusion relative to the change by the ionic model. */
#define MT_MULTIRATE_DIFFUSED 10

/* The time step, the tolerance, and the step number. */
typedef struct mt_multirate_step {
    double dt_ms, tolerance_mV;
    size_t step; /* from the start of the beat */
} mt_multirate_step;
