/* Estimate of the time of complete activation before the simulation, from the longitudinal and the transverse conduction velocity.
 *
 * Between two vertices of an element the travel time is sqrt((l / v_l)^2 + (t / v_t)^2), with l and t the parts of the path along and
 * across the element's fibre. The estimate is the shortest path along edges from the first elements (E. W. Dijkstra, Numer. Math. 1, 1959).
 * Paths along edges are not straight: they are longer than the wavefront's, by 15 to 20 % in slabs and hearts. */
#pragma once

#include "mesh/mesh.h"

/* Conduction velocities in the default tissue (mt_tissue_default), on a fine mesh. */
#define MT_ARRIVAL_ALONG_MM_MS 0.61
#define MT_ARRIVAL_ACROSS_MM_MS 0.30

/* Returns the latest arrival time at any vertex that can be reached from these elements [n]. On a mesh without fibres propagation is
 * transverse everywhere. MT_MEMORY: 16 bytes per element and 24 per vertex of scratch memory, freed. O(n log n). */
MT_NODISCARD mt_status mt_arrival_latest(const mt_mesh *mesh, size_t n, const uint32_t *element,
    double along_mm_ms, double across_mm_ms, double *latest_ms);
