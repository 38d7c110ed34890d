/* The loops around an ionic model's equations.
 *
 * A model's kernel file (*_kernel.c) includes solver/kernels/lanes.h or functions.h first and this file last. In between it defines
 *
 *   MODEL, MODEL_MULTIRATE         cell_NAME and cell_NAME_multirate, for the functions' names
 *   STATES, CONSTANTS              their numbers (solver/cells/model.h)
 *   cell_step(p, c, v, s, next)    the equations, LANES cells at once: reads constants c, voltage v [mV] and states s, writes the
 *                                  next states, returns the change of V [mV] (solver/cells/pace.h)
 *
 *   compiled_in(loaded, c)         with MT_TALLY: fills c as in a codelet for cells of one variant: some constants are known to the
 *                                  compiler, the others are read from loaded[]
 *
 * A model with separate currents also defines
 *
 *   MODEL_CURRENTS                 cell_NAME_currents
 *   CURRENTS                       number of currents
 *   cell_currents(p, c, v, s, i)   computes them; cell_step uses it, too
 *
 * A model whose functions of V can be read from tables (solver/kernels/tables.h) also defines
 *
 *   MODEL_TABULATED, MODEL_TABULATED_MULTIRATE, MODEL_FUNCTIONS
 *                                  cell_NAME_tabulated, cell_NAME_tabulated_multirate and cell_NAME_functions
 *   FUNCTIONS                      number of functions; cell_step calls function_of_v (solver/cells/pace.h) for each of them
 *
 * The build compiles the file for each arithmetic and instruction set, and ipu/tally/tally.cmake counts its instructions (MT_TALLY). */
#include <stdbool.h>

#include "solver/kernels/multirate.h"
#include "solver/kernels/block.h"
#include "solver/kernels/multirate_equations.h"
#include "solver/kernels/tables_equations.h"

/* Iterates over the states without a loop, which the tally cannot count: compilers unroll 43 iterations only on request. */
#define EACH_STATE(k) _Pragma("GCC unroll 64") for (size_t k = 0; k < STATES; k++)

#if defined(MODEL_TABULATED) && !defined(MT_TALLY) && !defined(MT_DOUBLE)
#    define WITH_TABLES
#endif

#ifdef WITH_TABLES
/* Computes the functions of V that tables contain. */
__attribute__((noinline)) static void compute_functions(
    real step, bool relaxes, const lanes c[CONSTANTS], lanes v, lanes of_v[FUNCTIONS])
{
    lanes s[STATES], next[STATES];
    EACH_STATE(k) s[k] = lanes_all(0); /* no function depends on them */
    (void)cell_step((pace){lanes_all(step), step, relaxes, FUNCTIONS_STORED, of_v}, c, v, s, next);
}

/* Reads the functions of V from tables; outside their range computes them. */
static inline void read_functions(const mt_tables *tables, const uint16_t *of, real step, bool relaxes,
    const lanes c[CONSTANTS], lanes v, lanes of_v[FUNCTIONS])
{
    const located at = locate(v);
    look_up(tables, FUNCTIONS, of, &at, of_v);
    if (!lanes_any_below(at.margin, (real)0)) return;
    lanes computed[FUNCTIONS];
    compute_functions(step, relaxes, c, v, computed);
    for (size_t k = 0; k < FUNCTIONS; k++)
        of_v[k] = lanes_select_below(at.margin, (real)0, computed[k], of_v[k]);
}
#endif

/* The source of the functions of V of LANES cells. reads: from tables, otherwise they are computed; known to the compiler. of: the variants
 * of the cells; NULL: all have the first one. */
typedef struct source {
    bool reads;
    const mt_tables *tables;
    const uint16_t *of;
} source;

/* Computes the next states of LANES cells, and returns the change of V. */
static inline lanes step_from(
    source from, pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])
{
#ifdef WITH_TABLES
    lanes of_v[FUNCTIONS];
    if (from.reads) {
        read_functions(from.tables, from.of, p.step, p.relaxes, c, v, of_v);
        p.functions = FUNCTIONS_READ;
        p.of_v = of_v;
    }
#else
    (void)from;
#endif
    return cell_step(p, c, v, s, next);
}

