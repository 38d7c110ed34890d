/* Repair of a mesh from an external file: removes the fatal defects of mesh/repair/defects.h. */
#pragma once

#include "mesh/repair/flat.h"
#include "mesh/repair/repeats.h"
#include "mesh/mesh.h"

/* The operations of a repair. */
typedef struct mt_repair {
    size_t turned;      /* inverted elements turned */
    mt_repeats repeats; /* elements merged with an earlier one of another region */
    size_t duplicates;  /* removed elements that repeat an earlier one of the same region */
    /* removed elements with a repeated vertex; their neighbours on both sides are now adjacent */
    size_t repeated;
    mt_flat flat;          /* operations on flat elements */
    size_t overlapping;    /* elements removed from faces of more than two */
    size_t pieces;         /* pieces removed ... */
    size_t piece_elements; /* ... and their elements */
    size_t vertices;       /* vertices removed, including vertices of collapsed edges */
    size_t triangles;      /* tagged triangles removed */
} mt_repair;

/* Repairs a mesh in place (its arrays keep their allocation; new groups and notes are in `arena`). In this order:
 *   inverted elements are turned;
 *   elements with a repeated vertex are removed;
 *   the first of duplicate elements is kept and joins the groups of the regions of the others (mt_repeats_merge), with a note;
 *   of a flat element, the shortest edge is collapsed that makes no other element flat or inverted and leaves the surface closed. A
 *     surface vertex moves only along an edge shorter than a thousandth of the longest edge. If no edge qualifies, an element with
 *     a face on the surface is removed; then surface vertices may move along any edge; finally the element is removed and leaves a
 *     slit (mesh/repair/flat.h);
 *   on each side of a face of more than two elements the largest element is kept;
 *   of several pieces the largest is kept (by volume; of equal pieces the first);
 *   vertices of no element are removed.
 * The data of removed elements are removed, too. A tagged triangle is removed if one of its vertices was removed or two of
 * them were merged; a triangle that is not a face of an element is kept, as in any mesh. Afterwards mt_mesh_check and
 * mt_adjacency_make have passed. MT_INPUT: they fail, or no element is left; the content of the mesh is then undefined.
 * MT_MEMORY. Time and scratch as for mt_defects_find, and 24 more bytes per element if there are flat elements. */
MT_NODISCARD mt_status mt_repair_mesh(mt_arena *arena, mt_mesh *mesh, mt_repair *repair);
