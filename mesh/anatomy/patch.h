/* The elements at a tagged surface: those with a face on it, and those whose centre is near it. */
#pragma once

#include "mesh/names.h"

/* Finds the tag of triangles that a text means: a name of mt_surface, a whole number, or a name of the mesh (mt_names_find). The number
 * need not be a tag of the mesh. MT_INPUT: any other text; the message lists the tags and names. */
MT_NODISCARD mt_status mt_surface_parse(const mt_mesh *mesh, const char *text, int32_t *tag);

/* MT_INPUT where no triangle of the mesh has this tag; the message lists those there are. */
MT_NODISCARD mt_status mt_surface_there(const mt_mesh *mesh, int32_t tag);

/* Sets at[c] (of [n_elements]) to 1 for the elements that have one of the triangles with this tag as a face, or
 * whose centroid is no farther than depth_mm (at least 0) from one of them, and to 0 for the others. The mesh
 * (borrowed) has passed mt_mesh_check. Same result for any number of threads. MT_INPUT: no triangle has this
 * tag (the message lists those there are), or no element is reached (it has how far the nearest centroid is).
 * MT_MEMORY. O(n log n) time for n elements and triangles of usual shapes; many triangles as
 * large as the mesh, across each other, are each looked at for each element. */
MT_NODISCARD mt_status mt_patch_elements(
    const mt_mesh *mesh, int32_t tag, double depth_mm, unsigned char *at);
