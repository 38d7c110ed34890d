#include "ipu/library/slice.h"

#include "ipu/compile/liveness.h"
#include "ipu/library/loop.h"
#include "tests/ipu/small_graph.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(slice, .fini = teardown);

enum { TILES = 4, WIDTH = 11, ROWS = 5, MOST = ROWS * WIDTH };

static ipu_graph *graph;
static uint32_t set;

static void begin(void)
{
    const ipu_target target = ring_target(TILES);
    cr_assert_eq(ipu_graph_new(&arena, &target, &graph), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(graph, "set", &set), MT_OK);
}

/* The mapping of the rows of a tensor to tiles. */
typedef enum layout {
    ALIKE,      /* columns 0 to 3, 4 to 8 and 9 to 10 of every row on tiles 0, 1 and 2 */
    ONE_TILE,   /* all on tile 3 */
    ROWS_APART, /* one row per tile, in turn */
    STAIRS,     /* columns 0 to 2 r + 1 of row r on tile 1, the others on tile 0 */
    SCATTERED,  /* pieces of 7 elements on tiles in turn, crossing the ends of rows */
    LAYOUTS
} layout;

static void map(uint32_t v, size_t from, size_t n, uint32_t tile)
{
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, v, from, n, tile), MT_OK);
}

static ipu_tensor rows_of(const char *name, ipu_type type, size_t rows, layout how)
{
    const size_t n = rows * WIDTH;
    ipu_tensor whole;
    uint32_t v;
    cr_assert_eq(ipu_graph_add_variable(graph, name, type, n, &v), MT_OK);
    if (how == ONE_TILE) map(v, 0, n, 3);
    for (size_t r = 0; r < rows; r++) {
        if (how == ROWS_APART) map(v, r * WIDTH, WIDTH, (uint32_t)(r % TILES));
        if (how == STAIRS) map(v, r * WIDTH, 2 * r + 2, 1);
        if (how == STAIRS) map(v, r * WIDTH + 2 * r + 2, WIDTH - 2 * r - 2, 0);
        if (how != ALIKE) continue;
        map(v, r * WIDTH, 4, 0);
        map(v, r * WIDTH + 9, 2, 2);
        map(v, r * WIDTH + 4, 5, 1);
    }
    for (size_t at = 0; how == SCATTERED && at < n; at += 7)
        map(v, at, n - at < 7 ? n - at : 7, (uint32_t)(at / 7 % TILES));
    cr_assert_eq(ipu_graph_variable_tensor(graph, v, &whole), MT_OK);
    return whole;
}

static ipu_tensor index_on(uint32_t tile)
{
    ipu_tensor whole;
    uint32_t v;
    cr_assert_eq(ipu_graph_add_variable(graph, "index", IPU_UNSIGNED_INT, 1, &v), MT_OK);
    map(v, 0, 1, tile);
    cr_assert_eq(ipu_graph_variable_tensor(graph, v, &whole), MT_OK);
    return whole;
}

static ipu_engine *engine_of(const ipu_program *program)
{
    ipu_executable *e;
    ipu_engine *engine;
    cr_assert_eq(ipu_compile(&arena, graph, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK);
    return engine;
}

static ipu_engine *compiled_engine(void)
{
    const ipu_program *program;
    cr_assert_eq(ipu_program_execute(&arena, set, &program), MT_OK);
    return engine_of(program);
}

/* Fills in bytes such that all elements differ, as far as their type allows, and no element has all bits 1. */
static void number(unsigned char *bytes, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)((i * 37 + seed) % 251);
}

static const ipu_type types[] = {
    IPU_FLOAT, IPU_UNSIGNED_SHORT, IPU_UNSIGNED_INT, IPU_HALF, IPU_INT, IPU_BOOL};

