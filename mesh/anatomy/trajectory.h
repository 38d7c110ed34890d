/* Distances along trajectories: the length of the curve from each vertex to one end of a body, along a field of directions.
 *
 * With unit directions T (constant in each element), the distance d from the starting vertices solves
 *
 *   T . grad d = 1,   d = 0 at the start
 *
 * (A. J. Yezzi and J. L. Prince, IEEE Trans. Med. Imaging 22 (2003) 1332, equation 3), here by a semi-Lagrangian scheme. At each vertex the
 * direction is the volume-weighted mean of the elements around it, normalised. The straight line upstream from vertex v leaves the elements
 * around v at a point p of an opposite face, and
 *
 *   d(v) = T' . (v - p) + d(p)
 *
 * with d linear on the face. T' is the mean of the directions at v and at p, so that the curvature of trajectories is followed. This is a
 * system of equations with non-negative coefficients, so 0 <= d, and d increases along the trajectories. For linear d and parallel
 * trajectories it is exact; otherwise the error is of first order in the element size at worst.
 *
 * Around a start that is a curve or a point, d has the shape of a cone, which linear interpolation overestimates by a share of an edge, and
 * this error would be carried along all trajectories. In the first rings of vertices around it, d is the straight distance instead.
 *
 * A potential, which increases along the trajectories, guarantees that all lines end at the start: p must have a smaller potential than v.
 * Where the potential has other local minima (obtuse elements), it is raised to the lowest pass towards the start (R. Barnes et al.,
 * Comput. Geosci. 62 (2014) 117). Where no upstream line qualifies, the edge towards that pass is used. */
#pragma once

#include "mesh/mesh.h"

/* The arguments of mt_trajectory_distance, borrowed. */
typedef struct mt_trajectories {
    const mt_mesh *mesh;
    const uint8_t *active;   /* [n_elements] 0 for elements that do not count; NULL: all count */
    uint8_t active_value;    /* elements with this value of `active` count */
    const double *direction; /* [n_elements][3] unit vectors, or 0 where unknown */
    const double *potential; /* [n_vertices] increases along the directions */
    const uint8_t *start;    /* [n_vertices] 1 at the vertices from which distances are measured */
    unsigned
        straight_rings; /* vertices at most this number of edges from the start have their straight distance; for curves and points */
    bool upstream; /* true: distances against the directions, from the end with the largest potential */
} mt_trajectories;

/* Computes the distances [mm] of the vertices of active elements; those that are not connected to the start by active elements get
 * INFINITY. Other vertices are unchanged. The result has the same bits for any number of threads. MT_NUMERICS: no convergence. MT_MEMORY.
 * Time: O(n log n). */
MT_NODISCARD mt_status mt_trajectory_distance(const mt_trajectories *trajectories, double *distance_mm);
