#include "ipu/library/reduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ipu/library/vertices.h"
#include "ipu/machine/integer.h"

enum { MOST_STEPS = 8, ADDED_AT_ONCE = 4, OTHERS_AT_ONCE = 2 };

/* ---- the codelets ---- */

static void add(const ipu_span *f, const void *context)
{
    (void)context;
    const float *in = f[0].data;
    float sum[ADDED_AT_ONCE] = {0};
    for (size_t i = 0; i < f[0].n; i++) sum[i % ADDED_AT_ONCE] += in[i];
    *(float *)f[1].data = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

#define FOLD(name, expression)                                                                               \
    static void name(const ipu_span *f, const void *context)                                                 \
    {                                                                                                        \
        (void)context;                                                                                       \
        const float *in = f[0].data;                                                                         \
        float x = in[0];                                                                                     \
        for (size_t i = 1; i < f[0].n; i++) {                                                                \
            const float y = in[i];                                                                           \
            x = (expression);                                                                                \
        }                                                                                                    \
        *(float *)f[1].data = x;                                                                             \
    }

FOLD(multiply, x *y)
FOLD(maximum, fmaxf(x, y))
FOLD(minimum, fminf(x, y))

static uint64_t worker_cycles(ipu_reduction reduction, size_t n)
{
    return 17 + n / 2 + n % (reduction == IPU_REDUCE_ADD ? ADDED_AT_ONCE : OTHERS_AT_ONCE);
}

static ipu_cycles add_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return (ipu_cycles){target->vertex_entry_cycles, .worker = worker_cycles(IPU_REDUCE_ADD, n[0])};
}

static ipu_cycles fold_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return (ipu_cycles){target->vertex_entry_cycles, .worker = worker_cycles(IPU_REDUCE_MAXIMUM, n[0])};
}

static const ipu_field fields[] = {{"in", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}};

#define CODELET(title, compute, cost)                                                                        \
    {                                                                                                        \
        title, 2, fields, compute, cost, IPU_LIBRARY_CODE_BYTES, IPU_LIBRARY_VERTEX_BYTES,                   \
            IPU_SINGLE_WORKER, NULL, 0                                                                       \
    }

static const ipu_codelet codelets[IPU_REDUCTIONS] = {[IPU_REDUCE_ADD] = CODELET("reduce: add", add, add_cost),
    [IPU_REDUCE_MULTIPLY] = CODELET("reduce: multiply", multiply, fold_cost),
    [IPU_REDUCE_MAXIMUM] = CODELET("reduce: maximum", maximum, fold_cost),
    [IPU_REDUCE_MINIMUM] = CODELET("reduce: minimum", minimum, fold_cost)};

/* ---- the tree ---- */

/* What a tile holds of the current variable of parts. */
typedef struct branch {
    uint32_t tile;
    size_t from, n;
    size_t share; /* at first: the most elements of which a worker makes a part */
} branch;

typedef struct tree {
    ipu_graph *graph;
    mt_arena *scratch;
    ipu_reduction reduction;
    ipu_tile_range result;
    uint32_t parts; /* the current variable */
    branch *branches;
    size_t n_branches; /* in the order of their tiles */
    const ipu_program *steps[MOST_STEPS + 3];
    size_t n_steps;
} tree;

static size_t chip_of(const tree *t, size_t k)
{
    return ipu_target_chip(&t->graph->target, t->branches[k].tile);
}

/* Adds a compute set, and to the program its execution. */
static mt_status add_step(tree *t, uint32_t *set)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s, step %zu", codelets[t->reduction].name, t->n_steps + 1);
    MT_TRY(ipu_graph_add_compute_set(t->graph, name, set));
    return ipu_program_execute(t->graph->arena, *set, &t->steps[t->n_steps++]);
}

static mt_status add_parts(tree *t, size_t n, uint32_t *variable)
{
    MT_TRY(ipu_graph_add_variable(t->graph, "parts", IPU_FLOAT, n, variable));
    return ipu_graph_set_temporary(t->graph, *variable);
}

