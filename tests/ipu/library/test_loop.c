#include "ipu/library/loop.h"

#include "tests/ipu/small_graph.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(loop, .fini = teardown);

/* sum += counter^2, on a tile other than that of the counter. */
static void add_square(const ipu_span *f, const void *context)
{
    (void)context;
    const uint32_t x = *(const uint32_t *)f[0].data;
    *(uint32_t *)f[1].data += x * x;
}

static ipu_cycles no_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)target;
    (void)n;
    (void)context;
    return (ipu_cycles){.worker = 1};
}

static const ipu_field fields[] = {
    {"counter", IPU_INPUT, IPU_UNSIGNED_INT}, {"sum", IPU_INOUT, IPU_UNSIGNED_INT}};
static const ipu_codelet adding = {"add square", 2, fields, add_square, no_cost, .vertex_bytes = 8};

static ipu_tensor number_on(ipu_graph *graph, ipu_type type, uint32_t tile)
{
    uint32_t v;
    ipu_tensor whole;
    cr_assert_eq(ipu_graph_add_variable(graph, "number", type, 1, &v), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, v, 0, 1, tile), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(graph, v, &whole), MT_OK);
    return whole;
}

/* Two runs: the counter starts at 0 in each. */
Test(loop, every_iteration_has_its_number)
{
    ipu_graph *graph = small_graph(3, true);
    const ipu_tensor counter = number_on(graph, IPU_UNSIGNED_INT, 2),
                     sum = number_on(graph, IPU_UNSIGNED_INT, 0);
    const ipu_program *body, *program;
    ipu_executable *e;
    ipu_engine *engine;
    size_t vertex;
    uint32_t got = 0;
    cr_assert_eq(ipu_graph_add_vertex(graph, 0, &adding, 0, NULL, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_connect(graph, vertex, "counter", counter), MT_OK);
    cr_assert_eq(ipu_graph_connect(graph, vertex, "sum", sum), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, 0, &body), MT_OK);
    cr_assert_eq(ipu_counted_loop(graph, 5, counter, body, &program), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_compile(&arena, graph, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK);
    ipu_engine_write(engine, &sum, &got);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    ipu_engine_read(engine, &sum, &got);
    cr_expect_eq(got, 2 * (0 + 1 + 4 + 9 + 16));
    ipu_engine_read(engine, &counter, &got);
    cr_expect_eq(got, 5);

    /* The fill, five turns with an exchange, five increments without. */
    const ipu_timing *timing = &engine->timing;
    cr_expect_eq(timing->supersteps[2].cycles, 43);
    cr_expect_eq(ipu_engine_cycles(engine),
        2 * (timing->supersteps[1].cycles + 5 * (timing->supersteps[0].cycles + 43)));
}

/* An entry of 11, and a load, an addition and a store: 1.25 cycles, rounded up. */
Test(loop, a_counter_of_single_instructions_takes_the_sum_of_their_classes)
{
    ipu_graph *graph = small_graph(3, true);
    const ipu_program *body, *program;
    graph->target = single_target(3);
    cr_assert_eq(ipu_program_execute(&arena, 0, &body), MT_OK);
    cr_assert_eq(ipu_counted_loop(graph, 5, number_on(graph, IPU_UNSIGNED_INT, 2), body, &program), MT_OK);
    cr_expect_eq(timed(graph)->supersteps[2].cycles, 11 + 2);
}

Test(loop, invalid_loop_counters_are_rejected)
{
    ipu_graph *graph = small_graph(3, true);
    const ipu_program *body, *program;
    cr_assert_eq(ipu_program_execute(&arena, 0, &body), MT_OK);
    cr_expect_eq(ipu_counted_loop(graph, 5, number_on(graph, IPU_FLOAT, 0), body, &program), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "counted loop: a counter of 1 elements of type float; allowed: 1 of type unsigned int");
    cr_expect_eq(ipu_counted_loop(
                     graph, (uint64_t)UINT32_MAX + 1, number_on(graph, IPU_UNSIGNED_INT, 0), body, &program),
        MT_INPUT);
    cr_expect_str_eq(mt_message(), "counted loop: 4294967296 iterations; allowed: at most 4294967295");
}
