#include "ipu/library/reduce.h"

#include <math.h>

#include "tests/ipu/small_graph.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(reduce, .fini = teardown);

static ipu_graph *graph;
static ipu_engine *engine;

/* Tiles of one chip, or of two that share them. */
static void begin(size_t tiles, size_t chips)
{
    ipu_target one = ring_target(tiles / chips);
    one.links = ring_links();
    ipu_target target = one;
    if (chips > 1) cr_assert_eq(ipu_target_several(&one, chips, &target), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_graph_new(&arena, &target, &graph), MT_OK);
}

/* A variable of n floats in pieces of `piece`, on every third tile in turn, so that tiles may hold several pieces or none. */
static ipu_tensor scattered(size_t n, size_t piece)
{
    ipu_tensor whole;
    uint32_t v;
    const size_t tiles = graph->target.tiles;
    cr_assert_eq(ipu_graph_add_variable(graph, "in", IPU_FLOAT, n, &v), MT_OK);
    for (size_t at = 0; at < n; at += piece)
        cr_assert_eq(ipu_graph_set_tile_mapping(
                         graph, v, at, n - at < piece ? n - at : piece, (uint32_t)(at / piece * 3 % tiles)),
            MT_OK);
    cr_assert_eq(ipu_graph_whole(graph, v, &whole), MT_OK);
    return whole;
}

static ipu_tensor element_on(uint32_t tile)
{
    ipu_tensor whole;
    cr_assert_eq(ipu_graph_whole(graph, add_variable(graph, "out", 1, tile), &whole), MT_OK);
    return whole;
}

static float run(const ipu_program *program, ipu_tensor in, const float *values, ipu_tensor out)
{
    ipu_executable *e;
    float result = NAN;
    cr_assert_eq(ipu_compile(&arena, graph, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK);
    ipu_engine_write(engine, &in, values);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    ipu_engine_read(engine, &out, &result);
    return result;
}

enum { MOST = 1000 };

/* Integers and powers of two, so that every order gives the same bits. */
Test(reduce, every_element_counts_once)
{
    static const size_t sizes[][4] = {/* tiles, chips, elements, of a piece */
        {1, 1, 1, 1}, {1, 1, 100, 100}, {1, 1, 100, 3}, {5, 1, 100, 7}, {7, 1, 2, 1}, {64, 1, 1000, 5},
        {64, 1, 1000, 900}, {2, 2, 100, 7}, {64, 2, 1000, 5}, {64, 2, 40, 1}, {64, 4, 1000, 1}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (uint32_t to = 0; to < sizes[k][0]; to += 5)
            for (int r = 0; r < IPU_REDUCTIONS; r++) {
                const size_t n = sizes[k][2];
                const ipu_program *program;
                float values[MOST];
                double sum = 0, product = 1, most = -INFINITY, least = INFINITY;
                begin(sizes[k][0], sizes[k][1]);
                const ipu_tensor in = scattered(n, sizes[k][3]), out = element_on(to);
                for (size_t i = 0; i < n; i++) {
                    const double x = (double)(i * 7919 % 1009) - 300;
                    values[i] =
                        r == IPU_REDUCE_MULTIPLY ? (float)ldexp(1, (int)(i * 7919 % 5) - 2) : (float)x;
                    sum += x;
                    product *= values[i];
                    most = fmax(most, x);
                    least = fmin(least, x);
                }
                const double truth[] = {sum, product, most, least};
                cr_assert_eq(
                    ipu_reduce(graph, (ipu_reduction)r, in, out, &program), MT_OK, "%s", mt_message());
                cr_assert_eq((double)run(program, in, values, out), truth[r], "%zu, tile %u, %d: %g", k, to,
                    r, truth[r]);
                teardown();
            }
}

/* 64 tiles of 600 elements: 100 for each of six workers, which take 17 + 50 cycles. With 160 cycles a fragment three steps of four tiles each
 * take the least: the first brings 4 x 6 parts together, the others 4. */
Test(reduce, takes_the_tree_of_the_fewest_cycles)
{
    static const uint64_t compute[] = {
        6 * 11 + 6 * (17 + 50), 11 + 6 * (17 + 12), 11 + 6 * (17 + 2), 11 + 6 * (17 + 2)};
    const ipu_program *program;
    begin(64, 1);
    const ipu_tensor in = scattered(64 * 600, 600), out = element_on(0);
    cr_assert_eq(ipu_reduce(graph, IPU_REDUCE_ADD, in, out, &program), MT_OK, "%s", mt_message());
    cr_assert_eq(program->kind, IPU_SEQUENCE);
    cr_assert_eq(program->n_children, 4);
    const ipu_timing *timing = timed(graph);
    for (size_t k = 0; k < 4; k++)
        cr_expect_eq(
            timing->supersteps[program->children[k]->compute_set].compute_cycles[0], compute[k], "%zu", k);
}

Test(reduce, what_cannot_be_reduced_is_refused)
{
    const ipu_program *program;
    ipu_tensor none, h, nowhere;
    uint32_t v;
    begin(4, 1);
    const ipu_tensor in = scattered(10, 3), out = element_on(1);
    cr_assert_eq(ipu_graph_add_tensor(graph, NULL, 0, &none), MT_OK);
    cr_expect_eq(ipu_reduce(graph, IPU_REDUCE_ADD, none, out, &program), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "reduce: add: of 0 elements of type float; allowed: 1 or more of type float");
    cr_expect_eq(ipu_reduce(graph, IPU_REDUCE_MINIMUM, in, in, &program), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "reduce: minimum: the result has 10 elements of type float; allowed: 1 of type float");
    cr_assert_eq(ipu_graph_add_variable(graph, "h", IPU_HALF, 4, &v), MT_OK);
    cr_assert_eq(ipu_graph_whole(graph, v, &h), MT_OK);
    cr_expect_eq(ipu_reduce(graph, IPU_REDUCE_ADD, h, out, &program), MT_INPUT);
    cr_assert_eq(ipu_graph_add_variable(graph, "nowhere", IPU_FLOAT, 1, &v), MT_OK);
    cr_assert_eq(ipu_graph_whole(graph, v, &nowhere), MT_OK);
    cr_expect_eq(ipu_reduce(graph, IPU_REDUCE_ADD, in, nowhere, &program), MT_INPUT);
    cr_expect_str_eq(mt_message(), "reduce: add: variable 'nowhere': element 0 is mapped to no tile");
}
