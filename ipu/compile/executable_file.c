#include "ipu/compile/executable_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/files/file.h"
#include "data/core/hash.h"
#include "data/core/order.h"
#include "data/files/scan.h"

static const char first_line[] = "myotile executable 3\n";

/* A traversal of an executable that writes it or reads it. */
typedef struct walk {
    const char *path;
    FILE *out;      /* NULL while reading */
    mt_hash hash;   /* of the bytes written */
    const char *in; /* bytes to read, `left` of them */
    size_t left;
    mt_arena *arena; /* for the result of reading; scratch while writing */
} walk;

/* Checks that the rest of the file can contain n items of at least `size` bytes, before memory is allocated for them. */
static mt_status check_left(const walk *w, size_t n, size_t size)
{
    return w->out || n <= w->left / size ? MT_OK : mt_fail(MT_INPUT, "%s: truncated", w->path);
}

static mt_status move_bytes(walk *w, void *at, size_t n)
{
    if (w->out) {
        if (n > 0) (void)fwrite(at, 1, n, w->out); /* errors are reported at the end of the file */
        mt_hash_add(&w->hash, at, n);
        return MT_OK;
    }
    MT_TRY(check_left(w, n, 1));
    if (n > 0) memcpy(at, w->in, n);
    w->in += n;
    w->left -= n;
    return MT_OK;
}

static mt_status move_array(walk *w, void **at, size_t n, size_t size)
{
    if (!w->out) {
        MT_TRY(check_left(w, n, size));
        *at = mt_arena_alloc(w->arena, n, size);
        if (!*at) return MT_MEMORY;
    }
    return move_bytes(w, *at, n * size);
}

#define VALUE(w, value) MT_TRY(move_bytes((w), &(value), sizeof(value)))
/* Moves a number of items that follow, each at least a byte. */
#define COUNT(w, n)                                                                                          \
    do {                                                                                                     \
        VALUE(w, n);                                                                                         \
        MT_TRY(check_left(w, n, 1));                                                                         \
    } while (0)
/* The same for a list; allocates it while reading. */
#define LIST(w, pointer, n)                                                                                  \
    do {                                                                                                     \
        COUNT(w, n);                                                                                         \
        if (!(w)->out) MT_ALLOC((w)->arena, (pointer), (n));                                                 \
    } while (0)
#define ARRAY(w, pointer, n)                                                                                 \
    do {                                                                                                     \
        void *at_ = (void *)(pointer);                                                                       \
        MT_TRY(move_array((w), &at_, (n), sizeof *(pointer)));                                               \
        (pointer) = at_;                                                                                     \
    } while (0)

static mt_status move_text(walk *w, const char **text)
{
    size_t n = w->out ? strlen(*text) + 1 : 0;
    VALUE(w, n);
    ARRAY(w, *text, n);
    return n > 0 && !(*text)[n - 1] ? MT_OK : mt_fail(MT_INPUT, "%s: an unterminated text", w->path);
}

/* ---- the graph ---- */

static mt_status move_routes(walk *w, ipu_links *links)
{
    MT_TRY(check_left(w, links->n_routes, 1));
    if (!w->out) MT_ALLOC(w->arena, links->routes, links->n_routes);
    for (size_t r = 0; r < links->n_routes; r++) {
        ipu_listed_route route = links->routes[r];
        VALUE(w, route.from);
        VALUE(w, route.to);
        VALUE(w, route.n_via);
        ARRAY(w, route.via, route.n_via);
        if (!w->out) links->routes[r] = route;
    }
    return MT_OK;
}

/* Moves the target, with pointers replaced by their contents. */
static mt_status move_target(walk *w, ipu_target *target)
{
    ipu_target plain = *target;
    plain.name = NULL;
    plain.links.list = NULL;
    plain.links.routes = NULL;
    plain.fabric.list = NULL;
    plain.bands = NULL;
    VALUE(w, plain);
    if (!w->out) *target = plain;
    MT_TRY(move_text(w, &target->name));
    ARRAY(w, target->links.list, target->links.n_list);
    MT_TRY(move_routes(w, &target->links));
    ARRAY(w, target->fabric.list, target->fabric.n_list);
    if (!w->out) MT_ALLOC(w->arena, target->bands, target->n_bands);
    for (size_t b = 0; b < target->n_bands; b++) {
        ipu_band band = target->bands[b];
        MT_TRY(move_text(w, &band.key));
        VALUE(w, band.fast);
        VALUE(w, band.slow);
        if (!w->out) target->bands[b] = band;
    }
    return MT_OK;
}

