/* Costs of a program in addition to its supersteps: predicates, which every tile needs, and transfers from and to the host. All
 * in tile cycles.
 *
 * A predicate (IPU_IF, IPU_SWITCH, IPU_REPEAT_WHILE), at each evaluation:
 *   exchange = the schedule (ipu/compile/schedule.h) of a phase that broadcasts its word from its tile to all others
 *              + on several chips, the busiest link's cycles with one word from its chip to each other
 *   sync     = sync_cycles + on several chips the sync of all, as in a superstep
 *   Free on a machine of one tile.
 * Not modelled: the supervisor's own instructions (6 cycles for the branch of each turn of a repeat or while, 12 for a
 * predicate that is loaded first; its sync and exchange take several hundred), memory for the received word, and the code of
 * its exchange.
 *
 * A host transfer, by a program or as a stream between programs (ipu_engine_stream), each time:
 *   link     = of a chip: its bytes over its host link, one per chip. Each range that is contiguous in a tile's
 *              memory is sent in its own packets, of at most write_packet_bytes or read_packet_bytes, each with
 *              a header.
 *   port     = of a tile: its words, one per cycle
 *   exchange = the longest link or port
 *   sync     = sync_cycles + host.sync_cycles + on several chips the sync of all
 *   A tensor without elements is free.
 * Not modelled: work and waits of the host, and the latency of its link. No source has numbers for them. */
#pragma once

#include <stdbool.h>

#include "ipu/machine/target.h"

typedef struct ipu_control_cost {
    uint64_t sync_cycles;
    uint64_t external_sync_cycles; /* included in sync_cycles: of all chips, and with the host */
    uint64_t exchange_cycles;
    uint64_t external_cycles; /* included in exchange_cycles: of a link between chips, or to the host */
    uint64_t cycles;          /* sum of sync and exchange */
} ipu_control_cost;

/* Returns the cost of a predicate from the cycles of its schedule and of the busiest link. `network`: NULL for one chip. */
ipu_control_cost ipu_control_predicate(
    const ipu_target *target, const ipu_topology *network, uint64_t schedule_cycles, uint64_t link_cycles);

/* Returns the cost of a transfer to the machine (`write`) or from it. `chip_bytes`: of the busiest chip, including headers.
 * `tile_words`: of the busiest tile. */
ipu_control_cost ipu_control_transfer(const ipu_target *target, const ipu_topology *network, bool write,
    uint64_t chip_bytes, uint64_t tile_words);
