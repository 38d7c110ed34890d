#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "ipu/run/profile.h"
#include "tests/ipu/test_ring.h"

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(program, .fini = teardown);

/* ---- Jacobi iteration on a ring: tile t solves 4 x[t] - x[t - 1] - x[t + 1] = b[t] ---- */

enum { TILES = 5, DECIDER = 2 };
static const float enough = 1e-4F;

static void step_compute(const ipu_span *f, const void *context)
{
    (void)context;
    const float *b = f[0].data, *x = f[1].data, *left = f[2].data, *right = f[3].data;
    float *y = f[4].data, *change = f[5].data;
    *y = (*b + *left + *right) / 4;
    *change = fabsf(*y - *x);
}

/* Continues if any element changed by more than `enough`. */
static void decide_compute(const ipu_span *f, const void *context)
{
    (void)context;
    const float *change = f[0].data;
    uint32_t *go = f[1].data;
    *go = 0;
    for (size_t t = 0; t < f[0].n; t++)
        if (change[t] > enough) *go = 1000;
}

/* Entry of 11 and one cycle per worker: 17. */
static ipu_cycles cost_17(const ipu_target *target, const size_t *n, const void *context)
{
    (void)target, (void)n, (void)context;
    return (ipu_cycles){.entry = 11, .worker = 1};
}

static const ipu_field step_fields[] = {{"b", IPU_INPUT, IPU_FLOAT}, {"x", IPU_INPUT, IPU_FLOAT},
    {"left", IPU_INPUT, IPU_FLOAT}, {"right", IPU_INPUT, IPU_FLOAT}, {"y", IPU_OUTPUT, IPU_FLOAT},
    {"change", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_codelet step_codelet = {
    .name = "step", .n_fields = 6, .fields = step_fields, .compute = step_compute, .cost = cost_17};
static const ipu_field decide_fields[] = {
    {"change", IPU_INPUT, IPU_FLOAT}, {"go", IPU_OUTPUT, IPU_UNSIGNED_INT}};
static const ipu_codelet decide_codelet = {
    .name = "decide", .n_fields = 2, .fields = decide_fields, .compute = decide_compute, .cost = cost_17};
static const ipu_codelet back_codelet = {
    .name = "back", .n_fields = 2, .fields = ring_joined_fields, .compute = ring_copy, .cost = cost_17};

typedef struct jacobi {
    ipu_graph *graph;
    uint32_t step, decide, back;
    uint32_t b, x, y, change, go;
    ipu_tensor all_b, all_x, all_change, predicate;
    const ipu_program *body, *condition;
} jacobi;

static uint32_t add_ring(ipu_graph *g, const char *name, ipu_tensor *all)
{
    uint32_t id;
    cr_assert_eq(ipu_graph_add_variable(g, name, IPU_FLOAT, TILES, &id), MT_OK);
    for (uint32_t t = 0; t < TILES; t++) cr_assert_eq(ipu_graph_set_tile_mapping(g, id, t, 1, t), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, id, all), MT_OK);
    return id;
}

static void connect(ipu_graph *g, size_t vertex, const char *field, ipu_tensor tensor)
{
    cr_assert_eq(ipu_graph_connect(g, vertex, field, tensor), MT_OK, "%s", mt_message());
}

static void connect_one(ipu_graph *g, size_t vertex, const char *field, uint32_t variable, size_t element)
{
    ipu_tensor one;
    cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){variable, element, 1}, 1, &one), MT_OK);
    connect(g, vertex, field, one);
}

static void add_vertices(jacobi *j, uint32_t t)
{
    ipu_graph *g = j->graph;
    size_t vertex;
    cr_assert_eq(ipu_graph_add_vertex(g, j->step, &step_codelet, t, NULL, &vertex), MT_OK);
    connect_one(g, vertex, "b", j->b, t);
    connect_one(g, vertex, "x", j->x, t);
    connect_one(g, vertex, "left", j->x, (t + TILES - 1) % TILES);
    connect_one(g, vertex, "right", j->x, (t + 1) % TILES);
    connect_one(g, vertex, "y", j->y, t);
    connect_one(g, vertex, "change", j->change, t);
    cr_assert_eq(ipu_graph_add_vertex(g, j->back, &back_codelet, t, NULL, &vertex), MT_OK);
    connect_one(g, vertex, "in", j->y, t);
    connect_one(g, vertex, "out", j->x, t);
}

static uint32_t add_flag(ipu_graph *g, const char *name, uint32_t tile, ipu_tensor *flag)
{
    uint32_t id;
    cr_assert_eq(ipu_graph_add_variable(g, name, IPU_UNSIGNED_INT, 1, &id), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(g, id, 0, 1, tile), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, id, flag), MT_OK);
    return id;
}