static mt_status move_variable(walk *w, ipu_variable *v)
{
    bool constant = v->constant != NULL;
    char *values = (char *)v->constant;
    MT_TRY(move_text(w, &v->name));
    VALUE(w, v->type);
    VALUE(w, v->n);
    VALUE(w, v->temporary);
    VALUE(w, v->dram);
    VALUE(w, constant);
    if (constant) ARRAY(w, values, v->n * ipu_type_bytes(v->type));
    v->constant = values;
    return MT_OK;
}

static mt_status move_graph(walk *w, ipu_graph *g)
{
    MT_TRY(move_target(w, &g->target));
    COUNT(w, g->n_variables);
    VALUE(w, g->n_mappings);
    VALUE(w, g->n_slices);
    COUNT(w, g->n_compute_sets);
    COUNT(w, g->n_streams);
    ARRAY(w, g->mappings, g->n_mappings);
    ARRAY(w, g->slices, g->n_slices);
    if (!w->out) {
        MT_ALLOC(w->arena, g->variables, g->n_variables);
        MT_ALLOC(w->arena, g->compute_sets, g->n_compute_sets);
        MT_ALLOC(w->arena, g->streams, g->n_streams);
    }
    for (size_t v = 0; v < g->n_variables; v++) MT_TRY(move_variable(w, &g->variables[v]));
    for (size_t s = 0; s < g->n_compute_sets; s++) MT_TRY(move_text(w, &g->compute_sets[s]));
    for (size_t s = 0; s < g->n_streams; s++) {
        MT_TRY(move_text(w, &g->streams[s].name));
        VALUE(w, g->streams[s].type);
    }
    return MT_OK;
}

/* ---- programs: each part once, after its children ---- */

typedef struct numbered {
    const ipu_program *part;
    size_t number;
} numbered;

typedef struct parts {
    numbered *by_number, *by_address; /* while writing */
    ipu_program *made;                /* while reading */
    size_t n;
} parts;

static int compare_parts(const void *left, const void *right)
{
    const uintptr_t a = (uintptr_t)((const numbered *)left)->part,
                    b = (uintptr_t)((const numbered *)right)->part;
    return a < b ? -1 : a > b;
}

MT_ORDER(compare_numbers, numbered, number)

/* Orders by part, then by number. */
static int compare_places(const void *left, const void *right)
{
    const int order = compare_parts(left, right);
    return order != 0 ? order : compare_numbers(left, right);
}

static size_t number_of(const parts *p, const ipu_program *program)
{
    const numbered wanted = {.part = program},
                   *found = bsearch(&wanted, p->by_address, p->n, sizeof *p->by_address, compare_parts);
    return found->number;
}

static size_t count_places(const ipu_program *program)
{
    size_t n = 1;
    for (size_t i = 0; i < program->n_children; i++) n += count_places(program->children[i]);
    return n;
}

/* Numbers every occurrence in a tree, children first; returns the next number. */
static size_t number_places(numbered *out, size_t next, const ipu_program *program)
{
    for (size_t i = 0; i < program->n_children; i++) next = number_places(out, next, program->children[i]);
    out[next] = (numbered){program, next};
    return next + 1;
}

/* Lists the parts; one with several occurrences has the number of the first. */
static mt_status list_parts(walk *w, const ipu_executable *e, parts *p)
{
    numbered *all;
    size_t n = 0;
    for (size_t i = 0; i < e->n_programs; i++) n += count_places(e->programs[i]);
    MT_ALLOC(w->arena, all, n);
    n = 0;
    for (size_t i = 0; i < e->n_programs; i++) n = number_places(all, n, e->programs[i]);
    if (n > 1) qsort(all, n, sizeof *all, compare_places);
    MT_ALLOC(w->arena, p->by_number, n);
    MT_ALLOC(w->arena, p->by_address, n);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || all[k].part != all[k - 1].part) p->by_number[p->n++] = all[k];
    if (p->n > 1) qsort(p->by_number, p->n, sizeof *p->by_number, compare_numbers);
    for (size_t k = 0; k < p->n; k++) p->by_address[k] = (numbered){p->by_number[k].part, k};
    if (p->n > 1) qsort(p->by_address, p->n, sizeof *p->by_address, compare_places);
    return MT_OK;
}

