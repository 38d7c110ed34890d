/* The effect of the curvature of a wavefront on the times of the eikonal equation, by the eikonal-diffusion equation (Colli Franzone,
 * Guerri and Rovida 1990; Keener 1991):
 *
 *     sqrt(grad T . C grad T) - div(M grad T) = 1,      C = M / tau,      n . M grad T = 0 on the boundary
 *
 * It follows from the monodomain equation dV/dt = div(M grad V) + f with V = U(t - T). A plane wave along an axis with the diffusivity D
 * has v^2 = D / tau. tau = D / v^2 belongs to the cells, and is the same for all axes [ms]. M is the diffusivity of the monodomain
 * equation, sigma / (chi Cm).
 *
 * Laws in isotropic tissue, with e = D / v. Both are dr/dt = v - 2 D / r and v - D / r to first order in e / r:
 *
 *     sphere       v dT/dr = 1 + 2 e / r + 2 e^2 / r^2
 *     cylinder     v dT/dr = 1 + e / r
 *     plane wave   v dT/dx = 1, and 1 - exp(-(L - x) / e) before a wall at L: it arrives earlier by tau
 *
 * Discretisation: at each vertex the eikonal equation has the slowness 1 + div(M grad T), at least MT_CURVATURE_LEAST. The divergence has
 * linear finite elements with a lumped mass; no flux is their natural boundary condition. The error is of first order in the element
 * size, as without the term.
 *
 * Method: Gauss-Seidel sweeps in the order of the times without the term. A point takes a Newton step of its own equation, in which its own
 * time is implicit, over-relaxed where diffusion dominates. A sweep skips points whose neighbours have not changed by more than the
 * tolerance. After 100 sweeps steps become shorter: at poor elements a point can alternate between two paths. Sweeps use one thread, so
 * that the result has the same bits for any number of threads.
 *
 * Limits. The equation is of first order in the curvature. Tissue does not propagate a wavefront of a radius below about 2 e. Here it
 * propagates with the slowness 1 + 2 e / r + 2 e^2 / r^2; at a point source the element size limits it. A stimulus with a radius is a
 * wavefront at its border from the start. Where wavefronts meet, and before walls, times are earlier than without the term.
 *
 * Memory: 33 bytes per point, and 8 per element. */
#pragma once

#include "solver/eikonal/eikonal.h"

/* The least slowness, relative to a plane wave. */
#define MT_CURVATURE_LEAST 0.1

/* Default of the tolerance. */
#define MT_CURVATURE_TOLERANCE_MS 1e-5

typedef struct mt_curvature {
    const mt_mesh *mesh;  /* that of the equations */
    const double *tau_ms; /* [n_elements of the equations] D / v^2 of the cells */
    double tolerance_ms;  /* positive */
} mt_curvature;

/* The course of the sweeps. */
typedef struct mt_curvature_report {
    size_t n_sweeps;
    size_t n_updates; /* of points, over all sweeps */
    double change_ms; /* the largest of the last sweep */
} mt_curvature_report;

/* Adds the curvature to a solution time_ms[n_points] of mt_eikonal_solve with these sources. Reports progress, unless the equations are
 * silent. MT_NUMERICS: the sweeps did not converge. MT_STOPPED: a stop was requested. MT_MEMORY. */
MT_NODISCARD mt_status mt_curvature_add(const mt_eikonal *eikonal, const mt_curvature *curvature,
    size_t n_sources, const mt_eikonal_source *source, double *time_ms, mt_curvature_report *report);
