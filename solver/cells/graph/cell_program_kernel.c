/* The interpreter of cell programs, for one arithmetic and one instruction set (set by the build). */
#include "solver/kernels/functions.h"
#include "solver/kernels/rare_functions.h"
#include "solver/kernels/multirate.h"
#include "solver/kernels/block.h"
#include "solver/kernels/multirate_equations.h"
#include "solver/kernels/tables_equations.h"

#include <stdbool.h>
#include <string.h>

#include "solver/cells/graph/cell_program.h"
#include "solver/cells/graph/instructions.h"

/* Cells are computed in chunks of blocks: an instruction at a time for all blocks of a chunk. A register is an array of one block for each
 * block of the chunk, so the registers of a chunk stay in the nearest cache. */
enum { CHUNK = 1024 / (MT_BLOCK * REAL_BYTES) };

/* The blocks of a register are `stride` numbers apart; 0: all blocks are the same. */
typedef struct place {
    real *at;
    size_t stride;
} place;

/* Loops over the vectors of n blocks; CHUNK of them at compile time. */
#define EACH(body)                                                                                           \
    for (size_t b = 0; b < n; b++)                                                                           \
        for (size_t k = 0; k < MT_BLOCK; k += LANES) {                                                       \
            body                                                                                             \
        }
#define A lanes_load(a.at + b * a.stride + k)
#define B lanes_load(x.at + b * x.stride + k)
#define C lanes_load(y.at + b * y.stride + k)
#define D lanes_load(z.at + b * z.stride + k)
#define TO(value) lanes_store(to.at + b * to.stride + k, value);
#define CASE(code, value)                                                                                    \
    case code:                                                                                               \
        EACH(TO(value))                                                                                      \
        break;

#define PAIRS(first, r)                                                                                      \
    CASE(MT_CODE_PAIR(first, MT_PAIR_ADD), (r) + C)                                                          \
    CASE(MT_CODE_PAIR(first, MT_PAIR_SUBTRACT), (r)-C)                                                       \
    CASE(MT_CODE_PAIR(first, MT_PAIR_SUBTRACT_FROM), C - (r))                                                \
    CASE(MT_CODE_PAIR(first, MT_PAIR_MULTIPLY), (r)*C)                                                       \
    CASE(MT_CODE_PAIR(first, MT_PAIR_DIVIDE), (r) / C)                                                       \
    CASE(MT_CODE_PAIR(first, MT_PAIR_DIVIDE_BY), C / (r))

#define NOTHING(code, value)

/* Executes the arithmetic of one instruction on n blocks. */
static inline __attribute__((always_inline)) bool execute_common(
    const mt_instruction *i, const place *reg, size_t n)
{
    const lanes zero = lanes_all(0);
    const place a = reg[i->operand[0]], x = reg[i->operand[1]], y = reg[i->operand[2]],
                z = reg[i->operand[3]], to = reg[i->to];
    switch (i->code) {
        MT_INSTRUCTIONS(CASE, NOTHING)
        CASE(MT_CODE_EXP_NEGATE, lanes_exp(-A))
        CASE(MT_CODE_EXP_MULTIPLY, lanes_exp(A * B))
        CASE(MT_CODE_EXP_DIVIDE, lanes_exp(A / B))
        CASE(MT_CODE_LOGISTIC, C / (B + lanes_exp(A)))
        CASE(MT_CODE_LOGISTIC_MULTIPLY, D / (C + lanes_exp(A * B)))
        CASE(MT_CODE_EXP_SCALED, lanes_exp(A * B) * C)
        PAIRS(MT_CODE_ADD, A + B)
        PAIRS(MT_CODE_SUBTRACT, A - B)
        PAIRS(MT_CODE_MULTIPLY, A * B)
        PAIRS(MT_CODE_DIVIDE, A / B)
    default:
        return false;
    }
    return true;
}

/* Same for the instructions that are rare. */
static void execute_rare(const mt_instruction *i, const place *reg, size_t n)
{
    const lanes one = lanes_all(1), zero = lanes_all(0);
    const place a = reg[i->operand[0]], x = reg[i->operand[1]], to = reg[i->to];
    switch (i->code) {
        MT_INSTRUCTIONS(NOTHING, CASE)
    default:
        break;
    }
}

