/* The loops around a cell model's equations.
 *
 * A model's kernel file (*_kernel.c) includes solver/kernels/lanes.h first and this file last. Between them stand
 *
 *   MODEL                          cell_NAME, for the functions' names
 *   STATES, PARAMETERS, VARIANTS   how many it has
 *   cell_step(dt, p, v, s, next)   its equations, LANES cells at once: reads parameters p, potential v [mV] and states s at the
 *                                  step's start, writes the states after it, gives the new v
 *
 * A model that tells its currents has, besides,
 *
 *   MODEL_CURRENTS                 cell_NAME_currents
 *   CURRENTS                       how many there are
 *   cell_currents(p, v, s, i)      gives them; cell_step takes them from there, too
 *
 * The build compiles the file for each arithmetic and instruction set, and solver/plan/tally.cmake counts its instructions
 * (MT_TALLY). */
#include "solver/kernels/block.h"

/* The step's dt, and the parameters of LANES cells, lane by lane. */
typedef struct constants {
    real dt;
    lanes parameter[PARAMETERS];
} constants;

/* One step of LANES cells whose states lie `stride` numbers apart; gives the new V. */
static inline lanes step_lanes(const constants *c, lanes v, real *state, size_t stride)
{
    lanes s[STATES], next[STATES];
    for (size_t k = 0; k < STATES; k++) s[k] = lanes_load(state + k * stride);
    v = cell_step(c->dt, c->parameter, v, s, next);
    for (size_t k = 0; k < STATES; k++) lanes_store(state + k * stride, next[k]);
    return v;
}

#ifdef MT_TALLY

/* The inner loops as a worker of a tile runs them: one cell after another of a block, in float. Nothing runs them. */
void ode(uint32_t n, const constants *restrict c, float *restrict state, const float *restrict v_in,
    float *restrict v_out)
{
    for (uint32_t cell = 0; cell < n; cell++) v_out[cell] = step_lanes(c, v_in[cell], state + cell, MT_BLOCK);
}

void ode_mixed(uint32_t n, const constants *restrict of_variant, const uint16_t *restrict of,
    float *restrict state, const float *restrict v_in, float *restrict v_out)
{
    for (uint32_t cell = 0; cell < n; cell++)
        v_out[cell] = step_lanes(&of_variant[of[cell]], v_in[cell], state + cell, MT_BLOCK);
}

#else

#    include <string.h>

#    include "solver/cells/model.h"

static constants constants_of(const mt_cell_variant *variant, double dt_ms)
{
    constants c = {.dt = (real)dt_ms};
    for (int k = 0; k < PARAMETERS; k++) c.parameter[k] = lanes_all((real)variant->parameters[k]);
    return c;
}

/* The constants of LANES cells: of[0 .. LANES) are their variants. */
static inline constants constants_mixed(const constants of_variant[VARIANTS], const uint16_t *of)
{
    real number[LANES];
    for (int lane = 0; lane < LANES; lane++) number[lane] = (real)of[lane];
    const lanes variant = lanes_load(number);
    constants c = of_variant[VARIANTS - 1];
    for (int k = 0; k < PARAMETERS; k++)
        for (int v = VARIANTS - 2; v >= 0; v--)
            c.parameter[k] =
                lanes_select_below(variant, (real)v + (real)0.5, of_variant[v].parameter[k], c.parameter[k]);
    return c;
}

/* `of` NULL: all cells are of the first variant in c; else of[cell] chooses. */
static void whole_block(const constants *c, const uint16_t *of, real *state, const real *v_in, real *v_out)
{
    constants mixed;
    const constants *mine = of ? &mixed : c;
    for (size_t lane = 0; lane < MT_BLOCK; lane += LANES) {
        if (of) mixed = constants_mixed(c, of + lane);
        lanes_store(v_out + lane, step_lanes(mine, lanes_load(v_in + lane), state + lane, MT_BLOCK));
    }
}

/* A last block narrower than the others: through a whole one in which the spare lanes repeat the first cell.
 */
static void part_block(
    const constants *c, const uint16_t *of, size_t width, real *state, const real *v_in, real *v_out)
{
    real whole[STATES * MT_BLOCK], v[MT_BLOCK];
    uint16_t whole_of[MT_BLOCK];
    for (size_t k = 0; k < STATES; k++)
        for (size_t lane = 0; lane < MT_BLOCK; lane++)
            whole[k * MT_BLOCK + lane] = state[k * width + (lane < width ? lane : 0)];
    for (size_t lane = 0; lane < MT_BLOCK; lane++) v[lane] = v_in[lane < width ? lane : 0];
    for (size_t lane = 0; of && lane < MT_BLOCK; lane++) whole_of[lane] = of[lane < width ? lane : 0];
    whole_block(c, of ? whole_of : NULL, whole, v, v);
    for (size_t k = 0; k < STATES; k++) memcpy(state + k * width, whole + k * MT_BLOCK, width * sizeof(real));
    memcpy(v_out, v, width * sizeof(real));
}

/* Asks for the next block's states while this one is computed. */
static void fetch_next_block(const real *state)
{
    enum { CACHE_LINE = 64 };
    const size_t ahead = STATES * MT_BLOCK * sizeof(real);
    for (size_t byte = 0; byte < ahead; byte += CACHE_LINE)
        __builtin_prefetch((const void *)((uintptr_t)state + ahead + byte), 1);
}

void MT_KERNEL(MODEL)(const mt_cell_variant *variant, const uint16_t *of, double dt_ms, size_t n, real *state,
    const real *v_in, real *v_out)
{
    constants c[VARIANTS];
    for (int v = 0; v < (of ? VARIANTS : 1); v++) c[v] = constants_of(variant + v, dt_ms);
    size_t cell = 0;
    for (; cell + MT_BLOCK <= n; cell += MT_BLOCK) {
        real *own = state + cell * STATES;
        fetch_next_block(own);
        whole_block(c, of ? of + cell : NULL, own, v_in + cell, v_out + cell);
    }
    if (cell < n)
        part_block(c, of ? of + cell : NULL, n - cell, state + cell * STATES, v_in + cell, v_out + cell);
}

#    if defined(MODEL_CURRENTS) && defined(MT_DOUBLE)
void MT_KERNEL(MODEL_CURRENTS)(
    const mt_cell_variant *variant, double v_mV, const double *states, double *current)
{
    const constants c = constants_of(variant, 0);
    lanes s[STATES], i[CURRENTS];
    for (int k = 0; k < STATES; k++) s[k] = lanes_all(states[k]);
    cell_currents(c.parameter, lanes_all(v_mV), s, i);
    for (int k = 0; k < CURRENTS; k++) {
        real of_lane[LANES];
        lanes_store(of_lane, i[k]);
        current[k] = of_lane[0];
    }
}
#    endif

#endif
