/* Random graphs and programs. Every memory map must obey the rules of ipu/compile/memory.h. Programs are executed step by step in the
 * modelled memory, and must find there only their own data. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "ipu/compile/memory.h"
#include "tests/ipu/test_ring.h"
#include "tests/random.h"

enum {
    MOST_TILES = 3,
    MOST_VARIABLES = 8,
    MOST_SETS = 5,
    MOST_ELEMENTS = 24,
    ELEMENT = 64,
    REGION0 = 1536,
    TILE = 4096
};
enum { NOBODY = 0xffff };

static mt_arena arena;
static uint64_t state;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(memory_random, .fini = teardown);

static size_t below(size_t n) { return draw(&state, n); }
static bool chance(size_t percent) { return below(100) < percent; }

/* ---- a graph ---- */

static size_t n_tiles, n_variables, n_sets;
static ipu_graph *graph;
static uint32_t streams[2];
static uint32_t tile_of[MOST_VARIABLES][MOST_ELEMENTS]; /* the tile of each element */
static size_t place_in_part[MOST_VARIABLES][MOST_ELEMENTS];

/* Codelets by type, by whether their first field uses wide loads, and by whether they also read their output. */
static const ipu_field fields[2][2][3] = {
    {{{"in", IPU_INPUT, IPU_FLOAT}, {"more", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}},
        {{"in", IPU_INPUT, IPU_FLOAT}, {"more", IPU_INPUT, IPU_FLOAT}, {"out", IPU_INOUT, IPU_FLOAT}}},
    {{{"in", IPU_INPUT, IPU_UNSIGNED_SHORT}, {"more", IPU_INPUT, IPU_UNSIGNED_SHORT},
         {"out", IPU_OUTPUT, IPU_UNSIGNED_SHORT}},
        {{"in", IPU_INPUT, IPU_UNSIGNED_SHORT}, {"more", IPU_INPUT, IPU_UNSIGNED_SHORT},
            {"out", IPU_INOUT, IPU_UNSIGNED_SHORT}}}};
#define KIND(type, wide, inout)                                                                              \
    {                                                                                                        \
        "kind", 3, fields[type][inout], ring_copy, ring_cost,                                                \
            .code_bytes = 5 + 20 * (type), .vertex_bytes = 3 + 8 * (inout), .interleaved = (wide)            \
    }
static const ipu_codelet kinds[2][2][2] = {{{KIND(0, 0, 0), KIND(0, 0, 1)}, {KIND(0, 1, 0), KIND(0, 1, 1)}},
    {{KIND(1, 0, 0), KIND(1, 0, 1)}, {KIND(1, 1, 0), KIND(1, 1, 1)}}};

static size_t type_of(size_t v) { return graph->variables[v].type == IPU_FLOAT ? 0 : 1; }
static size_t bytes_of(size_t v) { return ipu_type_bytes(graph->variables[v].type); }

/* Adds a variable in up to four pieces, each on a random tile. */
static void add_variable(size_t v)
{
    uint32_t id;
    const size_t n = 1 + below(MOST_ELEMENTS);
    size_t in_part[MOST_TILES] = {0};
    cr_assert_eq(
        ipu_graph_add_variable(graph, "v", chance(70) ? IPU_FLOAT : IPU_UNSIGNED_SHORT, n, &id), MT_OK);
    for (size_t from = 0; from < n;) {
        const size_t piece = 1 + below(chance(50) ? n - from : (n - from + 3) / 4);
        const uint32_t tile = (uint32_t)below(n_tiles);
        cr_assert_eq(ipu_graph_set_tile_mapping(graph, id, from, piece, tile), MT_OK);
        for (size_t i = from; i < from + piece; i++) {
            tile_of[v][i] = tile;
            place_in_part[v][i] = in_part[tile]++;
        }
        from += piece;
    }
    if (chance(70)) cr_assert_eq(ipu_graph_set_temporary(graph, id), MT_OK);
}

/* Returns the elements of a variable on a tile with places in [from, to) of the part. */
static size_t own_slices(size_t v, uint32_t tile, size_t from, size_t to, ipu_slice *slices)
{
    size_t n = 0;
    for (size_t i = 0; i < graph->variables[v].n; i++)
        if (tile_of[v][i] == tile && place_in_part[v][i] >= from && place_in_part[v][i] < to)
            slices[n++] = (ipu_slice){(uint32_t)v, i, 1};
    return n;
}

static size_t part_size(size_t v, uint32_t tile)
{
    ipu_slice slices[MOST_ELEMENTS];
    return own_slices(v, tile, 0, SIZE_MAX, slices);
}

