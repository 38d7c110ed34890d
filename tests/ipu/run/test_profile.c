#include <criterion/criterion.h>

#include "ipu/run/profile.h"
#include "tests/answers.h"
#include "tests/ipu/test_ring.h"

#include <math.h>

/* The ring of test_compile, 4 tiles of 10: "add" 126 + 331 + 71 = 528, "back" 71; 5 rounds. Memory of a tile: variables 80, received 8,
 * vertex state 24, codelet code 160, exchange code 144, reserved 1104, in all 1520; its code leaves 16080 bytes of a memory element
 * unused. An empty tile: 1104. */
Test(profile, sums_match_a_hand_calculation_of_the_parts)
{
    mt_arena arena = {0};
    static ring r;
    ipu_target target = ring_target(6); /* two tiles are empty */
    const ipu_program *p = NULL;
    ipu_executable *e = NULL;
    ipu_engine *engine = NULL;
    ipu_profile profile;
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_TAIL, &r), MT_OK);
    cr_assert_eq(ring_program(&arena, &r, 5, &p), MT_OK);
    cr_assert_eq(ipu_compile(&arena, r.graph, &p, 1, &e), MT_OK);
    cr_assert_eq(ipu_engine_new(&arena, e, false, &engine), MT_OK);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
    cr_assert_eq(ipu_profile_make(&arena, engine, &profile), MT_OK);
    cr_expect_eq(profile.n_steps, 2);
    const ipu_profile_step *add = &profile.steps[r.add];
    cr_expect_str_eq(add->name, "add");
    cr_expect_eq(add->runs, 5);
    cr_expect_eq(add->cycles, 528);
    cr_expect_eq(add->total_cycles, 5 * 528);
    cr_expect_eq(add->sync_cycles, 126);
    cr_expect_eq(add->exchange_phase_cycles, 331);
    cr_expect_eq(add->external_cycles, 0);
    cr_expect_eq(add->bytes_crossing, 0);
    cr_expect_null(add->busiest_link);
    cr_expect_eq(add->exchange.tiles, 4, "two of six have nothing to do and do not count");
    cr_expect(add->exchange.min == 331 && add->exchange.mean == 331 && add->exchange.max == 331);
    cr_expect_eq(add->exchange.sd, 0);
    cr_expect_eq(ipu_spread_effectiveness(&add->exchange), 1);
    cr_expect_eq(add->compute.tiles, 4);
    cr_expect(add->compute.min == 71 && add->compute.mean == 71 && add->compute.max == 71);
    cr_expect(profile.steps[r.back].exchange.tiles == 0 && profile.steps[r.back].exchange.max == 0);
    cr_expect_eq(add->ranges_received, 8);
    cr_expect_eq(add->total_compute_cycles, 5 * 71);
    cr_expect_float_eq(add->workers_busy, 4 * 60 / (6 * 71.0), 1e-15, "4 of 6 tiles have work");
    cr_expect_eq(profile.sync_cycles, 5 * 126);
    cr_expect_eq(profile.exchange_cycles, 5 * 331);
    cr_expect_eq(profile.compute_cycles, 5 * (71 + 71));
    cr_expect_eq(profile.cycles, 5 * (528 + 71));
    cr_expect_eq(profile.cycles, ipu_engine_cycles(engine));
    cr_expect_float_eq(profile.seconds, 2995 / 1.325e9, 1e-18);
    cr_expect_eq(profile.memory_max, 17600);
    cr_expect_eq(profile.memory_median, 17600);
    cr_expect_eq(profile.memory_available, 638976);
    cr_expect_eq(profile.fullest_tile, 0);
    cr_expect_eq(profile.fullest.bytes[IPU_MEMORY_VERTEX_CODE], 160);
    cr_expect_eq(profile.fullest.total, 1520);
    cr_expect_eq(profile.fullest.gaps, 16080);
    cr_expect_eq(profile.memory_all.bytes[IPU_MEMORY_VERTEX_CODE], 4 * 160);
    cr_expect_eq(profile.memory_all.total, 4 * 1520 + 2 * 1104);
    cr_expect_eq(profile.memory_all.gaps, 4 * 16080);
    cr_expect_eq(profile.memory_all.always_live, 4 * (1520 - 8) + 2 * 1104);
    cr_expect_eq(profile.memory_all.not_always_live, 4 * 8);
    mt_arena_free(&arena);
}

