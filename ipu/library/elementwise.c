#include "ipu/library/elementwise.h"

#include <math.h>

#include "ipu/cost/mix.h"
#include "ipu/library/vertices.h"
#include "ipu/machine/half.h"
#include "ipu/machine/integer.h"

enum { FLOATS = 2, HALVES = 4 }; /* elements of a vector */

static uint64_t vectors_of(const ipu_target *target, size_t n, size_t width)
{
    return ipu_divide_up(ipu_divide_up(n, target->worker_contexts), width);
}

/* ---- functions ---- */

/* A loop over elements: `read` converts the inputs to x (and y), and `write` converts the expression to an element of the
 * result. */
#define MAP(name, from, to, read, write, expression)                                                         \
    static void name(const ipu_span *f, const void *context)                                                 \
    {                                                                                                        \
        (void)context;                                                                                       \
        const from *in = f[0].data;                                                                          \
        to *out = f[1].data;                                                                                 \
        for (size_t i = 0; i < f[1].n; i++) {                                                                \
            const float x = read(in[i]);                                                                     \
            out[i] = write(expression);                                                                      \
        }                                                                                                    \
    }

#define MAP_TWO(name, type, read, write, expression)                                                         \
    static void name(const ipu_span *f, const void *context)                                                 \
    {                                                                                                        \
        (void)context;                                                                                       \
        const type *a = f[0].data, *b = f[1].data;                                                           \
        type *out = f[2].data;                                                                               \
        for (size_t i = 0; i < f[2].n; i++) {                                                                \
            const float x = read(a[i]), y = read(b[i]);                                                      \
            out[i] = write(expression);                                                                      \
        }                                                                                                    \
    }

