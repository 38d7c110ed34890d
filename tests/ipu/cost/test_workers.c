#include <criterion/criterion.h>

#include <omp.h>

#include "ipu/run/profile.h"
#include "ipu/cost/workers.h"
#include "tests/ipu/test_ring.h"

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(workers, .fini = teardown);

static ipu_cycles cycles(uint64_t entry, uint64_t worker, uint64_t idle)
{
    return (ipu_cycles){.entry = entry, .worker = worker, .idle = idle};
}

/* n vertices of 10 worker cycles and an entry of 2: numbers 1 to 6 run in parallel, the 7th after the first. */
Test(workers, single_worker_vertices_run_concurrently)
{
    const ipu_target target = ring_target(1);
    for (size_t n = 1; n <= 13; n++) {
        const size_t turns = n <= 6 ? 1 : n <= 12 ? 2 : 3;
        ipu_workers w = ipu_workers_begin(&target);
        for (size_t k = 0; k < n; k++) ipu_workers_add(&w, IPU_SINGLE_WORKER, cycles(2, 10, 0));
        cr_expect_eq(ipu_workers_cycles(&w), 2 * n + 6 * 10 * turns, "%zu vertices", n);
        cr_expect_eq(w.used, 10 * n);
    }
}

/* 40 cycles once, for any number of vertices. */
Test(workers, a_tile_with_vertices_pays_the_launch_once)
{
    ipu_target target = ring_target(1);
    target.vertex_launch_cycles = 40;
    ipu_workers w = ipu_workers_begin(&target);
    for (size_t k = 0; k < 3; k++) ipu_workers_add(&w, IPU_MULTI_WORKER, cycles(11, 7, 0));
    cr_expect_eq(ipu_workers_cycles(&w), 40 + 3 * (11 + 6 * 7));
}

/* Three workers and vertices of 5, 1, 3, 4, 2, 6: 5 to the first worker, 1 to the second, 3 to the third; 4 to the second (total 5), 2
 * to the third (total 5), and 6 to the first of three equals: 11. */
Test(workers, the_least_loaded_worker_takes_the_next_vertex)
{
    static const uint64_t work[] = {5, 1, 3, 4, 2, 6};
    ipu_target target = ring_target(1);
    target.worker_contexts = 3;
    ipu_workers w = ipu_workers_begin(&target);
    for (size_t k = 0; k < 6; k++) ipu_workers_add(&w, IPU_SINGLE_WORKER, cycles(0, work[k], 0));
    cr_expect_eq(w.load[0], 11);
    cr_expect_eq(w.load[1], 5);
    cr_expect_eq(w.load[2], 5);
    cr_expect_eq(ipu_workers_cycles(&w), 3 * 11);
}

/* A supervisor vertex of 40; a vertex of all workers, 11 + 6 * 7, with two workers idle for 7 and 3; a single-worker vertex, 5 + 6 * 9.
 * The sum is independent of the order. */
Test(workers, vertex_kinds_run_one_after_the_other)
{
    static const ipu_vertex_kind kinds[] = {IPU_SUPERVISOR, IPU_MULTI_WORKER, IPU_SINGLE_WORKER};
    const ipu_cycles costs[] = {cycles(40, 0, 0), cycles(11, 7, 10), cycles(5, 9, 0)};
    const ipu_target target = ring_target(1);
    for (size_t first = 0; first < 3; first++) {
        ipu_workers w = ipu_workers_begin(&target);
        for (size_t k = 0; k < 3; k++) ipu_workers_add(&w, kinds[(first + k) % 3], costs[(first + k) % 3]);
        cr_expect_eq(ipu_workers_cycles(&w), 40 + (11 + 42) + (5 + 54));
        cr_expect_eq(w.used, 42 - 10 + 9);
    }
}