static void execute(const mt_program *program, const place *reg, size_t n)
{
    const mt_instruction *i = program->instruction, *end = i + program->n_instructions;
#ifndef MT_SANITIZE /* one version suffices there; compiling it takes a quarter of a minute for each instruction set */
    if (n == CHUNK) {
        for (; i < end; i++)
            if (!execute_common(i, reg, CHUNK)) execute_rare(i, reg, CHUNK);
        return;
    }
#endif
    for (; i < end; i++)
        if (!execute_common(i, reg, n)) execute_rare(i, reg, n);
}

/* ---- registers ---- */

/* Everything that a run over many cells needs. `mixed`: rows of blocks for constants that differ between the cells of a chunk. */
typedef struct at_work {
    const mt_cell_program *program;
    const mt_program *code;              /* of the step */
    const mt_tables *tables;             /* NULL: without */
    const mt_tabulated_program *reading; /* with tables: the programs of the way of stepping */
    place *reg;                          /* [n_registers] of the step */
    real *uniform, *mixed,
        *narrow_state; /* [constants, dt, step]; [constants][CHUNK]; [states]: arrays of blocks */
    const real *table; /* [n_variants][n_constants] */
    size_t variant;    /* of the uniform constants */
    size_t n_differing;
    uint16_t *differing; /* [n_constants] constants that differ between variants */
} at_work;

/* Indices of the inputs of a step. */
static size_t dt_input(const mt_cell_program *p) { return p->n_numbers + p->n_constants; }
static size_t v_input(const mt_cell_program *p) { return dt_input(p) + 2; }
static size_t first_state(const mt_cell_program *p) { return dt_input(p) + 3; }
static size_t first_function(const mt_cell_program *p) { return first_state(p) + p->n_states; }

/* An array that is read as an input of the program, which writes no input. */
static real *input(const real *array) { return (real *)(uintptr_t)array; }

static const real *number_blocks(const mt_cell_program *p)
{
#ifdef MT_DOUBLE
    return p->number_blocks;
#else
    return p->number_blocks_single;
#endif
}

/* Blocks in the memory of a run. */
static size_t room_of(const mt_cell_program *p, const mt_program *code, bool mixed)
{
    const size_t uniform = p->n_constants + 2, inner = code->n_registers - first_function(p);
    return uniform + inner * CHUNK + p->n_states + (mixed ? p->n_constants * CHUNK : 0);
}

static void fill_block(real *block, real value)
{
    for (size_t k = 0; k < MT_BLOCK; k++) block[k] = value;
}

/* Finds the constants with different bits. With more variants than cells, all are assumed to differ: the search would take longer. */
static void find_differing(at_work *w, size_t n_variants, size_t n_cells)
{
    const size_t n = w->program->n_constants;
    for (size_t k = 0; k < n; k++) {
        bool differs = n_variants > n_cells;
        for (size_t v = 1; !differs && v < n_variants; v++)
            differs = memcmp(w->table + v * n + k, w->table + k, sizeof *w->table) != 0;
        if (differs) w->differing[w->n_differing++] = (uint16_t)k;
    }
}

/* Prepares a run with this memory, room_of blocks. */
static void begin_work(at_work *w, const mt_cell_program *p, real *room, const real *table, size_t n_variants,
    bool mixed, size_t n_cells, real step_ms)
{
    w->program = p;
    w->table = table;
    w->uniform = room;
    real *at = room + (p->n_constants + 2) * MT_BLOCK;
    for (size_t k = 0; k < p->n_numbers; k++) w->reg[k] = (place){input(number_blocks(p)) + k * MT_BLOCK, 0};
    for (size_t k = 0; k < p->n_constants + 2; k++) {
        fill_block(w->uniform + k * MT_BLOCK, k < p->n_constants ? table[k] : step_ms);
        w->reg[p->n_numbers + k] = (place){w->uniform + k * MT_BLOCK, 0};
    }
    for (size_t k = first_function(p); k < w->code->n_registers; k++, at += CHUNK * MT_BLOCK)
        w->reg[k] = (place){at, MT_BLOCK};
    w->narrow_state = at;
    w->mixed = at + p->n_states * MT_BLOCK;
    if (mixed) find_differing(w, n_variants, n_cells);
}

