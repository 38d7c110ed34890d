/* An executable that uses every feature, saved and loaded. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "data/files/scan.h"
#include "ipu/compile/executable_file.h"
#include "ipu/compile/memory.h"
#include "ipu/run/details.h"
#include "ipu/run/profile_files.h"
#include "tests/answers.h"
#include "tests/ipu/test_ring.h"
#include "tests/room.h"

enum { TILES = 4, N = 8 };

static mt_arena arena;
static const char path[] = "program.ipu";

static void teardown(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(executable_file, .init = enter_room, .fini = teardown);

/* Computes (element + addend of its row) times the factor in the context. */
static void scale(const ipu_span *f, const void *context)
{
    const ipu_span *rows = f[0].data;
    float *out = f[2].data;
    for (size_t r = 0; r < f[0].n; r++)
        for (size_t i = 0; i < rows[r].n; i++)
            *out++ =
                (((const float *)rows[r].data)[i] + ((const float *)f[1].data)[r]) * *(const float *)context;
}

static ipu_cycles scale_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)target;
    return (ipu_cycles){.entry = 11, .worker = n[0] + 5 * n[3] + (uint64_t) * (const float *)context};
}

static void count(const ipu_span *f, const void *context)
{
    (void)context;
    *(uint32_t *)f[0].data += 1;
}

static ipu_cycles count_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)target;
    (void)n;
    (void)context;
    return (ipu_cycles){.entry = 43};
}

/* Counts; the time increases with the count. */
static ipu_cycles count_timed(const ipu_target *target, const ipu_span *f, const void *context)
{
    (void)target;
    count(f, context);
    return (ipu_cycles){.entry = 43 + *(const uint32_t *)f[0].data};
}