/* Tests every index, including ones that run past the last row or are out of range. */
static void expect_rows(ipu_engine *engine, bool update, ipu_tensor all, ipu_tensor some, ipu_tensor index)
{
    static const uint32_t indices[] = {0, 1, 2, 3, 4, ROWS, ROWS + 1, 1U << 31, UINT32_MAX - 1};
    const size_t bytes = ipu_type_bytes(all.type), row = WIDTH * bytes;
    const ipu_tensor *in = update ? &some : &all, *out = update ? &all : &some;
    for (size_t k = 0; k < sizeof indices / sizeof *indices; k++) {
        unsigned char source[MOST * 4], truth[MOST * 4], got[MOST * 4];
        number(source, in->n * bytes, (unsigned)k);
        number(truth, out->n * bytes, (unsigned)k + 99);
        ipu_engine_write(engine, in, source);
        ipu_engine_write(engine, out, truth);
        ipu_engine_write(engine, &index, &indices[k]);
        cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
        ipu_engine_read(engine, out, got);
        for (size_t r = 0; r < some.n / WIDTH && indices[k] < ROWS; r++) {
            const size_t there = (indices[k] + r) % ROWS;
            memcpy(truth + (update ? there : r) * row, source + (update ? r : there) * row, row);
        }
        cr_assert_eq(memcmp(got, truth, out->n * bytes), 0, "index %u", indices[k]);
    }
}

Test(slice, a_dynamic_slice_copies_the_rows_starting_at_an_index)
{
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t count = 1; count <= ROWS; count += 2)
            for (int from = 0; from < LAYOUTS; from++)
                for (int to = 0; to < LAYOUTS; to++) {
                    begin();
                    const ipu_tensor in = rows_of("in", types[t], ROWS, (layout)from), index = index_on(1),
                                     out = rows_of("out", types[t], count, (layout)to);
                    cr_assert_eq(
                        ipu_add_dynamic_slice(graph, set, in, ROWS, index, out), MT_OK, "%s", mt_message());
                    expect_rows(compiled_engine(), false, in, out, index);
                    teardown();
                }
}

Test(slice, a_dynamic_update_changes_only_the_rows_starting_at_an_index)
{
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t count = 1; count <= ROWS; count += 2)
            for (int from = 0; from < LAYOUTS; from++)
                for (int to = ALIKE; to <= ONE_TILE; to++) {
                    begin();
                    const ipu_tensor in = rows_of("in", types[t], count, (layout)from), index = index_on(1),
                                     out = rows_of("out", types[t], ROWS, (layout)to);
                    cr_assert_eq(
                        ipu_add_dynamic_update(graph, set, in, index, out, ROWS), MT_OK, "%s", mt_message());
                    expect_rows(compiled_engine(), true, out, in, index);
                    teardown();
                }
}

/* Tensors that are views: every second row of a variable; the halves of a row are in two variables. */
Test(slice, tensors_can_be_views_of_several_variables)
{
    begin();
    ipu_slice parts[2 * ROWS];
    uint32_t v[2];
    for (uint32_t k = 0; k < 2; k++) {
        cr_assert_eq(ipu_graph_add_variable(graph, "half", IPU_INT, 2 * MOST, &v[k]), MT_OK);
        map(v[k], 0, 2 * MOST, k);
    }
    for (size_t r = 0; r < ROWS; r++) {
        parts[2 * r] = (ipu_slice){v[0], 2 * r * WIDTH, 3};
        parts[2 * r + 1] = (ipu_slice){v[1], 2 * r * WIDTH + 3, WIDTH - 3};
    }
    ipu_tensor in;
    cr_assert_eq(ipu_graph_add_tensor(graph, parts, 2 * ROWS, &in), MT_OK);
    const ipu_tensor index = index_on(3), out = rows_of("out", IPU_INT, 2, ALIKE);
    cr_assert_eq(ipu_add_dynamic_slice(graph, set, in, ROWS, index, out), MT_OK, "%s", mt_message());
    expect_rows(compiled_engine(), false, in, out, index);
    cr_expect_eq(ipu_add_dynamic_update(graph, set, out, index, in, ROWS), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "dynamic update: for columns 0 to 2 tile 0 has 1 consecutive rows; allowed: all 5");
}

