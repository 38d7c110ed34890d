/* Cables of Purkinje fibres: a conduction network (mesh/network/network.h) divided into compartments, which are called *points* here.
 *
 * A cable of radius a, with axial conductivity sigma and membrane capacitance Cm, in a medium without resistance (J. P. Keener and
 * J. Sneyd, Mathematical Physiology, Springer 2009, chapter 4):
 *
 *     2 pi a (Cm dV/dt + I_ion) = d/dx (sigma pi a^2 dV/dx),        so that its diffusivity is sigma a / (2 Cm)
 *
 * A segment is a strand of N equal cables side by side, with the same V: N membranes and N conductances, and the same conduction velocity.
 * A segment is divided into equal pieces of a length h, at most the spacing. Finite volumes: a point has the membrane of the half of each
 * of its pieces. Currents at a branch point add up to zero (Kirchhoff), and free ends are sealed:
 *
 *     C_k (dV_k/dt + I_ion / Cm) = sum over pieces g (V_j - V_k),    g = N sigma pi a^2 / h,    C_k = sum over pieces N Cm pi a h
 *
 * A *hub* is a point with three or more pieces; in a ring without any, the first node of the network. A *chain* is the longest sequence of
 * other points between two hubs, or between a hub and a free end; its left end is a hub if both are, and is free if one is free. Sequences
 * of more than MT_CHAIN_LONGEST points are divided into nearly equal ones at nodes of the network, which become hubs, so that
 * threads, and tiles, have chains of similar lengths.
 * Points of the chains have the first numbers, chain by chain from left to right, and hubs the last ones. Chain c, with points first to
 * end - 1, has the pieces first + c to end + c: one to the left of each point and one to the right of the last. The conductance of a piece
 * beyond a free end is 0. A chain without points is one piece between two hubs. */
#pragma once

#include "mesh/network/network.h"

#define MT_NO_POINT UINT32_MAX
#define MT_CHAIN_LONGEST 32 /* but for half of a segment, as chains are divided at nodes only */

typedef struct mt_cable_chain {
    uint32_t first, end;
    uint32_t left, right; /* hubs: numbers of points; MT_NO_POINT: a free end */
} mt_cable_chain;

typedef struct mt_cables {
    size_t n_points, n_chained; /* hubs are the points from n_chained on */
    size_t n_chains, n_pieces;  /* n_pieces = n_chained + n_chains */
    mt_cable_chain *chain;      /* [n_chains] */
    double *xyz_mm;             /* [n_points][3] */
    double *capacitance_uF;     /* [n_points] */
    double *conductance_mS;     /* [n_pieces] */
    uint32_t *segment_of;       /* [n_pieces] segment of the network; MT_NO_POINT beyond a free end */
    uint32_t *point_of;         /* [nodes of the network]; MT_NO_POINT: none of the node's segments is used */
} mt_cables;

/* Properties of cables. Finite and positive. */
typedef struct mt_cables_rule {
    double spacing_mm;         /* longest piece */
    double radius_mm;          /* of segments, if the network has no radii */
    double conductivity_mS_mm; /* sigma */
    double capacitance_uF_mm2; /* Cm */
    double fibres;             /* N */
} mt_cables_rule;

/* Divides a network that has passed mt_network_check into points, in `arena`. used [n_segments]: segments with 0 do not conduct and have no
 * points; NULL: all are used. The result depends on the network alone. MT_INPUT: no segment is used, or there are too many points.
 * MT_MEMORY. Time: O(points). */
MT_NODISCARD mt_status mt_cables_make(mt_arena *arena, const mt_network *network, const uint8_t *used,
    const mt_cables_rule *rule, mt_cables *cables);

/* Returns the two points of a piece; one is MT_NO_POINT beyond a free end. */
void mt_cables_piece(const mt_cables *cables, size_t chain, size_t piece, uint32_t point[2]);

/* Returns the point some millimetres inside its cable from a free end: `steps` points away, or the farthest one of the chain or its hub. */
uint32_t mt_cables_inside(const mt_cables *cables, uint32_t free_end, uint32_t steps);
