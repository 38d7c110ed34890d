#include "ipu/graph/graph.h"

#include <string.h>

size_t ipu_type_bytes(ipu_type type)
{
    static const size_t bytes[] = {[IPU_FLOAT] = 4,
        [IPU_UNSIGNED_SHORT] = 2,
        [IPU_UNSIGNED_INT] = 4,
        [IPU_HALF] = 2,
        [IPU_INT] = 4,
        [IPU_BOOL] = 1};
    return bytes[type];
}

const char *ipu_type_name(ipu_type type)
{
    static const char *const names[] = {"float", "unsigned short", "unsigned int", "half", "int", "bool"};
    return names[type];
}

/* Reserves room for `more` items after the first n. *items at least doubles when it is full. */
static mt_status reserve(mt_arena *arena, void **items, size_t size, size_t n, size_t more, size_t *capacity)
{
    if (n + more <= *capacity) return MT_OK;
    size_t wanted = 2 * *capacity > n + more ? 2 * *capacity : n + more + 8;
    void *grown = mt_arena_alloc(arena, wanted, size);
    if (!grown) return MT_MEMORY;
    if (n > 0) memcpy(grown, *items, n * size);
    *items = grown;
    *capacity = wanted;
    return MT_OK;
}

/* Reserves room in the array `name` of a graph. */
#define RESERVE(graph, name, more)                                                                           \
    do {                                                                                                     \
        void *items_ = (void *)(graph)->name;                                                                \
        MT_TRY(reserve((graph)->arena, &items_, sizeof *(graph)->name, (graph)->n_##name, (more),            \
            &(graph)->capacity_##name));                                                                     \
        (graph)->name = items_;                                                                              \
    } while (0)

static mt_status copy_name(mt_arena *arena, const char *name, const char **out)
{
    *out = mt_arena_text(arena, name);
    return *out ? MT_OK : MT_MEMORY;
}

mt_status ipu_graph_new(mt_arena *arena, const ipu_target *target, ipu_graph **graph)
{
    MT_ALLOC(arena, *graph, 1);
    (*graph)->arena = arena;
    (*graph)->target = *target;
    return MT_OK;
}

mt_status ipu_graph_add_variable(
    ipu_graph *graph, const char *name, ipu_type type, size_t n, uint32_t *variable)
{
    RESERVE(graph, variables, 1);
    ipu_variable *v = &graph->variables[graph->n_variables];
    MT_TRY(copy_name(graph->arena, name, &v->name));
    v->type = type;
    v->n = n;
    *variable = (uint32_t)graph->n_variables++;
    return MT_OK;
}

mt_status ipu_graph_add_constant(
    ipu_graph *graph, const char *name, ipu_type type, size_t n, const void *values, uint32_t *variable)
{
    MT_TRY(ipu_graph_add_variable(graph, name, type, n, variable));
    graph->variables[*variable].constant = values;
    return MT_OK;
}

mt_status ipu_graph_variable(const ipu_graph *graph, const char *name, uint32_t *variable)
{
    for (size_t v = 0; v < graph->n_variables; v++) {
        if (strcmp(graph->variables[v].name, name) != 0) continue;
        *variable = (uint32_t)v;
        return MT_OK;
    }
    return mt_fail(MT_INPUT, "graph: no variable '%s' among %zu", name, graph->n_variables);
}

const char *ipu_graph_constant_in(const ipu_graph *graph, const ipu_tensor *tensor)
{
    for (size_t s = tensor->first_slice; s < tensor->first_slice + tensor->n_slices && s < graph->n_slices;
         s++) {
        const ipu_variable *v = &graph->variables[graph->slices[s].variable];
        if (graph->slices[s].n > 0 && v->constant) return v->name;
    }
    return NULL;
}

static mt_status check_range(const ipu_graph *graph, uint32_t variable, size_t from, size_t n)
{
    if (variable >= graph->n_variables)
        return mt_fail(MT_INPUT, "graph: variable %u; allowed: below %zu", variable, graph->n_variables);
    const ipu_variable *v = &graph->variables[variable];
    if (from > v->n || n > v->n - from)
        return mt_fail(
            MT_INPUT, "graph: variable '%s': %zu elements from %zu; it has %zu", v->name, n, from, v->n);
    return MT_OK;
}

mt_status ipu_graph_set_tile_mapping(
    ipu_graph *graph, uint32_t variable, size_t from, size_t n, uint32_t tile)
{
    MT_TRY(check_range(graph, variable, from, n));
    if (tile >= graph->target.tiles)
        return mt_fail(MT_INPUT, "graph: variable '%s': mapped to tile %u; the machine has %zu tiles",
            graph->variables[variable].name, tile, graph->target.tiles);
    if (n == 0) return MT_OK;
    RESERVE(graph, mappings, 1);
    graph->mappings[graph->n_mappings++] = (ipu_mapping){variable, tile, from, n};
    return MT_OK;
}

mt_status ipu_graph_set_dram(ipu_graph *graph, uint32_t variable)
{
    MT_TRY(check_range(graph, variable, 0, 0));
    if (graph->target.dram.bytes == 0)
        return mt_fail(MT_INPUT,
            "graph: variable '%s' outside of the chip: %s has no such memory; allowed: a machine with "
            "dram.bytes above 0",
            graph->variables[variable].name, graph->target.name);
    graph->variables[variable].dram = true;
    return MT_OK;
}

mt_status ipu_graph_set_temporary(ipu_graph *graph, uint32_t variable)
{
    MT_TRY(check_range(graph, variable, 0, 0));
    if (graph->variables[variable].constant)
        return mt_fail(MT_INPUT,
            "graph: variable '%s' is a constant; allowed as temporary: non-constant variables",
            graph->variables[variable].name);
    graph->variables[variable].temporary = true;
    return MT_OK;
}

/* Assigns single members, so that padding stays zero, as in every file that stores slices. */
static void append_slice(ipu_graph *graph, ipu_slice slice)
{
    ipu_slice *to = &graph->slices[graph->n_slices++];
    to->variable = slice.variable;
    to->from = slice.from;
    to->n = slice.n;
}

mt_status ipu_graph_add_tensor(ipu_graph *graph, const ipu_slice *slices, size_t n, ipu_tensor *tensor)
{
    ipu_tensor made = {.first_slice = graph->n_slices, .type = IPU_FLOAT};
    for (size_t i = 0; i < n; i++) {
        MT_TRY(check_range(graph, slices[i].variable, slices[i].from, slices[i].n));
        const ipu_variable *v = &graph->variables[slices[i].variable];
        if (i == 0) made.type = v->type;
        if (v->type != made.type)
            return mt_fail(MT_INPUT, "graph: a tensor of '%s' (%s) and '%s' (%s); allowed: one type",
                graph->variables[slices[0].variable].name, ipu_type_name(made.type), v->name,
                ipu_type_name(v->type));
    }
    RESERVE(graph, slices, n);
    for (size_t i = 0; i < n; i++) {
        if (slices[i].n == 0) continue;
        append_slice(graph, slices[i]);
        made.n += slices[i].n;
        made.n_slices++;
    }
    *tensor = made;
    return MT_OK;
}

mt_status ipu_graph_variable_tensor(ipu_graph *graph, uint32_t variable, ipu_tensor *tensor)
{
    size_t n = variable < graph->n_variables ? graph->variables[variable].n : 0;
    return ipu_graph_add_tensor(graph, &(ipu_slice){variable, 0, n}, 1, tensor);
}

mt_status ipu_graph_slice(ipu_graph *graph, ipu_tensor tensor, size_t from, size_t n, ipu_tensor *slice)
{
    if (from > tensor.n || n > tensor.n - from)
        return mt_fail(MT_INPUT, "graph: %zu elements from %zu of a tensor of %zu", n, from, tensor.n);
    RESERVE(graph, slices, tensor.n_slices);
    ipu_tensor made = {.first_slice = graph->n_slices, .n = n, .type = tensor.type};
    size_t skip = from;
    size_t left = n;
    for (size_t i = 0; i < tensor.n_slices && left > 0; i++) {
        ipu_slice s = graph->slices[tensor.first_slice + i];
        size_t cut = skip < s.n ? skip : s.n;
        skip -= cut;
        s.from += cut;
        s.n -= cut;
        if (s.n > left) s.n = left;
        if (s.n == 0) continue;
        left -= s.n;
        append_slice(graph, s);
        made.n_slices++;
    }
    *slice = made;
    return MT_OK;
}

mt_status ipu_graph_add_compute_set(ipu_graph *graph, const char *name, uint32_t *compute_set)
{
    RESERVE(graph, compute_sets, 1);
    MT_TRY(copy_name(graph->arena, name, &graph->compute_sets[graph->n_compute_sets]));
    *compute_set = (uint32_t)graph->n_compute_sets++;
    return MT_OK;
}

mt_status ipu_graph_add_vertex(ipu_graph *graph, uint32_t compute_set, const ipu_codelet *codelet,
    uint32_t tile, const void *context, size_t *vertex)
{
    if (compute_set >= graph->n_compute_sets)
        return mt_fail(
            MT_INPUT, "graph: compute set %u; allowed: below %zu", compute_set, graph->n_compute_sets);
    if (tile >= graph->target.tiles)
        return mt_fail(MT_INPUT, "graph: a vertex '%s' on tile %u; the machine has %zu tiles", codelet->name,
            tile, graph->target.tiles);
    if (codelet->n_fields > IPU_MAX_FIELDS)
        return mt_fail(MT_INPUT, "graph: codelet '%s' has %zu fields; allowed: at most %d", codelet->name,
            codelet->n_fields, IPU_MAX_FIELDS);
    RESERVE(graph, vertices, 1);
    RESERVE(graph, connections, codelet->n_fields);
    graph->vertices[graph->n_vertices] =
        (ipu_vertex){codelet, context, compute_set, tile, graph->n_connections};
    for (size_t i = 0; i < codelet->n_fields; i++)
        graph->connections[graph->n_connections++] = (ipu_connection){.connected = false};
    *vertex = graph->n_vertices++;
    return MT_OK;
}

static bool is_list(const ipu_codelet *codelet, size_t field) { return codelet->lists >> field & 1; }

/* Finds the field with this name, checks that it is not yet connected, and that it is a list if and only if `list`. */
static mt_status find_field(const ipu_graph *graph, size_t vertex, const char *name, bool list, size_t *field)
{
    if (vertex >= graph->n_vertices)
        return mt_fail(MT_INPUT, "graph: vertex %zu; allowed: below %zu", vertex, graph->n_vertices);
    const ipu_vertex *v = &graph->vertices[vertex];
    size_t i = 0;
    while (i < v->codelet->n_fields && strcmp(v->codelet->fields[i].name, name) != 0) i++;
    if (i == v->codelet->n_fields)
        return mt_fail(MT_INPUT, "graph: codelet '%s' has no field '%s'", v->codelet->name, name);
    if (graph->connections[v->first_connection + i].connected)
        return mt_fail(MT_INPUT, "graph: tile %u: codelet '%s' field '%s' is connected twice", v->tile,
            v->codelet->name, name);
    if (is_list(v->codelet, i) != list)
        return mt_fail(MT_INPUT,
            "graph: tile %u: codelet '%s' field '%s' is %s; allowed: ipu_graph_connect%s", v->tile,
            v->codelet->name, name, list ? "not a list" : "a list", list ? "" : "_list");
    *field = i;
    return MT_OK;
}

static mt_status check_tensor(const ipu_graph *graph, size_t vertex, size_t i, ipu_tensor tensor)
{
    const ipu_vertex *v = &graph->vertices[vertex];
    const ipu_field *field = &v->codelet->fields[i];
    if (tensor.n > 0 && tensor.type != field->type)
        return mt_fail(MT_INPUT,
            "graph: tile %u: codelet '%s' field '%s' is of type %s, its tensor ('%s') of type %s", v->tile,
            v->codelet->name, field->name, ipu_type_name(field->type),
            graph->variables[graph->slices[tensor.first_slice].variable].name, ipu_type_name(tensor.type));
    const char *constant = ipu_graph_constant_in(graph, &tensor);
    if (constant && field->direction != IPU_INPUT)
        return mt_fail(MT_INPUT, "graph: tile %u: codelet '%s' field '%s' would write to the constant '%s'",
            v->tile, v->codelet->name, field->name, constant);
    return MT_OK;
}

mt_status ipu_graph_connect(ipu_graph *graph, size_t vertex, const char *field, ipu_tensor tensor)
{
    size_t i;
    MT_TRY(find_field(graph, vertex, field, false, &i));
    MT_TRY(check_tensor(graph, vertex, i, tensor));
    graph->connections[graph->vertices[vertex].first_connection + i] =
        (ipu_connection){.tensor = tensor, .connected = true};
    return MT_OK;
}

mt_status ipu_graph_connect_list(
    ipu_graph *graph, size_t vertex, const char *field, const ipu_tensor *ranges, size_t n)
{
    ipu_connection made = {
        .connected = true, .first_range = (uint32_t)graph->n_ranges, .n_ranges = (uint32_t)n & 0x7fffffff};
    size_t i, n_slices = 0;
    MT_TRY(find_field(graph, vertex, field, true, &i));
    for (size_t r = 0; r < n; r++) {
        MT_TRY(check_tensor(graph, vertex, i, ranges[r]));
        n_slices += ranges[r].n_slices;
    }
    RESERVE(graph, ranges, n);
    RESERVE(graph, slices, n_slices);
    made.tensor =
        (ipu_tensor){.first_slice = graph->n_slices, .type = graph->vertices[vertex].codelet->fields[i].type};
    for (size_t r = 0; r < n; r++) {
        ipu_tensor range = ranges[r];
        range.first_slice = graph->n_slices;
        for (size_t s = 0; s < range.n_slices; s++)
            append_slice(graph, graph->slices[ranges[r].first_slice + s]);
        made.tensor.n_slices += range.n_slices;
        made.tensor.n += range.n;
        graph->ranges[graph->n_ranges++] = range;
    }
    graph->connections[graph->vertices[vertex].first_connection + i] = made;
    return MT_OK;
}

static mt_status check_copy(const ipu_graph *graph, uint32_t compute_set, ipu_tensor from, ipu_tensor to)
{
    if (compute_set >= graph->n_compute_sets)
        return mt_fail(
            MT_INPUT, "graph: compute set %u; allowed: below %zu", compute_set, graph->n_compute_sets);
    const char *set = graph->compute_sets[compute_set], *constant = ipu_graph_constant_in(graph, &to);
    if (to.n > 0 && (from.n == 0 || to.n % from.n != 0))
        return mt_fail(MT_INPUT,
            "graph: compute set '%s': %zu elements copied to %zu; allowed: the same number, or a multiple",
            set, from.n, to.n);
    if (to.n > 0 && from.type != to.type)
        return mt_fail(MT_INPUT, "graph: compute set '%s': elements of type %s copied to type %s", set,
            ipu_type_name(from.type), ipu_type_name(to.type));
    if (constant)
        return mt_fail(MT_INPUT, "graph: compute set '%s': would copy to the constant '%s'", set, constant);
    return MT_OK;
}

mt_status ipu_graph_add_copy(ipu_graph *graph, uint32_t compute_set, ipu_tensor from, ipu_tensor to)
{
    MT_TRY(check_copy(graph, compute_set, from, to));
    if (to.n == 0) return MT_OK;
    RESERVE(graph, copies, 1);
    graph->copies[graph->n_copies++] = (ipu_copy){compute_set, from, to};
    return MT_OK;
}

mt_status ipu_graph_add_stream(ipu_graph *graph, const char *name, ipu_type type, uint32_t *stream)
{
    RESERVE(graph, streams, 1);
    ipu_stream *s = &graph->streams[graph->n_streams];
    MT_TRY(copy_name(graph->arena, name, &s->name));
    s->type = type;
    *stream = (uint32_t)graph->n_streams++;
    return MT_OK;
}
