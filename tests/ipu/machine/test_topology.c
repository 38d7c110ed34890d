#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "ipu/machine/topology.h"

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(topology, .fini = teardown);

static const ipu_links gc200 = {.direct = 4,
    .cross = 2,
    .rail = 2,
    .lane_bits_per_second = 137438953472,
    .efficiency = 0.85,
    .packet_bytes = 1024,
    .sync_ns_per_hop = 15};

static ipu_topology *made(ipu_shape shape, size_t n)
{
    ipu_topology *t = NULL;
    ipu_links links = gc200;
    links.shape = shape;
    cr_assert_eq(ipu_topology_of(&arena, &links, n, &t), MT_OK, "%s", mt_message());
    return t;
}

static ipu_topology *listed(const ipu_link *links, size_t n_links, size_t n)
{
    ipu_topology *t = NULL;
    cr_assert_eq(ipu_topology_list(&arena, links, n_links, n, &t), MT_OK, "%s", mt_message());
    return t;
}

/* The chips of a route, as text: "0 1 3". */
static const char *way(const ipu_topology *t, uint32_t from, uint32_t to)
{
    static char text[512];
    int at = snprintf(text, sizeof text, "%u", from);
    for (ipu_way w = ipu_topology_way(t, from, to); w.at != to;) {
        const uint32_t chip = w.at;
        const ipu_link *link = &t->links[ipu_way_next(&w)];
        cr_assert_eq(link->from, chip, "a route is joined");
        at += snprintf(text + at, sizeof text - (size_t)at, " %u", link->to);
    }
    return text;
}

static uint32_t first_link(const ipu_topology *t, uint32_t from, uint32_t to)
{
    ipu_way w = ipu_topology_way(t, from, to);
    return ipu_way_next(&w);
}

/* Returns the traffic of n bytes from every chip to every other chip. */
static uint64_t *all_to_all(const ipu_topology *t, uint64_t n)
{
    uint64_t *bytes = mt_arena_alloc(&arena, (size_t)t->n_chips * t->n_chips, sizeof *bytes);
    for (uint32_t a = 0; a < t->n_chips; a++)
        for (uint32_t b = 0; b < t->n_chips; b++) bytes[a * t->n_chips + b] = a == b ? 0 : n;
    return bytes;
}

static uint64_t *loaded(const ipu_topology *t, const uint64_t *bytes)
{
    uint64_t *load = mt_arena_alloc(&arena, t->n_links, sizeof *load);
    ipu_topology_load(t, bytes, load);
    return load;
}

static void expect_refused(mt_status status, const char *message)
{
    cr_expect_eq(status, MT_INPUT);
    cr_expect_str_eq(mt_message(), message);
}

/* The rows published for the model of Graphcore's tests, to the digits given. A flow is the traffic from one chip to another. */
Test(topology, ladders_of_2_4_8_and_16_chips_match_the_model)
{
    static const double clock_hz[] = {1.6e9, 1.33e9, 1.85e9};
    static const struct {
        size_t n;
        uint32_t hops;
        uint64_t sync[3], flows;
        double per_flow, per_flow_digit, per_chip;
        const char *link;
    } rows[] = {{2, 1, {48, 40, 56}, 1, 58.41, 0.01, 58.4, "direct, rung 0, IPU 0 to 1"},
        {4, 2, {96, 80, 111}, 2, 14.60, 0.01, 43.8, "rail 0, IPU 0 to 2"},
        {8, 3, {144, 120, 167}, 8, 3.65, 0.01, 25.6, "rail 0, IPU 2 to 4"},
        {16, 5, {240, 200, 278}, 32, 0.913, 0.001, 13.7, "rail 0, IPU 6 to 8"}};
    for (size_t k = 0; k < 4; k++) {
        const ipu_topology *t = made(IPU_LADDER, rows[k].n);
        const uint64_t *load = loaded(t, all_to_all(t, 1));
        const uint32_t busiest = ipu_topology_busiest(t, load);
        const double per_flow = t->links[busiest].bytes_per_second / (double)load[busiest] / 1e9;
        cr_expect_eq(t->hops, rows[k].hops);
        for (int f = 0; f < 3; f++)
            cr_expect_eq(ipu_topology_sync_cycles(t, 15, clock_hz[f]), rows[k].sync[f]);
        cr_expect_str_eq(t->links[busiest].name, rows[k].link);
        cr_expect_eq(load[busiest], rows[k].flows);
        cr_expect_float_eq(per_flow, rows[k].per_flow, rows[k].per_flow_digit / 2);
        cr_expect_float_eq(per_flow * (double)(rows[k].n - 1), rows[k].per_chip, 0.05);
    }
}

