/* Lists of vertices in CARP's format (.vtx), as text: what they name, and the triangles of a surface they stand for.
 *
 *   the count, then `intra` or `extra`, then that many vertices, from 0
 *
 * The word tells openCARP whose potential is meant; a vertex has one number in both. A vertex may be there twice. */
#pragma once

#include "mesh/mesh.h"

typedef struct mt_vtx {
    const char *path; /* of its file; borrowed */
    int32_t tag;      /* of its triangles; chosen by whoever has the list */
    size_t n;
    uint32_t *vertex; /* [n] ascending, each once */
} mt_vtx;

/* Gives the list of a file for a mesh of n_vertices; `tag` is left alone. MT_FILE: cannot be read. MT_MEMORY. MT_INPUT,
 * with file and line: another count or word, a vertex that the mesh does not have, an empty list. */
MT_NODISCARD mt_status mt_vtx_read(mt_arena *arena, const char *path, size_t n_vertices, mt_vtx *list);

/* Adds to a mesh's tagged triangles the faces of its boundary (of one element alone) whose three corners are in a list: list
 * by list, counter-clockwise seen from outside the element. A face that is tagged already stays as it is, and one in several
 * lists belongs to the first of them: what lies along the border of two surfaces has its corners in both. The mesh has
 * passed mt_mesh_check_content; its old triangles stay in their arena. MT_INPUT: a list that gets no triangle, by its
 * path. MT_MEMORY. O(n_elements + n_lists * faces between listed vertices); 64 bytes an element of scratch, freed. */
MT_NODISCARD mt_status mt_vtx_tag(mt_arena *arena, size_t n_lists, const mt_vtx *lists, mt_mesh *mesh);