static mt_status begin_parts(walk *w, const ipu_executable *e, parts *p)
{
    if (w->out) MT_TRY(list_parts(w, e, p));
    LIST(w, p->made, p->n);
    return MT_OK;
}

/* Moves a part by its number, which must be below `end`. */
static mt_status move_part(walk *w, const parts *p, size_t end, const ipu_program **program)
{
    size_t number = w->out ? number_of(p, *program) : 0;
    VALUE(w, number);
    if (number >= end)
        return mt_fail(MT_INPUT, "%s: part %zu of a program; allowed: below %zu", w->path, number, end);
    if (!w->out) *program = &p->made[number];
    return MT_OK;
}

static mt_status move_programs(walk *w, ipu_executable *e, parts *p)
{
    MT_TRY(begin_parts(w, e, p));
    for (size_t k = 0; k < p->n; k++) {
        ipu_program part = w->out ? *p->by_number[k].part : (ipu_program){0};
        const ipu_program **children = part.children;
        VALUE(w, part.kind);
        COUNT(w, part.n_children);
        VALUE(w, part.count);
        VALUE(w, part.compute_set);
        VALUE(w, part.stream);
        VALUE(w, part.tensor.first_slice);
        VALUE(w, part.tensor.n_slices);
        VALUE(w, part.tensor.n);
        VALUE(w, part.tensor.type);
        if (!w->out) MT_ALLOC(w->arena, children, part.n_children);
        for (size_t i = 0; i < part.n_children; i++) MT_TRY(move_part(w, p, k, &children[i]));
        part.children = children;
        if (!w->out) p->made[k] = part;
    }
    const ipu_program **programs = (const ipu_program **)e->programs;
    LIST(w, programs, e->n_programs);
    for (size_t i = 0; i < e->n_programs; i++) MT_TRY(move_part(w, p, p->n, &programs[i]));
    e->programs = programs;
    return MT_OK;
}

/* Moves the controls in the order of their parts, so that they are sorted by the address of their program after reading. */
static mt_status move_controls(walk *w, ipu_executable *e, const parts *p)
{
    size_t *of = NULL; /* [p->n] control of each part, + 1 */
    MT_ALLOC(w->arena, of, p->n);
    for (size_t c = 0; w->out && c < e->n_controls; c++) of[number_of(p, e->controls[c].program)] = c + 1;
    LIST(w, e->controls, e->n_controls);
    for (size_t k = 0, c = 0; c < e->n_controls; k++) {
        if (w->out && !of[k]) continue;
        ipu_control *control = &e->controls[w->out ? of[k] - 1 : c];
        MT_TRY(move_part(w, p, p->n, &control->program));
        VALUE(w, control->place);
        VALUE(w, control->tile);
        VALUE(w, control->words);
        VALUE(w, control->exchange_cycles);
        c++;
    }
    return MT_OK;
}

/* ---- codelets and vertices ---- */

typedef struct kinds {
    const ipu_codelet **kind; /* [n] of the file, in the order of their first vertices */
    const void **context;     /* [n] the last one moved of each kind */
    size_t n;
} kinds;

static bool same_kind(const ipu_codelet *a, const ipu_codelet *b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->n_fields == b->n_fields &&
                a->code_bytes == b->code_bytes && a->vertex_bytes == b->vertex_bytes && a->kind == b->kind &&
                a->interleaved == b->interleaved && a->lists == b->lists && a->streamed == b->streamed &&
                a->context_bytes == b->context_bytes;
    for (size_t f = 0; same && f < a->n_fields; f++)
        same = strcmp(a->fields[f].name, b->fields[f].name) == 0 &&
               a->fields[f].direction == b->fields[f].direction && a->fields[f].type == b->fields[f].type;
    return same;
}