Test(workers, costs_are_validated_for_each_vertex_kind)
{
    const ipu_target target = ring_target(1);
    cr_expect(ipu_workers_cost_valid(&target, IPU_MULTI_WORKER, cycles(0, 4, 20)));
    cr_expect_not(ipu_workers_cost_valid(&target, IPU_MULTI_WORKER, cycles(0, 4, 21)));
    cr_expect(ipu_workers_cost_valid(&target, IPU_SINGLE_WORKER, cycles(0, 4, 0)));
    cr_expect_not(ipu_workers_cost_valid(&target, IPU_SINGLE_WORKER, cycles(0, 4, 1)));
    cr_expect(ipu_workers_cost_valid(&target, IPU_SUPERVISOR, cycles(9, 0, 0)));
    cr_expect_not(ipu_workers_cost_valid(&target, IPU_SUPERVISOR, cycles(9, 1, 0)));
    cr_expect_not(ipu_workers_cost_valid(&target, IPU_SUPERVISOR, cycles(9, 0, 1)));
}

/* ---- in a graph: a vertex adds to its only element; its cost is in its context, or is the element ---- */

typedef struct adding {
    float step;
    ipu_cycles cost;
} adding;

static void add_compute(const ipu_span *f, const void *context)
{
    const adding *a = context;
    *(float *)f[0].data += a->step;
}

static ipu_cycles add_cost(const ipu_target *target, const size_t *n, const void *context)
{
    const adding *a = context;
    (void)target, (void)n;
    return a->cost;
}

/* Worker cycles equal to the value of the element before the addition; entry and idle as in the context. */
static ipu_cycles add_timed(const ipu_target *target, const ipu_span *f, const void *context)
{
    const adding *a = context;
    const uint64_t worker = (uint64_t) * (const float *)f[0].data;
    (void)target;
    add_compute(f, context);
    return (ipu_cycles){.entry = a->cost.entry, .worker = worker, .idle = a->cost.idle};
}

static const ipu_field add_fields[] = {{"x", IPU_INOUT, IPU_FLOAT}};
static const ipu_codelet all_workers = {
    .name = "all", .n_fields = 1, .fields = add_fields, .compute = add_compute, .cost = add_cost};
static const ipu_codelet one_worker = {.name = "one",
    .n_fields = 1,
    .fields = add_fields,
    .compute = add_compute,
    .cost = add_cost,
    .kind = IPU_SINGLE_WORKER};
static const ipu_codelet supervisor = {.name = "supervisor",
    .n_fields = 1,
    .fields = add_fields,
    .compute = add_compute,
    .cost = add_cost,
    .kind = IPU_SUPERVISOR};
static const ipu_codelet by_data = {
    .name = "by data", .n_fields = 1, .fields = add_fields, .compute_timed = add_timed, .cost = add_cost};
static const ipu_codelet one_by_data = {.name = "one by data",
    .n_fields = 1,
    .fields = add_fields,
    .compute_timed = add_timed,
    .cost = add_cost,
    .kind = IPU_SINGLE_WORKER};

typedef struct vertex {
    const ipu_codelet *codelet;
    uint32_t tile;
    adding context;
} vertex;

/* Builds a graph with n vertices of one compute set "set", each with one element of variable 0. */
static ipu_graph *graph_of(size_t tiles, const vertex *vertices, size_t n, ipu_tensor *whole)
{
    const ipu_target target = ring_target(tiles);
    ipu_graph *g = NULL;
    uint32_t x, set;
    cr_assert_eq(ipu_graph_new(&arena, &target, &g), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(g, "x", IPU_FLOAT, n, &x), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(g, "set", &set), MT_OK);
    for (size_t k = 0; k < n; k++) {
        const vertex *v = &vertices[k];
        ipu_tensor one;
        size_t id;
        cr_assert_eq(ipu_graph_set_tile_mapping(g, x, k, 1, v->tile), MT_OK);
        cr_assert_eq(ipu_graph_add_vertex(g, set, v->codelet, v->tile, &v->context, &id), MT_OK);
        cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){x, k, 1}, 1, &one), MT_OK);
        cr_assert_eq(ipu_graph_connect(g, id, "x", one), MT_OK);
    }
    cr_assert_eq(ipu_graph_variable_tensor(g, x, whole), MT_OK);
    return g;
}

static ipu_engine *engine_of(const ipu_graph *g)
{
    const ipu_program *p;
    ipu_executable *e = NULL;
    ipu_engine *engine = NULL;
    cr_assert_eq(ipu_program_execute(&arena, 0, &p), MT_OK);
    cr_assert_eq(ipu_compile(&arena, g, &p, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, false, &engine), MT_OK);
    return engine;
}

