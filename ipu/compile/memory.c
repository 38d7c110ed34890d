#include "ipu/compile/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"
#include "ipu/compile/streaming.h"
#include "ipu/cost/dram.h"
#include "ipu/machine/integer.h"

enum { ALIGNMENT = 8, RANGE_BYTES = 8, LARGEST = 5 };
static const size_t none = SIZE_MAX;

const char *const ipu_memory_category_name[IPU_MEMORY_CATEGORIES] = {[IPU_MEMORY_VARIABLES] = "variables",
    [IPU_MEMORY_TEMPORARIES] = "temporary variables",
    [IPU_MEMORY_RECEIVED] = "received",
    [IPU_MEMORY_REARRANGEMENT] = "rearrangement",
    [IPU_MEMORY_VERTEX_STATE] = "vertex state",
    [IPU_MEMORY_VERTEX_CODE] = "code of codelets",
    [IPU_MEMORY_EXCHANGE_CODE] = "code of the exchange",
    [IPU_MEMORY_RESERVED] = "reserved"};

/* An item before placement, `at` bytes after the start of its block. */
typedef struct piece {
    ipu_memory_item item;
    size_t at, next; /* index of the next one of the same block; none: the last */
} piece;

/* Pieces that must be contiguous. */
typedef struct block {
    size_t first, bytes, number;
    bool interleaved;
} block;

/* A stretch of memory, [begin, end). The runs of a list are ascending and disjoint, with gaps between them. */
typedef struct run {
    size_t begin, end, next;
} run;

typedef struct placed_item {
    ipu_memory_item item;
    size_t number; /* in the order of creation */
} placed_item;

/* The placement of one tile. The blocks of its parts come first, in the order of the host image. */
typedef struct placing {
    const ipu_executable *executable;
    const ipu_target *target;
    size_t tile;
    bool streams; /* ipu_streaming_any */
    block *blocks;
    size_t n_blocks, n_parts;
    size_t *part_offset, *part_bytes; /* [n_parts] in the host image */
    piece *pieces;
    size_t n_pieces;
    const ipu_codelet **codelets; /* [n_codelets] seen so far */
    size_t n_codelets;
    placed_item *placed;
    size_t n_placed;
    run *runs; /* of all lists */
    size_t n_runs;
    /* [n_moments + 2] heads of lists of runs: live at each moment but not always; always live; all */
    size_t *list;
    size_t *live_bytes; /* [n_moments + 1] */
    size_t code_end;
} placing;

/* Returns the address of the reserved bytes. */
static size_t top_of(const ipu_target *target)
{
    const size_t reserved = target->memory.reserved_bytes;
    return target->bytes_per_tile > reserved ? target->bytes_per_tile - reserved : 0;
}

/* Returns the end of the usable part of region 0. */
static size_t region0_end(const ipu_target *target)
{
    const size_t top = top_of(target);
    return target->memory.region0_bytes < top ? target->memory.region0_bytes : top;
}

/* ---- capacity for the largest tile ---- */

static size_t tasks_of(const ipu_executable *e, size_t tile, size_t *inputs)
{
    size_t n = 0;
    *inputs = 0;
    for (size_t s = 0; s < e->graph->n_compute_sets; s++) {
        const ipu_superstep *step = &e->supersteps[s];
        n += step->first_task[tile + 1] - step->first_task[tile];
        *inputs += step->first_input[tile + 1] - step->first_input[tile];
    }
    return n;
}

/* Returns the number of lists that contain an item: all, and always live or each of its moments. */
static size_t lists_of(const ipu_live_range *live)
{
    return live->always ? 2 : 2 + (size_t)live->last - live->first;
}

