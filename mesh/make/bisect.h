/* Local refinement by longest-edge bisection (M.-C. Rivara, SIAM J. Numer. Anal. 21 (1984) 604): selected elements are halved until their
 * edges are short enough, and others as far as a conforming mesh requires.
 *
 * An element is halved by the plane through the midpoint of its longest edge and its other two vertices. An element with a halved edge is
 * halved, too, at its own longest edge, until no halved edge is left. A face is only ever halved at its longest edge, as an element's
 * longest edge is also that of its faces. So both its elements divide it in the same way. Of edges of equal length the one with the lowest
 * vertex numbers counts as the longest. Elements that are halved only for conformity have longer edges than their neighbours, so the
 * refinement ends, and element sizes change gradually.
 *
 * Quality: shapes become worse at first, but then repeat, so that depth costs nothing. Radius ratios (mt_info_quality) of a mesh of Gmsh
 * decrease from 0.78 to 0.65 in the mean and from 0.30 to 0.07 at worst. Those of 300 random elements of at least 0.3 stayed above 0.025.
 * Both are measurements (tests/mesh/make/test_bisect.c); a bound for tetrahedra is not proven.
 *
 * A tagged triangle is divided like a face. If it is not a face of an element, it is divided as far as its edges are. */
#pragma once

#include "mesh/mesh.h"

typedef struct mt_bisected {
    size_t n_selected; /* coarse elements that were selected and had long edges */
    size_t n_others;   /* coarse elements that were divided only for conformity */
    /* the largest number of divisions between a coarse element and its smallest descendant */
    size_t generations;
} mt_bisected;

/* Builds the refined mesh in `arena` from the coarse one (borrowed), which has passed mt_mesh_check.
 *   selected  [n_elements] 1: the mean length of the six edges of each descendant will be at most edge_mm
 *   vertices  the coarse ones with their numbers, then the midpoints of edges
 *   elements  in the order of the coarse ones, each replaced by its descendants; region, groups, fibre, sheet, depth, layer and segment are
 *             those of the coarse element
 *   triangles likewise, with their tags; the names are those of the coarse mesh
 * Deterministic. MT_INPUT: edge_mm is not positive, or there would be 2^32 - 1 elements or vertices, by an estimate before the start or
 * later. MT_MEMORY. Time O(n) per generation; scratch about 100 bytes per element of the result, freed. */
MT_NODISCARD mt_status mt_bisect(mt_arena *arena, const mt_mesh *coarse, const uint8_t *selected,
    double edge_mm, mt_mesh *fine, mt_bisected *done);