static jacobi make_jacobi(void)
{
    jacobi j;
    ipu_tensor all_y;
    size_t vertex;
    const ipu_program *both[2];
    const ipu_target target = ring_target(TILES);
    cr_assert_eq(ipu_graph_new(&arena, &target, &j.graph), MT_OK);
    j.b = add_ring(j.graph, "b", &j.all_b);
    j.x = add_ring(j.graph, "x", &j.all_x);
    j.y = add_ring(j.graph, "y", &all_y);
    j.change = add_ring(j.graph, "change", &j.all_change);
    j.go = add_flag(j.graph, "go", DECIDER, &j.predicate);
    cr_assert_eq(ipu_graph_add_compute_set(j.graph, "step", &j.step), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(j.graph, "decide", &j.decide), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(j.graph, "back", &j.back), MT_OK);
    for (uint32_t t = 0; t < TILES; t++) add_vertices(&j, t);
    cr_assert_eq(ipu_graph_add_vertex(j.graph, j.decide, &decide_codelet, DECIDER, NULL, &vertex), MT_OK);
    connect(j.graph, vertex, "change", j.all_change);
    connect(j.graph, vertex, "go", j.predicate);
    cr_assert_eq(ipu_program_execute(&arena, j.step, &both[0]), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, j.back, &both[1]), MT_OK);
    cr_assert_eq(ipu_program_sequence(&arena, both, 2, &j.body), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, j.decide, &j.condition), MT_OK);
    return j;
}

static ipu_engine *engine_of(const ipu_graph *graph, const ipu_program *program, bool checked)
{
    ipu_executable *e = NULL;
    ipu_engine *engine = NULL;
    cr_assert_eq(ipu_compile(&arena, graph, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_executable_check(e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, checked, &engine), MT_OK);
    return engine;
}

/* Returns the engine of the iteration in its initial state. */
static ipu_engine *jacobi_engine(const jacobi *j, uint64_t limit)
{
    static const float b[TILES] = {1, -2, 3, 0.5F, 7}, x[TILES] = {0}, change[TILES] = {1, 1, 1, 1, 1};
    const ipu_program *loop;
    cr_assert_eq(ipu_program_repeat_while(&arena, j->condition, j->predicate, j->body, limit, &loop), MT_OK);
    ipu_engine *engine = engine_of(j->graph, loop, true);
    ipu_engine_write(engine, &j->all_b, b);
    ipu_engine_write(engine, &j->all_x, x);
    ipu_engine_write(engine, &j->all_change, change);
    return engine;
}

/* The same iteration without tiles; returns the number of turns. */
static uint64_t oracle(float x[TILES])
{
    static const float b[TILES] = {1, -2, 3, 0.5F, 7};
    memset(x, 0, TILES * sizeof *x);
    for (uint64_t turn = 1;; turn++) {
        float y[TILES], most = 0;
        for (size_t t = 0; t < TILES; t++) {
            y[t] = (b[t] + x[(t + TILES - 1) % TILES] + x[(t + 1) % TILES]) / 4;
            most = fmaxf(most, fabsf(y[t] - x[t]));
        }
        memcpy(x, y, sizeof y);
        if (most <= enough) return turn;
    }
}

/* A predicate is sent from tile 2 to four tiles of row 0: sync 126, fixed 10, set-up 160, one word. "decide" gathers 4 words as one
 * fragment each, and copies one of its own: 126 + 10 + 4 * 160 + 1 + 1 + 17. "step" receives two: 126 + 10 + 2 * 160 + 1 + 17. "back" stays on
 * its tile: 17. */
Test(program, a_loop_ends_by_its_predicate_and_its_cost_matches_a_hand_calculation)
{
    float expected[TILES], x[TILES];
    const uint64_t turns = oracle(expected);
    const jacobi j = make_jacobi();
    cr_assert(turns > 5 && turns < 30, "it does converge, and not at once: %lu", (unsigned long)turns);
    for (int threads = 1; threads <= 4; threads += 3) {
        omp_set_num_threads(threads);
        ipu_engine *engine = jacobi_engine(&j, 1000);
        ipu_profile profile;
        cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
        ipu_engine_read(engine, &j.all_x, x);
        cr_expect_arr_eq(x, expected, sizeof x);
        cr_expect_eq(engine->runs[j.step], turns);
        cr_expect_eq(engine->runs[j.decide], turns + 1);
        cr_assert_eq(ipu_profile_make(&arena, engine, &profile), MT_OK);
        cr_expect_eq(profile.predicates, turns + 1);
        cr_expect_eq(profile.control_cycles, (turns + 1) * (126 + 171));
        cr_expect_eq(profile.host_cycles, 0);
        cr_expect_eq(profile.external_sync_cycles, 0);
        cr_expect_eq(profile.cycles, (turns + 1) * (297 + 795) + turns * (474 + 17));
        cr_expect_eq(profile.cycles, profile.rearrangement_cycles + profile.sync_cycles +
                                         profile.exchange_cycles + profile.compute_cycles +
                                         profile.control_cycles);
        cr_expect_eq(profile.cycles, ipu_engine_cycles(engine));
    }
}

Test(program, a_loop_that_exceeds_the_iteration_limit_is_an_error)
{
    float x[TILES];
    char message[200];
    const uint64_t turns = oracle(x);
    const jacobi j = make_jacobi();
    cr_expect_eq(ipu_engine_run(jacobi_engine(&j, turns), 0), MT_OK, "%s", mt_message());
    ipu_engine *engine = jacobi_engine(&j, turns - 1);
    cr_expect_eq(ipu_engine_run(engine, 0), MT_NUMERICS);
    (void)snprintf(message, sizeof message,
        "engine: the predicate of a loop, in variable 'go', is still true after %lu iterations; allowed: at "
        "most this number",
        (unsigned long)turns - 1);
    cr_expect_str_eq(mt_message(), message);
    cr_expect_eq(engine->runs[j.step], turns - 1);
}

Test(program, the_check_of_an_executable_detects_a_predicate_on_a_wrong_tile)
{
    const jacobi j = make_jacobi();
    ipu_executable *e = NULL;
    const ipu_program *loop;
    char message[200];
    cr_assert_eq(ipu_program_if(&arena, j.predicate, j.body, NULL, &loop), MT_OK);
    cr_assert_eq(ipu_compile(&arena, j.graph, &loop, 1, &e), MT_OK);
    e->controls[0].tile = 1;
    cr_expect_eq(ipu_executable_check(e), MT_INPUT);
    (void)snprintf(message, sizeof message,
        "executable: a predicate at %zu is not in tile 1's memory [%zu, %zu)", e->controls[0].place,
        e->tile_offset[1], e->tile_offset[2]);
    cr_expect_str_eq(mt_message(), message);
}

/* ---- if ---- */

/* if (a) { if (b) "step" } else "back", then "decide". */
Test(program, predicates_select_the_executed_branches)
{
    const jacobi j = make_jacobi();
    ipu_tensor a, b;
    const ipu_program *step, *back, *inner, *all[2], *program;
    (void)add_flag(j.graph, "a", 0, &a);
    (void)add_flag(j.graph, "b", 4, &b);
    cr_assert_eq(ipu_program_execute(&arena, j.step, &step), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, j.back, &back), MT_OK);
    cr_assert_eq(ipu_program_if(&arena, b, step, NULL, &inner), MT_OK);
    cr_assert_eq(ipu_program_if(&arena, a, inner, back, &all[0]), MT_OK);
    all[1] = j.condition;
    cr_assert_eq(ipu_program_sequence(&arena, all, 2, &program), MT_OK);
    for (uint32_t is_a = 0; is_a < 2; is_a++) {
        for (uint32_t is_b = 0; is_b < 2; is_b++) {
            const uint32_t value_b = is_b << 31; /* any value except 0 is true */
            ipu_engine *engine = engine_of(j.graph, program, false);
            ipu_engine_write(engine, &a, &is_a);
            ipu_engine_write(engine, &b, &value_b);
            cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
            cr_expect_eq(engine->runs[j.step], is_a && is_b);
            cr_expect_eq(engine->runs[j.back], !is_a);
            cr_expect_eq(engine->runs[j.decide], 1);
            cr_expect_eq(ipu_engine_cycles(engine),
                795 + 297 + (is_a ? 297 : 0) + (is_a && is_b ? 474 : 0) + (is_a ? 0 : 17));
        }
    }
}

