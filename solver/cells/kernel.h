/* The loops around a cell model's equations.
 *
 * A model's kernel file (*_kernel.c) includes solver/kernels/lanes.h or functions.h first and this file last. Between them stand
 *
 *   MODEL                          cell_NAME, for the functions' names
 *   STATES, CONSTANTS              how many it has (solver/cells/model.h)
 *   cell_step(dt, c, v, s, next)   its equations, LANES cells at once: reads constants c, potential v [mV] and states s at the
 *                                  step's start, writes the states after it, gives the new v
 *
 *   compiled_in(loaded, c)         with MT_TALLY: fills c as a codelet for cells of one variant has them, some known to the compiler,
 *                                  the others from loaded[]
 *
 * A model that tells its currents has, besides,
 *
 *   MODEL_CURRENTS                 cell_NAME_currents
 *   CURRENTS                       how many there are
 *   cell_currents(c, v, s, i)      gives them; cell_step takes them from there, too
 *
 * The build compiles the file for each arithmetic and instruction set, and solver/plan/tally.cmake counts its instructions
 * (MT_TALLY). */
#include <stdbool.h>

#include "solver/kernels/block.h"

/* One step of LANES cells whose states lie `stride` numbers apart; gives the new V. */
static inline lanes step_lanes(real dt, const lanes c[CONSTANTS], lanes v, real *state, size_t stride)
{
    lanes s[STATES], next[STATES];
    for (size_t k = 0; k < STATES; k++) s[k] = lanes_load(state + k * stride);
    v = cell_step(dt, c, v, s, next);
    for (size_t k = 0; k < STATES; k++) lanes_store(state + k * stride, next[k]);
    return v;
}

#ifdef MT_TALLY

/* What a worker loads once where all cells are of one variant. */
typedef struct loaded {
    real dt, constants[CONSTANTS];
} loaded;

/* The inner loops as a worker of a tile runs them: one cell after another of a block, in float. Nothing runs them. */
void ode(uint32_t n, const loaded *restrict of_all, float *restrict state, const float *restrict v_in,
    float *restrict v_out)
{
    lanes c[CONSTANTS];
    compiled_in(of_all->constants, c);
    for (uint32_t cell = 0; cell < n; cell++)
        v_out[cell] = step_lanes(of_all->dt, c, v_in[cell], state + cell, MT_BLOCK);
}

void ode_mixed(uint32_t n, float dt, const float (*restrict constants)[CONSTANTS],
    const uint16_t *restrict of, float *restrict state, const float *restrict v_in, float *restrict v_out)
{
    for (uint32_t cell = 0; cell < n; cell++)
        v_out[cell] = step_lanes(dt, constants[of[cell]], v_in[cell], state + cell, MT_BLOCK);
}

#else

#    include <string.h>

#    include "solver/cells/model.h"

/* The constants of LANES cells at work, lane by lane. */
typedef struct at_work {
    const real *table; /* [n_variants][CONSTANTS] */
    size_t variant;    /* of all lanes; MIXED where they differ */
    lanes constant[CONSTANTS];
    size_t n_differing;
    uint16_t differing[CONSTANTS]; /* those that some variants have otherwise than others */
} at_work;

#    define MIXED SIZE_MAX

/* Which constants differ in their bits. With more variants than cells all are taken to: looking would take longer. */
static void find_differing(at_work *w, size_t n_variants, size_t n_cells)
{
    real_bits differs[CONSTANTS] = {0};
    for (size_t v = 1; n_variants <= n_cells && v < n_variants; v++)
        for (size_t k = 0; k < CONSTANTS; k++) {
            real_bits here, first;
            memcpy(&here, w->table + v * CONSTANTS + k, sizeof here);
            memcpy(&first, w->table + k, sizeof first);
            differs[k] |= here ^ first;
        }
    for (size_t k = 0; k < CONSTANTS; k++)
        if (differs[k] || n_variants > n_cells) w->differing[w->n_differing++] = (uint16_t)k;
}