static size_t some_variable(size_t type)
{
    size_t v = below(n_variables);
    for (size_t tries = 0; type_of(v) != type && tries < n_variables; tries++) v = (v + 1) % n_variables;
    return v;
}

static void connect(size_t vertex, const char *field, const ipu_slice *slices, size_t n)
{
    ipu_tensor tensor;
    cr_assert_eq(ipu_graph_add_tensor(graph, slices, n, &tensor), MT_OK);
    cr_assert_eq(ipu_graph_connect(graph, vertex, field, tensor), MT_OK, "%s", mt_message());
}

/* Connects elements of the tile followed by elements of other tiles, or random elements. */
static void connect_input(size_t vertex, const char *field, size_t type, uint32_t tile)
{
    ipu_slice slices[2 * MOST_ELEMENTS];
    size_t n = 0;
    if (chance(50)) n = own_slices(some_variable(type), tile, below(3), SIZE_MAX, slices);
    for (size_t more = below(4); more > 0; more--) {
        const size_t v = some_variable(type), from = below(graph->variables[v].n);
        if (n > 0 && tile_of[v][from] == tile) continue;
        const size_t length = n > 0 ? 1 : 1 + below(graph->variables[v].n - from);
        slices[n++] = (ipu_slice){(uint32_t)v, from, length};
    }
    if (n > 0 && type_of(slices[0].variable) != type) n = 0;
    connect(vertex, field, slices, n);
}

/* Adds a compute set. Most write all of one variable, with one vertex on each tile that has a part of it. */
static void add_compute_set(void)
{
    uint32_t set;
    const size_t out = below(n_variables), type = type_of(out);
    const bool whole = chance(70);
    cr_assert_eq(ipu_graph_add_compute_set(graph, "set", &set), MT_OK);
    for (uint32_t tile = 0; tile < n_tiles; tile++) {
        ipu_slice slices[MOST_ELEMENTS];
        size_t vertex;
        const size_t n = part_size(out, tile);
        if (n == 0 || (!whole && chance(40))) continue;
        const size_t from = whole ? 0 : below(n), to = whole ? n : from + 1 + below(n - from);
        const ipu_codelet *codelet = &kinds[type][chance(20)][chance(25)];
        cr_assert_eq(ipu_graph_add_vertex(graph, set, codelet, tile, NULL, &vertex), MT_OK);
        connect_input(vertex, "in", type, tile);
        connect_input(vertex, "more", type, tile);
        connect(vertex, "out", slices, own_slices(out, tile, from, to, slices));
    }
}

static const ipu_program *random_program(int depth)
{
    const ipu_program *p, *children[4];
    const size_t what = below(10);
    if (depth > 0 && what < 6) {
        const size_t n = 1 + below(4);
        for (size_t i = 0; i < n; i++) children[i] = random_program(depth - 1);
        cr_assert_eq(ipu_program_sequence(&arena, children, n, &p), MT_OK);
        if (chance(40)) cr_assert_eq(ipu_program_repeat(&arena, below(4), p, &p), MT_OK);
    } else if (what < 8) {
        cr_assert_eq(ipu_program_execute(&arena, (uint32_t)below(n_sets), &p), MT_OK);
    } else {
        const size_t v = below(n_variables), n = graph->variables[v].n, from = chance(60) ? 0 : below(n);
        ipu_tensor tensor;
        cr_assert_eq(
            ipu_graph_add_tensor(graph, &(ipu_slice){(uint32_t)v, from, n - from}, 1, &tensor), MT_OK);
        if (what == 8)
            cr_assert_eq(ipu_program_host_write(&arena, streams[type_of(v)], tensor, &p), MT_OK);
        else
            cr_assert_eq(ipu_program_host_read(&arena, tensor, streams[type_of(v)], &p), MT_OK);
    }
    return p;
}

static void random_graph(void)
{
    n_tiles = 1 + below(MOST_TILES);
    n_variables = 2 + below(MOST_VARIABLES - 1);
    n_sets = 1 + below(MOST_SETS);
    ipu_target target = ring_target(n_tiles);
    target.bytes_per_tile = TILE;
    target.copies = (ipu_copies)below(IPU_COPIES_ALWAYS + 1);
    target.memory =
        (ipu_memory_rules){REGION0, ELEMENT, 8 * below(4), 4 + below(20), 1 + below(6), below(12)};
    cr_assert_eq(ipu_graph_new(&arena, &target, &graph), MT_OK);
    cr_assert_eq(ipu_graph_add_stream(graph, "f", IPU_FLOAT, &streams[0]), MT_OK);
    cr_assert_eq(ipu_graph_add_stream(graph, "s", IPU_UNSIGNED_SHORT, &streams[1]), MT_OK);
    for (size_t v = 0; v < n_variables; v++) add_variable(v);
    for (size_t s = 0; s < n_sets; s++) add_compute_set();
}

