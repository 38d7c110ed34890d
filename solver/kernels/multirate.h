/* Multirate stepping: every cell evaluates its cell model at its own pace.
 *
 * In a beat few cells are in an upstroke at a time; those at rest and on the plateau change slowly. Here a cell's equations are
 * evaluated in some of the time steps only. In all others V goes on changing as it was found to last, and by diffusion as always, while
 * the states wait; the next evaluation takes them over all the time since in one step, gates by their solution for a steady V (Rush and
 * Larsen 1978), calcium with its rates at a mean time, the rest by forward Euler. What is held of a cell:
 *
 *   kept    V where it was evaluated last [mV]; infinite at the start, so that it is evaluated in the first step
 *   change  of V in a time step by the cell model, as found there [mV]
 *   since   time steps since then; a whole number
 *
 * In step i of a beat, let a be the largest power of 2 that divides i + 1, at most MT_MULTIRATE_MOST. A cell is evaluated where, `since`
 * counting this step,
 *
 *   strain > tolerance,   or   strain > tolerance / 2 and since <= a,   or   a = MT_MULTIRATE_MOST
 *
 *   strain = the larger of |V - kept| and MT_MULTIRATE_DIFFUSED |V - (kept + since change)|
 *
 * The second is what diffusion did. It counts for more, so that a front is felt in its foot: otherwise waves would be up to 0.3 % early.
 * A cell whose V changes steadily takes the longest of 1, 2, 4, 8 and 16 steps in which it changes by no more than the tolerance; one
 * that a front or a stimulus reaches is evaluated in that step; and cells alike are evaluated in the same steps, so that whole blocks
 * are passed over. The choice depends on nothing but the cell's own numbers: results are the same for any cut.
 *
 * Calcium changes fast while V is on its plateau and evaluations are up to 16 steps apart. tp06 therefore takes its rates at a mean time, not
 * at the last evaluation (centre_calcium, solver/cells/tp06/tp06_kernel.c): the peak of Ca_i is then within 0.15 % of that with uniform
 * stepping in the same time step, and would otherwise be 0.5 to 3 % low.
 *
 * With a tolerance of 0 every cell is evaluated in each step. A cell that was evaluated in the step before is as with uniform stepping,
 * to the bit: its gates, too, take that step by forward Euler. */
#pragma once

#include <stddef.h>

/* Time steps from one evaluation to the next, a power of 2; up to twice as many where a beat begins. */
#define MT_MULTIRATE_MOST 16

/* By how much what diffusion did counts for more than what the cell did. */
#define MT_MULTIRATE_DIFFUSED 10

/* Where a time step is, and what may be. */
typedef struct mt_multirate_step {
    double dt_ms, tolerance_mV;
    size_t step; /* of the beat */
} mt_multirate_step;
