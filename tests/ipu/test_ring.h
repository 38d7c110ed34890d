/* A ring of tiles for the tests: variable v of `tiles * part` floats, in equal parts. Compute set "add" sets each element of w to the
 * sum of its two neighbours in v around the ring; "back" copies w to v. The halo has several layouts, which must not change the result. */
#pragma once

#include "ipu/compile/compile.h"
#include "ipu/run/engine.h"

typedef enum ring_layout {
    RING_TAIL,  /* one field: own part, left, right; received after the own part */
    RING_EDGE,  /* one field: left, own part, right; gathered in an edge buffer */
    RING_SPLIT, /* three fields: the own part is read in place, left and right are received */
    RING_LOCAL  /* three fields, everything on tile 0: all read in place */
} ring_layout;

/* The positions of own part, left and right in the joined field. */
typedef struct ring_context {
    size_t own, left, right, part;
} ring_context;

typedef struct ring {
    ipu_graph *graph;
    uint32_t v, w, add, back;
    ipu_tensor whole_v, whole_w;
    ring_context context;
} ring;

static void ring_sum(const float *own, float left, float right, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = (i > 0 ? own[i - 1] : left) + (i + 1 < n ? own[i + 1] : right);
}

static void ring_joined(const ipu_span *f, const void *context)
{
    const ring_context *c = context;
    const float *in = f[0].data;
    ring_sum(in + c->own, in[c->left], in[c->right], f[1].data, f[1].n);
}

static void ring_split(const ipu_span *f, const void *context)
{
    (void)context;
    ring_sum(f[0].data, *(const float *)f[1].data, *(const float *)f[2].data, f[3].data, f[3].n);
}

static void ring_copy(const ipu_span *f, const void *context)
{
    (void)context;
    const float *in = f[0].data;
    float *out = f[1].data;
    for (size_t i = 0; i < f[1].n; i++) out[i] = in[i];
}

/* Entry of 11; the worker cycles equal the length of the own part. */
static ipu_cycles ring_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return (ipu_cycles){.entry = target->vertex_entry_cycles, .worker = n[1]};
}

static ipu_cycles ring_split_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return (ipu_cycles){.entry = target->vertex_entry_cycles, .worker = n[3]};
}

