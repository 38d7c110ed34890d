#include "ipu/compile/compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipu/compile/controls.h"
#include "ipu/compile/exchange.h"
#include "ipu/compile/memory.h"
#include "ipu/compile/streaming.h"
#include "ipu/compile/supersteps.h"
#include "data/core/offsets.h"
#include "data/core/order.h"
#include "ipu/machine/integer.h"

enum { HOST_ALIGNMENT = 64 };
/* Special values of `part`: the tile's edge buffers; the ranges of a list. */
static const size_t edge_part = SIZE_MAX, list_part = SIZE_MAX - 1;

/* The contiguous elements of one variable on one tile, with space for received elements after them. */
typedef struct part {
    uint32_t tile, variable;
    size_t n;      /* elements */
    size_t tail;   /* bytes, the maximum over compute sets */
    size_t offset; /* in the host image */
} part;

/* A contiguous stretch of a part, in elements. */
typedef struct piece {
    size_t part, at, n;
} piece;

/* A message before placement: offsets in bytes from the start of the part or of the edge buffers. */
typedef struct draft {
    size_t source_part, source;
    size_t destination_part, destination;
    size_t bytes;
} draft;

/* The location of a field before placement. */
typedef struct field_place {
    size_t part, at; /* bytes; of a list: index of its first range's place */
    size_t n;
} field_place;

/* An input that is not one range of its tile, before placement. */
typedef struct input {
    field_place place;
    size_t first_draft, n_drafts;
    size_t bytes, tail_at;
    bool stored;
} input;

/* A copy of the graph, with its source as stretches of parts. */
typedef struct copied {
    size_t first, n; /* its pieces */
    size_t size;     /* elements of the source */
    size_t element_bytes;
} copied;

/* A stretch of a part that a copy writes, starting with element `at` of its destination. */
typedef struct landing {
    size_t copy, at;
    piece to;
} landing;

/* A tensor that is received on a tile, shared by vertices there; an entry of a hash table with linear probing. */
typedef struct buffer {
    size_t slot; /* its tile and compute set, + 1; 0 if empty */
    ipu_tensor tensor;
    field_place place;
} buffer;

/* An access in place by a vertex. */
typedef struct access {
    size_t part, at, n;
    size_t vertex, field;
    bool write;
} access;

typedef struct compiling {
    mt_arena *arena, *scratch;
    const ipu_graph *graph;
    ipu_executable *executable;
    size_t n_tiles, n_sets;
    size_t *order;      /* vertices by (compute set, tile) */
    size_t *first_task; /* [n_sets * n_tiles + 1] */
    part *parts;        /* by (tile, variable) */
    size_t n_parts;
    size_t *tile_parts; /* [n_tiles + 1] */
    /* [number of ranges] the part of a range, and the index of its first element there */
    size_t *range_part, *range_at;
    field_place *field_places; /* in the order of execution */
    draft *drafts;
    size_t n_drafts;
    size_t *first_draft; /* [n_sets * n_tiles + 1] */
    input *inputs;       /* in the order of their drafts */
    size_t n_inputs;
    size_t *first_input;  /* [n_sets * n_tiles + 1] */
    size_t *first_stored; /* [n_sets * n_tiles] the first draft of a copy */
    copied *copies;
    piece *copy_pieces;    /* of all copies */
    size_t *copy_at;       /* of each piece: its first element in the source */
    landing *landings;     /* by slot */
    size_t *first_landing; /* [n_sets * n_tiles + 1] */
    size_t *edge_bytes;    /* [n_tiles] size of edge buffers in the host image */
    piece *pieces;         /* of the current field */
    buffer *buffers;       /* [2^n] at most half of them of the current tile and compute set */
    size_t buffer_mask;    /* 2^n - 1 */
    size_t *tail_slot;     /* [n_parts] the last tile and compute set that uses its tail, + 1 */
    size_t slot;           /* the current tile and compute set */
    size_t edge_now;
    access *accesses;
    size_t n_accesses;
} compiling;

static const ipu_variable *variable_of(const compiling *c, size_t part_id)
{
    return &c->graph->variables[c->parts[part_id].variable];
}

/* ---- mapping: ranges by variable, parts by tile ---- */

MT_ORDER(by_variable, ipu_range, variable, from)

static mt_status check_mapped(const ipu_graph *graph, const ipu_executable *e, uint32_t v)
{
    const char *name = graph->variables[v].name;
    size_t next = 0;
    for (size_t r = e->first_range[v]; r < e->first_range[v + 1]; r++) {
        const ipu_range *range = &e->ranges[r];
        if (range->from < next)
            return mt_fail(MT_INPUT,
                "variable '%s': element %zu is mapped to tile %u and to tile %u; allowed: one", name,
                range->from, range[-1].tile, range->tile);
        if (range->from > next) break;
        next = range->from + range->n;
    }
    if (next < graph->variables[v].n)
        return mt_fail(MT_INPUT, "variable '%s': element %zu is mapped to no tile", name, next);
    return MT_OK;
}

