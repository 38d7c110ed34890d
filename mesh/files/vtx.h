/* Lists of vertices in CARP's text format (.vtx), and the surface triangles with all corners in a list.
 *
 *   the count n, then `intra` or `extra`, then n vertices, from 0
 *
 * The word selects the intracellular or extracellular potential in openCARP; vertices have the same number in both. Vertices
 * may be repeated. */
#pragma once

#include "mesh/mesh.h"

typedef struct mt_vtx {
    const char *path; /* of its file; borrowed */
    int32_t tag;      /* of its triangles; set by the caller */
    size_t n;
    uint32_t *vertex; /* [n] ascending, without repeats */
} mt_vtx;

/* Reads the list of a file for a mesh of n_vertices; does not set `tag`. MT_FILE: cannot be read. MT_MEMORY. MT_INPUT, with
 * file and line: another count or word, a vertex that the mesh does not have, or an empty list. */
MT_NODISCARD mt_status mt_vtx_read(mt_arena *arena, const char *path, size_t n_vertices, mt_vtx *list);

/* Adds to a mesh's tagged triangles the boundary faces (of exactly one element) with all three corners in a list: list by
 * list, counter-clockwise seen from outside the element. A face that is already tagged is not changed. A face in several
 * lists belongs to the first of them: faces along the border of two surfaces have their corners in both. The mesh has passed
 * mt_mesh_check_content; its old triangles remain in their arena. MT_INPUT: a list adds no triangle; the message names its
 * path. MT_MEMORY. Time O(n_elements + n_lists x faces between listed vertices); scratch 64 bytes per element, freed. */
MT_NODISCARD mt_status mt_vtx_tag(mt_arena *arena, size_t n_lists, const mt_vtx *lists, mt_mesh *mesh);
