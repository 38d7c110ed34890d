/* What goes from chip to chip costs: packets, the busiest link, a fixed time, and the sync of all chips.
 *
 * On real machines a step of a program takes some microseconds longer as soon as anything goes from chip to chip, however little;
 * and again where it goes through a chip on its way (data/machines/gc2.yaml has the measurements). So an exchange between chips takes
 *
 *     busiest link + setup_ns (+ through_ns where a route has more than one link)
 *
 * It begins when the exchange inside the chips has ended. */
#pragma once

#include "ipu/machine/target.h"

/* Bytes on a link for so many bytes of data: each packet has a header. */
uint64_t ipu_links_bytes(size_t data, size_t packet_bytes, size_t packet_header_bytes);

/* What the links are busy with in one exchange. */
typedef struct ipu_link_loads {
    uint64_t *bytes;     /* [n_links] */
    uint64_t cycles;     /* of the busiest link, and the fixed time */
    uint64_t fixed;      /* of these: the fixed time */
    const char *busiest; /* its name, the network's */
} ipu_link_loads;

/* Gives the loads where bytes[from * n_chips + to], headers with them and not all 0, go from chip to chip; their array in
 * `arena`. MT_INPUT: the routes may deadlock; the message begins with `what`. MT_MEMORY. */
MT_NODISCARD mt_status ipu_links_load(mt_arena *arena, const ipu_target *target, const ipu_topology *network,
    const uint64_t *bytes, const char *what, ipu_link_loads *loads);

/* Cycles of a sync of all chips; 0 without a network. */
uint64_t ipu_links_sync_cycles(const ipu_target *target, const ipu_topology *network);