/* The view begins in the middle of a mapping. */
Test(slice, rows_of_a_view_can_be_contiguous)
{
    begin();
    ipu_slice parts[ROWS];
    ipu_tensor out;
    uint32_t v;
    cr_assert_eq(ipu_graph_add_variable(graph, "v", IPU_INT, MOST + 7, &v), MT_OK);
    map(v, 0, MOST + 7, 2);
    for (size_t r = 0; r < ROWS; r++) parts[r] = (ipu_slice){v, 7 + r * WIDTH, WIDTH};
    cr_assert_eq(ipu_graph_add_tensor(graph, parts, ROWS, &out), MT_OK);
    const ipu_tensor index = index_on(3), in = rows_of("in", IPU_INT, 2, ALIKE);
    cr_assert_eq(ipu_add_dynamic_update(graph, set, in, index, out, ROWS), MT_OK, "%s", mt_message());
    cr_expect_eq(graph->n_vertices, 1);
    expect_rows(compiled_engine(), true, out, in, index);
}

/* An update may write nothing, so the earlier content must remain. */
Test(slice, the_target_of_a_slice_is_live_before_the_write)
{
    begin();
    const ipu_tensor in = rows_of("in", IPU_FLOAT, ROWS, ALIKE), out = rows_of("out", IPU_FLOAT, 1, ALIKE);
    const uint32_t variable = graph->slices[out.first_slice].variable;
    const ipu_program *program;
    ipu_liveness liveness;
    cr_assert_eq(ipu_graph_set_temporary(graph, variable), MT_OK);
    cr_assert_eq(ipu_add_dynamic_slice(graph, set, in, ROWS, index_on(0), out), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, set, &program), MT_OK);
    cr_assert_eq(ipu_liveness_find(&arena, graph, &program, 1, &liveness), MT_OK);
    cr_expect(liveness.variable[variable].always);
}

/* Adds a slice or an update of some rows of 100 columns on tile 0. */
static void add_copy_of_rows(ipu_type type, size_t rows, bool update)
{
    const size_t n[] = {ROWS * 100, rows * 100};
    ipu_tensor tensors[2];
    for (int k = 0; k < 2; k++) {
        uint32_t v;
        cr_assert_eq(ipu_graph_add_variable(graph, "v", type, n[k], &v), MT_OK);
        map(v, 0, n[k], 0);
        cr_assert_eq(ipu_graph_variable_tensor(graph, v, &tensors[k]), MT_OK);
    }
    const ipu_tensor index = index_on(0);
    cr_assert_eq(update ? ipu_add_dynamic_update(graph, set, tensors[1], index, tensors[0], ROWS)
                        : ipu_add_dynamic_slice(graph, set, tensors[0], ROWS, index, tensors[1]),
        MT_OK, "%s", mt_message());
}

/* Three rows of 100 columns: 25 turns of words, 13 of halves, or 100 of bytes each, with 1 cycle for load and store and 0.75 for addresses
 * and the loop; rounded up. */
Test(slice, vertices_of_single_instructions_take_the_sum_of_their_classes)
{
    static const uint64_t cycles[] = {
        [IPU_FLOAT] = 132, [IPU_HALF] = 69, [IPU_BOOL] = 525, [IPU_UNSIGNED_INT] = 132};
    static const ipu_type some[] = {IPU_FLOAT, IPU_HALF, IPU_BOOL, IPU_UNSIGNED_INT};
    for (int k = 0; k < 8; k++) {
        begin();
        graph->target = single_target(graph->target.tiles);
        add_copy_of_rows(some[k / 2], 3, k % 2);
        cr_expect_eq(timed(graph)->supersteps[set].compute_cycles[0], 11 + cycles[some[k / 2]], "%d", k);
        teardown();
    }
}

/* 100 columns of one tile of six workers: 17 per worker, 8 vectors of two words, 4 of four halves or bytes. */
Test(slice, vertex_costs_match_the_vendor_estimates)
{
    static const uint64_t cycles[][2] = {/* one row, three rows */
        [IPU_FLOAT] = {25 + 6 * (39 + 24 + 16), 25 + 6 * (39 + 3 * (24 + 16))},
        [IPU_INT] = {25 + 6 * (39 + 24 + 16), 25 + 6 * (39 + 3 * (24 + 16))},
        [IPU_UNSIGNED_INT] = {25 + 6 * (39 + 24 + 16), 25 + 6 * (39 + 3 * (24 + 16))},
        [IPU_HALF] = {25 + 6 * (39 + 24 + 8), 25 + 6 * (39 + 3 * (24 + 8))},
        [IPU_UNSIGNED_SHORT] = {25 + 6 * (39 + 24 + 8), 25 + 6 * (39 + 3 * (24 + 8))},
        [IPU_BOOL] = {25 + 6 * (76 + 72 + 8), 25 + 6 * (76 + 3 * (72 + 8))}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int three = 0; three < 2; three++)
            for (int update = 0; update < 2; update++) {
                begin();
                add_copy_of_rows(types[t], three ? 3 : 1, update);
                cr_expect_eq(timed(graph)->supersteps[set].compute_cycles[0], cycles[types[t]][three],
                    "%s %d", ipu_type_name(types[t]), three);
                teardown();
            }
}

