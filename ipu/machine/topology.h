/* The network between the chips of a machine: directed links, and one route from each chip to each other.
 *
 * A link is what messages share: some lanes from one chip to another, with one name and one rate. There are three shapes:
 *
 *   ladder  Chips 2r and 2r + 1 are the ends of rung r; even chips stand on one rail, odd chips on the other.
 *           A rung has two links each way, on separate lanes: `direct` for what ends across the rung and `cross`
 *           for what continues along the rail. A rail has one link each way between neighbouring rungs. A route
 *           between different rails first crosses its rung and then follows the rail. Lanes, rates and routes are
 *           those of the model that Graphcore's tests of poplibs used (lib/poplibs_test/Util.cpp,
 *           addGlobalExchangeConstraints).
 *   torus   A ladder whose last rung is joined to the first. Along the rail a route takes the shorter way
 *           round; of two equal ones, the one that does not pass between the last rung and the first. With fewer
 *           than three rungs the ends are neighbours anyway, and the torus is the ladder.
 *   list    Any links, each with its rate. Links from one chip to the same other share what goes that way in a phase: a link
 *           carries the share that its rate has of theirs, rounded to bytes. A route has the fewest links; among
 *           several such routes it takes at each chip the link with the lowest number, with those that share with it. A
 *           pair of chips may have another, stated route, for itself alone: the routes of other pairs over the same chips
 *           stay as they are.
 *
 * Ladder and torus have an even number of chips; a single chip has no links in any shape. At each chip a route that is not
 * stated depends only on that chip and on the destination. A message acquires its links one after another, and waits for a link that another
 * message holds. So messages may deadlock exactly where the channel dependency graph has a cycle (Dally and Seitz, IEEE
 * Trans. Comput. C-36, 1987): never on a ladder, where rungs come before rails and no route turns back on a rail; but on a
 * torus, where routes of two and more steps join all the way round. There a second buffer at the end of each link
 * (ipu_links.buffers), for what has passed the joint of the last and the first rung, breaks every cycle (virtual channels, in
 * the same paper). Stated routes may deadlock, too, among themselves or with others; links that share count as one there.
 *
 * A link is busy without a break with everything that goes over it in one phase. Beside its bytes an exchange between chips
 * takes a fixed time, and some more where a route has several links (ipu/cost/links.h). All times are in tile cycles at the
 * given clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

typedef enum ipu_shape { IPU_LADDER, IPU_TORUS, IPU_LINK_LIST } ipu_shape;

/* A link as a machine file lists it: one way; the way back is a link of its own. */
typedef struct ipu_listed_link {
    uint32_t from, to; /* chips, from 0 */
    size_t lanes;
} ipu_listed_link;

/* The route of a pair of chips: the chips that it passes on its way. */
typedef struct ipu_listed_route {
    uint32_t from, to;
    uint32_t *via; /* [n_via] */
    size_t n_via;
} ipu_listed_route;

/* How a machine file joins chips. */
typedef struct ipu_links {
    ipu_shape shape;
    size_t direct, cross, rail; /* lanes each way, as above; of a list 0 */
    ipu_listed_link *list;      /* of a list only */
    size_t n_list;
    ipu_listed_route *routes; /* of a list only: those that are not as above */
    size_t n_routes;
    size_t chips;                             /* that a list says it is for; 0: as many as it joins */
    double lane_bits_per_second, efficiency;  /* one way; the share that is data */
    size_t packet_bytes, packet_header_bytes; /* the most data of a packet; what is sent with each */
    size_t buffers;                           /* at the end of each link; a second one is for a torus */
    double sync_ns_per_hop;                   /* one way, of a sync of all chips */
    double setup_ns,
        through_ns; /* of an exchange between chips, beside its bytes; and of one over several links */
} ipu_links;

typedef struct ipu_link {
    uint32_t from, to;       /* chips */
    double bytes_per_second; /* of data */
    const char *name;        /* in a list it may be NULL: "link 3, IPU 0 to 1" */
} ipu_link;

typedef struct ipu_topology {
    ipu_shape shape;
    uint32_t n_chips, n_links, hops; /* hops: see ipu_topology_sync_cycles */
    uint32_t buffers;                /* at the end of each link, 1 or 2 */
    ipu_link *links;
    uint32_t *first_out;
    uint32_t *out;  /* links that begin at chip c: out[first_out[c]] .. out[first_out[c + 1] - 1] */
    uint32_t *next; /* list: [from * n_chips + to], the first link of the route; otherwise NULL */
    uint32_t
        *shares; /* list: [n_links], the next link that shares with one; itself at the last; otherwise NULL */
    uint32_t
        *stated; /* [from * n_chips + to], 1 + the number of the stated route, or 0; NULL: none is stated */
    uint32_t
        *first_stated; /* route r takes the links stated_link[first_stated[r]] .. [first_stated[r + 1] - 1] */
    uint32_t *stated_link;
} ipu_topology;