/* Moves the properties of a codelet except its functions, and whether its time depends on data. */
static mt_status move_kind(walk *w, ipu_codelet *codelet, bool *timed)
{
    ipu_field *fields = (ipu_field *)codelet->fields;
    MT_TRY(move_text(w, &codelet->name));
    VALUE(w, codelet->n_fields);
    VALUE(w, codelet->code_bytes);
    VALUE(w, codelet->vertex_bytes);
    VALUE(w, codelet->kind);
    VALUE(w, codelet->interleaved);
    VALUE(w, codelet->lists);
    VALUE(w, codelet->streamed);
    VALUE(w, codelet->context_bytes);
    VALUE(w, *timed);
    if (codelet->n_fields > IPU_MAX_FIELDS) return mt_fail(MT_INPUT, "%s: too many fields", w->path);
    if (!w->out) MT_ALLOC(w->arena, fields, codelet->n_fields);
    for (size_t f = 0; f < codelet->n_fields; f++) {
        ipu_field field = fields[f];
        MT_TRY(move_text(w, &field.name));
        VALUE(w, field.direction);
        VALUE(w, field.type);
        if (!w->out) fields[f] = field;
    }
    codelet->fields = fields;
    return MT_OK;
}

static mt_status find_kind(const walk *w, const ipu_codelet *wanted, bool timed,
    const ipu_codelet *const *given, size_t n, const ipu_codelet **found)
{
    bool named = false;
    for (size_t k = 0; k < n; k++) {
        *found = given[k];
        named |= strcmp(given[k]->name, wanted->name) == 0;
        if (same_kind(wanted, given[k]) && timed == (given[k]->compute_timed != NULL)) return MT_OK;
    }
    return mt_fail(MT_INPUT, "%s: codelet '%s' is required, but %s", w->path, wanted->name,
        named ? "differs in fields, sizes or kind" : "missing");
}

static size_t kind_of(const kinds *k, const ipu_codelet *codelet)
{
    size_t i = 0;
    while (i < k->n && k->kind[i] != codelet) i++;
    return i;
}

static mt_status move_kinds(
    walk *w, ipu_executable *e, const ipu_codelet *const *given, size_t n_given, kinds *k)
{
    if (w->out) MT_ALLOC(w->arena, k->kind, e->n_tasks);
    for (size_t i = 0; w->out && i < e->n_tasks; i++)
        if (kind_of(k, e->tasks[i].codelet) == k->n) k->kind[k->n++] = e->tasks[i].codelet;
    LIST(w, k->kind, k->n);
    MT_ALLOC(w->arena, k->context, k->n);
    for (size_t i = 0; i < k->n; i++) {
        ipu_codelet codelet = w->out ? *k->kind[i] : (ipu_codelet){0};
        bool timed = codelet.compute_timed != NULL;
        MT_TRY(move_kind(w, &codelet, &timed));
        if (!w->out) MT_TRY(find_kind(w, &codelet, timed, given, n_given, &k->kind[i]));
    }
    return MT_OK;
}

/* Moves a context, unless it equals that of the previous vertex of its kind. */
static mt_status move_context(walk *w, const kinds *k, size_t kind, const void **context)
{
    enum { NONE, NEW, SAME };
    const size_t bytes = k->kind[kind]->context_bytes;
    uint8_t how = !*context ? NONE : *context == k->context[kind] ? SAME : NEW;
    char *data = (char *)*context;
    if (w->out && how != NONE && bytes == 0)
        return mt_fail(MT_INPUT, "%s: codelet '%s' has a context, but context_bytes is 0; allowed: its size",
            w->path, k->kind[kind]->name);
    VALUE(w, how);
    if (how == NEW) ARRAY(w, data, bytes);
    if (how == NEW) k->context[kind] = data;
    *context = how == NONE ? NULL : k->context[kind];
    return MT_OK;
}

static mt_status move_tasks(walk *w, ipu_executable *e, const kinds *k)
{
    LIST(w, e->tasks, e->n_tasks);
    for (size_t i = 0; i < e->n_tasks; i++) {
        ipu_task task = e->tasks[i];
        uint32_t kind = w->out ? (uint32_t)kind_of(k, task.codelet) : 0;
        VALUE(w, kind);
        VALUE(w, task.first_place);
        if (kind >= k->n) return mt_fail(MT_INPUT, "%s: a vertex of an unknown kind", w->path);
        task.codelet = k->kind[kind];
        MT_TRY(move_context(w, k, kind, &task.context));
        if (!w->out) e->tasks[i] = task;
    }
    return MT_OK;
}

