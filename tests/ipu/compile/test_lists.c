/* Fields that are lists of ranges: the data that a vertex receives, the copies, and the cost. */
#include "tests/ipu/small_graph.h"

#include <string.h>

#include "ipu/compile/memory.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(lists, .fini = teardown);

/* Writes to each range of "sums" the sums along the range of "rows" with the same index, plus `add`. */
static void sum_rows(const ipu_span *f, const void *context)
{
    const ipu_span *rows = f[0].data, *sums = f[2].data;
    (void)context;
    for (size_t r = 0; r < f[0].n; r++) {
        float sum = *(const float *)f[1].data;
        for (size_t i = 0; i < rows[r].n; i++) {
            sum += ((const float *)rows[r].data)[i];
            ((float *)sums[r].data)[i] = sum;
        }
    }
}

/* One cycle per element and 10 per range. */
static ipu_cycles sum_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)target;
    (void)context;
    return (ipu_cycles){.worker = n[0] + 10 * n[3] + 100 * n[4]};
}

static const ipu_field fields[] = {
    {"rows", IPU_INPUT, IPU_FLOAT}, {"add", IPU_INPUT, IPU_FLOAT}, {"sums", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_codelet summing = {
    "sum", 3, fields, sum_rows, sum_cost, .vertex_bytes = 8, .lists = 1 << 0 | 1 << 2};

/* Connects a list of n slices to a field. */
static mt_status connect_list(
    ipu_graph *g, size_t vertex, const char *field, const ipu_slice *slices, size_t n)
{
    ipu_tensor ranges[8];
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(ipu_graph_add_tensor(g, &slices[i], 1, &ranges[i]), MT_OK, "%s", mt_message());
    return ipu_graph_connect_list(g, vertex, field, ranges, n);
}

/* Builds a vertex on tile 1 that sums the inner 2 rows of 3 of its 4 x 5 elements, and elements 2 to 4 of v on tile 0, into three ranges
 * of s. */
static ipu_graph *inner_rows(uint32_t *x, uint32_t *s)
{
    ipu_graph *g = small_graph(2, true);
    ipu_tensor add;
    size_t vertex;
    *x = add_variable(g, "x", 20, 1);
    *s = add_variable(g, "s", 20, 1);
    const ipu_slice rows[] = {{*x, 6, 3}, {0, 2, 3}, {*x, 11, 3}, {0, 0, 0}},
                    sums[] = {{*s, 11, 3}, {*s, 1, 3}, {*s, 6, 3}, {0, 0, 0}};
    cr_assert_eq(ipu_graph_add_vertex(g, 0, &summing, 1, NULL, &vertex), MT_OK);
    cr_assert_eq(connect_list(g, vertex, "rows", rows, 4), MT_OK, "%s", mt_message());
    cr_assert_eq(connect_list(g, vertex, "sums", sums, 4), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){*x, 0, 1}, 1, &add), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "add", add), MT_OK);
    return g;
}