/* Three tiles have columns; two of them receive the index, one word each. The ends of rows cut the five scattered pieces in two places. */
Test(slice, equally_mapped_rows_take_one_vertex_per_tile_and_exchange_only_the_index)
{
    begin();
    const ipu_tensor in = rows_of("in", IPU_FLOAT, ROWS, ALIKE), index = index_on(1),
                     out = rows_of("out", IPU_FLOAT, 3, ALIKE),
                     scattered = rows_of("scattered", IPU_FLOAT, 3, SCATTERED);
    uint32_t sets[2];
    for (size_t k = 0; k < 2; k++) cr_assert_eq(ipu_graph_add_compute_set(graph, "more", &sets[k]), MT_OK);
    cr_assert_eq(ipu_add_dynamic_slice(graph, set, in, ROWS, index, out), MT_OK);
    cr_expect_eq(graph->n_vertices, 3);
    cr_assert_eq(ipu_add_dynamic_update(graph, sets[0], out, index, in, ROWS), MT_OK);
    cr_expect_eq(graph->n_vertices, 6);
    const ipu_executable *e = compiled(graph);
    for (uint32_t s = 0; s < 2; s++) {
        const ipu_superstep *step = &e->supersteps[s];
        cr_expect_eq(step->first_message[TILES] - step->first_message[0], 2);
        for (size_t m = step->first_message[0]; m < step->first_message[TILES]; m++)
            cr_expect_eq(e->messages[m].bytes, 4);
    }
    cr_assert_eq(ipu_add_dynamic_slice(graph, sets[1], in, ROWS, index, scattered), MT_OK);
    cr_expect_eq(graph->n_vertices, 6 + 7);
}

/* history[turn] = x, while x takes the rows of another tensor in turn. */
Test(slice, a_loop_can_iterate_over_rows)
{
    begin();
    uint32_t second;
    cr_assert_eq(ipu_graph_add_compute_set(graph, "second", &second), MT_OK);
    const ipu_tensor in = rows_of("in", IPU_FLOAT, ROWS, SCATTERED), turn = index_on(2),
                     x = rows_of("x", IPU_FLOAT, 1, ROWS_APART),
                     history = rows_of("history", IPU_FLOAT, ROWS, ALIKE);
    const ipu_program *steps[2], *body, *program;
    float given[MOST], got[MOST];
    cr_assert_eq(ipu_add_dynamic_slice(graph, set, in, ROWS, turn, x), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_add_dynamic_update(graph, second, x, turn, history, ROWS), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_program_execute(&arena, set, &steps[0]), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, second, &steps[1]), MT_OK);
    cr_assert_eq(ipu_program_sequence(&arena, steps, 2, &body), MT_OK);
    cr_assert_eq(ipu_counted_loop(graph, ROWS, turn, body, &program), MT_OK);
    ipu_engine *engine = engine_of(program);
    for (size_t i = 0; i < MOST; i++) given[i] = (float)i + 0.5F;
    ipu_engine_write(engine, &in, given);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    ipu_engine_read(engine, &history, got);
    cr_expect_eq(memcmp(got, given, sizeof given), 0);
}

