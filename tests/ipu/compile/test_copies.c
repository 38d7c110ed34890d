/* Copy programs: from any tensor to any other, once or repeated, in a superstep of their own or before the vertices of a compute set. */
#include "tests/ipu/small_graph.h"

#include <string.h>

#include "ipu/compile/memory.h"
#include "tests/random.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(copies, .fini = teardown);

enum { TILES = 5, N = 60 };

/* A graph with variables "a" and "b" of N elements, distributed over the tiles at random. */
typedef struct scattered {
    ipu_graph *graph;
    uint32_t a, b;
} scattered;

static uint32_t scatter(ipu_graph *g, const char *name, ipu_type type, uint64_t *seed)
{
    uint32_t v;
    cr_assert_eq(ipu_graph_add_variable(g, name, type, N, &v), MT_OK);
    for (size_t from = 0; from < N;) {
        const size_t left = N - from, n = 1 + draw(seed, 7);
        cr_assert_eq(
            ipu_graph_set_tile_mapping(g, v, from, n < left ? n : left, (uint32_t)draw(seed, TILES)), MT_OK);
        from += n < left ? n : left;
    }
    return v;
}

static scattered make_scattered(ipu_type type, ipu_copies copies, uint64_t *seed)
{
    scattered s;
    ipu_target target = ring_target(TILES);
    target.copies = copies;
    cr_assert_eq(ipu_graph_new(&arena, &target, &s.graph), MT_OK);
    s.a = scatter(s.graph, "a", type, seed);
    s.b = scatter(s.graph, "b", type, seed);
    return s;
}

/* Returns a tensor of random slices of `v`, `n` elements in all; they do not overlap if `apart`. Lists the elements. */
static ipu_tensor any_tensor(ipu_graph *g, uint32_t v, size_t n, bool apart, uint64_t *seed, size_t *elements)
{
    ipu_slice slices[N];
    ipu_tensor tensor;
    size_t n_slices = 0, at = 0;
    const size_t shift = draw(seed, N);
    for (size_t done = 0; done < n; n_slices++) {
        const size_t left = n - done, longest = 1 + draw(seed, 6);
        size_t take = longest < left ? longest : left;
        const size_t from = apart ? (at + shift) % N : draw(seed, N);
        if (take > N - from) take = N - from;
        slices[n_slices] = (ipu_slice){v, from, take};
        for (size_t i = 0; i < take; i++) elements[done + i] = from + i;
        done += take;
        at += take;
    }
    cr_assert_eq(ipu_graph_add_tensor(g, slices, n_slices, &tensor), MT_OK);
    return tensor;
}