/* Sets the constants of a chunk of cells with the variants of[0 .. n_cells). */
static void take_constants(at_work *w, const uint16_t *of, size_t n_cells)
{
    const mt_cell_program *p = w->program;
    bool alike = true;
    for (size_t c = 1; c < n_cells; c++) alike &= of[c] == of[0];
    if (alike && w->variant == of[0]) return;
    w->variant = alike ? of[0] : SIZE_MAX;
    for (size_t d = 0; d < w->n_differing; d++) {
        const size_t k = w->differing[d];
        real *uniform = w->uniform + k * MT_BLOCK;
        real *row = w->mixed + d * CHUNK * MT_BLOCK;
        w->reg[p->n_numbers + k] = alike ? (place){uniform, 0} : (place){row, MT_BLOCK};
        if (alike) fill_block(uniform, w->table[of[0] * p->n_constants + k]);
        const size_t whole = (n_cells + MT_BLOCK - 1) / MT_BLOCK * MT_BLOCK;
        for (size_t c = 0; !alike && c < whole; c++)
            row[c] = w->table[of[c < n_cells ? c : 0] * p->n_constants + k];
    }
}

#ifndef MT_DOUBLE
/* Computes the functions of V of block b where their margin is negative. */
__attribute__((noinline)) static void compute_functions(const at_work *w, size_t b, const real *margin)
{
    const mt_program *code = &w->reading->functions;
    const size_t first = first_function(w->program);
    place reg[code->n_registers];
    _Alignas(64) real room[(code->n_registers - first + 1) * MT_BLOCK];
    for (size_t r = 0; r < code->n_registers; r++)
        reg[r] = r < first ? (place){w->reg[r].at + b * w->reg[r].stride, 0}
                           : (place){room + (r - first) * MT_BLOCK, 0};
    execute(code, reg, 1);
    for (size_t f = 0; f < w->reading->n; f++) {
        real *to = w->reg[first + f].at + b * MT_BLOCK;
        const real *computed = reg[code->output[f]].at;
        for (size_t k = 0; k < MT_BLOCK; k += LANES)
            lanes_store(to + k, lanes_select_below(lanes_load(margin + k), (real)0, lanes_load(computed + k),
                                    lanes_load(to + k)));
    }
}

/* Reads the functions of V of block b from tables; outside their range computes them. of[MT_BLOCK]: the variants of its cells, or NULL. */
static void read_functions(const at_work *w, size_t b, const uint16_t *of)
{
    const size_t stride = MT_TABLE_STRIDE(w->program->n_functions), first = first_function(w->program);
    const real *v = w->reg[v_input(w->program)].at + b * MT_BLOCK;
    _Alignas(64) real margin[MT_BLOCK];
    bool any = false;
    for (size_t k = 0; k < MT_BLOCK; k += LANES) {
        const located at = locate(lanes_load(v + k));
        const table_rows rows = find_rows(w->tables, stride, of ? of + k : NULL, &at);
        any |= lanes_any_below(at.margin, (real)0);
        lanes_store(margin + k, at.margin);
        for (size_t f = 0; f < w->reading->n; f += LANES) {
            lanes y[LANES];
            read_rows(&rows, stride, f, y);
            for (size_t j = 0; j < LANES && f + j < w->reading->n; j++)
                lanes_store(w->reg[first + f + j].at + b * MT_BLOCK + k, y[j]);
        }
    }
    if (any) compute_functions(w, b, margin);
}
#endif

/* Evaluates n blocks with these states; of: the variants of their cells, or NULL; dt: an array, or NULL for the time step. The results are
 * in the output registers. */
static void evaluate(
    at_work *w, size_t n, const uint16_t *of, const real *state, const real *v, const real *dt)
{
    const mt_cell_program *p = w->program;
    if (dt) w->reg[dt_input(p)] = (place){input(dt), MT_BLOCK};
    w->reg[v_input(p)] = (place){input(v), MT_BLOCK};
    for (size_t k = 0; k < p->n_states; k++)
        w->reg[first_state(p) + k] = (place){input(state) + k * MT_BLOCK, p->n_states * MT_BLOCK};
#ifndef MT_DOUBLE
    for (size_t b = 0; w->tables && b < n; b++) read_functions(w, b, of ? of + b * MT_BLOCK : NULL);
#else
    (void)of;
#endif
    execute(w->code, w->reg, n);
}

static place output(const at_work *w, size_t k) { return w->reg[w->code->output[k]]; }

static void copy_block(real *to, const real *from)
{
    for (size_t k = 0; k < MT_BLOCK; k += LANES) lanes_store(to + k, lanes_load(from + k));
}

