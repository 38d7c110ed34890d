/* Repairing a mesh that came from outside: removes the fatal defects of mesh/mend/defects.h. */
#pragma once

#include "mesh/mend/flat.h"
#include "mesh/mend/repeats.h"
#include "mesh/mesh.h"

/* What a repair did. */
typedef struct mt_repair {
    size_t turned;         /* inverted elements wound the other way */
    mt_repeats repeats;    /* elements merged with an earlier one of another region */
    size_t duplicates;     /* elements removed that repeat an earlier one of the same region */
    size_t repeated;       /* elements removed that had a vertex twice: the elements on both sides now meet */
    mt_flat flat;          /* what became of flat elements */
    size_t overlapping;    /* elements removed from faces of more than two */
    size_t pieces;         /* pieces removed ... */
    size_t piece_elements; /* ... and their elements */
    size_t vertices;       /* vertices removed, those of collapsed edges among them */
    size_t triangles;      /* tagged triangles removed */
} mt_repair;

/* Repairs a mesh in place (its arrays keep their room; new groups and notes are in `arena`). In this order:
 *   inverted elements are turned;
 *   of duplicate elements the first stays and joins the groups of the regions of the others (mt_repeats_merge), with a note; elements that
 *     have a vertex twice are removed;
 *   of a flat element the shortest edge collapses that makes no other element flat or inverted and leaves the surface closed; it
 *     moves a vertex of the surface only if it is shorter than a thousandth of the longest edge. Where no edge will do, an
 *     element with a face on the surface goes; then vertices of the surface may move by whole edges; at last the element goes
 *     and leaves a slit (mesh/mend/flat.h);
 *   on each side of a face of more than two elements the largest element stays;
 *   of several pieces the largest stays (by volume; the first of equals);
 *   vertices of no element go.
 * All that is known of an element goes with it. A tagged triangle goes if one of its vertices went or two of them met; one that
 * is no face of an element stays, as in any mesh.
 * Afterwards mt_mesh_check and mt_adjacency_make have passed. MT_INPUT: they would not, or no element is left; the mesh is
 * then of no use. MT_MEMORY. Time and scratch as of mt_defects_find, and 24 bytes an element more where elements are
 * flat. */
MT_NODISCARD mt_status mt_repair_mesh(mt_arena *arena, mt_mesh *mesh, mt_repair *repair);