static ipu_engine *engine_of(const ipu_graph *g, const ipu_program *program)
{
    ipu_executable *e;
    ipu_engine *engine;
    cr_assert_eq(ipu_compile(&arena, g, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_executable_check(e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK, "%s", mt_message());
    return engine;
}

/* Copies a random tensor of a to one of b, `times` repetitions, and compares b with an array. */
static void expect_copied(ipu_type type, ipu_copies copies, size_t times, uint64_t seed)
{
    const size_t bytes = ipu_type_bytes(type), n_from = 1 + draw(&seed, N / times);
    const scattered s = make_scattered(type, copies, &seed);
    unsigned char a[4 * N], b[4 * N], got[4 * N];
    size_t from[N], to[N];
    const ipu_tensor source = any_tensor(s.graph, s.a, n_from, false, &seed, from);
    const ipu_tensor target = any_tensor(s.graph, s.b, n_from * times, true, &seed, to);
    const ipu_program *program;
    cr_assert_eq(ipu_program_copy(s.graph, "copy", source, target, &program), MT_OK, "%s", mt_message());
    ipu_engine *engine = engine_of(s.graph, program);
    for (size_t i = 0; i < N * bytes; i++) {
        a[i] = (unsigned char)draw(&seed, 255);
        b[i] = (unsigned char)draw(&seed, 255);
    }
    ipu_engine_write_slice(engine, &(ipu_slice){s.a, 0, N}, a);
    ipu_engine_write_slice(engine, &(ipu_slice){s.b, 0, N}, b);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    for (size_t i = 0; i < n_from * times; i++)
        memcpy(b + to[i] * bytes, a + from[i % n_from] * bytes, bytes);
    ipu_engine_read_slice(engine, &(ipu_slice){s.b, 0, N}, got);
    cr_assert_arr_eq(got, b, N * bytes, "%s, %zu times", ipu_type_name(type), times);
    ipu_engine_read_slice(engine, &(ipu_slice){s.a, 0, N}, got);
    cr_assert_arr_eq(got, a, N * bytes, "the source is unchanged");
}

Test(copies, any_tensor_is_copied_to_any_tensor_any_number_of_times)
{
    static const ipu_type types[] = {IPU_FLOAT, IPU_HALF, IPU_BOOL};
    static const ipu_copies copies[] = {IPU_COPIES_NEVER, IPU_COPIES_AUTO, IPU_COPIES_ALWAYS};
    for (uint64_t seed = 0; seed < 60; seed++)
        expect_copied(types[seed % 3], copies[seed / 3 % 3], 1 + seed % 4, seed);
}

/* Copies elements 4 to 7 of v from tile 0 to tiles 1 and 2. Each receives one fragment of four words; both take the same words at once,
 * so the sender needs one run. */
static ipu_graph *one_to_two(const ipu_program **program)
{
    ipu_graph *g = small_graph(3, true);
    const uint32_t w = add_variable(g, "w", 4, 1), x = add_variable(g, "x", 4, 2);
    const ipu_slice to[] = {{w, 0, 4}, {x, 0, 4}};
    ipu_tensor source, target;
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){0, 4, 4}, 1, &source), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, to, 2, &target), MT_OK);
    cr_assert_eq(ipu_program_copy(g, "copy", source, target, program), MT_OK, "%s", mt_message());
    return g;
}

Test(copies, a_copy_costs_its_sync_and_exchange)
{
    const ipu_program *program;
    const ipu_graph *g = one_to_two(&program);
    ipu_engine *engine = engine_of(g, program);
    const ipu_superstep_timing *step = &engine->timing.supersteps[1];
    const ipu_exchange *exchange = &engine->executable->supersteps[1].exchange;
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    cr_expect_eq(step->exchange_bound_cycles, 10 + 160 + 4);
    cr_expect_eq(step->compute_phase_cycles, 0);
    cr_expect_eq(exchange->bytes_sent, 16, "once for both");
    cr_expect_eq(exchange->bytes_received, 32);
    cr_expect_eq(exchange->bytes_copied, 0);
    cr_expect_eq(ipu_engine_cycles(engine), 126 + step->exchange_phase_cycles);
    for (size_t t = 0; t < 3; t++)
        cr_expect_eq(engine->executable->memory[t].bytes[IPU_MEMORY_RECEIVED], 0, "they are in variables");
}

/* With `always` tiles 1 and 2 receive into a buffer and copy 16 bytes as one range: 100 + 10 + 16 / 8 cycles. A copy inside a tile needs
 * no exchange and no sync. */
Test(copies, with_always_a_buffer_is_used_and_local_copies_need_no_exchange)
{
    const ipu_program *program;
    ipu_graph *g = one_to_two(&program);
    const uint32_t y = add_variable(g, "y", 4, 0);
    ipu_tensor source, target;
    uint32_t set;
    g->target.copies = IPU_COPIES_ALWAYS;
    g->target.copy_call_cycles = 100;
    g->target.copy_range_cycles = 10;
    cr_assert_eq(ipu_graph_add_compute_set(g, "inside", &set), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){0, 0, 4}, 1, &source), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, y, &target), MT_OK);
    cr_assert_eq(ipu_graph_add_copy(g, set, source, target), MT_OK);
    const ipu_timing *timing = timed(g);
    cr_expect_eq(timing->supersteps[1].scatter_phase_cycles, 112);
    cr_expect_eq(timing->executable->memory[1].bytes[IPU_MEMORY_REARRANGEMENT], 16);
    cr_expect_eq(timing->supersteps[set].cycles, 112);
    cr_expect_eq(timing->executable->memory[0].bytes[IPU_MEMORY_REARRANGEMENT], 0);
}

/* Returns the cycles of copies on tile 1 if the first `n` of four half-precision elements on tile 0 are copied to places from `to` on. A
 * call takes 100 cycles. */