Test(program, an_unwritten_predicate_is_reported_in_a_checked_run)
{
    const jacobi j = make_jacobi();
    const ipu_program *program;
    const uint32_t no = 0;
    cr_assert_eq(ipu_program_if(&arena, j.predicate, j.body, NULL, &program), MT_OK);
    ipu_engine *engine = engine_of(j.graph, program, true);
    cr_expect_eq(ipu_engine_run(engine, 0), MT_NUMERICS);
    cr_expect_str_eq(mt_message(),
        "engine: the predicate, element 0 of variable 'go' on tile 2, would be read before it was written");
    ipu_engine_write(engine, &j.predicate, &no);
    cr_expect_eq(ipu_engine_run(engine, 0), MT_OK);
    engine = engine_of(j.graph, program, false);
    cr_expect_eq(ipu_engine_run(engine, 0), MT_OK);
    cr_expect_eq(engine->runs[j.step], 0, "memory begins as 0");
    const uint32_t all_ones = UINT32_MAX;
    ipu_engine_write(engine, &j.predicate, &all_ones);
    cr_expect_eq(ipu_engine_run(engine, 0), MT_OK);
    cr_expect_eq(engine->runs[j.step], 1, "unchecked it is a value like others");
}

/* Flags 0 to 2 are on tile 1, flags 3 and 4 on tile 0. Flag 1 is the predicate of "step", 2 of "decide", 4 of "back". */
Test(program, each_predicate_is_read_from_its_own_element)
{
    static const size_t asked[] = {1, 2, 4};
    const jacobi j = make_jacobi();
    const uint32_t sets[] = {j.step, j.decide, j.back};
    const ipu_program *parts[3], *program;
    ipu_tensor whole, flag;
    uint32_t flags;
    cr_assert_eq(ipu_graph_add_variable(j.graph, "flags", IPU_UNSIGNED_INT, 5, &flags), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(j.graph, flags, 0, 3, 1), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(j.graph, flags, 3, 2, 0), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(j.graph, flags, &whole), MT_OK);
    for (size_t k = 0; k < 3; k++) {
        cr_assert_eq(ipu_graph_slice(j.graph, whole, asked[k], 1, &flag), MT_OK);
        cr_assert_eq(ipu_program_execute(&arena, sets[k], &parts[k]), MT_OK);
        cr_assert_eq(ipu_program_if(&arena, flag, parts[k], NULL, &parts[k]), MT_OK);
    }
    cr_assert_eq(ipu_program_sequence(&arena, parts, 3, &program), MT_OK);
    for (size_t on = 0; on < 5; on++) {
        ipu_engine *engine = engine_of(j.graph, program, false);
        uint32_t value[5] = {0};
        value[on] = 1;
        ipu_engine_write(engine, &whole, value);
        cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
        for (size_t k = 0; k < 3; k++)
            cr_expect_eq(engine->runs[sets[k]], on == asked[k], "flag %zu, part %zu", on, k);
    }
}