/* Advances LANES cells by one step; their states are `stride` numbers apart. Returns the new V. */
static inline lanes step_lanes(
    source from, real dt, const lanes c[CONSTANTS], lanes v, real *state, size_t stride)
{
    lanes s[STATES], next[STATES];
    EACH_STATE(k) s[k] = lanes_load(state + k * stride);
    v += step_from(from, (pace){.dt = lanes_all(dt), .step = dt}, c, v, s, next);
    EACH_STATE(k) lanes_store(state + k * stride, next[k]);
    return v;
}

#ifdef MT_TALLY

/* Values that a worker loads once if all cells have one variant. */
typedef struct loaded {
    real dt, constants[CONSTANTS];
} loaded;

/* The inner loops of a tile's worker: the cells of a block one after another, in float. For the tally only, never executed. */
void ode(uint32_t n, const loaded *restrict of_all, float *restrict state, const float *restrict v_in,
    float *restrict v_out)
{
    lanes c[CONSTANTS];
    compiled_in(of_all->constants, c);
    for (uint32_t cell = 0; cell < n; cell++)
        v_out[cell] = step_lanes((source){0}, of_all->dt, c, v_in[cell], state + cell, MT_BLOCK);
}

void ode_mixed(uint32_t n, float dt, const float (*restrict constants)[CONSTANTS],
    const uint16_t *restrict of, float *restrict state, const float *restrict v_in, float *restrict v_out)
{
    for (uint32_t cell = 0; cell < n; cell++)
        v_out[cell] = step_lanes((source){0}, dt, constants[of[cell]], v_in[cell], state + cell, MT_BLOCK);
}

/* The same for cells that are evaluated in a multirate step; solver/plan/codelets_tally.c selects them. */
static inline void evaluate_one(
    real dt, const real c[CONSTANTS], real v, real *state, real *kept, real *change, real *since)
{
    real s[STATES], next[STATES];
    EACH_STATE(k) s[k] = state[k * MT_BLOCK];
    *change = cell_step((pace){.dt = *since * dt, .step = dt, .relaxes = true}, c, v, s, next);
    *kept = v;
    *since = 0;
    EACH_STATE(k) state[k * MT_BLOCK] = next[k];
}

void ode_multirate(uint32_t n, const loaded *restrict of_all, float *restrict state, float *restrict kept,
    float *restrict change, float *restrict since, const float *restrict v)
{
    lanes c[CONSTANTS];
    compiled_in(of_all->constants, c);
    for (uint32_t cell = 0; cell < n; cell++)
        evaluate_one(of_all->dt, c, v[cell], state + cell, kept + cell, change + cell, since + cell);
}

void ode_mixed_multirate(uint32_t n, float dt, const float (*restrict constants)[CONSTANTS],
    const uint16_t *restrict of, float *restrict state, float *restrict kept, float *restrict change,
    float *restrict since, const float *restrict v)
{
    for (uint32_t cell = 0; cell < n; cell++)
        evaluate_one(
            dt, constants[of[cell]], v[cell], state + cell, kept + cell, change + cell, since + cell);
}

#else

#    include <string.h>

#    include "solver/cells/model.h"

/* The constants of the current LANES cells, lane by lane. */
typedef struct at_work {
    const real *table; /* [n_variants][CONSTANTS] */
    size_t variant;    /* of all lanes; MIXED if they differ */
    lanes constant[CONSTANTS];
    size_t n_differing;
    uint16_t differing[CONSTANTS]; /* constants that differ between variants */
} at_work;

#    define MIXED SIZE_MAX

/* Finds the constants with different bits. With more variants than cells, all are assumed to differ: the search would take longer. */
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

/* Loads the constants of LANES cells with the variants of[0 .. LANES). */
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

/* Steps the first `width` cells of a block for MT_BLOCK cells. `of` NULL: all cells have the current variant; otherwise of[cell] selects
 * it. */