static mt_status add_vertex(tree *t, uint32_t set, uint32_t tile, ipu_slice in, ipu_slice out)
{
    size_t vertex;
    ipu_tensor tensor;
    MT_TRY(ipu_graph_add_vertex(t->graph, set, &codelets[t->reduction], tile, NULL, &vertex));
    MT_TRY(ipu_graph_add_tensor(t->graph, &in, 1, &tensor));
    MT_TRY(ipu_graph_connect(t->graph, vertex, "in", tensor));
    MT_TRY(ipu_graph_add_tensor(t->graph, &out, 1, &tensor));
    return ipu_graph_connect(t->graph, vertex, "out", tensor);
}

static int by_tile(const void *left, const void *right)
{
    const ipu_tile_range *a = left;
    const ipu_tile_range *b = right;
    if (a->tile != b->tile) return a->tile < b->tile ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* The branches of the sorted ranges; `from` counts parts. */
static void find_branches(tree *t, const ipu_tile_range *ranges, size_t n, size_t *n_parts)
{
    *n_parts = t->n_branches = 0;
    for (size_t r = 0, end; r < n; r = end) {
        size_t there = 0;
        for (end = r; end < n && ranges[end].tile == ranges[r].tile; end++) there += ranges[end].slice.n;
        branch *b = &t->branches[t->n_branches++];
        *b = (branch){ranges[r].tile, *n_parts, 0, ipu_divide_up(there, t->graph->target.worker_contexts)};
        for (size_t k = r; k < end; k++) b->n += ipu_divide_up(ranges[k].slice.n, b->share);
        *n_parts += b->n;
    }
}

/* Every worker reduces its share of its tile's elements. */
static mt_status reduce_shares(tree *t, ipu_tile_range *ranges, size_t n)
{
    uint32_t set;
    size_t n_parts, part = 0;
    qsort(ranges, n, sizeof *ranges, by_tile);
    MT_ALLOC(t->scratch, t->branches, n);
    find_branches(t, ranges, n, &n_parts);
    MT_TRY(add_step(t, &set));
    MT_TRY(add_parts(t, n_parts, &t->parts));
    for (size_t r = 0, b = 0; b < t->n_branches; b++) {
        const branch *here = &t->branches[b];
        MT_TRY(ipu_graph_set_tile_mapping(t->graph, t->parts, here->from, here->n, here->tile));
        for (; r < n && ranges[r].tile == here->tile; r++) {
            const ipu_slice all = ranges[r].slice;
            const size_t shares = ipu_divide_up(all.n, here->share);
            for (size_t s = 0; s < shares; s++) {
                const size_t from = all.n * s / shares, to = all.n * (s + 1) / shares;
                MT_TRY(add_vertex(t, set, here->tile, (ipu_slice){all.variable, all.from + from, to - from},
                    (ipu_slice){t->parts, part++, 1}));
            }
        }
    }
    return MT_OK;
}

/* Brings every `group` branches of a chip together on the tile of the first. */
static mt_status combine(tree *t, size_t group)
{
    uint32_t set, variable;
    size_t n = 0;
    branch *next;
    MT_ALLOC(t->scratch, next, t->n_branches);
    for (size_t k = 0, end; k < t->n_branches; k = end, n++) {
        next[n] = t->branches[k];
        for (end = k + 1; end < t->n_branches && end < k + group && chip_of(t, end) == chip_of(t, k); end++)
            next[n].n += t->branches[end].n;
    }
    MT_TRY(add_step(t, &set));
    MT_TRY(add_parts(t, n, &variable));
    for (size_t k = 0; k < n; k++) {
        MT_TRY(ipu_graph_set_tile_mapping(t->graph, variable, k, 1, next[k].tile));
        MT_TRY(add_vertex(t, set, next[k].tile, (ipu_slice){t->parts, next[k].from, next[k].n},
            (ipu_slice){variable, k, 1}));
        next[k] = (branch){.tile = next[k].tile, .from = k, .n = 1};
    }
    t->parts = variable;
    t->branches = next;
    t->n_branches = n;
    return MT_OK;
}

/* All branches, on the tile of the result. */
static mt_status finish(tree *t)
{
    const branch *last = &t->branches[t->n_branches - 1];
    uint32_t set;
    MT_TRY(add_step(t, &set));
    return add_vertex(
        t, set, t->result.tile, (ipu_slice){t->parts, 0, last->from + last->n}, t->result.slice);
}

/* ---- its shape ---- */

typedef struct shape {
    bool own; /* a tile first combines the parts of its workers */
    size_t steps, group;
} shape;

static uint64_t combining_cycles(const tree *t, size_t k, size_t w)
{
    const ipu_target *m = &t->graph->target;
    return m->sync_cycles + m->exchange_fixed_cycles + k * (w + m->exchange_fragment_cycles) +
           m->worker_contexts * worker_cycles(t->reduction, k * w);
}

/* The smallest group of which so many steps combine k. */
static size_t group_of(size_t k, size_t steps)
{
    for (size_t group = 1;; group++) {
        size_t left = k;
        for (size_t s = 0; s < steps; s++) left = ipu_divide_up(left, group);
        if (left <= 1) return group;
    }
}

static uint64_t shape_cycles(const tree *t, shape s, size_t k, size_t w)
{
    uint64_t cycles = s.own ? t->graph->target.worker_contexts * worker_cycles(t->reduction, w) : 0;
    size_t words = s.own ? 1 : w;
    for (size_t i = 0; i < s.steps; i++) {
        cycles += combining_cycles(t, s.group < k ? s.group : k, words);
        k = ipu_divide_up(k, s.group);
        words = 1;
    }
    return cycles;
}

/* For the chip with most branches and the branch with most parts. */
static shape best_shape(const tree *t)
{
    size_t most = 0, words = 0;
    for (size_t k = 0, end; k < t->n_branches; k = end) {
        for (end = k; end < t->n_branches && chip_of(t, end) == chip_of(t, k); end++)
            words = t->branches[end].n > words ? t->branches[end].n : words;
        most = end - k > most ? end - k : most;
    }
    shape best = {false, 1, most};
    for (int own = 0; own < 2; own++)
        for (size_t steps = 1; steps <= MOST_STEPS; steps++) {
            const shape s = {own, steps, group_of(most, steps)};
            if (shape_cycles(t, s, most, words) < shape_cycles(t, best, most, words)) best = s;
        }
    return best;
}

/* Whether all that is left is on one chip: then the last step of its tree writes the result. */
static bool one_chip(const tree *t) { return chip_of(t, 0) == chip_of(t, t->n_branches - 1); }

static mt_status reduce(tree *t, ipu_tensor in, ipu_tensor out, const ipu_program **program)
{
    ipu_tile_range *ranges, *result;
    size_t n;
    const char *name = codelets[t->reduction].name;
    MT_TRY(ipu_ranges_of(t->scratch, t->graph, out, name, &result, &n));
    t->result = result[0];
    MT_TRY(ipu_ranges_of(t->scratch, t->graph, in, name, &ranges, &n));
    MT_TRY(reduce_shares(t, ranges, n));
    const shape s = best_shape(t);
    if (s.own) MT_TRY(combine(t, 1));
    for (size_t k = one_chip(t) ? 1 : 0; k < s.steps; k++) MT_TRY(combine(t, s.group));
    MT_TRY(finish(t));
    return ipu_program_sequence(t->graph->arena, t->steps, t->n_steps, program);
}

mt_status ipu_reduce(
    ipu_graph *graph, ipu_reduction reduction, ipu_tensor in, ipu_tensor out, const ipu_program **program)
{
    if (reduction >= IPU_REDUCTIONS)
        return mt_fail(MT_INPUT, "reduction %d; allowed: below %d", (int)reduction, IPU_REDUCTIONS);
    const char *name = codelets[reduction].name;
    if (in.n == 0 || in.type != IPU_FLOAT)
        return mt_fail(MT_INPUT, "%s: of %zu elements of type %s; allowed: 1 or more of type float", name,
            in.n, ipu_type_name(in.type));
    if (out.n != 1 || out.type != IPU_FLOAT)
        return mt_fail(MT_INPUT, "%s: the result has %zu elements of type %s; allowed: 1 of type float", name,
            out.n, ipu_type_name(out.type));
    mt_arena scratch = {0};
    tree t = {.graph = graph, .scratch = &scratch, .reduction = reduction};
    const mt_status status = reduce(&t, in, out, program);
    mt_arena_free(&scratch);
    return status;
}
