/* When a wave may have come everywhere, before it is simulated: an estimate from the speeds of waves along and across the fibres.
 *
 * Between two vertices of an element a wave takes the time sqrt((l / v_l)^2 + (t / v_t)^2), with l and t the parts of the way along and
 * across the element's fibre. The estimate is the shortest way along edges from the elements at which it begins (E. W. Dijkstra, Numer.
 * Math. 1, 1959). Ways along edges have corners: they are longer than the wave's, by 15 to 20 % in
 * slabs and hearts. */
#pragma once

#include "mesh/mesh.h"

/* Waves in the usual tissue (mt_tissue_usual), on a fine mesh. */
#define MT_ARRIVAL_ALONG_MM_MS 0.61
#define MT_ARRIVAL_ACROSS_MM_MS 0.30

/* Gives the latest arrival at any vertex that a wave from these elements [n] can reach. Where the mesh has no fibres, it runs across them
 * everywhere. MT_MEMORY: 16 bytes an element and 24 a vertex of scratch, freed. O(n log n). */
MT_NODISCARD mt_status mt_arrival_latest(const mt_mesh *mesh, size_t n, const uint32_t *element,
    double along_mm_ms, double across_mm_ms, double *latest_ms);