/* Tile 0: all workers, 11 + 6 * 10, 12 idle. Tile 1: three single-worker vertices of 20, 5 and 4: 3 * 2 + 6 * 20. Tile 2: a supervisor
 * vertex of 30. Tile 3: nothing. The phase takes 126 cycles, so there are 4 * 126 slots; 48 + 29 are used. */
Test(workers, a_compute_set_takes_the_time_of_its_slowest_tile_and_reports_utilisation)
{
    static const vertex vertices[] = {{&all_workers, 0, {1, {11, 10, 12}}}, {&one_worker, 1, {1, {2, 20, 0}}},
        {&one_worker, 1, {1, {2, 5, 0}}}, {&one_worker, 1, {1, {2, 4, 0}}},
        {&supervisor, 2, {1, {30, 0, 0}}}};
    ipu_tensor whole;
    ipu_profile profile;
    float x[5] = {0};
    ipu_engine *engine = engine_of(graph_of(4, vertices, 5, &whole));
    const ipu_superstep_timing *step = &engine->timing.supersteps[0];
    cr_expect_eq(step->compute_cycles[0], 71);
    cr_expect_eq(step->compute_cycles[1], 126);
    cr_expect_eq(step->compute_cycles[2], 30);
    cr_expect_eq(step->compute_cycles[3], 0);
    cr_expect_eq(step->compute_phase_cycles, 126);
    cr_expect_eq(step->used_slots, 48 + 29);
    cr_expect_not(engine->executable->supersteps[0].data_dependent);
    ipu_engine_write(engine, &whole, x);
    for (int run = 0; run < 3; run++) cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
    ipu_engine_read(engine, &whole, x);
    for (size_t k = 0; k < 5; k++) cr_expect_eq(x[k], 3, "every kind computes");
    cr_assert_eq(ipu_profile_make(&arena, engine, &profile), MT_OK);
    cr_expect_eq(profile.compute_cycles, 3 * 126);
    cr_expect_float_eq(profile.steps[0].workers_busy, 77.0 / (4 * 126), 1e-15);
    cr_assert_eq(ipu_profile_costs(&arena, engine->executable, &profile), MT_OK);
    cr_expect_float_eq(profile.steps[0].workers_busy, 77.0 / (4 * 126), 1e-15);
}

Test(workers, an_invalid_vertex_cost_is_reported_before_the_run)
{
    static const struct {
        vertex vertex;
        const char *message;
    } cases[] = {
        {{&supervisor, 1, {1, {30, 2, 0}}}, "compute set 'set', tile 1: supervisor codelet 'supervisor': "
                                            "2 worker cycles and 0 idle; allowed: 0"},
        {{&one_worker, 0, {1, {0, 2, 1}}},
            "compute set 'set', tile 0: codelet 'one': 1 worker cycles idle; allowed: at most 0 for a vertex "
            "of one worker, the slowest of which takes 2"},
        {{&all_workers, 2, {1, {0, 2, 11}}},
            "compute set 'set', tile 2: codelet 'all': 11 worker cycles idle; allowed: at most 10 for a "
            "vertex of all workers, the slowest of which takes 2"}};
    for (size_t k = 0; k < 3; k++) {
        ipu_tensor whole;
        ipu_timing timing;
        cr_expect_eq(ring_time(&arena, graph_of(3, &cases[k].vertex, 1, &whole), NULL, 0, &timing), MT_INPUT);
        cr_expect_str_eq(mt_message(), cases[k].message);
    }
}

Test(workers, a_tile_has_1_to_64_workers)
{
    static const vertex one = {&one_worker, 0, {1, {0, 2, 0}}};
    ipu_tensor whole;
    ipu_timing timing;
    ipu_graph *g = graph_of(1, &one, 1, &whole);
    g->target.worker_contexts = 64;
    cr_expect_eq(ring_time(&arena, g, NULL, 0, &timing), MT_OK, "%s", mt_message());
    g->target.worker_contexts = 65;
    cr_expect_eq(ring_time(&arena, g, NULL, 0, &timing), MT_INPUT);
    cr_expect_str_eq(mt_message(), "a machine of 65 worker contexts per tile; allowed: 1 to 64");
    g->target.worker_contexts = 0;
    cr_expect_eq(ring_time(&arena, g, NULL, 0, &timing), MT_INPUT);
}

