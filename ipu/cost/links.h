/* The cost of an exchange between chips: packets, the busiest link, a fixed time, and the sync of all chips.
 *
 * On real machines a step of a program takes several microseconds longer as soon as any data are sent between chips, however
 * few; and longer again if they pass through an intermediate chip (data/machines/gc2.yaml has the measurements). So an exchange
 * between chips takes
 *
 *     busiest link + setup_ns (+ through_ns if a route has more than one link)
 *
 * It begins when the exchange inside the chips has ended. */
#pragma once

#include "ipu/machine/target.h"

/* Returns the bytes on a link for `data` bytes: each packet adds a header. */
uint64_t ipu_links_bytes(size_t data, size_t packet_bytes, size_t packet_header_bytes);

/* The load of the links in one exchange. */
typedef struct ipu_link_loads {
    uint64_t *bytes;     /* [n_links] */
    uint64_t cycles;     /* of the busiest link, including the fixed time */
    uint64_t fixed;      /* the fixed time, included in `cycles` */
    const char *busiest; /* its name, borrowed from the network */
} ipu_link_loads;

/* Computes the loads, with their array in `arena`. bytes[from * n_chips + to]: bytes sent between chips, including headers; not
 * all 0. Fails with MT_INPUT if the routes may deadlock; the message begins with `what`. MT_MEMORY. */
MT_NODISCARD mt_status ipu_links_load(mt_arena *arena, const ipu_target *target, const ipu_topology *network,
    const uint64_t *bytes, const char *what, ipu_link_loads *loads);

/* Returns the cycles of a sync of all chips; 0 without a network. */
uint64_t ipu_links_sync_cycles(const ipu_target *target, const ipu_topology *network);