static mt_status make_ranges(compiling *c)
{
    const ipu_graph *g = c->graph;
    ipu_executable *e = c->executable;
    MT_ALLOC(c->arena, e->ranges, g->n_mappings);
    MT_ALLOC(c->arena, e->first_range, g->n_variables + 1);
    for (size_t i = 0; i < g->n_mappings; i++) {
        const ipu_mapping *m = &g->mappings[i];
        e->ranges[i] = (ipu_range){m->variable, m->tile, m->from, m->n, 0};
        e->first_range[m->variable + 1]++;
    }
    for (size_t v = 0; v < g->n_variables; v++) e->first_range[v + 1] += e->first_range[v];
    if (g->n_mappings > 0) qsort(e->ranges, g->n_mappings, sizeof *e->ranges, by_variable);
    for (uint32_t v = 0; v < g->n_variables; v++) MT_TRY(check_mapped(g, e, v));
    return MT_OK;
}

/* Sorts ranges by tile. Within a tile they remain in the order (variable, from). */
static mt_status sort_ranges_by_tile(const compiling *c)
{
    ipu_executable *e = c->executable;
    const size_t n = c->graph->n_mappings;
    MT_ALLOC(c->arena, e->first_tile_range, c->n_tiles + 2);
    MT_ALLOC(c->arena, e->tile_range, n);
    for (size_t r = 0; r < n; r++) e->first_tile_range[e->ranges[r].tile + 2]++;
    mt_offsets_sum(e->first_tile_range, c->n_tiles + 2);
    for (size_t r = 0; r < n; r++) e->tile_range[e->first_tile_range[e->ranges[r].tile + 1]++] = r;
    return MT_OK;
}

static mt_status make_parts(compiling *c)
{
    const ipu_executable *e = c->executable;
    size_t n = c->graph->n_mappings;
    MT_ALLOC(c->scratch, c->parts, n);
    MT_ALLOC(c->scratch, c->range_part, n);
    MT_ALLOC(c->scratch, c->range_at, n);
    MT_ALLOC(c->scratch, c->tile_parts, c->n_tiles + 1);
    for (size_t i = 0; i < n; i++) {
        const size_t r = e->tile_range[i];
        const ipu_range *range = &e->ranges[r];
        part *last = c->n_parts > 0 ? &c->parts[c->n_parts - 1] : NULL;
        if (!last || last->tile != range->tile || last->variable != range->variable) {
            last = &c->parts[c->n_parts++];
            *last = (part){.tile = range->tile, .variable = range->variable};
            c->tile_parts[range->tile + 1]++;
        }
        c->range_part[r] = c->n_parts - 1;
        c->range_at[r] = last->n;
        last->n += range->n;
    }
    for (size_t t = 0; t < c->n_tiles; t++) c->tile_parts[t + 1] += c->tile_parts[t];
    return MT_OK;
}

/* ---- vertices in the order of execution ---- */

static mt_status order_vertices(compiling *c)
{
    const ipu_graph *g = c->graph;
    const size_t n_slots = c->n_sets * c->n_tiles;
    MT_ALLOC(c->arena, c->first_task, n_slots + 2);
    MT_ALLOC(c->scratch, c->order, g->n_vertices);
    for (size_t v = 0; v < g->n_vertices; v++)
        c->first_task[g->vertices[v].compute_set * c->n_tiles + g->vertices[v].tile + 2]++;
    mt_offsets_sum(c->first_task, n_slots + 2);
    for (size_t v = 0; v < g->n_vertices; v++)
        c->order[c->first_task[g->vertices[v].compute_set * c->n_tiles + g->vertices[v].tile + 1]++] = v;
    return MT_OK;
}

/* ---- fields: location, and data to receive ---- */

