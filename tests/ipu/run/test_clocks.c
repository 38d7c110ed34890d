#include <criterion/criterion.h>

#include <omp.h>
#include <string.h>

#include "ipu/run/profile.h"
#include "tests/answers.h"
#include "tests/ipu/test_ring.h"
#include "tests/random.h"

/* A chain of tiles. In each compute set every tile t with work has a vertex that takes its cycles, and reads `words` floats of tile t - 1
 * (tile 0 its own). */
enum { CHAIN = 3, SETS = 3, SYNC = 7, FRAGMENT = 4 };

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(clocks, .fini = teardown);

static void nothing(const ipu_span *f, const void *context)
{
    (void)f;
    (void)context;
}

static ipu_cycles cost_of(const ipu_target *target, const size_t *n, const void *context)
{
    (void)target;
    (void)n;
    return (ipu_cycles){.entry = *(const uint64_t *)context};
}

/* Twice the cycles. */
static ipu_cycles timed(const ipu_target *target, const ipu_span *f, const void *context)
{
    (void)f;
    ipu_cycles cost = cost_of(target, NULL, context);
    cost.entry *= 2;
    return cost;
}

static const ipu_field fields[] = {{"in", IPU_INPUT, IPU_FLOAT}, {"out", IPU_INOUT, IPU_FLOAT}};
static const ipu_codelet working = {.name = "work",
    .n_fields = 2,
    .fields = fields,
    .compute = nothing,
    .cost = cost_of,
    .kind = IPU_SUPERVISOR};

/* A chain and its engine. */
typedef struct chain {
    ipu_target target;
    ipu_codelet codelet;
    size_t words;
    bool alone;  /* True if each vertex reads its own tile */
    bool writes; /* True if vertices write the variable that is sent */
    uint64_t cycles[SETS][CHAIN];
    ipu_executable *e;
    ipu_engine *engine;
    const ipu_program *program;
} chain;

/* A sender's word leaves when it arrives. The set-up of a fragment takes four cycles, so its first word has arrived after five. */
static chain chain_of(size_t tiles, ipu_sync sync, bool overlap)
{
    chain c = {.target = ring_target(tiles), .codelet = working, .words = 1};
    c.target.sync = sync;
    c.target.overlap = overlap;
    c.target.sync_cycles = SYNC;
    c.target.exchange_fixed_cycles = 0;
    c.target.exchange_fragment_cycles = FRAGMENT;
    c.target.exchange_row_cycles = 0;
    c.target.exchange_columns = 0;
    return c;
}

static void add_work(ipu_graph *g, const chain *c, uint32_t set, uint32_t tile, uint32_t v, uint32_t w)
{
    const uint32_t from = c->alone || tile == 0 ? tile : tile - 1;
    ipu_tensor in, out;
    size_t vertex;
    ok(ipu_graph_add_vertex(g, set, &c->codelet, tile, &c->cycles[set][tile], &vertex));
    ok(ipu_graph_add_tensor(g, &(ipu_slice){v, from * c->words, c->words}, 1, &in));
    ok(ipu_graph_add_tensor(g, &(ipu_slice){w, tile * c->words, c->words}, 1, &out));
    ok(ipu_graph_connect(g, vertex, "in", in));
    ok(ipu_graph_connect(g, vertex, "out", out));
}

/* Builds the engine of `sets` compute sets that run one after another. */
static void build(chain *c, uint32_t sets)
{
    static const char *const names[SETS] = {"a", "b", "c"};
    const uint32_t tiles = (uint32_t)c->target.tiles;
    const ipu_program *each[SETS];
    ipu_graph *g;
    uint32_t v, w, id;
    ok(ipu_graph_new(&arena, &c->target, &g));
    ok(ipu_graph_add_variable(g, "v", IPU_FLOAT, tiles * c->words, &v));
    ok(ipu_graph_add_variable(g, "w", IPU_FLOAT, tiles * c->words, &w));
    for (uint32_t t = 0; t < tiles; t++) {
        ok(ipu_graph_set_tile_mapping(g, v, t * c->words, c->words, t));
        ok(ipu_graph_set_tile_mapping(g, w, t * c->words, c->words, t));
    }
    for (uint32_t s = 0; s < sets; s++) {
        ok(ipu_graph_add_compute_set(g, names[s], &id));
        for (uint32_t t = 0; t < tiles; t++)
            if (c->cycles[s][t] > 0) add_work(g, c, s, t, v, c->writes ? v : w);
        ok(ipu_program_execute(&arena, s, &each[s]));
    }
    ok(ipu_program_sequence(&arena, each, sets, &c->program));
    ok(ipu_compile(&arena, g, &c->program, 1, &c->e));
    ok(ipu_engine_new(&arena, c->e, false, &c->engine));
}

