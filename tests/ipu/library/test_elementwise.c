#include "ipu/library/elementwise.h"

#include <math.h>

#include "ipu/machine/half.h"
#include "tests/ipu/small_graph.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(elementwise, .fini = teardown);

enum { N = 40, TILES = 3 };

static ipu_graph *graph;
static uint32_t set;

/* Returns a variable of N elements, in pieces of 7 on tiles in turn, starting with tile `first`. */
static ipu_tensor scattered(const char *name, ipu_type type, size_t first)
{
    ipu_tensor whole;
    uint32_t v;
    cr_assert_eq(ipu_graph_add_variable(graph, name, type, N, &v), MT_OK);
    for (size_t at = 0; at < N; at += 7)
        cr_assert_eq(ipu_graph_set_tile_mapping(
                         graph, v, at, N - at < 7 ? N - at : 7, (uint32_t)((at / 7 + first) % TILES)),
            MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(graph, v, &whole), MT_OK);
    return whole;
}

static void begin(void)
{
    const ipu_target target = ring_target(TILES);
    cr_assert_eq(ipu_graph_new(&arena, &target, &graph), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(graph, "set", &set), MT_OK);
}

static ipu_engine *compiled_engine(void)
{
    const ipu_program *program;
    ipu_executable *e;
    ipu_engine *engine;
    cr_assert_eq(ipu_program_execute(&arena, set, &program), MT_OK);
    cr_assert_eq(ipu_compile(&arena, graph, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK);
    return engine;
}

static double value_of(ipu_type type, const void *values, size_t i)
{
    return type == IPU_FLOAT ? (double)((const float *)values)[i]
                             : (double)ipu_half_value(((const uint16_t *)values)[i]);
}

static void put(ipu_type type, void *values, size_t i, float x)
{
    if (type == IPU_FLOAT)
        ((float *)values)[i] = x;
    else
        ((uint16_t *)values)[i] = ipu_half_of(x);
}

static double unary_of(ipu_unary f, double x)
{
    const double values[] = {exp(x), log(x), tanh(x), 1 / (1 + exp(-x)), sqrt(x), 1 / sqrt(x), 1 / x};
    return values[f];
}

static double binary_of(ipu_binary f, double x, double y)
{
    const double values[] = {x + y, x - y, x * y, x / y, fmax(x, y), fmin(x, y)};
    return values[f];
}

/* Operands and result are on different tiles. Tolerance: four roundings of single precision, or one of half precision, 2^-11. */
Test(elementwise, functions_compute_their_definitions_to_within_rounding)
{
    static const ipu_type types[] = {IPU_FLOAT, IPU_HALF};
    for (int f = 0; f < IPU_UNARY_FUNCTIONS + IPU_BINARY_FUNCTIONS; f++)
        for (int t = 0; t < 2; t++) {
            const ipu_type type = types[t];
            const bool is_unary = f < IPU_UNARY_FUNCTIONS;
            const ipu_binary b = (ipu_binary)(f - IPU_UNARY_FUNCTIONS);
            uint32_t room[3][N];
            begin();
            const ipu_tensor x = scattered("x", type, 0), y = scattered("y", type, 1),
                             out = scattered("out", type, 2);
            if (is_unary)
                cr_assert_eq(ipu_add_unary(graph, set, (ipu_unary)f, x, out), MT_OK, "%s", mt_message());
            else
                cr_assert_eq(ipu_add_binary(graph, set, b, x, y, out), MT_OK, "%s", mt_message());
            for (size_t i = 0; i < N; i++) {
                put(type, room[0], i, 0.3F + 0.1F * (float)i);
                put(type, room[1], i, 5 - 0.2F * (float)i - 0.05F);
            }
            ipu_engine *engine = compiled_engine();
            ipu_engine_write(engine, &x, room[0]);
            ipu_engine_write(engine, &y, room[1]);
            cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
            ipu_engine_read(engine, &out, room[2]);
            for (size_t i = 0; i < N; i++) {
                const double p = value_of(type, room[0], i), q = value_of(type, room[1], i);
                const double truth = is_unary ? unary_of((ipu_unary)f, p) : binary_of(b, p, q);
                const double allowed =
                    (type == IPU_FLOAT ? 4 * 0x1p-24 : 0x1p-11 + 4 * 0x1p-24) * fmax(fabs(truth), 0x1p-14);
                const double sum = is_unary ? 0 : 0x1p-24 * (fabs(p) + fabs(q)); /* operands may cancel */
                cr_assert_leq(
                    fabs(value_of(type, room[2], i) - truth), allowed + sum, "%d %d: %g %g", f, t, p, truth);
            }
        }
}

/* Makes three variables of 100 elements. */
static void on_tile_0(ipu_type type, ipu_tensor t[3])
{
    for (int v = 0; v < 3; v++) {
        uint32_t id;
        cr_assert_eq(ipu_graph_add_variable(graph, "v", type, 100, &id), MT_OK);
        cr_assert_eq(ipu_graph_set_tile_mapping(graph, id, 0, 100, 0), MT_OK);
        cr_assert_eq(ipu_graph_variable_tensor(graph, id, &t[v]), MT_OK);
    }
}

/* Adds the function f: a unary one, 100 + a binary one, or for 200 a scaled addition. */
static mt_status add_function(int f, const ipu_tensor t[3])
{
    static const float scale = 2;
    return f < 100   ? ipu_add_unary(graph, set, (ipu_unary)f, t[0], t[1])
           : f < 200 ? ipu_add_binary(graph, set, (ipu_binary)(f - 100), t[0], t[1], t[2])
                     : ipu_add_scaled_add(graph, set, &scale, t[0], t[1]);
}

/* 100 elements: 25 turns of floats, 13 of halves. A loop and the addresses take 0.75 with one input, 1 with two. */
Test(elementwise, vertices_of_single_instructions_take_the_sum_of_their_classes)
{
    static const struct {
        ipu_type type;
        int function;
        double turns, turn;
    } cases[] = {{IPU_FLOAT, IPU_EXP, 25, 1 + 0.75 + 7}, {IPU_HALF, IPU_EXP, 13, 1 + 0.75 + 7},
        {IPU_FLOAT, IPU_SIGMOID, 25, 1 + 0.75 + 7 + 2 + 3},
        {IPU_FLOAT, IPU_TANH, 25, 1 + 0.75 + 2 + (7 + 2) + 2 + 3},
        {IPU_FLOAT, 100 + IPU_ADD, 25, 1.5 + 1 + 2}, {IPU_HALF, 100 + IPU_DIVIDE, 13, 1.5 + 1 + 3},
        {IPU_FLOAT, 200, 25, 1.5 + 1 + 4}};
    const ipu_target target = single_target(TILES);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int f = cases[k].function;
        ipu_tensor t[3];
        cr_assert_eq(ipu_graph_new(&arena, &target, &graph), MT_OK);
        cr_assert_eq(ipu_graph_add_compute_set(graph, "set", &set), MT_OK);
        on_tile_0(cases[k].type, t);
        cr_assert_eq(add_function(f, t), MT_OK, "%s", mt_message());
        cr_expect_eq(timed(graph)->supersteps[set].compute_cycles[0],
            11 + (uint64_t)ceil(cases[k].turns * cases[k].turn), "%zu", k);
    }
}