/* 8 chips: the middle rails carry the traffic between two pairs of rungs. A chip crosses its rung for the 3 chips on other rungs on the
 * other side. */
Test(topology, link_loads_of_a_ladder_match_a_hand_calculation)
{
    const ipu_topology *t = made(IPU_LADDER, 8);
    const uint64_t *load = loaded(t, all_to_all(t, 10));
    for (uint32_t l = 0; l < t->n_links; l++) {
        const ipu_link *link = &t->links[l];
        const bool rail = link->from / 2 != link->to / 2;
        const bool middle = link->from / 2 + link->to / 2 == 3; /* rungs 1 and 2 */
        const uint64_t wanted = rail ? middle ? 80 : 60 : strncmp(link->name, "cross", 5) == 0 ? 30 : 10;
        cr_expect_eq(load[l], wanted, "%s: %lu", link->name, load[l]);
    }
}

Test(topology, a_link_is_busy_for_its_bytes_at_its_rate)
{
    const ipu_link link = {0, 1, 1e9, "x"};
    cr_expect_eq(ipu_link_cycles(&link, 0, 2e9), 0);
    cr_expect_eq(ipu_link_cycles(&link, 3, 2e9), 6);
    cr_expect_eq(ipu_link_cycles(&link, 3, 1.1e9), 4, "3.3 rounded up");
}

/* Two links with the same load: the slower one. Two equal links: the one with more load. */
Test(topology, the_busiest_link_is_determined_by_time_and_not_by_bytes)
{
    const ipu_link links[] = {{0, 1, 4e9, NULL}, {1, 0, 1e9, NULL}};
    const ipu_topology *t = listed(links, 2, 2);
    cr_expect_eq(ipu_topology_busiest(t, (uint64_t[]){10, 10}), 1);
    cr_expect_eq(ipu_topology_busiest(t, (uint64_t[]){50, 10}), 0);
    cr_expect_eq(ipu_topology_busiest(t, (uint64_t[]){40, 10}), 0, "the first of equals");
    cr_expect_str_eq(t->links[1].name, "link 1, IPU 1 to 0");
}

Test(topology, routes_of_a_ladder_cross_the_rung_first)
{
    const ipu_topology *t = made(IPU_LADDER, 8);
    const double across = t->links[first_link(t, 0, 1)].bytes_per_second,
                 beyond = t->links[first_link(t, 0, 3)].bytes_per_second;
    cr_expect_str_eq(way(t, 0, 1), "0 1");
    cr_expect_str_eq(way(t, 0, 7), "0 1 3 5 7");
    cr_expect_str_eq(way(t, 7, 2), "7 6 4 2");
    cr_expect_float_eq(across, 4 * 14.60e9, 0.02e9, "traffic that ends across the rung");
    cr_expect_float_eq(beyond, 2 * 14.60e9, 0.01e9, "traffic that continues");
}

/* A direct link, of four lanes, counts one; the others, of two lanes, count two. */
Test(topology, distances_on_a_ladder_add_up_along_the_routes)
{
    const ipu_topology *t = made(IPU_LADDER, 16);
    const double direct = t->links[first_link(t, 0, 1)].bytes_per_second;
    for (uint32_t from = 0; from < 16; from++)
        for (uint32_t to = 0; to < 16; to++) {
            double sum = 0;
            for (ipu_way w = ipu_topology_way(t, from, to); w.at != to;)
                sum += direct / t->links[ipu_way_next(&w)].bytes_per_second;
            cr_assert_eq((double)ipu_topology_ladder_distance(from, to), sum, "from %u to %u", from, to);
        }
}

