/* The anatomy of a ventricular surface, found by its shape: which triangles are base, epicardium, left and right
 * endocardium (mt_surface). For one or two ventricles whose cavities are open at the base; atria, four chambers
 * and cavities that are closed are other matters.
 *
 * How. The surface is cut into patches, in several ways:
 *   - at a flat base: triangles that face one way within 20 degrees and lie within 1 % of the heart's size (the
 *     square root of its surface's area) around one of the planes with the most such area;
 *     these must be flat (see Q) and have a tenth of their rim, at least, along the epicardium and another
 *     along cavities;
 *   - at such a plane and also as follows, for bases whose edges are not sharp everywhere;
 *   - by ambient occlusion. Of the sky above a triangle, weighted with the cosine, a light triangle sees more than
 *     70 % past the muscle and a dark one less than 30 %; the others join these across the flattest
 *     sides first, so that the border lies on the sharpest convex ridges between, the rims of valves. (Of more
 *     than 10,000 triangles only every k-th is sampled.)
 * A patch is a bowl: closed by straight lines from its rim to the middle of that, it has a volume V, above 0 seen
 * from outside the muscle. With Q = 6 sqrt(pi) V / area^(3/2) (1 for a ball, 0 for a flat ring)
 *   the epicardium is the patch with the largest V, Q above 0.15;
 *   a cavity is a patch with Q below -0.15 and 2 % of the whole area;
 *   a flat base has Q between -0.1 and 0.1.
 * Of all cuts that with the most cavities is taken; of these the first in that order.
 * Patches on the base's plane are base; any other patch that has both epicardium and cavity for 10 % of its rim
 * each is base; the rest join the neighbour they share the most rim with, from all sides in rounds. Then
 * mt_surfaces_rims. Of two cavities the left one has the thicker wall: the lower quartile, over its area, of the
 * distance to the epicardium (the septum is far from it on both sides); they must differ by a tenth.
 *
 * Nothing depends on the unit, the rotation or the order, but for rounding and for which triangles are sampled; all
 * tolerances are relative. */
#pragma once

#include "mesh/triangles.h"

enum { MT_SURFACES = MT_SURFACE_RV + 1 }; /* length of arrays by mt_surface; [0] is what belongs to none */

typedef enum mt_found {
    MT_FOUND_NOTHING, /* only counted */
    MT_FOUND_FLAT,
    MT_FOUND_SHADE
} mt_found;

typedef struct mt_surfaces {
    size_t n_triangles[MT_SURFACES];
    double area_mm2[MT_SURFACES];
    mt_found how;      /* the cut that was taken */
    double wall_mm[2]; /* of the left and the right ventricle: the quartile above; 0 without a right one */
} mt_surfaces;

/* Counts the triangles of a surface by their tag; tags other than 1 to 4 count as 0. The rest is 0. */
void mt_surfaces_count(const mt_mesh *surface, mt_surfaces *counts);

/* Triangles that touch a line where two of epicardium, left and right endocardium meet become base, in a surface whose
 * other tags are 0 or base. MT_MEMORY. */
MT_NODISCARD mt_status mt_surfaces_rims(mt_mesh *surface);

/* Gives the triangles of a closed surface, all counter-clockwise seen from outside (as mt_boundary_make makes them),
 * their tags, and says what was found. A triangle gets the tag 0 where it is of a closed hole within the muscle.
 * MT_INPUT: no such anatomy; the message says what was found and what is needed. MT_MEMORY. On failure
 * the tags are as they were. O(n log n). */
MT_NODISCARD mt_status mt_surfaces_find(mt_mesh *surface, mt_surfaces *found);