/* Allocates memory to place any of the tiles [first, end). */
static mt_status make_room(mt_arena *arena, const ipu_executable *e, size_t first, size_t end, placing *p)
{
    /* edge buffers, buffers of streamed data, state, code, buffers and tables of copies */
    const size_t of_sets = 6 * e->graph->n_compute_sets;
    size_t parts = 0, tasks = 0, items = 0, runs = 0;
    for (size_t t = first; t < end; t++) {
        size_t inputs;
        const size_t n_tasks = tasks_of(e, t, &inputs),
                     n = e->first_tile_range[t + 1] - e->first_tile_range[t];
        parts = ipu_larger(parts, n);
        tasks = ipu_larger(tasks, n_tasks);
        items = ipu_larger(items, n + inputs + n_tasks + of_sets + 1);
        size_t of_parts = 0;
        for (size_t i = e->first_tile_range[t]; i < e->first_tile_range[t + 1]; i++)
            if (!e->liveness.unused[e->tile_range[i]])
                of_parts += lists_of(&e->liveness.variable[e->ranges[e->tile_range[i]].variable]);
        runs = ipu_larger(runs, of_parts + 2 * (inputs + n_tasks + of_sets + 1));
    }
    *p = (placing){.executable = e, .target = &e->graph->target, .streams = ipu_streaming_any(e->graph)};
    MT_ALLOC(arena, p->blocks, parts + of_sets);
    MT_ALLOC(arena, p->part_offset, parts);
    MT_ALLOC(arena, p->part_bytes, parts);
    MT_ALLOC(arena, p->pieces, items);
    MT_ALLOC(arena, p->codelets, tasks);
    MT_ALLOC(arena, p->placed, items);
    MT_ALLOC(arena, p->runs, runs);
    MT_ALLOC(arena, p->list, (size_t)e->liveness.n_moments + 2);
    MT_ALLOC(arena, p->live_bytes, (size_t)e->liveness.n_moments + 1);
    return MT_OK;
}

/* ---- the items of a tile ---- */

static size_t add_piece(
    placing *p, const char *name, ipu_memory_category category, size_t bytes, ipu_live_range live)
{
    p->pieces[p->n_pieces] = (piece){
        .item = {.name = name, .category = category, .bytes = ipu_round_up(bytes, ALIGNMENT), .live = live},
        .next = none};
    return p->n_pieces++;
}

static void add_block(placing *p, bool interleaved, const char *name, ipu_memory_category category,
    size_t bytes, ipu_live_range live)
{
    if (bytes == 0) return;
    const size_t first = add_piece(p, name, category, bytes, live);
    p->blocks[p->n_blocks] = (block){first, p->pieces[first].item.bytes, p->n_blocks, interleaved};
    p->n_blocks++;
}

static size_t list_of_always(const placing *p) { return p->executable->liveness.n_moments; }
static size_t list_of_all(const placing *p) { return (size_t)p->executable->liveness.n_moments + 1; }

/* Adds [begin, end) to a list. */
static void cover(placing *p, size_t list, size_t begin, size_t end)
{
    size_t *link = &p->list[list];
    while (*link != none && p->runs[*link].end < begin) link = &p->runs[*link].next;
    if (*link == none || p->runs[*link].begin > end) {
        p->runs[p->n_runs] = (run){begin, end, *link};
        *link = p->n_runs++;
        return;
    }
    run *r = &p->runs[*link];
    if (begin < r->begin) r->begin = begin;
    r->end = ipu_larger(r->end, end);
    for (; r->next != none && p->runs[r->next].begin <= r->end; r->next = p->runs[r->next].next)
        r->end = ipu_larger(r->end, p->runs[r->next].end);
}

static void place_at(placing *p, size_t offset, ipu_memory_item item)
{
    const size_t end = offset + item.bytes;
    item.offset = offset;
    item.region = offset < p->target->memory.region0_bytes ? 0 : 1;
    p->placed[p->n_placed] = (placed_item){item, p->n_placed};
    p->n_placed++;
    if (item.bytes == 0) return;
    cover(p, list_of_all(p), offset, end);
    if (item.live.always)
        cover(p, list_of_always(p), offset, end);
    else
        for (size_t moment = item.live.first; moment <= item.live.last; moment++)
            cover(p, moment, offset, end);
}

static void add_code(placing *p, const char *name, ipu_memory_category category, size_t bytes)
{
    if (bytes == 0) return;
    bytes = ipu_round_up(bytes, ALIGNMENT);
    place_at(p, p->code_end,
        (ipu_memory_item){.name = name, .category = category, .bytes = bytes, .live.always = true});
    p->code_end += bytes;
}