/* ---- supersteps ---- */

static mt_status move_exchange(walk *w, ipu_exchange *x, size_t tiles)
{
    VALUE(w, x->cycles);
    VALUE(w, x->bound);
    VALUE(w, x->bound_words);
    VALUE(w, x->ranges_received);
    VALUE(w, x->bytes_received);
    VALUE(w, x->bytes_copied);
    VALUE(w, x->bytes_sent);
    VALUE(w, x->plan);
    ARRAY(w, x->tile_cycles, tiles);
    ARRAY(w, x->tile_bound, tiles);
    ARRAY(w, x->tile_first, tiles);
    ARRAY(w, x->tile_received, tiles);
    ARRAY(w, x->tile_sent, tiles);
    ARRAY(w, x->before, tiles);
    ARRAY(w, x->after, tiles);
    ARRAY(w, x->buffer_bytes, tiles);
    ARRAY(w, x->tile_pieces, tiles);
    return MT_OK;
}

/* Moves the supersteps. Their arrays by tile are consecutive (ipu/compile/supersteps.h). */
static mt_status move_supersteps(walk *w, ipu_executable *e)
{
    const size_t n_sets = e->graph->n_compute_sets, tiles = e->graph->target.tiles, slots = n_sets * tiles;
    ipu_superstep first = {0};
    if (w->out && n_sets > 0) first = e->supersteps[0];
    if (!w->out) MT_ALLOC(w->arena, e->supersteps, n_sets);
    if (n_sets == 0) return MT_OK;
    ARRAY(w, first.first_task, slots + 1);
    ARRAY(w, first.first_message, slots + 1);
    ARRAY(w, first.first_input, slots + 1);
    ARRAY(w, first.first_stored, slots);
    ARRAY(w, e->inputs, first.first_input[slots]);
    for (size_t s = 0; s < n_sets; s++) {
        ipu_superstep step = e->supersteps[s];
        VALUE(w, step.receive_all_first);
        VALUE(w, step.data_dependent);
        VALUE(w, step.n_sends);
        VALUE(w, step.n_writes);
        ARRAY(w, step.sends, step.n_sends);
        ARRAY(w, step.writes, step.n_writes);
        MT_TRY(move_exchange(w, &step.exchange, tiles));
        if (w->out) continue;
        step.name = e->graph->compute_sets[s];
        step.first_task = first.first_task + s * tiles;
        step.first_message = first.first_message + s * tiles;
        step.first_input = first.first_input + s * tiles;
        step.first_stored = first.first_stored + s * tiles;
        e->supersteps[s] = step;
    }
    return MT_OK;
}

/* ---- entry points ---- */

static mt_status move_places(walk *w, ipu_executable *e)
{
    const ipu_graph *g = e->graph;
    const size_t tiles = g->target.tiles;
    ARRAY(w, e->tile_offset, tiles + 1);
    ARRAY(w, e->edge_offset, tiles);
    ARRAY(w, e->ranges, g->n_mappings);
    ARRAY(w, e->first_range, g->n_variables + 1);
    ARRAY(w, e->tile_range, g->n_mappings);
    ARRAY(w, e->first_tile_range, tiles + 1);
    VALUE(w, e->n_places);
    ARRAY(w, e->places, e->n_places);
    VALUE(w, e->n_messages);
    ARRAY(w, e->messages, e->n_messages);
    ARRAY(w, e->message_type, e->n_messages);
    VALUE(w, e->liveness.n_moments);
    ARRAY(w, e->liveness.set_moment, g->n_compute_sets);
    ARRAY(w, e->liveness.variable, g->n_variables);
    ARRAY(w, e->liveness.unused, g->n_mappings);
    ARRAY(w, e->memory, tiles);
    return MT_OK;
}