static void step_block(at_work *w, source from, size_t width, const uint16_t *of, real dt, real *state,
    const real *v_in, real *v_out)
{
    for (size_t lane = 0; lane < width; lane += LANES) {
        if (of) take_constants(w, of + lane);
        from.of = of ? of + lane : NULL;
        lanes_store(
            v_out + lane, step_lanes(from, dt, w->constant, lanes_load(v_in + lane), state + lane, MT_BLOCK));
    }
}

/* A narrow last block is copied to a full block. Vectors without a cell are not computed; other spare lanes hold arbitrary data, and their
 * results are dropped. Rows are copied at the width of a full block through `flat`: a row that overlaps the next ones is copied before
 * them. */
static void widen(size_t rows, size_t width, const real *from, real *to)
{
    real flat[(STATES + 1) * MT_BLOCK];
    memcpy(flat, from, rows * width * sizeof *flat);
    memset(flat + rows * width, 0, MT_BLOCK * sizeof *flat);
    for (size_t k = 0; k < rows; k++) memcpy(to + k * MT_BLOCK, flat + k * width, MT_BLOCK * sizeof *to);
}

static void narrow(size_t rows, size_t width, const real *from, real *to)
{
    real flat[(STATES + 1) * MT_BLOCK];
    for (size_t k = 0; k < rows; k++) memcpy(flat + k * width, from + k * MT_BLOCK, MT_BLOCK * sizeof *flat);
    memcpy(to, flat, rows * width * sizeof *to);
}

static const uint16_t *widen_of(size_t width, const uint16_t *of, uint16_t *to)
{
    for (size_t lane = 0; of && lane < MT_BLOCK; lane++) to[lane] = of[lane < width ? lane : 0];
    return of ? to : NULL;
}

/* A block in the equations: in place, or, if narrow, in the buffer of a full block. */
typedef struct block {
    real *state;
    const real *v_in;
    real *v_out;
    const uint16_t *of;
} block;

typedef struct block_room {
    real state[STATES * MT_BLOCK], v[MT_BLOCK];
    uint16_t of[MT_BLOCK];
} block_room;

static block widen_block(size_t width, block narrow_one, block_room *room)
{
    widen(STATES, width, narrow_one.state, room->state);
    widen(1, width, narrow_one.v_in, room->v);
    return (block){room->state, room->v, room->v, widen_of(width, narrow_one.of, room->of)};
}

static void narrow_block(size_t width, const block_room *room, block to)
{
    narrow(STATES, width, room->state, to.state);
    narrow(1, width, room->v, to.v_out);
}

/* Prefetches the next block's states while this one is computed. */
static void fetch_next_block(const real *state)
{
    enum { CACHE_LINE = 64 };
    const size_t ahead = STATES * MT_BLOCK * sizeof(real);
    for (size_t byte = 0; byte < ahead; byte += CACHE_LINE)
        __builtin_prefetch((const void *)((uintptr_t)state + ahead + byte), 1);
}

static inline void step_all(source from, const real *constants, size_t n_variants, const uint16_t *of,
    real dt, size_t n, real *state, const real *v_in, real *v_out)
{
    at_work w;
    begin_work(&w, constants, n_variants, of != NULL, n);
    for (size_t cell = 0; cell < n; cell += MT_BLOCK) {
        const size_t width = n - cell < MT_BLOCK ? n - cell : MT_BLOCK;
        const block own = {state + cell * STATES, v_in + cell, v_out + cell, of ? of + cell : NULL};
        block_room room;
        if (width == MT_BLOCK) fetch_next_block(own.state);
        const block whole = width == MT_BLOCK ? own : widen_block(width, own, &room);
        step_block(&w, from, width, whole.of, dt, whole.state, whole.v_in, whole.v_out);
        if (width < MT_BLOCK) narrow_block(width, &room, own);
    }
}

