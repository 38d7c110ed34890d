#include <criterion/criterion.h>

#include "ipu/compile/memory.h"
#include "tests/ipu/small_graph.h"
#include "tests/random.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(compile, .fini = teardown);

/* Tail: v has 40 bytes and a tail of 8. Edge: a buffer of 48 bytes, to which 40 bytes are copied in 5 cycles. Split: two buffers of 4
 * bytes, rounded to 8 each. w: 40. Vertex state: 12 -> 16 (or 20 -> 24) and 8. Code: 100 -> 104 and 50 -> 56. Exchange code: 2 fragments
 * received and 2 separate words sent, 4 * 36. Reserved: 1104. The memory element of 16384 bytes that holds code contains 304 bytes of
 * it. */
Test(compile, memory_and_cycles_of_the_layouts_match_a_hand_calculation)
{
    static const struct {
        ring_layout layout;
        size_t received, vertex_state;
        uint64_t scatter;
    } cases[] = {{RING_TAIL, 8, 24, 0}, {RING_EDGE, 48, 24, 5}, {RING_SPLIT, 16, 32, 0}};
    ipu_target target = ring_target(4);
    for (size_t i = 0; i < 3; i++) {
        ring r;
        cr_assert_eq(ring_make(&arena, &target, 4, 10, cases[i].layout, &r), MT_OK);
        const ipu_executable *e = compiled(r.graph);
        const ipu_tile_memory *m = &e->memory[2];
        cr_expect_eq(m->bytes[IPU_MEMORY_VARIABLES], 80);
        cr_expect_eq(m->bytes[IPU_MEMORY_RECEIVED], cases[i].received);
        cr_expect_eq(m->bytes[IPU_MEMORY_VERTEX_STATE], cases[i].vertex_state);
        cr_expect_eq(m->bytes[IPU_MEMORY_VERTEX_CODE], 160);
        cr_expect_eq(m->bytes[IPU_MEMORY_EXCHANGE_CODE], 144);
        cr_expect_eq(m->bytes[IPU_MEMORY_RESERVED], 1104);
        cr_expect_eq(m->total, 80 + cases[i].received + cases[i].vertex_state + 160 + 144 + 1104);
        cr_expect_eq(m->gaps, 16384 - 304);
        cr_expect_eq(timed(r.graph)->supersteps[r.add].exchange_cycles[1], 331);
        cr_expect_eq(timed(r.graph)->supersteps[r.add].scatter_cycles[1], cases[i].scatter);
    }
}

Test(compile, a_ring_on_one_tile_needs_no_exchange)
{
    ipu_target target = ring_target(4);
    ring r;
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_LOCAL, &r), MT_OK);
    const ipu_executable *e = compiled(r.graph);
    cr_expect_eq(e->n_messages, 0);
    cr_expect_eq(timed(r.graph)->supersteps[r.add].sync_cycles, 0);
    cr_expect_eq(timed(r.graph)->supersteps[r.add].cycles, 4 * 71, "four vertices in turn on tile 0");
    cr_expect_eq(e->memory[1].total + e->memory[1].gaps, 1104, "reserved");
}

/* v[0, 3) and v[3, 8) are adjacent in the memory of tile 0: one range. Ranges that are not adjacent in this order remain separate. */
Test(compile, adjacent_ranges_become_one_message)
{
    ipu_graph *g = small_graph(2, true);
    uint32_t out = add_variable(g, "out", 8, 1);
    ipu_slice joined[] = {{0, 0, 3}, {0, 3, 5}};
    ipu_slice apart[] = {{0, 3, 5}, {0, 0, 3}};
    add_copy(g, 1, joined, 2, (ipu_slice){out, 0, 4});
    cr_expect_eq(compiled(g)->n_messages, 1);
    add_copy(g, 1, apart, 2, (ipu_slice){out, 4, 4});
    cr_expect_eq(compiled(g)->n_messages, 3);
}

