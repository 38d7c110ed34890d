/* Regions: elements of a mesh that a case names, to stimulate them or to say what they are made of. What a region says is any of
 *
 *   min_mm, max_mm         a box
 *   centre_mm, radius_mm   a sphere
 *   at: apex, radius_mm    a sphere around the apex of the left ventricle (mt_landmarks)
 *   surface                a surface, by a name of mt_surface or by a tag or name of the mesh's triangles: the elements with a
 *                          face on it, and with depth_mm those whose centre is within this distance
 *   vtx                    a file with a list of vertices, numbered as in the mesh's file (mesh/files/vtx.h): the elements
 *                          that have one of them. openCARP's stimulus at a node acts on the part of these elements around
 *                          it: a quarter of each
 *   elements               a file with a list of elements (mesh/files/element_list.h): those
 *   tag                    the elements of the region with this tag or name (mt_mesh.region)
 *   group                  the elements of the group with this tag or name, and of the region with it (mesh/names.h)
 *   layer                  the elements in this layer of the wall (mt_mesh.layer)
 *
 * but a box and a sphere; its elements are those that meet all it says.
 *
 * An element is in a box or a sphere when its centroid is, borders included: to 1e-12 of the mesh's largest coordinate, so that of
 * elements on a border rounding does not take some and leave others (the border of the benchmark's stimulus, at 1.5 mm, goes
 * through centroids of boxes of 0.2 mm). */
#pragma once

#include "mesh/mesh.h"

/* As a case gives it. What is not given is NaN or "". */
typedef struct mt_region {
    const char *at; /* "apex" */
    double centre_mm[3], radius_mm;
    double min_mm[3], max_mm[3];
    const char *surface;
    double depth_mm;            /* given where surface is, once checked */
    const char *vtx, *elements; /* paths */
    const char *tag, *group;    /* numbers or names */
    int layer;                  /* index into mt_region_layers; -1: not given */
} mt_region;

/* Says nothing: to begin with, for whoever makes one without a case. */
extern const mt_region mt_region_nothing;

/* The layers, from MT_LAYER_ENDO on: "endo", "mid", "epi". NULL behind the last. */
extern const char *const mt_region_layers[];

/* Checks what keys must agree on, and fills in depth_mm. MT_INPUT; the message begins with the key's name and
 * has what is allowed. */
MT_NODISCARD mt_status mt_region_check(mt_region *region);

/* Gives the elements of a mesh in a checked region, ascending; borrows both. MT_INPUT where there are none (the message has how
 * far the nearest element's centre is), the mesh lacks the tag, the layers or the tagged triangles that it needs, or something is
 * wrong with a file that it names. MT_FILE: that cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status mt_region_elements(
    mt_arena *arena, const mt_region *region, const mt_mesh *mesh, size_t *n, uint32_t **elements);
