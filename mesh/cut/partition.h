/* Partitions of a mesh: balanced parts with few faces between them, computed by METIS or by the positions of the elements.
 *
 * The elements can also be nodes of any graph (mesh/cut/cut_graph.h), such as the vertices of a mesh; its edges are then the "faces". With
 * weights, the size of a part is the sum of the weights of its elements.
 *
 * Parts are in groups of equal size, for machines of several chips: group g has the parts from g * parts_per_group up to, but without,
 * (g + 1) * parts_per_group. Communication between groups is more expensive than communication within a group.
 *
 * Invariants (mt_partition_check): every part[c] < n_parts; n_parts = n_groups * parts_per_group. Parts may be empty or disconnected. */
#pragma once

#include <stdbool.h>

#include "mesh/cut/cut_graph.h"
#include "mesh/cut/placement.h"

typedef struct mt_partition {
    uint32_t n_parts, parts_per_group;
    size_t n_elements;
    uint32_t *part;  /* [n_elements] */
    size_t edge_cut; /* number of faces between elements of different parts */
    /* failed attempts before METIS succeeded (mesh/cut/metis.h); 0 means the standard, reproducible partition of the mesh */
    uint32_t metis_failures;
    char remark[768]; /* the first failure and the action taken, in one line; "" if there was no failure */
    const uint32_t *weight; /* [n_elements] borrowed from the graph; NULL: all are 1 */
    uint32_t together;      /* of the graph; 0 or 1: none */
} mt_partition;

/* Partitioning methods.
 * flat: k-way partitioning into all parts at once, ignoring groups (Burchard et al., Front. Phys. 2023, section 7.1). METIS numbers parts
 *   by recursive bisection, so parts with close numbers are mostly close in space. In a heart of three million elements, the numbers of
 *   adjacent parts within a group of 1472 differ by 50 on average (random: 490). The groups have about 20 % more faces between them than
 *   with the hierarchical method.
 * hierarchical: k-way partitioning into groups, then of each group into its parts. The imbalance of groups is a tenth of that of parts.
 *   Groups are numbered for short communication distances (mesh/cut/placement.h); parts within a group have METIS' numbers. With one group
 *   this is the same as flat.
 * curve, bisection: by the positions of the elements, for many small parts on a grid (mesh/cut/curve.h, bisection.h). They are much
 *   faster than METIS, cut more faces if parts are large, and place adjacent parts closer in the grid. They use the fewest parts with
 *   the same largest part (mesh/cut/part_grid.h).
 * auto: bisection for a grid, flat without one. */
typedef enum mt_partition_method {
    MT_PARTITION_FLAT,
    MT_PARTITION_HIERARCHICAL,
    MT_PARTITION_CURVE,
    MT_PARTITION_BISECTION,
    MT_PARTITION_AUTO,
    MT_PARTITION_METHODS
} mt_partition_method;

/* Names of the methods, by mt_partition_method, terminated by NULL. */
extern const char *const mt_partition_methods[MT_PARTITION_METHODS + 1];

/* Bounds of the imbalance. */
#define MT_IMBALANCE_LEAST 1.001
#define MT_IMBALANCE_MOST 2.0

typedef struct mt_partition_options {
    mt_partition_method method;
    uint32_t n_groups, parts_per_group;
    double imbalance; /* largest part relative to the mean, n_elements / n_parts */
    /* hierarchical: distance between groups by number; NULL means METIS' order of groups */
    mt_placement_distance *distance;
    /* parts in a row of the grid of each group, a divisor of parts_per_group; 0: no grid, a line for curve and bisection */
    uint32_t width;
    /* curve, bisection: maximum number of parts with elements in a group; 0: parts_per_group */
    uint32_t most;
} mt_partition_options;

/* Returns the method that `auto` selects; any other one unchanged. */
static inline mt_partition_method mt_partition_chosen(mt_partition_method method, size_t width)
{
    if (method != MT_PARTITION_AUTO) return method;
    return width > 0 ? MT_PARTITION_BISECTION : MT_PARTITION_FLAT;
}

/* True if a method needs the positions of the elements. */
static inline bool mt_partition_by_position(mt_partition_method method)
{
    return method == MT_PARTITION_CURVE || method == MT_PARTITION_BISECTION;
}

/* Partitions the dual graph (borrowed) with equal element weights; part[] is in `arena`. If there are at least as many elements as parts,
 * no part is empty and no part has more than imbalance * n_elements / n_parts elements, rounded up. METIS can violate this if parts are
 * small; mesh/cut/repair.h then corrects the sizes, within groups for the hierarchical method. If n_parts >= n_elements, every element is a
 * part, the last parts are empty, and METIS is not called. The result is deterministic unless METIS fails for an external cause and another
 * seed is used; metis_failures and remark then report it.
 * MT_INPUT: no group or no part; 2^31 parts or more; an imbalance out of bounds; a graph too large for METIS' 32-bit numbers; or METIS
 * fails. MT_FILE: the process of METIS cannot be created. MT_MEMORY, also of METIS. */
MT_NODISCARD mt_status mt_partition_make(mt_arena *arena, const mt_adjacency *adjacency,
    const mt_partition_options *options, mt_partition *partition);

/* Same for a graph (borrowed), with its weights and positions. With different weights METIS' parts can exceed the bound, and
 * mesh/cut/level.h reduces them; parts of a few elements can stay above it by the weight of an element. If elements are processed together,
 * the parts have at most the largest multiple of their number within the imbalance of numbers of elements, if there is one. The partition
 * borrows the weights.
 *
 * Curve and bisection ignore the imbalance and which elements are processed together. The sizes of parts with elements differ by at most
 * one; with weights, from their mean by less than two elements. Unused parts are empty. Further MT_INPUT: no positions (mt_partition_make
 * has none); a width that does not divide parts_per_group. */
MT_NODISCARD mt_status mt_partition_make_of(
    mt_arena *arena, const mt_cut_graph *graph, const mt_partition_options *options, mt_partition *partition);

/* Return the number of groups, and the group of an element. */
uint32_t mt_partition_groups(const mt_partition *partition);
uint32_t mt_partition_group_of(const mt_partition *partition, size_t element);

/* Returns the number of faces between elements of different parts. `part`: [n_elements]. */
size_t mt_partition_edge_cut(const mt_adjacency *adjacency, const uint32_t *part);

/* Checks the invariants above. MT_INPUT: one is violated; the message names the first offending element. */
MT_NODISCARD mt_status mt_partition_check(const mt_partition *partition);
