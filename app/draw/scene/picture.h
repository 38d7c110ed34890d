/* PNG pictures of a map on a mesh, or of its partition, for people without a viewer at hand.
 *
 * There is one style, suitable for a paper. It shows the outer surface in orthographic projection, coloured by a value with
 * isolines and a colour bar, or by the part of each element with a legend, and the three axes to scale. A heart is shown from the
 * front and from the back, any other mesh from one side (mt_views_find). A map of a heart has a third view between them, cut along
 * the long axis (mt_view_cut_find), since an endocardial stimulus may have activated nothing visible from outside. Size:
 * MT_PAGE_WIDTH x MT_PAGE_HEIGHT pixels. */
#pragma once

#include "app/draw/scene/network.h"
#include "mesh/adjacency.h"
#include "mesh/mesh.h"
#include "mesh/cut/partition.h"

/* Legend of a map, such as "Activation time [ms]" and "isochrones every 5 ms". unit: "" if there is none. */
typedef struct mt_picture_scale {
    const char *label, *unit;
    const char *lines; /* name of isolines: "isochrones"; "" for a map without them */
    const char *grey;  /* meaning of elements without a value */
    /* true if the colour bar omits the lowest and the highest hundredth of the values, which have the end colours */
    bool trimmed;
    /* true if each element has one colour, without isolines, as for values that jump or are numbers of parts */
    bool flat;
} mt_picture_scale;

/* Writes the picture to `path`, completely or not at all. Borrows everything.
 *
 * `values`: [n_elements]; NaN if an element has none. Such elements are grey, and the legend has the text `grey` for them. Elements
 * opened by the cut have their own value. Values at vertices are chosen so that the mean of an element's four is nearly its own
 * value; colours and isolines interpolate them linearly, unless the scale is flat. The colour bar spans all values, or all but the trimmed ones, extended to
 * complete intervals of the isolines. `network`: NULL if there is none; the bar spans its values, too. Text is UTF-8, "" if none. The same
 * input yields the same bytes for any number of threads. O(elements) time. Fails with MT_INPUT if there are no elements, the adjacency
 * belongs to another mesh, or the title is not UTF-8. Fails with MT_MEMORY, or with MT_FILE if the file cannot be written. If no font is
 * installed, the picture has coarse letters or none. */
MT_NODISCARD mt_status mt_picture_map(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *values, const mt_picture_scale *scale, const mt_network_lines *network, const char *title);

/* Writes a picture of a partition. Every outer face has the colour of its element's part (mt_part_colours), and borders between
 * groups are drawn. The legend calls groups IPUs and parts tiles. It has all shades of each group, the group numbers (every second
 * for more than 16 groups, every fourth for more than 32), and the numbers of parts and elements. Everything else is as for
 * mt_picture_map. Also fails with MT_INPUT if the partition has another number of elements, fails mt_partition_check, or has more
 * than MT_PART_GROUPS_MAX groups. */
MT_NODISCARD mt_status mt_picture_parts(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_partition *partition, const char *title);