/* Flag 2 of three is the number: 0 runs "step", 1 "back", all others "decide", or nothing. */
Test(program, a_switch_runs_the_program_with_the_matching_number)
{
    const jacobi j = make_jacobi();
    const uint32_t sets[] = {j.step, j.back, j.decide};
    const ipu_program *parts[3], *programs[2];
    ipu_tensor whole, flag;
    uint32_t flags;
    cr_assert_eq(ipu_graph_add_variable(j.graph, "flags", IPU_UNSIGNED_INT, 3, &flags), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(j.graph, flags, 0, 3, 1), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(j.graph, flags, &whole), MT_OK);
    cr_assert_eq(ipu_graph_slice(j.graph, whole, 2, 1, &flag), MT_OK);
    for (size_t k = 0; k < 3; k++) cr_assert_eq(ipu_program_execute(&arena, sets[k], &parts[k]), MT_OK);
    cr_assert_eq(ipu_program_switch(&arena, flag, parts, 2, parts[2], &programs[0]), MT_OK);
    cr_assert_eq(ipu_program_switch(&arena, flag, parts, 2, NULL, &programs[1]), MT_OK);
    for (size_t with = 0; with < 2; with++)
        for (uint32_t number = 0; number < 4; number++) {
            ipu_engine *engine = engine_of(j.graph, programs[with], false);
            ipu_engine_write(engine, &whole, (uint32_t[]){0, 1, number});
            cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
            for (size_t k = 0; k < 2; k++) cr_expect_eq(engine->runs[sets[k]], number == k);
            cr_expect_eq(engine->runs[sets[2]], number >= 2 && with == 0);
            cr_expect_eq(engine->control_runs[0], 1, "it costs a predicate");
        }
    cr_expect_eq(ipu_program_switch(&arena, flag, parts, 0, parts[2], &programs[0]), MT_INPUT);
    cr_expect_str_eq(mt_message(), "program: a switch without cases; allowed: at least one case");
}

static void expect_refused(const ipu_graph *graph, const ipu_program *program, const char *message)
{
    ipu_timing timing;
    cr_expect_eq(ring_time(&arena, graph, &program, 1, &timing), MT_INPUT, "%s", message);
    cr_expect_str_eq(mt_message(), message);
}

Test(program, a_predicate_is_one_unsigned_int_of_the_graph)
{
    const jacobi j = make_jacobi();
    const ipu_program *p;
    ipu_tensor none, one;
    cr_assert_eq(ipu_program_if(&arena, j.all_change, j.body, NULL, &p), MT_OK);
    expect_refused(j.graph, p, "program: a predicate of 5 elements; allowed: one");
    cr_assert_eq(ipu_graph_add_tensor(j.graph, NULL, 0, &none), MT_OK);
    cr_assert_eq(ipu_program_repeat_while(&arena, j.condition, none, j.body, 9, &p), MT_OK);
    expect_refused(j.graph, p, "program: a predicate of 0 elements; allowed: one");
    cr_assert_eq(ipu_graph_slice(j.graph, j.all_x, 3, 1, &one), MT_OK);
    cr_assert_eq(ipu_program_if(&arena, one, j.body, j.body, &p), MT_OK);
    cr_assert_eq(ipu_program_repeat(&arena, 2, p, &p), MT_OK);
    expect_refused(
        j.graph, p, "program: the predicate, of variable 'x', is of type float; allowed: unsigned int");
    one.first_slice = j.graph->n_slices;
    cr_assert_eq(ipu_program_if(&arena, one, j.body, NULL, &p), MT_OK);
    expect_refused(j.graph, p, "program: the predicate does not belong to this graph");
    cr_assert_eq(ipu_program_execute(&arena, 99, &p), MT_OK);
    cr_assert_eq(ipu_program_if(&arena, j.predicate, j.body, p, &p), MT_OK);
    expect_refused(j.graph, p, "program: compute set 99; allowed: below 3");
}

