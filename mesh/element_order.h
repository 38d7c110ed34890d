/* A cache-friendly order of the elements of a mesh: elements that are close in space are close in the order.
 *
 * Many meshes number their elements arbitrarily, and loops over neighbours then wait for memory most of the time. The elements are sorted
 * by their centroids along a Z-curve (G. M. Morton, 1966) through the mesh's bounding box with 1024 cells along each axis; elements in the
 * same cell are sorted by their numbers. */
#pragma once

#include "mesh/adjacency.h"

typedef struct mt_element_order {
    size_t n;
    uint32_t *element; /* [n] the elements in this order */
    uint32_t *place;   /* [n] the position of each element: place[element[k]] = k */
} mt_element_order;

/* Computes the order of all elements in `arena`; borrows the mesh. MT_MEMORY. Scratch: 16 bytes per element, freed. */
MT_NODISCARD mt_status mt_element_order_make(mt_arena *arena, const mt_mesh *mesh, mt_element_order *order);

/* Same for the vertices, by their positions along the same curve: `element` and `place` then have vertices. */
MT_NODISCARD mt_status mt_vertex_order_make(mt_arena *arena, const mt_mesh *mesh, mt_element_order *order);

/* Copies a mesh to the arena `of_mesh` and its adjacency to `of_adjacency`, with the elements in the element order. Copies the element
 * vertices, fibres and sheets; mt_mesh_number returns the numbers of `mesh`. Vertex coordinates are borrowed; other arrays are omitted.
 * Memory per element: 20 bytes, 24 each for fibres and sheets, and 16 for the adjacency. MT_MEMORY. */
MT_NODISCARD mt_status mt_element_order_apply(mt_arena *of_adjacency, mt_arena *of_mesh,
    const mt_element_order *order, const mt_mesh *mesh, const mt_adjacency *adjacency, mt_mesh *mesh_ordered,
    mt_adjacency *adjacency_ordered);