/* Moves sizes that identify builds with another memory layout of the arrays. */
static mt_status move_layout(walk *w)
{
    const uint64_t wanted[] = {4, sizeof(ipu_target), sizeof(ipu_mapping), sizeof(ipu_slice),
        sizeof(ipu_range), sizeof(ipu_place), sizeof(ipu_message), sizeof(ipu_input), sizeof(ipu_live_range),
        sizeof(ipu_tile_memory), sizeof(ipu_listed_link), sizeof(ipu_copying), IPU_MEMORY_CATEGORIES,
        IPU_REPEAT_WHILE, IPU_BOOL};
    uint64_t found[sizeof wanted / sizeof *wanted];
    memcpy(found, wanted, sizeof wanted);
    VALUE(w, found);
    if (memcmp(found, wanted, sizeof wanted) == 0) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: saved by an incompatible build of this library; allowed: a build with the same arrays", w->path);
}

static mt_status move(
    walk *w, ipu_executable *e, ipu_graph *g, const ipu_codelet *const *given, size_t n_given)
{
    parts programs = {0};
    kinds codelets = {0};
    MT_TRY(move_layout(w));
    MT_TRY(move_graph(w, g));
    MT_TRY(move_places(w, e));
    MT_TRY(move_kinds(w, e, given, n_given, &codelets));
    MT_TRY(move_tasks(w, e, &codelets));
    MT_TRY(move_supersteps(w, e));
    MT_TRY(move_programs(w, e, &programs));
    return move_controls(w, e, &programs);
}

/* Writes the executable. The shallow copies share its arrays, which are not modified. */
static mt_status save(walk *w, const ipu_executable *executable)
{
    ipu_executable e = *executable;
    ipu_graph g = *executable->graph;
    char fingerprint[MT_HASH_SIZE];
    e.graph = &g;
    (void)fputs(first_line, w->out);
    MT_TRY(mt_hash_begin(&w->hash));
    const mt_status status = move(w, &e, &g, NULL, 0);
    mt_hash_end(&w->hash, fingerprint);
    (void)fwrite(fingerprint, 1, sizeof fingerprint, w->out);
    return status;
}

mt_status ipu_executable_save(const ipu_executable *executable, const char *path)
{
    if (executable->untimed)
        return mt_fail(MT_INPUT, "%s: a run-only executable; allowed: one from ipu_compile", path);
    MT_SCRATCH(scratch);
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    walk w = {.path = path, .out = file.stream, .arena = scratch};
    return mt_file_end(&file, save(&w, executable));
}

/* Checks first line and fingerprint, and sets `in` to the content between them. */
static mt_status open_file(const mt_scan *scan, walk *w)
{
    const size_t head = sizeof first_line - 1, n = mt_scan_left(scan);
    char fingerprint[MT_HASH_SIZE];
    if (n < head || memcmp(scan->begin, first_line, head) != 0)
        return mt_fail(MT_INPUT,
            "%s: not an executable of this library; allowed: a file that begins with '%.*s'", w->path,
            (int)head - 1, first_line);
    if (n < head + MT_HASH_SIZE) return mt_fail(MT_INPUT, "%s: truncated", w->path);
    w->in = scan->begin + head;
    w->left = n - head - MT_HASH_SIZE;
    MT_TRY(mt_hash_of(w->in, w->left, fingerprint));
    if (memcmp(fingerprint, w->in + w->left, MT_HASH_SIZE) != 0)
        return mt_fail(MT_INPUT, "%s: damaged: its fingerprint does not match its content", w->path);
    return MT_OK;
}

mt_status ipu_executable_load(mt_arena *arena, const char *path, const ipu_codelet *const *codelets,
    size_t n_codelets, ipu_executable **executable)
{
    MT_SCRATCH(scratch);
    walk w = {.path = path, .arena = arena};
    mt_scan scan;
    ipu_graph *graph = NULL;
    ipu_executable *e = NULL;
    MT_TRY(mt_scan_open(scratch, path, &scan));
    MT_TRY(open_file(&scan, &w));
    MT_ALLOC(arena, graph, 1);
    MT_ALLOC(arena, e, 1);
    graph->arena = arena;
    e->graph = graph;
    MT_TRY(move(&w, e, graph, codelets, n_codelets));
    if (w.left > 0) return mt_fail(MT_INPUT, "%s: has extra data after its end", path);
    *executable = e;
    return MT_OK;
}