static uint64_t copies_of_halves(size_t n, size_t to)
{
    ipu_graph *g = small_graph(2, true);
    ipu_tensor source, target;
    uint32_t a, b;
    const ipu_program *program;
    g->target.copy_call_cycles = 100;
    cr_assert_eq(ipu_graph_add_variable(g, "a", IPU_HALF, 4, &a), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(g, "b", IPU_HALF, 4, &b), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(g, a, 0, 4, 0), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(g, b, 0, 4, 1), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){a, 0, n}, 1, &source), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){b, to, n}, 1, &target), MT_OK);
    cr_assert_eq(ipu_program_copy(g, "halves", source, target, &program), MT_OK);
    return timed(g)->supersteps[1].scatter_phase_cycles;
}

/* Two half-precision elements fill a word, unless their target begins in the middle of one. A copy of one element must preserve the
 * other half of its word. */
Test(copies, a_word_partly_occupied_by_other_data_is_not_received_in_place)
{
    cr_expect_eq(copies_of_halves(2, 0), 0);
    cr_expect_eq(copies_of_halves(2, 1), 100 + 1, "in a buffer, then 4 bytes");
    cr_expect_eq(copies_of_halves(2, 2), 0);
    cr_expect_eq(copies_of_halves(1, 0), 100 + 1);
}

/* Tile 1 receives 2 words once and copies them to the other 18 of 20 places by doubling: 4 ranges of 2, 4, 8 and 4 words. */
Test(copies, elements_repeated_on_a_tile_are_received_once)
{
    ipu_graph *g = small_graph(2, true);
    const uint32_t w = add_variable(g, "w", 20, 1);
    ipu_tensor source, target;
    const ipu_program *program;
    float values[8] = {0}, got[20];
    g->target.copy_call_cycles = 100;
    g->target.copy_range_cycles = 10;
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){0, 3, 2}, 1, &source), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, w, &target), MT_OK);
    cr_assert_eq(ipu_program_copy(g, "spread", source, target, &program), MT_OK);
    ipu_engine *engine = engine_of(g, program);
    const ipu_exchange *exchange = &engine->executable->supersteps[1].exchange;
    cr_expect_eq(exchange->bytes_received, 8);
    cr_expect_eq(exchange->ranges_received, 1);
    cr_expect_eq(exchange->after[1].ranges, 4);
    cr_expect_eq(exchange->bytes_copied, 72);
    cr_expect_eq(engine->timing.supersteps[1].scatter_phase_cycles, 100 + 40 + 9);
    values[3] = 3, values[4] = 4;
    ipu_engine_write_slice(engine, &(ipu_slice){0, 0, 8}, values);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    ipu_engine_read(engine, &target, got);
    for (size_t i = 0; i < 20; i++) cr_expect_eq(got[i], i % 2 == 0 ? 3 : 4);
}

/* Both tiles of the other chip take the same 16 bytes, which cross the link once. A byte takes 1 ns, a cycle 1 / 1.325 ns. */
Test(copies, copies_between_chips_cross_once_for_all_tiles_of_a_chip)
{
    ipu_target target = ring_target(4);
    const ipu_program *program;
    ipu_tensor from, to;
    ipu_graph *g;
    target.ipus = 2;
    target.links = ring_links();
    cr_assert_eq(ipu_graph_new(&arena, &target, &g), MT_OK);
    const uint32_t v = add_variable(g, "v", 4, 0), w = add_variable(g, "w", 4, 2),
                   x = add_variable(g, "x", 4, 3);
    cr_assert_eq(ipu_graph_variable_tensor(g, v, &from), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, (ipu_slice[]){{w, 0, 4}, {x, 0, 4}}, 2, &to), MT_OK);
    cr_assert_eq(ipu_program_copy(g, "across", from, to, &program), MT_OK);
    const ipu_superstep_timing *step = &timed(g)->supersteps[0];
    cr_expect_eq(step->bytes_crossing, 16);
    cr_expect_eq(step->external_cycles, 22, "16 ns at 1.325 GHz are 21.2 cycles");
}

/* Adds 1 to each element; the vertex of tile 1 does this in place to elements received from tile 0. */
static void add_one(const ipu_span *f, const void *context)
{
    (void)context;
    for (size_t i = 0; i < f[0].n; i++) ((float *)f[0].data)[i] += 1;
}