/* Steps n blocks. */
static void step_blocks(at_work *w, size_t n, const uint16_t *of, real *state, const real *v_in, real *v_out)
{
    const size_t n_states = w->program->n_states;
    evaluate(w, n, of, state, v_in, NULL);
    const place change = output(w, n_states);
    for (size_t b = 0; b < n; b++)
        for (size_t k = 0; k < MT_BLOCK; k += LANES)
            lanes_store(v_out + b * MT_BLOCK + k,
                lanes_load(v_in + b * MT_BLOCK + k) + lanes_load(change.at + b * change.stride + k));
    for (size_t s = 0; s < n_states; s++) {
        const place next = output(w, s);
        for (size_t b = 0; b < n; b++)
            copy_block(state + (b * n_states + s) * MT_BLOCK, next.at + b * next.stride);
    }
}

/* Copies rows of a block of `width` cells to rows of a full block, or back. The other cells of a full block are copies of the first. */
static void widen(size_t rows, size_t width, const real *from, real *to)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < MT_BLOCK; k++) to[r * MT_BLOCK + k] = from[r * width + (k < width ? k : 0)];
}

static void narrow(size_t rows, size_t width, const real *from, real *to)
{
    for (size_t r = 0; r < rows; r++) memcpy(to + r * width, from + r * MT_BLOCK, width * sizeof *to);
}

static const uint16_t *widen_of(size_t width, const uint16_t *of, uint16_t *to)
{
    for (size_t k = 0; of && k < MT_BLOCK; k++) to[k] = of[k < width ? k : 0];
    return of ? to : NULL;
}

static void step_narrow(
    at_work *w, size_t width, const uint16_t *of, real *state, const real *v_in, real *v_out)
{
    real v[MT_BLOCK];
    uint16_t wide_of[MT_BLOCK];
    const size_t n_states = w->program->n_states;
    widen(n_states, width, state, w->narrow_state);
    widen(1, width, v_in, v);
    of = widen_of(width, of, wide_of);
    if (of) take_constants(w, of, MT_BLOCK);
    step_blocks(w, 1, of, w->narrow_state, v, v);
    narrow(n_states, width, w->narrow_state, state);
    narrow(1, width, v, v_out);
}

/* Sets w to a step of n cells by `instructions`, with room for it on the stack. */
#define BEGIN(w, model, instructions, constants, n_variants, mixed, n, step_ms)                              \
    const mt_cell_program *p = (model)->program;                                                             \
    place reg[(instructions)->n_registers];                                                                  \
    uint16_t differing[p->n_constants + 1];                                                                  \
    real memory[(room_of(p, instructions, mixed) + 4) * MT_BLOCK];                                           \
    real *const room = memory + (64 - (uintptr_t)memory % 64) / sizeof *memory;                              \
    (w)->code = (instructions);                                                                              \
    (w)->reg = reg;                                                                                          \
    (w)->differing = differing;                                                                              \
    begin_work(w, p, room, constants, n_variants, mixed, n, step_ms)

static void step_all(at_work *w, const mt_cell_model *model, const mt_program *code, const real *constants,
    size_t n_variants, const uint16_t *of, real dt_ms, size_t n, real *state, const real *v_in, real *v_out)
{
    BEGIN(w, model, code, constants, n_variants, of != NULL, n, dt_ms);
    const size_t whole = n - n % MT_BLOCK;
    for (size_t cell = 0; cell < whole; cell += CHUNK * MT_BLOCK) {
        const size_t left = (whole - cell) / MT_BLOCK, blocks = left < CHUNK ? left : CHUNK;
        if (of) take_constants(w, of + cell, blocks * MT_BLOCK);
        step_blocks(w, blocks, of ? of + cell : NULL, state + cell * p->n_states, v_in + cell, v_out + cell);
    }
    if (whole < n)
        step_narrow(
            w, n - whole, of ? of + whole : NULL, state + whole * p->n_states, v_in + whole, v_out + whole);
}

void MT_KERNEL(cell_program)(const mt_cell_model *model, const real *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, real *state, const real *v_in, real *v_out)
{
    const mt_cell_program *program = model->program;
    at_work w = {0};
    step_all(
        &w, model, &program->step_in_pairs, constants, n_variants, of, (real)dt_ms, n, state, v_in, v_out);
}

