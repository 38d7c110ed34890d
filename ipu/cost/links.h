/* What goes from chip to chip costs: packets, the busiest link, and the sync of all chips. */
#ifndef IPU_COST_LINKS_H
#define IPU_COST_LINKS_H

#include "ipu/machine/target.h"

/* Bytes on a link for so many bytes of data: each packet has a header. */
uint64_t ipu_links_bytes(size_t data, size_t packet_bytes, size_t packet_header_bytes);

/* What the links are busy with in one exchange. */
typedef struct ipu_link_loads {
    uint64_t *bytes;     /* [n_links] */
    uint64_t cycles;     /* of the busiest link */
    const char *busiest; /* its name, the network's */
} ipu_link_loads;

/* Gives the loads where bytes[from * n_chips + to], headers with them and not all 0, go from chip to chip; their array in
 * `arena`. MT_INPUT: the routes may deadlock; the message begins with `what`. MT_MEMORY. */
MT_NODISCARD mt_status ipu_links_load(mt_arena *arena, const ipu_target *target, const ipu_topology *network,
    const uint64_t *bytes, const char *what, ipu_link_loads *loads);

/* Cycles of a sync of all chips; 0 without a network. */
uint64_t ipu_links_sync_cycles(const ipu_target *target, const ipu_topology *network);

#endif
