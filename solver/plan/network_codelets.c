#include "solver/plan/network_codelets.h"

#include <math.h>
#include <string.h>

#include "ipu/cost/workers.h"
#include "solver/conduction/conducting.h"
#include "solver/plan/codelets.h"
#include "solver/plan/implicit_codelets.h"

#define MT_LANES_ONE
#include "solver/kernels/lanes.h"
#include "solver/conduction/chain_equations.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FIELD(name, direction)                                                                               \
    {                                                                                                        \
        (name), IPU_##direction, IPU_FLOAT                                                                   \
    }
#define INDICES(name)                                                                                        \
    {                                                                                                        \
        (name), IPU_INPUT, IPU_UNSIGNED_INT                                                                  \
    }
#define SHORT_INDICES(name)                                                                                  \
    {                                                                                                        \
        (name), IPU_INPUT, IPU_UNSIGNED_SHORT                                                                \
    }

/* ---- values ---- */

enum { STATE_V, STATE_D, STATE_W };
static const ipu_field state_fields[] = {
    [STATE_V] = FIELD("v", INPUT), [STATE_D] = FIELD("d", INPUT), [STATE_W] = FIELD("w", OUTPUT)};

static void state_compute(const ipu_span *f, const void *context)
{
    const float *v = f[STATE_V].data, *d = f[STATE_D].data;
    float *w = f[STATE_W].data;
    (void)context;
    for (size_t k = 0; k < f[STATE_W].n; k++) w[k] = v[k] + d[k];
}

enum {
    JUNCTION_V,
    JUNCTION_D,
    JUNCTION_TISSUE,
    JUNCTION_COUPLING,
    JUNCTION_WEIGHT,
    JUNCTION_CURRENT,
    JUNCTION_MEAN,
    SHARED_SHARES
};
#define JUNCTION_FIELDS                                                                                      \
    [JUNCTION_V] = FIELD("v", INPUT), [JUNCTION_D] = FIELD("d", INPUT),                                      \
    [JUNCTION_TISSUE] = FIELD("tissue", INPUT), [JUNCTION_COUPLING] = FIELD("coupling", INPUT),              \
    [JUNCTION_WEIGHT] = FIELD("weight", INPUT), [JUNCTION_CURRENT] = FIELD("current", OUTPUT),               \
    [JUNCTION_MEAN] = FIELD("mean", OUTPUT)
static const ipu_field junction_fields[] = {JUNCTION_FIELDS},
                       shared_fields[] = {JUNCTION_FIELDS, [SHARED_SHARES] = FIELD("shares", OUTPUT)};

static void sum_junction(const ipu_span *f, float *shares)
{
    const float *v = f[JUNCTION_V].data, *d = f[JUNCTION_D].data;
    const junction_entries entries = {f[JUNCTION_TISSUE].n, f[JUNCTION_COUPLING].data,
        f[JUNCTION_WEIGHT].data, f[JUNCTION_TISSUE].data, NULL};
    junction_sums(&entries, v[0] + d[0], shares, f[JUNCTION_CURRENT].data, f[JUNCTION_MEAN].data);
}

static void junction_compute(const ipu_span *f, const void *context)
{
    float shares[2 * MT_JUNCTION_SHARES];
    (void)context;
    sum_junction(f, shares);
}

static void shared_compute(const ipu_span *f, const void *context)
{
    (void)context;
    sum_junction(f, f[SHARED_SHARES].data);
}

enum {
    FORWARD_W,
    FORWARD_LEFT,
    FORWARD_RIGHT,
    FORWARD_CONDUCTANCE,
    FORWARD_ALONG,
    FORWARD_ACROSS,
    FORWARD_B,
    FORWARD_ADDED
};
static const ipu_field forward_fields[] = {[FORWARD_W] = FIELD("w", INPUT),
    [FORWARD_LEFT] = FIELD("left", INPUT),
    [FORWARD_RIGHT] = FIELD("right", INPUT),
    [FORWARD_CONDUCTANCE] = FIELD("conductance", INPUT),
    [FORWARD_ALONG] = FIELD("along", INPUT),
    [FORWARD_ACROSS] = FIELD("across", INPUT),
    [FORWARD_B] = FIELD("b", INOUT),
    [FORWARD_ADDED] = FIELD("added", OUTPUT)};

