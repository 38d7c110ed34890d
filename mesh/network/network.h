/* A conduction network: cables of Purkinje fibres, as nodes joined by straight segments.
 *
 * A *node* is a point; a *segment* joins two nodes. The *degree* of a node is the number of its segments: a *terminal* has degree 1, a
 * *branch point* at least 3. A *branch* is a longest chain of segments whose inner nodes have degree 2. A network can have several
 * components (connected parts), and loops: it has n_segments - n_nodes + n_components independent ones.
 *
 * Invariants (mt_network_check):
 *   every coordinate is within +-mt_mesh_far_mm, and every node index below n_nodes;
 *   the two nodes of a segment are at different points, and no two segments join the same nodes;
 *   every node belongs to a segment, and there is a segment;
 *   radii are positive and at most mt_mesh_far_mm. */
#pragma once

#include "mesh/mesh.h"

typedef struct mt_network {
    size_t n_nodes, n_segments;
    double *xyz_mm;         /* [n_nodes][3] */
    uint32_t *segment_node; /* [n_segments][2] */
    double *radius_mm;      /* [n_segments] of the cable; NULL if unknown */
    int32_t *kind;          /* [n_segments] tags, such as those of a bundle branch; NULL if unknown */
    const char *notes; /* the file reader's notes for the user, one per line; NULL if there are no notes */
} mt_network;

/* Properties of a network. */
typedef struct mt_network_info {
    double length_mm;               /* of all segments */
    double shortest_mm, longest_mm; /* segments */
    double low_mm[3], high_mm[3];   /* the box around the nodes */
    size_t n_terminals, n_branch_points, n_branches, n_components, n_loops;
    double radius_low_mm, radius_high_mm; /* 0 if unknown */
} mt_network_info;

/* The segments of a kind. */
typedef struct mt_network_kind {
    int32_t kind;
    size_t n_segments;
    double length_mm;
} mt_network_kind;

/* Creates a network in `arena` with zeroed nodes and segments; radii and kinds are NULL. MT_INPUT: too many. MT_MEMORY. */
MT_NODISCARD mt_status mt_network_new(
    mt_arena *arena, size_t n_nodes, size_t n_segments, mt_network *network);

/* Checks the invariants. MT_INPUT: one is violated; the message begins with `path` unless that is NULL, and names the first offending node
 * or segment, from 0. MT_MEMORY. */
MT_NODISCARD mt_status mt_network_check(const mt_network *network, const char *path);

/* Finds the first segment whose nodes are joined by an earlier segment, too: *repeat is its number and *first that of the earlier one. If
 * there is none, *repeat is n_segments. Node indices must be valid. MT_MEMORY. */
MT_NODISCARD mt_status mt_network_find_repeat(const mt_network *network, size_t *first, size_t *repeat);

/* Returns the length of a segment. */
double mt_network_length_mm(const mt_network *network, size_t segment);

/* Lists the kinds in `arena`, ascending; none if kinds are unknown. MT_MEMORY. Time: O(n log n). */
MT_NODISCARD mt_status mt_network_kinds(
    mt_arena *arena, const mt_network *network, size_t *n, mt_network_kind **kinds);

/* Computes the properties of a network that has passed mt_network_check. A closed ring whose nodes all have degree 2 is one branch.
 * MT_MEMORY. Time: O(n). */
MT_NODISCARD mt_status mt_network_describe(const mt_network *network, mt_network_info *info);
