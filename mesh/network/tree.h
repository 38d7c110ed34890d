/* A tree of straight segments that grows, with queries about its neighbourhood.
 *
 * Node i > 0 is joined to its parent, a node before it, by segment i - 1; node 0 is the root. A *branch* is a chain of segments that was
 * created as one; it starts at the end of its parent branch, as do its *sisters*.
 *
 * Nodes that are *entered* are found by the queries, with their segments, through a grid of cells. mt_tree_clear forgets them, so that one
 * tree can grow in several places. */
#pragma once

#include "mesh/network/endocardium.h"

#define MT_NO_NODE UINT32_MAX
#define MT_NO_BRANCH UINT32_MAX

typedef struct mt_tree_node {
    double xyz_mm[3];
    uint32_t parent, branch, n_children;
    uint32_t next; /* in the cell */
    int32_t kind;  /* of the segment to the parent */
    bool on_surface;
    mt_endocardium_place place; /* if on_surface */
} mt_tree_node;

typedef struct mt_tree {
    mt_arena *arena; /* borrowed */
    size_t n_nodes, node_room, n_branches, branch_room;
    mt_tree_node *node;      /* [n_nodes] */
    uint32_t *branch_parent; /* [n_branches] MT_NO_BRANCH: none */
    double low_mm[3], cell_mm;
    size_t n_cells[3];
    uint32_t *cell; /* first entered node of each cell */
} mt_tree;

/* Starts an empty grid for nodes in a box. Queries with distances of at most `reach_mm` inspect 27 cells. MT_MEMORY. */
MT_NODISCARD mt_status mt_tree_clear(
    mt_tree *tree, const double low_mm[3], const double high_mm[3], double reach_mm);

/* Creates a branch. MT_MEMORY. */
MT_NODISCARD mt_status mt_tree_add_branch(mt_tree *tree, uint32_t parent, uint32_t *branch);

/* Adds a node, and enters it if `place` is not NULL: its place on the surface. The first node has no parent (MT_NO_NODE). MT_INPUT: more
 * than 10 million nodes. MT_MEMORY. */
MT_NODISCARD mt_status mt_tree_add(mt_tree *tree, uint32_t parent, uint32_t branch, int32_t kind,
    const double xyz_mm[3], const mt_endocardium_place *place, uint32_t *node);

/* Adds nodes along the straight line from a node to a point, in equal segments of at most `segment_mm`; none if the two are the same point.
 * The last node is entered at `place`, unless that is NULL. Errors as above. */
MT_NODISCARD mt_status mt_tree_add_line(mt_tree *tree, uint32_t from, uint32_t branch, int32_t kind,
    double segment_mm, const double xyz_mm[3], const mt_endocardium_place *place, uint32_t *node);

/* True if a new segment of a branch would be within `near_mm` of an entered segment, or within `far_mm` of one of a branch that is neither
 * its parent nor its sister. Segments that share node `from` do not count. All entered segments and the new one are at most segment_mm
 * long, and far_mm + 2 segment_mm is at most the reach of the grid. */
bool mt_tree_blocked(const mt_tree *tree, uint32_t from, uint32_t branch, const double to_mm[3],
    double near_mm, double far_mm);

/* Returns the entered node of other branches that is nearest to a point, or MT_NO_NODE. */
uint32_t mt_tree_nearest(const mt_tree *tree, uint32_t branch, const double point_mm[3]);

/* True if an entered node of this kind is within a distance of a point. */
bool mt_tree_within(const mt_tree *tree, int32_t kind, const double point_mm[3], double distance_mm);
