#include <criterion/criterion.h>

#include <float.h>
#include <omp.h>
#include <string.h>

#include "tests/ipu/test_ring.h"

enum { TILES = 5, PART = 7, N = TILES * PART };

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(engine, .fini = teardown);

/* Builds a ring and its engine with one program of `times` rounds. */
static ipu_engine *ring_engine(ring *r, ring_layout layout, uint64_t times, bool checked)
{
    ipu_target target = ring_target(TILES);
    const ipu_program *p = NULL;
    ipu_executable *e = NULL;
    ipu_engine *engine = NULL;
    cr_assert_eq(ring_make(&arena, &target, TILES, PART, layout, r), MT_OK, "%s", mt_message());
    cr_assert_eq(ring_program(&arena, r, times, &p), MT_OK);
    cr_assert_eq(ipu_compile(&arena, r->graph, &p, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, checked, &engine), MT_OK, "%s", mt_message());
    return engine;
}

static void start_values(float v[N])
{
    for (size_t i = 0; i < N; i++) v[i] = (float)(1 + i * i % 11);
}

/* The same calculation by plain loops. Values are integers below 2^24, so float sums are exact. */
static void oracle(float v[N], size_t times)
{
    for (size_t k = 0; k < times; k++) {
        float w[N];
        for (size_t i = 0; i < N; i++) w[i] = v[(i + N - 1) % N] + v[(i + 1) % N];
        memcpy(v, w, sizeof w);
    }
}

static void run_ring(ring_layout layout, uint64_t times, bool checked, float v[N])
{
    static ring r;
    ipu_engine *engine = ring_engine(&r, layout, times, checked);
    ipu_engine_write(engine, &r.whole_v, v);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    ipu_engine_read(engine, &r.whole_v, v);
    cr_expect_eq(engine->runs[r.add], times);
    cr_expect_eq(engine->runs[r.back], times);
}

Test(engine, every_layout_computes_the_sums_of_a_plain_loop)
{
    static const ring_layout layouts[] = {RING_TAIL, RING_EDGE, RING_SPLIT, RING_LOCAL};
    float expected[N];
    start_values(expected);
    oracle(expected, 9);
    for (size_t i = 0; i < 8; i++) {
        float v[N];
        start_values(v);
        run_ring(layouts[i / 2], 9, i % 2, v);
        cr_expect_arr_eq(v, expected, sizeof v, "layout %zu, checked %zu", i / 2, i % 2);
    }
}

Test(engine, results_are_equal_for_any_number_of_threads)
{
    float one[N];
    for (int threads = 1; threads <= 3; threads++) {
        float v[N];
        for (size_t i = 0; i < N; i++) v[i] = 1 / (float)(3 + i);
        omp_set_num_threads(threads);
        run_ring(RING_EDGE, 10, false, v);
        if (threads == 1) memcpy(one, v, sizeof v);
        cr_expect_arr_eq(v, one, sizeof v, "%d threads", threads);
    }
}

/* 9 rounds of "add" (126 + 10 + 1 + 320 + 11 + 6 * 7 = 510) and "back" (53). */
Test(engine, cycles_are_counted_for_each_run)
{
    static ring r;
    ipu_engine *engine = ring_engine(&r, RING_TAIL, 9, false);
    cr_expect_eq(ipu_engine_cycles(engine), 0);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
    cr_expect_eq(ipu_engine_cycles(engine), 9 * (510 + 53));
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
    cr_expect_eq(ipu_engine_cycles(engine), 2 * 9 * (510 + 53));
    cr_expect_eq(ipu_engine_run(engine, 1), MT_INPUT);
    cr_expect_str_eq(mt_message(), "engine: program 1; allowed: below 1");
}

/* One element of v is poison. It is received by tile 3 from the right or from the left, or by tile 0 from the left, or is in its own
 * part. */