__attribute__((format(printf, 4, 5))) static mt_status field_error(
    const compiling *c, size_t vertex, size_t field, const char *format, ...)
{
    char what[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    const ipu_vertex *v = &c->graph->vertices[vertex];
    return mt_fail(MT_INPUT, "compute set '%s', tile %u: codelet '%s' field '%s': %s",
        c->graph->compute_sets[v->compute_set], v->tile, v->codelet->name, v->codelet->fields[field].name,
        what);
}

/* Writes the tensor as stretches of parts, merged if adjacent, and returns their number. `out`: optional. */
static size_t resolve(const compiling *c, const ipu_tensor *tensor, piece *out)
{
    const ipu_executable *e = c->executable;
    size_t n = 0;
    piece last = {.part = SIZE_MAX};
    for (size_t s = 0; s < tensor->n_slices; s++) {
        ipu_slice slice = c->graph->slices[tensor->first_slice + s];
        for (size_t r = ipu_executable_range(e, slice.variable, slice.from); slice.n > 0; r++) {
            size_t skip = slice.from - e->ranges[r].from;
            size_t take = e->ranges[r].n - skip < slice.n ? e->ranges[r].n - skip : slice.n;
            piece p = {c->range_part[r], c->range_at[r] + skip, take};
            slice.from += take;
            slice.n -= take;
            bool joined = p.part == last.part && p.at == last.at + last.n;
            if (joined)
                last.n += p.n;
            else
                last = p;
            n += !joined;
            if (out) out[n - 1] = last;
        }
    }
    return n;
}

static void note_access(compiling *c, size_t vertex, size_t field, piece p, bool write)
{
    c->accesses[c->n_accesses++] = (access){p.part, p.at, p.n, vertex, field, write};
}

static mt_status plan_output(
    compiling *c, size_t vertex, size_t field, const ipu_tensor *tensor, size_t n_pieces, field_place *place)
{
    const ipu_vertex *v = &c->graph->vertices[vertex];
    size_t element = 0;
    for (size_t i = 0; i < n_pieces; i++) {
        const part *p = &c->parts[c->pieces[i].part];
        if (p->tile != v->tile)
            return field_error(c, vertex, field,
                "element %zu, of variable '%s', is mapped to tile %u; a vertex writes only to its own tile "
                "(map the variable there, or let a vertex of tile %u read it)",
                element, variable_of(c, c->pieces[i].part)->name, p->tile, p->tile);
        element += c->pieces[i].n;
    }
    if (n_pieces > 1)
        return field_error(c, vertex, field,
            "variable '%s': its %zu elements are in %zu separate ranges of the tile's memory; allowed for an "
            "output: one",
            variable_of(c, c->pieces[0].part)->name, tensor->n, n_pieces);
    size_t bytes = ipu_type_bytes(tensor->type);
    *place = (field_place){c->pieces[0].part, c->pieces[0].at * bytes, tensor->n};
    note_access(c, vertex, field, c->pieces[0], true);
    return MT_OK;
}

static bool same_tensor(const ipu_graph *g, const ipu_tensor *a, const ipu_tensor *b)
{
    if (a->n != b->n || a->n_slices != b->n_slices || a->type != b->type) return false;
    for (size_t i = 0; i < a->n_slices && a->first_slice != b->first_slice; i++) {
        const ipu_slice *s = &g->slices[a->first_slice + i];
        const ipu_slice *t = &g->slices[b->first_slice + i];
        if (s->variable != t->variable || s->from != t->from || s->n != t->n) return false;
    }
    return true;
}

/* Returns the buffer of the current slot with this tensor, or the free entry for it. */
static buffer *find_buffer(const compiling *c, const ipu_tensor *tensor)
{
    const ipu_graph *g = c->graph;
    uint64_t h = tensor->n;
    for (size_t i = 0; i < tensor->n_slices; i++) {
        const ipu_slice *s = &g->slices[tensor->first_slice + i];
        h = (h ^ s->variable ^ (uint64_t)s->from << 20 ^ (uint64_t)s->n << 44) * 0x9E3779B97F4A7C15U;
        h ^= h >> 29;
    }
    size_t at = h & c->buffer_mask;
    while (c->buffers[at].slot == c->slot + 1 && !same_tensor(g, tensor, &c->buffers[at].tensor))
        at = (at + 1) & c->buffer_mask;
    return &c->buffers[at];
}

/* True if the first piece ends an own part with a free tail, and all others come from other tiles. */
static bool fits_tail(const compiling *c, uint32_t tile, size_t n_pieces)
{
    const piece *first = &c->pieces[0];
    const part *own = &c->parts[first->part];
    if (own->tile != tile || first->at + first->n != own->n) return false;
    for (size_t i = 1; i < n_pieces; i++)
        if (c->parts[c->pieces[i].part].tile == tile) return false;
    return c->tail_slot[first->part] != c->slot + 1;
}

/* Adds drafts for pieces [from, n), contiguous from `destination` on; returns their bytes. */
static size_t draft_pieces(
    compiling *c, size_t from, size_t n, size_t bytes, size_t destination_part, size_t destination)
{
    size_t at = destination;
    for (size_t i = from; i < n; i++) {
        const piece *p = &c->pieces[i];
        c->drafts[c->n_drafts++] = (draft){p->part, p->at * bytes, destination_part, at, p->n * bytes};
        at += p->n * bytes;
    }
    return at - destination;
}

static void plan_input(
    compiling *c, size_t vertex, size_t field, const ipu_tensor *tensor, size_t n, field_place *place)
{
    uint32_t tile = c->graph->vertices[vertex].tile;
    size_t bytes = ipu_type_bytes(tensor->type);
    piece first = c->pieces[0];
    *place = (field_place){first.part, first.at * bytes, tensor->n};
    if (n == 1 && c->parts[first.part].tile == tile) {
        note_access(c, vertex, field, first, false);
        return;
    }
    buffer *shared = find_buffer(c, tensor);
    if (shared->slot == c->slot + 1) {
        *place = shared->place;
        if (place->part != edge_part) note_access(c, vertex, field, first, false);
        return;
    }
    input *in = &c->inputs[c->n_inputs++];
    *in = (input){.first_draft = c->n_drafts, .bytes = tensor->n * bytes};
    if (fits_tail(c, tile, n)) {
        part *own = &c->parts[first.part];
        c->tail_slot[first.part] = c->slot + 1;
        in->tail_at = first.n * bytes;
        size_t tail = draft_pieces(c, 1, n, bytes, first.part, own->n * bytes);
        if (tail > own->tail) own->tail = tail;
        note_access(c, vertex, field, first, false);
    } else {
        *place = (field_place){edge_part, c->edge_now, tensor->n};
        size_t size = draft_pieces(c, 0, n, bytes, edge_part, c->edge_now);
        c->edge_now += ipu_round_up(size, HOST_ALIGNMENT);
    }
    in->place = *place;
    in->n_drafts = c->n_drafts - in->first_draft;
    *shared = (buffer){c->slot + 1, *tensor, *place};
}

/* Plans a field that is no list, or one range of a list. */
static mt_status plan_range(
    compiling *c, size_t vertex, size_t field, const ipu_tensor *tensor, field_place *place)
{
    *place = (field_place){edge_part, 0, 0};
    if (tensor->n == 0) return MT_OK;
    const size_t n = resolve(c, tensor, c->pieces);
    if (c->graph->vertices[vertex].codelet->fields[field].direction != IPU_INPUT)
        return plan_output(c, vertex, field, tensor, n, place);
    plan_input(c, vertex, field, tensor, n, place);
    return MT_OK;
}

/* Plans a field. The places of list ranges follow the places of all fields, in the graph's order. */
static mt_status plan_field(compiling *c, size_t vertex, size_t field, field_place *place)
{
    const ipu_vertex *v = &c->graph->vertices[vertex];
    const ipu_connection *connection = &c->graph->connections[v->first_connection + field];
    const size_t first = c->graph->n_connections + connection->first_range;
    if (!connection->connected) return field_error(c, vertex, field, "not connected");
    if (!(v->codelet->lists >> field & 1)) return plan_range(c, vertex, field, &connection->tensor, place);
    *place = (field_place){list_part, first, connection->n_ranges};
    for (size_t r = 0; r < connection->n_ranges; r++)
        MT_TRY(plan_range(
            c, vertex, field, &c->graph->ranges[connection->first_range + r], &c->field_places[first + r]));
    return MT_OK;
}

/* ---- races ---- */

MT_ORDER(by_place, access, part, at, vertex, field)

static mt_status race(const compiling *c, const access *a, const access *b)
{
    const access *writer = a->write ? a : b;
    const access *other = a->write ? b : a;
    const ipu_codelet *codelet = c->graph->vertices[other->vertex].codelet;
    const ipu_variable *variable = variable_of(c, a->part);
    const char *how = other->write ? "written" : "read in place";
    return field_error(c, writer->vertex, writer->field,
        "race: variable '%s': element %zu of the tile's part is written here and %s by %s vertex ('%s' field "
        "'%s') of the same compute set",
        variable->name, b->at, how, writer->vertex == other->vertex ? "the same" : "another", codelet->name,
        codelet->fields[other->field].name);
}

/* The ends of the accesses to a part, up to the current one. Of reads: the farthest, and the farthest by another vertex. */
typedef struct reach {
    size_t written, writer;
    size_t read, reader, other_read;
} reach;

static void extend(reach *r, const access *a)
{
    const size_t end = a->at + a->n;
    if (a->write) {
        if (end > r->written) r->written = end, r->writer = a->vertex;
    } else if (a->vertex == r->reader) {
        r->read = ipu_larger(r->read, end);
    } else if (end > r->read) {
        r->other_read = r->read;
        r->read = end, r->reader = a->vertex;
    } else {
        r->other_read = ipu_larger(r->other_read, end);
    }
}

/* True if two of the sorted accesses race. Before the first race writes do not overlap, so only the last write can reach the
 * current access. */
static bool any_race(const compiling *c)
{
    reach r = {0};
    for (size_t i = 0; i < c->n_accesses; i++) {
        const access *a = &c->accesses[i];
        if (i == 0 || a->part != a[-1].part) r = (reach){.writer = SIZE_MAX, .reader = SIZE_MAX};
        if (r.written > a->at && (a->write || r.writer != a->vertex)) return true;
        if (a->write && (r.reader != a->vertex ? r.read : r.other_read) > a->at) return true;
        extend(&r, a);
    }
    return false;
}

/* Checks that no two accesses to an element include a write. A vertex may read elements that it writes itself. */
static mt_status check_races(compiling *c)
{
    if (c->n_accesses > 1) qsort(c->accesses, c->n_accesses, sizeof *c->accesses, by_place);
    if (!any_race(c)) return MT_OK;
    for (size_t i = 0; i < c->n_accesses; i++) {
        const access *a = &c->accesses[i];
        for (const access *b = a + 1; b < c->accesses + c->n_accesses; b++) {
            if (b->part != a->part || b->at >= a->at + a->n) break;
            if ((a->write && b->write) || ((a->write || b->write) && a->vertex != b->vertex))
                return race(c, a, b);
        }
    }
    return MT_OK;
}

/* ---- copies of the graph ---- */

static size_t slot_of(const compiling *c, const ipu_copy *copy, const piece *to)
{
    return copy->compute_set * c->n_tiles + c->parts[to->part].tile;
}

/* Splits the sources of all copies into pieces. */
static mt_status find_sources(compiling *c)
{
    const ipu_graph *g = c->graph;
    size_t n = 0;
    MT_ALLOC(c->scratch, c->copies, g->n_copies);
    for (size_t k = 0; k < g->n_copies; k++) {
        c->copies[k] = (copied){n, resolve(c, &g->copies[k].from, NULL), g->copies[k].from.n,
            ipu_type_bytes(g->copies[k].from.type)};
        n += c->copies[k].n;
    }
    MT_ALLOC(c->scratch, c->copy_pieces, n);
    MT_ALLOC(c->scratch, c->copy_at, n);
    for (size_t k = 0; k < g->n_copies; k++) {
        const size_t first = c->copies[k].first;
        (void)resolve(c, &g->copies[k].from, c->copy_pieces + first);
        for (size_t i = 1; i < c->copies[k].n; i++)
            c->copy_at[first + i] = c->copy_at[first + i - 1] + c->copy_pieces[first + i - 1].n;
    }
    return MT_OK;
}

/* Counts the landings of a copy in each slot (`out` is NULL), or writes them to their slots. */
static void add_landings(
    const compiling *c, size_t k, const piece *pieces, size_t n, size_t *slots, landing *out)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t slot = slot_of(c, &c->graph->copies[k], &pieces[i]);
        if (out) out[slots[slot]] = (landing){k, at, pieces[i]};
        slots[slot]++;
        at += pieces[i].n;
    }
}

