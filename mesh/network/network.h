/* A conduction network: cables of Purkinje fibres, as nodes joined by straight segments.
 *
 * A *node* is a point; a *segment* joins two nodes. The *degree* of a node is the number of its segments: a *terminal* has degree 1, a
 * *branch point* at least 3. A *branch* is a longest chain of segments whose inner nodes have degree 2. A network can have several
 * components (connected parts), and loops: it has n_segments - n_nodes + n_components independent ones.
 *
 * Invariants (mt_network_check):
 *   every coordinate is within +-mt_mesh_far_mm, and every node index below n_nodes;
 *   the two nodes of a segment are at different points, and no two segments join the same nodes;
 *   every node belongs to a segment;
 *   radii are positive. */
#pragma once

#include "mesh/mesh.h"

typedef struct mt_network {
    size_t n_nodes, n_segments;
    double *xyz_mm;         /* [n_nodes][3] */
    uint32_t *segment_node; /* [n_segments][2] */
    double *radius_mm;      /* [n_segments] of the cable; NULL if unknown */
    int32_t *kind;          /* [n_segments] tags, such as those of a bundle branch; NULL if unknown */
} mt_network;

/* Properties of a network. */
typedef struct mt_network_info {
    double length_mm;               /* of all segments */
    double shortest_mm, longest_mm; /* segments */
    double low_mm[3], high_mm[3];   /* the box around the nodes */
    size_t n_terminals, n_branch_points, n_branches, n_components, n_loops;
    double radius_low_mm, radius_high_mm; /* 0 if unknown */
} mt_network_info;

/* Creates a network in `arena` with zeroed nodes and segments; radii and kinds are NULL. MT_INPUT: too many. MT_MEMORY. */
MT_NODISCARD mt_status mt_network_new(
    mt_arena *arena, size_t n_nodes, size_t n_segments, mt_network *network);

/* Checks the invariants. MT_INPUT: one is violated; the message begins with `path` unless that is NULL, and names the first offending node
 * or segment, from 0. MT_MEMORY. */
MT_NODISCARD mt_status mt_network_check(const mt_network *network, const char *path);

/* Computes the properties of a network that has passed mt_network_check. MT_MEMORY. Time: O(n). */
MT_NODISCARD mt_status mt_network_describe(const mt_network *network, mt_network_info *info);