/* ---- times that depend on data ---- */

/* Tile 0 begins at 1 and adds 1 per run, tile 1 begins at 5 and adds 2, tile 2 begins at 3 and adds 3: the slowest take 5, 7 and 9 (two
 * of them). Each entry is 11; tile 2 has another supervisor vertex of 4. Tiles 0 and 1 have no idle workers; tile 2 has 2 idle worker
 * cycles. The compiled cost is 100. */
Test(workers, data_dependent_vertex_times_are_evaluated_in_each_run)
{
    static const vertex vertices[] = {{&by_data, 0, {1, {11, 100, 0}}}, {&by_data, 1, {2, {11, 100, 0}}},
        {&by_data, 2, {3, {11, 100, 2}}}, {&supervisor, 2, {0, {4, 0, 0}}}};
    static const float start[] = {1, 5, 3, 0};
    ipu_tensor whole;
    ipu_profile profile;
    const ipu_graph *g = graph_of(3, vertices, 4, &whole);
    for (int threads = 1; threads <= 4; threads += 3) {
        omp_set_num_threads(threads);
        ipu_engine *engine = engine_of(g);
        ipu_engine_write(engine, &whole, start);
        cr_expect(engine->executable->supersteps[0].data_dependent);
        cr_expect_eq(engine->timing.supersteps[0].compute_phase_cycles, 11 + 600 + 4);
        const size_t taken = mt_arena_allocated();
        cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
        cr_expect_eq(ipu_engine_cycles(engine), 11 + 6 * 5);
        for (int run = 0; run < 2; run++) cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
        cr_expect_eq(mt_arena_allocated(), taken, "running takes no memory");
        const uint64_t all = (11 + 6 * 5) + (11 + 6 * 7) + (4 + 11 + 6 * 9);
        cr_expect_eq(ipu_engine_cycles(engine), all);
        cr_assert_eq(ipu_profile_make(&arena, engine, &profile), MT_OK);
        cr_expect_eq(profile.cycles, all);
        cr_expect_eq(profile.steps[0].total_cycles, all);
        cr_expect_eq(profile.steps[0].total_compute_cycles, all);
        cr_expect_eq(profile.steps[0].cycles, 615);
        const double used = 6 * (1 + 2 + 3) + 6 * (5 + 7 + 9) + 6 * (3 + 6 + 9) - 3 * 2;
        cr_expect_float_eq(profile.steps[0].workers_busy, used / (double)(3 * all), 1e-15);
    }
}

/* Seven single-worker vertices of 1 to 7 cycles: the seventh runs after the first. */
Test(workers, single_worker_vertex_times_can_depend_on_data)
{
    vertex vertices[7];
    float x[7];
    ipu_tensor whole;
    for (size_t k = 0; k < 7; k++) {
        vertices[k] = (vertex){&one_by_data, 0, {0, {3, 0, 0}}};
        x[k] = (float)k + 1;
    }
    ipu_engine *engine = engine_of(graph_of(1, vertices, 7, &whole));
    ipu_engine_write(engine, &whole, x);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
    cr_expect_eq(ipu_engine_cycles(engine), 7 * 3 + 6 * (1 + 7));
    cr_expect_eq(engine->used_slots[0], 28);
}

/* The error names the lower of tiles 1 and 2, and there the second vertex; the first vertex succeeds. */
Test(workers, an_invalid_vertex_time_ends_the_run)
{
    static const vertex vertices[] = {{&by_data, 0, {1, {0, 9, 5}}}, {&by_data, 1, {1, {0, 9, 5}}},
        {&by_data, 1, {1, {0, 9, 45}}}, {&by_data, 2, {1, {0, 9, 11}}}};
    static const float start[] = {1, 1, 8, 2};
    ipu_tensor whole;
    ipu_engine *engine = engine_of(graph_of(3, vertices, 4, &whole));
    ipu_engine_write(engine, &whole, start);
    cr_expect_eq(ipu_engine_run(engine, 0), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "compute set 'set', tile 1: codelet 'by data': 45 worker cycles idle; "
        "allowed: at most 40 for a vertex of all workers, the slowest of which takes 8");
    cr_expect_eq(engine->runs[0], 0);
    cr_expect_eq(ipu_engine_cycles(engine), 0);
}
