#include "solver/plan/codelets.h"

#include <math.h>
#include <string.h>

#include "solver/kernels/block.h"
#include "solver/kernels/ellpack.h"

#define MT_LANES_ONE
#include "solver/kernels/lanes.h"
#include "solver/kernels/activation_equations.h"
#include "solver/kernels/record_equations.h"

#define TALLY(codelet, ...) TALLY_##codelet,
enum {
#include "solver/plan/codelets_tally.inc"
    N_MIXES
};
#undef TALLY

#define TALLY(codelet, instructions, ...) [TALLY_##codelet] = {.name = #codelet, __VA_ARGS__},
static const ipu_mix mixes[N_MIXES] = {
#include "solver/plan/codelets_tally.inc"
};
#undef TALLY

#define TALLY(codelet, instructions, ...) CODE_BYTES_##codelet = 4 * (instructions),
enum {
#include "solver/plan/codelets_tally.inc"
};
#undef TALLY

const ipu_mix *mt_codelet_mix(const char *name)
{
    for (int t = 0; t < N_MIXES; t++)
        if (strcmp(mixes[t].name, name) == 0) return &mixes[t];
    return NULL;
}

/* The mixes that a worker executes for each cell, in sequence; unused ones are NULL. */
enum { MIXES_MOST = 3 };
typedef struct work {
    const ipu_mix *mix[MIXES_MOST];
    size_t in_a_turn; /* cells */
} work;

/* Worker cycles of the prologue, and per cell. */
static double start_of(const work *w)
{
    double start = 0;
    for (int k = 0; k < MIXES_MOST; k++) start += w->mix[k] ? (double)w->mix[k]->start : 0;
    return start;
}

static double cell_of(const work *w, const ipu_target *target)
{
    double cycles = 0;
    for (int k = 0; k < MIXES_MOST; k++)
        cycles += w->mix[k] ? ipu_mix_cycles(w->mix[k], &target->instructions) : 0;
    return cycles;
}

/* Returns the cost of n cells, distributed evenly over the workers of a tile. */
static ipu_cycles cost_of_work(const ipu_target *target, const work *w, size_t n)
{
    const size_t workers = target->worker_contexts, fewer = n / workers, with_more = n % workers,
                 turns = ipu_mix_turns(fewer, w->in_a_turn), most = ipu_mix_turns(fewer + 1, w->in_a_turn),
                 all = with_more * most + (workers - with_more) * turns;
    const double start = start_of(w), turn = cell_of(w, target);
    const uint64_t worker = (uint64_t)ceil(start + (double)(with_more > 0 ? most : turns) * turn);
    /* rounding must not increase the busy time above this */
    const uint64_t there = workers * worker;
    const uint64_t busy = (uint64_t)ceil((double)workers * start + (double)all * turn);
    return (ipu_cycles){
        .entry = target->vertex_entry_cycles, .worker = worker, .idle = busy < there ? there - busy : 0};
}

ipu_cycles mt_codelet_cost(const ipu_target *target, const ipu_mix *mix, size_t n, size_t in_a_turn)
{
    return cost_of_work(target, &(const work){{mix}, in_a_turn}, n);
}