Test(slice, invalid_rows_are_rejected)
{
    begin();
    const ipu_tensor in = rows_of("in", IPU_FLOAT, ROWS, ALIKE), index = index_on(1),
                     row = rows_of("row", IPU_FLOAT, 1, ALIKE), ints = rows_of("ints", IPU_INT, 1, ALIKE),
                     more = rows_of("more", IPU_FLOAT, ROWS + 1, ALIKE),
                     apart = rows_of("apart", IPU_FLOAT, ROWS, ROWS_APART);
    ipu_tensor part, none, nowhere;
    uint32_t v;
    cr_assert_eq(ipu_graph_slice(graph, in, 0, WIDTH + 1, &part), MT_OK);
    cr_assert_eq(ipu_graph_slice(graph, in, 0, 0, &none), MT_OK);
    cr_expect_eq(ipu_add_dynamic_slice(graph, set, in, ROWS, row, row), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "dynamic slice: an index of 11 elements of type float; allowed: 1 of type unsigned int");
    cr_expect_eq(ipu_add_dynamic_slice(graph, set, in, 4, index, row), MT_INPUT);
    cr_expect_str_eq(mt_message(), "dynamic slice: 55 elements in 4 rows; allowed: rows of equal length");
    cr_expect_eq(ipu_add_dynamic_slice(graph, set, in, 0, index, row), MT_INPUT);
    cr_expect_eq(ipu_add_dynamic_slice(graph, set, none, ROWS, index, row), MT_INPUT);
    cr_expect_eq(ipu_add_dynamic_slice(graph, set, in, ROWS, index, part), MT_INPUT);
    cr_expect_str_eq(mt_message(), "dynamic slice: 12 elements of type float for rows of 11 of type float; "
                                   "allowed: 1 to 5 of these rows");
    cr_expect_eq(ipu_add_dynamic_slice(graph, set, in, ROWS, index, none), MT_INPUT);
    cr_expect_eq(ipu_add_dynamic_slice(graph, set, in, ROWS, index, more), MT_INPUT);
    cr_expect_eq(ipu_add_dynamic_update(graph, set, ints, index, in, ROWS), MT_INPUT);
    cr_expect_str_eq(mt_message(), "dynamic update: 11 elements of type int for rows of 11 of type float; "
                                   "allowed: 1 to 5 of these rows");
    cr_expect_eq(ipu_add_dynamic_update(graph, set, row, index, apart, ROWS), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "dynamic update: for columns 0 to 10 tile 0 has 1 consecutive rows; allowed: all 5");
    cr_assert_eq(ipu_graph_add_variable(graph, "nowhere", IPU_FLOAT, WIDTH, &v), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(graph, v, &nowhere), MT_OK);
    cr_expect_eq(ipu_add_dynamic_slice(graph, set, in, ROWS, index, nowhere), MT_INPUT);
    cr_expect_str_eq(mt_message(), "dynamic slice: variable 'nowhere': element 0 is mapped to no tile");
}

/* The result of moving rows within one tensor would depend on the order of the moves. */
Test(slice, overlapping_tensors_are_rejected)
{
    begin();
    const ipu_tensor index = index_on(3), in = rows_of("in", IPU_FLOAT, ROWS, ALIKE);
    const uint32_t v = graph->slices[in.first_slice].variable;
    ipu_tensor last, crossed, first, others;
    cr_assert_eq(ipu_graph_slice(graph, in, MOST - WIDTH, WIDTH, &last), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(graph, (ipu_slice[]){{v, 30, 10}, {v, 3, 1}}, 2, &crossed), MT_OK);
    cr_expect_eq(ipu_add_dynamic_slice(graph, set, in, ROWS, index, last), MT_INPUT);
    cr_expect_str_eq(mt_message(), "dynamic slice: the tensors share an element; allowed: disjoint tensors");
    cr_expect_eq(ipu_add_dynamic_update(graph, set, crossed, index, in, ROWS), MT_INPUT);
    cr_expect_str_eq(mt_message(), "dynamic update: the tensors share an element; allowed: disjoint tensors");
    cr_assert_eq(ipu_graph_slice(graph, in, 0, WIDTH, &first), MT_OK);
    cr_assert_eq(ipu_graph_slice(graph, in, WIDTH, MOST - WIDTH, &others), MT_OK);
    cr_expect_eq(
        ipu_add_dynamic_slice(graph, set, others, ROWS - 1, index, first), MT_OK, "%s", mt_message());
}
