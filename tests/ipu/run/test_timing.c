#include "tests/ipu/small_graph.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(timing, .fini = teardown);

/* Each tile receives 2 fragments of one word, first all from the left, then all from the right, so no sender has two requests at once.
 * exchange = 10 + 2 * 160 + 1 = 331, and the phase too; compute = 11 + 6 * 10 = 71; T = 126 + 331 + 71 = 528. "back" is local: T = 71. */
Test(timing, cycles_of_a_ring_match_a_hand_calculation)
{
    ipu_target target = ring_target(4);
    ring r;
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_TAIL, &r), MT_OK);
    const ipu_timing *timing = timed(r.graph);
    const ipu_superstep_timing *add = &timing->supersteps[r.add];
    const ipu_exchange *exchange = &timing->executable->supersteps[r.add].exchange;
    for (size_t t = 0; t < 4; t++) {
        cr_expect_eq(add->exchange_cycles[t], 331);
        cr_expect_eq(exchange->tile_first[t], 10 + 160 + 1);
        cr_expect_eq(add->compute_cycles[t], 71);
    }
    cr_expect_eq(add->sync_cycles, 126);
    cr_expect_eq(add->exchange_phase_cycles, 331);
    cr_expect_eq(add->exchange_bound_cycles, 331);
    cr_expect_eq(add->compute_phase_cycles, 71);
    cr_expect_eq(add->cycles, 528);
    cr_expect_eq(exchange->ranges_received, 8);
    cr_expect_eq(exchange->bytes_received, 32);
    cr_expect_eq(exchange->bytes_sent, 32);
    cr_expect_eq(exchange->bytes_copied, 0);
    const ipu_superstep_timing *back = &timing->supersteps[r.back];
    cr_expect_eq(back->sync_cycles, 0);
    cr_expect_eq(back->exchange_phase_cycles, 0);
    cr_expect_eq(back->cycles, 71);
}

/* Tile 0 holds v; tiles 1 to 3 read [0, 8), [0, 4) and [2, 8) and are 24, 27 and 26 cycles away. Words 0 to 7 leave once, in cycles 146
 * to 153, and arrive at tile 1 after 178; the last arrives at tile 3 after 154 + 26. Separately, tiles 1 to 3 need 178, 174 and 176.
 * Tile 0 could begin in cycle 143, when tile 2 is ready. */
Test(timing, data_received_by_several_tiles_are_sent_once)
{
    ipu_graph *g = small_graph(4, true);
    const size_t from[] = {0, 0, 2};
    const size_t n[] = {8, 4, 6};
    for (uint32_t t = 1; t < 4; t++) {
        uint32_t out = add_variable(g, "out", 8, t);
        add_copy(g, t, &(ipu_slice){0, from[t - 1], n[t - 1]}, 1, (ipu_slice){out, 0, n[t - 1]});
    }
    const ipu_timing *timing = timed(g);
    const ipu_superstep_timing *step = &timing->supersteps[0];
    const ipu_exchange *exchange = &timing->executable->supersteps[0].exchange;
    cr_expect_eq(exchange->bytes_sent, 32);
    cr_expect_eq(exchange->bytes_received, 32 + 16 + 24);
    cr_expect_eq(step->exchange_cycles[0], 143 + 8);
    cr_expect_eq(step->exchange_cycles[1], 178);
    cr_expect_eq(step->exchange_cycles[2], 174);
    cr_expect_eq(step->exchange_cycles[3], 176);
    cr_expect_eq(step->exchange_bound_cycles, 178);
    cr_expect_eq(step->exchange_phase_cycles, 180);
}

/* A target at 1 GHz with lanes of half a byte per cycle: direct links carry 2 bytes per cycle, cross links and rails 1; a hop of the
 * sync takes 15 cycles. */
static ipu_target several_target(size_t ipus, size_t tiles_of_one)
{
    ipu_target one = ring_target(tiles_of_one), several;
    one.clock_hz = 1e9;
    one.links = (ipu_links){.direct = 4,
        .cross = 2,
        .rail = 2,
        .lane_bits_per_second = 8e9,
        .efficiency = 0.5,
        .packet_bytes = 1024,
        .sync_ns_per_hop = 15};
    cr_assert_eq(ipu_target_several(&one, ipus, &several), MT_OK, "%s", mt_message());
    return several;
}

