#include "ipu/library/reduction.h"

#include <math.h>

#include "ipu/cost/mix.h"
#include "ipu/library/vertices.h"
#include "ipu/machine/half.h"
#include "ipu/machine/integer.h"

enum { ADDED_AT_ONCE = 4 };

/* Types of input and result. */
typedef enum kind { FLOATS, OF_HALVES, TO_HALVES, INTS, KINDS } kind;

/* The context of a vertex: its input is rows of `width` elements. It reduces as many columns as its result has, starting at
 * `first`. */
typedef struct job {
    ipu_reduction reduction;
    kind kind;
    size_t width, first;
} job;

#define ADD(name, from, to, read, write)                                                                     \
    static void name(const ipu_span *f, const void *context)                                                 \
    {                                                                                                        \
        const job *j = context;                                                                              \
        to *out = f[1].data;                                                                                 \
        for (size_t k = 0; k < f[1].n; k++) {                                                                \
            const from *column = (const from *)f[0].data + j->first + k;                                     \
            float sum[ADDED_AT_ONCE] = {0};                                                                  \
            for (size_t row = 0; row < f[0].n / j->width; row++)                                             \
                sum[row % ADDED_AT_ONCE] += read(column[row * j->width]);                                    \
            out[k] = write((sum[0] + sum[1]) + (sum[2] + sum[3]));                                           \
        }                                                                                                    \
    }

#define FOLD(name, value, from, to, read, write, expression)                                                 \
    static void name(const ipu_span *f, const void *context)                                                 \
    {                                                                                                        \
        const job *j = context;                                                                              \
        to *out = f[1].data;                                                                                 \
        for (size_t k = 0; k < f[1].n; k++) {                                                                \
            const from *column = (const from *)f[0].data + j->first + k;                                     \
            value x = read(column[0]);                                                                       \
            for (size_t row = 1; row < f[0].n / j->width; row++) {                                           \
                const value y = read(column[row * j->width]);                                                \
                x = (expression);                                                                            \
            }                                                                                                \
            out[k] = write(x);                                                                               \
        }                                                                                                    \
    }

