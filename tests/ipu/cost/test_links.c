#include <criterion/criterion.h>

#include <string.h>

#include "ipu/cost/links.h"

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(links, .fini = teardown);

Test(links, every_packet_has_a_header)
{
    cr_expect_eq(ipu_links_bytes(0, 10, 3), 0);
    cr_expect_eq(ipu_links_bytes(10, 10, 3), 13);
    cr_expect_eq(ipu_links_bytes(11, 10, 3), 17);
}

/* A ring of three chips at one byte per cycle: a message from 0 to 2 loads two links. */
Test(links, the_busiest_link_determines_the_time)
{
    ipu_target target = {.clock_hz = 1e9, .links = {.sync_ns_per_hop = 15}};
    const ipu_link ring[] = {{0, 1, 1e9, NULL}, {1, 2, 1e9, NULL}, {2, 0, 1e9, NULL}};
    const uint64_t bytes[9] = {[2] = 40, [5] = 2};
    ipu_topology *network = NULL;
    ipu_link_loads loads;
    cr_assert_eq(ipu_topology_list(&arena, ring, 3, 3, &network), MT_OK, "%s", mt_message());
    cr_assert_eq(
        ipu_links_load(&arena, &target, network, bytes, "a test", &loads), MT_OK, "%s", mt_message());
    cr_expect_arr_eq(loads.bytes, ((uint64_t[]){40, 42, 0}), 3 * sizeof *loads.bytes);
    cr_expect_eq(loads.cycles, 42);
    cr_expect_str_eq(loads.busiest, "link 1, IPU 1 to 2");
    cr_expect_eq(ipu_links_sync_cycles(&target, network), 60, "two hops there and back");
    cr_expect_eq(ipu_links_sync_cycles(&target, NULL), 0);
}

/* 10 ns in addition to the bytes, and 7 more if a route has two links: 20 and 34 cycles at 2 GHz, in addition to 80 cycles for 40 bytes. */
Test(links, an_exchange_between_chips_takes_a_fixed_time)
{
    const ipu_target target = {.clock_hz = 2e9, .links = {.setup_ns = 10, .through_ns = 7}};
    const ipu_link ring[] = {{0, 1, 1e9, NULL}, {1, 2, 1e9, NULL}, {2, 0, 1e9, NULL}};
    const uint64_t next[9] = {[1] = 40}, through[9] = {[2] = 40};
    ipu_topology *network = NULL;
    ipu_link_loads loads;
    cr_assert_eq(ipu_topology_list(&arena, ring, 3, 3, &network), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_links_load(&arena, &target, network, next, "a test", &loads), MT_OK);
    cr_expect_eq(loads.fixed, 20);
    cr_expect_eq(loads.cycles, 20 + 80);
    cr_assert_eq(ipu_links_load(&arena, &target, network, through, "a test", &loads), MT_OK);
    cr_expect_eq(loads.fixed, 34);
    cr_expect_eq(loads.cycles, 34 + 80);
}

Test(links, a_deadlock_is_rejected_with_its_links)
{
    const ipu_target target = {.clock_hz = 1e9};
    const ipu_link ring[] = {{0, 1, 1e9, NULL}, {1, 2, 1e9, NULL}, {2, 0, 1e9, NULL}};
    const uint64_t bytes[9] = {[2] = 1, [3] = 1, [7] = 1};
    ipu_topology *network = NULL;
    ipu_link_loads loads;
    cr_assert_eq(ipu_topology_list(&arena, ring, 3, 3, &network), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_links_load(&arena, &target, network, bytes, "a test", &loads), MT_INPUT);
    cr_expect(strstr(mt_message(), "a test: ") == mt_message(), "%s", mt_message());
}