static const ipu_field ring_joined_fields[] = {{"in", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_field ring_split_fields[] = {{"own", IPU_INPUT, IPU_FLOAT}, {"left", IPU_INPUT, IPU_FLOAT},
    {"right", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_codelet ring_joined_codelet = {
    "add", 2, ring_joined_fields, ring_joined, ring_cost, .code_bytes = 100, .vertex_bytes = 12};
static const ipu_codelet ring_split_codelet = {
    "add3", 4, ring_split_fields, ring_split, ring_split_cost, .code_bytes = 100, .vertex_bytes = 20};
static const ipu_codelet ring_copy_codelet = {
    "copy", 2, ring_joined_fields, ring_copy, ring_cost, .code_bytes = 50, .vertex_bytes = 8};

static inline mt_status ring_add_vertex(ring *r, ring_layout layout, uint32_t tile, size_t from, size_t tiles)
{
    ipu_graph *g = r->graph;
    size_t part = r->context.part;
    size_t n = tiles * part;
    ipu_slice own = {r->v, from, part};
    ipu_slice left = {r->v, (from + n - 1) % n, 1};
    ipu_slice right = {r->v, (from + part) % n, 1};
    ipu_slice tail[] = {own, left, right};
    ipu_slice edge[] = {left, own, right};
    ipu_tensor in;
    ipu_tensor out;
    size_t vertex;
    MT_TRY(ipu_graph_add_tensor(g, &(ipu_slice){r->w, from, part}, 1, &out));
    if (layout == RING_TAIL || layout == RING_EDGE) {
        MT_TRY(ipu_graph_add_vertex(g, r->add, &ring_joined_codelet, tile, &r->context, &vertex));
        MT_TRY(ipu_graph_add_tensor(g, layout == RING_TAIL ? tail : edge, 3, &in));
        MT_TRY(ipu_graph_connect(g, vertex, "in", in));
        return ipu_graph_connect(g, vertex, "out", out);
    }
    static const char *const names[] = {"own", "left", "right"};
    MT_TRY(ipu_graph_add_vertex(g, r->add, &ring_split_codelet, tile, NULL, &vertex));
    for (size_t i = 0; i < 3; i++) {
        MT_TRY(ipu_graph_add_tensor(g, &tail[i], 1, &in));
        MT_TRY(ipu_graph_connect(g, vertex, names[i], in));
    }
    return ipu_graph_connect(g, vertex, "out", out);
}

static inline mt_status ring_add_part(ring *r, ring_layout layout, uint32_t tile, size_t from, size_t tiles)
{
    ipu_graph *g = r->graph;
    ipu_tensor in;
    ipu_tensor out;
    size_t vertex;
    MT_TRY(ipu_graph_set_tile_mapping(g, r->v, from, r->context.part, tile));
    MT_TRY(ipu_graph_set_tile_mapping(g, r->w, from, r->context.part, tile));
    MT_TRY(ring_add_vertex(r, layout, tile, from, tiles));
    MT_TRY(ipu_graph_add_tensor(g, &(ipu_slice){r->w, from, r->context.part}, 1, &in));
    MT_TRY(ipu_graph_add_tensor(g, &(ipu_slice){r->v, from, r->context.part}, 1, &out));
    MT_TRY(ipu_graph_add_vertex(g, r->back, &ring_copy_codelet, tile, NULL, &vertex));
    MT_TRY(ipu_graph_connect(g, vertex, "in", in));
    return ipu_graph_connect(g, vertex, "out", out);
}

/* `r` must outlive the graph: it holds the context of the vertices. */
static inline mt_status ring_make(
    mt_arena *arena, const ipu_target *target, size_t tiles, size_t part, ring_layout layout, ring *r)
{
    *r = (ring){.context = {.part = part}};
    if (layout == RING_EDGE)
        r->context = (ring_context){.own = 1, .left = 0, .right = part + 1, .part = part};
    else
        r->context = (ring_context){.own = 0, .left = part, .right = part + 1, .part = part};
    MT_TRY(ipu_graph_new(arena, target, &r->graph));
    MT_TRY(ipu_graph_add_variable(r->graph, "v", IPU_FLOAT, tiles * part, &r->v));
    MT_TRY(ipu_graph_add_variable(r->graph, "w", IPU_FLOAT, tiles * part, &r->w));
    MT_TRY(ipu_graph_add_compute_set(r->graph, "add", &r->add));
    MT_TRY(ipu_graph_add_compute_set(r->graph, "back", &r->back));
    for (uint32_t t = 0; t < tiles; t++)
        MT_TRY(ring_add_part(r, layout, layout == RING_LOCAL ? 0 : t, t * part, tiles));
    MT_TRY(ipu_graph_variable_tensor(r->graph, r->v, &r->whole_v));
    return ipu_graph_variable_tensor(r->graph, r->w, &r->whole_w);
}

/* A program of `times` rounds of add and back. */
static inline mt_status ring_program(
    mt_arena *arena, const ring *r, uint64_t times, const ipu_program **program)
{
    const ipu_program *both[2];
    const ipu_program *sequence;
    MT_TRY(ipu_program_execute(arena, r->add, &both[0]));
    MT_TRY(ipu_program_execute(arena, r->back, &both[1]));
    MT_TRY(ipu_program_sequence(arena, both, 2, &sequence));
    return ipu_program_repeat(arena, times, sequence, program);
}

/* Compiles a graph and computes its timing. Returns the errors of both. */
static inline mt_status ring_time(mt_arena *arena, const ipu_graph *graph, const ipu_program *const *programs,
    size_t n_programs, ipu_timing *timing)
{
    ipu_executable *e;
    MT_TRY(ipu_compile(arena, graph, programs, n_programs, &e));
    return ipu_timing_make(arena, e, timing);
}

/* The GC200 with `tiles` tiles in as many of its rows as they need. Its constants are written here, so that cycles computed by hand do
 * not change with the machine file. */
/* Links between chips, for machines of several chips: one byte per nanosecond. */
static inline ipu_links ring_links(void)
{
    return (ipu_links){.direct = 1,
        .cross = 1,
        .rail = 1,
        .lane_bits_per_second = 8e9,
        .efficiency = 1,
        .packet_bytes = 1024,
        .sync_ns_per_hop = 5};
}

static inline ipu_target ring_target(size_t tiles)
{
    return (ipu_target){.name = "test",
        .tiles = tiles,
        .bytes_per_tile = 638976,
        .worker_contexts = 6,
        .clock_hz = 1.325e9,
        .exchange_bytes_per_cycle = 4,
        .local_copy_bytes_per_cycle = 8,
        .copies = IPU_COPIES_NEVER,
        .sync_cycles = 126,
        .exchange_fixed_cycles = 10,
        .exchange_fragment_cycles = 160,
        .exchange_row_cycles = 2,
        .exchange_way_cycles = 18,
        .exchange_rows = (tiles + 63) / 64,
        .exchange_columns = 16,
        .vertex_entry_cycles = 11,
        .host = {.write_bytes_per_second = 8 * 1.325e9, /* 8 bytes per cycle */
            .read_bytes_per_second = 2 * 1.325e9,
            .write_packet_bytes = 1024,
            .read_packet_bytes = 256,
            .packet_header_bytes = 24,
            .sync_cycles = 600},
        .memory = {.region0_bytes = 212992,
            .element_bytes = 16384,
            .reserved_bytes = 1104,
            .exchange_code_bytes = 36,
            .send_words = 4148}};
}