#define FOLD_FLOATS(name, expression)                                                                        \
    FOLD(name##_floats, float, float, float, , , expression)                                                 \
    FOLD(name##_of_halves, float, uint16_t, float, ipu_half_value, , expression)                             \
    FOLD(name##_to_halves, float, float, uint16_t, , ipu_half_of, expression)

ADD(add_floats, float, float, , )
ADD(add_of_halves, uint16_t, float, ipu_half_value, )
ADD(add_to_halves, float, uint16_t, , ipu_half_of)
FOLD(add_ints, uint32_t, uint32_t, uint32_t, , , x + y)
FOLD_FLOATS(multiply, x *y)
FOLD(multiply_ints, uint32_t, uint32_t, uint32_t, , , x *y)
FOLD_FLOATS(maximum, fmaxf(x, y))
FOLD(maximum_ints, int32_t, int32_t, int32_t, , , x > y ? x : y)
FOLD_FLOATS(minimum, fminf(x, y))
FOLD(minimum_ints, int32_t, int32_t, int32_t, , , x < y ? x : y)

/* Returns the worker cycles on a machine that issues single instructions. One column is reduced in as many parts as a vector has
 * lanes, which are then reduced one after another; several columns in vectors of columns. Vectors have no ints. */
static uint64_t single_cycles(const ipu_instruction_costs *costs, const job *j, size_t rows, size_t columns)
{
    const bool of_ints = j->kind == INTS;
    const size_t lanes = of_ints ? 1 : j->kind == OF_HALVES ? costs->f16_lanes : costs->f32_lanes;
    const ipu_mix element = {.count = {[IPU_OP_LOAD] = 1,
                                 [IPU_OP_ADD] = !of_ints,
                                 [IPU_OP_INTEGER] = of_ints,
                                 [IPU_OP_ADDRESS] = 1,
                                 [IPU_OP_LOOP] = 1}},
                  together = {.count = {[IPU_OP_ADD] = 1}}, result = {.count = {[IPU_OP_STORE] = 1}};
    if (j->width == 1)
        return ipu_mix_loop(&element, costs, rows, lanes) +
               ipu_mix_loop(&together, costs, lanes > 1 ? lanes - 1 : 0, 1) +
               ipu_mix_loop(&result, costs, 1, 1);
    return ipu_mix_loop(&element, costs, rows * ipu_mix_turns(columns, lanes), 1) +
           ipu_mix_loop(&result, costs, columns, lanes);
}

/* Returns the worker cycles for `rows` rows of `columns` columns. */
static uint64_t worker_cycles(const ipu_target *target, const job *j, size_t rows, size_t columns)
{
    if (target->instructions.issue == IPU_SINGLE)
        return single_cycles(&target->instructions, j, rows, columns);
    const size_t vector = j->kind == INTS ? 1 : j->kind == OF_HALVES ? 4 : 2;
    const bool adds = j->reduction == IPU_REDUCE_ADD;
    if (j->width == 1)
        return 17 + rows / vector + rows % (adds && j->kind != INTS ? 2 * vector : vector) +
               (j->kind == TO_HALVES || j->kind == INTS ? 5 : 0);
    const size_t together = j->width % vector == 0 ? vector : j->width % 2 == 0 && vector > 1 ? 2 : 1;
    const uint64_t turn = rows + (j->kind == OF_HALVES ? adds ? 12 : 13 : adds ? 10 : 9);
    return 16 + ipu_divide_up(columns, together) * turn;
}

static ipu_cycles cost(const ipu_target *target, const size_t *n, const void *context)
{
    const job *j = context;
    return (ipu_cycles){
        target->vertex_entry_cycles, .worker = worker_cycles(target, j, n[0] / j->width, n[1])};
}

#define CODELET(title, function, from, to)                                                                   \
    {                                                                                                        \
        "reduce: " title, 2, (const ipu_field[]){{"in", IPU_INPUT, from}, {"out", IPU_OUTPUT, to}},          \
            function, cost, IPU_LIBRARY_CODE_BYTES, IPU_LIBRARY_VERTEX_BYTES, .kind = IPU_SINGLE_WORKER,     \
                                                                              .context_bytes = sizeof(job)   \
    }
#define CODELETS(title, name)                                                                                \
    {                                                                                                        \
        [FLOATS] = CODELET(title, name##_floats, IPU_FLOAT, IPU_FLOAT),                                      \
        [OF_HALVES] = CODELET(title, name##_of_halves, IPU_HALF, IPU_FLOAT),                                 \
        [TO_HALVES] = CODELET(title, name##_to_halves, IPU_FLOAT, IPU_HALF),                                 \
        [INTS] = CODELET(title, name##_ints, IPU_INT, IPU_INT)                                               \
    }

static const ipu_codelet codelets[IPU_REDUCTIONS][KINDS] = {[IPU_REDUCE_ADD] = CODELETS("add", add),
    [IPU_REDUCE_MULTIPLY] = CODELETS("multiply", multiply),
    [IPU_REDUCE_MAXIMUM] = CODELETS("maximum", maximum),
    [IPU_REDUCE_MINIMUM] = CODELETS("minimum", minimum)};

size_t ipu_reduction_codelets(const ipu_codelet **list)
{
    size_t n = 0;
    for (int r = 0; r < IPU_REDUCTIONS; r++) n = ipu_list_codelets(list, n, codelets[r], KINDS);
    return n;
}

const char *ipu_reduction_name(ipu_reduction reduction) { return codelets[reduction][FLOATS].name; }

size_t ipu_reduced_at_once(ipu_type type) { return type == IPU_HALF ? 4 : 2; }

/* Returns the columns of one of `shares` workers. */
static size_t columns_of_one(size_t columns, size_t shares, ipu_type type)
{
    return ipu_round_up(ipu_divide_up(columns, shares), ipu_reduced_at_once(type));
}

uint64_t ipu_reduction_cycles(
    const ipu_target *target, ipu_reduction reduction, ipu_type type, size_t rows, size_t columns)
{
    const size_t each = columns_of_one(columns, target->worker_contexts, type);
    const job j = {reduction, type == IPU_INT ? INTS : FLOATS, columns, 0};
    return target->worker_contexts * worker_cycles(target, &j, rows, each < columns ? each : columns);
}

mt_status ipu_add_reduction(ipu_graph *graph, uint32_t set, ipu_reduction reduction, uint32_t tile,
    ipu_tensor in, ipu_tensor out, size_t shares)
{
    const size_t each = columns_of_one(out.n, shares, in.type);
    const kind as = in.type == IPU_INT     ? INTS
                    : in.type == IPU_HALF  ? OF_HALVES
                    : out.type == IPU_HALF ? TO_HALVES
                                           : FLOATS;
    for (size_t from = 0; from < out.n; from += each) {
        const size_t n = out.n - from < each ? out.n - from : each;
        job *j;
        ipu_tensor some;
        size_t vertex;
        MT_ALLOC(graph->arena, j, 1);
        *j = (job){reduction, as, out.n, from};
        MT_TRY(ipu_graph_add_vertex(graph, set, &codelets[reduction][as], tile, j, &vertex));
        MT_TRY(ipu_graph_slice(graph, out, from, n, &some));
        MT_TRY(ipu_graph_connect(graph, vertex, "in", in));
        MT_TRY(ipu_graph_connect(graph, vertex, "out", some));
    }
    return MT_OK;
}