static void forward_compute(const ipu_span *f, const void *context)
{
    const chain_rows rows = {.n = (uint32_t)f[FORWARD_B].n,
        .conductance = f[FORWARD_CONDUCTANCE].data,
        .along = f[FORWARD_ALONG].data,
        .across = f[FORWARD_ACROSS].data};
    (void)context;
    chain_forward(&rows, f[FORWARD_W].data, *(const float *)f[FORWARD_LEFT].data,
        *(const float *)f[FORWARD_RIGHT].data, f[FORWARD_B].data, f[FORWARD_ADDED].data);
}

enum { PIECE_LEFT, PIECE_RIGHT, PIECE_CONDUCTANCE, PIECE_ADDED };
static const ipu_field piece_fields[] = {[PIECE_LEFT] = FIELD("left", INPUT),
    [PIECE_RIGHT] = FIELD("right", INPUT),
    [PIECE_CONDUCTANCE] = FIELD("conductance", INPUT),
    [PIECE_ADDED] = FIELD("added", OUTPUT)};

static void piece_compute(const ipu_span *f, const void *context)
{
    const chain_rows rows = {.conductance = f[PIECE_CONDUCTANCE].data};
    (void)context;
    chain_forward(&rows, NULL, *(const float *)f[PIECE_LEFT].data, *(const float *)f[PIECE_RIGHT].data, NULL,
        f[PIECE_ADDED].data);
}

enum { UP_ADDED, UP_ENDS, UP_ROW, UP_EARLIER, UP_FACTOR, UP_GOT, UP_X };
static const ipu_field up_fields[] = {[UP_ADDED] = FIELD("added", INPUT),
    [UP_ENDS] = INDICES("ends"),
    [UP_ROW] = INDICES("row"),
    [UP_EARLIER] = INDICES("earlier"),
    [UP_FACTOR] = FIELD("factor", INPUT),
    [UP_GOT] = FIELD("got", INPUT),
    [UP_X] = FIELD("x", INOUT)};

/* The order of the levels has the same sums as that of the elimination. */
static void up_compute(const ipu_span *f, const void *context)
{
    const uint32_t *ends = f[UP_ENDS].data, *row = f[UP_ROW].data, *earlier = f[UP_EARLIER].data;
    const float *added = f[UP_ADDED].data, *factor = f[UP_FACTOR].data;
    const size_t n = f[UP_ENDS].n - 1;
    float *x = f[UP_X].data;
    (void)context;
    if (f[UP_GOT].n > 0) memcpy(x + n, f[UP_GOT].data, f[UP_GOT].n * sizeof *x);
    for (size_t k = 0; k < n; k++)
        x[k] = hub_entries(hub_ends(ends[k + 1] - ends[k], added + ends[k]), row[k + 1] - row[k],
            earlier + row[k], factor + row[k], x);
}

enum { DOWN_COLUMN, DOWN_LATER, DOWN_FACTOR, DOWN_INVERSE, DOWN_GOT, DOWN_X };
static const ipu_field down_fields[] = {[DOWN_COLUMN] = INDICES("column"),
    [DOWN_LATER] = INDICES("later"),
    [DOWN_FACTOR] = FIELD("factor", INPUT),
    [DOWN_INVERSE] = FIELD("inverse", INPUT),
    [DOWN_GOT] = FIELD("got", INPUT),
    [DOWN_X] = FIELD("x", INOUT)};