static const ipu_field scale_fields[] = {
    {"rows", IPU_INPUT, IPU_FLOAT}, {"add", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_field count_fields[] = {{"turn", IPU_INOUT, IPU_UNSIGNED_INT}};
static const ipu_codelet scaling = {"scale", 3, scale_fields, scale, scale_cost, .code_bytes = 100,
    .vertex_bytes = 12, .lists = 1, .context_bytes = sizeof(float)};
static const ipu_codelet counting = {"count", 1, count_fields, count, count_cost, .code_bytes = 20,
    .vertex_bytes = 4, .kind = IPU_SUPERVISOR, .compute_timed = count_timed};
static const ipu_codelet *const codelets[] = {&counting, &scaling};

static const float factors[2] = {0.5F, 3};

/* Adds a vertex that adds constants to elements `a` and `b` of v, multiplies by a factor and writes the elements of w on this tile. */
static void add_scaling(
    ipu_graph *g, uint32_t set, uint32_t tile, uint32_t v, size_t a, size_t b, uint32_t ones, uint32_t w)
{
    ipu_tensor rows[2], add, out;
    size_t vertex;
    ok(ipu_graph_add_tensor(g, &(ipu_slice){v, a, 1}, 1, &rows[0]));
    ok(ipu_graph_add_tensor(g, &(ipu_slice){v, b, 1}, 1, &rows[1]));
    ok(ipu_graph_add_tensor(g, &(ipu_slice){ones, 0, 2}, 1, &add));
    ok(ipu_graph_add_tensor(g, &(ipu_slice){w, 2 * (size_t)tile, 2}, 1, &out));
    ok(ipu_graph_add_vertex(g, set, &scaling, tile, &factors[tile % 2], &vertex));
    ok(ipu_graph_connect_list(g, vertex, "rows", rows, 2));
    ok(ipu_graph_connect(g, vertex, "add", add));
    ok(ipu_graph_connect(g, vertex, "out", out));
}

static uint32_t on_all_tiles(ipu_graph *g, const char *name)
{
    uint32_t v;
    ok(ipu_graph_add_variable(g, name, IPU_FLOAT, N, &v));
    for (uint32_t t = 0; t < TILES; t++) ok(ipu_graph_set_tile_mapping(g, v, 2 * t, 2, t));
    return v;
}

static uint32_t variable_of(const ipu_graph *g, const char *name)
{
    uint32_t v;
    ok(ipu_graph_variable(g, name, &v));
    return v;
}

/* Returns a program of three turns. Each scales v to w and copies w back reversed; then, by `turn`, it scales again, copies the first
 * element of w to all of v, or does nothing. Finally it sends v and changes both. */
static const ipu_program *make_program(
    ipu_graph *g, uint32_t v, uint32_t w, uint32_t turn, uint32_t set, uint32_t apart)
{
    const ipu_program *parts[6], *all;
    ipu_slice reversed[N];
    ipu_tensor to, from, first, number;
    uint32_t counts, stream;
    size_t vertex;
    for (size_t i = 0; i < N; i++) reversed[i] = (ipu_slice){w, N - 1 - i, 1};
    ok(ipu_graph_variable_tensor(g, v, &to));
    ok(ipu_graph_variable_tensor(g, turn, &number));
    ok(ipu_graph_add_tensor(g, reversed, N, &from));
    ok(ipu_graph_slice(g, from, N - 1, 1, &first));
    ok(ipu_graph_add_stream(g, "frames", IPU_FLOAT, &stream));
    ok(ipu_graph_add_compute_set(g, "count", &counts));
    ok(ipu_graph_add_vertex(g, counts, &counting, 1, NULL, &vertex));
    ok(ipu_graph_connect(g, vertex, "turn", number));
    ok(ipu_program_execute(&arena, set, &parts[0]));
    ok(ipu_program_copy(g, "back", from, to, &parts[1]));
    ok(ipu_program_copy(g, "spread", first, to, &parts[2]));
    ok(ipu_program_switch(&arena, number, (const ipu_program *[]){parts[0], parts[2]}, 2, NULL, &parts[2]));
    ok(ipu_program_execute(&arena, counts, &parts[3]));
    ok(ipu_program_host_read(&arena, to, stream, &parts[4]));
    ok(ipu_program_execute(&arena, apart, &parts[5]));
    ok(ipu_program_sequence(&arena, parts, 6, &all));
    ok(ipu_program_repeat(&arena, 3, all, &all));
    return all;
}

static ipu_executable *compiled(void)
{
    static const float ones[2] = {1, -1};
    static ipu_band band = {"exchange.sync_cycles", 64, 200};
    const ipu_program *programs[2];
    ipu_target target = ring_target(TILES);
    ipu_executable *e;
    ipu_graph *g;
    uint32_t constant, turn, set, apart;
    target.ipus = 2;
    target.links = ring_links();
    target.bands = &band;
    target.n_bands = 1;
    ok(ipu_graph_new(&arena, &target, &g));
    const uint32_t v = on_all_tiles(g, "v"), w = on_all_tiles(g, "w");
    ok(ipu_graph_set_temporary(g, w));
    ok(ipu_graph_set_temporary(g, on_all_tiles(g, "idle"))); /* has no memory */
    ok(ipu_graph_add_constant(g, "ones", IPU_FLOAT, 2, ones, &constant));
    ok(ipu_graph_set_tile_mapping(g, constant, 0, 2, 3));
    ok(ipu_graph_add_variable(g, "turn", IPU_UNSIGNED_INT, 1, &turn));
    ok(ipu_graph_set_tile_mapping(g, turn, 0, 1, 1));
    ok(ipu_graph_add_compute_set(g, "scale", &set));
    for (size_t t = 0; t < TILES; t++)
        add_scaling(g, set, (uint32_t)t, v, 2 * t, (2 * t + 4) % N, constant, w);
    ok(ipu_graph_add_compute_set(g, "apart", &apart));
    add_scaling(g, apart, 0, w, 2, 3, constant, v);
    add_scaling(g, apart, 1, v, 0, 1, constant, w);
    programs[0] = make_program(g, v, w, turn, set, apart);
    programs[1] = programs[0]->children[0];
    ok(ipu_compile(&arena, g, programs, 2, &e));
    cr_assert(e->supersteps[apart].receive_all_first);
    return e;
}

typedef struct outcome {
    float frames[3 * N], w[N];
    uint64_t cycles;
    mt_scan profile, tiles, received, links;
} outcome;

static mt_scan file(const char *name)
{
    mt_scan scan;
    ok(mt_scan_open(&arena, name, &scan));
    return scan;
}

static void expect_same(mt_scan a, mt_scan b)
{
    cr_assert_eq(mt_scan_left(&a), mt_scan_left(&b), "%s", a.path);
    cr_expect_arr_eq(a.begin, b.begin, mt_scan_left(&a), "%s", a.path);
}

/* Runs the executable and collects its results and all that is reported about it. */
static outcome run(const ipu_executable *e)
{
    const float v[N] = {1, 2, 3, 4, 5, 6, 7, 8};
    const uint32_t turn = 0;
    outcome o = {0};
    ipu_profile profile;
    ipu_engine *engine;
    ok(ipu_executable_check(e));
    ok(ipu_engine_new(&arena, e, false, &engine));
    ok(ipu_engine_connect_stream(engine, 0, o.frames, 3 * N));
    ipu_engine_write_slice(engine, &(ipu_slice){variable_of(e->graph, "v"), 0, N}, v);
    ipu_engine_write_slice(engine, &(ipu_slice){variable_of(e->graph, "turn"), 0, 1}, &turn);
    ok(ipu_engine_run(engine, 0));
    ipu_engine_read_slice(engine, &(ipu_slice){variable_of(e->graph, "w"), 0, N}, o.w);
    o.cycles = ipu_engine_cycles(engine);
    ok(ipu_profile_make(&arena, engine, &profile));
    ok(ipu_profile_add_bands(e, &profile));
    ok(ipu_details_add(&arena, e, &profile));
    const ipu_profiled of = {.title = "t", .time_steps = 1, .profile = &profile, .target = &e->graph->target};
    ok(ipu_profile_write(&of, ".", true));
    o.profile = file("profile.json");
    o.tiles = file("tiles.csv");
    o.received = file("received.csv");
    o.links = file("links.csv");
    return o;
}

static void rewrite(const char *bytes, size_t n)
{
    FILE *out = fopen(path, "wb");
    cr_assert_not_null(out);
    cr_assert_eq(fwrite(bytes, 1, n, out), n);
    cr_assert_eq(fclose(out), 0);
}

Test(executable_file, a_loaded_executable_runs_and_costs_the_same)
{
    const ipu_executable *e = compiled();
    ipu_executable *loaded;
    ok(ipu_executable_save(e, path));
    ok(ipu_executable_load(&arena, path, codelets, 2, &loaded));
    const outcome before = run(e), after = run(loaded);
    cr_expect_arr_eq(after.frames, before.frames, sizeof before.frames);
    cr_expect_arr_eq(after.w, before.w, sizeof before.w);
    cr_expect_eq(after.cycles, before.cycles);
    expect_same(before.profile, after.profile);
    expect_same(before.tiles, after.tiles);
    expect_same(before.received, after.received);
    expect_same(before.links, after.links);
    cr_expect(before.frames[0] != 0 && before.frames[N] == before.frames[N + 1], "the run changed its data");
    for (size_t t = 0; t < TILES; t++) {
        ipu_tile_map first, second;
        ok(ipu_memory_map(&arena, e, t, &first));
        ok(ipu_memory_map(&arena, loaded, t, &second));
        cr_assert_eq(first.n_items, second.n_items);
        for (size_t i = 0; i < first.n_items; i++) {
            cr_expect_str_eq(second.items[i].name, first.items[i].name);
            cr_expect_eq(second.items[i].offset, first.items[i].offset);
        }
    }
    for (size_t s = 0; s < e->graph->n_compute_sets; s++)
        cr_expect_arr_eq(loaded->supersteps[s].exchange.tile_first, e->supersteps[s].exchange.tile_first,
            TILES * sizeof(uint64_t), "compute set %zu", s);
    const ipu_target *target = &loaded->graph->target;
    cr_expect_str_eq(target->bands[0].key, "exchange.sync_cycles");
    cr_expect_eq(target->bands[0].slow, 200);
}

/* The two files must be equal byte for byte. */
Test(executable_file, saving_again_writes_the_same_file)
{
    ipu_executable *loaded;
    ok(ipu_executable_save(compiled(), path));
    const mt_scan first = file(path);
    ok(ipu_executable_load(&arena, path, codelets, 2, &loaded));
    ok(ipu_executable_save(loaded, path));
    const mt_scan second = file(path);
    expect_same(first, second);
}

/* A machine with a list of links, and a route to a chip that does not exist. */
Test(executable_file, routes_are_saved_and_invalid_routes_rejected)
{
    ipu_listed_link list[] = {{0, 1, 1}, {1, 0, 1}};
    uint32_t nowhere[] = {5};
    ipu_listed_route routes[] = {{1, 0, NULL, 0}, {0, 1, nowhere, 1}};
    ipu_executable *e = compiled(), *loaded;
    ipu_links *links = &((ipu_graph *)e->graph)->target.links;
    ipu_timing timing;
    links->shape = IPU_LINK_LIST;
    links->direct = links->cross = links->rail = 0;
    links->list = list;
    links->n_list = 2;
    links->routes = routes;
    links->n_routes = 2;
    ok(ipu_executable_save(e, path));
    ok(ipu_executable_load(&arena, path, codelets, 2, &loaded));
    links = &((ipu_graph *)loaded->graph)->target.links;
    cr_assert_eq(links->n_routes, 2);
    cr_assert_eq(links->routes[1].n_via, 1);
    cr_expect_eq(links->routes[1].via[0], 5);
    cr_expect_eq(ipu_timing_make(&arena, loaded, &timing), MT_INPUT);
    cr_expect_str_eq(mt_message(), "machine: links.routes.1: IPU 5; allowed: 0 to 1");
    links->routes[1].n_via = 0;
    ok(ipu_timing_make(&arena, loaded, &timing));
}

Test(executable_file, any_damage_is_detected)
{
    ipu_executable *loaded;
    ok(ipu_executable_save(compiled(), path));
    const mt_scan scan = file(path);
    char *bytes = (char *)scan.begin;
    const size_t n = mt_scan_left(&scan);
    for (size_t k = 0; k < n; k += k < 200 || k + 50 > n ? 1 : 97) {
        bytes[k] ^= 4;
        rewrite(bytes, n);
        cr_expect_eq(ipu_executable_load(&arena, path, codelets, 2, &loaded), MT_INPUT, "byte %zu", k);
        bytes[k] ^= 4;
        rewrite(bytes, k);
        cr_expect_eq(ipu_executable_load(&arena, path, codelets, 2, &loaded), MT_INPUT, "%zu bytes", k);
    }
    rewrite(bytes, n);
    ok(ipu_executable_load(&arena, path, codelets, 2, &loaded));
    rewrite("HEART", 5);
    cr_expect_eq(ipu_executable_load(&arena, path, codelets, 2, &loaded), MT_INPUT);
    cr_expect_not_null(strstr(mt_message(),
        ": not an executable of this library; allowed: a file that begins with 'myotile executable 3'"));
}

Test(executable_file, codelets_must_match_the_file)
{
    ipu_executable *loaded;
    ipu_codelet other = scaling;
    const ipu_codelet *given[] = {&counting, &other};
    ok(ipu_executable_save(compiled(), path));
    cr_expect_eq(ipu_executable_load(&arena, path, codelets, 1, &loaded), MT_INPUT);
    cr_expect_not_null(strstr(mt_message(), ": codelet 'scale' is required, but missing"));
    other.compute_timed = count_timed;
    cr_expect_eq(ipu_executable_load(&arena, path, given, 2, &loaded), MT_INPUT);
    other.compute_timed = NULL;
    other.vertex_bytes = 16;
    cr_expect_eq(ipu_executable_load(&arena, path, given, 2, &loaded), MT_INPUT);
    cr_expect_not_null(
        strstr(mt_message(), ": codelet 'scale' is required, but differs in fields, sizes or kind"));
}

Test(executable_file, a_context_of_unknown_size_cannot_be_saved)
{
    ipu_executable *e = compiled();
    ipu_codelet other = scaling;
    other.context_bytes = 0;
    for (size_t i = 0; i < e->n_tasks; i++)
        if (e->tasks[i].codelet == &scaling) e->tasks[i].codelet = &other;
    rewrite("as before", 9);
    cr_expect_eq(ipu_executable_save(e, path), MT_INPUT);
    cr_expect_not_null(
        strstr(mt_message(), ": codelet 'scale' has a context, but context_bytes is 0; allowed: its size"));
    const mt_scan scan = file(path);
    cr_expect_eq(mt_scan_left(&scan), 9, "the old file is unchanged");
}