static ipu_engine *engine_of(const ipu_graph *g)
{
    const ipu_program *program;
    ipu_executable *e;
    ipu_engine *engine;
    cr_assert_eq(ipu_program_execute(&arena, 0, &program), MT_OK);
    cr_assert_eq(ipu_compile(&arena, g, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_executable_check(e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK, "%s", mt_message());
    return engine;
}

Test(lists, each_range_of_a_list_has_the_right_values)
{
    uint32_t x, s;
    ipu_engine *engine = engine_of(inner_rows(&x, &s));
    float v[8], values[20], sums[20] = {0};
    for (size_t i = 0; i < 8; i++) v[i] = 100 * (float)i;
    for (size_t i = 0; i < 20; i++) values[i] = (float)i + 1;
    ipu_engine_write_slice(engine, &(ipu_slice){0, 0, 8}, v);
    ipu_engine_write_slice(engine, &(ipu_slice){x, 0, 20}, values);
    ipu_engine_write_slice(engine, &(ipu_slice){s, 0, 20}, sums);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    ipu_engine_read_slice(engine, &(ipu_slice){s, 0, 20}, sums);
    const float expected[20] = {0, 201, 501, 901, 0, 0, 13, 26, 40, 0, 0, 8, 16, 25};
    cr_expect_arr_eq(sums, expected, sizeof expected);
}

/* One fragment of 3 words comes from tile 0. Nothing is copied, although the rows are not adjacent. 9 elements and 4 ranges take 9 + 10
 * x 4 + 100 worker cycles. The vertex has 8 bytes and 8 more for each of its 8 ranges. */
Test(lists, local_ranges_cost_nothing)
{
    uint32_t x, s;
    const ipu_timing *timing = timed(inner_rows(&x, &s));
    const ipu_exchange *exchange = &timing->executable->supersteps[0].exchange;
    cr_expect_eq(exchange->bytes_received, 12);
    cr_expect_eq(exchange->bytes_copied, 0);
    cr_expect_eq(timing->supersteps[0].compute_phase_cycles, 6 * (9 + 40 + 100));
    cr_expect_eq(timing->executable->memory[1].bytes[IPU_MEMORY_VERTEX_STATE], 8 + 64);
    cr_expect_eq(timing->executable->memory[1].bytes[IPU_MEMORY_RECEIVED], 16);
}

Test(lists, a_missing_element_is_reported_by_its_index_in_the_list)
{
    uint32_t x, s;
    ipu_engine *engine = engine_of(inner_rows(&x, &s));
    const float v[8] = {0};
    ipu_engine_write_slice(engine, &(ipu_slice){0, 0, 4}, v);
    cr_expect_eq(ipu_engine_run(engine, 0), MT_NUMERICS);
    cr_expect_str_eq(mt_message(), "compute set 'set', tile 1: codelet 'sum' field 'rows' element 5 would be "
                                   "read before it was received: variable 'v' element 4 from tile 0");
}

Test(lists, invalid_lists_are_rejected)
{
    uint32_t x, s;
    size_t vertex;
    ipu_tensor whole;
    ipu_graph *g = inner_rows(&x, &s);
    cr_assert_eq(ipu_graph_variable_tensor(g, x, &whole), MT_OK);
    cr_assert_eq(ipu_graph_add_vertex(g, 0, &summing, 1, NULL, &vertex), MT_OK);
    cr_expect_eq(ipu_graph_connect(g, vertex, "rows", whole), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "graph: tile 1: codelet 'sum' field 'rows' is a list; allowed: ipu_graph_connect_list");
    cr_expect_eq(ipu_graph_connect_list(g, vertex, "add", &whole, 1), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "graph: tile 1: codelet 'sum' field 'add' is not a list; allowed: ipu_graph_connect");
    cr_assert_eq(ipu_graph_connect(g, vertex, "add", (ipu_tensor){0}), MT_OK);
    cr_assert_eq(connect_list(g, vertex, "rows", &(ipu_slice){x, 0, 2}, 1), MT_OK);
    cr_assert_eq(connect_list(g, vertex, "sums", (ipu_slice[]){{s, 0, 1}, {s, 13, 2}}, 2), MT_OK);
    expect_refused(g, MT_INPUT,
        "compute set 'set', tile 1: codelet 'sum' field 'sums': race: variable 's': element 13 of the tile's "
        "part "
        "is written here and written by another vertex ('sum' field 'sums') of the same compute set");
}

/* Only the last of three ranges is received; its buffer is in region 1, like the variable of the other two. */
Test(lists, every_range_of_a_list_that_is_read_by_wide_loads_is_interleaved)
{
    static const ipu_codelet wide = {
        "sum", 3, fields, sum_rows, sum_cost, .vertex_bytes = 8, .interleaved = 1, .lists = 1 << 0 | 1 << 2};
    ipu_graph *g = small_graph(2, true);
    const uint32_t x = add_variable(g, "x", 8, 1), s = add_variable(g, "s", 8, 1);
    ipu_tile_map map;
    ipu_tensor add;
    size_t vertex, seen = 0;
    cr_assert_eq(ipu_graph_add_vertex(g, 0, &wide, 1, NULL, &vertex), MT_OK);
    cr_assert_eq(connect_list(g, vertex, "rows", (ipu_slice[]){{x, 0, 2}, {x, 4, 2}, {0, 0, 2}}, 3), MT_OK);
    cr_assert_eq(connect_list(g, vertex, "sums", (ipu_slice[]){{s, 0, 2}, {s, 2, 2}, {s, 4, 2}}, 3), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){s, 7, 1}, 1, &add), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "add", add), MT_OK);
    cr_assert_eq(ipu_memory_map(&arena, compiled(g), 1, &map), MT_OK);
    for (size_t i = 0; i < map.n_items; i++) {
        const ipu_memory_item *item = &map.items[i];
        const bool wide_data = item->category == IPU_MEMORY_RECEIVED || strcmp(item->name, "x") == 0;
        seen += wide_data;
        if (wide_data || strcmp(item->name, "s") == 0)
            cr_expect_eq(item->region, wide_data ? 1 : 0, "%s", item->name);
    }
    cr_expect_eq(seen, 2);
}