/* The ring of test_compile on two chips of two tiles: two words in each direction, 8 bytes at half a byte per cycle. */
Test(profile, traffic_between_chips_is_reported)
{
    mt_arena arena = {0};
    static ring r;
    ipu_target target = ring_target(4);
    const ipu_program *p = NULL;
    ipu_executable *e = NULL;
    ipu_engine *engine = NULL;
    ipu_profile profile;
    target.ipus = 2;
    target.clock_hz = 2e9;
    target.links = ring_links();
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_TAIL, &r), MT_OK);
    cr_assert_eq(ring_program(&arena, &r, 5, &p), MT_OK);
    cr_assert_eq(ipu_compile(&arena, r.graph, &p, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_profile_costs(&arena, e, &profile), MT_OK);
    cr_expect_eq(profile.external_sync_cycles, 0, "nothing has been run");
    cr_assert_eq(ipu_engine_new(&arena, e, false, &engine), MT_OK);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
    cr_assert_eq(ipu_profile_make(&arena, engine, &profile), MT_OK);
    cr_expect_eq(profile.external_sync_cycles, 5 * 20);
    cr_expect_eq(profile.sync_cycles, 5 * 146);
    cr_expect_eq(profile.cycles, 5 * (146 + 347 + 71 + 71));
    const ipu_profile_step *add = &profile.steps[r.add];
    cr_expect_eq(add->bytes_crossing, 16);
    cr_expect_eq(add->external_cycles, 16);
    cr_expect_str_eq(add->busiest_link, "direct, rung 0, IPU 0 to 1");
    cr_expect_eq(add->exchange_phase_cycles, 331 + 16);
    cr_expect_eq(add->sync_cycles, 126 + 20);
    mt_arena_free(&arena);
}

/* A ring, five rounds: sync 126 (100 to 200), exchange 331 with two fragments of 160 (150 to 160), compute 71 + 71 with 22 cycles of
 * entries of 11 (11 to 20). The profile itself does not change. */
Test(profile, uncertainty_ranges_equal_results_with_other_constants)
{
    ipu_band bands[] = {{"exchange.sync_cycles", 100, 200}, {"exchange.fragment_cycles", 150, 160},
        {"vertex.entry_cycles", 11, 20}};
    ipu_target target = ring_target(4);
    const ipu_program *p;
    ipu_executable *e = NULL;
    ipu_engine *engine;
    ipu_profile profile;
    mt_arena arena = {0};
    ring r;
    target.bands = bands;
    target.n_bands = 3;
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_TAIL, &r), MT_OK);
    cr_assert_eq(ring_program(&arena, &r, 5, &p), MT_OK);
    cr_assert_eq(ipu_compile(&arena, r.graph, &p, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, false, &engine), MT_OK);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
    cr_assert_eq(ipu_profile_make(&arena, engine, &profile), MT_OK);
    cr_expect_eq(profile.band.at[IPU_FAST], 0, "not requested");
    cr_assert_eq(ipu_profile_add_bands(e, &profile), MT_OK, "%s", mt_message());
    cr_expect_eq(profile.cycles, 5 * (126 + 331 + 71 + 71));
    cr_expect_eq(profile.band.at[IPU_FAST], 5 * (100 + 311 + 71 + 71));
    cr_expect_eq(profile.band.at[IPU_SLOW], 5 * (200 + 331 + 80 + 80));
    cr_expect_eq(profile.steps[r.add].band.at[IPU_SLOW], 200 + 331 + 80);
    cr_expect_eq(e->graph->target.sync_cycles, 126);
    mt_arena_free(&arena);
}

/* Chips of one tile each; links of 1 GB/s at 2 GHz, half a byte per cycle. */
static ipu_target chips(size_t n)
{
    ipu_target target = ring_target(n);
    target.ipus = n;
    target.clock_hz = 2e9;
    target.links = ring_links();
    return target;
}

/* A ring over the first three of four chips, a word in each direction between any two. From 1 to 2: across rung 0, then along rail 0.
 * From 2 to 1: across rung 1 to the empty chip 3, then along rail 1. */
