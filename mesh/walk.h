/* A walk through a mesh: its elements in an order in which those that are near in space are near in the order, too.
 *
 * The elements of many meshes stand in any order. Work that goes from an element to its neighbours then waits for memory most
 * of the time; along a walk it does not. The order is that of the elements' centroids on a Z-curve (G. M. Morton, 1966) through the
 * mesh's box, cut 1024 times along each axis; elements in one cell of it follow their numbers. */
#pragma once

#include "mesh/adjacency.h"

typedef struct mt_walk {
    size_t n;
    uint32_t *element; /* [n] the elements, as they are met */
    uint32_t *place;   /* [n] when each element is: place[element[k]] = k */
} mt_walk;

/* Gives a walk through all elements in `arena`; borrows the mesh. MT_MEMORY (16 bytes an element of scratch, freed). */
MT_NODISCARD mt_status mt_walk_make(mt_arena *arena, const mt_mesh *mesh, mt_walk *walk);

/* Gives the mesh, in `of_mesh`, and its adjacency, in `of_adjacency`, with the elements in the order of the walk. Of what a mesh has of
 * its elements it has vertices, fibres, sheets and numbers (mt_mesh_number are those of `mesh`); points are borrowed, faces of the surface
 * left out. 20 bytes an element, 24 more with fibres, 24 more with sheets; and 16 of the adjacency. MT_MEMORY. */
MT_NODISCARD mt_status mt_walk_along(mt_arena *of_adjacency, mt_arena *of_mesh, const mt_walk *walk,
    const mt_mesh *mesh, const mt_adjacency *adjacency, mt_mesh *mesh_along, mt_adjacency *adjacency_along);