/* 8 rungs: 3 back through the joined ends instead of 5; 4 in either direction never use the joined ends. */
Test(topology, routes_of_a_torus_take_the_shorter_direction)
{
    const ipu_topology *t = made(IPU_TORUS, 16);
    cr_expect_str_eq(way(t, 0, 10), "0 14 12 10");
    cr_expect_str_eq(way(t, 14, 3), "14 15 1 3");
    cr_expect_str_eq(way(t, 2, 10), "2 4 6 8 10");
    cr_expect_str_eq(way(t, 10, 2), "10 8 6 4 2");
    cr_expect_str_eq(way(t, 12, 4), "12 10 8 6 4");
    cr_expect_eq(t->hops, 5);
    cr_expect_eq(
        made(IPU_TORUS, 4)->n_links, made(IPU_LADDER, 4)->n_links, "two rungs are neighbours anyway");
    cr_expect_eq(made(IPU_TORUS, 6)->n_links, 3 * 4 + 3 * 4);
}

/* Two routes of two links from 0 to 3: through 2, starting with link 0, and through 1, starting with link 1. */
Test(topology, routes_of_a_list_are_the_shortest_with_the_lowest_numbers)
{
    const ipu_link links[] = {{0, 2, 1e9, NULL}, {0, 1, 1e9, NULL}, {1, 3, 1e9, NULL}, {2, 3, 1e9, NULL},
        {3, 0, 1e9, NULL}, {3, 0, 9e9, NULL}};
    const ipu_topology *t = listed(links, 6, 4);
    cr_expect_str_eq(way(t, 0, 3), "0 2 3");
    cr_expect_str_eq(way(t, 1, 2), "1 3 0 2");
    cr_expect_eq(first_link(t, 3, 0), 4, "the lower number represents both");
}

/* A ladder specified as a list: the hops of its sync are counted, and equal the formula. */
Test(topology, hops_of_a_list_are_counted)
{
    for (uint32_t n = 2; n <= 16; n += 2) {
        for (int shape = IPU_LADDER; shape <= IPU_TORUS; shape++) {
            const ipu_topology *t = made((ipu_shape)shape, n);
            cr_expect_eq(listed(t->links, t->n_links, n)->hops, t->hops, "%u chips", n);
        }
    }
    cr_expect_eq(listed(NULL, 0, 1)->hops, 0);
}

Test(topology, one_chip_has_no_links)
{
    cr_expect_eq(made(IPU_LADDER, 1)->n_links, 0);
    cr_expect_eq(ipu_topology_sync_cycles(made(IPU_TORUS, 1), 15, 1e9), 0);
}

Test(topology, invalid_topologies_are_rejected)
{
    ipu_topology *t = NULL;
    ipu_links torus = gc200;
    torus.shape = IPU_TORUS;
    const ipu_link self[] = {{1, 1, 1e9, NULL}}, far[] = {{0, 2, 1e9, NULL}}, still[] = {{0, 1, 0, NULL}},
                   one_way[] = {{0, 1, 1e9, NULL}};
    expect_refused(ipu_topology_of(&arena, &gc200, 3, &t),
        "3 IPUs on a ladder; allowed: 1, or an even number, with two per rung");
    expect_refused(ipu_topology_of(&arena, &torus, 5, &t),
        "5 IPUs on a torus; allowed: 1, or an even number, with two per rung");
    expect_refused(ipu_topology_of(&arena, &gc200, 0, &t), "0 IPUs; allowed: 1 to 65535");
    expect_refused(
        ipu_topology_list(&arena, self, 1, 2, &t), "link 0: from IPU 1 to itself; allowed: to another");
    expect_refused(ipu_topology_list(&arena, far, 1, 2, &t), "link 0: from IPU 0 to IPU 2; allowed: 0 to 1");
    expect_refused(
        ipu_topology_list(&arena, still, 1, 2, &t), "link 0: 0 bytes per second; allowed: above 0");
    expect_refused(
        ipu_topology_list(&arena, one_way, 1, 2, &t), "no route over the links from IPU 1 to IPU 0");
}

/* A ring in one direction, with one lane from 2 to 0 and four elsewhere. Each link carries the traffic that ends at its end, the traffic
 * that continues there, and the traffic from the link before. A lane carries 16 GiB/s, of which a share of 0.85 is data. */
