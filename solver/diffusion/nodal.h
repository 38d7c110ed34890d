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
 * no discrete maximum principle. The sum of k_ij (v_i - v_j)^2 over all pairs is never negative, so that no mode grows on any mesh, however
 * flat its elements are.
 *
 * Spreading of the reaction. The cells are at the vertices alone, and at a front the reaction rises within one edge. With nothing else a
 * wavefront is late, by half at edges of 0.6 mm. Therefore a part of each increment d_i = v*_i - v_i of the reaction enters the neighbours:
 *
 *     v_i <- v*_i + sum_j s_ij (d_j - d_i),     V_i s_ij = V_j s_ji >= 0
 *
 * A uniform reaction is unchanged to the bit, and charge is conserved. Cells that restore v at the rates j_i >= 0, d = -dt J v, turn the
 * tissue into v' = V^-1 K v - (1 + S) J v, with the rows S of s_ij. The norm of J^1/2 v decreases if 1 + S - sym(V^-1 K J^-1) is positive
 * definite: no pattern grows then. Larger j are the harder case, so 1/j is reaction_ms of the cells, a lower bound. The lowest eigenvalue
 * of S - sym(V^-1 K J^-1) is kept above -1 (`lowest_spread`), by reducing s_ij if needed (`kept`): where the diagonal of this matrix is
 * lowest, down to a limit that is found with Lanczos' method. Tissue whose spreading is allowed keeps it.
 *
 * On a chain of points at the distance b, exactly one s gives the CV of a converged cable. With the time Y = b^2 / D of diffusion from
 * point to point it is
 *
 *     s = strength / 6 (Y + fine q) / (Y + q)
 *
 * with three constants of the cells. For TP06 they reproduce s within 1 % for Y from 1 to 55 ms; beyond it no s below 0.19 conducts. (A
 * consistent mass matrix on the reaction has s = 1/6, as Y -> infinity.) In tissue b^2 s becomes a tensor of the element,
 *
 *     T  = D^1/2 F D^1/2 m strength / 6,     F = Y (Y + fine q) (Y + q)^-1,     Y = b^2 M^-1
 *     m  = 0.98 (1 + 0.75 (3 / tr(D M^-1) - 1))
 *     M  = sum over edges of |k| d d' / V,   the mean around each vertex, then over the element's vertices
 *     1 / b^3 = vertices per volume:  the mean over the element's vertices of (solid angle of their elements) / (4 pi V)
 *
 * The sum over edges of k d d' / V is D. If no k is negative, M is D and T is b^2 s(Y) in every direction. Couplings of both signs exchange
 * increments, too, in the directions in which M is larger than D: there T is smaller. T acts along the edges d of the element,
 *
 *     V_i s_ij = f_ij sum_e 3 c_e V_e max(d' T' d, 0) / (d' d) / (sum over edges of d' d),     T' = 1.9 T - 0.3 tr T
 *
 * where T' balances that exchange along edges of all directions blurs T. Finally, where a vertex has more of its elements ahead of the wave
 * than behind it, as on the surface of boxes that are all cut alike, the exchange would shift the reaction by sum_j s_ij (x_j - x_i).
 * f_ij = min(f_i, f_j) with
 *
 *     f_i = 1 / (1 + |q|^2 / sum_j s_ij |q . (x_j - x_i)|),     r = sum_j s_ij (x_j - x_i), without its part along the surface's normal
 *
 * makes the exchange in the direction of q as large as without it. q is the mean of r over a vertex and its neighbours, on the surface or
 * inside as the vertex itself: drift that differs from vertex to vertex cancels, and does not shift a wave. The three numbers 0.98, 0.75
 * and 0.6 (T' = (1 + 3/2 0.6) T - 0.6/2 tr T) are fitted to activation from a corner on the meshes of solver/diffusion/README.md; all
 * others follow from the chain.
 *
 * Limit: T acts in all directions, but only the part along the wave's path speeds it. The rest moves charge along a curved front, as a
 * larger transverse diffusivity would, and slows it. On Gmsh meshes of 0.4 mm a plane wave along the fibres is early by 17 % where a wave
 * from a corner is late by 1 to 2 %.
 *
 * Linear elements with lumped mass: O. C. Zienkiewicz, The Finite Element Method (1977), chapter 20. Lumped mass with consistent mass on
 * the reaction: S. Krishnamoorthi, M. Sarkar, W. S. Klug, Int. J. Numer. Meth. Biomed. Engng 29, 1243 (2013). The spreading along edges is
 * this project's. */
#pragma once

#include "mesh/mesh.h"
#include "solver/diffusion/diffusion.h"
#include "solver/diffusion/nodal_rows.h"

/* The spreading of cells on a chain of points, as above; all at least 0, front_ms above 0. */
typedef struct mt_nodal_law {
    double strength, fine, front_ms;
    /* 1/j: lower bound of the time in which the cells restore V (solver/diffusion/spreading.h) */
    double reaction_ms;
} mt_nodal_law;

/* The law of the first ionic model of the table. */
extern const mt_nodal_law mt_nodal_law_default;

/* The laws of a mesh. */
typedef struct mt_nodal_spreading {
    size_t n;                /* at least 1 */
    const mt_nodal_law *law; /* [n] borrowed */
    const uint16_t *of;      /* [n_elements] borrowed; NULL: all elements have the first law */
} mt_nodal_spreading;

/* Builds in `arena` only the pattern of the rows: start, column and longest_row; the rest is 0. Borrows the mesh. A vertex without elements
 * has an empty row. Same bits for any number of threads. MT_MEMORY. */
MT_NODISCARD mt_status mt_nodal_pattern_make(mt_arena *arena, const mt_mesh *mesh, mt_nodal *nodal);

/* Builds the operator in `arena`: 20 bytes per entry with spreading, about 15 entries per vertex, and 24 per vertex; 40 per element and 56
 * per vertex temporarily. `spreading`: NULL for none. Borrows all arguments. The unknowns of `diffusion` are the vertices, its `nodal` has
 * the rows, and volume_mm3 has V_i. Same bits for any number of threads. MT_INPUT: a tissue is invalid, an element has no volume, the mesh
 * lacks the fibres or sheets that a tissue needs, or a vertex belongs to no element. MT_NUMERICS: the spectrum cannot be found.
 * MT_STOPPED. MT_MEMORY. */
MT_NODISCARD mt_status mt_nodal_diffusion_make(mt_arena *arena, const mt_mesh *mesh,
    const mt_tissues *tissues, const mt_nodal_spreading *spreading, const mt_watch *watch,
    mt_diffusion *diffusion);
