/* Colours for the parts of a mesh that are distinct where parts meet on its surface.
 * With several groups, each has a hue of its own, and its parts have darker and lighter shades of it. The hues of groups that
 * meet differ as much as the number of groups allows. With a single group, its parts differ in hue and lightness. */
#pragma once

#include "app/draw/scene/view.h"
#include "mesh/cut/partition.h"

enum { MT_PART_GROUPS_MAX = 64, MT_PART_SHADES_MAX = 12 };

typedef struct mt_part_colours {
    size_t n_groups, n_shades;                                /* the same number of shades in every group */
    double linear[MT_PART_GROUPS_MAX][MT_PART_SHADES_MAX][3]; /* linear light, in [0, 1] */
    uint8_t *shade;                                           /* [n_parts], below n_shades */
} mt_part_colours;

/* The least distance in OKLab between shades of one of several groups (of a single group: 0.11), and between the colours of groups
 * that meet, unless more of them meet than do on a surface that is cut into compact pieces. */
extern const double mt_part_shade_distance;

/* Gives the colours of a partition of the surface's mesh; both borrowed. Parts of one group that share an edge of the surface have
 * different shades, unless one of them meets so many that none is left; all shades are used about equally often. O(faces of
 * the surface + parts). MT_INPUT: more groups than MT_PART_GROUPS_MAX. MT_MEMORY. */
MT_NODISCARD mt_status mt_part_colours_make(
    mt_arena *arena, const mt_view_surface *surface, const mt_partition *partition, mt_part_colours *colours);