static void down_compute(const ipu_span *f, const void *context)
{
    const uint32_t *column = f[DOWN_COLUMN].data, *later = f[DOWN_LATER].data;
    const float *inverse = f[DOWN_INVERSE].data, *factor = f[DOWN_FACTOR].data;
    const size_t n = f[DOWN_INVERSE].n;
    float *x = f[DOWN_X].data;
    (void)context;
    if (f[DOWN_GOT].n > 0) memcpy(x + n, f[DOWN_GOT].data, f[DOWN_GOT].n * sizeof *x);
    for (size_t k = n; k-- > 0;)
        x[k] = hub_entries(
            inverse[k] * x[k], column[k + 1] - column[k], later + column[k], factor + column[k], x);
}

enum {
    BACKWARD_LEFT,
    BACKWARD_RIGHT,
    BACKWARD_INVERSE,
    BACKWARD_ALONG,
    BACKWARD_ACROSS,
    BACKWARD_B,
    BACKWARD_V,
    BACKWARD_W
};
static const ipu_field backward_fields[] = {[BACKWARD_LEFT] = FIELD("left", INPUT),
    [BACKWARD_RIGHT] = FIELD("right", INPUT),
    [BACKWARD_INVERSE] = FIELD("inverse", INPUT),
    [BACKWARD_ALONG] = FIELD("along", INPUT),
    [BACKWARD_ACROSS] = FIELD("across", INPUT),
    [BACKWARD_B] = FIELD("b", INOUT),
    [BACKWARD_V] = FIELD("v", INOUT),
    [BACKWARD_W] = FIELD("w", INOUT)};

static void backward_compute(const ipu_span *f, const void *context)
{
    const mt_network_ends *ends = context;
    const chain_rows rows = {.n = (uint32_t)f[BACKWARD_B].n,
        .along = f[BACKWARD_ALONG].data,
        .across = f[BACKWARD_ACROSS].data,
        .inverse = f[BACKWARD_INVERSE].data};
    chain_backward(&rows, ends->left ? *(const float *)f[BACKWARD_LEFT].data : 0,
        ends->right ? *(const float *)f[BACKWARD_RIGHT].data : 0, f[BACKWARD_B].data, f[BACKWARD_V].data,
        f[BACKWARD_W].data);
}

enum { CHARGE_W, CHARGE_CELL, CHARGE_ENTRIES, CHARGE_JUNCTION, CHARGE_GAIN, CHARGE_V };
static const ipu_field charge_fields[] = {[CHARGE_W] = FIELD("w", INPUT),
    [CHARGE_CELL] = SHORT_INDICES("cell"),
    [CHARGE_ENTRIES] = SHORT_INDICES("entries"),
    [CHARGE_JUNCTION] = SHORT_INDICES("junction"),
    [CHARGE_GAIN] = FIELD("gain", INPUT),
    [CHARGE_V] = FIELD("v", INOUT)};

static void charge_compute(const ipu_span *f, const void *context)
{
    const uint16_t *cell = f[CHARGE_CELL].data, *entries = f[CHARGE_ENTRIES].data,
                   *junction = f[CHARGE_JUNCTION].data;
    const float *w = f[CHARGE_W].data, *gain = f[CHARGE_GAIN].data;
    float *v = f[CHARGE_V].data;
    (void)context;
    for (size_t k = 0, at = 0; k < f[CHARGE_CELL].n; k++) {
        const float tissue = v[cell[k]];
        float rise = 0;
        for (const size_t end = at + entries[k]; at < end; at++)
            rise = junction_charge(rise, gain[at], w[junction[at]], tissue);
        v[cell[k]] = tissue + rise;
    }
}

static const ipu_field count_fields[] = {FIELD("substep", INOUT)};

static void count_compute(const ipu_span *f, const void *context)
{
    float *substep = f[0].data;
    (void)context;
    *substep = *substep + 1 == (float)MT_CONDUCTING_STEPS ? 0 : *substep + 1;
}