/* ---- the cost of predicates ---- */

/* Returns the cost of the only control of a program, with its predicate on `tile`. */
static ipu_control_cost flag_on(const ipu_target *target, uint32_t tile)
{
    ipu_graph *g = NULL;
    ipu_tensor flag;
    const ipu_program *nothing, *two[2], *p;
    ipu_timing timing;
    cr_assert_eq(ipu_graph_new(&arena, target, &g), MT_OK);
    (void)add_flag(g, "flag", tile, &flag);
    cr_assert_eq(ipu_program_sequence(&arena, NULL, 0, &nothing), MT_OK);
    cr_assert_eq(ipu_program_if(&arena, flag, nothing, NULL, &two[0]), MT_OK);
    two[1] = two[0];
    cr_assert_eq(ipu_program_sequence(&arena, two, 2, &p), MT_OK);
    cr_assert_eq(ring_time(&arena, g, &p, 1, &timing), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_executable_check(timing.executable), MT_OK, "%s", mt_message());
    cr_assert_eq(timing.executable->n_controls, 1, "a part that is there twice counts once");
    cr_expect_eq(timing.executable->controls[0].tile, tile);
    return timing.controls[0];
}

/* With rows of 64 the last of 256 tiles are in row 3, at 2 cycles per row. */
Test(program, a_predicate_reaches_the_farthest_tile)
{
    const ipu_target one = ring_target(1), two = ring_target(2), rows = ring_target(256);
    cr_expect_eq(flag_on(&one, 0).cycles, 0);
    cr_expect_eq(flag_on(&two, 0).cycles, 126 + 171);
    cr_expect_eq(flag_on(&two, 1).cycles, 126 + 171);
    const ipu_control_cost c = flag_on(&rows, 0);
    cr_expect_eq(c.sync_cycles, 126);
    cr_expect_eq(c.external_sync_cycles, 0);
    cr_expect_eq(c.exchange_cycles, 170 + 2 * 3 + 1);
    cr_expect_eq(c.cycles, 126 + 177);
}

/* Four chips of 2 tiles at 1 GHz. From chip 0 a word of 4 bytes with a header of 12 is sent to chip 1 over the direct link (2 bytes per
 * cycle), to chip 2 over the rail, and to chip 3 across and along it (1 byte per cycle): 16 cycles. Sync: 126, and 2 hops there and back
 * of 15. */
Test(program, a_predicate_crosses_to_every_chip)
{
    ipu_target one = ring_target(2), four;
    one.clock_hz = 1e9;
    one.links = (ipu_links){.direct = 4,
        .cross = 2,
        .rail = 2,
        .lane_bits_per_second = 8e9,
        .efficiency = 0.5,
        .packet_bytes = 1024,
        .packet_header_bytes = 12,
        .sync_ns_per_hop = 15};
    cr_assert_eq(ipu_target_several(&one, 4, &four), MT_OK);
    const ipu_control_cost c = flag_on(&four, 1);
    cr_expect_eq(c.external_cycles, 16);
    cr_expect_eq(c.exchange_cycles, 171 + 16);
    cr_expect_eq(c.external_sync_cycles, 60);
    cr_expect_eq(c.sync_cycles, 126 + 60);
    cr_expect_eq(c.cycles, 126 + 60 + 171 + 16);
}

/* ---- the cost of host transfers ---- */

/* Builds variable 0 with `n` elements in equal parts on all tiles, and stream 0 of the same type. */
static ipu_graph *host_graph(const ipu_target *target, ipu_type type, size_t n, ipu_tensor *whole)
{
    ipu_graph *g = NULL;
    uint32_t id;
    cr_assert_eq(ipu_graph_new(&arena, target, &g), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(g, "v", type, n, &id), MT_OK);
    for (uint32_t t = 0; t < target->tiles; t++) {
        const size_t from = n * t / target->tiles, to = n * (t + 1) / target->tiles;
        cr_assert_eq(ipu_graph_set_tile_mapping(g, id, from, to - from, t), MT_OK);
    }
    cr_assert_eq(ipu_graph_variable_tensor(g, id, whole), MT_OK);
    cr_assert_eq(ipu_graph_add_stream(g, "s", type, &id), MT_OK);
    return g;
}

static ipu_control_cost transfer(const ipu_graph *g, bool write, ipu_tensor tensor)
{
    const ipu_program *p;
    ipu_timing timing;
    cr_assert_eq(
        write ? ipu_program_host_write(&arena, 0, tensor, &p) : ipu_program_host_read(&arena, tensor, 0, &p),
        MT_OK);
    cr_assert_eq(ring_time(&arena, g, &p, 1, &timing), MT_OK, "%s", mt_message());
    cr_assert_eq(timing.executable->n_controls, 1);
    return timing.controls[0];
}