/* Sorts the destinations of the copies by slot. */
static mt_status find_landings(compiling *c)
{
    const ipu_graph *g = c->graph;
    const size_t n_slots = c->n_sets * c->n_tiles;
    size_t most = 0, *next = NULL;
    piece *pieces = NULL;
    for (size_t k = 0; k < g->n_copies; k++) most = ipu_larger(most, resolve(c, &g->copies[k].to, NULL));
    MT_ALLOC(c->scratch, pieces, most);
    MT_ALLOC(c->scratch, next, n_slots + 1);
    MT_ALLOC(c->scratch, c->first_landing, n_slots + 1);
    for (size_t k = 0; k < g->n_copies; k++)
        add_landings(c, k, pieces, resolve(c, &g->copies[k].to, pieces), c->first_landing + 1, NULL);
    for (size_t s = 0; s < n_slots; s++) c->first_landing[s + 1] += c->first_landing[s];
    memcpy(next, c->first_landing, (n_slots + 1) * sizeof *next);
    MT_ALLOC(c->scratch, c->landings, c->first_landing[n_slots]);
    for (size_t k = 0; k < g->n_copies; k++)
        add_landings(c, k, pieces, resolve(c, &g->copies[k].to, pieces), next, c->landings);
    return MT_OK;
}

/* Returns the piece of a copy's source that contains an element. */
static size_t source_piece(const compiling *c, const copied *copy, size_t element)
{
    size_t low = copy->first, high = copy->first + copy->n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (c->copy_at[middle] <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Adds a draft from elements of a part to a stretch of one. While `drafts` is NULL, they are only counted. */
static void draft_copy(compiling *c, const copied *copy, size_t from_part, size_t at, piece to)
{
    const size_t bytes = copy->element_bytes;
    if (c->drafts)
        c->drafts[c->n_drafts++] = (draft){from_part, at * bytes, to.part, to.at * bytes, to.n * bytes};
}

/* Drafts the first n elements of a landing, at most the size of the source, which wraps around at its end. Returns the number
 * of drafts. */
static size_t draft_once(compiling *c, const landing *l, size_t n)
{
    const copied *copy = &c->copies[l->copy];
    size_t n_drafts = 0, element = l->at % copy->size;
    size_t from = source_piece(c, copy, element);
    for (size_t done = 0; done < n; n_drafts++) {
        const piece *p = &c->copy_pieces[from];
        const size_t skip = element - c->copy_at[from], left = n - done;
        const size_t take = p->n - skip < left ? p->n - skip : left;
        draft_copy(c, copy, p->part, p->at + skip, (piece){l->to.part, l->to.at + done, take});
        done += take;
        element += take;
        if (skip + take == p->n) from++;
        if (element == copy->size) {
            element = 0;
            from = copy->first;
        }
    }
    return n_drafts;
}

/* Drafts a landing. Repetitions are copied inside the tile from the first one, with doubled length each time. */
static size_t draft_landing(compiling *c, const landing *l)
{
    const copied *copy = &c->copies[l->copy];
    const size_t once = l->to.n < copy->size ? l->to.n : copy->size;
    size_t n_drafts = draft_once(c, l, once);
    for (size_t done = once; done < l->to.n; done *= 2, n_drafts++) {
        const size_t left = l->to.n - done;
        draft_copy(
            c, copy, l->to.part, l->to.at, (piece){l->to.part, l->to.at + done, done < left ? done : left});
    }
    return n_drafts;
}

static void plan_landing(compiling *c, const landing *l)
{
    const size_t bytes = c->copies[l->copy].element_bytes;
    input *in = &c->inputs[c->n_inputs++];
    *in = (input){.place = {l->to.part, l->to.at * bytes, l->to.n},
        .first_draft = c->n_drafts,
        .bytes = l->to.n * bytes,
        .stored = true};
    in->n_drafts = draft_landing(c, l);
}

/* ---- planning, tile by tile ---- */

static mt_status plan_tile(compiling *c, size_t slot, size_t *next_place)
{
    size_t tile = slot % c->n_tiles;
    c->n_accesses = c->edge_now = 0;
    c->slot = slot;
    c->first_draft[slot] = c->n_drafts;
    c->first_input[slot] = c->n_inputs;
    for (size_t i = c->first_task[slot]; i < c->first_task[slot + 1]; i++) {
        size_t vertex = c->order[i];
        const ipu_vertex *v = &c->graph->vertices[vertex];
        c->executable->tasks[i] = (ipu_task){v->codelet, v->context, *next_place};
        for (size_t f = 0; f < v->codelet->n_fields; f++)
            MT_TRY(plan_field(c, vertex, f, &c->field_places[(*next_place)++]));
    }
    c->first_stored[slot] = c->n_drafts;
    for (size_t i = c->first_landing[slot]; i < c->first_landing[slot + 1]; i++)
        plan_landing(c, &c->landings[i]);
    c->edge_bytes[tile] = ipu_larger(c->edge_bytes[tile], c->edge_now);
    return check_races(c);
}

/* Returns the number of fields of a vertex, plus the ranges of its lists. */
static size_t fields_of(const compiling *c, size_t vertex)
{
    const ipu_vertex *v = &c->graph->vertices[vertex];
    size_t n = v->codelet->n_fields;
    for (size_t f = 0; f < v->codelet->n_fields; f++)
        n += c->graph->connections[v->first_connection + f].n_ranges;
    return n;
}

/* Computes the capacity of the arrays of `compiling`. */
static void count(compiling *c, size_t *most_pieces, size_t *all_pieces, size_t *most_fields)
{
    const ipu_graph *g = c->graph;
    for (size_t i = 0; i < g->n_connections + g->n_ranges; i++) {
        const bool range = i >= g->n_connections;
        if (!range && !g->connections[i].connected) continue;
        const size_t n =
            resolve(c, range ? &g->ranges[i - g->n_connections] : &g->connections[i].tensor, NULL);
        *all_pieces += n;
        *most_pieces = ipu_larger(*most_pieces, n);
    }
    for (size_t s = 0; s < c->n_sets * c->n_tiles; s++) {
        size_t fields = 0;
        for (size_t i = c->first_task[s]; i < c->first_task[s + 1]; i++) fields += fields_of(c, c->order[i]);
        *most_fields = ipu_larger(*most_fields, fields);
    }
    for (size_t i = 0; i < c->first_landing[c->n_sets * c->n_tiles]; i++)
        *all_pieces += draft_landing(c, &c->landings[i]);
}

static mt_status plan(compiling *c)
{
    size_t most_pieces = 0;
    size_t all_pieces = 0;
    size_t most_fields = 0;
    size_t next_place = 0;
    size_t n_slots = c->n_sets * c->n_tiles;
    MT_TRY(find_sources(c));
    MT_TRY(find_landings(c));
    count(c, &most_pieces, &all_pieces, &most_fields);
    MT_ALLOC(c->scratch, c->pieces, most_pieces);
    MT_ALLOC(c->scratch, c->drafts, all_pieces);
    c->buffer_mask = 1;
    while (c->buffer_mask < 2 * most_fields) c->buffer_mask = 2 * c->buffer_mask + 1;
    MT_ALLOC(c->scratch, c->buffers, c->buffer_mask + 1);
    MT_ALLOC(c->scratch, c->tail_slot, c->n_parts);
    MT_ALLOC(c->scratch, c->accesses, most_fields);
    MT_ALLOC(c->arena, c->first_draft, n_slots + 1);
    MT_ALLOC(c->arena, c->first_stored, n_slots);
    MT_ALLOC(c->scratch, c->inputs, c->graph->n_connections + c->graph->n_ranges + c->first_landing[n_slots]);
    MT_ALLOC(c->arena, c->first_input, n_slots + 1);
    MT_ALLOC(c->scratch, c->field_places, c->graph->n_connections + c->graph->n_ranges);
    MT_ALLOC(c->scratch, c->edge_bytes, c->n_tiles);
    MT_ALLOC(c->arena, c->executable->tasks, c->graph->n_vertices);
    c->executable->n_tasks = c->graph->n_vertices;
    for (size_t s = 0; s < n_slots; s++) MT_TRY(plan_tile(c, s, &next_place));
    c->first_draft[n_slots] = c->n_drafts;
    c->first_input[n_slots] = c->n_inputs;
    return MT_OK;
}

/* ---- placement in the host image ---- */

static void place_tile(compiling *c, size_t tile, size_t *offset)
{
    c->executable->tile_offset[tile] = *offset;
    for (size_t i = c->tile_parts[tile]; i < c->tile_parts[tile + 1]; i++) {
        part *p = &c->parts[i];
        size_t own = p->n * ipu_type_bytes(variable_of(c, i)->type);
        p->offset = *offset;
        *offset += ipu_round_up(own + p->tail, HOST_ALIGNMENT);
    }
    c->executable->edge_offset[tile] = *offset;
    *offset += c->edge_bytes[tile];
}

static mt_status place(compiling *c)
{
    ipu_executable *e = c->executable;
    size_t offset = 0;
    MT_ALLOC(c->arena, e->tile_offset, c->n_tiles + 1);
    MT_ALLOC(c->arena, e->edge_offset, c->n_tiles);
    for (size_t t = 0; t < c->n_tiles; t++) place_tile(c, t, &offset);
    e->tile_offset[c->n_tiles] = offset;
    for (size_t r = 0; r < c->graph->n_mappings; r++)
        e->ranges[r].offset =
            c->parts[c->range_part[r]].offset +
            c->range_at[r] * ipu_type_bytes(c->graph->variables[e->ranges[r].variable].type);
    return MT_OK;
}

/* ---- the executable's places, messages and inputs ---- */

static size_t absolute(const compiling *c, size_t part_id, size_t tile, size_t at)
{
    if (part_id == list_part) return at;
    return at + (part_id == edge_part ? c->executable->edge_offset[tile] : c->parts[part_id].offset);
}

static uint32_t variable_at(const compiling *c, size_t part_id)
{
    return part_id < c->n_parts ? c->parts[part_id].variable : IPU_NO_VARIABLE;
}

static void emit_place(const compiling *c, const ipu_slots *slots, size_t tile, size_t at)
{
    const field_place *p = &c->field_places[at];
    c->executable->places[at] = (ipu_place){absolute(c, p->part, tile, p->at), p->n};
    slots->placed[at] = variable_at(c, p->part);
}

static void emit_task(const compiling *c, const ipu_slots *slots, size_t tile, const ipu_task *task)
{
    const ipu_executable *e = c->executable;
    for (size_t f = 0; f < task->codelet->n_fields; f++) {
        size_t n;
        emit_place(c, slots, tile, task->first_place + f);
        const ipu_place *ranges = ipu_task_places(e, task, f, &n);
        for (size_t k = 0; k < n; k++) emit_place(c, slots, tile, (size_t)(ranges - e->places) + k);
    }
}

static void emit_message(const compiling *c, const ipu_slots *slots, size_t tile, size_t at)
{
    const draft *d = &c->drafts[at];
    const part *source = &c->parts[d->source_part];
    c->executable->messages[at] = (ipu_message){source->offset + d->source,
        absolute(c, d->destination_part, tile, d->destination), (uint32_t)d->bytes, source->tile};
    c->executable->message_type[at] = (uint8_t)variable_of(c, d->source_part)->type;
    slots->sent[at] = source->variable;
}

static ipu_input input_of(const compiling *c, size_t tile, const input *in)
{
    return (ipu_input){.first_message = in->first_draft,
        .n_messages = in->n_drafts,
        .offset = absolute(c, in->place.part, tile, in->place.at),
        .bytes = in->bytes,
        .tail_at = in->tail_at,
        .stored = in->stored};
}

static mt_status emit(compiling *c, ipu_slots *slots)
{
    ipu_executable *e = c->executable;
    e->n_places = c->graph->n_connections + c->graph->n_ranges;
    e->n_messages = c->n_drafts;
    MT_ALLOC(c->arena, e->places, e->n_places);
    MT_ALLOC(c->arena, e->messages, e->n_messages);
    MT_ALLOC(c->arena, e->message_type, e->n_messages);
    MT_ALLOC(c->arena, e->inputs, c->n_inputs);
    MT_ALLOC(c->scratch, slots->sent, e->n_messages);
    MT_ALLOC(c->scratch, slots->placed, e->n_places);
    for (size_t slot = 0; slot < c->n_sets * c->n_tiles; slot++) {
        const size_t tile = slot % c->n_tiles;
        for (size_t i = c->first_task[slot]; i < c->first_task[slot + 1]; i++)
            emit_task(c, slots, tile, &e->tasks[i]);
        for (size_t i = c->first_draft[slot]; i < c->first_draft[slot + 1]; i++)
            emit_message(c, slots, tile, i);
        for (size_t i = c->first_input[slot]; i < c->first_input[slot + 1]; i++)
            e->inputs[i] = input_of(c, tile, &c->inputs[i]);
    }
    return MT_OK;
}

/* ---- entry points ---- */

static mt_status compile(compiling *c, const ipu_program *const *programs, size_t n_programs)
{
    ipu_executable *e = c->executable;
    const ipu_program **copy = NULL;
    ipu_slots slots;
    MT_ALLOC(c->arena, copy, n_programs);
    for (size_t i = 0; i < n_programs; i++) {
        MT_TRY(ipu_program_check(programs[i], c->graph));
        copy[i] = programs[i];
    }
    e->graph = c->graph;
    e->programs = copy;
    e->n_programs = n_programs;
    MT_TRY(make_ranges(c));
    MT_TRY(sort_ranges_by_tile(c));
    MT_TRY(make_parts(c));
    MT_TRY(order_vertices(c));
    MT_TRY(plan(c));
    MT_TRY(place(c));
    slots = (ipu_slots){.first_task = c->first_task,
        .first_message = c->first_draft,
        .first_input = c->first_input,
        .first_stored = c->first_stored};
    MT_TRY(emit(c, &slots));
    MT_TRY(ipu_supersteps_make(c->arena, e, &slots));
    MT_TRY(ipu_controls_make(c->arena, e));
    MT_TRY(ipu_streaming_check(e));
    return e->untimed ? MT_OK : ipu_memory_place(c->arena, e);
}

static mt_status compile_graph(mt_arena *arena, const ipu_graph *graph, const ipu_program *const *programs,
    size_t n_programs, bool untimed, ipu_executable **executable)
{
    MT_SCRATCH(scratch);
    MT_ALLOC(arena, *executable, 1);
    (*executable)->untimed = untimed;
    compiling c = {.arena = arena,
        .scratch = scratch,
        .graph = graph,
        .executable = *executable,
        .n_tiles = graph->target.tiles,
        .n_sets = graph->n_compute_sets};
    return compile(&c, programs, n_programs);
}

mt_status ipu_compile(mt_arena *arena, const ipu_graph *graph, const ipu_program *const *programs,
    size_t n_programs, ipu_executable **executable)
{
    return compile_graph(arena, graph, programs, n_programs, false, executable);
}

mt_status ipu_compile_untimed(mt_arena *arena, const ipu_graph *graph, const ipu_program *const *programs,
    size_t n_programs, ipu_executable **executable)
{
    return compile_graph(arena, graph, programs, n_programs, true, executable);
}

/* ---- other constants ---- */

static mt_status copy_inputs(mt_arena *arena, const ipu_executable *e, ipu_executable *to)
{
    const ipu_graph *g = e->graph;
    const size_t n =
        g->n_compute_sets > 0 ? e->supersteps[g->n_compute_sets - 1].first_input[g->target.tiles] : 0;
    MT_COPY(arena, to->inputs, e->inputs, n);
    return MT_OK;
}

mt_status ipu_compile_for(
    mt_arena *arena, const ipu_executable *e, const ipu_target *other, ipu_executable **same)
{
    ipu_graph *graph = NULL;
    ipu_executable *to = NULL;
    const size_t n_sets = e->graph->n_compute_sets;
    MT_ALLOC(arena, graph, 1);
    MT_ALLOC(arena, to, 1);
    *graph = *e->graph;
    graph->target = *other;
    *to = *e;
    to->graph = graph;
    MT_TRY(copy_inputs(arena, e, to));
    MT_ALLOC(arena, to->supersteps, n_sets);
    for (size_t s = 0; s < n_sets; s++) {
        to->supersteps[s] = e->supersteps[s];
        MT_TRY(ipu_exchange_of_superstep(arena, to, &to->supersteps[s]));
    }
    MT_ALLOC(arena, to->controls, e->n_controls);
    for (size_t c = 0; c < e->n_controls; c++) {
        to->controls[c] = e->controls[c];
        if (ipu_program_has_predicate(e->controls[c].program))
            MT_TRY(ipu_exchange_of_predicate(other, &to->controls[c]));
    }
    *same = to;
    return MT_OK;
}
