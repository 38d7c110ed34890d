/* A mesh cut along a level set of a function that is linear in each element, so that no element is on both sides of it.
 *
 * Every edge whose ends are on different sides is divided at the level. A vertex closer to the level than MT_LEVEL_CUT_SNAP of one of these
 * edges is counted as on the surface instead, since the elements would be flat. The surface therefore deviates from the level set by at
 * most this share of an edge. Elements and tagged triangles are halved at their divided edges in one order for all (as in newest-vertex
 * bisection), so that the cut mesh is conforming.
 *
 * Invariants: the first vertices of the cut mesh are those of the original, unchanged, followed by one for each divided edge, in the order
 * of the edges' ends; the elements of original element c are consecutive and have its volume; every element has vertices on one side of the
 * surface or on it. */
#pragma once

#include "mesh/mesh.h"

#define MT_LEVEL_CUT_SNAP 0.1

typedef struct mt_level_cut {
    mt_mesh mesh;       /* vertices, elements and tagged triangles only */
    uint32_t *element;  /* [mesh.n_elements] the original element, ascending */
    uint8_t *above;     /* [mesh.n_elements] 1 if its values are above the level, 0 if below */
    uint8_t *on;        /* [mesh.n_vertices] 1 on the surface */
    size_t n_edges;     /* divided edges */
    uint32_t *edge_end; /* [n_edges][2] original vertices, ascending in each edge and by edges */
    double
        *share; /* [n_edges] position of the new vertex: (1 - share) of the first end + share of the second */
} mt_level_cut;

/* Cuts a mesh (borrowed) that has passed mt_mesh_check, in `arena`. value[n_vertices] must be finite. The mesh need not intersect the
 * level. MT_INPUT: too many vertices or elements. MT_MEMORY. Time: O(n), and O(k log k) for k divided edges. */
MT_NODISCARD mt_status mt_level_cut_make(
    mt_arena *arena, const mt_mesh *mesh, const double *value, double level, mt_level_cut *cut);

/* Returns in `arena` values at all vertices of the cut mesh, linear on the divided edges, from those of the original. MT_MEMORY. */
MT_NODISCARD mt_status mt_level_cut_extend(
    mt_arena *arena, const mt_level_cut *cut, const double *original, double **values);
