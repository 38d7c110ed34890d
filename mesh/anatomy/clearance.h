/* Clearance: how far the points of conducting elements are from non-conducting ones.
 *
 * The *interface* is the faces between conducting and non-conducting elements. The outer surface of the mesh is not part of it. The *local
 * element size* is the cube root of the mean volume of the elements around the vertices of an element. The *clearance* of an element is the
 * largest distance of its points (vertices, midpoints of edges, centroid) from the interface.
 *
 * A search of the interface for every point would take most of the time of a scar that is speckled through a heart. Upper bounds from near
 * faces therefore come first. They show for most elements that these are narrow. Only where they do not, and where the clearance itself is
 * needed, distances are computed. */
#pragma once

#include "mesh/anatomy/nearest.h"

typedef struct mt_clearance {
    const mt_mesh *mesh; /* borrowed */
    mt_mesh interface;   /* only vertices and triangles; there may be none */
    mt_nearest nearest;  /* of the interface, if it has triangles */
    double wide;         /* the clearance of wide tissue [elements] */
    double *star_mm3;    /* [n_vertices] mean volume of the elements around a vertex */
    double *length_mm;   /* [n_elements] local element size */
    /* Of vertices of conducting elements: */
    double *distance_mm; /* [n_vertices] from the interface, or an upper bound; infinite if clearly wide */
    uint32_t *near;      /* [n_vertices] a near triangle, or MT_NO_TRIANGLE */
    uint8_t *exact;      /* [n_vertices] 1 if distance_mm is not a bound */
} mt_clearance;

/* A point, and its distance from the interface. */
typedef struct mt_clear_point {
    double point_mm[3], distance_mm;
} mt_clear_point;

/* Finds interface, local element sizes and upper bounds of the distances, in `arena`. Borrows mesh, adjacency and conducting[n_elements] (0
 * for non-conducting elements) for the call, the mesh also while the result is used, which must not be moved. Errors as in mt_border_make.
 * Time: O(n log n) in practice. */
MT_NODISCARD mt_status mt_clearance_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const uint8_t *conducting, double wide, mt_clearance *clearance);

/* True if the upper bounds show that a conducting element has a smaller clearance than wide tissue. */
bool mt_clearance_narrow(const mt_clearance *clearance, size_t element);

/* Computes the distances of the vertices of some conducting elements. MT_MEMORY. */
MT_NODISCARD mt_status mt_clearance_measure(mt_clearance *clearance, size_t n, const uint32_t *element);

/* Returns the point of an element that is farthest from the interface, or the farthest vertex if that has the clearance of wide tissue. The
 * distance may be infinite then. The vertices must have been measured. */
mt_clear_point mt_clearance_find(const mt_clearance *clearance, size_t element);

/* Returns the distance of a point from the interface, which has triangles. */
double mt_clearance_at(const mt_clearance *clearance, const double point_mm[3]);