Test(topology, a_listed_ring_of_three_matches_a_hand_calculation)
{
    ipu_listed_link ring[] = {{0, 1, 4}, {1, 2, 4}, {2, 0, 1}};
    ipu_links links = gc200;
    ipu_topology *t = NULL;
    links.shape = IPU_LINK_LIST;
    links.list = ring;
    links.n_list = 3;
    cr_assert_eq(ipu_topology_of(&arena, &links, 3, &t), MT_OK, "%s", mt_message());
    cr_assert_eq(t->n_links, 3);
    cr_expect_str_eq(way(t, 0, 2), "0 1 2");
    cr_expect_str_eq(way(t, 2, 1), "2 0 1");
    const uint64_t *load = loaded(t, all_to_all(t, 10));
    for (uint32_t l = 0; l < 3; l++) {
        cr_expect_eq(load[l], 30);
        cr_expect_float_eq(
            t->links[l].bytes_per_second, (double)ring[l].lanes * 16 * 0x1p30 * 0.85, 1e-4, "link %u", l);
    }
    cr_expect_eq(ipu_topology_busiest(t, load), 2);
    cr_expect_str_eq(t->links[2].name, "link 2, IPU 2 to 0");
    cr_expect_eq(t->hops, 2);
    cr_assert_eq(ipu_topology_of(&arena, &links, 1, &t), MT_OK, "%s", mt_message());
    cr_expect_eq(t->n_links, 0);
    expect_refused(ipu_topology_of(&arena, &links, 2, &t), "2 IPUs on links that connect 3; allowed: 1 or 3");
}

/* A ring of four chips in both directions, clockwise links first. */
static const ipu_listed_link both_ways[] = {
    {0, 1, 2}, {1, 2, 2}, {2, 3, 2}, {3, 0, 2}, {1, 0, 2}, {2, 1, 2}, {3, 2, 2}, {0, 3, 2}};

static ipu_links ring_with(ipu_listed_link *list, ipu_listed_route *routes, size_t n_routes)
{
    ipu_links links = gc200;
    memcpy(list, both_ways, sizeof both_ways);
    links.shape = IPU_LINK_LIST;
    links.direct = links.cross = links.rail = 0;
    links.list = list;
    links.n_list = 8;
    links.routes = routes;
    links.n_routes = n_routes;
    return links;
}

/* A clockwise link carries the traffic that ends at its end, the traffic that continues there, and the traffic from the link before; a
 * link in the other direction only the traffic that ends there. The route from 0 to 2 through 3 removes one flow from links 0 and 1 and
 * adds one to links 7 and 6. */
Test(topology, a_specified_route_carries_only_its_pair)
{
    ipu_listed_link list[8];
    uint32_t by_three[] = {3};
    ipu_listed_route routes[] = {{0, 2, by_three, 1}};
    const ipu_links links = ring_with(list, routes, 1), plain = ring_with(list, NULL, 0);
    static const uint64_t wanted[2][8] = {{30, 30, 30, 30, 10, 10, 10, 10}, {20, 20, 30, 30, 10, 10, 20, 20}};
    ipu_topology *t = NULL;
    for (int stated = 0; stated < 2; stated++) {
        cr_assert_eq(ipu_topology_of(&arena, stated ? &links : &plain, 4, &t), MT_OK, "%s", mt_message());
        const uint64_t *load = loaded(t, all_to_all(t, 10));
        for (uint32_t l = 0; l < 8; l++) cr_expect_eq(load[l], wanted[stated][l], "link %u: %lu", l, load[l]);
    }
    cr_expect_eq(ipu_topology_check_links("x", &links), MT_OK, "%s", mt_message());
    cr_expect_str_eq(way(t, 0, 2), "0 3 2");
    cr_expect_str_eq(way(t, 3, 1), "3 0 1", "through 0, but not from there");
    cr_expect_str_eq(way(t, 2, 0), "2 3 0");
}

/* The chips are neighbours with a link, but the stated route goes around them through 2 and 3. */
Test(topology, intermediate_chips_of_a_specified_route_count)
{
    ipu_listed_link list[8];
    uint32_t around[] = {3, 2};
    ipu_listed_route routes[] = {{0, 1, around, 2}};
    const ipu_links links = ring_with(list, routes, 1);
    const uint64_t bytes[16] = {[1] = 1}, other[16] = {[4] = 1};
    ipu_topology *t = NULL;
    cr_assert_eq(ipu_topology_of(&arena, &links, 4, &t), MT_OK, "%s", mt_message());
    cr_expect(ipu_topology_has_multi_link_routes(t, bytes));
    cr_expect(!ipu_topology_has_multi_link_routes(t, other));
    cr_expect_str_eq(way(t, 0, 1), "0 3 2 1");
}