Test(profile, link_loads_follow_from_the_routes)
{
    static const uint64_t bytes[] = {4, 4, 0, 4, 0, 0, 4, 0, 8, 4, 0, 4};
    mt_arena arena = {0};
    static ring r;
    const ipu_target target = chips(4);
    ipu_executable *e = NULL;
    ipu_profile profile;
    ok(ring_make(&arena, &target, 3, 10, RING_TAIL, &r));
    ok(ipu_compile(&arena, r.graph, NULL, 0, &e));
    ok(ipu_profile_costs(&arena, e, &profile));
    const ipu_profile_step *add = &profile.steps[r.add], *back = &profile.steps[r.back];
    cr_assert_eq(profile.n_links, 12);
    for (size_t l = 0; l < 12; l++) {
        cr_expect_eq(
            add->link_bytes[l], bytes[l], "%s: %zu", profile.links[l].name, (size_t)add->link_bytes[l]);
        cr_expect_eq(add->link_cycles[l], 2 * bytes[l], "%s", profile.links[l].name);
    }
    cr_expect_str_eq(profile.links[8].name, "rail 0, IPU 0 to 2");
    cr_expect(profile.links[8].from == 0 && profile.links[8].to == 2);
    cr_expect_str_eq(add->busiest_link, profile.links[8].name);
    cr_expect_eq(add->external_cycles, 16);
    cr_expect(!back->link_bytes && !back->link_cycles, "it receives nothing");
    mt_arena_free(&arena);
}

/* Two codelets in one compute set: 2 and 3 vertices of 71 cycles; one tile has two vertices. */
Test(profile, cycles_of_vertices_and_of_tiles_have_the_same_sum)
{
    static const ipu_codelet other = {
        "other", 2, ring_joined_fields, ring_copy, ring_cost, .code_bytes = 50, .vertex_bytes = 8};
    mt_arena arena = {0};
    ipu_target target = ring_target(4);
    ipu_graph *graph = NULL;
    ipu_executable *e = NULL;
    ipu_profile profile;
    uint32_t in, out, set;
    ok(ipu_graph_new(&arena, &target, &graph));
    ok(ipu_graph_add_variable(graph, "in", IPU_FLOAT, 50, &in));
    ok(ipu_graph_add_variable(graph, "out", IPU_FLOAT, 50, &out));
    ok(ipu_graph_add_compute_set(graph, "mixed", &set));
    for (uint32_t v = 0; v < 5; v++) {
        const uint32_t tile = v % 4;
        size_t vertex;
        ipu_tensor from, to;
        ok(ipu_graph_set_tile_mapping(graph, in, 10 * v, 10, tile));
        ok(ipu_graph_set_tile_mapping(graph, out, 10 * v, 10, tile));
        ok(ipu_graph_add_vertex(graph, set, v % 2 ? &other : &ring_copy_codelet, tile, NULL, &vertex));
        ok(ipu_graph_add_tensor(graph, &(ipu_slice){in, 10 * v, 10}, 1, &from));
        ok(ipu_graph_add_tensor(graph, &(ipu_slice){out, 10 * v, 10}, 1, &to));
        ok(ipu_graph_connect(graph, vertex, "in", from));
        ok(ipu_graph_connect(graph, vertex, "out", to));
    }
    ok(ipu_compile(&arena, graph, NULL, 0, &e));
    ok(ipu_profile_costs(&arena, e, &profile));
    cr_assert_eq(profile.n_vertices, 2);
    cr_expect_str_eq(profile.vertices[0].codelet, "copy");
    cr_expect_eq(profile.vertices[0].instances, 3);
    cr_expect_eq(profile.vertices[0].cycles, 3 * 71);
    cr_expect_str_eq(profile.vertices[1].codelet, "other");
    cr_expect_eq(profile.vertices[1].instances, 2);
    cr_expect_eq(profile.vertices[1].cycles, 2 * 71);
    uint64_t sum = 0;
    for (size_t t = 0; t < profile.n_tiles; t++) sum += profile.steps[0].tile_compute_cycles[t];
    cr_expect_eq(sum, 5 * 71);
    cr_expect_eq(profile.steps[0].compute.max, 2 * 71);
    mt_arena_free(&arena);
}

Test(profile, a_profile_outlives_its_executable_and_includes_the_memory_of_every_tile)
{
    mt_arena arena = {0}, of = {0};
    static ring r;
    const ipu_target target = chips(4);
    ipu_executable *e = NULL;
    ipu_profile profile;
    ok(ring_make(&of, &target, 3, 10, RING_TAIL, &r));
    ok(ipu_compile(&of, r.graph, NULL, 0, &e));
    ok(ipu_profile_costs(&arena, e, &profile));
    mt_arena_free(&of);
    cr_assert_eq(profile.n_tiles, 4);
    cr_expect_eq(profile.memory[2].total + profile.memory[2].gaps, profile.memory_max);
    cr_expect_eq(profile.memory[3].total, 1104, "reserved");
    cr_expect_eq(profile.steps[0].tile_exchange_cycles[3], 0);
    cr_expect_gt(profile.steps[0].tile_exchange_cycles[0], 0);
    cr_expect_str_eq(profile.vertices[0].codelet, "add");
    mt_arena_free(&arena);
}
