/* Makes one closed surface, which encloses a body, of triangles from one or several files.
 *
 * Repaired are points that are meant to be one, duplicate triangles and those that have become a line, chips (tiny
 * closed pieces that hang on an edge), and winding. Not repaired are gaps, overlaps and sheets inside the body; a surface
 * that is still not closed is refused. */
#pragma once

#include "mesh/triangles.h"

typedef struct mt_closed {
    size_t n_merged;     /* points that became another one */
    size_t n_degenerate; /* triangles dropped because two of their corners became one */
    size_t n_duplicate;  /* because another has the same corners */
    size_t n_chips;      /* because their piece has less than 0.1 % of the area */
    size_t n_turned;     /* whose winding was turned round */
    double area_mm2, volume_mm3;
} mt_closed;

/* Gives one surface (mesh/triangles.h) of the triangles of n, with their tags; borrows them. MT_INPUT: more points
 * or triangles than a mesh may have. MT_MEMORY. */
MT_NODISCARD mt_status mt_closed_join(mt_arena *arena, const mt_mesh *surfaces, size_t n, mt_mesh *joined);

/* Repairs a surface (mt_mesh_check_content passed) in place: points nearer than 1e-5 of the diagonal of the box around them
 * become one (the first of them), the triangles above are dropped, points of no triangle too, and the rest are wound
 * counter-clockwise seen from outside. MT_INPUT: not closed, or of several pieces, or one-sided; the
 * message has how many edges and where the first is. MT_MEMORY. */
MT_NODISCARD mt_status mt_closed_make(mt_mesh *surface, mt_closed *report);
