#include <criterion/criterion.h>

#include "ipu/cost/control.h"

static const ipu_target machine = {.tiles = 8,
    .clock_hz = 1e9,
    .sync_cycles = 126,
    .host = {.write_bytes_per_second = 8e9, .read_bytes_per_second = 2e9, .sync_cycles = 600}};

/* 2 hops of 15 ns, there and back, at 1 GHz: 60 cycles. */
static const ipu_topology four_chips = {.n_chips = 4, .hops = 2};

Test(control, a_predicate_costs_its_schedule_the_busiest_link_and_a_sync_of_all_chips)
{
    ipu_target several = machine;
    several.links.sync_ns_per_hop = 15;
    const ipu_control_cost one = ipu_control_predicate(&machine, NULL, 171, 0),
                           four = ipu_control_predicate(&several, &four_chips, 171, 16);
    cr_expect_eq(one.cycles, 126 + 171);
    cr_expect_eq(four.external_sync_cycles, 60);
    cr_expect_eq(four.external_cycles, 16);
    cr_expect_eq(four.exchange_cycles, 171 + 16);
    cr_expect_eq(four.cycles, 126 + 60 + 171 + 16);
}

Test(control, on_one_tile_a_predicate_costs_nothing)
{
    ipu_target target = machine;
    target.tiles = 1;
    cr_expect_eq(ipu_control_predicate(&target, NULL, 171, 0).cycles, 0);
}

/* 8 bytes per cycle from the host, 2 to the host; a tile takes one word per cycle. */
Test(control, a_transfer_takes_the_longer_time_of_link_and_port)
{
    cr_expect_eq(ipu_control_transfer(&machine, NULL, true, 800, 99).exchange_cycles, 100);
    cr_expect_eq(ipu_control_transfer(&machine, NULL, true, 800, 101).exchange_cycles, 101);
    const ipu_control_cost read = ipu_control_transfer(&machine, NULL, false, 800, 99);
    cr_expect_eq(read.external_cycles, 400);
    cr_expect_eq(read.external_sync_cycles, 600);
    cr_expect_eq(read.cycles, 126 + 600 + 400);
}