/* 100 elements on one tile of six workers: 17 per worker, 9 vectors of 2 floats or 5 of 4 halves. */
Test(elementwise, vertex_costs_match_the_vendor_estimates)
{
    static const struct {
        ipu_type type;
        int function;
        uint64_t cycles;
    } cases[] = {{IPU_FLOAT, IPU_EXP, 20 + 6 * (33 + 9 * 6)}, {IPU_HALF, IPU_TANH, 20 + 6 * (17 + 5 * 4)},
        {IPU_HALF, IPU_SQRT, 20 + 6 * (17 + 5 * 23)}, {IPU_FLOAT, 100 + IPU_ADD, 11 + 6 * (29 + 9 * 3)},
        {IPU_HALF, 100 + IPU_DIVIDE, 11 + 6 * (26 + 5 * 21)},
        {IPU_FLOAT, 200, 57 + 6 * (15 + 6 + 8 * 3 + 3)}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ipu_tensor t[3];
        begin();
        on_tile_0(cases[k].type, t);
        cr_assert_eq(add_function(cases[k].function, t), MT_OK, "%s", mt_message());
        cr_expect_eq(timed(graph)->supersteps[set].compute_cycles[0], cases[k].cycles, "%zu", k);
    }
}

Test(elementwise, a_scaled_sum_is_added_in_place)
{
    static const float scale = -0.5F;
    float a[N], b[N];
    begin();
    const ipu_tensor x = scattered("x", IPU_FLOAT, 0), y = scattered("y", IPU_FLOAT, 1);
    cr_assert_eq(ipu_add_scaled_add(graph, set, &scale, x, y), MT_OK, "%s", mt_message());
    for (size_t i = 0; i < N; i++) a[i] = (float)i, b[i] = (float)(2 * i + 2);
    ipu_engine *engine = compiled_engine();
    ipu_engine_write(engine, &x, a);
    ipu_engine_write(engine, &y, b);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
    ipu_engine_read(engine, &x, a);
    for (size_t i = 0; i < N; i++) cr_assert_eq(a[i], -1);
}