#define UNARY(name, expression)                                                                              \
    MAP(name##_float, float, float, , , expression)                                                          \
    MAP(name##_half, uint16_t, uint16_t, ipu_half_value, ipu_half_of, expression)

#define BINARY(name, expression)                                                                             \
    MAP_TWO(name##_float, float, , , expression)                                                             \
    MAP_TWO(name##_half, uint16_t, ipu_half_value, ipu_half_of, expression)

UNARY(exp, expf(x))
UNARY(ln, logf(x))
UNARY(tanh, tanhf(x))
UNARY(sigmoid, 1 / (1 + expf(-x)))
UNARY(sqrt, sqrtf(x))
UNARY(rsqrt, 1 / sqrtf(x))
UNARY(inverse, 1 / x)

BINARY(add, x + y)
BINARY(subtract, x - y)
BINARY(multiply, x *y)
BINARY(divide, x / y)
BINARY(maximum, fmaxf(x, y))
BINARY(minimum, fminf(x, y))

static int32_t int_of(float x)
{
    if (isnan(x)) return 0;
    return x >= 0x1p31F ? INT32_MAX : x < -0x1p31F ? INT32_MIN : (int32_t)x;
}

MAP(float_to_half, float, uint16_t, , ipu_half_of, x)
MAP(half_to_float, uint16_t, float, ipu_half_value, , x)
MAP(float_to_int, float, int32_t, , int_of, x)
MAP(int_to_float, int32_t, float, (float), , x)

static void scaled_add(const ipu_span *f, const void *context)
{
    const float scale = *(const float *)context, *b = f[0].data;
    float *a = f[1].data;
    for (size_t i = 0; i < f[1].n; i++) a[i] += scale * b[i];
}

static void fill_words(const ipu_span *f, const void *context)
{
    uint32_t *out = f[0].data;
    for (size_t i = 0; i < f[0].n; i++) out[i] = *(const uint32_t *)context;
}

static void fill_halves(const ipu_span *f, const void *context)
{
    uint16_t *out = f[0].data;
    for (size_t i = 0; i < f[0].n; i++) out[i] = *(const uint16_t *)context;
}

/* ---- costs ---- */

/* The instructions of an element with `in` inputs, for machines that issue single instructions. */
#define ELEMENT(in, ...)                                                                                     \
    {                                                                                                        \
        .count = {                                                                                           \
            [IPU_OP_LOAD] = (in),                                                                            \
            [IPU_OP_STORE] = 1,                                                                              \
            [IPU_OP_ADDRESS] = (in) + 1,                                                                     \
            [IPU_OP_LOOP] = 1,                                                                               \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

/* Returns the cost of n elements of a machine that issues single instructions, distributed over the workers. */
static ipu_cycles single_cost(const ipu_target *target, const ipu_mix *mix, size_t n, size_t lanes)
{
    const size_t m = ipu_divide_up(n, target->worker_contexts);
    return (ipu_cycles){
        target->vertex_entry_cycles, .worker = ipu_mix_loop(mix, &target->instructions, m, lanes)};
}

/* The context of unary and binary vertices: their worker cycles are start + vectors x cycles. */
typedef struct estimate {
    size_t width; /* elements of a vector */
    uint64_t entry, start, cycles;
    ipu_mix single;
} estimate;

static ipu_cycles vectors_cost(const ipu_target *target, const size_t *n, const void *context)
{
    const estimate *e = context;
    const ipu_instruction_costs *costs = &target->instructions;
    if (costs->issue == IPU_SINGLE)
        return single_cost(
            target, &e->single, n[0], e->width == HALVES ? costs->f16_lanes : costs->f32_lanes);
    return (ipu_cycles){e->entry, .worker = e->start + vectors_of(target, n[0], e->width) * e->cycles};
}

#define ESTIMATES(inputs, entry, start, start_halves, of_floats, of_halves, ...)                             \
    {                                                                                                        \
        {FLOATS, entry, start, of_floats, ELEMENT(inputs, __VA_ARGS__)},                                     \
        {                                                                                                    \
            HALVES, entry, start_halves, of_halves, ELEMENT(inputs, __VA_ARGS__)                             \
        }                                                                                                    \
    }
#define UNARY_ESTIMATE(start, of_floats, of_halves, ...)                                                     \
    ESTIMATES(1, 20, start, start, of_floats, of_halves, __VA_ARGS__)
#define BINARY_ESTIMATE(of_floats, of_halves, ...) ESTIMATES(2, 11, 29, 26, of_floats, of_halves, __VA_ARGS__)

/* With single instructions tanh x = e / (e + 2), e = expm1 2x. */
static const estimate unary_estimates[IPU_UNARY_FUNCTIONS][2] = {
    [IPU_EXP] = UNARY_ESTIMATE(33, 6, 4, [IPU_OP_EXP] = 1),
    [IPU_LN] = UNARY_ESTIMATE(17, 12, 4, [IPU_OP_LOG] = 1),
    [IPU_TANH] = UNARY_ESTIMATE(
        17, 12, 4, [IPU_OP_MULTIPLY] = 1, [IPU_OP_EXPM1] = 1, [IPU_OP_ADD] = 1, [IPU_OP_DIVIDE] = 1),
    [IPU_SIGMOID] = UNARY_ESTIMATE(17, 12, 6, [IPU_OP_EXP] = 1, [IPU_OP_ADD] = 1, [IPU_OP_DIVIDE] = 1),
    [IPU_SQRT] = UNARY_ESTIMATE(17, 10, 23, [IPU_OP_SQRT] = 1),
    [IPU_RSQRT] = UNARY_ESTIMATE(17, 8, 19, [IPU_OP_SQRT] = 1, [IPU_OP_DIVIDE] = 1),
    [IPU_INVERSE] = UNARY_ESTIMATE(17, 6, 15, [IPU_OP_DIVIDE] = 1)};

static const estimate binary_estimates[IPU_BINARY_FUNCTIONS][2] = {
    [IPU_ADD] = BINARY_ESTIMATE(3, 3, [IPU_OP_ADD] = 1),
    [IPU_SUBTRACT] = BINARY_ESTIMATE(3, 3, [IPU_OP_ADD] = 1),
    [IPU_MULTIPLY] = BINARY_ESTIMATE(3, 3, [IPU_OP_MULTIPLY] = 1),
    [IPU_DIVIDE] = BINARY_ESTIMATE(10, 21, [IPU_OP_DIVIDE] = 1),
    [IPU_MAXIMUM] = BINARY_ESTIMATE(3, 4, [IPU_OP_COMPARE] = 1),
    [IPU_MINIMUM] = BINARY_ESTIMATE(3, 4, [IPU_OP_COMPARE] = 1)};

static const ipu_mix scaled_addition = ELEMENT(2, [IPU_OP_MULTIPLY] = 1, [IPU_OP_ADD] = 1),
                     conversion = ELEMENT(1, [IPU_OP_CONVERT] = 1),
                     filling = {.count = {[IPU_OP_STORE] = 1, [IPU_OP_ADDRESS] = 1, [IPU_OP_LOOP] = 1}};

static ipu_cycles scaled_add_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    if (target->instructions.issue == IPU_SINGLE)
        return single_cost(target, &scaled_addition, n[1], target->instructions.f32_lanes);
    const uint64_t vectors = vectors_of(target, n[1], FLOATS);
    return (ipu_cycles){.entry = 57, .worker = 15 + 6 + 3 * (vectors - 1) + 3};
}

#define CAST_COST(name, turns)                                                                               \
    static ipu_cycles name##_cost(const ipu_target *target, const size_t *n, const void *context)            \
    {                                                                                                        \
        (void)context;                                                                                       \
        const uint64_t m = ipu_divide_up(n[0], target->worker_contexts);                                     \
        if (target->instructions.issue == IPU_SINGLE)                                                        \
            return single_cost(target, &conversion, n[0], target->instructions.f32_lanes);                   \
        return (ipu_cycles){.entry = 12, .worker = 18 + 19 + (turns)};                                       \
    }

CAST_COST(float_to_half, 2 * (m / 4) + 2 + 2 * (m % 2 + m / 2 % 2))
CAST_COST(half_to_float, m / 2 + 1 + 2 * (m % 2))
CAST_COST(float_to_int, 2 * m)
CAST_COST(int_to_float, 2 * m)

/* Of one worker. */
static ipu_cycles fill_cost(const ipu_target *target, size_t n, size_t lanes, uint64_t paired)
{
    const ipu_instruction_costs *costs = &target->instructions;
    return (ipu_cycles){
        .worker = costs->issue == IPU_SINGLE ? ipu_mix_loop(&filling, costs, n, lanes) : paired};
}

static ipu_cycles fill_words_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return fill_cost(target, n[0], target->instructions.f32_lanes, 23 + n[0] / FLOATS + n[0] % FLOATS);
}

static ipu_cycles fill_halves_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return fill_cost(target, n[0], target->instructions.f16_lanes,
        n[0] == 1   ? 15
        : n[0] == 2 ? 21
                    : 26 + n[0] / HALVES);
}

/* ---- codelets ---- */

static const ipu_field unary_fields[][2] = {
    [IPU_FLOAT] = {{"in", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}},
    [IPU_HALF] = {{"in", IPU_INPUT, IPU_HALF}, {"out", IPU_OUTPUT, IPU_HALF}}};
static const ipu_field binary_fields[][3] = {
    [IPU_FLOAT] = {{"a", IPU_INPUT, IPU_FLOAT}, {"b", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}},
    [IPU_HALF] = {{"a", IPU_INPUT, IPU_HALF}, {"b", IPU_INPUT, IPU_HALF}, {"out", IPU_OUTPUT, IPU_HALF}}};
static const ipu_field scaled_fields[] = {{"b", IPU_INPUT, IPU_FLOAT}, {"a", IPU_INOUT, IPU_FLOAT}};

#define CODELET(title, n, fields, compute, cost, context)                                                    \
    {                                                                                                        \
        title, n, fields, compute, cost, .code_bytes = IPU_LIBRARY_CODE_BYTES,                               \
                                         .vertex_bytes = IPU_LIBRARY_VERTEX_BYTES, .context_bytes = context  \
    }
#define PAIR(function, n, fields, name)                                                                      \
    [function] = {CODELET(#name, n, fields[IPU_FLOAT], name##_float, vectors_cost, sizeof(estimate)),        \
        CODELET(#name, n, fields[IPU_HALF], name##_half, vectors_cost, sizeof(estimate))}

static const ipu_codelet unary[IPU_UNARY_FUNCTIONS][2] = {PAIR(IPU_EXP, 2, unary_fields, exp),
    PAIR(IPU_LN, 2, unary_fields, ln), PAIR(IPU_TANH, 2, unary_fields, tanh),
    PAIR(IPU_SIGMOID, 2, unary_fields, sigmoid), PAIR(IPU_SQRT, 2, unary_fields, sqrt),
    PAIR(IPU_RSQRT, 2, unary_fields, rsqrt), PAIR(IPU_INVERSE, 2, unary_fields, inverse)};

static const ipu_codelet binary[IPU_BINARY_FUNCTIONS][2] = {PAIR(IPU_ADD, 3, binary_fields, add),
    PAIR(IPU_SUBTRACT, 3, binary_fields, subtract), PAIR(IPU_MULTIPLY, 3, binary_fields, multiply),
    PAIR(IPU_DIVIDE, 3, binary_fields, divide), PAIR(IPU_MAXIMUM, 3, binary_fields, maximum),
    PAIR(IPU_MINIMUM, 3, binary_fields, minimum)};

static const ipu_codelet scaled =
    CODELET("scaled add", 2, scaled_fields, scaled_add, scaled_add_cost, sizeof(float));

#define CASTING(from, to, name)                                                                              \
    CODELET("cast", 2, ((const ipu_field[]){{"in", IPU_INPUT, from}, {"out", IPU_OUTPUT, to}}), name,        \
        name##_cost, 0)

static const ipu_codelet casts[] = {CASTING(IPU_FLOAT, IPU_HALF, float_to_half),
    CASTING(IPU_HALF, IPU_FLOAT, half_to_float), CASTING(IPU_FLOAT, IPU_INT, float_to_int),
    CASTING(IPU_INT, IPU_FLOAT, int_to_float)};

#define FILLING(type, name, bytes)                                                                           \
    {                                                                                                        \
        "fill", 1, (const ipu_field[]){{"out", IPU_OUTPUT, type}}, name, name##_cost,                        \
            IPU_LIBRARY_CODE_BYTES, IPU_LIBRARY_VERTEX_BYTES, .kind = IPU_SINGLE_WORKER,                     \
                                                              .context_bytes = bytes                         \
    }

static const ipu_codelet fills[] = {FILLING(IPU_FLOAT, fill_words, 4), FILLING(IPU_HALF, fill_halves, 2),
    FILLING(IPU_INT, fill_words, 4), FILLING(IPU_UNSIGNED_INT, fill_words, 4)};

#define ALL(list, n, codelets) ipu_list_codelets(list, n, codelets, sizeof(codelets) / sizeof(ipu_codelet))

size_t ipu_elementwise_codelets(const ipu_codelet **list)
{
    size_t n = 0;
    for (int f = 0; f < IPU_UNARY_FUNCTIONS; f++) n = ALL(list, n, unary[f]);
    for (int f = 0; f < IPU_BINARY_FUNCTIONS; f++) n = ALL(list, n, binary[f]);
    n = ALL(list, n, casts);
    n = ALL(list, n, fills);
    return ipu_list_codelets(list, n, &scaled, 1);
}

/* ---- a vertex for each range of the result ---- */

typedef struct adding {
    ipu_graph *graph;
    uint32_t set;
    const ipu_codelet *codelet;
    const void *context;
    const ipu_tensor *inputs; /* of all fields except the last */
} adding;

/* Adds a vertex for one range of the result. */
static mt_status add_vertex(const adding *a, const ipu_tile_range *range)
{
    const size_t last = a->codelet->n_fields - 1;
    ipu_tensor tensor;
    size_t vertex;
    MT_TRY(ipu_graph_add_vertex(a->graph, a->set, a->codelet, range->tile, a->context, &vertex));
    for (size_t f = 0; f < last; f++) {
        MT_TRY(ipu_graph_slice(a->graph, a->inputs[f], range->at, range->slice.n, &tensor));
        MT_TRY(ipu_graph_connect(a->graph, vertex, a->codelet->fields[f].name, tensor));
    }
    MT_TRY(ipu_graph_add_tensor(a->graph, &range->slice, 1, &tensor));
    return ipu_graph_connect(a->graph, vertex, a->codelet->fields[last].name, tensor);
}

static mt_status check(const adding *a, ipu_tensor out)
{
    for (size_t f = 0; f + 1 < a->codelet->n_fields; f++) {
        const ipu_tensor *in = &a->inputs[f];
        const ipu_field *field = &a->codelet->fields[f];
        if (in->n != out.n || (in->type != field->type && out.n > 0))
            return mt_fail(MT_INPUT, "%s: '%s' has %zu elements of type %s; allowed: %zu of type %s",
                a->codelet->name, field->name, in->n, ipu_type_name(in->type), out.n,
                ipu_type_name(field->type));
    }
    return MT_OK;
}

/* Adds one multi-worker vertex, or one vertex per worker. */
static mt_status add_range(const adding *a, const ipu_tile_range *range)
{
    const size_t n = range->slice.n, workers = a->graph->target.worker_contexts;
    const size_t shares = a->codelet->kind == IPU_MULTI_WORKER ? 1 : n < workers ? n : workers;
    for (size_t s = 0; s < shares; s++) {
        const size_t from = n * s / shares, to = n * (s + 1) / shares;
        MT_TRY(add_vertex(
            a, &(ipu_tile_range){range->tile, {range->slice.variable, range->slice.from + from, to - from},
                   range->at + from, range->there + from}));
    }
    return MT_OK;
}

static mt_status add(const adding *a, ipu_tensor out)
{
    MT_SCRATCH(scratch);
    ipu_tile_range *ranges;
    size_t n = 0;
    MT_TRY(check(a, out));
    MT_TRY(ipu_ranges_of(scratch, a->graph, out, a->codelet->name, &ranges, &n));
    for (size_t k = 0; k < n; k++) MT_TRY(add_range(a, &ranges[k]));
    return MT_OK;
}

/* Selects the codelet of floats or of halves (NULL if there is none). */
static mt_status choose(
    const ipu_codelet *floats, const ipu_codelet *halves, ipu_type type, const ipu_codelet **codelet)
{
    *codelet = type == IPU_FLOAT ? floats : type == IPU_HALF ? halves : NULL;
    if (*codelet) return MT_OK;
    return mt_fail(MT_INPUT, "%s: of type %s; allowed: float%s", floats->name, ipu_type_name(type),
        halves ? " or half" : "");
}

mt_status ipu_add_unary(
    ipu_graph *graph, uint32_t compute_set, ipu_unary function, ipu_tensor in, ipu_tensor out)
{
    adding a = {.graph = graph, .set = compute_set, .inputs = &in};
    if (function >= IPU_UNARY_FUNCTIONS)
        return mt_fail(MT_INPUT, "unary function %d; allowed: below %d", (int)function, IPU_UNARY_FUNCTIONS);
    MT_TRY(choose(&unary[function][0], &unary[function][1], out.type, &a.codelet));
    a.context = &unary_estimates[function][out.type == IPU_HALF];
    return add(&a, out);
}

mt_status ipu_add_binary(
    ipu_graph *graph, uint32_t compute_set, ipu_binary function, ipu_tensor a, ipu_tensor b, ipu_tensor out)
{
    const ipu_tensor inputs[] = {a, b};
    adding all = {.graph = graph, .set = compute_set, .inputs = inputs};
    if (function >= IPU_BINARY_FUNCTIONS)
        return mt_fail(
            MT_INPUT, "binary function %d; allowed: below %d", (int)function, IPU_BINARY_FUNCTIONS);
    MT_TRY(choose(&binary[function][0], &binary[function][1], out.type, &all.codelet));
    all.context = &binary_estimates[function][out.type == IPU_HALF];
    return add(&all, out);
}

mt_status ipu_add_scaled_add(
    ipu_graph *graph, uint32_t compute_set, const float *scale, ipu_tensor a, ipu_tensor b)
{
    adding all = {.graph = graph, .set = compute_set, .inputs = &b, .context = scale};
    MT_TRY(choose(&scaled, NULL, a.type, &all.codelet));
    return add(&all, a);
}

mt_status ipu_add_cast(ipu_graph *graph, uint32_t compute_set, ipu_tensor in, ipu_tensor out)
{
    adding a = {.graph = graph, .set = compute_set, .inputs = &in};
    for (size_t k = 0; k < sizeof casts / sizeof *casts; k++)
        if (casts[k].fields[0].type == in.type && casts[k].fields[1].type == out.type) a.codelet = &casts[k];
    if (a.codelet) return add(&a, out);
    return mt_fail(MT_INPUT, "cast: %s to %s; allowed: float to half or int, half or int to float",
        ipu_type_name(in.type), ipu_type_name(out.type));
}

mt_status ipu_add_fill(ipu_graph *graph, uint32_t compute_set, const void *value, ipu_tensor out)
{
    adding a = {.graph = graph, .set = compute_set, .context = value};
    for (size_t k = 0; k < sizeof fills / sizeof *fills; k++)
        if (fills[k].fields[0].type == out.type) a.codelet = &fills[k];
    if (a.codelet) return add(&a, out);
    return mt_fail(
        MT_INPUT, "fill: of type %s; allowed: float, half, int or unsigned int", ipu_type_name(out.type));
}