static void begin_work(at_work *w, const real *table, size_t n_variants, bool mixed, size_t n_cells)
{
    w->table = table;
    w->variant = 0;
    w->n_differing = 0;
    for (size_t k = 0; k < CONSTANTS; k++) w->constant[k] = lanes_all(table[k]);
    if (mixed) find_differing(w, n_variants, n_cells);
}

/* Takes the constants of LANES cells, of[0 .. LANES) being their variants. */
static inline void take_constants(at_work *w, const uint16_t *of)
{
    bool alike = true;
    for (int lane = 1; lane < LANES; lane++) alike &= of[lane] == of[0];
    if (alike && w->variant == of[0]) return;
    w->variant = alike ? of[0] : MIXED;
    for (size_t d = 0; d < w->n_differing; d++) {
        const size_t k = w->differing[d];
        real number[LANES];
        if (alike) {
            w->constant[k] = lanes_all(w->table[of[0] * (size_t)CONSTANTS + k]);
            continue;
        }
        for (int lane = 0; lane < LANES; lane++) number[lane] = w->table[of[lane] * (size_t)CONSTANTS + k];
        w->constant[k] = lanes_load(number);
    }
}

/* `of` NULL: all cells are of the variant at work; else of[cell] chooses. */
static void whole_block(at_work *w, const uint16_t *of, real dt, real *state, const real *v_in, real *v_out)
{
    for (size_t lane = 0; lane < MT_BLOCK; lane += LANES) {
        if (of) take_constants(w, of + lane);
        lanes_store(
            v_out + lane, step_lanes(dt, w->constant, lanes_load(v_in + lane), state + lane, MT_BLOCK));
    }
}

/* A last block narrower than the others: through a whole one in which the spare lanes repeat the first cell.
 */
static void part_block(
    at_work *w, const uint16_t *of, real dt, size_t width, real *state, const real *v_in, real *v_out)
{
    real whole[STATES * MT_BLOCK], v[MT_BLOCK];
    uint16_t whole_of[MT_BLOCK];
    for (size_t k = 0; k < STATES; k++)
        for (size_t lane = 0; lane < MT_BLOCK; lane++)
            whole[k * MT_BLOCK + lane] = state[k * width + (lane < width ? lane : 0)];
    for (size_t lane = 0; lane < MT_BLOCK; lane++) v[lane] = v_in[lane < width ? lane : 0];
    for (size_t lane = 0; of && lane < MT_BLOCK; lane++) whole_of[lane] = of[lane < width ? lane : 0];
    whole_block(w, of ? whole_of : NULL, dt, whole, v, v);
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

/* All in one piece: its parts shall be computed side by side. */
__attribute__((flatten)) void MT_KERNEL(MODEL)(const real *constants, size_t n_variants, const uint16_t *of,
    double dt_ms, size_t n, real *state, const real *v_in, real *v_out)
{
    const real dt = (real)dt_ms;
    at_work w;
    begin_work(&w, constants, n_variants, of != NULL, n);
    size_t cell = 0;
    for (; cell + MT_BLOCK <= n; cell += MT_BLOCK) {
        real *own = state + cell * STATES;
        fetch_next_block(own);
        whole_block(&w, of ? of + cell : NULL, dt, own, v_in + cell, v_out + cell);
    }
    if (cell < n)
        part_block(&w, of ? of + cell : NULL, dt, n - cell, state + cell * STATES, v_in + cell, v_out + cell);
}

#    if defined(MODEL_CURRENTS) && defined(MT_DOUBLE)
void MT_KERNEL(MODEL_CURRENTS)(const double *constants, double v_mV, const double *states, double *current)
{
    lanes c[CONSTANTS], s[STATES], i[CURRENTS];
    for (int k = 0; k < CONSTANTS; k++) c[k] = lanes_all(constants[k]);
    for (int k = 0; k < STATES; k++) s[k] = lanes_all(states[k]);
    cell_currents(c, lanes_all(v_mV), s, i);
    for (int k = 0; k < CURRENTS; k++) {
        real of_lane[LANES];
        lanes_store(of_lane, i[k]);
        current[k] = of_lane[0];
    }
}
#    endif

#endif