static uint64_t run(chain *c, int times)
{
    for (int k = 0; k < times; k++) ok(ipu_engine_run(c->engine, 0));
    if (c->engine->clocks) cr_expect_eq(ipu_engine_cycles(c->engine), c->engine->clocks->latest);
    return ipu_engine_cycles(c->engine);
}

/* Set a takes tile 0 100 cycles, set b takes tile 1 the same; nothing is exchanged. */
Test(clocks, tiles_that_work_alternately_take_half_the_time_without_a_global_sync)
{
    static const struct {
        ipu_sync sync;
        uint64_t cycles;
    } cases[] = {{IPU_SYNC_GLOBAL, 2000}, {IPU_SYNC_NEIGHBOURS, 1000}, {IPU_SYNC_NONE, 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        chain c = chain_of(2, cases[i].sync, false);
        ipu_profile profile;
        c.alone = true;
        c.cycles[0][0] = c.cycles[1][1] = 100;
        build(&c, 2);
        cr_expect_eq(run(&c, 10), cases[i].cycles, "sync %zu", i);
        cr_expect_eq(c.engine->clocks == NULL, cases[i].sync == IPU_SYNC_GLOBAL);
        ok(ipu_profile_make(&arena, c.engine, &profile));
        ok(ipu_profile_add_overlap(c.e, c.program, &profile));
        cr_expect_eq(profile.compute_cycles, 2000);
        cr_expect_eq(profile.cycles, cases[i].cycles);
        cr_expect_eq(profile.overlapped_cycles, 2000 - cases[i].cycles);
        cr_expect_eq(profile.steps[0].overlapped_cycles + profile.steps[1].overlapped_cycles,
            profile.overlapped_cycles);
        cr_expect_eq(profile.step_overlapped_cycles, cases[i].sync == IPU_SYNC_GLOBAL ? 0 : 100);
    }
}

/* The slow tile, with 30 cycles in place of 10, is the last one in set a, the second in b, the first in c. Sync and word take 7 + 5, a set
 * with a global sync 42. Clocks without a sync: 22, 22, 42; 44, 64, 64; 86, 86, 86. If tile 0 waits for its receiver, too: 22, 22, 42; 44,
 * 84, 64; 126, 106, ... */
Test(clocks, a_chain_waits_for_its_senders_and_between_neighbours_also_for_its_receivers)
{
    static const uint64_t latest[] = {
        [IPU_SYNC_GLOBAL] = 126, [IPU_SYNC_NEIGHBOURS] = 126, [IPU_SYNC_NONE] = 86};
    for (int sync = IPU_SYNC_GLOBAL; sync <= IPU_SYNC_NONE; sync++) {
        chain c = chain_of(CHAIN, (ipu_sync)sync, false);
        for (int s = 0; s < SETS; s++)
            for (int t = 0; t < CHAIN; t++) c.cycles[s][t] = s + t == 2 ? 30 : 10;
        build(&c, SETS);
        cr_expect_eq(run(&c, 1), latest[sync], "sync %d", sync);
        if (!c.engine->clocks) continue;
        const uint64_t *clock = c.engine->clocks->tile;
        const bool none = sync == IPU_SYNC_NONE;
        cr_expect_eq(clock[0], none ? 86 : 126);
        cr_expect_eq(clock[1], none ? 86 : 106);
        cr_expect_eq(clock[2], none ? 86 : 106);
    }
}

/* Tile 0 sends 100 words to tile 1: after the sync, the first has arrived after 5 cycles, the last after 104. */
Test(clocks, computing_overlaps_with_words_that_arrive)
{
    static const struct {
        uint64_t sender, receiver; /* cycles of compute */
        bool writes;
        uint64_t with, without;
    } cases[] = {
        {0, 300, false, 5 + 300, 104 + 300}, /* all but the first word arrive meanwhile */
        {0, 50, false, 104 + 1, 104 + 50},   /* only the last word's part remains */
        {0, 150, false, 5 + 150, 104 + 150},
        {200, 50, false, 200, 104 + 200}, /* the sender computes while it sends */
        {60, 50, false, 105, 104 + 60},
        {200, 300, true, 104 + 300, 104 + 300}, /* the sender's words must leave first */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int sync = IPU_SYNC_GLOBAL; sync <= IPU_SYNC_NONE; sync++)
            for (int overlap = 0; overlap < 2; overlap++) {
                chain c = chain_of(2, (ipu_sync)sync, overlap);
                c.words = 100;
                c.writes = cases[i].writes;
                c.cycles[0][0] = cases[i].sender;
                c.cycles[0][1] = cases[i].receiver;
                build(&c, 1);
                cr_expect_eq(run(&c, 1), SYNC + (overlap ? cases[i].with : cases[i].without),
                    "case %zu, sync %d, overlap %d: %zu", i, sync, overlap,
                    (size_t)ipu_engine_cycles(c.engine));
            }
}

/* Tile 0 gathers its word in 50 cycles: 50 + 7 + 5 + 10. */
Test(clocks, a_receiver_waits_until_its_sender_has_gathered)
{
    static const uint64_t gather[] = {50, 0};
    chain c = chain_of(2, IPU_SYNC_NONE, false);
    c.cycles[0][0] = c.cycles[0][1] = 10;
    build(&c, 1);
    ipu_superstep_timing *step = &c.engine->timing.supersteps[0];
    step->gather_cycles = gather;
    step->gather_phase_cycles = 50;
    step->cycles += 50;
    cr_expect_eq(run(&c, 1), 72);
    cr_expect_eq(c.engine->clocks->tile[1], 72);
}

/* A vertex takes twice its typical cycles. */
Test(clocks, cycles_that_depend_on_data_advance_the_clocks)
{
    chain c = chain_of(2, IPU_SYNC_NONE, false);
    c.alone = true;
    c.codelet.compute_timed = timed;
    c.cycles[0][0] = c.cycles[1][1] = 100;
    build(&c, 2);
    cr_expect_eq(run(&c, 3), 600);
    cr_expect_eq(c.engine->compute_cycles[0] + c.engine->compute_cycles[1], 1200);
}

/* Both tiles end after 100 cycles; the stream takes the rest. */
Test(clocks, a_transfer_to_the_host_joins_the_clocks)
{
    chain c = chain_of(2, IPU_SYNC_NONE, false);
    float out[2];
    c.alone = true;
    c.cycles[0][0] = 100;
    c.cycles[1][1] = 60;
    build(&c, 2);
    cr_expect_eq(run(&c, 1), 100);
    ok(ipu_engine_stream(c.engine, &(ipu_slice){0, 0, 2}, 1, out));
    const uint64_t stream = c.engine->stream_cycles;
    cr_expect(stream > 0);
    cr_expect_eq(c.engine->clocks->tile[0], 100 + stream);
    cr_expect_eq(c.engine->clocks->tile[1], 100 + stream);
    cr_expect_eq(run(&c, 1), 200 + stream);
}

/* A run that is interrupted after four rounds, where the clocks differ. */
Test(clocks, an_engine_continues_with_the_saved_clocks)
{
    chain c = chain_of(2, IPU_SYNC_NEIGHBOURS, true), d;
    c.cycles[0][0] = 20;
    c.cycles[0][1] = 30;
    c.cycles[1][0] = 70;
    build(&c, 2);
    d = c;
    build(&d, 2);
    (void)run(&c, 4);
    uint64_t counts[64];
    cr_assert_leq(ipu_engine_counts(c.engine), 64);
    cr_assert_neq(c.engine->clocks->tile[0], c.engine->clocks->tile[1]);
    ipu_engine_count(c.engine, counts);
    ipu_engine_recount(d.engine, counts);
    cr_expect_eq(ipu_engine_cycles(d.engine), ipu_engine_cycles(c.engine));
    cr_expect_eq(run(&d, 3), run(&c, 3));
    cr_expect_arr_eq(d.engine->clocks->tile, c.engine->clocks->tile, 2 * sizeof(uint64_t));
}

/* Random compute cycles on a ring of 40 tiles whose rows and copies differ. */
Test(clocks, no_clock_exceeds_a_global_sync_and_threads_do_not_matter)
{
    enum { TILES = 40, RUNS = 200 };
    for (int kind = 1; kind < 6; kind++) {
        static ring r;
        uint64_t first = 0, compute[TILES];
        ipu_target target = ring_target(TILES);
        ipu_timing timing;
        target.sync = (ipu_sync)(kind % 3);
        target.overlap = kind > 2;
        target.copies = kind % 2 ? IPU_COPIES_ALWAYS : IPU_COPIES_NEVER;
        target.copy_call_cycles = 30;
        target.exchange_fragment_cycles = 2;
        target.exchange_rows = TILES;
        ok(ring_make(&arena, &target, TILES, 5, RING_EDGE, &r));
        ok(ring_time(&arena, r.graph, NULL, 0, &timing));
        for (int threads = 1; threads <= 3; threads++) {
            uint64_t seed = 1, less = 0;
            ipu_clocks *clocks;
            omp_set_num_threads(threads);
            ok(ipu_clocks_make(&arena, &timing, &clocks));
            for (int k = 0; k < RUNS; k++) {
                const ipu_superstep_timing *step = &timing.supersteps[k % 2];
                uint64_t most = 0;
                for (size_t t = 0; t < TILES; t++) {
                    compute[t] = draw(&seed, 1000);
                    most = compute[t] > most ? compute[t] : most;
                }
                const uint64_t advance = ipu_clocks_advance(clocks, (uint32_t)(k % 2), compute),
                               sum = step->cycles - step->compute_phase_cycles + most;
                cr_assert_leq(advance, sum, "kind %d, run %d", kind, k);
                less += advance < sum;
            }
            if (threads == 1) first = clocks->latest;
            cr_expect_eq(clocks->latest, first, "kind %d, %d threads", kind, threads);
            cr_expect(less > 0 || kind == 3, "kind %d", kind);
        }
    }
}

Test(clocks, traces_and_several_chips_need_a_global_sync)
{
    chain c = chain_of(2, IPU_SYNC_NONE, true);
    ipu_trace *trace;
    ipu_target several;
    build(&c, 1);
    cr_expect_eq(ipu_trace_new(&arena, &c.engine->timing, 1, &trace), MT_INPUT);
    cr_expect_str_eq(mt_message(), "a trace of a machine with exchange.sync none and exchange.overlap true; "
                                   "allowed: global and false, with "
                                   "the same phases on all tiles");
    c.target.links = ring_links();
    cr_expect_eq(ipu_target_several(&c.target, 2, &several), MT_INPUT);
    cr_expect_str_eq(mt_message(), "test: 2 chips with exchange.sync none and exchange.overlap true; allowed "
                                   "with several chips: global and "
                                   "false");
    cr_expect_eq(ipu_target_several(&c.target, 1, &several), MT_OK);
    c.target.overlap = false;
    cr_expect_eq(ipu_target_several(&c.target, 2, &several), MT_INPUT);
    c.target.sync = IPU_SYNC_GLOBAL;
    c.target.overlap = true;
    cr_expect_eq(ipu_target_several(&c.target, 2, &several), MT_INPUT);
    c.target.overlap = false;
    cr_expect_eq(ipu_target_several(&c.target, 2, &several), MT_OK);
}