/* Three quarters use 3 of 4 lanes, rounded down; with three links of two lanes each carries a third. */
Test(topology, parallel_links_share_traffic_in_proportion_to_their_lanes)
{
    ipu_listed_link two[] = {{0, 1, 3}, {1, 0, 4}, {0, 1, 1}};
    ipu_links links = gc200;
    ipu_topology *t = NULL;
    uint64_t bytes[4] = {[1] = 100, [2] = 100};
    links.shape = IPU_LINK_LIST;
    links.list = two;
    links.n_list = 3;
    cr_assert_eq(ipu_topology_of(&arena, &links, 2, &t), MT_OK, "%s", mt_message());
    const uint64_t *load = loaded(t, bytes);
    cr_expect(load[0] == 75 && load[1] == 100 && load[2] == 25, "%lu %lu %lu", load[0], load[1], load[2]);
    for (uint32_t l = 0; l < 3; l++)
        cr_expect_eq(ipu_link_cycles(&t->links[l], load[l], 1e9), ipu_link_cycles(&t->links[1], 100, 1e9));
    bytes[1] = 10;
    load = loaded(t, bytes);
    cr_expect(load[0] == 7 && load[2] == 3, "%lu %lu", load[0], load[2]);
    cr_expect_eq(t->hops, 1);
    ipu_listed_link three[] = {{0, 1, 2}, {0, 1, 2}, {1, 0, 4}, {1, 2, 4}, {2, 0, 4}, {0, 1, 2}};
    uint64_t small[9] = {[1] = 1, [2] = 2};
    links.list = three;
    links.n_list = 6;
    cr_assert_eq(ipu_topology_of(&arena, &links, 3, &t), MT_OK, "%s", mt_message());
    load = loaded(t, small);
    cr_expect(load[0] == 1 && load[1] == 1 && load[5] == 1, "%lu %lu %lu", load[0], load[1], load[5]);
    cr_expect(load[2] == 0 && load[3] == 2 && load[4] == 0);
}

/* The memory does not depend on the number of a chip. */
Test(topology, memory_of_the_check_is_linear_in_the_length_of_the_list)
{
    ipu_listed_link far[] = {{0, 65534, 1}, {65534, 0, 1}};
    const ipu_links links = {.shape = IPU_LINK_LIST, .list = far, .n_list = 2};
    const size_t before = mt_arena_allocated();
    expect_refused(ipu_topology_check_links("x", &links),
        "x: links.list: no link from IPU 1; allowed: routes between all of IPUs 0 to 65534");
    cr_expect_leq(mt_arena_allocated() - before, 3 * sizeof(bool), "of the chips 0 to 2 at most");
}

/* ---- deadlock ---- */

Test(topology, a_ladder_never_deadlocks)
{
    for (size_t n = 2; n <= 64; n += 2) {
        const ipu_topology *t = made(IPU_LADDER, n);
        cr_expect_eq(ipu_topology_check_deadlock(t, all_to_all(t, 1)), MT_OK, "%s", mt_message());
    }
}

/* Three rungs have no routes of two steps, and four rungs none through the joined ends; the routes of five rungs close the cycle. */
Test(topology, a_torus_of_five_rungs_can_deadlock)
{
    for (size_t n = 2; n <= 8; n += 2) {
        const ipu_topology *t = made(IPU_TORUS, n);
        cr_expect_eq(ipu_topology_check_deadlock(t, all_to_all(t, 1)), MT_OK, "%s", mt_message());
    }
    const ipu_topology *t = made(IPU_TORUS, 10);
    expect_refused(ipu_topology_check_deadlock(t, all_to_all(t, 1)),
        "messages between IPUs can deadlock: a cycle of 5 links, each required by a message that holds the "
        "previous one: 'rail 1, IPU 1 to 3', 'rail 1, IPU 3 to 5', 'rail 1, IPU 5 to 7', 'rail 1, IPU 7 to "
        "9', 'rail 1, IPU 9 to 1'; allowed: no cycle, as on a ladder");
}

