#include "ipu/library/elementwise.h"

#include <math.h>

#include "ipu/library/ranges.h"
#include "ipu/machine/half.h"
#include "ipu/machine/integer.h"

enum { ENTRY = 11, SCALED_ADD_ENTRY = 57, CODE_BYTES = 256, VERTEX_BYTES = 16, FLOATS = 2, HALVES = 4 };

static uint64_t vectors_of(const ipu_target *target, size_t n, size_t width)
{
    return ipu_divide_up(ipu_divide_up(n, target->worker_contexts), width);
}

static ipu_cycles cost_of(const ipu_target *target, size_t n, size_t width, uint64_t start, uint64_t cycles)
{
    return (ipu_cycles){.entry = ENTRY, .worker = start + vectors_of(target, n, width) * cycles};
}

/* ---- the functions ---- */

/* A function of floats and one of halves, by an expression of x (and y). */
#define UNARY(name, start, of_floats, of_halves, expression)                                                 \
    static void name##_float(const ipu_span *f, const void *context)                                         \
    {                                                                                                        \
        (void)context;                                                                                       \
        const float *in = f[0].data;                                                                         \
        float *out = f[1].data;                                                                              \
        for (size_t i = 0; i < f[1].n; i++) {                                                                \
            const float x = in[i];                                                                           \
            out[i] = (expression);                                                                           \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_half(const ipu_span *f, const void *context)                                          \
    {                                                                                                        \
        (void)context;                                                                                       \
        const uint16_t *in = f[0].data;                                                                      \
        uint16_t *out = f[1].data;                                                                           \
        for (size_t i = 0; i < f[1].n; i++) {                                                                \
            const float x = ipu_half_value(in[i]);                                                           \
            out[i] = ipu_half_of(expression);                                                                \
        }                                                                                                    \
    }                                                                                                        \
    static ipu_cycles name##_float_cost(const ipu_target *target, const size_t *n, const void *context)      \
    {                                                                                                        \
        (void)context;                                                                                       \
        return cost_of(target, n[1], FLOATS, start, of_floats);                                              \
    }                                                                                                        \
    static ipu_cycles name##_half_cost(const ipu_target *target, const size_t *n, const void *context)       \
    {                                                                                                        \
        (void)context;                                                                                       \
        return cost_of(target, n[1], HALVES, start, of_halves);                                              \
    }

#define BINARY(name, of_floats, of_halves, expression)                                                       \
    static void name##_float(const ipu_span *f, const void *context)                                         \
    {                                                                                                        \
        (void)context;                                                                                       \
        const float *a = f[0].data, *b = f[1].data;                                                          \
        float *out = f[2].data;                                                                              \
        for (size_t i = 0; i < f[2].n; i++) {                                                                \
            const float x = a[i], y = b[i];                                                                  \
            out[i] = (expression);                                                                           \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_half(const ipu_span *f, const void *context)                                          \
    {                                                                                                        \
        (void)context;                                                                                       \
        const uint16_t *a = f[0].data, *b = f[1].data;                                                       \
        uint16_t *out = f[2].data;                                                                           \
        for (size_t i = 0; i < f[2].n; i++) {                                                                \
            const float x = ipu_half_value(a[i]), y = ipu_half_value(b[i]);                                  \
            out[i] = ipu_half_of(expression);                                                                \
        }                                                                                                    \
    }                                                                                                        \
    static ipu_cycles name##_float_cost(const ipu_target *target, const size_t *n, const void *context)      \
    {                                                                                                        \
        (void)context;                                                                                       \
        return cost_of(target, n[2], FLOATS, 29, of_floats);                                                 \
    }                                                                                                        \
    static ipu_cycles name##_half_cost(const ipu_target *target, const size_t *n, const void *context)       \
    {                                                                                                        \
        (void)context;                                                                                       \
        return cost_of(target, n[2], HALVES, 26, of_halves);                                                 \
    }

UNARY(exp, 33, 6, 4, expf(x))
UNARY(ln, 17, 12, 4, logf(x))
UNARY(tanh, 17, 12, 4, tanhf(x))
UNARY(sigmoid, 17, 12, 6, 1 / (1 + expf(-x)))
UNARY(sqrt, 17, 10, 23, sqrtf(x))
UNARY(rsqrt, 17, 8, 19, 1 / sqrtf(x))
UNARY(inverse, 17, 6, 15, 1 / x)

BINARY(add, 3, 3, x + y)
BINARY(subtract, 3, 3, x - y)
BINARY(multiply, 3, 3, x *y)
BINARY(divide, 10, 21, x / y)
BINARY(maximum, 3, 0, fmaxf(x, y))
BINARY(minimum, 3, 0, fminf(x, y))

static void scaled_add(const ipu_span *f, const void *context)
{
    const float scale = *(const float *)context, *b = f[0].data;
    float *a = f[1].data;
    for (size_t i = 0; i < f[1].n; i++) a[i] += scale * b[i];
}

static ipu_cycles scaled_add_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    const uint64_t vectors = vectors_of(target, n[1], FLOATS);
    return (ipu_cycles){.entry = SCALED_ADD_ENTRY, .worker = 15 + 6 + 3 * (vectors - 1) + 3};
}

/* ---- the codelets ---- */

static const ipu_field unary_fields[][2] = {
    [IPU_FLOAT] = {{"in", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}},
    [IPU_HALF] = {{"in", IPU_INPUT, IPU_HALF}, {"out", IPU_OUTPUT, IPU_HALF}}};
static const ipu_field binary_fields[][3] = {
    [IPU_FLOAT] = {{"a", IPU_INPUT, IPU_FLOAT}, {"b", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}},
    [IPU_HALF] = {{"a", IPU_INPUT, IPU_HALF}, {"b", IPU_INPUT, IPU_HALF}, {"out", IPU_OUTPUT, IPU_HALF}}};
static const ipu_field scaled_fields[] = {{"b", IPU_INPUT, IPU_FLOAT}, {"a", IPU_INOUT, IPU_FLOAT}};

#define CODELET(title, n, fields, compute, cost)                                                             \
    {                                                                                                        \
        title, n, fields, compute, cost, .code_bytes = CODE_BYTES, .vertex_bytes = VERTEX_BYTES              \
    }
#define PAIR(function, n, fields, name)                                                                      \
    [function] = {CODELET(#name, n, fields[IPU_FLOAT], name##_float, name##_float_cost),                     \
        CODELET(#name, n, fields[IPU_HALF], name##_half, name##_half_cost)}

static const ipu_codelet unary[IPU_UNARY_FUNCTIONS][2] = {PAIR(IPU_EXP, 2, unary_fields, exp),
    PAIR(IPU_LN, 2, unary_fields, ln), PAIR(IPU_TANH, 2, unary_fields, tanh),
    PAIR(IPU_SIGMOID, 2, unary_fields, sigmoid), PAIR(IPU_SQRT, 2, unary_fields, sqrt),
    PAIR(IPU_RSQRT, 2, unary_fields, rsqrt), PAIR(IPU_INVERSE, 2, unary_fields, inverse)};

static const ipu_codelet binary[IPU_BINARY_FUNCTIONS][2] = {PAIR(IPU_ADD, 3, binary_fields, add),
    PAIR(IPU_SUBTRACT, 3, binary_fields, subtract), PAIR(IPU_MULTIPLY, 3, binary_fields, multiply),
    PAIR(IPU_DIVIDE, 3, binary_fields, divide), PAIR(IPU_MAXIMUM, 3, binary_fields, maximum),
    PAIR(IPU_MINIMUM, 3, binary_fields, minimum)};

static const ipu_codelet scaled = CODELET("scaled add", 2, scaled_fields, scaled_add, scaled_add_cost);

/* ---- a vertex for each range of the result ---- */

typedef struct adding {
    ipu_graph *graph;
    uint32_t set;
    const ipu_codelet *codelet;
    const void *context;
    const ipu_tensor *inputs; /* of its fields but the last */
} adding;

/* The elements of one range of the result. */
static mt_status add_vertex(const adding *a, const ipu_range *range)
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
        if (in->n != out.n || (in->type != out.type && out.n > 0))
            return mt_fail(MT_INPUT,
                "%s: '%s' has %zu elements of type %s, the result %zu of type %s; allowed: as many, of one "
                "type",
                a->codelet->name, a->codelet->fields[f].name, in->n, ipu_type_name(in->type), out.n,
                ipu_type_name(out.type));
    }
    return MT_OK;
}

static mt_status add(const adding *a, ipu_tensor out)
{
    mt_arena scratch = {0};
    ipu_range *ranges;
    size_t n = 0;
    MT_TRY(check(a, out));
    mt_status status = ipu_ranges_of(&scratch, a->graph, out, a->codelet->name, &ranges, &n);
    for (size_t k = 0; k < n && status == MT_OK; k++) status = add_vertex(a, &ranges[k]);
    mt_arena_free(&scratch);
    return status;
}

/* The codelet of floats or the one of halves (null: there is none). */
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
    const ipu_codelet *halves = function < IPU_MAXIMUM ? &binary[function][1] : NULL;
    MT_TRY(choose(&binary[function][0], halves, out.type, &all.codelet));
    return add(&all, out);
}

mt_status ipu_add_scaled_add(
    ipu_graph *graph, uint32_t compute_set, const float *scale, ipu_tensor a, ipu_tensor b)
{
    adding all = {.graph = graph, .set = compute_set, .inputs = &b, .context = scale};
    MT_TRY(choose(&scaled, NULL, a.type, &all.codelet));
    return add(&all, a);
}
