/* Junctions of Purkinje fibres and muscle: each couples a free end of a cable to the tissue around it, by one total resistance R.
 *
 * An unknown i of the tissue, with the membrane capacitance C_i, at the distance r_i < rho of the free end, has the conductance
 *
 *     g_i = 1/R m_i / sum_j m_j,      m_i = C_i (1 - r_i^2 / rho^2)
 *
 * Hence the total conductance does not depend on the mesh, and a finer mesh has the same distribution of the current. Only unknowns count
 * that are connected with the nearest one inside the sphere, so that a free end is not coupled across a cavity. If no unknown is inside,
 * the nearest one has the total conductance.
 *
 * Current flows in both directions. In a time step dt the voltages at both ends are implicit, and each V_i on its own. With G_i the sum of
 * the conductances of all junctions at the unknown,
 *
 *     C_i (V_i' - V_i) = dt sum of h_i (W' - V_i) over its junctions,      h_i = g_i / (1 + dt G_i / C_i)
 *
 * with W the voltage of a free end, which loses the charge dt sum_i h_i (W' - V_i) (solver/conduction/conducting.h): the charge is
 * conserved, V_i' is a mean of V_i and the W', and no time step is unstable. With one junction at an unknown this is backward Euler.
 *
 * A free end that is nearer to the centre of a non-conducting element than to any conducting one is not coupled. */
#pragma once

#include "mesh/adjacency.h"
#include "mesh/unknowns.h"
#include "solver/conduction/cables.h"
#include "solver/diffusion/diffusion.h"

/* The sums over the n entries of a junction are those of its shares, added in their order, and each share is a range of nearly equal
 * length: one for a few entries, else MT_JUNCTION_SHARES. They depend on n alone. The workers of a tile compute them at the same time. */
enum { MT_JUNCTION_SHARES = 6, MT_JUNCTION_SHARED_FROM = 48 };

static inline size_t mt_junction_shares(size_t n)
{
    return n < MT_JUNCTION_SHARED_FROM ? 1 : MT_JUNCTION_SHARES;
}

/* Returns the first entry of a share; n after the last share. */
static inline size_t mt_junction_share(size_t n, size_t share) { return n * share / mt_junction_shares(n); }

/* A free end farther than this from all tissue, or than rho, is not coupled. */
#define MT_JUNCTION_REACH_MM 2.0

/* Distance of a point inside a cable, in points, that a wavefront in the cable reaches before its free end. */
#define MT_JUNCTION_INSIDE 5

typedef struct mt_junctions {
    size_t n;
    uint32_t *point;        /* [n] free ends of the cables */
    uint32_t *inside;       /* [n] points MT_JUNCTION_INSIDE points inside their cables (mt_cables_inside) */
    size_t *start;          /* entries of junction k: start[k] .. start[k + 1] */
    uint32_t *slot;         /* [start[n]] position of the unknown in `unknown` */
    double *conductance_mS; /* [start[n]] g_i */
    size_t n_unknowns;
    uint32_t *unknown;      /* [n_unknowns] the coupled unknowns, ascending */
    double *capacitance_uF; /* [n_unknowns] C_i */
    /* tissue around junction k: near[near_start[k]] to near[near_start[k + 1] - 1], its unknowns and their neighbours */
    size_t *near_start;
    uint32_t *near;
    size_t n_apart;  /* free ends that are too far from the tissue */
    size_t n_scar;   /* free ends in non-conducting tissue */
    size_t n_single; /* junctions without an unknown within rho */
} mt_junctions;

typedef struct mt_junctions_rule {
    double resistance_kOhm; /* R, positive */
    double radius_mm;       /* rho, positive */
} mt_junctions_rule;

/* The tissue of a problem; all is borrowed. */
typedef struct mt_junctions_tissue {
    const mt_unknowns *unknowns;
    const mt_adjacency *adjacency; /* of the elements */
    const mt_mesh *whole; /* the complete mesh, if some of its elements do not conduct; NULL: all do */
    const mt_diffusion *diffusion; /* with the volumes of the unknowns */
    double membrane_uF_mm3;        /* chi Cm of the first tissue */
} mt_junctions_tissue;

/* Couples the n listed points, free ends, to the tissue, or none if tissue->unknowns is NULL; the result is in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_junctions_make(mt_arena *arena, const mt_junctions_tissue *tissue,
    const mt_cables *cables, size_t n, const uint32_t *point, const mt_junctions_rule *rule,
    mt_junctions *junctions);
