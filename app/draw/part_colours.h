/* Colours for the parts of a mesh: which can be told apart where they meet on its surface.
 *
 * Of several groups each has a hue of its own, and its parts are shades of that: darker and lighter. Groups that meet have
 * hues that are far apart, as far as so many allow. Of a single group the parts differ in hue and lightness. */
#ifndef MT_APP_DRAW_PART_COLOURS_H
#define MT_APP_DRAW_PART_COLOURS_H

#include "app/draw/view.h"
#include "mesh/cut/partition.h"

enum { MT_PART_GROUPS_MAX = 64, MT_PART_SHADES_MAX = 12 };

typedef struct mt_part_colours {
    size_t n_groups, n_shades;                                /* as many shades in every group */
    double linear[MT_PART_GROUPS_MAX][MT_PART_SHADES_MAX][3]; /* linear light, in [0, 1] */
    uint8_t *shade;                                           /* [n_parts], below n_shades */
} mt_part_colours;

/* Shades of a group are at least so far apart in OKLab, those of a single group 0.11; and so are the colours of groups that
 * meet, where no more do than do on a surface that is cut into compact pieces. */
extern const double mt_part_shades_apart;

/* Gives the colours of a partition of the skin's mesh; both borrowed. Parts of one group that share an edge of the skin have
 * different shades, unless one of them meets so many that none is left; all shades are used about equally often. O(faces of
 * the skin + parts). MT_INPUT: more groups than MT_PART_GROUPS_MAX. MT_MEMORY. */
MT_NODISCARD mt_status mt_part_colours_make(
    mt_arena *arena, const mt_skin *skin, const mt_partition *partition, mt_part_colours *colours);

#endif