/* Defines the cost of a codelet with one cell per element of a field, one after another or in vectors. */
#define COST_IN(codelet, field, in_a_turn)                                                                   \
    static ipu_cycles codelet##_cost(const ipu_target *target, const size_t *n, const void *context)         \
    {                                                                                                        \
        (void)context;                                                                                       \
        return mt_codelet_cost(target, &mixes[TALLY_##codelet], n[field], in_a_turn);                        \
    }
#define COST(codelet, field) COST_IN(codelet, field, 1)
#define COST_OF_VECTORS(codelet, field) COST_IN(codelet, field, target->instructions.f32_lanes)

/* A pointer, or a pointer and a length, for each field, and a word of context: 4 bytes each. */
#define VERTEX_BYTES(n_fields) (4 * (2 * (n_fields) + 1))
size_t mt_codelet_vertex_bytes(size_t n_fields) { return VERTEX_BYTES(n_fields); }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { PDE_D, PDE_A, PDE_COLUMN, PDE_V, PDE_OUT };
static const ipu_field pde_fields[] = {
    [PDE_D] = {"d", IPU_INPUT, IPU_FLOAT},
    [PDE_A] = {"a", IPU_INPUT, IPU_FLOAT},
    [PDE_COLUMN] = {"column", IPU_INPUT, IPU_UNSIGNED_SHORT},
    [PDE_V] = {"v", IPU_INPUT, IPU_FLOAT},
    [PDE_OUT] = {"out", IPU_OUTPUT, IPU_FLOAT},
};

static void pde_compute(const ipu_span *f, const void *context)
{
    (void)context;
    mt_ellpack_rows_float16(f[PDE_OUT].n, f[PDE_D].data, f[PDE_A].data, f[PDE_COLUMN].data, f[PDE_V].n,
        f[PDE_V].data, f[PDE_OUT].data);
}

COST(pde, PDE_OUT)

enum { WORDS_A, WORDS_COLUMN, WORDS_V, WORDS_V_LOW, WORDS_SUBSTEP, WORDS_OUT };
static const ipu_field pde_double_word_fields[] = {
    [WORDS_A] = {"a", IPU_INPUT, IPU_FLOAT},
    [WORDS_COLUMN] = {"column", IPU_INPUT, IPU_UNSIGNED_SHORT},
    [WORDS_V] = {"v", IPU_INPUT, IPU_FLOAT},
    [WORDS_V_LOW] = {"v_low", IPU_INOUT, IPU_FLOAT},
    [WORDS_SUBSTEP] = {"substep", IPU_INOUT, IPU_FLOAT},
    [WORDS_OUT] = {"out", IPU_OUTPUT, IPU_FLOAT},
};

static void pde_double_word_compute(const ipu_span *f, const void *context)
{
    const float steps = (float)*(const size_t *)context; /* exact up to 2^24 */
    float *substep = f[WORDS_SUBSTEP].data;
    const bool last = *substep + 1 == steps;
    mt_ellpack_rows_double_word16(f[WORDS_OUT].n, f[WORDS_A].data, f[WORDS_COLUMN].data, f[WORDS_V].n,
        f[WORDS_V].data, last ? 0 : 1, f[WORDS_V_LOW].data, f[WORDS_OUT].data);
    *substep = last ? 0 : *substep + 1;
}

COST(pde_double_word, WORDS_OUT)

/* Fields of all ODE codelets, then the fields of spreading or of increments, multirate stepping and several variants, if present. */
#define ODE_FIELDS                                                                                           \
    {"state", IPU_INOUT, IPU_FLOAT}, {"v_in", IPU_INPUT, IPU_FLOAT}, { "v_out", IPU_OUTPUT, IPU_FLOAT }
#define ODE_SPREAD_FIELDS                                                                                    \
    {"share", IPU_INPUT, IPU_FLOAT}, { "s", IPU_OUTPUT, IPU_FLOAT }
#define ODE_INCREMENT_FIELDS                                                                                 \
    {                                                                                                        \
        "d", IPU_OUTPUT, IPU_FLOAT                                                                           \
    }
#define ODE_PACED_FIELDS                                                                                     \
    {"kept", IPU_INOUT, IPU_FLOAT}, {"change", IPU_INOUT, IPU_FLOAT}, {"since", IPU_INOUT, IPU_FLOAT},       \
    {                                                                                                        \
        "step", IPU_INPUT, IPU_FLOAT                                                                         \
    }
#define ODE_MIXED_FIELDS                                                                                     \
    {"of", IPU_INPUT, IPU_UNSIGNED_SHORT}, { "constants", IPU_INPUT, IPU_FLOAT }
enum { ODE_STATE, ODE_V_IN, ODE_V_OUT, ODE_ALWAYS };
enum { ODE_SHARE = ODE_ALWAYS, ODE_S, OF_SPREAD = 2 };
enum { ODE_D = ODE_ALWAYS, OF_INCREMENT = 1 };
enum { OF_PACED = MT_PACED + 1, OF_MIXED = 2 };
static const ipu_field ode_fields[] = {ODE_FIELDS, ODE_MIXED_FIELDS},
                       ode_spread_fields[] = {ODE_FIELDS, ODE_SPREAD_FIELDS, ODE_MIXED_FIELDS},
                       ode_multirate_fields[] = {ODE_FIELDS, ODE_PACED_FIELDS, ODE_MIXED_FIELDS},
                       ode_multirate_spread_fields[] = {ODE_FIELDS, ODE_SPREAD_FIELDS, ODE_PACED_FIELDS,
                           ODE_MIXED_FIELDS},
                       ode_increment_fields[] = {ODE_FIELDS, ODE_INCREMENT_FIELDS, ODE_MIXED_FIELDS},
                       ode_multirate_increment_fields[] = {
                           ODE_FIELDS, ODE_INCREMENT_FIELDS, ODE_PACED_FIELDS, ODE_MIXED_FIELDS};

/* Return the index of the first field of multirate stepping, and of several variants. */
static size_t ode_paced(const mt_ode_context *c)
{
    return ODE_ALWAYS + (c->spread ? OF_SPREAD : c->increments ? OF_INCREMENT : 0);
}
static size_t ode_mixed(const mt_ode_context *c) { return ode_paced(c) + (c->multirate ? OF_PACED : 0); }

static size_t ode_n_fields(const mt_ode_context *c) { return ode_mixed(c) + (c->mixed ? OF_MIXED : 0); }

static mt_multirate_step multirate_step(const mt_ode_context *c, const ipu_span *f)
{
    const float *step = f[ode_paced(c) + MT_PACED].data;
    return (mt_multirate_step){c->dt_ms, c->tolerance_mV, (size_t)*step};
}

/* Steps n cells, starting at `from`. */
static void react(const mt_ode_context *c, const ipu_span *f, size_t from, size_t n, const float *v_in)
{
    float *state = (float *)f[ODE_STATE].data + from * c->model->n_states,
          *v_out = (float *)f[ODE_V_OUT].data + from;
    const ipu_span *mixed = f + ode_mixed(c);
    const uint16_t *of = c->mixed ? (const uint16_t *)mixed[0].data + from : NULL;
    const float *constants = c->mixed ? mixed[1].data : c->constants;
    const size_t n_variants = c->mixed ? mixed[1].n / c->model->n_constants : 1;
    if (!c->multirate) {
        mt_cell_react_float(c->model, constants, n_variants, of, c->dt_ms, n, state, v_in, v_out);
        return;
    }
    const mt_multirate_step step = multirate_step(c, f);
    float *paced[MT_PACED];
    for (size_t k = 0; k < MT_PACED; k++) paced[k] = (float *)f[ode_paced(c) + k].data + from;
    mt_cell_multirate_react_float(c->model, constants, n_variants, of, &step, n, state, paced[MT_PACED_KEPT],
        paced[MT_PACED_CHANGE], paced[MT_PACED_SINCE], v_in, v_out);
}

static void ode_compute(const ipu_span *f, const void *context)
{
    react(context, f, 0, f[ODE_V_OUT].n, f[ODE_V_IN].data);
}

enum { PIECE = 16 * MT_BLOCK }; /* cells between the reaction and its spreading */

static void ode_increments_compute(const ipu_span *f, const void *context)
{
    const float *v_out = f[ODE_V_OUT].data;
    float *d = f[ODE_D].data, before[PIECE];
    for (size_t from = 0; from < f[ODE_V_OUT].n; from += PIECE) {
        const size_t left = f[ODE_V_OUT].n - from, n = left < PIECE ? left : PIECE;
        memcpy(before, (const float *)f[ODE_V_IN].data + from, n * sizeof *before);
        react(context, f, from, n, before);
        for (size_t k = 0; k < n; k++) d[from + k] = v_out[from + k] - before[k];
    }
}

/* v_in may be v_out, so the old values of one piece at a time are saved. */
static void ode_spread_compute(const ipu_span *f, const void *context)
{
    const float *share = f[ODE_SHARE].data;
    float *v_out = f[ODE_V_OUT].data, *s = f[ODE_S].data, before[PIECE];
    for (size_t from = 0; from < f[ODE_V_OUT].n; from += PIECE) {
        const size_t left = f[ODE_V_OUT].n - from, n = left < PIECE ? left : PIECE;
        memcpy(before, (const float *)f[ODE_V_IN].data + from, n * sizeof *before);
        react(context, f, from, n, before);
        for (size_t k = 0; k < n; k++) {
            s[from + k] = share[from + k] * (v_out[from + k] - before[k]);
            v_out[from + k] += s[from + k];
        }
    }
}

static const ipu_mix *ode_mix(const mt_ode_context *c)
{
    if (c->multirate) return c->mixed ? &c->model->mix.ode_mixed_multirate : &c->model->mix.ode_multirate;
    return c->mixed ? &c->model->mix.ode_mixed : &c->model->mix.ode;
}

/* Returns the mix after the reaction of a cell; NULL if there is none. */
static const ipu_mix *after_mix(const mt_ode_context *c)
{
    return c->spread ? &mixes[TALLY_spread] : c->increments ? &mixes[TALLY_nodal_increment] : NULL;
}

/* Return the work for each cell, and for a cell that is not evaluated. Multirate stepping evaluates some cells, and a variant's
 * constants are loaded from computed addresses. */
static work ode_work(const ipu_target *target, const mt_ode_context *c)
{
    return (work){{ode_mix(c), after_mix(c), c->multirate ? &mixes[TALLY_multirate] : NULL},
        c->multirate || c->mixed ? 1 : target->instructions.f32_lanes};
}

static work look_work(const mt_ode_context *c)
{
    return (work){{NULL, after_mix(c), &mixes[TALLY_multirate]}, 1};
}

double mt_codelet_ode_cycles(const ipu_target *target, const mt_ode_context *context)
{
    const work all = ode_work(target, context);
    return cell_of(&all, target) / (double)(all.in_a_turn > 1 ? all.in_a_turn : 1);
}

/* Upper bound for multirate stepping: all cells are evaluated. */
static ipu_cycles ode_cost(const ipu_target *target, const size_t *n, const void *context)
{
    const work all = ode_work(target, context);
    return cost_of_work(target, &all, n[ODE_V_OUT]);
}

/* ---- cost of multirate stepping ---- */

enum { WORKERS_MOST = 64 };

/* Counts the cells evaluated in the last step, by worker: worker w has the cells w, w + workers, ... */
static void count_evaluated(size_t n, const float *since, size_t workers, size_t *evaluated)
{
    for (size_t cell = 0, worker = 0; cell < n; cell++) {
        evaluated[worker] += since[cell] == 0;
        worker = worker + 1 == workers ? 0 : worker + 1;
    }
}

/* Returns the cost of the completed step: the check and the spreading of every cell, and the equations of the
 * evaluated cells. */
static ipu_cycles ode_multirate_cost(const ipu_target *target, const mt_ode_context *c, const ipu_span *f)
{
    const size_t workers = target->worker_contexts < WORKERS_MOST ? target->worker_contexts : WORKERS_MOST,
                 n = f[ODE_V_OUT].n;
    const work look = look_work(c), all = ode_work(target, c);
    const double look_cycles = cell_of(&look, target), start = start_of(&all),
                 evaluation_cycles = ipu_mix_cycles(ode_mix(c), &target->instructions);
    size_t evaluated[WORKERS_MOST] = {0};
    uint64_t slowest = 0, busy = 0;
    count_evaluated(n, f[ode_paced(c) + MT_PACED_SINCE].data, workers, evaluated);
    for (size_t w = 0; w < workers; w++) {
        const size_t cells = n / workers + (w < n % workers);
        const uint64_t cycles =
            (uint64_t)ceil(start + (double)cells * look_cycles + (double)evaluated[w] * evaluation_cycles);
        if (cycles > slowest) slowest = cycles;
        busy += cycles;
    }
    return (ipu_cycles){
        .entry = target->vertex_entry_cycles, .worker = slowest, .idle = workers * slowest - busy};
}

typedef void ode_function(const ipu_span *f, const void *context);

static ode_function *ode_compute_of(const mt_ode_context *c)
{
    return c->spread ? ode_spread_compute : c->increments ? ode_increments_compute : ode_compute;
}

static ipu_cycles ode_multirate_timed(const ipu_target *target, const ipu_span *f, const void *context)
{
    const mt_ode_context *c = context;
    ode_compute_of(c)(f, c);
    return ode_multirate_cost(target, c, f);
}

enum { ACTIVATION_STEP, ACTIVATION_V, ACTIVATION_BEFORE, ACTIVATION_TIME, ACTIVATION_S };
#define ACTIVATION_FIELDS(v)                                                                                 \
    [ACTIVATION_STEP] = {"step", IPU_INOUT, IPU_FLOAT}, [ACTIVATION_V] = {"v", v, IPU_FLOAT},                \
    [ACTIVATION_BEFORE] = {"before", IPU_INOUT, IPU_FLOAT},                                                  \
    [ACTIVATION_TIME] = {"activation", IPU_INOUT, IPU_FLOAT}
static const ipu_field activation_fields[] = {ACTIVATION_FIELDS(IPU_INPUT)};
static const ipu_field activation_spread_fields[] = {
    ACTIVATION_FIELDS(IPU_INOUT), [ACTIVATION_S] = {"s", IPU_INPUT, IPU_FLOAT}};

static void activation_compute(const ipu_span *f, const void *context)
{
    const float dt_ms = *(const float *)context;
    float *step = f[ACTIVATION_STEP].data, *before = f[ACTIVATION_BEFORE].data,
          *time_ms = f[ACTIVATION_TIME].data;
    const float *v = f[ACTIVATION_V].data;
    const size_t n = f[ACTIVATION_BEFORE].n;
    for (size_t first = 0; first < n; first += MT_BLOCK) {
        const size_t end = first + MT_BLOCK < n ? first + MT_BLOCK : n;
        if (end - first == MT_BLOCK && !activates_any(before + first, v + first)) continue;
        for (size_t cell = first; cell < end; cell++)
            time_ms[cell] = activation_step(*step, dt_ms, before[cell], v[cell], time_ms[cell]);
    }
    memcpy(before, v, n * sizeof *before);
    *step += 1; /* exact up to 2^24 steps */
}

COST_OF_VECTORS(activation, ACTIVATION_BEFORE)

static void activation_spread_compute(const ipu_span *f, const void *context)
{
    float *v = f[ACTIVATION_V].data;
    const float *s = f[ACTIVATION_S].data;
    for (size_t cell = 0; cell < f[ACTIVATION_V].n; cell++) v[cell] -= s[cell];
    activation_compute(f, context);
}

COST_OF_VECTORS(activation_spread, ACTIVATION_BEFORE)

/* The field of the spreading is last. */
enum {
    RECORD_STEP,
    RECORD_V,
    RECORD_BEFORE,
    RECORD_ACTIVATION,
    RECORD_REST,
    RECORD_PEAK,
    RECORD_UPSTROKE,
    RECORD_REPOLARISATION,
    RECORD_LOW,
    RECORD_S
};
#define RECORD_FIELDS(v)                                                                                     \
    [RECORD_STEP] = {"step", IPU_INOUT, IPU_FLOAT}, [RECORD_V] = {"v", v, IPU_FLOAT},                        \
    [RECORD_BEFORE] = {"before", IPU_INOUT, IPU_FLOAT},                                                      \
    [RECORD_ACTIVATION] = {"activation", IPU_INOUT, IPU_FLOAT},                                              \
    [RECORD_REST] = {"rest", IPU_INOUT, IPU_FLOAT}, [RECORD_PEAK] = {"peak", IPU_INOUT, IPU_FLOAT},          \
    [RECORD_UPSTROKE] = {"upstroke", IPU_INOUT, IPU_FLOAT},                                                  \
    [RECORD_REPOLARISATION] = {"repolarisation", IPU_INOUT, IPU_FLOAT},                                      \
    [RECORD_LOW] = {"low", IPU_INOUT, IPU_FLOAT}
static const ipu_field record_fields[] = {RECORD_FIELDS(IPU_INPUT)};
static const ipu_field record_spread_fields[] = {
    RECORD_FIELDS(IPU_INOUT), [RECORD_S] = {"s", IPU_INPUT, IPU_FLOAT}};

static record_rule rule_of(const mt_record_context *c)
{
    return (record_rule){.dt_ms = (float)c->dt_ms,
        .per_dt = (float)(1 / c->dt_ms),
        .threshold_mV = (float)c->record.threshold_mV,
        .fraction = (float)c->record.fraction,
        .slowest_mV_ms = MT_RECORD_UPSTROKE_LEAST,
        .rest_steps = mt_record_rest_steps(c->dt_ms)};
}

/* True if the step samples V at rest. Single precision counts steps exactly. */
static bool looks_at_rest(const record_rule *rule, const float *step)
{
    return (size_t)*step % rule->rest_steps == 0;
}

static float *at(const ipu_span *f, int field, size_t cell) { return (float *)f[field].data + cell; }

static recorded record_of(const ipu_span *f, size_t cell)
{
    return (recorded){*at(f, RECORD_ACTIVATION, cell), *at(f, RECORD_REST, cell), *at(f, RECORD_PEAK, cell),
        *at(f, RECORD_UPSTROKE, cell), *at(f, RECORD_REPOLARISATION, cell), *at(f, RECORD_LOW, cell)};
}

static void put_record(const ipu_span *f, size_t cell, recorded y)
{
    *at(f, RECORD_ACTIVATION, cell) = y.activation_ms;
    *at(f, RECORD_REST, cell) = y.rest_mV;
    *at(f, RECORD_PEAK, cell) = y.peak_mV;
    *at(f, RECORD_UPSTROKE, cell) = y.upstroke_mV_ms;
    *at(f, RECORD_REPOLARISATION, cell) = y.repolarisation_ms;
    *at(f, RECORD_LOW, cell) = y.low_mV;
}

/* Records one cell. */
static void record_one(const ipu_span *f, const record_rule *rule, size_t cell)
{
    const float *v = f[RECORD_V].data, *before = f[RECORD_BEFORE].data, *step = f[RECORD_STEP].data;
    const recorded x = record_of(f, cell);
    put_record(f, cell, record_step(rule, *step, looks_at_rest(rule, step), before[cell], v[cell], x));
}

/* In most steps nearly no cell changes its record, so blocks of cells are tested first. */
static void record_compute(const ipu_span *f, const void *context)
{
    const record_rule rule = rule_of(context);
    const float *v = f[RECORD_V].data, *peak = f[RECORD_PEAK].data, *low = f[RECORD_LOW].data;
    float *step = f[RECORD_STEP].data, *before = f[RECORD_BEFORE].data;
    const size_t n = f[RECORD_BEFORE].n;
    for (size_t first = 0; first < n; first += MT_BLOCK) {
        const size_t end = first + MT_BLOCK < n ? first + MT_BLOCK : n;
        const bool whole = end - first == MT_BLOCK && !looks_at_rest(&rule, step);
        if (whole && !record_changes_any(&rule, before + first, v + first, peak + first, low + first))
            continue;
        for (size_t cell = first; cell < end; cell++) record_one(f, &rule, cell);
    }
    memcpy(before, v, n * sizeof *before);
    *step += 1; /* exact up to 2^24 steps */
}

COST_OF_VECTORS(record, RECORD_BEFORE)

static void record_spread_compute(const ipu_span *f, const void *context)
{
    float *v = f[RECORD_V].data;
    const float *s = f[RECORD_S].data;
    for (size_t cell = 0; cell < f[RECORD_V].n; cell++) v[cell] -= s[cell];
    record_compute(f, context);
}

COST_OF_VECTORS(record_spread, RECORD_BEFORE)

/* Works on the fields of a record. */
static void turn(const ipu_span *f, bool begins)
{
    const float *v = f[RECORD_V].data;
    float *step = f[RECORD_STEP].data;
    for (size_t cell = 0; cell < f[RECORD_V].n; cell++)
        put_record(f, cell, record_turn(record_until(begins), v[cell], record_of(f, cell)));
    if (begins) *step = 0;
}

static void turn_begins_compute(const ipu_span *f, const void *context)
{
    (void)context;
    turn(f, true);
}

static void turn_goes_on_compute(const ipu_span *f, const void *context)
{
    (void)context;
    turn(f, false);
}

COST_OF_VECTORS(turn, RECORD_V)

enum { STIMULUS_CELL, STIMULUS_V };
static const ipu_field stimulus_fields[] = {
    [STIMULUS_CELL] = {"cell", IPU_INPUT, IPU_UNSIGNED_SHORT},
    [STIMULUS_V] = {"v", IPU_INOUT, IPU_FLOAT},
};

static void stimulus_compute(const ipu_span *f, const void *context)
{
    const float rise_mV = *(const float *)context;
    const uint16_t *cell = f[STIMULUS_CELL].data;
    float *v = f[STIMULUS_V].data;
    for (size_t k = 0; k < f[STIMULUS_CELL].n; k++) v[cell[k]] += rise_mV;
}

COST(stimulus, STIMULUS_CELL)

enum { DELAYED_ELAPSED, DELAYED_DELAY, DELAYED_CELL, DELAYED_V };
static const ipu_field stimulus_delayed_fields[] = {
    [DELAYED_ELAPSED] = {"elapsed", IPU_INOUT, IPU_FLOAT},
    [DELAYED_DELAY] = {"delay", IPU_INPUT, IPU_UNSIGNED_SHORT},
    [DELAYED_CELL] = {"cell", IPU_INPUT, IPU_UNSIGNED_SHORT},
    [DELAYED_V] = {"v", IPU_INOUT, IPU_FLOAT},
};

static void stimulus_delayed_compute(const ipu_span *f, const void *context)
{
    const mt_delayed_context *c = context;
    const uint16_t *delay = f[DELAYED_DELAY].data, *cell = f[DELAYED_CELL].data;
    float *v = f[DELAYED_V].data, *elapsed = f[DELAYED_ELAPSED].data;
    const size_t now = (size_t)*elapsed;
    for (size_t k = 0; k < f[DELAYED_CELL].n; k++) {
        float *one = &v[cell[k]];
        if (delay[k] <= now && now < delay[k] + c->duration) *one += c->rise_mV;
        const bool holds = now < delay[k] && delay[k] <= now + c->held;
        if (holds && *one > c->held_mV && *one < c->free_mV) *one = c->held_mV;
    }
    *elapsed = now + 1 == c->window ? 0 : *elapsed + 1;
}

COST(stimulus_delayed, DELAYED_CELL)

/* Masks of streamed fields (ipu_codelet): all, and all but one. */
#define ALL_FIELDS UINT32_MAX
#define ALL_BUT(field) (ALL_FIELDS & ~(UINT32_C(1) << (field)))

#define CODELET_OF(kind, fields_, cost_, bytes, streamed_)                                                   \
    {                                                                                                        \
        .name = #kind, .n_fields = COUNT(fields_), .fields = (fields_), .compute = kind##_compute,           \
        .cost = (cost_), .code_bytes = (bytes), .vertex_bytes = VERTEX_BYTES(COUNT(fields_)),                \
        .streamed = (streamed_)                                                                              \
    }
#define CODELET(kind, bytes, streamed) CODELET_OF(kind, kind##_fields, kind##_cost, bytes, streamed)

const ipu_codelet mt_codelet_pde = CODELET(pde, CODE_BYTES_pde, ALL_BUT(PDE_V));
const ipu_codelet mt_codelet_pde_double_word =
    CODELET(pde_double_word, CODE_BYTES_pde_double_word, ALL_BUT(WORDS_V));
const ipu_codelet mt_codelet_stimulus = CODELET(stimulus, CODE_BYTES_stimulus, ALL_BUT(STIMULUS_V));
const ipu_codelet mt_codelet_stimulus_delayed =
    CODELET(stimulus_delayed, CODE_BYTES_stimulus_delayed, ALL_BUT(DELAYED_V));

const ipu_codelet *mt_codelet_record(bool all, bool spread)
{
    static const ipu_codelet codelets[2][2] = {
        {CODELET(activation, CODE_BYTES_activation, ALL_FIELDS),
            CODELET(activation_spread, CODE_BYTES_activation_spread, ALL_FIELDS)},
        {CODELET(record, CODE_BYTES_record, ALL_FIELDS),
            CODELET(record_spread, CODE_BYTES_record_spread, ALL_FIELDS)}};
    return &codelets[all][spread];
}

const ipu_codelet *mt_codelet_free_elements(bool begins)
{
    static const ipu_codelet codelets[] = {
        CODELET_OF(turn_goes_on, record_fields, turn_cost, CODE_BYTES_turn, ALL_FIELDS),
        CODELET_OF(turn_begins, record_fields, turn_cost, CODE_BYTES_turn, ALL_FIELDS)};
    return &codelets[begins];
}

/* Four bytes per instruction, as in CODE_BYTES. */
size_t mt_codelet_code_bytes(const ipu_mix *mix)
{
    return 4 * ((size_t)mix->start + mix->bundles + mix->pairs);
}

ipu_codelet mt_codelet_ode(const mt_ode_context *c)
{
    enum { PLAIN, SPREAD, INCREMENTS, AFTER };
    static const char *const names[2][AFTER][2] = {{{"ode", "ode_mixed"}, {"ode_spread", "ode_mixed_spread"},
                                                       {"ode_increments", "ode_mixed_increments"}},
        {{"ode_multirate", "ode_mixed_multirate"}, {"ode_multirate_spread", "ode_mixed_multirate_spread"},
            {"ode_multirate_increments", "ode_mixed_multirate_increments"}}};
    static const ipu_field *const fields[2][AFTER] = {{ode_fields, ode_spread_fields, ode_increment_fields},
        {ode_multirate_fields, ode_multirate_spread_fields, ode_multirate_increment_fields}};
    const size_t n_fields = ode_n_fields(c);
    const int after = c->spread ? SPREAD : c->increments ? INCREMENTS : PLAIN;
    return (ipu_codelet){.name = names[c->multirate][after][c->mixed],
        .n_fields = n_fields,
        .fields = fields[c->multirate][after],
        .compute = c->multirate ? NULL : ode_compute_of(c),
        .compute_timed = c->multirate ? ode_multirate_timed : NULL,
        .cost = ode_cost,
        .code_bytes = mt_codelet_code_bytes(ode_mix(c)) +
                      (after_mix(c) ? mt_codelet_code_bytes(after_mix(c)) : 0) +
                      (c->multirate ? CODE_BYTES_multirate : 0),
        .vertex_bytes = VERTEX_BYTES(n_fields),
        .streamed = c->mixed ? ALL_BUT(n_fields - 1) : ALL_FIELDS}; /* not the constants */
}