/* A route as it is gone:
 *
 *     for (ipu_way w = ipu_topology_way(t, from, to); w.at != to;) link = ipu_way_next(&w);
 *
 * Of links that share it has the one with the lowest number. */
typedef struct ipu_way {
    const ipu_topology *topology;
    const uint32_t *stated; /* the next link; NULL: not stated */
    uint32_t at, to;        /* chips */
} ipu_way;

ipu_way ipu_topology_way(const ipu_topology *topology, uint32_t from, uint32_t to);

/* The next link, at whose end the way then is; not at its end. */
uint32_t ipu_way_next(ipu_way *way);

/* The number of chips that a list joins: from 0 to the highest that it names. */
size_t ipu_topology_listed(const ipu_links *links);

/* Whether the links can join n chips: 1 or an even number on a ladder or torus; 1 or as many as a list joins. MT_INPUT: they
 * cannot. */
MT_NODISCARD mt_status ipu_topology_allows(const ipu_links *links, size_t n_chips);

/* Checks the links of a machine file. Memory is proportional to the number of links and stated routes, time to links and n log n of
 * routes, and to the links that leave each chip on a stated route, which are searched for the one to the next. Ladder and torus need lanes
 * and have no list; a list needs links and has no such lanes; every link leads to another chip, and the links of a list join
 * each chip, from 0 to the highest, with each other, as many as it says; a stated route is that of another pair than the others, and goes
 * over links, to no chip twice. MT_INPUT: `file`, key, value and what is allowed. MT_MEMORY. */
MT_NODISCARD mt_status ipu_topology_check_links(const char *file, const ipu_links *links);

/* Gives in `arena` the topology of n chips that the links describe; a link's rate is lanes x lane_bits_per_second x
 * efficiency / 8. MT_INPUT: the links cannot join n chips, a stated route as above, or as ipu_topology_list; MT_MEMORY. */
MT_NODISCARD mt_status ipu_topology_of(
    mt_arena *arena, const ipu_links *links, size_t n_chips, ipu_topology **topology);

/* Gives in `arena` the topology of any links (borrowed). MT_INPUT: a link names a chip that is not there, leads to its own
 * chip or has no rate above 0, or one chip cannot be reached from another. MT_MEMORY. */
MT_NODISCARD mt_status ipu_topology_list(
    mt_arena *arena, const ipu_link *links, size_t n_links, size_t n_chips, ipu_topology **topology);

/* How far a word goes between two chips of a ladder with twice as many lanes across a rung as along a rail: 1 across a rung;
 * otherwise 2 for each link on its route. 0 from a chip to itself. */
uint64_t ipu_topology_ladder_distance(uint32_t chip, uint32_t other);

/* Whether anything of bytes[from * n_chips + to] takes more than one link. */
bool ipu_topology_goes_through(const ipu_topology *topology, const uint64_t *bytes);

/* load[n_links] = the bytes over each link, shares of links that share rounded, where bytes[from * n_chips + to] go from chip to chip. */
void ipu_topology_load(const ipu_topology *topology, const uint64_t *bytes, uint64_t *load);

/* Cycles for which so many bytes keep a link busy, rounded up. */
uint64_t ipu_link_cycles(const ipu_link *link, uint64_t bytes, double clock_hz);

/* The link that load[n_links] keeps busy longest, the first of several; there must be links. */
uint32_t ipu_topology_busiest(const ipu_topology *topology, const uint64_t *load);

/* Cycles of a sync of all chips: ceil(2 * hops * time of a hop), to the chip that is nearest to all others and back. On a
 * ladder or torus of n chips hops = 1 + (n / 2) / 2, each division rounded down; on a list hops are counted; 0 for one
 * chip. */
uint64_t ipu_topology_sync_cycles(const ipu_topology *topology, double ns_per_hop, double clock_hz);

/* Checks that the routes of all pairs with bytes[from * n_chips + to] > 0, in use at once, cannot deadlock. MT_INPUT: they may;
 * the message names the links of a cycle. MT_MEMORY. */
MT_NODISCARD mt_status ipu_topology_check_deadlock(const ipu_topology *topology, const uint64_t *bytes);
