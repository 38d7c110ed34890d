#include "ipu/cost/control.h"

#include "ipu/cost/links.h"
#include "ipu/machine/integer.h"

static ipu_control_cost cost_of(
    const ipu_target *target, uint64_t external_sync, uint64_t exchange, uint64_t external)
{
    const uint64_t sync = target->sync_cycles + external_sync;
    return (ipu_control_cost){.sync_cycles = sync,
        .external_sync_cycles = external_sync,
        .exchange_cycles = exchange,
        .external_cycles = external,
        .cycles = sync + exchange};
}

ipu_control_cost ipu_control_predicate(
    const ipu_target *target, const ipu_topology *network, uint64_t schedule_cycles, uint64_t link_cycles)
{
    if (target->tiles == 1) return (ipu_control_cost){0};
    return cost_of(
        target, ipu_links_sync_cycles(target, network), schedule_cycles + link_cycles, link_cycles);
}

ipu_control_cost ipu_control_transfer(const ipu_target *target, const ipu_topology *network, bool write,
    uint64_t chip_bytes, uint64_t tile_words)
{
    const ipu_link link = {
        .bytes_per_second = write ? target->host.write_bytes_per_second : target->host.read_bytes_per_second};
    const uint64_t busy = ipu_link_cycles(&link, chip_bytes, target->clock_hz);
    return cost_of(target, target->host.sync_cycles + ipu_links_sync_cycles(target, network),
        ipu_larger(busy, tile_words), busy);
}