/* After the joined ends a route uses the second buffer, and so never closes the cycle. */
Test(topology, with_second_buffers_no_torus_deadlocks)
{
    ipu_links links = gc200;
    links.shape = IPU_TORUS;
    links.buffers = 2;
    for (size_t n = 2; n <= 64; n += 2) {
        ipu_topology *t = NULL;
        cr_assert_eq(ipu_topology_of(&arena, &links, n, &t), MT_OK, "%s", mt_message());
        cr_expect_eq(ipu_topology_check_deadlock(t, all_to_all(t, 1)), MT_OK, "%zu: %s", n, mt_message());
    }
}

/* Only pairs with traffic count. */
Test(topology, a_torus_with_neighbour_messages_only_does_not_deadlock)
{
    const ipu_topology *t = made(IPU_TORUS, 16);
    uint64_t *bytes = mt_arena_alloc(&arena, 16 * 16, sizeof *bytes);
    for (uint32_t a = 0; a < 16; a++) bytes[a * 16 + (a + 2) % 16] = bytes[a * 16 + (a ^ 1)] = 1;
    cr_expect_eq(ipu_topology_check_deadlock(t, bytes), MT_OK, "%s", mt_message());
}

/* The example of Dally and Seitz. Without the route from 3 to 1 there is no cycle. */
Test(topology, a_ring_of_four_with_two_hop_routes_can_deadlock)
{
    const ipu_link links[] = {
        {0, 1, 1e9, "north"}, {1, 2, 1e9, "east"}, {2, 3, 1e9, "south"}, {3, 0, 1e9, "west"}};
    const ipu_topology *t = listed(links, 4, 4);
    uint64_t bytes[16] = {[2] = 1, [4 + 3] = 1, [8] = 1, [12 + 1] = 1};
    expect_refused(ipu_topology_check_deadlock(t, bytes),
        "messages between IPUs can deadlock: a cycle of 4 links, each required by a message that holds the "
        "previous one: 'north', 'east', 'south', 'west'; allowed: no cycle, as on a ladder");
    bytes[12 + 1] = 0;
    cr_expect_eq(ipu_topology_check_deadlock(t, bytes), MT_OK, "%s", mt_message());
}

/* All four routes of two links are clockwise and wait for each other. With one to three of them stated the other way there is no cycle,
 * even if two links share the traffic of a pair; with all four stated the other way there is a cycle again. */
Test(topology, specified_routes_can_break_and_create_deadlock_cycles)
{
    ipu_listed_link list[9];
    uint32_t by[4] = {3, 0, 1, 2};
    ipu_listed_route routes[] = {{0, 2, &by[0], 1}, {1, 3, &by[1], 1}, {2, 0, &by[2], 1}, {3, 1, &by[3], 1}};
    for (size_t n = 0; n <= 4; n++) {
        ipu_links links = ring_with(list, routes, n);
        ipu_topology *t = NULL;
        list[8] = list[1]; /* two links between the same chips */
        links.n_list = 9;
        cr_assert_eq(ipu_topology_of(&arena, &links, 4, &t), MT_OK, "%s", mt_message());
        const bool closed = n == 0 || n == 4;
        cr_expect_eq(ipu_topology_check_deadlock(t, all_to_all(t, 1)), closed ? MT_INPUT : MT_OK, "%zu", n);
    }
}

/* Traffic to chip 2 passes from 1 directly, except that from 3, which passes through 4. So the link from 0 to 1 waits for two links: the
 * link to 4, which closes the cycle of 0, 1 and 4, and the link to 2, which closes the cycle of 0, 1, 2 and 3, in either order of the
 * pairs. */
