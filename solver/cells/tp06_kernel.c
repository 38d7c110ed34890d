/* The cell model's loop over blocks, for one arithmetic and one instruction set (set by the build): see
 * solver/kernels/lanes.h. */
#include <string.h>

#include "solver/kernels/lanes.h"
#include "solver/kernels/block.h"
#include "solver/kernels/kernels.h"
#include "solver/cells/tp06_equations.h"

/* `of` NULL: all cells are of the first type in c; else of[cell] chooses. */
static void whole_block(
    const tp06_constants *c, const uint16_t *of, real *state, const real *v_in, real *v_out)
{
    tp06_constants mixed;
    const tp06_constants *mine = of ? &mixed : c;
    for (size_t lane = 0; lane < MT_BLOCK; lane += LANES) {
        if (of) mixed = tp06_constants_mixed(c, of + lane);
        lanes_store(v_out + lane, tp06_step(mine, lanes_load(v_in + lane), state + lane, MT_BLOCK));
    }
}

/* A last block narrower than the others: through a whole one in which the spare lanes repeat the first cell.
 */
static void part_block(
    const tp06_constants *c, const uint16_t *of, size_t width, real *state, const real *v_in, real *v_out)
{
    real whole[TP06_STATES * MT_BLOCK], v[MT_BLOCK];
    uint16_t whole_of[MT_BLOCK];
    for (size_t k = 0; k < TP06_STATES; k++)
        for (size_t lane = 0; lane < MT_BLOCK; lane++)
            whole[k * MT_BLOCK + lane] = state[k * width + (lane < width ? lane : 0)];
    for (size_t lane = 0; lane < MT_BLOCK; lane++) v[lane] = v_in[lane < width ? lane : 0];
    for (size_t lane = 0; of && lane < MT_BLOCK; lane++) whole_of[lane] = of[lane < width ? lane : 0];
    whole_block(c, of ? whole_of : NULL, whole, v, v);
    for (size_t k = 0; k < TP06_STATES; k++)
        memcpy(state + k * width, whole + k * MT_BLOCK, width * sizeof(real));
    memcpy(v_out, v, width * sizeof(real));
}

/* Asks for the next block's states while this one is computed. */
static void fetch_next_block(const real *state)
{
    enum { CACHE_LINE = 64 };
    const size_t ahead = TP06_STATES * MT_BLOCK * sizeof(real);
    for (size_t byte = 0; byte < ahead; byte += CACHE_LINE)
        __builtin_prefetch((const void *)((uintptr_t)state + ahead + byte), 1);
}

void MT_KERNEL(tp06_step)(const mt_tp06_type *type, const uint16_t *of, double dt_ms, size_t n, real *state,
    const real *v_in, real *v_out)
{
    tp06_constants c[MT_CELL_TYPES];
    for (int t = 0; t < (of ? MT_CELL_TYPES : 1); t++) c[t] = tp06_constants_of(type + t, dt_ms);
    size_t cell = 0;
    for (; cell + MT_BLOCK <= n; cell += MT_BLOCK) {
        real *own = state + cell * TP06_STATES;
        fetch_next_block(own);
        whole_block(c, of ? of + cell : NULL, own, v_in + cell, v_out + cell);
    }
    if (cell < n)
        part_block(c, of ? of + cell : NULL, n - cell, state + cell * TP06_STATES, v_in + cell, v_out + cell);
}
