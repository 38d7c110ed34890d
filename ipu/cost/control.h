/* What a program costs beside its supersteps: predicates, which every tile must know, and transfers from and to the host. All
 * in tile cycles.
 *
 * A predicate (IPU_IF, IPU_SWITCH, IPU_REPEAT_WHILE), each time it decides:
 *   exchange = the schedule (ipu/compile/schedule.h) of a phase in which its word goes from its tile to all others
 *              + on several chips, the busiest link's cycles with one word from its chip to each other
 *   sync     = sync_cycles + on several chips the sync of all, as of a superstep
 *   It costs nothing on a machine of one tile.
 * Not modelled: the supervisor's own instructions (6 cycles for the branch of each turn of a repeat or while, 12 for a
 * predicate that is loaded first; its sync and exchange take some hundred), and memory for the word that arrives and for the
 * code of its exchange.
 *
 * A transfer of the host, by a program or as a stream between programs (ipu_engine_stream), each time:
 *   link     = of a chip: its bytes over its link to the host; every chip has one. Each range that is contiguous in
 *              a tile's memory goes in packets of its own, of at most write_packet_bytes or read_packet_bytes,
 *              each with a header.
 *   port     = of a tile: its words, one a cycle
 *   exchange = the longest link or port
 *   sync     = sync_cycles + host.sync_cycles + on several chips the sync of all
 *   A tensor of no elements costs nothing.
 * Not modelled: what the host does, the way to it and what it waits for. No source gives them. */
#pragma once

#include <stdbool.h>

#include "ipu/machine/target.h"

typedef struct ipu_control_cost {
    uint64_t sync_cycles;
    uint64_t external_sync_cycles; /* of these: of all chips, and with the host */
    uint64_t exchange_cycles;
    uint64_t external_cycles; /* of these: of a link between chips, or the host's */
    uint64_t cycles;          /* sync and exchange */
} ipu_control_cost;

/* A predicate, by the cycles of its schedule and of the busiest link. `network` is NULL for one chip. */
ipu_control_cost ipu_control_predicate(
    const ipu_target *target, const ipu_topology *network, uint64_t schedule_cycles, uint64_t link_cycles);

/* A transfer to the machine (`write`) or from it, by the bytes of the chip with most, headers with them, and the words of the
 * tile with most. */
ipu_control_cost ipu_control_transfer(const ipu_target *target, const ipu_topology *network, bool write,
    uint64_t chip_bytes, uint64_t tile_words);