Test(engine, a_checked_run_reports_unwritten_values_that_a_vertex_would_read)
{
    static ring r;
    static const struct {
        ring_layout layout;
        size_t element;
        const char *message;
    } cases[] = {
        {RING_TAIL, 28,
            "compute set 'add', tile 3: codelet 'add' field 'in' element 8 would be read before it was "
            "received: variable 'v' element 28 from tile 4"},
        {RING_TAIL, 20,
            "compute set 'add', tile 3: codelet 'add' field 'in' element 7 would be read before it was "
            "received: variable 'v' element 20 from tile 2"},
        {RING_SPLIT, 34,
            "compute set 'add', tile 0: codelet 'add3' field 'left' element 0 would be read before it was "
            "received: variable 'v' element 34 from tile 4"},
        {RING_EDGE, 0,
            "compute set 'add', tile 0: codelet 'add' field 'in' element 1 would be read before it was "
            "received: variable 'v' element 0 from tile 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float v[N];
        start_values(v);
        memset(&v[cases[i].element], 0xff, sizeof *v);
        for (int checked = 0; checked < 2; checked++) {
            ipu_engine *engine = ring_engine(&r, cases[i].layout, 3, checked);
            ipu_engine_write(engine, &r.whole_v, v);
            cr_expect_eq(ipu_engine_run(engine, 0), checked ? MT_NUMERICS : MT_OK);
        }
        cr_expect_str_eq(mt_message(), cases[i].message);
    }
}

/* Otherwise the next round could read a stale value. */
Test(engine, after_a_checked_superstep_received_values_are_invalidated)
{
    static ring r;
    float v[N];
    start_values(v);
    ipu_engine *engine = ring_engine(&r, RING_TAIL, 1, true);
    ipu_engine_write(engine, &r.whole_v, v);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    cr_assert_eq(engine->executable->n_messages, 2 * TILES);
    for (size_t i = 0; i < 2 * TILES; i++) {
        uint32_t received;
        memcpy(&received, engine->image + engine->executable->messages[i].destination, sizeof received);
        cr_expect_eq(received, UINT32_MAX, "message %zu", i);
    }
}

Test(engine, a_checked_run_reports_values_sent_but_never_written)
{
    static ring r;
    ipu_engine *engine = ring_engine(&r, RING_TAIL, 1, true);
    cr_expect_eq(ipu_engine_run(engine, 0), MT_NUMERICS);
    cr_expect_str_eq(mt_message(), "compute set 'add', tile 0: codelet 'add' field 'in' element 7 would be "
                                   "read before it was received: variable 'v' element 34 from tile 4");
}

/* out = in * 2^-10, in place. */
static void shrink(const ipu_span *f, const void *context)
{
    float *x = f[0].data;
    const float *factor = context;
    for (size_t i = 0; i < f[0].n; i++) x[i] *= *factor;
}

static ipu_cycles no_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)target, (void)n, (void)context;
    return (ipu_cycles){.entry = 0};
}

static const ipu_field shrink_fields[] = {{"x", IPU_INOUT, IPU_FLOAT}};
static const ipu_codelet shrink_codelet = {"shrink", 1, shrink_fields, shrink, no_cost, .code_bytes = 0};

/* Builds a graph with one InOut vertex per tile over a variable "x" of 4 floats per tile. */
static ipu_graph *shrink_graph(const float *factor, ipu_tensor *whole)
{
    ipu_graph *g = NULL;
    uint32_t x;
    uint32_t set;
    ipu_target target = ring_target(3);
    cr_assert_eq(ipu_graph_new(&arena, &target, &g), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(g, "x", IPU_FLOAT, 12, &x), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(g, "shrink", &set), MT_OK);
    for (uint32_t t = 0; t < 3; t++) {
        size_t vertex;
        ipu_tensor own;
        cr_assert_eq(ipu_graph_set_tile_mapping(g, x, 4 * t, 4, t), MT_OK);
        cr_assert_eq(ipu_graph_add_vertex(g, set, &shrink_codelet, t, factor, &vertex), MT_OK);
        cr_assert_eq(ipu_graph_add_tensor(g, &(ipu_slice){x, 4 * t, 4}, 1, &own), MT_OK);
        cr_assert_eq(ipu_graph_connect(g, vertex, "x", own), MT_OK);
    }
    cr_assert_eq(ipu_graph_variable_tensor(g, x, whole), MT_OK);
    return g;
}

Test(engine, subnormals_are_flushed_on_tiles_only)
{
    static const float factors[] = {0.5F, 2.0F};
    for (int threads = 1; threads <= 2; threads++) {
        omp_set_num_threads(threads);
        for (size_t i = 0; i < 2; i++) {
            ipu_tensor whole;
            ipu_executable *e = NULL;
            ipu_engine *engine = NULL;
            const ipu_program *p = NULL;
            ipu_graph *g = shrink_graph(&factors[i], &whole);
            cr_assert_eq(ipu_program_execute(&arena, 0, &p), MT_OK);
            cr_assert_eq(ipu_compile(&arena, g, &p, 1, &e), MT_OK);
            cr_assert_eq(ipu_engine_new(&arena, e, false, &engine), MT_OK);
            float x[12];
            /* halved: the result is subnormal; doubled: the operand is subnormal */
            for (size_t k = 0; k < 12; k++) x[k] = i == 0 ? FLT_MIN : 0.75F * FLT_MIN;
            ipu_engine_write(engine, &whole, x);
            cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
            ipu_engine_read(engine, &whole, x);
            for (size_t k = 0; k < 12; k++) cr_expect_eq(x[k], 0.0F, "element %zu, %d threads", k, threads);
            volatile float small = FLT_MIN;
            cr_expect_neq(small * 0.5F, 0.0F, "the host's own setting is back");
        }
    }
}

/* Appends its word to the diary that all vertices share. */
typedef struct entry {
    char *diary, word[3];
} entry;

static void write_entry(const ipu_span *f, const void *context)
{
    const entry *e = context;
    (void)f;
    strcat(e->diary, e->word);
}

static const ipu_codelet entry_codelet = {"entry", 1, shrink_fields, write_entry, no_cost, .code_bytes = 0};