/* Flattened, so that the parts of a step are computed in parallel. */
__attribute__((flatten)) void MT_KERNEL(MODEL)(const struct mt_cell_model *model, const real *constants,
    size_t n_variants, const uint16_t *of, double dt_ms, size_t n, real *state, const real *v_in, real *v_out)
{
    (void)model;
    step_all((source){0}, constants, n_variants, of, (real)dt_ms, n, state, v_in, v_out);
}

#    ifdef WITH_TABLES
__attribute__((flatten)) void MT_KERNEL(MODEL_TABULATED)(const struct mt_cell_model *model,
    const mt_tables *tables, const real *constants, size_t n_variants, const uint16_t *of, double dt_ms,
    size_t n, real *state, const real *v_in, real *v_out)
{
    (void)model;
    step_all((source){.reads = true, .tables = tables}, constants, n_variants, of, (real)dt_ms, n, state,
        v_in, v_out);
}
#    endif

/* ---- multirate ---- */

/* The multirate quantities of cells. */
typedef struct paced {
    real *kept, *change, *since;
} paced;

/* Evaluates the cells with a negative margin among LANES cells. */
static inline void evaluate(source from, real dt, lanes margin, const lanes c[CONSTANTS], lanes v,
    lanes since, real *state, const paced *p)
{
    lanes s[STATES], next[STATES];
    for (size_t k = 0; k < STATES; k++) s[k] = lanes_load(state + k * MT_BLOCK);
    const pace many = {.dt = since * dt, .step = dt, .relaxes = true};
    const lanes change = step_from(from, many, c, v, s, next);
    for (size_t k = 0; k < STATES; k++)
        lanes_store(state + k * MT_BLOCK, lanes_select_below(margin, (real)0, next[k], s[k]));
    lanes_store(p->change, lanes_select_below(margin, (real)0, change, lanes_load(p->change)));
    lanes_store(p->kept, lanes_select_below(margin, (real)0, v, lanes_load(p->kept)));
    lanes_store(p->since, lanes_select_below(margin, (real)0, lanes_all(0), since));
}

static void step_block_multirate(at_work *w, source from, size_t width, const uint16_t *of,
    const multirate_rule *rule, real *state, const paced *p, const real *v_in, real *v_out)
{
    for (size_t lane = 0; lane < width; lane += LANES) {
        const paced here = {p->kept + lane, p->change + lane, p->since + lane};
        const lanes v = lanes_load(v_in + lane), since = lanes_load(here.since) + (real)1,
                    margin = multirate_margin(rule, v, lanes_load(here.kept), lanes_load(here.change), since);
        if (lanes_any_below(margin, (real)0)) {
            if (of) take_constants(w, of + lane);
            from.of = of ? of + lane : NULL;
            evaluate(from, rule->dt_ms, margin, w->constant, v, since, state + lane, &here);
        } else {
            lanes_store(here.since, since);
        }
        lanes_store(v_out + lane, v + lanes_load(here.change));
    }
}

typedef struct paced_room {
    real kept[MT_BLOCK], change[MT_BLOCK], since[MT_BLOCK];
} paced_room;

static paced widen_paced(size_t width, const paced *narrow_one, paced_room *room)
{
    widen(1, width, narrow_one->kept, room->kept);
    widen(1, width, narrow_one->change, room->change);
    widen(1, width, narrow_one->since, room->since);
    return (paced){room->kept, room->change, room->since};
}

static void narrow_paced(size_t width, const paced_room *room, const paced *to)
{
    narrow(1, width, room->kept, to->kept);
    narrow(1, width, room->change, to->change);
    narrow(1, width, room->since, to->since);
}