/* Variable 0, "v", has 8 floats on tile 0; tile t > 0 reads n[t] of its elements from from[t] on. */
static const ipu_superstep_timing *step_from_tile_0(
    const ipu_target *target, const size_t *from, const size_t *n)
{
    ipu_graph *g = NULL;
    uint32_t set;
    cr_assert_eq(ipu_graph_new(&arena, target, &g), MT_OK);
    (void)add_variable(g, "v", 8, 0);
    cr_assert_eq(ipu_graph_add_compute_set(g, "set", &set), MT_OK);
    for (uint32_t t = 1; t < target->tiles; t++) {
        if (n[t] == 0) continue;
        const uint32_t out = add_variable(g, "out", 8, t);
        add_copy(g, t, &(ipu_slice){0, from[t], n[t]}, 1, (ipu_slice){out, 0, n[t]});
    }
    return &timed(g)->supersteps[0];
}

/* Tiles 0 and 1 are one chip, 2 and 3 another. Tile 1 reads [0, 8), 2 reads [0, 4), 3 reads [2, 8): the 32 bytes cross once, 16 cycles
 * at 2 bytes per cycle. Tile 1 takes longest, 168. Tile 2 is modelled as 23 cycles away on the same chip, tile 1 is 24 away, so tile 2
 * is ready one cycle later: phase = 147 + 24 + 8 + 16. The sync is 126 and 2 * 15. */
Test(timing, data_received_by_several_tiles_of_a_chip_cross_once)
{
    const ipu_target target = several_target(2, 2);
    const ipu_superstep_timing *step =
        step_from_tile_0(&target, (size_t[]){0, 0, 0, 2}, (size_t[]){0, 8, 4, 6});
    cr_expect_eq(step->bytes_crossing, 32);
    cr_expect_eq(step->external_cycles, 16);
    cr_expect_str_eq(step->busiest_link, "direct, rung 0, IPU 0 to 1");
    cr_expect_eq(step->exchange_cycles[1], 10 + 168);
    cr_expect_eq(step->exchange_phase_cycles, 147 + 24 + 8 + 16);
    cr_expect_eq(step->sync_cycles, 126 + 30);
    cr_expect_eq(step->cycles, 126 + 30 + 147 + 24 + 8 + 16 + step->compute_phase_cycles);
}

/* To chip 2 over the rail, to chip 3 across the rung and along the other rail, as separate messages: 32 bytes at 1 byte per cycle; to
 * chip 1, 16 bytes at 2 bytes per cycle. The sync has 2 hops of 30 in addition. */
Test(timing, each_receiving_chip_is_sent_a_separate_copy)
{
    const ipu_target target = several_target(4, 1);
    const ipu_superstep_timing *step =
        step_from_tile_0(&target, (size_t[]){0, 0, 0, 0}, (size_t[]){0, 4, 8, 8});
    cr_expect_eq(step->bytes_crossing, 16 + 32 + 32);
    cr_expect_eq(step->external_cycles, 32);
    cr_expect_str_eq(step->busiest_link, "cross, rung 0, IPU 0 to 1", "the first of three");
    cr_expect_eq(step->sync_cycles, 126 + 60);
}

/* 32 bytes need 4 packets of at most 10 bytes with headers of 3: 44 bytes at 2 per cycle. Two ranges of 8 need one packet each. */
Test(timing, each_range_between_chips_is_sent_in_packets)
{
    ipu_target target = several_target(2, 2);
    target.links.packet_bytes = 10;
    target.links.packet_header_bytes = 3;
    const ipu_superstep_timing *step =
        step_from_tile_0(&target, (size_t[]){0, 0, 0, 0}, (size_t[]){0, 0, 8, 0});
    cr_expect_eq(step->bytes_crossing, 32);
    cr_expect_eq(step->external_cycles, 22);
    step = step_from_tile_0(&target, (size_t[]){0, 0, 0, 4}, (size_t[]){0, 0, 2, 2});
    cr_expect_eq(step->bytes_crossing, 16);
    cr_expect_eq(step->external_cycles, 11);
}

