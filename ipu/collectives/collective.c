#include "ipu/collectives/collective.h"

#include <math.h>
#include <stdio.h>

#include "ipu/library/vertices.h"
#include "ipu/machine/half.h"
#include "ipu/machine/integer.h"

const char *const ipu_operator_name[IPU_OPERATORS + 1] = {"add", "mul", "min", "max", "and", "or", NULL};

/* ---- codelets ---- */

enum { IN, INOUT, FIELDS };

/* Reduces each element with the elements of all ranges of "in", in their order. */
#define COMBINE(name, element, number, load, store, expression)                                              \
    static void name(const ipu_span *f, const void *context)                                                 \
    {                                                                                                        \
        const ipu_span *in = f[IN].data;                                                                     \
        element *out = f[INOUT].data;                                                                        \
        (void)context;                                                                                       \
        for (size_t k = 0; k < f[IN].n; k++)                                                                 \
            for (size_t i = 0; i < f[INOUT].n; i++) {                                                        \
                const number x = load(out[i]), y = load(((const element *)in[k].data)[i]);                   \
                out[i] = store(expression);                                                                  \
            }                                                                                                \
    }
#define COMBINE_ALL(name, of_floats, of_numbers)                                                             \
    COMBINE(name##_floats, float, float, , , of_floats)                                                      \
    COMBINE(name##_halves, uint16_t, float, ipu_half_value, ipu_half_of, of_floats)                          \
    COMBINE(name##_ints, int32_t, int32_t, , , of_numbers)                                                   \
    COMBINE(name##_unsigned, uint32_t, uint32_t, , , of_numbers)

COMBINE(add_floats, float, float, , , x + y)
COMBINE(add_halves, uint16_t, float, ipu_half_value, ipu_half_of, x + y)
COMBINE(add_unsigned, uint32_t, uint32_t, , , x + y)
COMBINE(multiply_floats, float, float, , , x *y)
COMBINE(multiply_halves, uint16_t, float, ipu_half_value, ipu_half_of, x *y)
COMBINE(multiply_unsigned, uint32_t, uint32_t, , , x *y)
COMBINE_ALL(least, fminf(x, y), x < y ? x : y)
COMBINE_ALL(most, fmaxf(x, y), x > y ? x : y)
COMBINE(and_unsigned, uint32_t, uint32_t, , , x &y)
COMBINE(or_unsigned, uint32_t, uint32_t, , , x | y)
COMBINE(and_bools, bool, bool, , , x &&y)
COMBINE(or_bools, bool, bool, , , x || y)

static ipu_cycles cost(const ipu_target *target, const size_t *n, size_t bytes)
{
    const size_t each = ipu_divide_up(n[INOUT], target->worker_contexts), ranges = n[FIELDS + IN];
    return (ipu_cycles){
        .entry = target->vertex_entry_cycles, .worker = 29 + ranges * 3 * ipu_divide_up(each * bytes, 8)};
}

#define COST(name, bytes)                                                                                    \
    static ipu_cycles name(const ipu_target *target, const size_t *n, const void *context)                   \
    {                                                                                                        \
        (void)context;                                                                                       \
        return cost(target, n, bytes);                                                                       \
    }

COST(cost_of_words, 4)
COST(cost_of_halves, 2)
COST(cost_of_bools, 1)

enum { TYPES = IPU_BOOL + 1 };

#define CODELET(title, type, function, cost)                                                                 \
    [type] = {"collective: " title, FIELDS,                                                                  \
        (const ipu_field[]){{"in", IPU_INPUT, type}, {"inout", IPU_INOUT, type}}, function, cost,            \
        .code_bytes = IPU_LIBRARY_CODE_BYTES, .vertex_bytes = IPU_LIBRARY_VERTEX_BYTES, .lists = 1 << IN}
#define ON_NUMBERS(title, name, ints)                                                                        \
    {                                                                                                        \
        CODELET(title, IPU_FLOAT, name##_floats, cost_of_words),                                             \
            CODELET(title, IPU_HALF, name##_halves, cost_of_halves),                                         \
            CODELET(title, IPU_INT, ints, cost_of_words),                                                    \
            CODELET(title, IPU_UNSIGNED_INT, name##_unsigned, cost_of_words)                                 \
    }
#define ON_BITS(title, name)                                                                                 \
    {                                                                                                        \
        CODELET(title, IPU_UNSIGNED_INT, name##_unsigned, cost_of_words),                                    \
            CODELET(title, IPU_BOOL, name##_bools, cost_of_bools)                                            \
    }

/* Signed ints use the unsigned sum and product, modulo 2^32. */
static const ipu_codelet codelets[IPU_OPERATORS][TYPES] = {
    [IPU_SUM] = ON_NUMBERS("add", add, add_unsigned),
    [IPU_PRODUCT] = ON_NUMBERS("mul", multiply, multiply_unsigned),
    [IPU_MINIMUM_OF] = ON_NUMBERS("min", least, least_ints),
    [IPU_MAXIMUM_OF] = ON_NUMBERS("max", most, most_ints),
    [IPU_AND] = ON_BITS("and", and),
    [IPU_OR] = ON_BITS("or", or),
};

size_t ipu_collective_codelets(const ipu_codelet **list)
{
    size_t n = 0;
    for (int o = 0; o < IPU_OPERATORS; o++)
        for (int t = 0; t < TYPES; t++)
            if (codelets[o][t].compute) n = ipu_list_codelets(list, n, &codelets[o][t], 1);
    return n;
}

/* ---- steps ---- */

/* The vector of a chip and its ranges, in the vector's order. */
typedef struct vector {
    ipu_tensor whole;
    ipu_tile_range *ranges;
    size_t n_ranges;
} vector;

typedef struct adding {
    ipu_graph *graph;
    const ipu_plan *plan;
    const ipu_codelet *codelet;
    const vector *vectors;
} adding;

/* Returns the first range that ends after an element. */
static size_t range_at(const vector *v, size_t element)
{
    size_t low = 0, high = v->n_ranges;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (v->ranges[middle].at + v->ranges[middle].slice.n <= element)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds a vertex for elements [begin, begin + n) of the receiver, which are on one tile. It reduces the elements of the senders
 * of n_hops hops into them. */
static mt_status add_vertex(
    const adding *a, uint32_t set, const ipu_hop *hops, size_t n_hops, uint32_t tile, size_t begin, size_t n)
{
    enum { MOST = 2 }; /* maximum of senders: one from each side */
    ipu_tensor in[MOST], inout;
    size_t vertex;
    MT_TRY(ipu_graph_add_vertex(a->graph, set, a->codelet, tile, NULL, &vertex));
    for (size_t h = 0; h < n_hops; h++)
        MT_TRY(ipu_graph_slice(a->graph, a->vectors[hops[h].from].whole, begin, n, &in[h]));
    MT_TRY(ipu_graph_slice(a->graph, a->vectors[hops[0].to].whole, begin, n, &inout));
    MT_TRY(ipu_graph_connect_list(a->graph, vertex, "in", in, n_hops));
    return ipu_graph_connect(a->graph, vertex, "inout", inout);
}

/* Adds the vertices by which one chip reduces one fragment. */
static mt_status add_reduction(const adding *a, uint32_t set, const ipu_hop *hops, size_t n_hops)
{
    const vector *to = &a->vectors[hops->to];
    const size_t end = hops->begin + hops->n;
    size_t at = hops->begin;
    for (size_t r = range_at(to, at); at < end; r++) {
        const size_t behind = to->ranges[r].at + to->ranges[r].slice.n, stop = behind < end ? behind : end;
        MT_TRY(add_vertex(a, set, hops, n_hops, to->ranges[r].tile, at, stop - at));
        at = stop;
    }
    return MT_OK;
}

static mt_status add_copy(const adding *a, uint32_t set, const ipu_hop *hop)
{
    ipu_tensor from, to;
    MT_TRY(ipu_graph_slice(a->graph, a->vectors[hop->from].whole, hop->begin, hop->n, &from));
    MT_TRY(ipu_graph_slice(a->graph, a->vectors[hop->to].whole, hop->begin, hop->n, &to));
    return ipu_graph_add_copy(a->graph, set, from, to);
}

static mt_status add_step(const adding *a, size_t step, const ipu_program **program)
{
    const ipu_plan *plan = a->plan;
    const bool reduces = step < plan->n_reducing;
    char name[64];
    uint32_t set;
    (void)snprintf(
        name, sizeof name, "%s %zu", reduces ? "reduce" : "gather", reduces ? step : step - plan->n_reducing);
    MT_TRY(ipu_graph_add_compute_set(a->graph, name, &set));
    for (size_t h = plan->first_hop[step], n = 1; h < plan->first_hop[step + 1]; h += n) {
        const ipu_hop *hop = &plan->hops[h];
        for (n = 1; h + n < plan->first_hop[step + 1] && hop[n].to == hop->to && hop[n].begin == hop->begin;)
            n++;
        MT_TRY(reduces ? add_reduction(a, set, hop, n) : add_copy(a, set, hop));
    }
    return ipu_program_execute(a->graph->arena, set, program);
}

/* ---- entry point ---- */

static mt_status check_vector(const adding *a, ipu_operator with, const ipu_tensor *vectors, uint32_t chip)
{
    const ipu_plan *plan = a->plan;
    const ipu_hop *hop = plan->hops;
    const ipu_tensor *v = &vectors[chip], *first = &vectors[hop->from];
    if (v->n != plan->n_elements)
        return mt_fail(MT_INPUT, "collective: %zu elements on chip %u; allowed: %zu, as planned", v->n, chip,
            plan->n_elements);
    if (v->type != first->type)
        return mt_fail(MT_INPUT, "collective: type %s on chip %u and %s on chip %u; allowed: one type",
            ipu_type_name(v->type), chip, ipu_type_name(first->type), hop->from);
    if (plan->n_reducing > 0 && !codelets[with][v->type].compute)
        return mt_fail(MT_INPUT, "collective: %s of type %s; allowed: %s", ipu_operator_name[with],
            ipu_type_name(v->type),
            with == IPU_AND || with == IPU_OR ? "unsigned int, bool" : "float, half, int, unsigned int");
    return MT_OK;
}

static mt_status check_place(const adding *a, const vector *v, uint32_t chip)
{
    for (size_t r = 0; r < v->n_ranges; r++) {
        const size_t there = ipu_target_chip(&a->graph->target, v->ranges[r].tile);
        if (there != chip)
            return mt_fail(MT_INPUT,
                "collective: element %zu of the vector of chip %u is on chip %zu; allowed: on the same chip",
                v->ranges[r].at, chip, there);
    }
    return MT_OK;
}

static mt_status find_vectors(mt_arena *scratch, const adding *a, ipu_operator with,
    const ipu_tensor *vectors, size_t n_chips, vector *found)
{
    const size_t n_hops = a->plan->first_hop[a->plan->n_steps];
    for (size_t h = 0; h < n_hops; h++) {
        const uint32_t chips[] = {a->plan->hops[h].from, a->plan->hops[h].to};
        for (int k = 0; k < 2; k++) {
            const uint32_t chip = chips[k];
            if (chip >= n_chips)
                return mt_fail(MT_INPUT, "collective: no vector of chip %u among %zu", chip, n_chips);
            if (found[chip].ranges) continue;
            MT_TRY(check_vector(a, with, vectors, chip));
            found[chip].whole = vectors[chip];
            MT_TRY(ipu_ranges_of(
                scratch, a->graph, vectors[chip], "collective", &found[chip].ranges, &found[chip].n_ranges));
            MT_TRY(check_place(a, &found[chip], chip));
        }
    }
    return MT_OK;
}

mt_status ipu_collective_program(ipu_graph *graph, const ipu_plan *plan, ipu_operator with,
    const ipu_tensor *vectors, size_t n_chips, const ipu_program **program)
{
    MT_SCRATCH(scratch);
    adding a = {.graph = graph, .plan = plan};
    const ipu_program **steps;
    vector *found;
    MT_ALLOC(scratch, found, n_chips);
    MT_TRY(find_vectors(scratch, &a, with, vectors, n_chips, found));
    a.vectors = found;
    if (plan->n_steps > 0) a.codelet = &codelets[with][found[plan->hops->from].whole.type];
    MT_ALLOC(scratch, steps, plan->n_steps);
    for (size_t s = 0; s < plan->n_steps; s++) MT_TRY(add_step(&a, s, &steps[s]));
    return ipu_program_sequence(graph->arena, steps, plan->n_steps, program);
}
