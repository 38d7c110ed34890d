/* Which elements share a face: the dual graph of a mesh.
 *
 * Invariants:
 *   neighbour[c][f] is an element other than c, below n_elements; MT_NO_ELEMENT where face f of c is on the boundary;
 *   symmetric: if n is a neighbour of c then c is one of n, by exactly one face each. */
#pragma once

#include "mesh/mesh.h"

#define MT_NO_ELEMENT UINT32_MAX

typedef struct mt_adjacency {
    size_t n_elements;
    uint32_t *neighbour; /* [n_elements][4]; neighbour[c][f] shares the face opposite vertex f of c */
} mt_adjacency;

/* The neighbour behind face f of an element; at the boundary the element itself. */
static inline size_t mt_adjacency_or_own(const uint32_t *neighbour, size_t element, size_t f)
{
    const uint32_t n = neighbour[4 * element + f];
    return n == MT_NO_ELEMENT ? element : n;
}

/* Puts the three vertices of a face in ascending order. */
void mt_face_sort(uint32_t v[3]);

/* For qsort and bsearch, of ids: ascending. */
int mt_compare_ids(const void *left, const void *right);

/* For qsort and bsearch, of items that begin with three vertices: by the first, then the second, then the third. */
int mt_face_compare(const void *left, const void *right);

/* A face of an element, in the bucket of its lowest vertex. */
typedef struct mt_face {
    uint32_t middle, high;  /* its other two vertices, ascending */
    uint32_t element, side; /* it is the face opposite vertex `side` of `element` */
} mt_face;

/* The four faces of every element. Those whose lowest vertex is v are face[start[v] .. start[v + 1]), sorted by
 * middle, high, element and side: those of the same three vertices are adjacent. */
typedef struct mt_faces {
    size_t n_vertices;
    size_t *start; /* [n_vertices + 2] */
    mt_face *face; /* [4 n_elements] */
} mt_faces;

/* Gives the faces of a mesh whose content has been checked, whatever else is wrong with it: an element that has a vertex
 * twice has such faces. MT_MEMORY. 64 bytes an element, 8 a vertex. */
MT_NODISCARD mt_status mt_faces_make(mt_arena *arena, const mt_mesh *mesh, mt_faces *faces);

/* The end of the run of faces with the same three vertices as face[k], in the bucket that ends at `end`. */
size_t mt_faces_run(const mt_faces *faces, size_t k, size_t end);

/* Gives the face neighbours. The mesh (borrowed) has passed mt_mesh_check. MT_INPUT: more than two elements on a
 * face, or two elements with the same four vertices; the message names the elements. MT_MEMORY. O(n log n)
 * time at worst, in practice O(n); 64 n bytes of scratch, freed. */
MT_NODISCARD mt_status mt_adjacency_make(mt_arena *arena, const mt_mesh *mesh, mt_adjacency *adjacency);

/* Faces between two elements, and faces on the boundary. */
size_t mt_adjacency_inner_faces(const mt_adjacency *adjacency);
size_t mt_adjacency_boundary_faces(const mt_adjacency *adjacency);

enum { MT_RING_MAX = 16 }; /* elements at most two faces away: 4 neighbours and at most 3 more behind each */

/* Fills ring with the elements at most two faces away from `element`, ascending and without the element itself, then
 * with the element itself to the end; returns how many there are. */
size_t mt_adjacency_ring(const mt_adjacency *adjacency, size_t element, uint32_t ring[MT_RING_MAX]);

/* Fills ball with an element, then those one face away, and so on up to `rings` faces; end[r] is how many are at most r faces away.
 * No ball of r rings has more than 1 + 4 (3^r - 1) / 2 elements. */
void mt_adjacency_ball(
    const mt_adjacency *adjacency, uint32_t element, size_t rings, uint32_t *ball, size_t *end);