enum { RECORD_V, RECORD_STEP, RECORD_BEFORE, RECORD_FREE, RECORD_ACTIVATION };
#define RECORD_FIELDS(step)                                                                                  \
    [RECORD_V] = FIELD("v", INPUT), [RECORD_STEP] = FIELD("step", step),                                     \
    [RECORD_BEFORE] = FIELD("before", INOUT), [RECORD_FREE] = FIELD("free", INOUT),                          \
    [RECORD_ACTIVATION] = FIELD("activation", INOUT)
static const ipu_field points_fields[] = {RECORD_FIELDS(INOUT)}, junctions_fields[] = {RECORD_FIELDS(INPUT)};

static void record(const ipu_span *f, const mt_network_record *rule, float step)
{
    const float *v = f[RECORD_V].data;
    float *before = f[RECORD_BEFORE].data, *is_free = f[RECORD_FREE].data,
          *activation_ms = f[RECORD_ACTIVATION].data;
    for (size_t k = 0; k < f[RECORD_V].n; k++) {
        if (v[k] >= rule->threshold_mV && is_free[k] > 0) /* else it would change nothing */
            activation_ms[k] = place_activation(
                step, rule->dt_ms, rule->threshold_mV, before[k], v[k], is_free[k], activation_ms[k]);
        is_free[k] = place_frees(rule->threshold_mV, MT_CONDUCTION_FREE_mV, v[k], is_free[k]);
        before[k] = v[k];
    }
}

static void points_compute(const ipu_span *f, const void *context)
{
    float *step = f[RECORD_STEP].data;
    record(f, context, *step - 1); /* V at the end of the previous step */
    *step += 1;                    /* exact up to 2^24 */
}

static void junctions_compute(const ipu_span *f, const void *context)
{
    record(f, context, *(const float *)f[RECORD_STEP].data - 1);
}

enum { BEAT_STEP, BEAT_ACTIVATION };
static const ipu_field beat_fields[] = {
    [BEAT_STEP] = FIELD("step", OUTPUT), [BEAT_ACTIVATION] = FIELD("activation", OUTPUT)};

static void beat_compute(const ipu_span *f, const void *context)
{
    float *activation_ms = f[BEAT_ACTIVATION].data;
    (void)context;
    for (size_t k = 0; k < f[BEAT_ACTIVATION].n; k++) activation_ms[k] = INFINITY;
    *(float *)f[BEAT_STEP].data = 0;
}

/* ---- costs ---- */

/* Returns the cycles of one worker that applies the counted code n times. */
static double worker_cycles(const ipu_target *target, const char *name, size_t n)
{
    const ipu_mix *mix = mt_codelet_mix(name);
    return (double)mix->start + (double)n * ipu_mix_cycles(mix, &target->instructions);
}

/* Returns the cost of a vertex of one worker. */
static ipu_cycles alone(const ipu_target *target, const char *name, size_t n)
{
    return (ipu_cycles){
        .entry = target->vertex_entry_cycles, .worker = (uint64_t)ceil(worker_cycles(target, name, n))};
}

/* Costs by the elements of a field, of all workers or of one. */
#define COST_OF_ALL(lower, mix, field)                                                                       \
    static ipu_cycles lower##_cost(const ipu_target *target, const size_t *n, const void *context)           \
    {                                                                                                        \
        (void)context;                                                                                       \
        return mt_codelet_cost(target, mt_codelet_mix(mix), n[field], target->instructions.f32_lanes);       \
    }
#define COST_OF_ONE(lower, mix, field)                                                                       \
    static ipu_cycles lower##_cost(const ipu_target *target, const size_t *n, const void *context)           \
    {                                                                                                        \
        (void)context;                                                                                       \
        return alone(target, mix, n[field]);                                                                 \
    }
COST_OF_ALL(state, "network_state", STATE_W)
COST_OF_ONE(junction, "network_junction", JUNCTION_TISSUE)
COST_OF_ONE(forward, "network_forward", FORWARD_B)
COST_OF_ONE(piece, "network_forward", PIECE_CONDUCTANCE)
COST_OF_ONE(backward, "network_backward", BACKWARD_B)
COST_OF_ONE(count, "stimulus", 0) /* one addition to memory */
COST_OF_ALL(points, "network_record", RECORD_V)
COST_OF_ALL(junctions, "network_record", RECORD_V)
COST_OF_ALL(beat, "network_beat", BEAT_ACTIVATION)