Test(compile, vertices_of_a_tile_share_a_tensor)
{
    ipu_graph *g = small_graph(2, true);
    uint32_t out = add_variable(g, "out", 8, 1);
    uint32_t own = add_variable(g, "own", 4, 1);
    ipu_slice tail[] = {{own, 0, 4}, {0, 1, 2}};
    add_copy(g, 1, tail, 2, (ipu_slice){out, 0, 3});
    add_copy(g, 1, tail, 2, (ipu_slice){out, 3, 3});
    const ipu_executable *e = compiled(g);
    cr_expect_eq(e->n_messages, 1);
    cr_expect_eq(e->places[0].offset, e->places[2].offset);
    cr_expect_eq(e->memory[1].bytes[IPU_MEMORY_RECEIVED], 8);
    ipu_slice other[] = {{own, 0, 4}, {0, 5, 3}}; /* the tail is in use, so this is an edge buffer of 28
                                                   * bytes */
    add_copy(g, 1, other, 2, (ipu_slice){out, 6, 2});
    e = compiled(g);
    cr_expect_eq(e->n_messages, 3);
    cr_expect_eq(e->memory[1].bytes[IPU_MEMORY_RECEIVED], 8 + 32);
    cr_expect_eq(e->supersteps[0].exchange.bytes_copied, 16);
}

Test(compile, a_part_of_scattered_ranges_is_contiguous_on_its_tile)
{
    ipu_graph *g = small_graph(2, false);
    for (uint32_t i = 0; i < 8; i++) cr_assert_eq(ipu_graph_set_tile_mapping(g, 0, i, 1, i % 2), MT_OK);
    ipu_slice odd[] = {{0, 1, 1}, {0, 3, 1}, {0, 5, 1}};
    uint32_t out = add_variable(g, "out", 3, 1);
    add_copy(g, 1, odd, 3, (ipu_slice){out, 0, 3});
    const ipu_executable *e = compiled(g);
    cr_expect_eq(e->n_messages, 0, "v[1], v[3], v[5] are adjacent on tile 1");
}

Test(compile, unmapped_and_doubly_mapped_elements_are_reported)
{
    ipu_graph *g = small_graph(2, false);
    cr_assert_eq(ipu_graph_set_tile_mapping(g, 0, 5, 3, 1), MT_OK);
    expect_refused(g, MT_INPUT, "variable 'v': element 0 is mapped to no tile");
    cr_assert_eq(ipu_graph_set_tile_mapping(g, 0, 0, 4, 0), MT_OK);
    expect_refused(g, MT_INPUT, "variable 'v': element 4 is mapped to no tile");
    cr_assert_eq(ipu_graph_set_tile_mapping(g, 0, 3, 2, 0), MT_OK);
    expect_refused(g, MT_INPUT, "variable 'v': element 3 is mapped to tile 0 and to tile 0; allowed: one");
}

Test(compile, an_unconnected_field_is_reported)
{
    ipu_graph *g = small_graph(2, true);
    size_t vertex;
    cr_assert_eq(ipu_graph_add_vertex(g, 0, &ring_copy_codelet, 1, NULL, &vertex), MT_OK);
    expect_refused(g, MT_INPUT, "compute set 'set', tile 1: codelet 'copy' field 'in': not connected");
}

Test(compile, an_output_on_another_tile_is_rejected)
{
    ipu_graph *g = small_graph(2, true);
    add_copy(g, 1, &(ipu_slice){0, 0, 1}, 1, (ipu_slice){0, 1, 1});
    expect_refused(g, MT_INPUT,
        "compute set 'set', tile 1: codelet 'copy' field 'out': element 0, of variable 'v', is mapped to "
        "tile 0; a vertex writes only to its own tile (map the variable there, or let a vertex of tile 0 "
        "read it)");
}

Test(compile, a_non_contiguous_output_is_rejected)
{
    ipu_graph *g = small_graph(1, true);
    size_t vertex;
    ipu_tensor t;
    ipu_slice pieces[] = {{0, 0, 1}, {0, 2, 1}};
    cr_assert_eq(ipu_graph_add_vertex(g, 0, &ring_copy_codelet, 0, NULL, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, pieces, 2, &t), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "in", t), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "out", t), MT_OK);
    expect_refused(g, MT_INPUT,
        "compute set 'set', tile 0: codelet 'copy' field 'out': variable 'v': its 2 elements are in 2 "
        "separate "
        "ranges of the tile's memory; allowed for an output: one");
}

Test(compile, two_writers_of_an_element_are_rejected)
{
    ipu_graph *g = small_graph(1, true);
    uint32_t in = add_variable(g, "in", 4, 0);
    add_copy(g, 0, &(ipu_slice){in, 0, 3}, 1, (ipu_slice){0, 0, 3});
    add_copy(g, 0, &(ipu_slice){in, 0, 3}, 1, (ipu_slice){0, 3, 3});
    (void)compiled(g);
    add_copy(g, 0, &(ipu_slice){in, 0, 1}, 1, (ipu_slice){0, 4, 1});
    expect_refused(g, MT_INPUT,
        "compute set 'set', tile 0: codelet 'copy' field 'out': race: variable 'v': element 4 of the tile's "
        "part "
        "is written here and written by another vertex ('copy' field 'out') of the same compute set");
}