/* ---- the rules ---- */

static bool is_code(const ipu_memory_item *item)
{
    return item->category == IPU_MEMORY_VERTEX_CODE || item->category == IPU_MEMORY_EXCHANGE_CODE;
}

static bool live_together(const ipu_live_range *a, const ipu_live_range *b)
{
    return a->always || b->always || (a->first <= b->last && b->first <= a->last);
}

/* Returns the item of the map that is the part of variable v, or NULL. Names are not unique, so it compares the address of the name in
 * the graph. */
static const ipu_memory_item *part_of(const ipu_tile_map *map, size_t v)
{
    for (size_t i = 0; i < map->n_items; i++)
        if (map->items[i].name == graph->variables[v].name) return &map->items[i];
    return NULL;
}

/* True if the item begins at the end of a part; the bytes of that part are then not rounded up. */
static bool is_tail(const ipu_tile_map *map, const ipu_memory_item *item, uint32_t tile)
{
    for (size_t v = 0; v < n_variables && item->category == IPU_MEMORY_RECEIVED; v++) {
        const ipu_memory_item *part = part_of(map, v);
        if (part && part->offset + part_size(v, tile) * bytes_of(v) == item->offset) return true;
    }
    return false;
}

static void check_pair(const ipu_memory_item *a, const ipu_memory_item *b)
{
    if (live_together(&a->live, &b->live))
        cr_assert(a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset,
            "%s at %zu, %s at %zu", ipu_memory_category_name[a->category], a->offset,
            ipu_memory_category_name[b->category], b->offset);
    if (is_code(a) && !is_code(b))
        cr_assert(b->offset / ELEMENT > (a->offset + a->bytes - 1) / ELEMENT, "data in an element of code");
}

static void check_item(const ipu_tile_map *map, const ipu_memory_item *item, uint32_t tile)
{
    const size_t end = item->offset + item->bytes;
    cr_assert_gt(item->bytes, 0);
    cr_assert(end <= TILE && item->region == (item->offset < REGION0 ? 0 : 1));
    cr_assert(!is_code(item) || end <= REGION0);
    cr_assert(item->offset % 8 == 0 || is_tail(map, item, tile));
    if (item->category != IPU_MEMORY_REARRANGEMENT) /* buffers are temporary, tables always live */
        cr_assert_eq(item->live.always,
            item->category != IPU_MEMORY_TEMPORARIES && item->category != IPU_MEMORY_RECEIVED);
}

static bool accessed[MOST_VARIABLES][MOST_ELEMENTS];

static void note(const ipu_tensor *tensor)
{
    for (size_t s = 0; s < tensor->n_slices; s++) {
        const ipu_slice *slice = &graph->slices[tensor->first_slice + s];
        for (size_t i = slice->from; i < slice->from + slice->n; i++) accessed[slice->variable][i] = true;
    }
}

/* Notes the transfers of a program that are reached. */
static void note_program(const ipu_program *p)
{
    if (p->kind == IPU_REPEAT && p->count == 0) return;
    if (p->kind == IPU_HOST_WRITE || p->kind == IPU_HOST_READ) note(&p->tensor);
    for (size_t i = 0; i < p->n_children; i++) note_program(p->children[i]);
}

static void note_accesses(const ipu_executable *e)
{
    memset(accessed, 0, sizeof accessed);
    for (size_t i = 0; i < graph->n_connections; i++) note(&graph->connections[i].tensor);
    for (size_t i = 0; i < e->n_programs; i++) note_program(e->programs[i]);
}

/* True if a part needs memory: it is not temporary, or an element of it is accessed. */
static bool needs_memory(size_t v, uint32_t tile)
{
    bool needed = false;
    for (size_t i = 0; i < graph->variables[v].n; i++)
        needed |= tile_of[v][i] == tile && (accessed[v][i] || !graph->variables[v].temporary);
    return needed;
}

static void check_parts(const ipu_tile_map *map, uint32_t tile)
{
    for (size_t v = 0; v < n_variables; v++) {
        const size_t own = part_size(v, tile) * bytes_of(v);
        const ipu_memory_item *part = part_of(map, v);
        cr_assert_eq(part != NULL, needs_memory(v, tile));
        cr_assert(!part || (part->bytes >= own && part->bytes < own + 8));
    }
}

