/* The comparison of the kernels of a compiled model with the interpreter, for one arithmetic and one instruction set. */
#include "solver/kernels/lanes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "solver/cells/model.h"
#include "solver/kernels/block.h"

#ifdef MT_DOUBLE
typedef mt_cell_kernel_double kernel;
typedef mt_cell_multirate_double multirate_kernel;
#else
typedef mt_cell_kernel_float kernel;
typedef mt_cell_multirate_float multirate_kernel;
#endif

extern kernel MT_KERNEL(cell_program);
extern multirate_kernel MT_KERNEL(cell_program_multirate);

/* Several chunks of the interpreter in double precision, and a narrow block. */
enum { CELLS = 20 * MT_BLOCK + 5, STEPS = 4 };

/* Returns a number from 0 to 1 that depends on n. */
static real arbitrary(size_t n)
{
    const uint64_t mixed = (n + 1) * 0x9e3779b97f4a7c15u;
    return (real)((double)((mixed ^ (mixed >> 29)) >> 40) / (1 << 24));
}

/* Sets V from -100 to 60 mV, and states near those at rest. */
static void fill(const mt_cell_model *model, real *state, real *v)
{
    const size_t n_states = model->n_states;
    for (size_t cell = 0; cell < CELLS; cell++) {
        v[cell] = (real)(-100) + (real)160 * arbitrary(cell);
        for (size_t k = 0; k < n_states; k++)
            state[mt_block_index(CELLS, n_states, cell, k)] =
                (real)model->variants[0].states[k] *
                ((real)0.75 + (real)0.5 * arbitrary(7 * cell + 1000 * k));
    }
}

/* True if all numbers have the same bits, or are NaN in both. */
static bool are_same(size_t n, const real *a, const real *b)
{
    for (size_t k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0 && !(isnan(a[k]) && isnan(b[k]))) return false;
    return true;
}

bool MT_KERNEL(cell_compiled_same)(const mt_cell_model *model, const real *constants, double dt_ms,
    kernel *step, multirate_kernel *multirate);

bool MT_KERNEL(cell_compiled_same)(const mt_cell_model *model, const real *constants, double dt_ms,
    kernel *step, multirate_kernel *multirate)
{
    const size_t n_state = CELLS * model->n_states;
    real state[2][n_state + 1], v[2][CELLS], paced[2][MT_PACED][CELLS];
    uint16_t of[CELLS];
    for (size_t cell = 0; cell < CELLS; cell++) of[cell] = cell < CELLS / 2 ? 0 : cell % 2;
    for (int mixed = 0; mixed < 2; mixed++) {
        const uint16_t *variants = mixed ? of : NULL;
        for (int k = 0; k < 2; k++) {
            fill(model, state[k], v[k]);
            for (int q = 0; q < MT_PACED; q++)
                for (size_t cell = 0; cell < CELLS; cell++) paced[k][q][cell] = (real)mt_paced_start[q];
        }
        for (size_t n = 0; n < STEPS; n++) {
            const mt_multirate_step at = {dt_ms, 0.5, n};
            for (int k = 0; k < 2; k++) {
                (k ? step : MT_KERNEL(cell_program))(
                    model, constants, 2, variants, dt_ms, CELLS, state[k], v[k], v[k]);
                (k ? multirate : MT_KERNEL(cell_program_multirate))(model, constants, 2, variants, &at, CELLS,
                    state[k], paced[k][MT_PACED_KEPT], paced[k][MT_PACED_CHANGE], paced[k][MT_PACED_SINCE],
                    v[k], v[k]);
            }
        }
        if (!are_same(n_state, state[0], state[1]) || !are_same(CELLS, v[0], v[1]) ||
            !are_same(MT_PACED * CELLS, &paced[0][0][0], &paced[1][0][0]))
            return false;
    }
    return true;
}