Test(compile, reading_in_place_an_element_another_vertex_writes_is_rejected)
{
    ipu_graph *g = small_graph(2, true);
    uint32_t out = add_variable(g, "out", 4, 0);
    uint32_t far = add_variable(g, "far", 4, 1);
    add_copy(g, 0, &(ipu_slice){0, 0, 3}, 1, (ipu_slice){0, 0, 3});
    add_copy(g, 1, &(ipu_slice){0, 0, 3}, 1, (ipu_slice){far, 0, 3});
    (void)compiled(g); /* A vertex may read elements that it writes; a vertex of another tile receives them
                        * before they are written. */
    add_copy(g, 0, &(ipu_slice){0, 2, 2}, 1, (ipu_slice){out, 0, 2});
    expect_refused(g, MT_INPUT,
        "compute set 'set', tile 0: codelet 'copy' field 'out': race: variable 'v': element 2 of the tile's "
        "part "
        "is written here and read in place by another vertex ('copy' field 'in') of the same compute set");
}

/* The first vertex may read v[0, 4) and write it; the second shares the received tensor, and therefore reads v in place. */
Test(compile, reading_a_shared_tail_in_place_is_detected)
{
    ipu_graph *g = small_graph(2, true);
    uint32_t far = add_variable(g, "far", 2, 1);
    uint32_t out = add_variable(g, "out", 4, 0);
    ipu_slice tail[] = {{0, 0, 8}, {far, 0, 2}};
    add_copy(g, 0, tail, 2, (ipu_slice){0, 0, 4});
    (void)compiled(g);
    add_copy(g, 0, tail, 2, (ipu_slice){out, 0, 4});
    expect_refused(g, MT_INPUT,
        "compute set 'set', tile 0: codelet 'copy' field 'out': race: variable 'v': element 0 of the tile's "
        "part "
        "is written here and read in place by another vertex ('copy' field 'in') of the same compute set");
}

static const ipu_field two_outputs_fields[] = {{"x", IPU_OUTPUT, IPU_FLOAT}, {"y", IPU_INOUT, IPU_FLOAT}};
static const ipu_codelet two_outputs = {"two", 2, two_outputs_fields, ring_copy, ring_cost, .code_bytes = 0};

Test(compile, two_outputs_of_a_vertex_must_not_overlap)
{
    ipu_graph *g = small_graph(1, true);
    size_t vertex;
    ipu_tensor t;
    cr_assert_eq(ipu_graph_add_vertex(g, 0, &two_outputs, 0, NULL, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){0, 0, 4}, 1, &t), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "x", t), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){0, 3, 2}, 1, &t), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "y", t), MT_OK);
    expect_refused(g, MT_INPUT,
        "compute set 'set', tile 0: codelet 'two' field 'x': race: variable 'v': element 3 of the tile's "
        "part is "
        "written here and written by the same vertex ('two' field 'y') of the same compute set");
}

/* The number of copied bytes distinguishes an edge buffer from a tail. */
Test(compile, a_tail_follows_the_end_of_a_part_and_is_entirely_received)
{
    for (size_t i = 0; i < 3; i++) {
        ipu_graph *g = small_graph(2, true);
        uint32_t own = add_variable(g, "own", 4, 1);
        uint32_t other = add_variable(g, "other", 4, 1);
        uint32_t out = add_variable(g, "out", 8, 1);
        ipu_slice cases[][3] = {
            {{own, 2, 2}, {0, 0, 2}, {0, 4, 2}},    /* the end of the part, then received elements: a tail */
            {{own, 0, 3}, {0, 0, 2}, {0, 4, 2}},    /* not the end of the part: 12 bytes copied */
            {{own, 2, 2}, {0, 0, 2}, {other, 0, 2}} /* some elements after the part are not received: 8 + 8
                                                     * bytes copied */
        };
        const size_t copied[] = {0, 12, 16};
        add_copy(g, 1, cases[i], 3, (ipu_slice){out, 0, 4});
        cr_expect_eq(compiled(g)->supersteps[0].exchange.bytes_copied, copied[i], "case %zu", i);
    }
}

