/* Orders of chips as the vendor's guide describes them, and the links that they use, counted by hand. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "ipu/collectives/rings.h"
#include "tests/answers.h"

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(rings, .fini = teardown);

static ipu_rings made(ipu_shape shape, size_t chips, ipu_ring_choice choice)
{
    ipu_rings rings;
    ok(ipu_rings_make(&arena, shape, chips, &choice, &rings));
    return rings;
}

/* Prints the order of chips, such as "0 1 3 2". */
static const char *order(const ipu_ring *ring)
{
    static char text[256];
    size_t used = 0;
    for (size_t k = 0; k < ring->n; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", k > 0 ? " " : "", ring->chip[k]);
    return text;
}

Test(rings, ring_orders_match_the_vendor_guide)
{
    ipu_rings r = made(IPU_LADDER, 8, (ipu_ring_choice){IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1});
    cr_assert_eq(r.n_rings, 1);
    cr_expect_str_eq(order(&r.ring[0]), "0 1 3 5 7 6 4 2");
    r = made(IPU_LADDER, 2, (ipu_ring_choice){IPU_PERIPHERAL_RING, IPU_SWNC, .replica = 1});
    cr_expect_str_eq(order(&r.ring[0]), "0 1");
    r = made(IPU_TORUS, 8, (ipu_ring_choice){IPU_BARLEY_TWIST, IPU_BTNC, .replica = 1});
    cr_assert(r.n_rings == 2 && r.streams == 2);
    cr_expect_str_eq(order(&r.ring[0]), "0 1 3 2 4 5 7 6");
    cr_expect_str_eq(order(&r.ring[1]), "1 0 2 3 5 4 6 7");
    cr_expect(r.ring[0].stream == 0 && r.ring[1].stream == 1);
    r = made(IPU_LADDER, 16, (ipu_ring_choice){IPU_RING_ON_LINE, IPU_DNC, .replica = 2});
    cr_assert(r.n_rings == 2 && r.streams == 1);
    cr_expect_str_eq(order(&r.ring[0]), "0 2 6 10 14 12 8 4");
    cr_expect_str_eq(order(&r.ring[1]), "1 3 7 11 15 13 9 5");
    r = made(IPU_TORUS, 8, (ipu_ring_choice){IPU_RUNG_RING_2, IPU_RINGSWNC, .replica = 2});
    cr_expect_str_eq(order(&r.ring[0]), "0 2 4 6");
    cr_expect_str_eq(order(&r.ring[1]), "1 3 5 7");
    r = made(IPU_LADDER, 16, (ipu_ring_choice){IPU_RUNG_RING_4, IPU_DNC, .replica = 4});
    cr_assert_eq(r.n_rings, 4);
    cr_expect_str_eq(order(&r.ring[3]), "3 7 11 15");
    r = made(IPU_TORUS, 64, (ipu_ring_choice){IPU_RUNG_RING_8, IPU_DNC, .replica = 8});
    cr_assert_eq(r.n_rings, 8);
    cr_expect_str_eq(order(&r.ring[5]), "5 13 21 29 37 45 53 61");
}

Test(rings, groups_are_consecutive_or_orthogonal)
{
    ipu_rings r = made(IPU_LADDER, 8,
        (ipu_ring_choice){
            IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1, .grouping = IPU_CONSECUTIVE, .group = 4});
    cr_assert_eq(r.n_rings, 2);
    cr_expect_str_eq(order(&r.ring[0]), "0 1 3 2");
    cr_expect_str_eq(order(&r.ring[1]), "4 5 7 6");
    r = made(IPU_LADDER, 8,
        (ipu_ring_choice){
            IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1, .grouping = IPU_ORTHOGONAL, .group = 4});
    cr_expect_str_eq(order(&r.ring[0]), "0 2 6 4");
    cr_expect_str_eq(order(&r.ring[1]), "1 3 7 5");
    r = made(IPU_TORUS, 16,
        (ipu_ring_choice){IPU_RUNG_RING_2, IPU_DNC, .replica = 2, .grouping = IPU_ORTHOGONAL, .group = 2});
    cr_assert_eq(r.n_rings, 8);
    cr_expect_str_eq(order(&r.ring[7]), "7 15");
}

/* Computes the bytes over each link in a step in which every chip of every ring sends a byte to its successor. */
static ipu_topology *loads(ipu_shape shape, size_t chips, ipu_ring_choice choice, uint64_t *load)
{
    const ipu_links links = {
        .shape = shape, .direct = 4, .cross = 2, .rail = 2, .lane_bits_per_second = 8e9, .efficiency = 1};
    const ipu_rings r = made(shape, chips, choice);
    ipu_topology *network;
    uint64_t bytes[64 * 64] = {0};
    ok(ipu_topology_of(&arena, &links, chips, &network));
    for (size_t k = 0; k < r.n_rings; k++)
        for (size_t i = 0; i < r.ring[k].n; i++)
            bytes[r.ring[k].chip[i] * chips + r.ring[k].chip[(i + 1) % r.ring[k].n]]++;
    ipu_topology_load(network, bytes, load);
    return network;
}

static void expect_loads(ipu_shape shape, size_t chips, ipu_ring_choice choice, uint64_t most, size_t used)
{
    uint64_t load[512] = {0}, found = 0;
    size_t busy = 0;
    const ipu_topology *network = loads(shape, chips, choice, load);
    for (uint32_t l = 0; l < network->n_links; l++) {
        busy += load[l] > 0;
        if (load[l] > found) found = load[l];
    }
    cr_expect_eq(found, most, "%s on %zu chips: %zu", ipu_logical_name[choice.logical], chips, (size_t)found);
    cr_expect_eq(busy, used, "%s on %zu chips: %zu links", ipu_logical_name[choice.logical], chips, busy);
}

/* Counted by hand. Peripheral ring, 8 chips: one hop over each of 3 rails up, 3 down and 2 rungs. Barley twist: each of the two rings
 * crosses 4 rungs and uses 4 rails, all different. Ring on line, 8 replicas: each rail link is used once up and once down, 7 each on 2
 * rails. Rung rings of s chips: s / 2 rings use each rail link of a torus, in one direction and all the way round; each of the 2 rails
 * has as many links as there are rungs. */
Test(rings, link_use_matches_a_hand_count)
{
    expect_loads(IPU_LADDER, 8, (ipu_ring_choice){IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, 1, 8);
    expect_loads(IPU_TORUS, 8, (ipu_ring_choice){IPU_BARLEY_TWIST, IPU_BTNC, .replica = 1}, 1, 16);
    expect_loads(IPU_LADDER, 16, (ipu_ring_choice){IPU_RING_ON_LINE, IPU_DNC, .replica = 2}, 1, 28);
    expect_loads(IPU_TORUS, 16, (ipu_ring_choice){IPU_RUNG_RING_2, IPU_DNC, .replica = 2}, 1, 16);
    expect_loads(IPU_TORUS, 16, (ipu_ring_choice){IPU_RUNG_RING_4, IPU_DNC, .replica = 4}, 2, 16);
    expect_loads(IPU_TORUS, 64, (ipu_ring_choice){IPU_RUNG_RING_8, IPU_DNC, .replica = 8}, 4, 64);
}

static void expect_refused(ipu_shape shape, size_t chips, ipu_ring_choice choice, const char *message)
{
    ipu_rings rings;
    cr_expect_eq(ipu_rings_make(&arena, shape, chips, &choice, &rings), MT_INPUT, "%s", message);
    cr_expect_str_eq(mt_message(), message);
}

Test(rings, unsupported_rings_are_rejected_with_the_supported_ones)
{
    expect_refused(IPU_LADDER, 32, (ipu_ring_choice){IPU_BARLEY_TWIST, IPU_BTNC, .replica = 1},
        "rings: barley-twist with BTNC for replicas of 1 on a ladder of 32 chips; allowed on it: "
        "peripheral-ring with DNC for replicas of 1, peripheral-ring with SWNC for replicas of 1, "
        "peripheral-ring with RINGSWNC for replicas of 1, ring-on-line with DNC for replicas of 2, "
        "ring-on-line with SWNC for replicas of 2");
    expect_refused(IPU_LINK_LIST, 4, (ipu_ring_choice){IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1},
        "rings: peripheral-ring with DNC for replicas of 1 on a list of 4 chips; allowed on it: none");
    expect_refused(IPU_TORUS, 12, (ipu_ring_choice){IPU_RUNG_RING_8, IPU_DNC, .replica = 8},
        "rings: 12 chips in replicas of 8; allowed: a multiple");
    expect_refused(IPU_TORUS, 6, (ipu_ring_choice){IPU_BARLEY_TWIST, IPU_BTNC, .replica = 1},
        "rings: barley-twist over 6 of 6 chips; allowed: all of an even number of rungs");
    expect_refused(IPU_LADDER, 6, (ipu_ring_choice){IPU_RING_ON_LINE, IPU_DNC, .replica = 2},
        "rings: ring-on-line over 3 replicas; allowed: an even number");
    expect_refused(IPU_LADDER, 8,
        (ipu_ring_choice){
            IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1, .grouping = IPU_CONSECUTIVE, .group = 3},
        "rings: 8 replicas in groups of 3; allowed: at least 2, a divisor of 8");
}

/* Table 8.1 of the vendor's guide, for 16 chips. */
Test(rings, every_row_of_the_table_is_allowed_and_nothing_else)
{
    static const struct {
        size_t replica;
        ipu_logical logical;
        ipu_shape shape;
        ipu_routing routing;
    } rows[] = {{1, IPU_PERIPHERAL_RING, IPU_LADDER, IPU_DNC}, {1, IPU_PERIPHERAL_RING, IPU_LADDER, IPU_SWNC},
        {1, IPU_PERIPHERAL_RING, IPU_LADDER, IPU_RINGSWNC}, {1, IPU_PERIPHERAL_RING, IPU_TORUS, IPU_DNC},
        {1, IPU_PERIPHERAL_RING, IPU_TORUS, IPU_SWNC}, {1, IPU_PERIPHERAL_RING, IPU_TORUS, IPU_RINGSWNC},
        {1, IPU_BARLEY_TWIST, IPU_TORUS, IPU_BTNC}, {2, IPU_RING_ON_LINE, IPU_LADDER, IPU_DNC},
        {2, IPU_RING_ON_LINE, IPU_LADDER, IPU_SWNC}, {2, IPU_RUNG_RING_2, IPU_TORUS, IPU_DNC},
        {2, IPU_RUNG_RING_2, IPU_TORUS, IPU_RINGSWNC}, {4, IPU_RUNG_RING_4, IPU_LADDER, IPU_DNC},
        {4, IPU_RUNG_RING_4, IPU_TORUS, IPU_DNC}, {4, IPU_RUNG_RING_4, IPU_TORUS, IPU_RINGSWNC},
        {8, IPU_RUNG_RING_8, IPU_LADDER, IPU_DNC}, {8, IPU_RUNG_RING_8, IPU_TORUS, IPU_DNC},
        {8, IPU_RUNG_RING_8, IPU_TORUS, IPU_RINGSWNC}};
    static const size_t replicas[] = {1, 2, 4, 8};
    for (int shape = 0; shape <= IPU_LINK_LIST; shape++)
        for (size_t s = 0; s < 4; s++)
            for (int logical = 0; logical < IPU_LOGICALS; logical++)
                for (int routing = 0; routing < IPU_ROUTINGS; routing++) {
                    const ipu_ring_choice choice = {
                        (ipu_logical)logical, (ipu_routing)routing, .replica = replicas[s]};
                    bool wanted = false;
                    ipu_rings rings;
                    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
                        wanted |= rows[k].replica == replicas[s] && rows[k].logical == choice.logical &&
                                  rows[k].shape == (ipu_shape)shape && rows[k].routing == choice.routing;
                    cr_expect_eq(ipu_rings_make(&arena, (ipu_shape)shape, 16, &choice, &rings) == MT_OK,
                        wanted, "%d: %s with %s for %zu", shape, ipu_logical_name[logical],
                        ipu_routing_name[routing], replicas[s]);
                }
}

/* All ring choices on a torus with one buffer per link, in all groups. Rings of the same turn move both ways at once. */
Test(rings, messages_within_a_turn_never_deadlock)
{
    static const struct {
        ipu_logical logical;
        ipu_routing routing;
        size_t replica;
    } ways[] = {{IPU_PERIPHERAL_RING, IPU_DNC, 1}, {IPU_BARLEY_TWIST, IPU_BTNC, 1},
        {IPU_RUNG_RING_2, IPU_DNC, 2}, {IPU_RUNG_RING_4, IPU_DNC, 4}, {IPU_RUNG_RING_8, IPU_DNC, 8}};
    const ipu_links links = {.shape = IPU_TORUS,
        .direct = 4,
        .cross = 2,
        .rail = 2,
        .lane_bits_per_second = 8e9,
        .efficiency = 1,
        .buffers = 1};
    size_t tried = 0, in_turns = 0;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (size_t chips = 2; chips <= 24; chips += 2)
            for (size_t group = 2; group <= chips; group++)
                for (int grouping = IPU_CONSECUTIVE; grouping <= IPU_ORTHOGONAL; grouping++) {
                    const ipu_ring_choice choice = {ways[w].logical, ways[w].routing,
                        .replica = ways[w].replica, .grouping = (ipu_grouping)grouping, .group = group};
                    ipu_topology *network;
                    ipu_rings rings;
                    if (ipu_rings_make(&arena, IPU_TORUS, chips, &choice, &rings) != MT_OK) continue;
                    ok(ipu_topology_of(&arena, &links, chips, &network));
                    tried++;
                    in_turns += rings.turns > 1;
                    for (unsigned turn = 0; turn < rings.turns; turn++) {
                        uint64_t bytes[24 * 24] = {0};
                        for (size_t r = 0; r < rings.n_rings; r++)
                            for (size_t k = 0; rings.ring[r].turn == turn && k < rings.ring[r].n; k++) {
                                const uint32_t a = rings.ring[r].chip[k],
                                               b = rings.ring[r].chip[(k + 1) % rings.ring[r].n];
                                bytes[a * chips + b] = bytes[b * chips + a] = 1;
                            }
                        ok(ipu_topology_check_deadlock(network, bytes));
                    }
                }
    cr_expect(tried > 50 && in_turns > 5, "%zu, %zu", tried, in_turns);
}

/* Nine pairs of chips, half a torus apart. A ring that must wait leaves the occupancy of the turn unchanged, so two turns suffice. */
Test(rings, the_number_of_turns_is_minimal)
{
    const ipu_rings r = made(IPU_TORUS, 18,
        (ipu_ring_choice){
            IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1, .grouping = IPU_ORTHOGONAL, .group = 2});
    cr_assert_eq(r.n_rings, 9);
    cr_expect_eq(r.turns, 2);
    cr_expect_eq(made(IPU_TORUS, 64, (ipu_ring_choice){IPU_RUNG_RING_8, IPU_DNC, .replica = 8}).turns, 4);
}