Test(topology, specified_and_default_routes_are_both_checked_for_deadlocks)
{
    enum { CHIPS = 6 };
    static ipu_listed_link list[] = {
        {0, 1, 1}, {1, 2, 1}, {3, 0, 1}, {1, 4, 1}, {4, 2, 1}, {4, 0, 1}, {2, 3, 1}, {5, 0, 1}, {2, 5, 1}};
    static const struct {
        size_t n;
        struct {
            uint32_t from, to;
        } pair[5]; /* no cycle without the last pair */
    } traffic[] = {{4, {{0, 2}, {1, 0}, {4, 1}, {3, 2}}}, {5, {{3, 2}, {1, 3}, {2, 0}, {3, 1}, {5, 2}}}};
    uint32_t by[] = {0, 1, 4};
    ipu_listed_route route = {3, 2, by, 3};
    ipu_links links = gc200;
    ipu_topology *t = NULL;
    links.shape = IPU_LINK_LIST;
    links.direct = links.cross = links.rail = 0;
    links.list = list;
    links.n_list = sizeof list / sizeof *list;
    links.routes = &route;
    links.n_routes = 1;
    cr_assert_eq(ipu_topology_of(&arena, &links, CHIPS, &t), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < 2; k++) {
        uint64_t bytes[CHIPS * CHIPS] = {0};
        for (size_t i = 0; i < traffic[k].n; i++) {
            cr_expect_eq(ipu_topology_check_deadlock(t, bytes), MT_OK, "%zu: %s", k, mt_message());
            bytes[traffic[k].pair[i].from * CHIPS + traffic[k].pair[i].to] = 1;
        }
        cr_expect_eq(ipu_topology_check_deadlock(t, bytes), MT_INPUT, "%zu", k);
    }
}

Test(topology, invalid_routes_are_rejected_with_position_and_value)
{
    ipu_listed_link list[8];
    uint32_t via[3];
    static const struct {
        uint32_t from, to;
        uint32_t via[3];
        size_t n_via;
        const char *said;
    } wrong[] = {{0, 2, {0}, 0, "no link from IPU 0 to IPU 2; allowed: a route over links.list"},
        {0, 2, {1, 3}, 2, "no link from IPU 1 to IPU 3; allowed: a route over links.list"},
        {0, 2, {1, 0, 1}, 3, "IPU 0 twice; allowed: each IPU once"},
        {0, 2, {1, 2}, 2, "IPU 2 twice; allowed: each IPU once"}, {0, 2, {4}, 1, "IPU 4; allowed: 0 to 3"},
        {7, 2, {0}, 0, "IPU 7; allowed: 0 to 3"}, {1, 1, {0}, 0, "IPU 1 twice; allowed: each IPU once"}};
    ipu_topology *t = NULL;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ipu_listed_route routes[] = {{2, 0, via, 0}, {wrong[k].from, wrong[k].to, via, wrong[k].n_via}};
        uint32_t good[] = {1};
        routes[0].via = good;
        routes[0].n_via = 1;
        memcpy(via, wrong[k].via, sizeof via);
        const ipu_links links = ring_with(list, routes, 2);
        char said[160];
        (void)snprintf(said, sizeof said, "x: links.routes.1: %s", wrong[k].said);
        expect_refused(ipu_topology_check_links("x", &links), said);
        cr_expect_eq(ipu_topology_of(&arena, &links, 4, &t), MT_INPUT, "%s", said);
    }
    ipu_listed_route twice[] = {{0, 1, via, 0}, {1, 2, via, 0}, {0, 1, via, 0}};
    const ipu_links links = ring_with(list, twice, 3);
    expect_refused(ipu_topology_check_links("x", &links),
        "x: links.routes.2: from IPU 0 to IPU 1, as links.routes.0; allowed: each pair once");
}

/* The same ring, with chips 1 to 4, and an additional chip 0. The search follows the link from 1 to 2 for each destination, 0 first. */
Test(topology, a_link_waits_for_the_next_links_of_all_its_routes)
{
    const ipu_link links[] = {{1, 2, 1e9, NULL}, {2, 3, 1e9, NULL}, {3, 4, 1e9, NULL}, {4, 1, 1e9, NULL},
        {2, 0, 1e9, NULL}, {0, 1, 1e9, NULL}};
    const ipu_topology *t = listed(links, 6, 5);
    uint64_t bytes[25] = {[5] = 1, [5 + 3] = 1, [10 + 4] = 1, [15 + 1] = 1, [20 + 2] = 1};
    cr_expect_eq(ipu_topology_check_deadlock(t, bytes), MT_INPUT);
    bytes[5 + 3] = 0;
    cr_expect_eq(ipu_topology_check_deadlock(t, bytes), MT_OK, "%s", mt_message());
}