/* Elements of 8 bytes, so there are no gaps. Tile 2: codelet code 56 and exchange code for one fragment, 36 -> 40, fill region 0; out
 * 32, received 32, the state of one vertex 8. Tile 0: code for one sent run 40; v 32. */
Test(compile, a_tile_out_of_memory_is_reported_with_its_largest_items)
{
    ipu_graph *g = small_graph(3, true);
    uint32_t out = add_variable(g, "out", 8, 2);
    add_copy(g, 2, &(ipu_slice){0, 0, 8}, 1, (ipu_slice){out, 0, 8});
    g->target.memory.region0_bytes = 96;
    g->target.memory.element_bytes = 8;
    g->target.memory.reserved_bytes = 0;
    g->target.bytes_per_tile = 168;
    (void)compiled(g);
    g->target.bytes_per_tile = 167;
    expect_refused(g, MT_FIT,
        "tile 2: 168 bytes required, 167 available; largest: code of codelets 'copy' 56, code of the "
        "exchange 'set' 40, variables 'out' 32, received 'set' 32, vertex state 'set' 8; 1 of 2 tiles in use "
        "(the machine has 3) exceed their memory");
    g->target.bytes_per_tile = 71;
    expect_refused(g, MT_FIT,
        "tile 2: 168 bytes required, 71 available; largest: code of codelets 'copy' 56, code of the exchange "
        "'set' 40, variables 'out' 32, received 'set' 32, vertex state 'set' 8; 2 of 2 tiles in use "
        "(the machine has 3) exceed their memory");
}

Test(compile, programs_are_checked_against_the_graph)
{
    ipu_graph *g = small_graph(1, true);
    ipu_executable *e = NULL;
    ipu_tensor t;
    uint32_t stream;
    const ipu_program *p = NULL;
    cr_assert_eq(ipu_program_execute(&arena, 1, &p), MT_OK);
    cr_expect_eq(ipu_compile(&arena, g, &p, 1, &e), MT_INPUT);
    cr_expect_str_eq(mt_message(), "program: compute set 1; allowed: below 1");
    cr_assert_eq(ipu_graph_variable_tensor(g, 0, &t), MT_OK);
    cr_assert_eq(ipu_graph_add_stream(g, "s", IPU_UNSIGNED_INT, &stream), MT_OK);
    cr_assert_eq(ipu_program_host_read(&arena, t, stream, &p), MT_OK);
    cr_assert_eq(ipu_program_repeat(&arena, 2, p, &p), MT_OK);
    cr_expect_eq(ipu_compile(&arena, g, &p, 1, &e), MT_INPUT);
    cr_expect_str_eq(mt_message(), "program: stream 's' is of type unsigned int, its tensor of type float");
}

Test(compile, an_empty_part_is_accepted)
{
    ipu_graph *g = small_graph(2, true);
    add_copy(g, 1, NULL, 0, (ipu_slice){0, 0, 0});
    const ipu_executable *e = compiled(g);
    cr_expect_eq(timed(g)->supersteps[0].compute_cycles[1], 11);
    cr_expect_eq(e->places[0].n, 0);
}

static mt_status build_all(mt_arena *into)
{
    ipu_target target = ring_target(4);
    static ring r;
    const ipu_program *p = NULL;
    ipu_executable *e = NULL;
    ipu_engine *engine = NULL;
    MT_TRY(ring_make(into, &target, 4, 10, RING_EDGE, &r));
    MT_TRY(ring_program(into, &r, 2, &p));
    MT_TRY(ipu_compile(into, r.graph, &p, 1, &e));
    MT_TRY(ipu_engine_new(into, e, false, &engine));
    return ipu_engine_run(engine, 0);
}

Test(compile, every_failed_allocation_is_reported)
{
    for (size_t n = 1;; n++) {
        mt_arena_fail_at(n);
        mt_status status = build_all(&arena);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        if (status == MT_OK) {
            cr_assert_gt(n, 40);
            return;
        }
        cr_assert_eq(status, MT_MEMORY, "take %zu: %s", n, mt_message());
        cr_assert_lt(n, 1000);
    }
}

/* ---- many vertices of a tile, compared with a test of all pairs ---- */

enum { ELEMENTS = 24, MOST_VERTICES = 5 };

typedef struct vertex_of_two {
    size_t in, n_in, out, n_out;
} vertex_of_two;

static bool meet(size_t a, size_t n, size_t b, size_t m) { return a < b + m && b < a + n; }

