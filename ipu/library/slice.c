#include "ipu/library/slice.h"

#include <string.h>

#include "ipu/cost/mix.h"
#include "ipu/library/vertices.h"
#include "ipu/machine/integer.h"

enum { IN, INDEX, OUT, FIELDS };

/* ---- codelets ---- */

/* The context of a vertex: the rows of the larger tensor, and the vertex's first row of the smaller one. */
typedef struct shape {
    ipu_type type;
    size_t rows, first;
} shape;

static void slice(const ipu_span *f, const void *context)
{
    const shape *s = context;
    const size_t index = *(const uint32_t *)f[INDEX].data, columns = f[IN].n / s->rows,
                 bytes = columns * ipu_type_bytes(s->type);
    const char *in = f[IN].data;
    char *out = f[OUT].data;
    if (index >= s->rows) return;
    for (size_t k = 0; k < f[OUT].n / columns; k++)
        memcpy(out + k * bytes, in + (index + s->first + k) % s->rows * bytes, bytes);
}

static void update(const ipu_span *f, const void *context)
{
    const shape *s = context;
    const size_t index = *(const uint32_t *)f[INDEX].data, columns = f[OUT].n / s->rows,
                 bytes = columns * ipu_type_bytes(s->type);
    const char *in = f[IN].data;
    char *out = f[OUT].data;
    if (index >= s->rows) return;
    for (size_t k = 0; k < f[IN].n / columns; k++)
        memcpy(out + (index + k) % s->rows * bytes, in + k * bytes, bytes);
}

/* Returns the cost of k rows on a machine that issues single instructions. */
static ipu_cycles single_cost(const ipu_target *target, ipu_type type, size_t columns, size_t k)
{
    static const ipu_mix copy = {
        .count = {[IPU_OP_LOAD] = 1, [IPU_OP_STORE] = 1, [IPU_OP_ADDRESS] = 2, [IPU_OP_LOOP] = 1}};
    const ipu_instruction_costs *costs = &target->instructions;
    const size_t bytes = ipu_type_bytes(type), m = ipu_divide_up(columns, target->worker_contexts),
                 lanes = bytes == 4   ? costs->f32_lanes
                         : bytes == 2 ? costs->f16_lanes
                                      : 1;
    return (ipu_cycles){.entry = target->vertex_entry_cycles,
        .worker = ipu_mix_loop(&copy, costs, k * ipu_mix_turns(m, lanes), 1)};
}

/* Returns the cost of a vertex with `all` elements of the larger tensor and `some` of the smaller. */
static ipu_cycles cost(const ipu_target *target, const shape *s, size_t all, size_t some)
{
    const size_t columns = all / s->rows, k = some / columns, bytes = ipu_type_bytes(s->type);
    if (target->instructions.issue == IPU_SINGLE) return single_cost(target, s->type, columns, k);
    const uint64_t vectors = ipu_divide_up(columns, target->worker_contexts) / (bytes == 4 ? 2 : 4);
    return (ipu_cycles){
        .entry = 25, .worker = bytes == 1 ? 76 + k * (72 + 2 * vectors) : 39 + k * (24 + 2 * vectors)};
}

static ipu_cycles slice_cost(const ipu_target *target, const size_t *n, const void *context)
{
    return cost(target, context, n[IN], n[OUT]);
}

static ipu_cycles update_cost(const ipu_target *target, const size_t *n, const void *context)
{
    return cost(target, context, n[OUT], n[IN]);
}

/* The written field is IPU_INOUT: it is unchanged if the index is beyond the last row, and in the other rows. */
#define CODELET(title, compute, type)                                                                        \
    [type] = {title, FIELDS,                                                                                 \
        (const ipu_field[]){                                                                                 \
            {"in", IPU_INPUT, type}, {"index", IPU_INPUT, IPU_UNSIGNED_INT}, {"out", IPU_INOUT, type}},      \
        compute, compute##_cost, .code_bytes = IPU_LIBRARY_CODE_BYTES,                                       \
        .vertex_bytes = IPU_LIBRARY_VERTEX_BYTES, .context_bytes = sizeof(shape)}
#define OF_ALL_TYPES(title, compute)                                                                         \
    {                                                                                                        \
        CODELET(title, compute, IPU_FLOAT), CODELET(title, compute, IPU_UNSIGNED_SHORT),                     \
            CODELET(title, compute, IPU_UNSIGNED_INT), CODELET(title, compute, IPU_HALF),                    \
            CODELET(title, compute, IPU_INT), CODELET(title, compute, IPU_BOOL)                              \
    }

static const ipu_codelet slices[] = OF_ALL_TYPES("dynamic slice", slice);
static const ipu_codelet updates[] = OF_ALL_TYPES("dynamic update", update);

size_t ipu_slice_codelets(const ipu_codelet **list)
{
    const size_t n = ipu_list_codelets(list, 0, slices, sizeof slices / sizeof *slices);
    return ipu_list_codelets(list, n, updates, sizeof updates / sizeof *updates);
}