/* 64 bytes of tile 0 and 64 of tile 1, adjacent in host memory: 7 packets of at most 10 bytes for each, not 13 for both; 128 + 14 * 2
 * bytes at 2 per cycle. */
Test(timing, ranges_of_two_tiles_cross_in_separate_packets)
{
    ipu_target target = several_target(2, 2);
    ipu_graph *g = NULL;
    uint32_t set;
    target.links.packet_bytes = 10;
    target.links.packet_header_bytes = 2;
    cr_assert_eq(ipu_graph_new(&arena, &target, &g), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(g, "set", &set), MT_OK);
    for (uint32_t tile = 0; tile < 2; tile++) {
        const uint32_t in = add_variable(g, "in", 16, tile), out = add_variable(g, "out", 16, 2);
        add_copy(g, 2, &(ipu_slice){in, 0, 16}, 1, (ipu_slice){out, 0, 16});
    }
    cr_expect_eq(timed(g)->supersteps[0].external_cycles, 78);
}

Test(timing, traffic_within_a_chip_has_no_external_cost)
{
    const ipu_target target = several_target(2, 2);
    const ipu_superstep_timing *step =
        step_from_tile_0(&target, (size_t[]){0, 0, 0, 0}, (size_t[]){0, 8, 0, 0});
    cr_expect_eq(step->bytes_crossing, 0);
    cr_expect_eq(step->external_cycles, 0);
    cr_expect_null(step->busiest_link);
    cr_expect_eq(step->exchange_phase_cycles, 10 + 168);
    cr_expect_eq(step->sync_cycles, 126);
}

/* A ring with one tile per chip: 0 and 1, 2 and 3 are rungs. Messages between 1 and 2, and between 3 and 0, go across a rung and along a
 * rail, each word separately: 4 cycles. T = 126 + 60 + 331 + 4 + 71. */
Test(timing, cycles_of_a_ring_of_chips_match_a_hand_calculation)
{
    const ipu_target target = several_target(4, 1);
    ring r;
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_TAIL, &r), MT_OK);
    const ipu_timing *timing = timed(r.graph);
    const ipu_superstep_timing *add = &timing->supersteps[r.add];
    cr_expect_eq(add->bytes_crossing, 32);
    cr_expect_eq(add->external_cycles, 4);
    cr_expect_str_eq(add->busiest_link, "cross, rung 0, IPU 0 to 1");
    cr_expect_eq(add->exchange_phase_cycles, 331 + 4);
    cr_expect_eq(add->cycles, 186 + 335 + 71);
    cr_expect_eq(timing->supersteps[r.back].cycles, 71, "nothing is sent");
}

/* In one direction only, a word to the previous tile takes three links. A link of four lanes carries 2 bytes per cycle. */
Test(timing, a_listed_network_is_used_and_its_deadlocks_are_rejected)
{
    ipu_listed_link links[] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {1, 0, 1}};
    ipu_target target = several_target(4, 1);
    ring r;
    target.links.shape = IPU_LINK_LIST;
    target.links.list = links;
    target.links.n_list = 5;
    const ipu_superstep_timing *step =
        step_from_tile_0(&target, (size_t[]){0, 0, 0, 0}, (size_t[]){0, 1, 0, 1});
    cr_expect_eq(step->external_cycles, 4);
    cr_expect_str_eq(step->busiest_link, "link 0, IPU 0 to 1");
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_TAIL, &r), MT_OK);
    expect_refused(r.graph, MT_INPUT,
        "compute set 'add': messages between IPUs can deadlock: a cycle of 4 links, each required by a "
        "message that holds the previous one: 'link 0, IPU 0 to 1', 'link 1, IPU 1 to 2', 'link 2, IPU 2 to "
        "3', 'link 3, IPU 3 to 0'; allowed: no cycle, as on a ladder");
    target.links.n_list = 0;
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_TAIL, &r), MT_OK);
    expect_refused(r.graph, MT_INPUT, "4 IPUs on links that connect 1; allowed: 1 or 1");
}