static inline void step_all_multirate(source from, const real *constants, size_t n_variants,
    const uint16_t *of, const mt_multirate_step *step, size_t n, real *state, const paced *all,
    const real *v_in, real *v_out)
{
    const multirate_rule rule = multirate_rule_of(step);
    at_work w;
    begin_work(&w, constants, n_variants, of != NULL, n);
    for (size_t cell = 0; cell < n; cell += MT_BLOCK) {
        const size_t width = n - cell < MT_BLOCK ? n - cell : MT_BLOCK;
        const block own = {state + cell * STATES, v_in + cell, v_out + cell, of ? of + cell : NULL};
        const paced own_pace = {all->kept + cell, all->change + cell, all->since + cell};
        block_room room;
        paced_room pace_room;
        const block whole = width == MT_BLOCK ? own : widen_block(width, own, &room);
        const paced whole_pace = width == MT_BLOCK ? own_pace : widen_paced(width, &own_pace, &pace_room);
        step_block_multirate(
            &w, from, width, whole.of, &rule, whole.state, &whole_pace, whole.v_in, whole.v_out);
        if (width == MT_BLOCK) continue;
        narrow_block(width, &room, own);
        narrow_paced(width, &pace_room, &own_pace);
    }
}

__attribute__((flatten)) void MT_KERNEL(MODEL_MULTIRATE)(const struct mt_cell_model *model,
    const real *constants, size_t n_variants, const uint16_t *of, const mt_multirate_step *step, size_t n,
    real *state, real *kept, real *change, real *since, const real *v_in, real *v_out)
{
    (void)model;
    const paced all = {kept, change, since};
    step_all_multirate((source){0}, constants, n_variants, of, step, n, state, &all, v_in, v_out);
}

#    ifdef WITH_TABLES
__attribute__((flatten)) void MT_KERNEL(MODEL_TABULATED_MULTIRATE)(const struct mt_cell_model *model,
    const mt_tables *tables, const real *constants, size_t n_variants, const uint16_t *of,
    const mt_multirate_step *step, size_t n, real *state, real *kept, real *change, real *since,
    const real *v_in, real *v_out)
{
    (void)model;
    const paced all = {kept, change, since};
    step_all_multirate((source){.reads = true, .tables = tables}, constants, n_variants, of, step, n, state,
        &all, v_in, v_out);
}
#    endif

#    if defined(MODEL_FUNCTIONS) && defined(MT_DOUBLE)
void MT_KERNEL(MODEL_FUNCTIONS)(const struct mt_cell_model *model, const double *constants, double dt_ms,
    bool multirate, size_t n, const double *v_mV, double *of_v)
{
    (void)model;
    lanes c[CONSTANTS], s[STATES], next[STATES], y[FUNCTIONS];
    for (int k = 0; k < CONSTANTS; k++) c[k] = lanes_all(constants[k]);
    for (int k = 0; k < STATES; k++) s[k] = lanes_all(0); /* no function depends on them */
    const pace p = {lanes_all(dt_ms), dt_ms, multirate, FUNCTIONS_STORED, y};
    for (size_t point = 0; point < n; point += LANES) {
        const size_t width = n - point < LANES ? n - point : LANES;
        real v[LANES] = {0}, of_lane[LANES];
        memcpy(v, v_mV + point, width * sizeof *v);
        (void)cell_step(p, c, lanes_load(v), s, next);
        for (size_t k = 0; k < FUNCTIONS; k++) {
            lanes_store(of_lane, y[k]);
            for (size_t lane = 0; lane < width; lane++) of_v[(point + lane) * FUNCTIONS + k] = of_lane[lane];
        }
    }
}
#    endif

#    if defined(MODEL_CURRENTS) && defined(MT_DOUBLE)
void MT_KERNEL(MODEL_CURRENTS)(const struct mt_cell_model *model, const double *parameters, double v_mV,
    const double *states, double *current)
{
    double constants[CONSTANTS];
    lanes c[CONSTANTS], s[STATES], i[CURRENTS];
    if (model->constants)
        model->constants(model, parameters, constants);
    else
        memcpy(constants, parameters, sizeof constants);
    for (int k = 0; k < CONSTANTS; k++) c[k] = lanes_all(constants[k]);
    for (int k = 0; k < STATES; k++) s[k] = lanes_all(states[k]);
    cell_currents((pace){0}, c, lanes_all(v_mV), s, i);
    for (int k = 0; k < CURRENTS; k++) {
        real of_lane[LANES];
        lanes_store(of_lane, i[k]);
        current[k] = of_lane[0];
    }
}
#    endif

#endif