/* The shares are distributed over the workers in turn; then one worker adds them. */
static ipu_cycles shared_cost(const ipu_target *target, const size_t *n, const void *context)
{
    const size_t count = n[JUNCTION_TISSUE], workers = target->worker_contexts;
    double cycles[IPU_MAX_WORKERS] = {0}, busy = 0, most = 0;
    (void)context;
    for (size_t s = 0; s < MT_JUNCTION_SHARES; s++)
        cycles[s % workers] += worker_cycles(
            target, "network_junction", mt_junction_share(count, s + 1) - mt_junction_share(count, s));
    const double sums = 2 * worker_cycles(target, "network_hub_end", MT_JUNCTION_SHARES);
    for (size_t w = 0; w < workers; w++) {
        busy += cycles[w];
        most = fmax(most, cycles[w]);
    }
    const uint64_t worker = (uint64_t)ceil(most + sums), all = workers * worker,
                   used = (uint64_t)ceil(busy + sums);
    return (ipu_cycles){
        .entry = 2 * target->vertex_entry_cycles, .worker = worker, .idle = used < all ? all - used : 0};
}

/* The unknowns are distributed over the workers, each with the mean number of entries. */
static ipu_cycles charge_cost(const ipu_target *target, const size_t *n, const void *context)
{
    const size_t workers = target->worker_contexts, unknowns = (n[CHARGE_CELL] + workers - 1) / workers,
                 entries = (n[CHARGE_GAIN] + workers - 1) / workers;
    const double start = (double)mt_codelet_mix("network_charge")->start;
    (void)context;
    const uint64_t worker = (uint64_t)ceil(worker_cycles(target, "network_unknown", unknowns) +
                                           worker_cycles(target, "network_charge", entries) +
                                           (double)(unknowns > 0 ? unknowns - 1 : 0) * start);
    return (ipu_cycles){.entry = target->vertex_entry_cycles, .worker = worker};
}

/* Returns the worker cycles of a hub. */
static double hub_cycles(const ipu_target *target, const mt_network_hubs *h, size_t k)
{
    return ipu_mix_cycles(mt_codelet_mix("network_hub"), &target->instructions) +
           worker_cycles(target, "network_hub_entry", h->entries[k]) +
           (h->ends ? worker_cycles(target, "network_hub_end", h->ends[k]) : 0);
}

/* The workers copy what is received. Then the hubs of a level are distributed over them in turn; the next level begins after the slowest
 * one. */
static ipu_cycles hubs_cost(const ipu_target *target, size_t n_got, const mt_network_hubs *h)
{
    const double start = (double)mt_codelet_mix("network_hub")->start;
    const ipu_cycles copy = mt_codelet_cost(target, mt_codelet_mix("network_copy"), n_got, 1);
    double slowest = 0, busy = 0;
    for (uint32_t level = 0; level < h->n_levels; level++) {
        double cycles[IPU_MAX_WORKERS] = {0}, most = 0;
        size_t worker = 0;
        for (size_t k = 0; k < h->n; k++) {
            if (h->level[k] != level) continue;
            cycles[worker] += hub_cycles(target, h, k);
            worker = (worker + 1) % target->worker_contexts;
        }
        for (size_t w = 0; w < target->worker_contexts; w++) {
            most = fmax(most, start + cycles[w]);
            busy += start + cycles[w];
        }
        slowest += most;
    }
    const uint64_t worker = (uint64_t)ceil(slowest), all = target->worker_contexts * worker,
                   used = (uint64_t)ceil(busy);
    ipu_cycles cost = {.entry = h->n_levels * target->vertex_entry_cycles,
        .worker = worker,
        .idle = used < all ? all - used : 0};
    if (n_got == 0) return cost;
    cost.entry += copy.entry, cost.worker += copy.worker, cost.idle += copy.idle;
    return cost;
}