/* ---- a vertex for each block ---- */

typedef struct adding {
    ipu_graph *graph;
    uint32_t set;
    const ipu_codelet *codelet;
    size_t width; /* elements of a row */
    ipu_tensor tensors[FIELDS];
    ipu_slice *room; /* scratch for columns of any of these tensors */
} adding;

static mt_status add_vertex(const adding *a, const ipu_block *b, const shape *context)
{
    const ipu_tensor *t = a->tensors;
    const ipu_block all = {.rows = t[IN].n / a->width, .column = b->column, .columns = b->columns};
    ipu_tensor in, out;
    size_t vertex;
    MT_TRY(ipu_graph_add_vertex(a->graph, a->set, a->codelet, b->tile, context, &vertex));
    MT_TRY(ipu_columns_of(a->graph, t[IN], a->width, &all, a->room, &in));
    MT_TRY(ipu_columns_of(a->graph, t[OUT], a->width, b, a->room, &out));
    MT_TRY(ipu_graph_connect(a->graph, vertex, "in", in));
    MT_TRY(ipu_graph_connect(a->graph, vertex, "index", t[INDEX]));
    return ipu_graph_connect(a->graph, vertex, "out", out);
}

/* Checks a larger tensor of `rows` rows and a smaller one. */
static mt_status check(
    const ipu_graph *graph, const char *what, ipu_tensor all, size_t rows, ipu_tensor some, ipu_tensor index)
{
    bool share;
    const size_t width = rows > 0 && all.n % rows == 0 ? all.n / rows : 0;
    if (index.n != 1 || index.type != IPU_UNSIGNED_INT)
        return mt_fail(MT_INPUT, "%s: an index of %zu elements of type %s; allowed: 1 of type %s", what,
            index.n, ipu_type_name(index.type), ipu_type_name(IPU_UNSIGNED_INT));
    if (width == 0)
        return mt_fail(
            MT_INPUT, "%s: %zu elements in %zu rows; allowed: rows of equal length", what, all.n, rows);
    if (some.n == 0 || some.n % width != 0 || some.n > all.n || some.type != all.type)
        return mt_fail(MT_INPUT,
            "%s: %zu elements of type %s for rows of %zu of type %s; allowed: 1 to %zu of these rows", what,
            some.n, ipu_type_name(some.type), width, ipu_type_name(all.type), rows);
    MT_TRY(ipu_tensors_share(graph, all, some, &share));
    return share ? mt_fail(MT_INPUT, "%s: the tensors share an element; allowed: disjoint tensors", what)
                 : MT_OK;
}

/* Checks that each block has at least `at_least` rows. */
static mt_status check_blocks(const ipu_block *blocks, size_t n, size_t at_least, const char *what)
{
    for (const ipu_block *b = blocks; b < blocks + n; b++)
        if (b->rows < at_least)
            return mt_fail(MT_INPUT,
                "%s: for columns %zu to %zu tile %u has %zu consecutive rows; allowed: all %zu", what,
                b->column, b->column + b->columns - 1, b->tile, b->rows, at_least);
    return MT_OK;
}

/* Adds the vertices. The larger tensor has `rows` rows; each block of the written one must have at least `at_least`. */
static mt_status add(mt_arena *scratch, adding *a, size_t rows, size_t at_least)
{
    const ipu_tensor in = a->tensors[IN], out = a->tensors[OUT];
    ipu_block *blocks;
    shape *shapes;
    size_t n;
    MT_TRY(ipu_blocks_of(scratch, a->graph, out, a->width, a->codelet->name, &blocks, &n));
    MT_TRY(check_blocks(blocks, n, at_least, a->codelet->name));
    MT_ALLOC(scratch, a->room, ipu_larger(in.n, out.n) / a->width + ipu_larger(in.n_slices, out.n_slices));
    MT_ALLOC(a->graph->arena, shapes, n);
    for (size_t k = 0; k < n; k++) {
        shapes[k] = (shape){out.type, rows, blocks[k].row};
        MT_TRY(add_vertex(a, &blocks[k], &shapes[k]));
    }
    return MT_OK;
}

mt_status ipu_add_dynamic_slice(
    ipu_graph *graph, uint32_t compute_set, ipu_tensor in, size_t rows, ipu_tensor index, ipu_tensor out)
{
    MT_SCRATCH(scratch);
    MT_TRY(check(graph, "dynamic slice", in, rows, out, index));
    adding a = {graph, compute_set, &slices[out.type], .width = in.n / rows, .tensors = {in, index, out}};
    return add(scratch, &a, rows, 1);
}

mt_status ipu_add_dynamic_update(
    ipu_graph *graph, uint32_t compute_set, ipu_tensor in, ipu_tensor index, ipu_tensor out, size_t rows)
{
    MT_SCRATCH(scratch);
    MT_TRY(check(graph, "dynamic update", out, rows, in, index));
    adding a = {graph, compute_set, &updates[out.type], .width = out.n / rows, .tensors = {in, index, out}};
    return add(scratch, &a, rows, rows);
}
