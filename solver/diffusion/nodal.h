/* The diffusion operator with voltages at the vertices: linear finite elements with lumped mass, as rows of different lengths.
 *
 * For the hat functions N_i of the vertices, and with the tensor D constant in each element e,
 *
 *     V_i dv_i/dt = sum_j k_ij (v_j - v_i)
 *     k_ij        = -sum_e V_e c_e grad N_i . D_e grad N_j,   V_i = sum_e c_e V_e / 4
 *
 * over the elements with both vertices, or with vertex i. c_e is the element's chi Cm relative to that of the first tissue, and the flux
 * through a border of tissues is exact. No flux crosses the outer surface. sum_i V_i v_i, the charge, is conserved.
 *
 * k_ij is negative where an element has an obtuse angle in the metric of its tissue. Then v can leave the range of its neighbours: there is
 * no discrete maximum principle. -sum k_ij v_i v_j is never positive, and no mode grows on any mesh, however flat its elements are.
 *
 * Spreading of the reaction. A cell model computes v* at the vertices alone, and in front of a wave the reaction rises within one edge:
 * lumped, the wave is late, by 50 % at edges of half a millimetre. With the increments d_i = v*_i - v_i, a fraction of each increment
 * enters the neighbours:
 *
 *     v_i <- v*_i + sum_j s_ij (d_j - d_i),    V_i s_ij = V_j s_ji >= 0
 *
 * A uniform reaction is not changed, not even by rounding, charge is conserved, and each new v is a weighted mean of increments if the
 * weights of a row sum to at most 1 (`most_spread`): no increment is amplified, and no mode grows that did not grow in the cells.
 *
 * On a chain of points at the distance b, only s makes the wave as fast as on a converged cable. With Y = b^2 / D, the diffusion time
 * between two points, and the constants of the cells' front,
 *
 *     s = strength / 6 (Y + fine q) / (Y + q)
 *
 * (found by the secant method for chains with Y from 0.25 to 48 ms; a consistent mass matrix has s = 1/6.) In three dimensions b^2 s
 * becomes a tensor T of each element,
 *
 *     T = m / 6 strength D^1/2 Y (Y + fine q) (Y + q)^-1 D^1/2,    Y = b^2 M^-1,    M_e = sum over edges |k| d d' / V_e,
 *     1 / b^3 = vertices in a unit of volume,                      m = 1 + 0.7 (3 / tr(D M^-1) - 1)
 *
 * where M is the mean around each vertex, then over the vertices of the element, and b likewise. sum k d d' / V_e = D, so M = D if no k is
 * negative: then T is b^2 s I. Otherwise the couplings of both signs already exchange neighbours' increments, in the directions in which
 * M is larger than D. The exchange along the edges d of an element is
 *
 *     V_i s_ij = sum_e 3 V_e max(d' T_e d, 0) / (d' d) / (sum over edges d' d)
 *
 * Linear elements with lumped mass: O. C. Zienkiewicz, The Finite Element Method (1977), chapter 20. Lumped mass with consistent mass on
 * the reaction: S. Krishnamoorthi, M. Sarkar, W. S. Klug, Int. J. Numer. Meth. Biomed. Engng 29, 1243 (2013). The spreading along edges is
 * this project's. */
#pragma once

#include "mesh/mesh.h"
#include "solver/diffusion/diffusion.h"

/* The spreading of cells on a chain of points, as above; all at least 0, front_ms above 0. */
typedef struct mt_nodal_law {
    double strength, fine, front_ms;
} mt_nodal_law;

/* The law of the first ionic model of the table. */
extern const mt_nodal_law mt_nodal_law_default;

/* The laws of a mesh. */
typedef struct mt_nodal_spreading {
    size_t n;                /* at least 1 */
    const mt_nodal_law *law; /* [n] borrowed */
    const uint16_t *of;      /* [n_elements] borrowed; NULL: all elements have the first law */
} mt_nodal_spreading;

/* Rows in compressed form. Row i has the entries start[i] to start[i + 1]; columns ascend and exclude the row itself. */
typedef struct mt_nodal {
    size_t *start;      /* [n_vertices + 1] */
    uint32_t *column;   /* [start[n_vertices]] */
    double *rate;       /* [start[n_vertices]] k_ij / V_i per ms */
    double *spread;     /* [start[n_vertices]] s_ij; NULL without spreading */
    double most_spread; /* largest sum of the s of a row; 0 without spreading */
    size_t n_negative;  /* negative rates */
    size_t longest_row; /* entries */
} mt_nodal;

/* Builds the operator in `arena`: 20 bytes per entry with spreading, about 15 entries per vertex, and 16 per vertex; 24 per element
 * temporarily. `spreading`: NULL for none. Borrows all arguments. The unknowns of `diffusion` are the vertices, its `nodal` has the rows,
 * and volume_mm3 has V_i. Same bits for any number of threads. MT_INPUT: a tissue is invalid, an element has no volume, the mesh lacks the
 * fibres or sheets that a tissue needs, or a vertex belongs to no element. MT_NUMERICS: the spectrum cannot be found. MT_STOPPED.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_nodal_diffusion_make(mt_arena *arena, const mt_mesh *mesh,
    const mt_tissues *tissues, const mt_nodal_spreading *spreading, const mt_watch *watch,
    mt_diffusion *diffusion);

/* Computes dv_dt = V^-1 K v [per ms] with OpenMP. A constant v yields exactly 0. */
void mt_nodal_apply(const mt_diffusion *diffusion, const double *v, double *dv_dt);