/* Link: 8 bytes per cycle from the host, 2 to the host; headers of 24. Three tiles of 4 floats need three packets of 16 bytes. One tile
 * of 1000 floats needs four packets of at most 1024 bytes from the host, and 16 of at most 256 to it. Its port takes 1000 cycles: more
 * than the 512 of the link from the host, fewer than the 2192 to it. */
Test(program, a_transfer_costs_a_host_sync_and_the_longer_time_of_link_and_port)
{
    const ipu_target three = ring_target(3), one = ring_target(1);
    ipu_tensor whole, part;
    ipu_graph *g = host_graph(&three, IPU_FLOAT, 12, &whole);
    ipu_control_cost c = transfer(g, true, whole);
    cr_expect_eq(c.external_sync_cycles, 600);
    cr_expect_eq(c.sync_cycles, 126 + 600);
    cr_expect_eq(c.external_cycles, 3 * (16 + 24) / 8);
    cr_expect_eq(c.exchange_cycles, 15);
    cr_expect_eq(c.cycles, 741);
    cr_expect_eq(transfer(g, false, whole).exchange_cycles, 3 * (16 + 24) / 2);
    cr_assert_eq(ipu_graph_slice(g, whole, 0, 0, &part), MT_OK);
    cr_expect_eq(transfer(g, true, part).cycles, 0, "an empty transfer costs nothing");
    g = host_graph(&one, IPU_FLOAT, 1000, &whole);
    c = transfer(g, true, whole);
    cr_expect_eq(c.external_cycles, (4000 + 4 * 24) / 8);
    cr_expect_eq(c.exchange_cycles, 1000);
    c = transfer(g, false, whole);
    cr_expect_eq(c.external_cycles, (4000 + 16 * 24) / 2);
    cr_expect_eq(c.exchange_cycles, 2192);
}

/* Elements 0 to 3 and 4 to 7 of one tile form one range of 32 bytes; 0 to 3 and 5 to 7 form two, also in reverse order. Three unsigned
 * shorts are 6 bytes and take 8. */
Test(program, each_range_of_a_tile_is_sent_in_separate_packets)
{
    const ipu_target one = ring_target(1);
    ipu_tensor whole, t;
    ipu_graph *g = host_graph(&one, IPU_FLOAT, 8, &whole);
    static const struct {
        ipu_slice slices[2];
        uint64_t bytes;
    } cases[] = {{{{0, 0, 4}, {0, 4, 4}}, 32 + 24}, {{{0, 0, 4}, {0, 5, 3}}, 28 + 48},
        {{{0, 5, 3}, {0, 0, 4}}, 28 + 48}};
    for (size_t k = 0; k < 3; k++) {
        cr_assert_eq(ipu_graph_add_tensor(g, cases[k].slices, 2, &t), MT_OK);
        cr_expect_eq(transfer(g, false, t).external_cycles, cases[k].bytes / 2, "case %zu", k);
    }
    g = host_graph(&one, IPU_UNSIGNED_SHORT, 3, &whole);
    cr_expect_eq(transfer(g, false, whole).external_cycles, (8 + 24) / 2);
}

/* Two chips of one tile each, one with 4 of 12 floats, the other with 8: each uses the link of its own chip. */
Test(program, every_chip_has_its_own_link_to_the_host)
{
    ipu_target one = ring_target(1), two;
    ipu_graph *g = NULL;
    ipu_tensor whole;
    uint32_t id;
    one.links = (ipu_links){.direct = 1,
        .cross = 1,
        .rail = 1,
        .lane_bits_per_second = 1e9,
        .efficiency = 1,
        .packet_bytes = 1,
        .sync_ns_per_hop = 1e9 / 1.325e9}; /* one cycle */
    cr_assert_eq(ipu_target_several(&one, 2, &two), MT_OK);
    cr_assert_eq(ipu_graph_new(&arena, &two, &g), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(g, "v", IPU_FLOAT, 12, &id), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(g, id, 0, 4, 0), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(g, id, 4, 8, 1), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, id, &whole), MT_OK);
    cr_assert_eq(ipu_graph_add_stream(g, "s", IPU_FLOAT, &id), MT_OK);
    const ipu_control_cost c = transfer(g, false, whole);
    cr_expect_eq(c.exchange_cycles, (32 + 24) / 2);
    cr_expect_eq(c.external_sync_cycles, 600 + 2);
    cr_expect_eq(c.cycles, 126 + 602 + 28);
}

