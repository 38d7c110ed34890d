/* Colours for the parts of a mesh, distinct for adjacent parts on its surface. Of several groups, each has its own hue, and its
 * parts have darker and lighter shades of it. The hues of adjacent groups differ as much as the number of groups allows. The parts
 * of a single group differ in hue and lightness. */
#pragma once

#include "app/draw/scene/view.h"
#include "mesh/cut/partition.h"

enum { MT_PART_GROUPS_MAX = 64, MT_PART_SHADES_MAX = 12 };

typedef struct mt_part_colours {
    size_t n_groups, n_shades;                                /* the same number of shades in each group */
    double linear[MT_PART_GROUPS_MAX][MT_PART_SHADES_MAX][3]; /* linear light, in [0, 1] */
    uint8_t *shade;                                           /* [n_parts], below n_shades */
} mt_part_colours;

/* Minimum OKLab distance between shades of one of several groups (0.11 in a single group), and between the colours of adjacent
 * groups, unless a group has more neighbours than a surface cut into compact pieces has. */
extern const double mt_part_shade_distance;

/* Computes the colours of a partition of the surface's mesh; borrows both. Parts of one group that share a surface edge have
 * different shades, unless a part has too many neighbours. All shades are used about equally often. O(faces of the surface +
 * parts). Fails with MT_INPUT if there are more than MT_PART_GROUPS_MAX groups, or with MT_MEMORY. */
MT_NODISCARD mt_status mt_part_colours_make(
    mt_arena *arena, const mt_view_surface *surface, const mt_partition *partition, mt_part_colours *colours);