/* Both ranges include the end of the part. The rest of the first is received after the part; the second is gathered. */
Test(lists, only_one_range_uses_the_tail_of_a_part)
{
    uint32_t w;
    size_t vertex;
    ipu_tensor ranges[2], add;
    ipu_graph *g = small_graph(2, true);
    w = add_variable(g, "w", 8, 1);
    const uint32_t out = add_variable(g, "out", 8, 1);
    cr_assert_eq(ipu_graph_add_vertex(g, 0, &summing, 1, NULL, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, (ipu_slice[]){{w, 6, 2}, {0, 0, 2}}, 2, &ranges[0]), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, (ipu_slice[]){{w, 7, 1}, {0, 4, 3}}, 2, &ranges[1]), MT_OK);
    cr_assert_eq(ipu_graph_connect_list(g, vertex, "rows", ranges, 2), MT_OK);
    cr_assert_eq(connect_list(g, vertex, "sums", (ipu_slice[]){{out, 0, 4}, {out, 4, 4}}, 2), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){w, 0, 1}, 1, &add), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "add", add), MT_OK);
    ipu_engine *engine = engine_of(g);
    cr_expect_eq(engine->executable->supersteps[0].exchange.bytes_copied, 4);
    float values[8], sums[8];
    for (size_t i = 0; i < 8; i++) values[i] = (float)i;
    ipu_engine_write_slice(engine, &(ipu_slice){0, 0, 8}, values);
    ipu_engine_write_slice(engine, &(ipu_slice){w, 0, 8}, values);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    ipu_engine_read_slice(engine, &(ipu_slice){out, 0, 8}, sums);
    const float expected[8] = {6, 13, 13, 14, 7, 11, 16, 22};
    cr_expect_arr_eq(sums, expected, sizeof expected);
}

/* Tile 0 reads an element that the list of tile 1 writes, with its value before the superstep. */
Test(lists, the_written_elements_of_a_list_are_recorded)
{
    uint32_t x, s;
    ipu_graph *g = inner_rows(&x, &s);
    const uint32_t w = add_variable(g, "w", 1, 0);
    add_copy(g, 0, &(ipu_slice){s, 8, 1}, 1, (ipu_slice){w, 0, 1});
    const ipu_superstep *step = &compiled(g)->supersteps[0];
    cr_expect(step->receive_all_first);
    cr_expect_eq(step->n_writes, 2);
    cr_expect_eq(step->writes[0], s);
    cr_expect_eq(step->writes[1], w);
}