/* 100 elements on six workers: 17 for each; a fill assigns 17 to four of them and 16 to two. */
Test(elementwise, costs_of_casts_and_fills_match_the_vendor_estimates)
{
    static const struct {
        ipu_type from, to;
        uint64_t cycles;
    } cases[] = {{IPU_FLOAT, IPU_HALF, 12 + 6 * (18 + 19 + 2 * 4 + 2 + 2)},
        {IPU_HALF, IPU_FLOAT, 12 + 6 * (18 + 19 + 8 + 1 + 2)}, {IPU_FLOAT, IPU_INT, 12 + 6 * (18 + 19 + 34)},
        {IPU_FLOAT, IPU_FLOAT, 6 * (23 + 8 + 1)}, {IPU_HALF, IPU_HALF, 6 * (26 + 4)}};
    static const uint32_t zero = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const ipu_type types[] = {cases[k].from, cases[k].to};
        ipu_tensor t[2];
        begin();
        for (int v = 0; v < 2; v++) {
            uint32_t id;
            cr_assert_eq(ipu_graph_add_variable(graph, "v", types[v], 100, &id), MT_OK);
            cr_assert_eq(ipu_graph_set_tile_mapping(graph, id, 0, 100, 0), MT_OK);
            cr_assert_eq(ipu_graph_variable_tensor(graph, id, &t[v]), MT_OK);
        }
        cr_assert_eq(types[0] == types[1] ? ipu_add_fill(graph, set, &zero, t[1])
                                          : ipu_add_cast(graph, set, t[0], t[1]),
            MT_OK, "%s", mt_message());
        cr_expect_eq(timed(graph)->supersteps[set].compute_cycles[0], cases[k].cycles, "%zu", k);
    }
}

Test(elementwise, casts_round_and_fills_reach_every_element)
{
    static const float given[] = {0, 1.5F, -1.5F, 2049, 3e9F, -3e9F, NAN, 1 + 0x1p-11F};
    static const int32_t cut[] = {0, 1, -1, 2049, INT32_MAX, INT32_MIN, 0, 1};
    static const float halved[] = {0, 1.5F, -1.5F, 2048, 65504, -65504, NAN, 1};
    static const int32_t seven = 7;
    float x[N], back[N];
    int32_t whole[N], filled[N];
    begin();
    const ipu_tensor f = scattered("f", IPU_FLOAT, 0), h = scattered("h", IPU_HALF, 1),
                     i = scattered("i", IPU_INT, 2), again = scattered("again", IPU_FLOAT, 0),
                     of_int = scattered("of int", IPU_FLOAT, 1), sevens = scattered("sevens", IPU_INT, 1);
    const ipu_program *steps[2], *program;
    uint32_t second;
    cr_assert_eq(ipu_add_cast(graph, set, f, h), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_add_cast(graph, set, f, i), MT_OK);
    cr_assert_eq(ipu_add_fill(graph, set, &seven, sevens), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(graph, "second", &second), MT_OK);
    cr_assert_eq(ipu_add_cast(graph, second, h, again), MT_OK);
    cr_assert_eq(ipu_add_cast(graph, second, i, of_int), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, set, &steps[0]), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, second, &steps[1]), MT_OK);
    cr_assert_eq(ipu_program_sequence(&arena, steps, 2, &program), MT_OK);
    ipu_executable *e;
    ipu_engine *engine;
    cr_assert_eq(ipu_compile(&arena, graph, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK);
    for (size_t k = 0; k < N; k++) x[k] = given[k % 8];
    ipu_engine_write(engine, &f, x);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    ipu_engine_read(engine, &again, back);
    ipu_engine_read(engine, &i, whole);
    ipu_engine_read(engine, &of_int, x);
    ipu_engine_read(engine, &sevens, filled);
    for (size_t k = 0; k < N; k++) {
        cr_expect_eq(whole[k], cut[k % 8], "%zu: %d", k, whole[k]);
        cr_expect(back[k] == halved[k % 8] || (isnan(back[k]) && isnan(halved[k % 8])), "%zu: %g", k,
            (double)back[k]);
        cr_expect_eq(x[k], (float)cut[k % 8]);
        cr_expect_eq(filled[k], 7);
    }
}