static bool race_in(const vertex_of_two *v, size_t n)
{
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            if (a != b && (meet(v[a].out, v[a].n_out, v[b].out, v[b].n_out) ||
                              meet(v[a].out, v[a].n_out, v[b].in, v[b].n_in)))
                return true;
    return false;
}

static vertex_of_two any_vertex(uint64_t *state)
{
    vertex_of_two v = {draw(state, ELEMENTS), 1 + draw(state, 6), draw(state, ELEMENTS), 1 + draw(state, 3)};
    if (v.in + v.n_in > ELEMENTS) v.n_in = ELEMENTS - v.in;
    if (v.out + v.n_out > ELEMENTS) v.n_out = ELEMENTS - v.out;
    return v;
}

Test(compile, a_race_between_any_two_vertices_is_detected)
{
    uint64_t state = 1;
    size_t races = 0, others = 0;
    for (int round = 0; round < 2000; round++) {
        vertex_of_two v[MOST_VERTICES];
        const size_t n = 2 + draw(&state, MOST_VERTICES - 1);
        mt_arena_free(&arena);
        ipu_graph *g = small_graph(1, true);
        const uint32_t id = add_variable(g, "w", ELEMENTS, 0);
        for (size_t k = 0; k < n; k++) {
            v[k] = any_vertex(&state);
            add_copy(g, 0, &(ipu_slice){id, v[k].in, v[k].n_in}, 1, (ipu_slice){id, v[k].out, v[k].n_out});
        }
        ipu_executable *e;
        const mt_status status = ipu_compile(&arena, g, NULL, 0, &e);
        cr_assert_eq(status, race_in(v, n) ? MT_INPUT : MT_OK, "round %d: %s", round, mt_message());
        races += status == MT_INPUT, others += status == MT_OK;
    }
    cr_assert(races > 200 && others > 200, "%zu, %zu", races, others);
}

/* Vertices of tile 0 write, vertices of tile 1 receive. */
Test(compile, overlap_of_sent_and_written_elements_is_detected)
{
    uint64_t state = 2;
    size_t apart = 0;
    for (int round = 0; round < 1000; round++) {
        vertex_of_two v[MOST_VERTICES];
        const size_t n = 1 + draw(&state, MOST_VERTICES);
        bool written = false, sent[ELEMENTS] = {false};
        mt_arena_free(&arena);
        ipu_graph *g = small_graph(2, true);
        const uint32_t id = add_variable(g, "w", ELEMENTS, 0), far = add_variable(g, "far", 8, 1);
        for (size_t k = 0; k < n; k++) {
            v[k] = any_vertex(&state);
            v[k].out = ELEMENTS / MOST_VERTICES * k;
            add_copy(g, 0, &(ipu_slice){0, 0, 1}, 1, (ipu_slice){id, v[k].out, v[k].n_out});
        }
        for (size_t k = 0; k < 2; k++) {
            add_copy(g, 1, &(ipu_slice){id, v[0].in + k, 1}, 1, (ipu_slice){far, k, 1});
            sent[v[0].in + k] = true;
            if (v[0].in + 2 > ELEMENTS) break;
        }
        for (size_t k = 0; k < n; k++)
            for (size_t i = v[k].out; i < v[k].out + v[k].n_out; i++) written |= sent[i];
        cr_assert_eq(compiled(g)->supersteps[0].receive_all_first, written, "round %d", round);
        apart += written;
    }
    cr_assert(apart > 100 && apart < 900, "%zu", apart);
}

/* Each of the MANY vertices takes elements that others also take, elements that only it takes, and elements that follow its own part. */
Test(compile, vertices_that_read_the_same_elements_share_their_memory)
{
    enum { MANY = 3000 };
    ipu_graph *g = small_graph(2, true);
    const uint32_t far = add_variable(g, "far", MANY, 1), own = add_variable(g, "own", MANY, 0);
    for (size_t k = 0; k < MANY; k++)
        add_copy(g, 0, (ipu_slice[]){{far, k / 3 * 3, 1}, {far, 0, 2}}, 2, (ipu_slice){own, k, 1});
    const ipu_executable *e = compiled(g);
    for (size_t k = 0; k < MANY; k++) {
        const size_t place = e->places[e->tasks[k].first_place].offset;
        const size_t before = e->places[e->tasks[k > 0 ? k - 1 : 0].first_place].offset;
        cr_assert_eq(place, before + (k > 0 && k % 3 == 0 ? 64 : 0), "vertex %zu", k);
    }
}
