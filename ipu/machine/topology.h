/* The network between the chips of a machine: directed links, and one route for each ordered pair of chips.
 *
 * A link is the resource that messages share: several lanes from one chip to another, with one name and one rate. There are
 * four shapes:
 *
 *   ladder  Chips 2r and 2r + 1 are the ends of rung r; even chips are on one rail, odd chips on the other.
 *           A rung has two links each way, on separate lanes: `direct` for messages that end across the rung and
 *           `cross` for messages that continue along the rail. A rail has one link each way between neighbouring
 *           rungs. A route between different rails first crosses its rung and then follows the rail. Lanes, rates
 *           and routes are those of the model in Graphcore's tests of poplibs (lib/poplibs_test/Util.cpp,
 *           addGlobalExchangeConstraints).
 *   torus   A ladder with the last rung joined to the first. Along the rail a route takes the shorter direction;
 *           on a tie the one that does not pass between the last rung and the first. With fewer than three rungs
 *           the ends are already neighbours, and the torus is the ladder.
 *   list    Arbitrary links, each with its rate. Links with the same ends share the bytes of a phase in proportion
 *           to their rates, rounded to bytes. A route has the fewest links; among several such routes it takes at
 *           each chip the link with the lowest number, and the links that share with it. A pair of chips may
 *           have a stated route instead. It applies only to this pair: the routes of other pairs over the same
 *           chips do not change.
 *   none    A single chip without links.
 *
 * Ladder and torus have an even number of chips; a single chip has no links in any shape. At each chip a route that is not
 * stated depends only on that chip and on the destination. A message acquires its links one after another, and waits for a link
 * that another message holds. So messages may deadlock exactly if the channel dependency graph has a cycle (Dally and Seitz,
 * IEEE Trans. Comput. C-36, 1987). A ladder has none: rungs come before rails and no route turns back on a rail. A torus has
 * cycles, because routes of two and more steps connect all the way round. There a second buffer at the end of each link
 * (ipu_links.buffers), for messages that have passed the joint of the last and the first rung, breaks every cycle (virtual
 * channels, in the same paper). Stated routes may deadlock, too, among themselves or with others; links that share count as one
 * there.
 *
 * A link is busy without interruption with all its bytes of one phase. In addition to its bytes an exchange between chips takes
 * a fixed time, which is longer if a route has several links (ipu/cost/links.h). All times are in tile cycles at the given
 * clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

typedef enum ipu_shape { IPU_LADDER, IPU_TORUS, IPU_LINK_LIST, IPU_NO_LINKS } ipu_shape;

/* A link in a machine file: one direction only; the opposite direction is another link. */
typedef struct ipu_listed_link {
    uint32_t from, to; /* chips, from 0 */
    size_t lanes;
} ipu_listed_link;

/* The stated route of a pair of chips: the chips in between. */
typedef struct ipu_listed_route {
    uint32_t from, to;
    uint32_t *via; /* [n_via] */
    size_t n_via;
} ipu_listed_route;

/* The links between chips, from a machine file. */
typedef struct ipu_links {
    ipu_shape shape;
    size_t direct, cross, rail; /* lanes each way, as above; 0 for a list */
    ipu_listed_link *list;      /* [n_list] for a list only */
    size_t n_list;
    ipu_listed_route *routes; /* [n_routes] for a list only: the stated routes */
    size_t n_routes;
    /* of a list: the number it is stated for; 0: the number it joins */
    size_t chips;
    double lane_bits_per_second, efficiency;  /* one way; share of payload */
    size_t packet_bytes, packet_header_bytes; /* maximum of data per packet; overhead per packet */
    size_t buffers;                           /* at the end of each link; a second one is for a torus */
    double sync_ns_per_hop;                   /* one way, of a sync of all chips */
    /* fixed times of an exchange between chips: of every one; in addition of one over several links */
    double setup_ns, through_ns;
} ipu_links;

typedef struct ipu_link {
    uint32_t from, to;       /* chips */
    double bytes_per_second; /* payload */
    const char *name;        /* may be NULL for a list: "link 3, IPU 0 to 1" */
} ipu_link;

typedef struct ipu_topology {
    ipu_shape shape;
    uint32_t n_chips, n_links, hops; /* hops: see ipu_topology_sync_cycles */
    uint32_t buffers;                /* at the end of each link, 1 or 2 */
    ipu_link *links;
    uint32_t *first_out;
    uint32_t *out;  /* links that begin at chip c: out[first_out[c]] .. out[first_out[c + 1] - 1] */
    uint32_t *next; /* list: [from * n_chips + to], the first link of the route; otherwise NULL */
    /* list: [n_links], the next link that shares with this one; the last has its own number; otherwise NULL */
    uint32_t *shares;
    /* [from * n_chips + to], 1 + the number of the stated route, or 0; NULL if no route is stated */
    uint32_t *stated;
    /* route r takes the links stated_link[first_stated[r]] .. [first_stated[r + 1] - 1] */
    uint32_t *first_stated;
    uint32_t *stated_link;
} ipu_topology;