static void add_parts(placing *p)
{
    const ipu_executable *e = p->executable;
    const size_t end = e->first_tile_range[p->tile + 1];
    for (size_t i = e->first_tile_range[p->tile]; i < end;) {
        const ipu_range *range = &e->ranges[e->tile_range[i]];
        const ipu_variable *v = &e->graph->variables[range->variable];
        const ipu_live_range live = e->liveness.variable[range->variable];
        size_t n = 0;
        bool unused = true;
        for (; i < end && e->ranges[e->tile_range[i]].variable == range->variable; i++) {
            n += e->ranges[e->tile_range[i]].n;
            unused &= e->liveness.unused[e->tile_range[i]];
        }
        if (unused || v->dram) continue;
        p->part_offset[p->n_blocks] = range->offset;
        p->part_bytes[p->n_blocks] = n * ipu_type_bytes(v->type);
        add_block(p, false, v->name, live.always ? IPU_MEMORY_VARIABLES : IPU_MEMORY_TEMPORARIES,
            n * ipu_type_bytes(v->type), live);
    }
    p->n_parts = p->n_blocks;
}

/* Returns the part at `offset` of the host image. */
static size_t part_at(const placing *p, size_t offset)
{
    size_t low = 0;
    size_t high = p->n_parts;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (p->part_offset[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Adds the tail of a compute set at the end of a part, unless it exists: all vertices that take it share it. */
static void add_tail(placing *p, size_t part, size_t bytes, const char *set, uint32_t moment)
{
    block *b = &p->blocks[part];
    piece *own = &p->pieces[b->first];
    const size_t at = p->part_bytes[part], end = ipu_round_up(at + bytes, ALIGNMENT);
    if (own->next != none && p->pieces[own->next].item.live.first == moment) return;
    const size_t tail = add_piece(p, set, IPU_MEMORY_RECEIVED, 0, (ipu_live_range){false, moment, moment});
    p->pieces[tail].item.bytes = end - at;
    p->pieces[tail].at = at;
    p->pieces[tail].next = own->next;
    own->item.bytes = at;
    own->next = tail;
    b->bytes = ipu_larger(b->bytes, end);
}

/* The edge buffers of one compute set, including inputs assembled by copies. */
typedef struct edges {
    size_t bytes;
    bool interleaved; /* True if one of them is */
} edges;

static bool in_a_buffer(const ipu_input *input)
{
    return !input->stored && (input->tail_at == 0 || input->copied);
}

static void add_input(placing *p, const ipu_superstep *step, const ipu_input *input, edges *edge)
{
    const uint32_t moment = p->executable->liveness.set_moment[step - p->executable->supersteps];
    if (input->stored) return;
    if (in_a_buffer(input))
        edge->bytes += ipu_round_up(input->bytes, ALIGNMENT);
    else
        add_tail(p, part_at(p, input->offset), input->bytes - input->tail_at, step->name, moment);
}

/* Returns the input at an offset of the host image; NULL if the data there are one range of the tile's own memory. */
static const ipu_input *input_at(const placing *p, const ipu_superstep *step, size_t offset, size_t bytes)
{
    for (size_t i = step->first_input[p->tile]; i < step->first_input[p->tile + 1]; i++) {
        const ipu_input *input = &p->executable->inputs[i];
        if (input->offset == offset && input->bytes == bytes) return input;
    }
    return NULL;
}

/* Marks data that a codelet reads by 128-bit loads as interleaved. */
static void add_range(placing *p, const ipu_superstep *step, const ipu_task *task, size_t field,
    const ipu_place *place, edges *edge)
{
    const ipu_field *f = &task->codelet->fields[field];
    if (place->n == 0 || !(task->codelet->interleaved >> field & 1)) return;
    if (task->codelet->streamed >> field & 1 && ipu_streaming_variable(p->executable, p->tile, place->offset))
        return;
    const ipu_input *input = f->direction == IPU_INPUT
                                 ? input_at(p, step, place->offset, place->n * ipu_type_bytes(f->type))
                                 : NULL;
    if (input && in_a_buffer(input))
        edge->interleaved = true;
    else
        p->blocks[part_at(p, place->offset)].interleaved = true;
}

static void add_codelet(placing *p, const ipu_codelet *codelet)
{
    size_t k = 0;
    while (k < p->n_codelets && p->codelets[k] != codelet) k++;
    if (k < p->n_codelets) return;
    p->codelets[p->n_codelets++] = codelet;
    add_code(p, codelet->name, IPU_MEMORY_VERTEX_CODE, codelet->code_bytes);
}

static void add_compute_set(placing *p, size_t set)
{
    const ipu_executable *e = p->executable;
    const ipu_superstep *step = &e->supersteps[set];
    const ipu_live_range always = {.always = true};
    const ipu_live_range now = {false, e->liveness.set_moment[set], e->liveness.set_moment[set]};
    const ipu_exchange *exchange = &step->exchange;
    const ipu_copying *before = &exchange->before[p->tile], *after = &exchange->after[p->tile];
    const size_t tables = (before->ranges + before->strided + after->ranges + after->strided) *
                          p->target->memory.copy_range_bytes;
    const ipu_streaming streaming = p->streams ? ipu_streaming_of(e, step, p->tile) : (ipu_streaming){0};
    edges edge = {0};
    size_t state = 0;
    for (size_t i = step->first_input[p->tile]; i < step->first_input[p->tile + 1]; i++)
        add_input(p, step, &e->inputs[i], &edge);
    for (size_t i = step->first_task[p->tile]; i < step->first_task[p->tile + 1]; i++) {
        const ipu_task *task = &e->tasks[i];
        state += ipu_round_up(task->codelet->vertex_bytes, ALIGNMENT);
        add_codelet(p, task->codelet);
        for (size_t f = 0; f < task->codelet->n_fields; f++) {
            size_t n;
            const ipu_place *place = ipu_task_places(e, task, f, &n);
            for (size_t k = 0; k < n; k++) add_range(p, step, task, f, &place[k], &edge);
            if (task->codelet->lists >> f & 1) state += n * RANGE_BYTES;
        }
    }
    add_block(p, edge.interleaved, step->name, IPU_MEMORY_RECEIVED, edge.bytes, now);
    add_block(p, streaming.interleaved, step->name, IPU_MEMORY_RECEIVED,
        ipu_dram_buffers(&p->target->dram, &streaming.use), now);
    add_block(p, false, step->name, IPU_MEMORY_REARRANGEMENT, exchange->buffer_bytes[p->tile], now);
    add_block(p, false, step->name, IPU_MEMORY_REARRANGEMENT, tables, always);
    add_block(p, false, step->name, IPU_MEMORY_VERTEX_STATE, state, always);
    add_code(p, step->name, IPU_MEMORY_EXCHANGE_CODE,
        exchange->tile_pieces[p->tile] * p->target->memory.exchange_code_bytes);
}

/* ---- placement ---- */

static int by_size(const void *left, const void *right)
{
    const block *a = left;
    const block *b = right;
    if (a->interleaved != b->interleaved) return a->interleaved ? -1 : 1;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Increases *at until the piece overlaps no run of the list. True if it has changed. */
static bool evade_list(const placing *p, size_t list, const piece *moving, size_t *at)
{
    bool moved = false;
    for (size_t i = p->list[list]; i != none; i = p->runs[i].next) {
        const run *there = &p->runs[i];
        const size_t from = *at + moving->at;
        if (there->begin >= from + moving->item.bytes) break;
        if (there->end <= from) continue;
        *at = ipu_round_up(there->end - moving->at, ALIGNMENT);
        moved = true;
    }
    return moved;
}

/* The same for all items that are live together with the piece. */
static bool evade(const placing *p, const piece *moving, size_t *at)
{
    const ipu_live_range *live = &moving->item.live;
    if (live->always) return evade_list(p, list_of_all(p), moving, at);
    bool moved = evade_list(p, list_of_always(p), moving, at);
    for (size_t moment = live->first; moment <= live->last; moment++)
        moved |= evade_list(p, moment, moving, at);
    return moved;
}

/* Returns the lowest address for a block, at or above `low`. If one piece moves the block, the others are checked again. */
static size_t find_place(const placing *p, const block *b, size_t low)
{
    size_t at = ipu_round_up(low, ALIGNMENT);
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t k = b->first; k != none; k = p->pieces[k].next) moved |= evade(p, &p->pieces[k], &at);
    }
    return at;
}

/* Places a block in unbounded memory; the sums reveal tiles that are too full. */
static void place_block(placing *p, const block *b)
{
    const size_t data = ipu_round_up(p->code_end, p->target->memory.element_bytes);
    const size_t at = find_place(p, b, b->interleaved ? ipu_larger(data, region0_end(p->target)) : data);
    for (size_t k = b->first; k != none; k = p->pieces[k].next)
        place_at(p, at + p->pieces[k].at, p->pieces[k].item);
}

static size_t end_of_use(const placing *p)
{
    size_t end = 0;
    for (size_t i = 0; i < p->n_placed; i++)
        end = ipu_larger(end, p->placed[i].item.offset + p->placed[i].item.bytes);
    return end;
}

MT_ORDER(by_offset, placed_item, item.offset, number)

static void place_reserved(placing *p)
{
    const size_t reserved = p->target->memory.reserved_bytes;
    if (reserved == 0) return;
    const size_t top = ipu_larger(end_of_use(p), top_of(p->target));
    place_at(p, top,
        (ipu_memory_item){.name = p->target->name,
            .category = IPU_MEMORY_RESERVED,
            .bytes = reserved,
            .live.always = true});
}

static void place_tile(placing *p, size_t tile)
{
    p->tile = tile;
    p->n_blocks = p->n_pieces = p->n_codelets = p->n_placed = p->code_end = p->n_runs = 0;
    for (size_t k = 0; k <= list_of_all(p); k++) p->list[k] = none;
    add_parts(p);
    for (size_t s = 0; s < p->executable->graph->n_compute_sets; s++) add_compute_set(p, s);
    if (p->n_blocks > 1) qsort(p->blocks, p->n_blocks, sizeof *p->blocks, by_size);
    for (size_t b = 0; b < p->n_blocks; b++) place_block(p, &p->blocks[b]);
    place_reserved(p);
    if (p->n_placed > 1) qsort(p->placed, p->n_placed, sizeof *p->placed, by_offset);
}

/* ---- sums ---- */

/* Returns the bytes that items of the categories up to `last` occupy. */
static size_t used(const placing *p, int last)
{
    size_t bytes = 0, end = 0;
    for (size_t i = 0; i < p->n_placed; i++) {
        const ipu_memory_item *item = &p->placed[i].item;
        const size_t item_end = item->offset + item->bytes;
        if ((int)item->category > last || item_end <= end) continue;
        bytes += item_end - ipu_larger(item->offset, end);
        end = item_end;
    }
    return bytes;
}

/* Returns the maximum over moments of the bytes that are live but not always live. */
static size_t most_at_once(placing *p)
{
    const size_t n_moments = p->executable->liveness.n_moments;
    size_t bytes = 0, most = 0;
    memset(p->live_bytes, 0, (n_moments + 1) * sizeof *p->live_bytes);
    for (size_t i = 0; i < p->n_placed; i++) {
        const ipu_memory_item *item = &p->placed[i].item;
        if (item->live.always) continue;
        p->live_bytes[item->live.first] += item->bytes;
        p->live_bytes[(size_t)item->live.last + 1] -= item->bytes; /* may wrap: only sums are used */
    }
    for (size_t moment = 0; moment < n_moments; moment++) {
        bytes += p->live_bytes[moment];
        most = ipu_larger(most, bytes);
    }
    return most;
}

static ipu_tile_memory sums_of(placing *p)
{
    ipu_tile_memory m = {0};
    size_t end = 0;
    for (int k = 0; k < IPU_MEMORY_CATEGORIES; k++) {
        m.bytes[k] = used(p, k) - m.total;
        m.total += m.bytes[k];
    }
    for (size_t i = 0; i < p->n_placed; i++) {
        const ipu_memory_item *item = &p->placed[i].item;
        if (item->category != IPU_MEMORY_RESERVED) end = ipu_larger(end, item->offset + item->bytes);
        if (item->live.always) m.always_live += item->bytes;
    }
    m.not_always_live = most_at_once(p);
    m.gaps = end - (m.total - m.bytes[IPU_MEMORY_RESERVED]);
    return m;
}

/* ---- tiles that are too full ---- */

static size_t asked(const ipu_tile_memory *m) { return m->total + m->gaps; }

static size_t code_of(const ipu_tile_memory *m)
{
    return m->bytes[IPU_MEMORY_VERTEX_CODE] + m->bytes[IPU_MEMORY_EXCHANGE_CODE];
}

static bool is_over(const ipu_target *target, const ipu_tile_memory *m)
{
    return asked(m) > target->bytes_per_tile || code_of(m) > region0_end(target);
}

MT_ORDER_DOWN(by_bytes, placed_item, item.bytes, item.offset)

/* Writes the rule that prevents items from fitting; "" if their size alone does. */
static void name_rule(const ipu_target *target, const ipu_tile_memory *m, char *text, size_t size)
{
    text[0] = 0;
    if (m->total > target->bytes_per_tile) return;
    if (code_of(m) > region0_end(target))
        (void)snprintf(text, size, "; code is allowed in region 0 only: %zu bytes, %zu available", code_of(m),
            region0_end(target));
    else
        (void)snprintf(
            text, size, "; it would fit without the %zu bytes of gaps between regions and elements", m->gaps);
}

/* `over`: number of tiles that are too full; n_used: number of tiles with data. */
static mt_status does_not_fit(placing *p, size_t tile, size_t over, size_t n_used)
{
    const ipu_executable *e = p->executable;
    const ipu_tile_memory *m = &e->memory[tile];
    char largest[640] = "", rule[128], all[48] = "";
    size_t n = 0;
    place_tile(p, tile);
    qsort(p->placed, p->n_placed, sizeof *p->placed, by_bytes);
    for (size_t i = 0; i < LARGEST && i < p->n_placed && n < sizeof largest; i++)
        n += (size_t)snprintf(largest + n, sizeof largest - n, "%s%s '%s' %zu", i > 0 ? ", " : "",
            ipu_memory_category_name[p->placed[i].item.category], p->placed[i].item.name,
            p->placed[i].item.bytes);
    name_rule(p->target, m, rule, sizeof rule);
    if (n_used < p->target->tiles)
        (void)snprintf(all, sizeof all, " in use (the machine has %zu)", p->target->tiles);
    return mt_fail(MT_FIT,
        "tile %zu: %zu bytes required, %zu available%s; largest: %s; %zu of %zu tiles%s exceed their memory",
        tile, asked(m), p->target->bytes_per_tile, rule, largest, over, n_used, all);
}

mt_status ipu_memory_place(mt_arena *arena, ipu_executable *e)
{
    MT_SCRATCH(scratch);
    const size_t n_tiles = e->graph->target.tiles;
    size_t over = 0, worst = 0, n_used = 0;
    placing p;
    MT_ALLOC(arena, e->memory, n_tiles);
    MT_TRY(ipu_liveness_find(arena, e->graph, e->programs, e->n_programs, &e->liveness));
    MT_TRY(make_room(scratch, e, 0, n_tiles, &p));
    for (size_t t = 0; t < n_tiles; t++) {
        place_tile(&p, t);
        e->memory[t] = sums_of(&p);
        const bool too_full = is_over(p.target, &e->memory[t]);
        n_used += too_full || e->memory[t].total > e->memory[t].bytes[IPU_MEMORY_RESERVED];
        if (!too_full) continue;
        if (over++ == 0 || asked(&e->memory[t]) > asked(&e->memory[worst])) worst = t;
    }
    return over == 0 ? MT_OK : does_not_fit(&p, worst, over, n_used);
}

mt_status ipu_memory_map(mt_arena *arena, const ipu_executable *executable, size_t tile, ipu_tile_map *map)
{
    MT_SCRATCH(scratch);
    placing p;
    MT_TRY(make_room(scratch, executable, tile, tile + 1, &p));
    place_tile(&p, tile);
    *map = (ipu_tile_map){.n_items = p.n_placed, .sums = sums_of(&p)};
    MT_ALLOC(arena, map->items, p.n_placed);
    for (size_t i = 0; i < p.n_placed; i++) map->items[i] = p.placed[i].item;
    return MT_OK;
}
