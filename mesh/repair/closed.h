/* Joins triangles from one or several files into one closed surface around a body.
 *
 * Repaired: coincident points, duplicate and degenerate triangles, chips (tiny closed pieces attached at an edge), and
 * winding. Not repaired: gaps, overlaps and sheets inside the body. A surface that is still not closed is refused. */
#pragma once

#include "mesh/triangles.h"

typedef struct mt_closed {
    size_t n_merged;     /* points merged into another one */
    size_t n_degenerate; /* triangles dropped because two of their corners were merged */
    size_t n_duplicate;  /* triangles dropped because another one has the same corners */
    size_t n_chips;      /* triangles dropped because their piece has less than 0.1 % of the area */
    size_t n_turned;     /* triangles with reversed winding */
    double area_mm2, volume_mm3;
} mt_closed;

/* Joins the triangles of n surfaces (borrowed) into one surface (mesh/triangles.h), with their tags. MT_INPUT: more points or
 * triangles than a mesh may have. MT_MEMORY. */
MT_NODISCARD mt_status mt_closed_join(mt_arena *arena, const mt_mesh *surfaces, size_t n, mt_mesh *joined);

/* Repairs a surface (mt_mesh_check_content passed) in place. Points closer than 1e-5 of the diagonal of the bounding box are
 * merged into the first of them. The triangles counted above and points of no triangle are dropped, and the remaining
 * triangles are wound counter-clockwise seen from outside. MT_INPUT: not closed, of several pieces, or not orientable; the
 * message states the number of affected edges and the first of them. MT_MEMORY. */
MT_NODISCARD mt_status mt_closed_make(mt_mesh *surface, mt_closed *report);