static ipu_cycles up_cost(const ipu_target *target, const size_t *n, const void *context)
{
    return hubs_cost(target, n[UP_GOT], context);
}

static ipu_cycles down_cost(const ipu_target *target, const size_t *n, const void *context)
{
    return hubs_cost(target, n[DOWN_GOT], context);
}

/* ---- the codelets ---- */

/* Code: the listed counts, 4 bytes per instruction. */
#define CODELET(lower, kind_)                                                                                \
    {                                                                                                        \
        .name = "network_" #lower, .n_fields = COUNT(lower##_fields), .fields = lower##_fields,              \
        .compute = lower##_compute, .cost = lower##_cost,                                                    \
        .vertex_bytes = 4 * (2 * COUNT(lower##_fields) + 1), .kind = (kind_)                                 \
    }

ipu_codelet mt_codelet_network(mt_network_part part)
{
    enum { MIXES_MOST = 4 };
    static const char *const mixes[MT_NETWORK_PARTS][MIXES_MOST] = {[MT_NETWORK_STATE] = {"network_state"},
        [MT_NETWORK_JUNCTION] = {"network_junction"},
        [MT_NETWORK_SHARED] = {"network_junction", "network_hub_end"},
        [MT_NETWORK_FORWARD] = {"network_forward"},
        [MT_NETWORK_PIECE] = {"network_forward"},
        [MT_NETWORK_UP] = {"network_hub", "network_hub_end", "network_hub_entry", "network_copy"},
        [MT_NETWORK_DOWN] = {"network_hub", "network_hub_entry", "network_copy"},
        [MT_NETWORK_BACKWARD] = {"network_backward"},
        [MT_NETWORK_CHARGE] = {"network_charge", "network_unknown"},
        [MT_NETWORK_COUNT] = {"stimulus"},
        [MT_NETWORK_POINTS] = {"network_record"},
        [MT_NETWORK_JUNCTIONS] = {"network_record"},
        [MT_NETWORK_BEAT] = {"network_beat"}};
    static const ipu_codelet codelets[MT_NETWORK_PARTS] = {
        [MT_NETWORK_STATE] = CODELET(state, IPU_MULTI_WORKER),
        [MT_NETWORK_JUNCTION] = CODELET(junction, IPU_SINGLE_WORKER),
        [MT_NETWORK_SHARED] = CODELET(shared, IPU_MULTI_WORKER),
        [MT_NETWORK_FORWARD] = CODELET(forward, IPU_SINGLE_WORKER),
        [MT_NETWORK_PIECE] = CODELET(piece, IPU_SINGLE_WORKER),
        [MT_NETWORK_UP] = CODELET(up, IPU_MULTI_WORKER),
        [MT_NETWORK_DOWN] = CODELET(down, IPU_MULTI_WORKER),
        [MT_NETWORK_BACKWARD] = CODELET(backward, IPU_SINGLE_WORKER),
        [MT_NETWORK_CHARGE] = CODELET(charge, IPU_MULTI_WORKER),
        [MT_NETWORK_COUNT] = CODELET(count, IPU_SINGLE_WORKER),
        [MT_NETWORK_POINTS] = CODELET(points, IPU_MULTI_WORKER),
        [MT_NETWORK_JUNCTIONS] = CODELET(junctions, IPU_MULTI_WORKER),
        [MT_NETWORK_BEAT] = CODELET(beat, IPU_MULTI_WORKER)};
    if (part == MT_NETWORK_GAIN) return mt_codelet_implicit(MT_IMPLICIT_GAIN, false);
    ipu_codelet codelet = codelets[part];
    for (size_t k = 0; k < MIXES_MOST && mixes[part][k]; k++)
        codelet.code_bytes += mt_codelet_code_bytes(mt_codelet_mix(mixes[part][k]));
    return codelet;
}
