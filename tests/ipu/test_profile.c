#include <criterion/criterion.h>

#include "ipu/profile.h"
#include "tests/ipu/test_ring.h"

/* The ring of test_compile, 4 tiles of 10: "add" 126 + 332 + 71 = 529, "back" 71; 5 rounds. Memory of a tile:
 * variables 80, received 8, vertex state 24, code 160, of the exchange 144, reserved 1104, in all 1520; its code leaves 16080 bytes
 * of an element. An empty tile: 1104. */
Test(profile, sums_are_those_of_the_parts)
{
    mt_arena arena = {0};
    static ring r;
    ipu_target target = ring_target(6); /* two tiles hold nothing */
    const ipu_program *p = NULL;
    ipu_executable *e = NULL;
    ipu_engine *engine = NULL;
    ipu_profile profile;
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_TAIL, &r), MT_OK);
    cr_assert_eq(ring_program(&arena, &r, 5, &p), MT_OK);
    cr_assert_eq(ipu_compile(&arena, r.graph, &p, 1, &e), MT_OK);
    cr_assert_eq(ipu_engine_new(&arena, e, NULL, &engine), MT_OK);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
    cr_assert_eq(ipu_profile_make(&arena, engine, &profile), MT_OK);
    cr_expect_eq(profile.n_steps, 2);
    const ipu_profile_step *add = &profile.steps[r.add];
    cr_expect_str_eq(add->name, "add");
    cr_expect_eq(add->runs, 5);
    cr_expect_eq(add->cycles, 529);
    cr_expect_eq(add->total_cycles, 5 * 529);
    cr_expect_eq(add->sync_cycles, 126);
    cr_expect_eq(add->exchange_phase_cycles, 332);
    cr_expect_eq(add->external_cycles, 0);
    cr_expect_eq(add->bytes_crossing, 0);
    cr_expect_null(add->busiest_link);
    cr_expect_eq(add->exchange.min, 0);
    cr_expect_eq(add->exchange.max, 332);
    cr_expect_float_eq(add->exchange.mean, 4 * 332 / 6.0, 1e-9);
    cr_expect_eq(add->compute.min, 0);
    cr_expect_eq(add->compute.max, 71);
    cr_expect_float_eq(add->compute.mean, 4 * 71 / 6.0, 1e-9);
    cr_expect_eq(add->ranges_received, 8);
    cr_expect_eq(add->total_compute_cycles, 5 * 71);
    cr_expect_float_eq(add->workers_busy, 4 * 60 / (6 * 71.0), 1e-15, "4 of 6 tiles have work");
    cr_expect_eq(profile.sync_cycles, 5 * 126);
    cr_expect_eq(profile.exchange_cycles, 5 * 332);
    cr_expect_eq(profile.compute_cycles, 5 * (71 + 71));
    cr_expect_eq(profile.cycles, 5 * (529 + 71));
    cr_expect_eq(profile.cycles, ipu_engine_cycles(engine));
    cr_expect_float_eq(profile.seconds, 3000 / 1.325e9, 1e-18);
    cr_expect_eq(profile.memory_max, 17600);
    cr_expect_eq(profile.memory_median, 17600);
    cr_expect_eq(profile.memory_there, 638976);
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

/* The ring of test_compile on two chips of two tiles: two words each way, 8 bytes at half a byte a
 * cycle. */
Test(profile, tells_what_crosses_between_chips)
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
    target.links = (ipu_links){.direct = 1,
        .cross = 1,
        .rail = 1,
        .lane_bits_per_second = 8e9,
        .efficiency = 1,
        .packet_bytes = 1024,
        .sync_ns_per_hop = 5};
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_TAIL, &r), MT_OK);
    cr_assert_eq(ring_program(&arena, &r, 5, &p), MT_OK);
    cr_assert_eq(ipu_compile(&arena, r.graph, &p, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_profile_costs(&arena, e, &profile), MT_OK);
    cr_expect_eq(profile.external_sync_cycles, 0, "nothing has been run");
    cr_assert_eq(ipu_engine_new(&arena, e, NULL, &engine), MT_OK);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK);
    cr_assert_eq(ipu_profile_make(&arena, engine, &profile), MT_OK);
    cr_expect_eq(profile.external_sync_cycles, 5 * 20);
    cr_expect_eq(profile.sync_cycles, 5 * 146);
    cr_expect_eq(profile.cycles, 5 * (146 + 348 + 71 + 71));
    const ipu_profile_step *add = &profile.steps[r.add];
    cr_expect_eq(add->bytes_crossing, 16);
    cr_expect_eq(add->external_cycles, 16);
    cr_expect_str_eq(add->busiest_link, "direct, rung 0, IPU 0 to 1");
    cr_expect_eq(add->exchange_phase_cycles, 332 + 16);
    cr_expect_eq(add->sync_cycles, 126 + 20);
    mt_arena_free(&arena);
}
