/* The dual graph of a mesh: elements that share a face are neighbours.
 *
 * Invariants:
 *   neighbour[c][f] is an element other than c, below n_elements; MT_NO_ELEMENT if face f of c is on the boundary;
 *   symmetric: if n is a neighbour of c, then c is a neighbour of n; the two share exactly one face. */
#pragma once

#include "mesh/mesh.h"

#define MT_NO_ELEMENT UINT32_MAX

typedef struct mt_adjacency {
    size_t n_elements;
    uint32_t *neighbour; /* [n_elements][4]; neighbour[c][f] shares the face opposite vertex f of c */
} mt_adjacency;

/* Returns the neighbour across face f of an element, or the element itself if the face is on the boundary. */
static inline size_t mt_adjacency_or_own(const uint32_t *neighbour, size_t element, size_t f)
{
    const uint32_t n = neighbour[4 * element + f];
    return n == MT_NO_ELEMENT ? element : n;
}

/* Sorts the three vertices of a face in ascending order. */
void mt_face_sort(uint32_t v[3]);

/* Compares two uint32_t numbers, ascending; for qsort and bsearch. */
int mt_compare_ids(const void *left, const void *right);

/* Compares items that begin with three vertices by the first, then the second, then the third; for qsort and bsearch. */
int mt_face_compare(const void *left, const void *right);

/* A face of an element, in the bucket of its lowest vertex. */
typedef struct mt_face {
    uint32_t middle, high;  /* the other two vertices, ascending */
    uint32_t element, side; /* the face is opposite vertex `side` of `element` */
} mt_face;

/* The four faces of every element. Bucket v, face[start[v] .. start[v + 1]), contains the faces with lowest vertex v, sorted by middle,
 * high, element and side. Faces with the same three vertices are therefore consecutive. */
typedef struct mt_faces {
    size_t n_vertices;
    size_t *start; /* [n_vertices + 2] */
    mt_face *face; /* [4 n_elements] */
} mt_faces;

/* Builds the faces of a mesh in `arena`. The mesh has passed mt_mesh_check_content and may have other defects: an element with a repeated
 * vertex yields faces with a repeated vertex. Memory: 64 bytes per element and 8 per vertex. MT_MEMORY. */
MT_NODISCARD mt_status mt_faces_make(mt_arena *arena, const mt_mesh *mesh, mt_faces *faces);

/* Returns the end of the run of faces with the same three vertices as face[k], in the bucket that ends at `end`. */
size_t mt_faces_run(const mt_faces *faces, size_t k, size_t end);

/* Builds the adjacency in `arena` from a mesh (borrowed) that has passed mt_mesh_check. MT_INPUT: a face belongs to more than two
 * elements, or two elements have the same four vertices; the message names the elements. MT_MEMORY. Time: O(n log n) at worst, O(n) in
 * practice. Scratch: 64 n bytes, freed. */
MT_NODISCARD mt_status mt_adjacency_make(mt_arena *arena, const mt_mesh *mesh, mt_adjacency *adjacency);

/* Return the number of faces between two elements, and of faces on the boundary. */
size_t mt_adjacency_inner_faces(const mt_adjacency *adjacency);
size_t mt_adjacency_boundary_faces(const mt_adjacency *adjacency);

enum { MT_RING_MAX = 16 }; /* elements within two faces: 4 neighbours, and at most 3 further ones of each */

/* Fills `ring` with the elements within two faces of `element`, ascending and without `element`; pads the remaining entries with `element`.
 * Returns the number of elements without padding. */
size_t mt_adjacency_ring(const mt_adjacency *adjacency, size_t element, uint32_t ring[MT_RING_MAX]);

/* Fills `ball` with an element, then with the elements one face away, and so on up to `rings` faces. Sets end[r] to the number of elements
 * within r faces, which is at most 1 + 4 (3^r - 1) / 2. */
void mt_adjacency_ball(
    const mt_adjacency *adjacency, uint32_t element, size_t rings, uint32_t *ball, size_t *end);