static ipu_cycles no_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)target;
    (void)n;
    (void)context;
    return (ipu_cycles){.entry = 1};
}

Test(copies, copies_are_completed_before_the_vertices_of_the_compute_set)
{
    static const ipu_field fields[] = {{"x", IPU_INOUT, IPU_FLOAT}};
    static const ipu_codelet adding = {"add one", 1, fields, add_one, no_cost, .vertex_bytes = 8};
    ipu_graph *g = small_graph(2, true);
    const uint32_t w = add_variable(g, "w", 8, 1);
    float v[8], got[8];
    ipu_tensor source, target;
    const ipu_program *program;
    size_t vertex;
    cr_assert_eq(ipu_graph_variable_tensor(g, 0, &source), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, w, &target), MT_OK);
    cr_assert_eq(ipu_graph_add_copy(g, 0, source, target), MT_OK);
    cr_assert_eq(ipu_graph_add_vertex(g, 0, &adding, 1, NULL, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "x", target), MT_OK);
    cr_assert_eq(ipu_graph_add_vertex(g, 0, &adding, 0, NULL, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "x", source), MT_OK,
        "elements are sent with their values before the superstep");
    cr_assert_eq(ipu_program_execute(&arena, 0, &program), MT_OK);
    ipu_engine *engine = engine_of(g, program);
    for (size_t i = 0; i < 8; i++) v[i] = (float)i;
    ipu_engine_write(engine, &source, v);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    ipu_engine_read(engine, &target, got);
    for (size_t i = 0; i < 8; i++) cr_expect_eq(got[i], (float)i + 1);
}

/* Copies elements [from, from + n) of v to the elements from `to` on, in compute set 0. */
static void add_inside(ipu_graph *g, size_t from, size_t to, size_t n)
{
    ipu_tensor source, target;
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){0, from, n}, 1, &source), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){0, to, n}, 1, &target), MT_OK);
    cr_assert_eq(ipu_graph_add_copy(g, 0, source, target), MT_OK);
}

Test(copies, order_dependent_copies_are_rejected)
{
    ipu_graph *g = small_graph(2, true);
    add_inside(g, 0, 2, 3);
    expect_refused(g, MT_INPUT,
        "compute set 'set': element 2 of variable 'v' is copied to while it is sent or copied elsewhere; "
        "allowed: in another compute set");
    g = small_graph(2, true);
    add_inside(g, 0, 4, 2);
    add_inside(g, 2, 5, 2);
    expect_refused(
        g, MT_INPUT, "compute set 'set': element 5 of variable 'v' is copied to twice; allowed: once");
    g = small_graph(2, true);
    add_inside(g, 0, 4, 2);
    add_inside(g, 2, 6, 2);
    cr_expect_not_null(timed(g));
}

Test(copies, sizes_types_and_constants_of_copies_are_checked)
{
    static const float ones[3] = {1, 1, 1};
    ipu_graph *g = small_graph(1, true);
    ipu_tensor v, two, three, fixed;
    uint32_t numbers, constant;
    cr_assert_eq(ipu_graph_add_variable(g, "numbers", IPU_INT, 3, &numbers), MT_OK);
    cr_assert_eq(ipu_graph_add_constant(g, "ones", IPU_FLOAT, 3, ones, &constant), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, 0, &v), MT_OK);
    cr_assert_eq(ipu_graph_slice(g, v, 0, 2, &two), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, numbers, &three), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, constant, &fixed), MT_OK);
    cr_expect_eq(ipu_graph_add_copy(g, 0, fixed, v), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "graph: compute set 'set': 3 elements copied to 8; allowed: the same number, or a multiple");
    cr_expect_eq(ipu_graph_add_copy(g, 0, fixed, three), MT_INPUT);
    cr_expect_str_eq(mt_message(), "graph: compute set 'set': elements of type float copied to type int");
    cr_expect_eq(ipu_graph_add_copy(g, 0, fixed, fixed), MT_INPUT);
    cr_expect_str_eq(mt_message(), "graph: compute set 'set': would copy to the constant 'ones'");
    cr_expect_eq(ipu_graph_add_copy(g, 9, two, two), MT_INPUT);
    cr_expect_str_eq(mt_message(), "graph: compute set 9; allowed: below 1");
}