#ifndef MT_DOUBLE
void MT_KERNEL(cell_program_tabulated)(const mt_cell_model *model, const mt_tables *tables,
    const real *constants, size_t n_variants, const uint16_t *of, double dt_ms, size_t n, real *state,
    const real *v_in, real *v_out)
{
    const mt_tabulated_program *reading = &((const mt_cell_program *)model->program)->tabulated[false];
    at_work w = {.tables = tables, .reading = reading};
    step_all(
        &w, model, &reading->step_in_pairs, constants, n_variants, of, (real)dt_ms, n, state, v_in, v_out);
}
#endif

/* ---- multirate ---- */

/* The multirate quantities of cells. */
typedef struct paced {
    real *kept, *change, *since;
} paced;

/* Steps a block, of which the cells with a negative margin are evaluated. */
static void step_block_multirate(at_work *w, const uint16_t *of, const multirate_rule *rule, real *state,
    const paced *p, const real *v_in, real *v_out)
{
    real margin[MT_BLOCK], dt[MT_BLOCK];
    const size_t n_states = w->program->n_states;
    bool any = false;
    for (size_t k = 0; k < MT_BLOCK; k += LANES) {
        const lanes v = lanes_load(v_in + k), since = lanes_load(p->since + k) + (real)1,
                    here =
                        multirate_margin(rule, v, lanes_load(p->kept + k), lanes_load(p->change + k), since);
        any |= lanes_any_below(here, (real)0);
        lanes_store(margin + k, here);
        lanes_store(dt + k, since * rule->dt_ms);
        lanes_store(p->since + k, lanes_select_below(here, (real)0, lanes_all(0), since));
    }
    if (any) {
        if (of) take_constants(w, of, MT_BLOCK);
        evaluate(w, 1, of, state, v_in, dt);
    }
    for (size_t s = 0; any && s < n_states; s++) {
        real *to = state + s * MT_BLOCK;
        for (size_t k = 0; k < MT_BLOCK; k += LANES)
            lanes_store(to + k, lanes_select_below(lanes_load(margin + k), (real)0,
                                    lanes_load(output(w, s).at + k), lanes_load(to + k)));
    }
    for (size_t k = 0; k < MT_BLOCK; k += LANES) {
        const lanes here = lanes_load(margin + k), v = lanes_load(v_in + k), old = lanes_load(p->change + k),
                    change =
                        any ? lanes_select_below(here, (real)0, lanes_load(output(w, n_states).at + k), old)
                            : old;
        lanes_store(p->change + k, change);
        lanes_store(p->kept + k, lanes_select_below(here, (real)0, v, lanes_load(p->kept + k)));
        lanes_store(v_out + k, v + change);
    }
}

static void step_narrow_multirate(at_work *w, size_t width, const uint16_t *of, const multirate_rule *rule,
    real *state, const paced *p, const real *v_in, real *v_out)
{
    real v[MT_BLOCK], kept[MT_BLOCK], change[MT_BLOCK], since[MT_BLOCK];
    uint16_t wide_of[MT_BLOCK];
    const size_t n_states = w->program->n_states;
    const paced wide = {kept, change, since};
    widen(n_states, width, state, w->narrow_state);
    widen(1, width, v_in, v);
    widen(1, width, p->kept, kept);
    widen(1, width, p->change, change);
    widen(1, width, p->since, since);
    step_block_multirate(w, widen_of(width, of, wide_of), rule, w->narrow_state, &wide, v, v);
    narrow(n_states, width, w->narrow_state, state);
    narrow(1, width, kept, p->kept);
    narrow(1, width, change, p->change);
    narrow(1, width, since, p->since);
    narrow(1, width, v, v_out);
}

static void step_all_multirate(at_work *w, const mt_cell_model *model, const mt_program *code,
    const real *constants, size_t n_variants, const uint16_t *of, const mt_multirate_step *step, size_t n,
    real *state, const paced *all, const real *v_in, real *v_out)
{
    const multirate_rule rule = multirate_rule_of(step);
    BEGIN(w, model, code, constants, n_variants, of != NULL, n, rule.dt_ms);
    for (size_t cell = 0; cell < n; cell += MT_BLOCK) {
        const paced own = {all->kept + cell, all->change + cell, all->since + cell};
        const uint16_t *own_of = of ? of + cell : NULL;
        real *own_state = state + cell * p->n_states;
        if (n - cell < MT_BLOCK)
            step_narrow_multirate(w, n - cell, own_of, &rule, own_state, &own, v_in + cell, v_out + cell);
        else
            step_block_multirate(w, own_of, &rule, own_state, &own, v_in + cell, v_out + cell);
    }
}