/* Adds a compute set with one vertex on each tile of a ring, with entries such as "a0". */
static uint32_t add_entries(ring *r, char letter, char *diary, entry entries[TILES])
{
    uint32_t set = 0;
    cr_assert_eq(ipu_graph_add_compute_set(r->graph, (char[]){letter, 0}, &set), MT_OK);
    for (uint32_t t = 0; t < TILES; t++) {
        size_t vertex;
        ipu_tensor own;
        entries[t] = (entry){diary, {letter, (char)('0' + t), 0}};
        cr_assert_eq(ipu_graph_add_vertex(r->graph, set, &entry_codelet, t, &entries[t], &vertex), MT_OK);
        cr_assert_eq(ipu_graph_add_tensor(r->graph, &(ipu_slice){r->w, t * PART, PART}, 1, &own), MT_OK);
        cr_assert_eq(ipu_graph_connect(r->graph, vertex, "x", own), MT_OK);
    }
    return set;
}

/* Two compute sets that receive nothing, then "add", which receives, and another that does not; all are counted. */
Test(engine, tiles_skip_barriers_of_compute_sets_without_receives_except_in_checked_runs)
{
    static const char *const expected[] = {
        "a0b0a1b1a2b2a3b3a4b4c0c1c2c3c4", "a0a1a2a3a4b0b1b2b3b4c0c1c2c3c4"};
    omp_set_num_threads(1);
    for (int checked = 0; checked < 2; checked++) {
        static ring r;
        char diary[4 * 2 * TILES] = "";
        entry entries[3][TILES];
        float v[N];
        const ipu_target target = ring_target(TILES);
        const ipu_program *p[4], *all = NULL;
        ipu_executable *e = NULL;
        ipu_engine *engine = NULL;
        cr_assert_eq(ring_make(&arena, &target, TILES, PART, RING_TAIL, &r), MT_OK, "%s", mt_message());
        const uint32_t set[] = {add_entries(&r, 'a', diary, entries[0]),
            add_entries(&r, 'b', diary, entries[1]), r.add, add_entries(&r, 'c', diary, entries[2])};
        for (size_t k = 0; k < 4; k++) cr_assert_eq(ipu_program_execute(&arena, set[k], &p[k]), MT_OK);
        cr_assert_eq(ipu_program_sequence(&arena, p, 4, &all), MT_OK);
        cr_assert_eq(ipu_compile(&arena, r.graph, &all, 1, &e), MT_OK, "%s", mt_message());
        cr_assert_eq(ipu_engine_new(&arena, e, checked, &engine), MT_OK, "%s", mt_message());
        start_values(v);
        ipu_engine_write(engine, &r.whole_v, v);
        cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
        cr_expect_str_eq(diary, expected[checked]);
        for (size_t k = 0; k < 4; k++) cr_expect_eq(engine->runs[set[k]], 1, "set %zu", k);
    }
}

Test(engine, streams_are_written_and_read_back_and_counted)
{
    static const float half = 0.5F;
    ipu_tensor whole;
    ipu_tensor first;
    uint32_t in;
    uint32_t out;
    const ipu_program *p[3];
    const ipu_program *all = NULL;
    ipu_executable *e = NULL;
    ipu_engine *engine = NULL;
    ipu_graph *g = shrink_graph(&half, &whole);
    cr_assert_eq(ipu_graph_slice(g, whole, 3, 2, &first), MT_OK);
    cr_assert_eq(ipu_graph_add_stream(g, "in", IPU_FLOAT, &in), MT_OK);
    cr_assert_eq(ipu_graph_add_stream(g, "out", IPU_FLOAT, &out), MT_OK);
    cr_assert_eq(ipu_program_host_write(&arena, in, whole, &p[0]), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, 0, &p[1]), MT_OK);
    cr_assert_eq(ipu_program_host_read(&arena, first, out, &p[2]), MT_OK);
    cr_assert_eq(ipu_program_sequence(&arena, p, 3, &all), MT_OK);
    cr_assert_eq(ipu_program_repeat(&arena, 3, all, &all), MT_OK);
    cr_assert_eq(ipu_compile(&arena, g, &all, 1, &e), MT_OK);
    cr_assert_eq(ipu_engine_new(&arena, e, false, &engine), MT_OK);
    cr_expect_eq(ipu_engine_run(engine, 0), MT_INPUT);
    cr_expect_str_eq(mt_message(), "engine: stream 'in' is not connected");
    float source[24];
    float target[6] = {0};
    for (size_t i = 0; i < 24; i++) source[i] = (float)(2 * i);
    cr_assert_eq(ipu_engine_connect_stream(engine, in, source, 24), MT_OK);
    cr_assert_eq(ipu_engine_connect_stream(engine, out, target, 6), MT_OK);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    const float expected[6] = {
        3, 4, 15, 16, 3, 4}; /* elements 3 and 4 are on two tiles; the source restarts from its beginning */
    cr_expect_arr_eq(target, expected, sizeof expected);
    cr_expect_eq(engine->host_bytes_written, 3 * 48);
    cr_expect_eq(engine->host_bytes_read, 3 * 8);
    cr_assert_eq(ipu_engine_connect_stream(engine, in, source, 13), MT_OK);
    cr_expect_eq(ipu_engine_run(engine, 0), MT_INPUT);
    cr_expect_str_eq(mt_message(), "engine: stream 'in': a transfer of 12 elements; 1 of 13 are left");
}