/* t is temporary. It is live between the copy that writes all of it and the copy that reads it; u is not live there. */
Test(copies, liveness_accounts_for_reads_and_writes_of_copies)
{
    ipu_graph *g = small_graph(1, true);
    const uint32_t t = add_variable(g, "t", 8, 0), u = add_variable(g, "u", 8, 0);
    const ipu_program *parts[4], *program;
    ipu_tensor v, of_t, of_u;
    ipu_executable *e;
    cr_assert_eq(ipu_graph_set_temporary(g, t), MT_OK);
    cr_assert_eq(ipu_graph_set_temporary(g, u), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, 0, &v), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, t, &of_t), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, u, &of_u), MT_OK);
    cr_assert_eq(ipu_program_copy(g, "to t", v, of_t, &parts[0]), MT_OK);
    cr_assert_eq(ipu_program_copy(g, "from t", of_t, v, &parts[1]), MT_OK);
    cr_assert_eq(ipu_program_copy(g, "to u", v, of_u, &parts[2]), MT_OK);
    cr_assert_eq(ipu_program_copy(g, "from u", of_u, v, &parts[3]), MT_OK);
    cr_assert_eq(ipu_program_sequence(&arena, parts, 4, &program), MT_OK);
    cr_assert_eq(ipu_compile(&arena, g, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_expect(!e->liveness.variable[t].always);
    cr_expect_eq(e->liveness.variable[t].last, 1);
    cr_expect_eq(e->liveness.variable[u].first, 2);
    cr_expect_eq(e->memory[0].bytes[IPU_MEMORY_TEMPORARIES], 32, "t and u share memory");
}

/* A vertex of the same compute set reads the copied elements. It also reads old elements only if the copy writes a part of the variable. */
Test(copies, a_completely_copied_variable_is_not_live_before_the_copy)
{
    for (size_t n = 7; n <= 8; n++) {
        ipu_graph *g = small_graph(1, true);
        const uint32_t t = add_variable(g, "t", 8, 0), out = add_variable(g, "out", 8, 0);
        ipu_tensor from, to;
        cr_assert_eq(ipu_graph_set_temporary(g, t), MT_OK);
        cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){0, 0, n}, 1, &from), MT_OK);
        cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){t, 0, n}, 1, &to), MT_OK);
        cr_assert_eq(ipu_graph_add_copy(g, 0, from, to), MT_OK);
        add_copy(g, 0, &(ipu_slice){t, 0, 8}, 1, (ipu_slice){out, 0, 8});
        cr_expect_eq(compiled(g)->liveness.variable[t].always, n < 8);
    }
}

/* A copy reads t, which nothing writes, and another writes u, which nothing reads; nothing accesses w. */
Test(copies, a_temporary_variable_has_memory_where_only_a_copy_accesses_it)
{
    ipu_graph *g = small_graph(1, true);
    const uint32_t t = add_variable(g, "t", 8, 0), u = add_variable(g, "u", 8, 0),
                   w = add_variable(g, "w", 8, 0);
    const uint32_t temporary[] = {t, u, w};
    const ipu_program *parts[2], *program;
    ipu_tensor v, of_t, of_u;
    ipu_executable *e;
    ipu_tile_map map;
    size_t found[3] = {0};
    for (int k = 0; k < 3; k++) cr_assert_eq(ipu_graph_set_temporary(g, temporary[k]), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, 0, &v), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, t, &of_t), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, u, &of_u), MT_OK);
    cr_assert_eq(ipu_program_copy(g, "from t", of_t, v, &parts[0]), MT_OK);
    cr_assert_eq(ipu_program_copy(g, "to u", v, of_u, &parts[1]), MT_OK);
    cr_assert_eq(ipu_program_sequence(&arena, parts, 2, &program), MT_OK);
    cr_assert_eq(ipu_compile(&arena, g, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_memory_map(&arena, e, 0, &map), MT_OK);
    for (size_t i = 0; i < map.n_items; i++)
        for (int k = 0; k < 3; k++)
            if (map.items[i].name == g->variables[temporary[k]].name) found[k] += map.items[i].bytes;
    cr_expect_eq(found[0], 32);
    cr_expect_eq(found[1], 32);
    cr_expect_eq(found[2], 0);
}
