/* Elements at a tagged surface: elements with a face on it, and elements with a centroid near it. */
#pragma once

#include "mesh/names.h"

/* Parses a triangle tag: a standard name of an mt_surface, an integer, or a name of the mesh (mt_names_find). The integer need not be a tag
 * of the mesh. MT_INPUT: any other text; the message lists the tags and names. */
MT_NODISCARD mt_status mt_surface_parse(const mt_mesh *mesh, const char *text, int32_t *tag);

/* Checks that a triangle of the mesh has this tag. MT_INPUT: none has; the message lists the existing tags. */
MT_NODISCARD mt_status mt_surface_check(const mt_mesh *mesh, int32_t tag);

/* Sets at[n_elements] to 1 for elements with a face among the triangles with this tag, or with a centroid within depth_mm (at least 0) of
 * one; to 0 for others. The mesh (borrowed) has passed mt_mesh_check. The result does not depend on the number of threads. MT_INPUT: no
 * triangle has this tag (the message lists the existing tags), or no element qualifies (the message reports the distance of the nearest
 * centroid). MT_MEMORY. Time: O(n log n) for n elements and triangles of usual shapes; O(n^2) if many triangles are as large as the mesh
 * and overlap. */
MT_NODISCARD mt_status mt_patch_elements(
    const mt_mesh *mesh, int32_t tag, double depth_mm, unsigned char *at);

/* Sets at[n_vertices] to 1 for the corners of the triangles with this tag, and for vertices within depth_mm (at least 0) of one; to 0 for
 * others. MT_INPUT: no triangle has this tag; the message lists the existing tags. MT_MEMORY. */
MT_NODISCARD mt_status mt_patch_vertices(
    const mt_mesh *mesh, int32_t tag, double depth_mm, unsigned char *at);
