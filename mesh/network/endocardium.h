/* An endocardium as a surface to walk on: the tagged triangles of one ventricle that are faces of the wall.
 *
 * Positions are barycentric in a triangle, and directions are unit vectors in its plane. A walk follows a straight line across triangles:
 * at an edge the direction turns about the edge into the plane of the next triangle, so that the line is straight in the unfolded surface
 * (a geodesic). No point is ever searched for, and all points are on the surface within rounding.
 *
 * Invariants: triangle t is a boundary face of element[t], counter-clockwise seen from the cavity, that is, from outside the wall. */
#pragma once

#include "mesh/triangles.h"

typedef struct mt_endocardium {
    const mt_mesh *mesh;           /* borrowed */
    const mt_adjacency *adjacency; /* borrowed */
    mt_mesh surface;               /* only vertices (those of the mesh) and the n_faces triangles */
    uint32_t *element;             /* [n_faces] the element that has the triangle as a face */
    uint8_t *side;                 /* [n_faces] the face of that element */
    mt_sides sides;
    double area_mm2; /* of all triangles */
} mt_endocardium;

typedef struct mt_endocardium_place {
    uint32_t triangle;
    double share[3]; /* barycentric coordinates; not negative, sum 1 */
} mt_endocardium_place;

/* Finds the triangles with tag `tag` in `arena`. Borrows the mesh, which has passed mt_mesh_check, and its adjacency while the result is
 * used. Tagged triangles inside the wall are left out. MT_INPUT: no triangle remains. MT_MEMORY. Time: O(n log n). */
MT_NODISCARD mt_status mt_endocardium_make(mt_arena *arena, const mt_mesh *mesh,
    const mt_adjacency *adjacency, mt_surface tag, mt_endocardium *endocardium);

/* Computes the point [mm] of a place. */
void mt_endocardium_point(
    const mt_endocardium *endocardium, const mt_endocardium_place *place, double point_mm[3]);

/* Computes the unit normal of a triangle, into the wall; 0 if the triangle has no area. */
void mt_endocardium_inward(const mt_endocardium *endocardium, uint32_t triangle, double inward[3]);

/* Returns the value of a linear function at a place, and computes its gradient [1/mm] in a triangle, from value[n_vertices]. */
double mt_endocardium_value(
    const mt_endocardium *endocardium, const mt_endocardium_place *place, const double *value);
void mt_endocardium_gradient(
    const mt_endocardium *endocardium, uint32_t triangle, const double *value, double gradient[3]);

/* Makes a vector a unit vector in the plane of a triangle. Returns false if it is perpendicular to the plane. */
bool mt_endocardium_flatten(const mt_endocardium *endocardium, uint32_t triangle, double direction[3]);

/* Moves a place by a distance [mm] along a direction in its triangle, and updates the direction. Returns false if the line leaves the
 * surface at its rim, or at an edge with more than two triangles; place and direction are then undefined. */
bool mt_endocardium_walk(
    const mt_endocardium *endocardium, double distance_mm, mt_endocardium_place *place, double direction[3]);

/* Finds the place nearest to a point, and its distance [mm]. MT_MEMORY. Time: O(n log n). */
MT_NODISCARD mt_status mt_endocardium_nearest(const mt_endocardium *endocardium, const double point_mm[3],
    mt_endocardium_place *place, double *distance_mm);

/* Returns the length [mm] of the straight line from a place along the inward normal until it leaves the mesh, at most `limit_mm`. */
double mt_endocardium_thickness(
    const mt_endocardium *endocardium, const mt_endocardium_place *place, double limit_mm);

/* True if the straight line between two places runs through the cavity alone: it leaves the wall at the first one and enters it at the
 * second one, both at least at the angle whose sine is `steepness`, and crosses the surface nowhere else. Time: O(n). */
bool mt_endocardium_crosses_cavity(const mt_endocardium *endocardium, const mt_endocardium_place *from,
    const mt_endocardium_place *to, double steepness);