Test(program, a_machine_without_a_host_link_is_rejected)
{
    ipu_target target = ring_target(1);
    const ipu_program *p;
    ipu_tensor whole;
    target.host.read_packet_bytes = 0;
    ipu_graph *g = host_graph(&target, IPU_FLOAT, 1, &whole);
    cr_assert_eq(ipu_program_host_read(&arena, whole, 0, &p), MT_OK);
    expect_refused(g, p,
        "program: stream 's': a transfer to the host at 2.65e+09 bytes/s in packets of 0; allowed: both "
        "above 0");
    target.host.write_bytes_per_second = 0;
    g = host_graph(&target, IPU_FLOAT, 1, &whole);
    cr_assert_eq(ipu_program_host_write(&arena, 0, whole, &p), MT_OK);
    expect_refused(g, p,
        "program: stream 's': a transfer from the host at 0 bytes/s in packets of 1024; allowed: both above "
        "0");
}

/* Three turns of a write, a predicate and a read: 741, 297 and 786 cycles per turn. */
Test(program, all_phases_of_a_run_sum_to_its_cycles)
{
    const ipu_target three = ring_target(3);
    const uint32_t no = 0;
    ipu_tensor whole, flag;
    const ipu_program *part[3], *p;
    ipu_profile profile;
    float data[12] = {0};
    ipu_graph *g = host_graph(&three, IPU_FLOAT, 12, &whole);
    (void)add_flag(g, "flag", 0, &flag);
    cr_assert_eq(ipu_program_host_write(&arena, 0, whole, &part[0]), MT_OK);
    cr_assert_eq(ipu_program_if(&arena, flag, part[0], NULL, &part[1]), MT_OK);
    cr_assert_eq(ipu_program_host_read(&arena, whole, 0, &part[2]), MT_OK);
    cr_assert_eq(ipu_program_sequence(&arena, part, 3, &p), MT_OK);
    cr_assert_eq(ipu_program_repeat(&arena, 3, p, &p), MT_OK);
    ipu_engine *engine = engine_of(g, p, false);
    ipu_engine_write(engine, &flag, &no);
    cr_assert_eq(ipu_engine_connect_stream(engine, 0, data, 12), MT_OK);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_profile_make(&arena, engine, &profile), MT_OK);
    cr_expect_eq(profile.transfers, 6);
    cr_expect_eq(profile.predicates, 3);
    cr_expect_eq(profile.host_cycles, 3 * (741 + 786));
    cr_expect_eq(profile.control_cycles, 3 * 297);
    cr_expect_eq(profile.external_sync_cycles, 0, "syncs of transfers are in host_cycles");
    cr_expect_eq(profile.cycles, profile.host_cycles + profile.control_cycles);
    cr_expect_eq(profile.cycles, ipu_engine_cycles(engine));
}

/* ---- streams outside programs ---- */

/* Three tiles of 4 floats; the value of each float is its index. */
static ipu_engine *counting_engine(ipu_tensor *whole)
{
    const ipu_target three = ring_target(3);
    const ipu_program *p;
    float data[12];
    for (int k = 0; k < 12; k++) data[k] = (float)k;
    ipu_graph *g = host_graph(&three, IPU_FLOAT, 12, whole);
    cr_assert_eq(ipu_program_host_read(&arena, *whole, 0, &p), MT_OK);
    ipu_engine *engine = engine_of(g, p, false);
    ipu_engine_write(engine, whole, data);
    return engine;
}

/* 126 + 600 cycles of sync, then a link of 2 bytes per cycle. All three parts: 3 packets of 16 bytes with a header of 24, 60 cycles.
 * Next the last element, the two at the border of tiles 0 and 1, and the last again: 4 packets of 4 bytes with headers, since no two are
 * adjacent on a tile, 56 cycles. Finally two adjacent elements of a tile: one packet of 8, 16 cycles. */
Test(program, a_stream_has_the_bits_and_the_cost_of_a_program_transfer)
{
    ipu_tensor whole;
    ipu_engine *engine = counting_engine(&whole);
    const ipu_slice *all = engine->executable->graph->slices + whole.first_slice;
    const ipu_slice some[] = {{0, 11, 1}, {0, 3, 2}, {0, 11, 1}}, pair[] = {{0, 4, 1}, {0, 5, 1}};
    float read[12], streamed[12], few[4], two[2];
    ipu_profile profile;
    ipu_engine_read(engine, &whole, read);
    cr_expect_eq(ipu_engine_cycles(engine), 0, "reading outside the run costs nothing");
    cr_assert_eq(ipu_engine_stream(engine, all, whole.n_slices, streamed), MT_OK, "%s", mt_message());
    cr_expect_arr_eq(read, streamed, sizeof read);
    cr_expect_eq(ipu_engine_cycles(engine), 726 + 60);
    cr_assert_eq(ipu_engine_stream(engine, some, 3, few), MT_OK);
    cr_expect(few[0] == 11 && few[1] == 3 && few[2] == 4 && few[3] == 11);
    cr_expect_eq(ipu_engine_cycles(engine), 786 + 726 + 56);
    cr_assert_eq(ipu_engine_stream(engine, pair, 2, two), MT_OK);
    cr_expect_eq(ipu_engine_cycles(engine), 786 + 782 + 742);
    cr_assert_eq(ipu_engine_stream(engine, NULL, 0, NULL), MT_OK);
    cr_assert_eq(ipu_engine_connect_stream(engine, 0, read, 12), MT_OK);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_profile_make(&arena, engine, &profile), MT_OK);
    cr_expect_eq(profile.transfers, 5);
    cr_expect_eq(profile.host_cycles, 786 + 782 + 742 + 786, "the last by a program");
    cr_expect_eq(profile.host_bytes_read, 48 + 16 + 8 + 48);
    cr_expect_eq(profile.cycles, profile.host_cycles);
    cr_expect_eq(profile.cycles, ipu_engine_cycles(engine));
}