void MT_KERNEL(cell_program_multirate)(const mt_cell_model *model, const real *constants, size_t n_variants,
    const uint16_t *of, const mt_multirate_step *step, size_t n, real *state, real *kept, real *change,
    real *since, const real *v_in, real *v_out)
{
    const mt_cell_program *program = model->program;
    const paced all = {kept, change, since};
    at_work w = {0};
    step_all_multirate(
        &w, model, &program->step_in_pairs, constants, n_variants, of, step, n, state, &all, v_in, v_out);
}

#ifndef MT_DOUBLE
void MT_KERNEL(cell_program_tabulated_multirate)(const mt_cell_model *model, const mt_tables *tables,
    const real *constants, size_t n_variants, const uint16_t *of, const mt_multirate_step *step, size_t n,
    real *state, real *kept, real *change, real *since, const real *v_in, real *v_out)
{
    const mt_tabulated_program *reading = &((const mt_cell_program *)model->program)->tabulated[true];
    const paced all = {kept, change, since};
    at_work w = {.tables = tables, .reading = reading};
    step_all_multirate(
        &w, model, &reading->step_in_pairs, constants, n_variants, of, step, n, state, &all, v_in, v_out);
}
#endif

#if defined(MT_DOUBLE)
/* Inputs of a program, one after the other. */
typedef struct values {
    size_t n;
    const double *value; /* [n] */
} values;

/* Executes a program once. */
static void execute_once(const mt_program *code, size_t n_in, const values *in, double *out)
{
    place reg[code->n_registers + 1];
    real room[code->n_registers * MT_BLOCK + 1];
    size_t k = 0;
    for (size_t r = 0; r < code->n_registers; r++) reg[r] = (place){room + r * MT_BLOCK, MT_BLOCK};
    for (size_t p = 0; p < n_in; p++)
        for (size_t i = 0; i < in[p].n; i++) fill_block(reg[k++].at, in[p].value[i]);
    execute(code, reg, 1);
    for (size_t o = 0; o < code->n_outputs; o++) out[o] = reg[code->output[o]].at[0];
}

/* Computes the constants of one variant. */
void MT_KERNEL(cell_program_constants)(
    const mt_cell_model *model, const double *parameters, double *constants)
{
    const mt_cell_program *p = model->program;
    const values in[] = {{p->n_constants_numbers, p->constants_number}, {p->n_parameters, parameters}};
    execute_once(&p->constants, 2, in, constants);
}

/* Computes the currents of one cell. */
void MT_KERNEL(cell_program_currents)(
    const mt_cell_model *model, const double *parameters, double v_mV, const double *states, double *current)
{
    const mt_cell_program *p = model->program;
    const values in[] = {{p->currents.n_numbers, p->currents.number}, {p->n_parameters, parameters},
        {1, &v_mV}, {p->n_states, states}};
    execute_once(&p->currents.program, 4, in, current);
}

/* Computes the functions of V that tables contain; 0 for those of the other way of stepping. */
void MT_KERNEL(cell_program_functions)(const mt_cell_model *model, const double *constants, double dt_ms,
    bool multirate, size_t n, const double *v_mV, double *of_v)
{
    const mt_cell_program *p = model->program;
    const mt_program *code = &p->tabulated[multirate].functions;
    place reg[code->n_registers];
    real room[code->n_registers * MT_BLOCK];
    for (size_t r = 0; r < code->n_registers; r++) {
        reg[r] = (place){room + r * MT_BLOCK, MT_BLOCK};
        fill_block(reg[r].at, r < p->n_numbers  ? p->number[r]
                              : r < dt_input(p) ? constants[r - p->n_numbers]
                              : r < v_input(p)  ? dt_ms
                                                : 0);
    }
    memset(of_v, 0, n * p->n_functions * sizeof *of_v);
    for (size_t point = 0; point < n; point += MT_BLOCK) {
        const size_t width = n - point < MT_BLOCK ? n - point : MT_BLOCK;
        memcpy(reg[v_input(p)].at, v_mV + point, width * sizeof *v_mV);
        execute(code, reg, 1);
        for (size_t k = 0; k < width; k++)
            for (size_t f = 0; f < code->n_outputs; f++)
                of_v[(point + k) * p->n_functions + f] = reg[code->output[f]].at[k];
    }
}
#endif
