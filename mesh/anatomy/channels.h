/* Channels: conducting paths, narrower than MT_CHANNEL_ELEMENTS elements, between non-conducting elements, such as isthmuses in scars.
 * Propagation in them may fail because of the element size.
 *
 * The *interface* is the faces between conducting and non-conducting elements. The outer surface of the mesh is not part of it: by symmetry
 * a strip of width w along the outer surface conducts like a channel of width 2 w. A scar that is a hole of the mesh is therefore not seen.
 * The *local element size* is the cube root of the mean volume of the elements around the vertices of an element. The *clearance* of an
 * element is the largest distance of its points (vertices, midpoints of edges, centroid) from the interface.
 *
 * Wide tissue is a morphological opening: the elements in balls that touch no non-conducting element and have a radius of at least half of
 * MT_CHANNEL_ELEMENTS elements, in pieces of at least MT_CHANNEL_ELEMENTS^3 elements. The other conducting elements are narrow. A component
 * of narrow elements with at least two *mouths*, separate places where it borders on wide tissue, is a channel, also if both mouths belong
 * to the same piece of tissue (a path through a ring of scar). Components with fewer mouths are dead ends, or nooks of a rough border.
 *
 * The width of a channel is twice the smallest clearance on its widest path from mouth to mouth. Where the border is rough, this is the
 * free width. A constriction that is shorter than about its width may not be found, as balls of wide tissue fill it from both sides.
 */
#pragma once

#include "mesh/mesh.h"

#define MT_CHANNEL_ELEMENTS 6

typedef struct mt_channel {
    size_t n_elements;
    uint32_t middle; /* an element in the middle of the narrowest part, and its centroid */
    double middle_mm[3];
    double width_mm;
    double length_mm; /* local element size in the narrowest element */
} mt_channel;

typedef struct mt_channels {
    size_t n;
    mt_channel *channel; /* [n] in the order of their first elements */
    uint32_t *of;        /* [n_elements] 1 + number of the element's channel, or 0 */
} mt_channels;

/* Finds the channels of a mesh (borrowed) that has passed mt_mesh_check, in `arena`. conducting[n_elements]: 0 for non-conducting elements;
 * NULL: all conduct, and there are no channels. The result depends on the order of the elements only if several places are equally narrow.
 * Errors as in mt_adjacency_make. Time: O(n log n) in practice; scratch: at most 300 bytes per element, freed. */
MT_NODISCARD mt_status mt_channels_find(
    mt_arena *arena, const mt_mesh *mesh, const uint8_t *conducting, mt_channels *channels);