Test(program, stream_counts_can_be_restored_in_another_engine)
{
    uint64_t counts[16];
    ipu_tensor whole;
    float data[12];
    ipu_profile profile;
    ipu_engine *from = counting_engine(&whole), *to = counting_engine(&whole);
    const ipu_slice *all = from->executable->graph->slices + whole.first_slice;
    cr_assert_leq(ipu_engine_counts(from), sizeof counts / sizeof *counts);
    cr_assert_eq(ipu_engine_stream(from, all, whole.n_slices, data), MT_OK);
    ipu_engine_count(from, counts);
    ipu_engine_recount(to, counts);
    cr_expect_eq(ipu_engine_cycles(to), 786);
    cr_assert_eq(ipu_engine_stream(to, all, whole.n_slices, data), MT_OK);
    cr_assert_eq(ipu_profile_make(&arena, to, &profile), MT_OK);
    cr_expect_eq(profile.transfers, 2);
    cr_expect_eq(profile.host_cycles, 2 * 786);
    cr_expect_eq(profile.host_bytes_read, 96);
}

Test(program, a_stream_needs_a_host_link)
{
    ipu_target target = ring_target(1);
    ipu_tensor whole;
    const ipu_program *p;
    float value;
    target.host.read_bytes_per_second = 0;
    ipu_graph *g = host_graph(&target, IPU_FLOAT, 1, &whole);
    cr_assert_eq(ipu_program_sequence(&arena, NULL, 0, &p), MT_OK);
    ipu_engine *engine = engine_of(g, p, false);
    cr_expect_eq(ipu_engine_stream(engine, &(ipu_slice){0, 0, 1}, 1, &value), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "engine: variable 'v': a transfer to the host at 0 bytes/s in packets of 256; allowed: both above 0");
    cr_expect_eq(ipu_engine_cycles(engine), 0);
}

/* ---- memory ---- */

static mt_status build_all(mt_arena *into)
{
    static const uint32_t yes = 1;
    const ipu_target target = ring_target(3);
    ipu_graph *g = NULL;
    ipu_tensor flag;
    uint32_t id;
    const ipu_program *nothing, *p;
    ipu_executable *e = NULL;
    ipu_engine *engine = NULL;
    float data = 0;
    ipu_tensor one;
    MT_TRY(ipu_graph_new(into, &target, &g));
    MT_TRY(ipu_graph_add_variable(g, "flag", IPU_UNSIGNED_INT, 1, &id));
    MT_TRY(ipu_graph_set_tile_mapping(g, id, 0, 1, 1));
    MT_TRY(ipu_graph_variable_tensor(g, id, &flag));
    MT_TRY(ipu_graph_add_variable(g, "v", IPU_FLOAT, 1, &id));
    MT_TRY(ipu_graph_set_tile_mapping(g, id, 0, 1, 2));
    MT_TRY(ipu_graph_variable_tensor(g, id, &one));
    MT_TRY(ipu_graph_add_stream(g, "s", IPU_FLOAT, &id));
    MT_TRY(ipu_program_sequence(into, NULL, 0, &nothing));
    MT_TRY(ipu_program_host_read(into, one, id, &p));
    MT_TRY(ipu_program_if(into, flag, p, nothing, &p));
    MT_TRY(ipu_program_repeat_while(into, p, flag, nothing, 1, &p));
    MT_TRY(ipu_compile(into, g, &p, 1, &e));
    MT_TRY(ipu_engine_new(into, e, false, &engine));
    MT_TRY(ipu_engine_connect_stream(engine, id, &data, 1));
    ipu_engine_write(engine, &flag, &yes);
    return ipu_engine_run(engine, 0);
}

Test(program, every_failed_allocation_is_reported)
{
    for (size_t n = 1;; n++) {
        mt_arena_fail_at(n);
        const mt_status status = build_all(&arena);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        if (status == MT_NUMERICS) { /* the limit of the loop is reached */
            cr_assert_gt(n, 40);
            return;
        }
        cr_assert_eq(status, MT_MEMORY, "take %zu: %s", n, mt_message());
        cr_assert_lt(n, 1000);
    }
}
