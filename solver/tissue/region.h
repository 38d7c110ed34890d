/* Regions: selections of mesh elements in a case, for stimuli or tissue properties. A region has any of the conditions
 *
 *   min_mm, max_mm         a box
 *   centre_mm, radius_mm   a sphere
 *   at: apex, radius_mm    a sphere around the apex of the left ventricle (mt_landmarks)
 *   at: {...}, radius_mm   a sphere around a position by ventricular coordinates (mesh/anatomy/position.h). Its centre on a mesh,
 *                          centre_mm, is found before the region is used (app/heart/case_places.h)
 *   surface                a surface, by a name of mt_surface or by a tag or name of the mesh's triangles: the elements with a
 *                          face on it, and with depth_mm those with a centre within this distance
 *   vtx                    a file with a list of vertices, numbered as in the mesh's file (mesh/files/vtx.h): the elements
 *                          with at least one of them. openCARP's stimulus at a node acts on the quarter of each of these elements
 *                          that is nearest to it
 *   elements               a file with a list of elements (mesh/files/element_list.h)
 *   tag                    the elements of the region with this tag or name (mt_mesh.region)
 *   group                  the elements of the group with this tag or name, and of the region with it (mesh/names.h)
 *   layer                  the elements in this layer of the wall (mt_mesh.layer)
 *   segment                the elements in this segment of the left ventricle (mt_mesh.segment)
 *
 * except both a box and a sphere. Its elements satisfy all conditions.
 *
 * An element is in a box or a sphere if its centroid is, borders included, to 1e-12 of the mesh's largest coordinate. Rounding then does
 * not divide the elements on a border (the border of the benchmark's stimulus, at 1.5 mm, passes through centroids of boxes of 0.2 mm).
 *
 * A region also selects vertices, if the voltages are there (mesh/unknowns.h). A vertex is in a box or a sphere if its own position is,
 * with the same borders; in `surface` if it is a corner of its triangles, or within depth_mm of one; in `vtx` if it is listed; in
 * `elements`, `tag`, `group`, `layer` or `segment` if at least half of the volume of its conducting elements is. Again all conditions must
 * hold. */
#pragma once

#include "mesh/anatomy/position.h"
#include "mesh/mesh.h"
#include "mesh/unknowns.h"

/* A region as stated in a case. NaN or "": not stated. */
typedef struct mt_region {
    const char *at;       /* "apex" */
    mt_position position; /* `at` as a mapping */
    double centre_mm[3], radius_mm;
    double min_mm[3], max_mm[3];
    const char *surface;
    double depth_mm;            /* set if `surface` is, after mt_region_check */
    const char *vtx, *elements; /* paths */
    const char *tag, *group;    /* numbers or names */
    const char *segment;        /* number or name (mt_segment_parse) */
    int layer;                  /* index into mt_region_layers; -1: not stated */
} mt_region;

/* A region without conditions, as an initial value. */
extern const mt_region mt_region_empty;

/* The layers, from MT_LAYER_ENDO on: "endo", "mid", "epi", terminated by NULL. */
extern const char *const mt_region_layers[];

/* The words of `at`, terminated by NULL. */
extern const char *const mt_region_at[];

/* Checks a position, and sets its ventricle to the left one unless stated. MT_INPUT: a coordinate is missing. */
MT_NODISCARD mt_status mt_region_check_position(mt_position *position);

/* Checks the consistency of the keys, and sets depth_mm and the ventricle of the position. MT_INPUT; the message begins with the key's name
 * and has the allowed values. */
MT_NODISCARD mt_status mt_region_check(mt_region *region);

/* True if the region depends on which triangles are base, epicardium and endocardia. */
bool mt_region_uses_surfaces(const mt_region *region);

/* Returns the elements of a mesh in a checked region, ascending; borrows both. MT_INPUT if there are none (the message has the distance of
 * the nearest element's centre), if the mesh lacks the required tag, layers, segments or tagged triangles, or if a file named in the region
 * is invalid. MT_FILE if that file cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status mt_region_elements(
    mt_arena *arena, const mt_region *region, const mt_mesh *mesh, size_t *n, uint32_t **elements);

/* Returns the vertices of `mesh` in a checked region, ascending. `mesh`: the conducting elements of the complete mesh `whole`, with
 * vertices as for mt_unknowns. Surfaces, tags and files refer to `whole`. Returns the errors of mt_region_elements, for vertices. */
MT_NODISCARD mt_status mt_region_vertices(mt_arena *arena, const mt_region *region, const mt_mesh *whole,
    const mt_mesh *mesh, size_t *n, uint32_t **vertices);
