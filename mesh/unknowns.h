/* The unknowns of a mesh: its voltages, one at the centre of each element, or one at each vertex. Cells, stimuli, maps and checkpoints have
 * one value for each unknown; conductivities belong to elements in both cases. */
#pragma once

#include "mesh/mesh.h"

/* Borrows the mesh. At vertices, each vertex belongs to an element (mt_unknowns_mesh). */
typedef struct mt_unknowns {
    const mt_mesh *mesh;
    bool at_vertices;
} mt_unknowns;

/* Creates a mesh with the same elements and only the vertices that belong to them, and sets its vertex_number; the same mesh if all do.
 * Tagged triangles with other vertices are removed. New arrays are in `arena`; the others are borrowed. MT_MEMORY. */
MT_NODISCARD mt_status mt_unknowns_mesh(mt_arena *arena, const mt_mesh *mesh, mt_mesh *used);

/* Returns the number of unknowns. */
static inline size_t mt_unknowns_count(const mt_unknowns *unknowns)
{
    return unknowns->at_vertices ? unknowns->mesh->n_vertices : unknowns->mesh->n_elements;
}

/* Returns the number of an unknown for messages, tables and files: that of its element or vertex in the complete mesh. */
static inline size_t mt_unknowns_number(const mt_unknowns *unknowns, size_t unknown)
{
    const mt_mesh *mesh = unknowns->mesh;
    if (!unknowns->at_vertices) return mt_mesh_number(mesh, unknown);
    return mesh->vertex_number ? mesh->vertex_number[unknown] : unknown;
}

/* Returns the position of an unknown. */
void mt_unknowns_place(const mt_unknowns *unknowns, size_t unknown, double xyz_mm[3]);

/* Computes the volumes of the unknowns in `arena`: that of the element, or a quarter of the volume of the elements of the vertex. Their sum
 * is the volume of the mesh. MT_MEMORY. */
MT_NODISCARD mt_status mt_unknowns_volumes(mt_arena *arena, const mt_unknowns *unknowns, double **volume_mm3);

/* Returns "element" or "vertex" for one unknown, "elements" or "vertices" for other numbers. */
const char *mt_unknowns_word(const mt_unknowns *unknowns, size_t n);