/* Compares the sums with a count byte by byte. */
static void check_sums(const ipu_tile_map *map)
{
    static unsigned char owner[TILE];
    size_t bytes[IPU_MEMORY_CATEGORIES] = {0}, total = 0, top = 0, reserved = 0, always = 0;
    memset(owner, 0xff, sizeof owner);
    for (size_t i = 0; i < map->n_items; i++) {
        const ipu_memory_item *item = &map->items[i];
        for (size_t b = item->offset; b < item->offset + item->bytes; b++)
            if (item->category < owner[b]) owner[b] = (unsigned char)item->category;
        if (item->category == IPU_MEMORY_RESERVED)
            reserved = item->bytes;
        else if (item->offset + item->bytes > top)
            top = item->offset + item->bytes;
        if (item->live.always) always += item->bytes;
    }
    for (size_t b = 0; b < TILE; b++)
        if (owner[b] < IPU_MEMORY_CATEGORIES) bytes[owner[b]]++, total++;
    cr_assert_arr_eq(map->sums.bytes, bytes, sizeof bytes);
    cr_assert_eq(map->sums.total, total);
    cr_assert_eq(map->sums.total + map->sums.gaps, top + reserved);
    cr_assert_eq(map->sums.always_live, always);
    cr_assert_leq(map->sums.always_live + map->sums.not_always_live, total);
}

static void check_wide_loads(const ipu_executable *e, const ipu_tile_map *maps)
{
    for (size_t i = 0; i < graph->n_vertices; i++) {
        const ipu_vertex *vertex = &graph->vertices[i];
        const ipu_tensor *in = &graph->connections[vertex->first_connection].tensor;
        const ipu_tile_map *map = &maps[vertex->tile];
        if (!vertex->codelet->interleaved || in->n == 0) continue;
        const ipu_slice *first = &graph->slices[in->first_slice];
        const size_t own = part_size(first->variable, vertex->tile);
        /* Reads in place: a slice that contains its part and nothing else, or the complete part followed by received elements. */
        bool in_place = tile_of[first->variable][first->from] == vertex->tile;
        for (size_t k = 0; k < first->n; k++)
            in_place &= tile_of[first->variable][first->from + k] == vertex->tile;
        if (in->n_slices == 1 && in_place && own > 0)
            cr_assert_eq(part_of(map, first->variable)->region, 1);
        else if (in->n_slices == 1) {
            bool found = false;
            for (size_t k = 0; k < map->n_items; k++)
                found |= map->items[k].category == IPU_MEMORY_RECEIVED && map->items[k].region == 1 &&
                         map->items[k].name == e->supersteps[vertex->compute_set].name;
            cr_assert(found, "an edge buffer in region 1");
        }
    }
}

/* ---- execution in the modelled memory ---- */

static ipu_tile_map maps[MOST_TILES];
static uint16_t owner[MOST_TILES][TILE]; /* the item that wrote the content of a byte */

static void own(uint32_t tile, const ipu_memory_item *item, size_t from, size_t bytes)
{
    const uint16_t number = (uint16_t)(item - maps[tile].items);
    cr_assert_leq(from + bytes, item->bytes);
    for (size_t b = 0; b < bytes; b++) owner[tile][item->offset + from + b] = number;
}

static void expect_owned(uint32_t tile, const ipu_memory_item *item, size_t from, size_t bytes)
{
    const uint16_t number = (uint16_t)(item - maps[tile].items);
    for (size_t b = 0; b < bytes; b++)
        cr_assert_eq(owner[tile][item->offset + from + b], number, "lost: %s at %zu of tile %u",
            ipu_memory_category_name[item->category], item->offset + from + b, tile);
}

typedef void access(uint32_t tile, const ipu_memory_item *item, size_t from, size_t bytes);

static void each_element(const ipu_tensor *tensor, access *deed)
{
    for (size_t s = 0; s < tensor->n_slices; s++) {
        const ipu_slice *slice = &graph->slices[tensor->first_slice + s];
        const size_t v = slice->variable;
        for (size_t i = slice->from; i < slice->from + slice->n; i++)
            deed(tile_of[v][i], part_of(&maps[tile_of[v][i]], v), place_in_part[v][i] * bytes_of(v),
                bytes_of(v));
    }
}

static void each_received(const char *set, access *deed)
{
    for (uint32_t t = 0; t < n_tiles; t++)
        for (size_t i = 0; i < maps[t].n_items; i++) {
            const ipu_memory_item *item = &maps[t].items[i];
            if (item->category == IPU_MEMORY_RECEIVED && item->name == set) deed(t, item, 0, item->bytes);
        }
}

