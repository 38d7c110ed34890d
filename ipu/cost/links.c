#include "ipu/cost/links.h"

#include <math.h>

#include "ipu/machine/integer.h"

uint64_t ipu_links_bytes(size_t data, size_t packet_bytes, size_t packet_header_bytes)
{
    return data + ipu_divide_up(data, packet_bytes) * packet_header_bytes;
}

mt_status ipu_links_load(mt_arena *arena, const ipu_target *target, const ipu_topology *network,
    const uint64_t *bytes, const char *what, ipu_link_loads *loads)
{
    MT_TRY(mt_fail_in(what, ipu_topology_check_deadlock(network, bytes)));
    MT_ALLOC(arena, loads->bytes, network->n_links);
    ipu_topology_load(network, bytes, loads->bytes);
    const uint32_t most = ipu_topology_busiest(network, loads->bytes);
    loads->busiest = network->links[most].name;
    const ipu_links *l = &target->links;
    const double fixed_ns =
        l->setup_ns + (ipu_topology_has_multi_link_routes(network, bytes) ? l->through_ns : 0);
    loads->fixed = (uint64_t)ceil(fixed_ns * (target->clock_hz / 1e9));
    loads->cycles =
        loads->fixed + ipu_link_cycles(&network->links[most], loads->bytes[most], target->clock_hz);
    return MT_OK;
}

uint64_t ipu_links_sync_cycles(const ipu_target *target, const ipu_topology *network)
{
    if (!network) return 0;
    return ipu_topology_sync_cycles(network, target->links.sync_ns_per_hop, target->clock_hz);
}
