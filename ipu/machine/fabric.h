/* The links between the tiles of a chip that is not a crossbar, and the routes of words over them.
 *
 * A link carries words_per_cycle words in each cycle, in one direction. A word that leaves its sender in cycle t enters the k-th link of
 * its route, from 0, in cycle t + k hop_cycles. With n links in total it is in the receiver's memory in cycle
 *
 *     t + way_cycles + n hop_cycles
 *
 * both rounded up if hop_cycles is a fraction. Here way_cycles (exchange.way_cycles of a machine file) is the latency of the way from
 * memory to the network and back. All tiles count the same cycles. There are four kinds:
 *
 *   mesh      Tile t is in column t % width and row t / width. It has a link to each of its up to four neighbours. A route has the links
 *             along the row of the sender and then those along the column of the receiver; with `first: columns` the other way round.
 *   torus     A mesh with connected ends. In each direction a route takes the shorter way, on a tie the one with increasing numbers.
 *   clusters  Cluster k has the tiles from k cluster_tiles to (k + 1) cluster_tiles - 1, which share one link out and one in. A route
 *             between clusters has both; a route inside a cluster has no link, and only tiles limit it.
 *   list      Links of a file. A route has the fewest links, at each tile the one with the lowest number among them. Links with the
 *             same ends share words in the proportion of their rates (ipu/machine/topology.h); here they count as one with their sum.
 *
 * The routes from one sender visit each link at the same place, so a word for several receivers can enter each link once: multicast. */
#pragma once

#include "ipu/machine/target.h"

enum { IPU_SIDES = 4 }; /* of a tile of a mesh or torus */

typedef struct ipu_fabric {
    const ipu_target *target;
    size_t height; /* of a mesh or torus: rows */
    /* numbered from 0; in a mesh or torus the IPU_SIDES links from IPU_SIDES * t on leave tile t, of which some at the edges of a
     * mesh do not exist */
    uint32_t n_links;
    const ipu_topology *listed; /* of a list; otherwise NULL */
} ipu_fabric;

/* A place on a route. */
typedef struct ipu_path {
    const ipu_fabric *fabric;
    uint32_t at, to;                         /* tiles; of clusters: clusters */
    uint32_t column, row, to_column, to_row; /* of a mesh or torus: of these tiles */
    bool out;                                /* of clusters: True if it is outside of both */
} ipu_path;

/* The words that links between the tiles of a chip carry in one run of a superstep. All 0 for a crossbar. */
typedef struct ipu_link_words {
    size_t n_links;
    uint64_t *words;         /* [n_links] by link */
    uint64_t received, hops; /* sums over all words and their receivers: 1, and the links of the route */
} ipu_link_words;

/* Builds in `arena` the links of a target with one chip that is not a crossbar; borrows the target. Fails with MT_INPUT if a tile of a
 * list cannot be reached from another, or with MT_MEMORY. */
MT_NODISCARD mt_status ipu_fabric_make(mt_arena *arena, const ipu_target *target, ipu_fabric *fabric);

/* Returns the route between two tiles of one chip, at its start. */
ipu_path ipu_fabric_path(const ipu_fabric *fabric, uint32_t sender, uint32_t receiver);

/* True if there is another link; sets it and advances to its end. */
bool ipu_path_next(ipu_path *path, uint32_t *link);

/* Returns the number of links of a route. */
size_t ipu_fabric_hops(const ipu_fabric *fabric, uint32_t sender, uint32_t receiver);

/* Returns n hop_cycles, rounded up: the latency of n links. */
uint64_t ipu_fabric_delay(const ipu_target *target, size_t n);

/* Returns the words per cycle of a link. */
size_t ipu_fabric_rate(const ipu_fabric *fabric, uint32_t link);

/* Writes the name of a link, for messages and tables: "tile 5 to 6", "out of cluster 2". Returns text. */
enum { IPU_LINK_NAME = 64 };
const char *ipu_fabric_link_name(const ipu_fabric *fabric, uint32_t link, char text[IPU_LINK_NAME]);
