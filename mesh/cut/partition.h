/* Which part owns each element. Balanced parts with few faces between them, by METIS.
 *
 * Parts come in groups of equal number, for machines of several chips: group g has the parts g * parts_per_group up to
 * (g + 1) * parts_per_group. What crosses between groups costs more than what crosses between parts.
 *
 * Invariants (mt_partition_check): every part[c] < n_parts; n_parts = n_groups * parts_per_group. Parts may be empty, and
 * need not be connected. */
#pragma once

#include "mesh/adjacency.h"
#include "mesh/cut/placement.h"

typedef struct mt_partition {
    uint32_t n_parts, parts_per_group;
    size_t n_elements;
    uint32_t *part;  /* [n_elements] */
    size_t edge_cut; /* faces between elements of different parts */
    uint32_t
        metis_failures; /* before METIS succeeded (mesh/cut/metis.h); 0: this is the cut that this mesh always gets */
    char remark[768]; /* the first of them, and what was done, in one line; "": none */
} mt_partition;

/* flat: k-way to all parts at once; that some of them make a group is not looked at (Burchard et al., Front. Phys. 2023,
 *   section 7.1). METIS numbers parts by recursive bisection, so that parts of near numbers are mostly near in space: in
 *   a heart of three million elements the numbers of two parts that share a face in a group of 1472 differ by 50 on average
 *   (at random: 490), and groups have about a fifth more faces between them than where they are
 *   made first.
 * hierarchical: k-way to the groups, then each group to its parts. Groups differ by a tenth of what parts may. They are
 *   numbered so that what they exchange goes a short way (mesh/cut/placement.h); within a group METIS' numbers stay. With
 *   one group this is flat. */
typedef enum mt_partition_method {
    MT_PARTITION_FLAT,
    MT_PARTITION_HIERARCHICAL,
    MT_PARTITION_METHODS
} mt_partition_method;

/* The methods' names, by number; NULL ends them. */
extern const char *const mt_partition_methods[MT_PARTITION_METHODS + 1];

/* What may be asked of the imbalance. */
#define MT_IMBALANCE_LEAST 1.001
#define MT_IMBALANCE_MOST 2.0

typedef struct mt_partition_options {
    mt_partition_method method;
    uint32_t n_groups, parts_per_group;
    double imbalance; /* no part shall have more than imbalance * n_elements / n_parts elements */
    mt_placement_distance
        *distance; /* hierarchical: between groups by their numbers; NULL: METIS' numbers stay */
} mt_partition_options;

/* Gives a partition of the dual graph (borrowed), all elements weighing the same. Where there are at least as many elements as
 * parts, no part is empty and none has more than imbalance * n_elements / n_parts elements, rounded up: METIS tries, and what it
 * does not reach where parts are small is put right afterwards (mesh/cut/repair.h), within the groups where these come first.
 * With n_parts >= n_elements every element has a part of its own and the last parts are empty; METIS is not asked. Same input,
 * same outcome, unless METIS fails for a reason from outside and another seed is taken: then metis_failures and remark of the
 * partition say so.
 * MT_INPUT: no group or no part; 2^31 parts or more; imbalance outside its bounds; a graph too large for METIS' 32-bit
 * numbers; METIS refuses. MT_MEMORY, METIS' too. */
MT_NODISCARD mt_status mt_partition_make(mt_arena *arena, const mt_adjacency *adjacency,
    const mt_partition_options *options, mt_partition *partition);

/* How many groups there are, and the one of an element. */
uint32_t mt_partition_groups(const mt_partition *partition);
uint32_t mt_partition_group_of(const mt_partition *partition, size_t element);

/* Faces between elements of different parts, as it stands in a partition of this adjacency. */
size_t mt_partition_edge_cut(const mt_adjacency *adjacency, const uint32_t *part);

/* The invariants above; the message names the first offending element. */
MT_NODISCARD mt_status mt_partition_check(const mt_partition *partition);