/* Inputs, sent and received, are read before the vertices write their outputs. Received data must still be intact afterwards. */
static void run_set(const ipu_executable *e, uint32_t set)
{
    each_received(e->supersteps[set].name, own);
    for (int phase = 0; phase < 2; phase++)
        for (size_t i = 0; i < graph->n_vertices; i++) {
            const ipu_vertex *vertex = &graph->vertices[i];
            if (vertex->compute_set != set) continue;
            const ipu_connection *c = &graph->connections[vertex->first_connection];
            const bool reads_out = vertex->codelet->fields[2].direction == IPU_INOUT;
            if (phase == 0) {
                each_element(&c[0].tensor, expect_owned);
                each_element(&c[1].tensor, expect_owned);
                if (reads_out) each_element(&c[2].tensor, expect_owned);
            } else {
                each_element(&c[2].tensor, own);
            }
        }
    each_received(e->supersteps[set].name, expect_owned);
}

static void run(const ipu_executable *e, const ipu_program *p)
{
    const uint64_t times = p->kind == IPU_REPEAT ? p->count : 1;
    if (p->kind == IPU_EXECUTE) run_set(e, p->compute_set);
    if (p->kind == IPU_HOST_WRITE) each_element(&p->tensor, own);
    if (p->kind == IPU_HOST_READ) each_element(&p->tensor, expect_owned);
    for (uint64_t k = 0; k < times; k++)
        for (size_t i = 0; i < p->n_children; i++) run(e, p->children[i]);
}

/* Before a run only data that is always live is present. */
static void run_all(const ipu_executable *e)
{
    for (size_t program = 0; program < e->n_programs; program++) {
        for (uint32_t t = 0; t < n_tiles; t++) {
            memset(owner[t], 0xff, sizeof owner[t]);
            for (size_t i = 0; i < maps[t].n_items; i++)
                if (maps[t].items[i].live.always) own(t, &maps[t].items[i], 0, maps[t].items[i].bytes);
        }
        run(e, e->programs[program]);
    }
}

/* ---- the test ---- */

static void check_maps(const ipu_executable *e)
{
    for (uint32_t t = 0; t < n_tiles; t++) {
        ipu_tile_map *map = &maps[t], again;
        cr_assert_eq(ipu_memory_map(&arena, e, t, map), MT_OK);
        cr_assert_eq(ipu_memory_map(&arena, e, t, &again), MT_OK);
        cr_assert_eq(map->n_items, again.n_items);
        for (size_t i = 0; i < map->n_items; i++) {
            cr_assert_eq(map->items[i].offset, again.items[i].offset);
            cr_assert(i == 0 || map->items[i - 1].offset <= map->items[i].offset);
            check_item(map, &map->items[i], t);
            for (size_t k = 0; k < map->n_items; k++)
                if (k != i) check_pair(&map->items[i], &map->items[k]);
        }
        check_parts(map, t);
        check_sums(map);
        cr_assert_arr_eq(&map->sums, &e->memory[t], sizeof map->sums);
    }
    check_wide_loads(e, maps);
}

Test(memory_random, random_maps_obey_the_rules_and_programs_read_back_their_data)
{
    size_t sharing = 0, tails = 0, without = 0;
    for (size_t round = 0; round < 6000; round++) {
        const ipu_program *programs[2];
        ipu_executable *e = NULL;
        state = round;
        random_graph();
        for (int i = 0; i < 2; i++) programs[i] = random_program(3);
        cr_assert_eq(ipu_compile(&arena, graph, programs, 2, &e), MT_OK, "%zu: %s", round, mt_message());
        note_accesses(e);
        check_maps(e);
        run_all(e);
        for (uint32_t t = 0; t < n_tiles; t++)
            for (size_t i = 0; i + 1 < maps[t].n_items; i++) {
                const ipu_memory_item *item = &maps[t].items[i];
                sharing +=
                    item[1].offset < item->offset + item->bytes &&
                    (item->category == IPU_MEMORY_TEMPORARIES || item[1].category == IPU_MEMORY_TEMPORARIES);
                tails += is_tail(&maps[t], item, t);
            }
        for (size_t v = 0; v < n_variables; v++)
            for (uint32_t t = 0; t < n_tiles; t++) without += part_size(v, t) > 0 && !needs_memory(v, t);
        mt_arena_free(&arena);
    }
    cr_assert_gt(sharing, 500, "temporary variables share their bytes: %zu", sharing);
    cr_assert_gt(tails, 500, "there are tails: %zu", tails);
    cr_assert_gt(without, 500, "there are parts without memory: %zu", without);
}
