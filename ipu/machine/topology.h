/* The network between the chips of a machine: directed links, and one route from each chip to each other.
 *
 * A link here is what messages share: some lanes from one chip to another, with one name and one rate. Three
 * shapes:
 *
 *   ladder  Chips 2r and 2r + 1 are the ends of rung r; even chips stand on one rail, odd chips on the other.
 *           A rung has two links each way, on lanes of their own: `direct` for what ends there and `cross`
 *           for what goes on along the rail behind it. A rail has one link each way between neighbouring
 *           rungs. A route goes across its rung first, where the ends are on different rails, and then along
 *           the rail. Lanes, rates and routes are those of the model that Graphcore's tests of poplibs used
 *           (lib/poplibs_test/Util.cpp, addGlobalExchangeConstraints).
 *   torus   A ladder whose last rung is joined to the first. Along the rail a route takes the shorter way
 *           round; of two equal ones that which does not pass between the last rung and the first. With fewer
 *           than three rungs the ends are neighbours anyway, and it is the ladder.
 *   list    Any links, each with its rate. A route has the fewest links; of several such it takes at each
 *           chip the link of the lowest number.
 *
 * Ladder and torus have an even number of chips; one chip alone has no links in any shape. A route depends at
 * each chip only on that chip and the last one. A message holds its links one after the other, waiting for
 * the next where another message has it. So messages can wait for each other for ever exactly where the graph
 * of which link waits for which has a cycle (Dally and Seitz, IEEE Trans. Comput. C-36, 1987): never on a
 * ladder, where rungs come before rails and a rail is never turned back on; but on a torus, where routes of
 * two and more steps join all the way round. Second buffers, which would break such a cycle, are not
 * modelled.
 *
 * Times are those of a link that is busy without a break with all that goes over it in one phase; latency is
 * only in the sync. All times are in tile cycles at the clock given. */
#ifndef IPU_MACHINE_TOPOLOGY_H
#define IPU_MACHINE_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#include "data/arena.h"
#include "data/status.h"
#include "ipu/machine/target.h"

typedef struct ipu_link {
    uint32_t from, to;       /* chips */
    double bytes_per_second; /* of data */
    const char *name;        /* in a list it may be NULL: "link 3, IPU 0 to 1" */
} ipu_link;

typedef struct ipu_topology {
    ipu_shape shape;
    uint32_t n_chips, n_links, hops; /* hops: see ipu_topology_sync_cycles */
    ipu_link *links;
    uint32_t *first_out;
    uint32_t *out;  /* links that begin at chip c: out[first_out[c]] .. out[first_out[c + 1] - 1] */
    uint32_t *next; /* list: [from * n_chips + to], the first link of the route; otherwise NULL */
} ipu_topology;

/* MT_INPUT where the links cannot join n chips: an odd number on a ladder or torus; another than 1 and that which a
 * list joins. (Without its list the shape of a list stands for a network that the caller makes: any number.) */
MT_NODISCARD mt_status ipu_topology_allows(const ipu_links *links, size_t n_chips);

/* That the links of a machine file can be used, in time and memory of the length of the list. MT_INPUT names `file`, key,
 * value and what is allowed: ladder and torus have lanes and no list, a list has links and no such lanes; a link leads to
 * another chip; over the links of a list each chip from 0 to the highest reaches each other. MT_MEMORY. */
MT_NODISCARD mt_status ipu_topology_check_links(const char *file, const ipu_links *links);

/* Each gives a topology in `arena`. MT_INPUT: not a number of chips for the shape; a link of a list that
 * names a chip that is not there, or the same twice, or has no rate above 0; a chip of a list from which
 * another cannot be reached. MT_MEMORY. */
MT_NODISCARD mt_status ipu_topology_ladder(
    mt_arena *arena, const ipu_links *links, size_t n_chips, ipu_topology **topology);
MT_NODISCARD mt_status ipu_topology_torus(
    mt_arena *arena, const ipu_links *links, size_t n_chips, ipu_topology **topology);
MT_NODISCARD mt_status ipu_topology_list(
    mt_arena *arena, const ipu_link *links, size_t n_links, size_t n_chips, ipu_topology **topology);

/* Of the target's chips, as its links say. MT_INPUT as above, and for the shape of a list without one. The rate
 * of a link is lanes x lane_bits_per_second x efficiency / 8. */
MT_NODISCARD mt_status ipu_topology_of(mt_arena *arena, const ipu_target *target, ipu_topology **topology);

/* Writes the numbers of the links from chip to chip, in order, to route[n_chips]; how many: 0 from a chip to
 * itself. */
size_t ipu_topology_route(const ipu_topology *topology, uint32_t from, uint32_t to, uint32_t *route);

/* load[n_links] = bytes over each link, where bytes[from * n_chips + to] go from chip to chip. */
void ipu_topology_load(const ipu_topology *topology, const uint64_t *bytes, uint64_t *load);

/* Cycles that a link is busy with so many bytes, rounded up. */
uint64_t ipu_link_cycles(const ipu_link *link, uint64_t bytes, double clock_hz);

/* The link that is busy longest with load[n_links], the first of several; there must be links. */
uint32_t ipu_topology_busiest(const ipu_topology *topology, const uint64_t *load);

/* Of a sync of all chips: ceil(2 * hops * time of a hop), to the chip that is nearest to all others and back.
 * On ladder and torus of n chips hops = 1 + (n / 2) / 2, rounded down each; on a list it is counted; 0 for
 * one chip. */
uint64_t ipu_topology_sync_cycles(const ipu_topology *topology, double ns_per_hop, double clock_hz);

/* That the routes of all pairs with bytes[from * n_chips + to] > 0, under way at once, cannot wait for each
 * other for ever. MT_INPUT names the links of a cycle; MT_MEMORY. */
MT_NODISCARD mt_status ipu_topology_check_deadlock(const ipu_topology *topology, const uint64_t *bytes);

#endif
