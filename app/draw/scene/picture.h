/* Pictures for people who have no viewer at hand: a map of a mesh, or its partition, as a PNG.
 *
 * Not a renderer: one style, ready for a paper. The outer surface in orthographic projection, coloured by a value
 * with lines where it is equal and a colour bar, or by the part that owns each element with a legend; the three axes to scale; a heart from
 * the front and from behind, side by side, everything else from one side (mt_views_find). Between both sides a map of a heart has a third
 * view, cut along the long axis (mt_view_cut_find): an endocardial stimulus may have activated nothing that is visible from outside. MT_PAGE_WIDTH x MT_PAGE_HEIGHT
 * pixels. */
#pragma once

#include "mesh/adjacency.h"
#include "mesh/mesh.h"
#include "mesh/cut/partition.h"

/* What the colours of a map stand for: its legend is "Activation time [ms]" and "isochrones every 5 ms". */
typedef struct mt_picture_scale {
    const char *label, *unit;
    const char *lines; /* the name of lines of equal value: "isochrones"; "" for a map without lines */
    const char *grey;  /* what elements without a value are */
    bool
        trimmed; /* the colour bar does not span the hundredth of the values at either end, which has its last colour */
} mt_picture_scale;

/* Writes the picture to `path`: whole, or not at all. Borrows everything.
 *
 * values[n_elements]; NaN where an element has none: such elements are grey, and the legend has the words `grey` for
 * them. Elements that the
 * cut opens have their own value. Values at vertices are such that the mean of an element's four is nearly the element's own; colour and lines follow their linear
 * interpolation. The colour bar spans all values, or all but the trimmed, to whole intervals of the lines. Texts are UTF-8, "" for
 * none. The same input gives the same bytes, for any number of threads. O(elements) time. MT_INPUT: no
 * elements, an adjacency of another mesh, a title that is not UTF-8. MT_MEMORY, or the file cannot be
 * written. Without any font on the machine the picture has coarse letters or none. */
MT_NODISCARD mt_status mt_picture_map(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *values, const mt_picture_scale *scale, const char *title);

/* Writes a picture of a partition: every outer face has the colour of its element's part (mt_part_colours), borders between
 * groups are drawn, and the legend has the groups, called IPUs there and their parts tiles, each with all its shades; their
 * numbers (every second beyond 16 groups, every fourth beyond 32), and how many parts and elements there are. The rest is as above.
 * MT_INPUT also: a partition of another number of elements, one that fails mt_partition_check, or more than MT_PART_GROUPS_MAX
 * groups. */
MT_NODISCARD mt_status mt_picture_parts(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_partition *partition, const char *title);
