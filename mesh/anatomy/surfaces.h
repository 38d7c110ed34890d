/* Classification of the surface of the ventricles by shape: base, epicardium, left and right endocardium (mt_surface). For one or two
 * ventricles with cavities that are open at the base; not for atria, four chambers or closed cavities.
 *
 * Method. The surface is cut into patches, in several ways:
 *   - at a flat base: the triangles with normals within 20 degrees of a plane's normal and centroids within 1 % of the heart's size (the
 *     square root of its surface area) of the plane, for the planes with the largest such area. A base must be flat (see Q below), and at
 *     least a tenth of its rim must border the epicardium and another tenth the cavities;
 *   - at such a plane and also by ambient occlusion, for bases without a sharp edge in some places;
 *   - by ambient occlusion, the cosine-weighted fraction of the sky that is visible past the muscle. It is at least 70 % for bright
 *     triangles and at most 30 % for dark ones. The other triangles join these across sides in ascending order of their signed angle
 *     (concave, flat, convex), so that the border follows the sharpest convex ridges, the rims of valves. (Of more than 10,000 triangles
 *     only every k-th is sampled.)
 * A patch, closed by straight lines from its rim to the rim's centroid, has a signed volume V, positive if it is convex as seen from
 * outside the muscle. With Q = 6 sqrt(pi) V / area^(3/2) (1 for a sphere, 0 for a flat ring)
 *   the epicardium is the patch with the largest V, with Q of at least 0.15;
 *   a cavity is a patch with Q of at most -0.15 and at least 2 % of the total area;
 *   a flat base has Q between -0.1 and 0.1.
 * The cut with the most cavities is chosen; among equals, the first in the order above.
 * Patches on the base plane are base. So is any other patch with at least 10 % of its rim each along the epicardium and along cavities. The
 * remaining patches join the neighbour that shares the largest part of their rim, in rounds. mt_surfaces_rims is applied last. Of two
 * cavities, the left one has the thicker wall: the area-weighted lower quartile of the distance to the epicardium (the septum is far from
 * it on both sides). The two must differ by a factor of 1.1.
 *
 * All tolerances are relative. The result does not depend on unit, rotation or numbering, except through rounding and the choice of sampled
 * triangles. */
#pragma once

#include "mesh/triangles.h"

enum { MT_SURFACES = MT_SURFACE_RV + 1 }; /* length of arrays indexed by mt_surface; [0] is for no surface */

typedef enum mt_found {
    MT_FOUND_NOTHING, /* triangles only counted */
    MT_FOUND_FLAT,
    MT_FOUND_SHADE
} mt_found;

typedef struct mt_surfaces {
    size_t n_triangles[MT_SURFACES];
    double area_mm2[MT_SURFACES];
    mt_found how;      /* the chosen cut: flat base or ambient occlusion */
    double wall_mm[2]; /* quartile of wall thickness, left and right; 0 if there is no right ventricle */
} mt_surfaces;

/* Computes the number and area of triangles per tag; tags other than 1 to 4 count as 0. The other members are 0. */
void mt_surfaces_count(const mt_mesh *surface, mt_surfaces *counts);

/* Tags as base the triangles that touch a line between two of epicardium, left and right endocardium. All other tags must be 0 or base.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_surfaces_rims(mt_mesh *surface);

/* Tags the triangles of a closed surface, all counter-clockwise seen from outside (as built by mt_boundary_make), and reports the result.
 * Triangles of closed holes within the muscle get tag 0. MT_INPUT: no such anatomy; the message reports what was found and what is
 * required. MT_MEMORY. On failure the tags are unchanged. Time: O(n log n). */
MT_NODISCARD mt_status mt_surfaces_find(mt_mesh *surface, mt_surfaces *found);
