#include "ipu/library/reduce.h"

#include <math.h>

#include "ipu/machine/half.h"
#include "tests/ipu/small_graph.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(reduce, .fini = teardown);

static ipu_graph *graph;
static ipu_engine *engine;

/* Starts a graph with `tiles` tiles, distributed over `chips` chips. */
static void begin_with(size_t tiles, size_t chips, size_t fragment_cycles)
{
    ipu_target one = ring_target(tiles / chips);
    one.links = ring_links();
    one.exchange_fragment_cycles = fragment_cycles;
    ipu_target target = one;
    if (chips > 1) cr_assert_eq(ipu_target_several(&one, chips, &target), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_graph_new(&arena, &target, &graph), MT_OK);
}

static void begin(size_t tiles, size_t chips) { begin_with(tiles, chips, 160); }

/* Returns a variable of n floats in pieces of `piece`, on every third tile in turn. A tile may have no piece or several. */
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
    cr_assert_eq(ipu_graph_variable_tensor(graph, v, &whole), MT_OK);
    return whole;
}

static ipu_tensor element_on(uint32_t tile)
{
    ipu_tensor whole;
    cr_assert_eq(ipu_graph_variable_tensor(graph, add_variable(graph, "out", 1, tile), &whole), MT_OK);
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

/* Integers and powers of two, so that every order of the operations yields the same bits. */
Test(reduce, every_element_counts_once)
{
    static const size_t sizes[][4] = {/* tiles, chips, elements, elements of a piece */
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

/* 64 tiles of 600 elements: 100 for each of six workers, which take 17 + 50 cycles. With 160 cycles per fragment, three steps of four
 * tiles each are fastest: the first combines 4 x 6 partial results, the others 4. With 3 cycles per fragment it is fastest that each
 * tile combines its own six first, followed by two steps of eight tiles: 710 cycles, or 722 without combining first. */
Test(reduce, the_reduction_tree_with_the_fewest_cycles_is_chosen)
{
    static const uint64_t compute[][4] = {
        {6 * 11 + 6 * (17 + 50), 11 + 6 * (17 + 12), 11 + 6 * (17 + 2), 11 + 6 * (17 + 2)},
        {6 * 11 + 6 * (17 + 50), 11 + 6 * (17 + 3 + 2), 11 + 6 * (17 + 4), 11 + 6 * (17 + 4)}};
    for (size_t fast = 0; fast < 2; fast++) {
        const ipu_program *program;
        begin_with(64, 1, fast ? 3 : 160);
        const ipu_tensor in = scattered(64 * 600, 600), out = element_on(0);
        cr_assert_eq(ipu_reduce(graph, IPU_REDUCE_ADD, in, out, &program), MT_OK, "%s", mt_message());
        cr_assert_eq(program->kind, IPU_SEQUENCE);
        cr_assert_eq(program->n_children, 4);
        const ipu_timing *timing = timed(graph);
        for (size_t k = 0; k < 4; k++)
            cr_expect_eq(timing->supersteps[program->children[k]->compute_set].compute_cycles[0],
                compute[fast][k], "%zu", k);
        teardown();
    }
}

/* The mapping of rows and results to tiles. */
typedef enum layout {
    ON_ONE,     /* all on the last tile */
    ALIKE,      /* the columns of every row in equal parts on all tiles, if there are enough columns */
    ROWS_APART, /* one row per tile, in turn */
    SCATTERED,  /* pieces of 7 elements on every third tile in turn, crossing the ends of rows */
    LAYOUTS
} layout;

static void map(uint32_t v, size_t from, size_t n, size_t tile)
{
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, v, from, n, (uint32_t)tile), MT_OK);
}

static ipu_tensor rows_of(ipu_type type, size_t rows, size_t columns, layout how)
{
    const size_t n = rows * columns, tiles = graph->target.tiles;
    ipu_tensor whole;
    uint32_t v;
    cr_assert_eq(ipu_graph_add_variable(graph, "rows", type, n, &v), MT_OK);
    if (how == ON_ONE) map(v, 0, n, tiles - 1);
    for (size_t r = 0; r < rows && how == ROWS_APART; r++) map(v, r * columns, columns, r % tiles);
    for (size_t r = 0; r < rows && how == ALIKE; r++)
        for (size_t k = 0; k < tiles; k++) {
            const size_t from = columns * k / tiles, to = columns * (k + 1) / tiles;
            map(v, r * columns + from, to - from, k);
        }
    for (size_t at = 0; at < n && how == SCATTERED; at += 7)
        map(v, at, n - at < 7 ? n - at : 7, at / 7 * 3 % tiles);
    cr_assert_eq(ipu_graph_variable_tensor(graph, v, &whole), MT_OK);
    return whole;
}

static double value_of(ipu_type type, const void *values, size_t i)
{
    return type == IPU_FLOAT  ? (double)((const float *)values)[i]
           : type == IPU_HALF ? (double)ipu_half_value(((const uint16_t *)values)[i])
                              : (double)((const int32_t *)values)[i];
}

static void put(ipu_type type, void *values, size_t i, float x)
{
    if (type == IPU_FLOAT)
        ((float *)values)[i] = x;
    else if (type == IPU_HALF)
        ((uint16_t *)values)[i] = ipu_half_of(x);
    else
        ((int32_t *)values)[i] = (int32_t)x;
}

static double reduced(ipu_reduction r, double x, double y)
{
    const double values[] = {x + y, x * y, fmax(x, y), fmin(x, y)};
    return values[r];
}

static void run_all(const ipu_program *program, ipu_tensor in, const void *values, ipu_tensor out, void *got)
{
    ipu_executable *e;
    cr_assert_eq(ipu_compile(&arena, graph, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_executable_check(e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK);
    ipu_engine_write(engine, &in, values);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    ipu_engine_read(engine, &out, got);
}

/* Integers and powers of two, so that every order of the operations yields the same bits. */
static void expect_reduced(
    ipu_reduction r, const ipu_type *types, size_t rows, size_t columns, layout from, layout to)
{
    const ipu_tensor in = rows_of(types[0], rows, columns, from), out = rows_of(types[1], 1, columns, to);
    const ipu_program *program;
    uint32_t given[MOST], got[MOST], truth[MOST];
    for (size_t i = 0; i < in.n; i++) {
        const double odd = (double)(i / columns % 2 == 0 ? i % 4 : (i + 1) % 3);
        put(types[0], given, i,
            (float)(r == IPU_REDUCE_MULTIPLY
                        ? types[0] == IPU_INT ? (i % 5 == 0 ? -2 : 1) : exp2(i / columns % 4 < 2 ? odd : -odd)
                        : (double)(i * 7919 % 401) - 150));
    }
    for (size_t c = 0; c < columns; c++) {
        double x = value_of(types[0], given, c);
        for (size_t i = c + columns; i < in.n; i += columns) x = reduced(r, x, value_of(types[0], given, i));
        put(types[1], truth, c, (float)x);
    }
    cr_assert_eq(ipu_reduce(graph, r, in, out, &program), MT_OK, "%s", mt_message());
    run_all(program, in, given, out, got);
    for (size_t c = 0; c < columns; c++)
        cr_assert_eq(value_of(types[1], got, c), value_of(types[1], truth, c),
            "%zu x %zu, %d to %d, %s to %s, column %zu: %g, not %g", rows, columns, from, to,
            ipu_type_name(types[0]), ipu_type_name(types[1]), c, value_of(types[1], got, c),
            value_of(types[1], truth, c));
}

static const ipu_type types[][2] = {{IPU_FLOAT, IPU_FLOAT}, {IPU_HALF, IPU_FLOAT}, {IPU_FLOAT, IPU_HALF},
    {IPU_HALF, IPU_HALF}, {IPU_INT, IPU_INT}};
enum { TYPES = sizeof types / sizeof *types };

Test(reduce, every_row_counts_once_in_every_column)
{
    static const size_t sizes[][4] = {/* tiles, chips, rows, columns */
        {1, 1, 1, 1}, {1, 1, 9, 30}, {3, 1, 40, 1}, {3, 1, 1, 40}, {3, 1, 13, 11}, {16, 1, 12, 64},
        {16, 1, 30, 2}, {16, 2, 17, 23}, {16, 4, 33, 16}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int from = 0; from < LAYOUTS; from++)
            for (int to = 0; to < LAYOUTS; to++)
                for (int r = 0; r < IPU_REDUCTIONS; r++) {
                    begin(sizes[k][0], sizes[k][1]);
                    expect_reduced((ipu_reduction)r, types[(k + (size_t)r) % TYPES], sizes[k][2], sizes[k][3],
                        (layout)from, (layout)to);
                    teardown();
                }
}

Test(reduce, halves_are_reduced_as_floats_and_ints_as_ints)
{
    for (size_t t = 0; t < TYPES; t++)
        for (int r = 0; r < IPU_REDUCTIONS; r++)
            for (size_t columns = 1; columns <= 10; columns += 9) {
                begin(5, 1);
                expect_reduced((ipu_reduction)r, types[t], 60 / columns, columns, SCATTERED, ON_ONE);
                teardown();
            }
}

/* The largest half is 65504, with a significand of 11 bits: a sum of halves kept in half precision would not exceed 2048. Ints wrap
 * around. */
Test(reduce, partial_sums_do_not_overflow)
{
    for (size_t t = 0; t < TYPES; t++) {
        const ipu_program *program;
        uint32_t given[MOST], got;
        begin(5, 1);
        const ipu_tensor in = rows_of(types[t][0], MOST, 1, SCATTERED),
                         out = rows_of(types[t][1], 1, 1, ON_ONE);
        const bool ints = types[t][0] == IPU_INT, to_half = types[t][1] == IPU_HALF;
        for (size_t i = 0; i < MOST; i++) put(types[t][0], given, i, ints ? 5000000 : i < 20 ? 6000 : 3);
        cr_assert_eq(ipu_reduce(graph, IPU_REDUCE_ADD, in, out, &program), MT_OK, "%s", mt_message());
        run_all(program, in, given, out, &got);
        cr_expect_eq(value_of(types[t][1], &got, 0), ints      ? (double)(int32_t)(uint32_t)(MOST * 5000000LL)
                                                     : to_half ? 65504
                                                               : 20 * 6000 + (MOST - 20) * 3);
        teardown();
    }
}

/* Each row of a column passes through at most 60 additions. */
Test(reduce, sums_are_rounded_only_a_few_times)
{
    enum { ROWS = 100, COLUMNS = 10 };
    for (int from = 0; from < LAYOUTS; from++) {
        const ipu_program *program;
        float given[ROWS * COLUMNS], got[COLUMNS];
        begin(8, 1);
        const ipu_tensor in = rows_of(IPU_FLOAT, ROWS, COLUMNS, (layout)from),
                         out = rows_of(IPU_FLOAT, 1, COLUMNS, ALIKE);
        for (size_t i = 0; i < ROWS * COLUMNS; i++) given[i] = sinf((float)i) * (float)(i % 13);
        cr_assert_eq(ipu_reduce(graph, IPU_REDUCE_ADD, in, out, &program), MT_OK, "%s", mt_message());
        run_all(program, in, given, out, got);
        for (size_t c = 0; c < COLUMNS; c++) {
            double sum = 0, all = 0;
            for (size_t i = c; i < ROWS * COLUMNS; i += COLUMNS) {
                sum += (double)given[i];
                all += fabs((double)given[i]);
            }
            cr_expect_leq(fabs((double)got[c] - sum), 60 * 0x1p-24 * all, "%d, %zu", from, c);
        }
        teardown();
    }
}

static uint64_t compute_of(const ipu_program *program, size_t step, size_t tile)
{
    return timed(graph)->supersteps[program->children[step]->compute_set].compute_cycles[tile];
}

/* One tile of 606 elements: 101 for each of six workers, then their six partial results. */
Test(reduce, vertex_costs_match_the_vendor_estimates)
{
    static const struct {
        ipu_reduction reduction;
        uint64_t cycles[TYPES][2];
    } cases[] = {
        {IPU_REDUCE_ADD, {{17 + 50 + 1, 17 + 3 + 2}, {17 + 25 + 5, 17 + 3 + 2}, {17 + 50 + 1, 17 + 3 + 2 + 5},
                             {17 + 25 + 5, 17 + 3 + 2 + 5}, {17 + 101 + 5, 17 + 6 + 5}}},
        {IPU_REDUCE_MAXIMUM, {{17 + 50 + 1, 17 + 3}, {17 + 25 + 1, 17 + 3}, {17 + 50 + 1, 17 + 3 + 5},
                                 {17 + 25 + 1, 17 + 3 + 5}, {17 + 101 + 5, 17 + 6 + 5}}}};
    for (size_t k = 0; k < 2; k++)
        for (size_t t = 0; t < TYPES; t++) {
            const ipu_program *program;
            begin(1, 1);
            const ipu_tensor in = rows_of(types[t][0], 606, 1, ON_ONE),
                             out = rows_of(types[t][1], 1, 1, ON_ONE);
            cr_assert_eq(ipu_reduce(graph, cases[k].reduction, in, out, &program), MT_OK, "%s", mt_message());
            cr_assert_eq(program->n_children, 2);
            cr_expect_eq(compute_of(program, 0, 0), 6 * 11 + 6 * cases[k].cycles[t][0], "%zu %zu", k, t);
            cr_expect_eq(compute_of(program, 1, 0), 11 + 6 * cases[k].cycles[t][1], "%zu %zu", k, t);
            teardown();
        }
}

/* 606 rows in vectors of 4, 152 turns, then 3 additions and a store; ten rows of 24 columns in 6 vectors, each with a store. Ints have no
 * vectors, and their addition takes a quarter of a cycle. */
Test(reduce, vertices_of_single_instructions_take_the_sum_of_their_classes)
{
    static const struct {
        ipu_type type;
        size_t rows, columns;
        double cycles;
    } cases[] = {{IPU_FLOAT, 606, 1, 152 * 3 + 3 * 2 + 1},
        {IPU_INT, 606, 1, 758 + 1}, /* 606 * 1.25 = 757.5 */
        {IPU_FLOAT, 10, 24, 60 * 3 + 3}};
    const ipu_target target = single_target(1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const ipu_program *program;
        cr_assert_eq(ipu_graph_new(&arena, &target, &graph), MT_OK);
        const ipu_tensor in = rows_of(cases[k].type, cases[k].rows, cases[k].columns, ON_ONE),
                         out = rows_of(cases[k].type, 1, cases[k].columns, ON_ONE);
        cr_assert_eq(ipu_reduce(graph, IPU_REDUCE_ADD, in, out, &program), MT_OK, "%s", mt_message());
        cr_expect_eq(compute_of(program, 0, 0), 11 + (uint64_t)cases[k].cycles, "%zu: %zu", k,
            compute_of(program, 0, 0));
        teardown();
    }
}

/* Ten rows on one tile. 24 columns: four for each of six workers, floats in vectors of two, halves in vectors of four. 26 columns: five
 * workers have six floats, the last has two; or four workers have eight halves, in vectors of two only, since 26 is not a multiple of
 * four. 25 columns: no vectors. */
Test(reduce, costs_of_column_reductions_match_the_vendor_estimates)
{
    static const struct {
        ipu_type type;
        size_t columns;
        ipu_reduction reduction;
        uint64_t cycles;
    } cases[] = {{IPU_FLOAT, 24, IPU_REDUCE_ADD, 6 * 11 + 6 * (16 + 2 * (10 + 10))},
        {IPU_FLOAT, 24, IPU_REDUCE_MINIMUM, 6 * 11 + 6 * (16 + 2 * (9 + 10))},
        {IPU_HALF, 24, IPU_REDUCE_ADD, 6 * 11 + 6 * (16 + 12 + 10)},
        {IPU_HALF, 24, IPU_REDUCE_MULTIPLY, 6 * 11 + 6 * (16 + 13 + 10)},
        {IPU_FLOAT, 26, IPU_REDUCE_ADD, 5 * 11 + 6 * (16 + 3 * (10 + 10))},
        {IPU_HALF, 26, IPU_REDUCE_ADD, 4 * 11 + 6 * (16 + 4 * (12 + 10))},
        {IPU_FLOAT, 25, IPU_REDUCE_ADD, 5 * 11 + 6 * (16 + 6 * (10 + 10))},
        {IPU_INT, 24, IPU_REDUCE_ADD, 6 * 11 + 6 * (16 + 4 * (10 + 10))}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const ipu_program *program;
        begin(1, 1);
        const ipu_tensor in = rows_of(cases[k].type, 10, cases[k].columns, ON_ONE),
                         out = rows_of(
                             cases[k].type == IPU_INT ? IPU_INT : IPU_FLOAT, 1, cases[k].columns, ON_ONE);
        cr_assert_eq(ipu_reduce(graph, cases[k].reduction, in, out, &program), MT_OK, "%s", mt_message());
        cr_assert_eq(program->n_children, 1);
        cr_expect_eq(compute_of(program, 0, 0), cases[k].cycles, "%zu: %zu", k, compute_of(program, 0, 0));
        teardown();
    }
}

/* 16 tiles of 12 columns each. */
Test(reduce, columns_on_the_tile_of_their_result_take_one_step_and_no_exchange)
{
    const ipu_program *program;
    begin(16, 1);
    const ipu_tensor in = rows_of(IPU_FLOAT, 8, 192, ALIKE), out = rows_of(IPU_FLOAT, 1, 192, ALIKE);
    cr_assert_eq(ipu_reduce(graph, IPU_REDUCE_ADD, in, out, &program), MT_OK, "%s", mt_message());
    cr_assert_eq(program->n_children, 1);
    const ipu_superstep *step = &compiled(graph)->supersteps[program->children[0]->compute_set];
    cr_expect_eq(step->first_message[16], step->first_message[0]);
}

/* A row of 1,024 columns on each of 8 tiles: each tile reduces 128 columns and receives 7 x 128 words for this; then one tile receives
 * all sums. A single tile that reduced all columns would receive 7 x 1,024. */
Test(reduce, the_columns_of_distributed_rows_are_divided_among_the_tiles)
{
    const ipu_program *program;
    begin_with(8, 1, 2);
    const ipu_tensor in = rows_of(IPU_FLOAT, 8, 1024, ROWS_APART), out = rows_of(IPU_FLOAT, 1, 1024, ON_ONE);
    cr_assert_eq(ipu_reduce(graph, IPU_REDUCE_ADD, in, out, &program), MT_OK, "%s", mt_message());
    cr_assert_eq(program->n_children, 3);
    const ipu_executable *e = compiled(graph);
    for (size_t s = 1; s < 3; s++) {
        const ipu_superstep *step = &e->supersteps[program->children[s]->compute_set];
        for (size_t tile = 0; tile < 8; tile++) {
            size_t words = 0;
            for (size_t m = step->first_message[tile]; m < step->first_message[tile + 1]; m++)
                if (e->messages[m].source_tile != tile) words += e->messages[m].bytes / 4;
            cr_expect_eq(words, s == 1 ? 7 * 128 : tile == 7 ? 7 * 128 : 0, "%zu %zu: %zu", s, tile, words);
        }
    }
}

/* The result is on two tiles, divided at a column where no piece of the shared columns ends; also on two chips. */
Test(reduce, divided_columns_are_sent_to_the_tile_of_the_result)
{
    enum { COLUMNS = 1024 };
    for (size_t chips = 1; chips <= 2; chips++) {
        const ipu_program *program;
        float given[8 * COLUMNS], got[COLUMNS];
        ipu_tensor out;
        uint32_t v;
        begin_with(8, chips, 2);
        const ipu_tensor in = rows_of(IPU_FLOAT, 8, COLUMNS, ROWS_APART);
        cr_assert_eq(ipu_graph_add_variable(graph, "out", IPU_FLOAT, COLUMNS, &v), MT_OK);
        map(v, 0, 617, 5);
        map(v, 617, COLUMNS - 617, 2);
        cr_assert_eq(ipu_graph_variable_tensor(graph, v, &out), MT_OK);
        for (size_t i = 0; i < 8 * COLUMNS; i++) given[i] = (float)(i % 1021);
        cr_assert_eq(ipu_reduce(graph, IPU_REDUCE_MAXIMUM, in, out, &program), MT_OK, "%s", mt_message());
        cr_assert_eq(program->n_children, 3);
        run_all(program, in, given, out, got);
        for (size_t c = 0; c < COLUMNS; c++) {
            float most = 0;
            for (size_t r = 0; r < 8; r++) most = fmaxf(most, given[r * COLUMNS + c]);
            cr_assert_eq(got[c], most, "%zu", c);
        }
        teardown();
    }
}

/* Two rows from two variables on a tile, not adjacent in memory. */
Test(reduce, rows_can_belong_to_several_variables)
{
    enum { COLUMNS = 30 };
    const ipu_program *program;
    float given[2 * COLUMNS], got[COLUMNS];
    ipu_tensor in;
    begin(1, 1);
    const uint32_t first = add_variable(graph, "first", COLUMNS, 0),
                   second = add_variable(graph, "second", COLUMNS, 0);
    const ipu_slice rows[] = {{first, 0, COLUMNS}, {second, 0, COLUMNS}};
    cr_assert_eq(ipu_graph_add_tensor(graph, rows, 2, &in), MT_OK);
    const ipu_tensor out = rows_of(IPU_FLOAT, 1, COLUMNS, ON_ONE);
    for (size_t i = 0; i < 2 * COLUMNS; i++) given[i] = (float)i;
    cr_assert_eq(ipu_reduce(graph, IPU_REDUCE_ADD, in, out, &program), MT_OK, "%s", mt_message());
    run_all(program, in, given, out, got);
    for (size_t c = 0; c < COLUMNS; c++) cr_assert_eq(got[c], (float)(2 * c + COLUMNS), "%zu", c);
}

Test(reduce, invalid_reductions_are_rejected)
{
    const ipu_program *program;
    ipu_tensor none, three, i, nowhere;
    uint32_t v;
    begin(4, 1);
    const ipu_tensor in = scattered(10, 3), out = element_on(1);
    cr_assert_eq(ipu_graph_add_tensor(graph, NULL, 0, &none), MT_OK);
    cr_assert_eq(ipu_graph_slice(graph, in, 0, 3, &three), MT_OK);
    cr_expect_eq(ipu_reduce(graph, IPU_REDUCE_ADD, none, out, &program), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "reduce: add: from 0 elements to 1; allowed: to 1, or to the length of the rows");
    cr_expect_eq(ipu_reduce(graph, IPU_REDUCE_ADD, in, none, &program), MT_INPUT);
    cr_expect_eq(ipu_reduce(graph, IPU_REDUCE_MINIMUM, in, three, &program), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "reduce: minimum: from 10 elements to 3; allowed: to 1, or to the length of the rows");
    cr_assert_eq(ipu_graph_add_variable(graph, "i", IPU_INT, 4, &v), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(graph, v, &i), MT_OK);
    cr_expect_eq(ipu_reduce(graph, IPU_REDUCE_ADD, i, out, &program), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "reduce: add: from type int to float; allowed: float or half to float or half, int to int");
    cr_assert_eq(ipu_graph_add_variable(graph, "nowhere", IPU_FLOAT, 1, &v), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(graph, v, &nowhere), MT_OK);
    cr_expect_eq(ipu_reduce(graph, IPU_REDUCE_ADD, in, nowhere, &program), MT_INPUT);
    cr_expect_str_eq(mt_message(), "reduce: add: variable 'nowhere': element 0 is mapped to no tile");
}
