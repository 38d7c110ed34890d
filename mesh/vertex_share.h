/* Membership of vertices in parts of a mesh, by the share of the part in the volume of the vertex' elements. Shares are compared to 1e-9,
 * so that rounding decides no tie. */
#pragma once

#include "mesh/mesh.h"

/* Sets in[n_vertices] to 0 for the vertices with less than half of the volume of their elements in the part, of[n_elements] != 0, and for
 * those without elements. Other values are unchanged. MT_MEMORY. */
MT_NODISCARD mt_status mt_vertex_share_keep(const mt_mesh *mesh, const uint8_t *of, uint8_t *in);

/* Computes for each vertex the class with the largest share, the lowest of equals, from of[n_elements], each below n_classes:
 * largest[n_vertices] in `arena`; 0 for vertices without elements. MT_MEMORY. O(n_classes n_elements). */
MT_NODISCARD mt_status mt_vertex_share_largest(
    mt_arena *arena, const mt_mesh *mesh, size_t n_classes, const uint16_t *of, uint16_t **largest);