/* Pieces of a constant are on other tiles than its readers. A second engine also has its values. */
Test(elementwise, constants_are_initialised_in_every_engine)
{
    float factors[N], x[N];
    uint32_t v;
    begin();
    for (size_t i = 0; i < N; i++) factors[i] = (float)(i + 1), x[i] = 2;
    cr_assert_eq(ipu_graph_add_constant(graph, "factors", IPU_FLOAT, N, factors, &v), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, v, 0, 13, 1), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, v, 13, N - 13, 0), MT_OK);
    ipu_tensor whole;
    cr_assert_eq(ipu_graph_variable_tensor(graph, v, &whole), MT_OK);
    const ipu_tensor given = scattered("x", IPU_FLOAT, 0);
    cr_assert_eq(ipu_add_binary(graph, set, IPU_MULTIPLY, given, whole, given), MT_OK, "%s", mt_message());
    ipu_engine *first = compiled_engine(), *second;
    cr_assert_eq(ipu_engine_new(&arena, first->executable, true, &second), MT_OK);
    ipu_engine *const both[] = {first, second};
    for (size_t k = 0; k < 2; k++) {
        float got[N];
        ipu_engine_write(both[k], &given, x);
        cr_assert_eq(ipu_engine_run(both[k], 0), MT_OK, "%s", mt_message());
        ipu_engine_read(both[k], &given, got);
        for (size_t i = 0; i < N; i++) cr_assert_eq(got[i], 2 * factors[i], "%zu", i);
    }
}

Test(elementwise, mismatching_operands_are_rejected)
{
    static const float scale = 1;
    ipu_tensor part;
    begin();
    const ipu_tensor x = scattered("x", IPU_FLOAT, 0), h = scattered("h", IPU_HALF, 0),
                     i = scattered("i", IPU_INT, 0);
    cr_assert_eq(ipu_graph_slice(graph, x, 0, 3, &part), MT_OK);
    cr_expect_eq(ipu_add_unary(graph, set, IPU_EXP, part, x), MT_INPUT);
    cr_expect_str_eq(mt_message(), "exp: 'in' has 3 elements of type float; allowed: 40 of type float");
    cr_expect_eq(ipu_add_binary(graph, set, IPU_ADD, x, h, x), MT_INPUT);
    cr_expect_eq(ipu_add_unary(graph, set, IPU_LN, i, i), MT_INPUT);
    cr_expect_str_eq(mt_message(), "ln: of type int; allowed: float or half");
    cr_expect_eq(ipu_add_scaled_add(graph, set, &scale, h, h), MT_INPUT);
    cr_expect_str_eq(mt_message(), "scaled add: of type half; allowed: float");
    cr_expect_eq(ipu_add_cast(graph, set, h, i), MT_INPUT);
    cr_expect_str_eq(mt_message(), "cast: half to int; allowed: float to half or int, half or int to float");
    cr_expect_eq(ipu_add_fill(graph, set, &scale, scattered("b", IPU_BOOL, 0)), MT_INPUT);
    cr_expect_str_eq(mt_message(), "fill: of type bool; allowed: float, half, int or unsigned int");
    uint32_t nowhere;
    ipu_tensor out;
    cr_assert_eq(ipu_graph_add_variable(graph, "nowhere", IPU_FLOAT, N, &nowhere), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(graph, nowhere, &out), MT_OK);
    cr_expect_eq(ipu_add_unary(graph, set, IPU_EXP, x, out), MT_INPUT);
    cr_expect_str_eq(mt_message(), "exp: variable 'nowhere': element 0 is mapped to no tile");
}