/* An iterator over the links of a route:
 *
 *     for (ipu_way w = ipu_topology_way(t, from, to); w.at != to;) link = ipu_way_next(&w);
 *
 * Of links that share it returns the one with the lowest number. */
typedef struct ipu_way {
    const ipu_topology *topology;
    const uint32_t *stated; /* the next link; NULL if not stated */
    uint32_t at, to;        /* chips */
} ipu_way;

ipu_way ipu_topology_way(const ipu_topology *topology, uint32_t from, uint32_t to);

/* Returns the next link and advances to its end. The way must not be at its end. */
uint32_t ipu_way_next(ipu_way *way);

/* Returns the number of chips that a list joins: from 0 to the highest in it. */
size_t ipu_topology_listed(const ipu_links *links);

/* Fails with MT_INPUT if the links cannot join n chips. A ladder or torus joins 1 or an even number; a list 1 or its own
 * number; none 1. */
MT_NODISCARD mt_status ipu_topology_allows(const ipu_links *links, size_t n_chips);

/* Checks the links of a machine file. Fails with MT_INPUT and a message with `file`, key, value and what is allowed, or
 * MT_MEMORY.
 *  - A ladder and a torus need lanes and have no list; a list needs links and has no such lanes.
 *  - Every link leads to another chip.
 *  - The links of a list connect all chips, from 0 to the highest, and their number is the stated one.
 *  - A pair has at most one stated route. It follows links, and visits no chip twice.
 * Memory is proportional to the number of links and stated routes. Time is proportional to the number of links, to n log n of
 * the n routes, and to the outgoing links of each chip on a stated route, which are searched for the next chip. */
MT_NODISCARD mt_status ipu_topology_check_links(const char *file, const ipu_links *links);

/* Builds in `arena` the topology of n chips with these links; the rate of a link is lanes x lane_bits_per_second x efficiency /
 * 8. Fails with MT_INPUT if the links cannot join n chips or a stated route is invalid (see above), or with the errors of
 * `ipu_topology_list`. */
MT_NODISCARD mt_status ipu_topology_of(
    mt_arena *arena, const ipu_links *links, size_t n_chips, ipu_topology **topology);

/* Builds in `arena` the topology of arbitrary links (borrowed). Fails with MT_INPUT if a link names a chip that does not exist,
 * leads to its own chip or has no positive rate, or if a chip cannot be reached from another, or with MT_MEMORY. */
MT_NODISCARD mt_status ipu_topology_list(
    mt_arena *arena, const ipu_link *links, size_t n_links, size_t n_chips, ipu_topology **topology);

/* Returns the distance between two chips of a ladder that has twice as many lanes across a rung as along a rail: 1 across a
 * rung; otherwise 2 for each link of the route. 0 from a chip to itself. */
uint64_t ipu_topology_ladder_distance(uint32_t chip, uint32_t other);

/* True if any of bytes[from * n_chips + to] take more than one link. */
bool ipu_topology_has_multi_link_routes(const ipu_topology *topology, const uint64_t *bytes);

/* Computes load[n_links], the bytes on each link, from bytes[from * n_chips + to] between chips. Shares of links that share are
 * rounded. */
void ipu_topology_load(const ipu_topology *topology, const uint64_t *bytes, uint64_t *load);

/* Returns the cycles for which `bytes` occupy a link, rounded up. */
uint64_t ipu_link_cycles(const ipu_link *link, uint64_t bytes, double clock_hz);

/* Returns the link that load[n_links] occupies longest, the first on a tie; there must be links. */
uint32_t ipu_topology_busiest(const ipu_topology *topology, const uint64_t *load);

/* Returns the cycles of a sync of all chips: ceil(2 * hops * time of a hop), to the chip that is nearest to all others and
 * back. On a ladder or torus of n chips hops = 1 + (n / 2) / 2, each division rounded down; on a list hops are counted; 0 for
 * one chip. */
uint64_t ipu_topology_sync_cycles(const ipu_topology *topology, double ns_per_hop, double clock_hz);

/* Checks that the routes of all pairs with bytes[from * n_chips + to] > 0, in use simultaneously, cannot deadlock. Fails with
 * MT_INPUT if they may (the message names the links of a cycle), or with MT_MEMORY. */
MT_NODISCARD mt_status ipu_topology_check_deadlock(const ipu_topology *topology, const uint64_t *bytes);
