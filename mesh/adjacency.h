/* Which cells share a face: the dual graph of a mesh.
 *
 * Invariants (mt_adjacency_check):
 *   neighbour[c][f] is a cell other than c, below n_cells; MT_NO_CELL where face f of c is on the boundary;
 *   symmetric: if n is a neighbour of c then c is one of n, by exactly one face each. */
#ifndef MT_MESH_ADJACENCY_H
#define MT_MESH_ADJACENCY_H

#include "mesh/mesh.h"

#define MT_NO_CELL UINT32_MAX

typedef struct mt_adjacency {
    size_t n_cells;
    uint32_t *neighbour; /* [n_cells][4]; neighbour[c][f] shares the face opposite vertex f of c */
} mt_adjacency;

/* Gives the face neighbours. The mesh (borrowed) has passed mt_mesh_check. MT_INPUT: more than two cells on a
 * face, or two cells with the same four vertices; the message names the cells. MT_FILE: no memory. O(n log n)
 * time at worst, in practice O(n); 64 n bytes of scratch, freed. */
MT_NODISCARD mt_status mt_adjacency_make(mt_arena *arena, const mt_mesh *mesh, mt_adjacency *adjacency);

/* The invariants above; the message names the first offending cell. */
MT_NODISCARD mt_status mt_adjacency_check(const mt_adjacency *adjacency);

/* Faces between two cells, and faces on the boundary. */
size_t mt_adjacency_inner_faces(const mt_adjacency *adjacency);
size_t mt_adjacency_boundary_faces(const mt_adjacency *adjacency);

enum { MT_RING_MAX = 16 }; /* cells at most two faces away: 4 neighbours and at most 3 more behind each */

/* Fills ring with the cells at most two faces away from `cell`, ascending and without the cell itself, then
 * with the cell itself to the end; returns how many there are. */
size_t mt_adjacency_ring(const mt_adjacency *adjacency, size_t cell, uint32_t ring[MT_RING_MAX]);

#endif
