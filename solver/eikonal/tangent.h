/* Derivatives of the times of the eikonal equation with respect to parameters of the velocities and of the sources, in forward mode.
 *
 * At the minimum of the discrete equations (solver/eikonal/local_solve.h) a point v has one of
 *
 *     T_v = source,      T_v = T_from + delay,      T_v = sum_i l_i T_i + |x_v - sum_i l_i x_i|
 *
 * The weights l_i minimise T_v, so that their own derivatives do not contribute. With the squared edges s of the element in the metric,
 *
 *     dT_v = sum_i l_i dT_i + dW / (2 sqrt(W)),      W = sum_i l_i s_vi - sum_(i < j) l_i l_j s_ij
 *
 * dW is the same linear function of ds. Derivatives are exact for the discrete times, except where two arrivals are equal: there they are
 * those of one of both. Points are taken in the order of their times. A weight of a later point, possible in obtuse elements, needs
 * further passes over all points; they end when no derivative changes by more than 1e-12 of the largest. */
#pragma once

#include "solver/eikonal/eikonal.h"

enum { MT_EIKONAL_SLOPES = 2 };

/* The parameters that the squared lengths of an element depend on, and their derivatives. */
typedef struct mt_eikonal_slopes {
    size_t n;
    uint32_t parameter[MT_EIKONAL_SLOPES];
    double square[MT_EIKONAL_SLOPES][6];
} mt_eikonal_slopes;

/* Fills in the derivatives of an element, by its number in mt_eikonal. Called by several threads at the same time. */
typedef void mt_eikonal_slopes_of(const void *context, size_t element, mt_eikonal_slopes *slopes);

typedef struct mt_eikonal_tangent {
    size_t n_parameters;
    mt_eikonal_slopes_of *slopes_of; /* NULL: velocities are constant */
    const void *context;
    size_t n_sources; /* those of the solution */
    const mt_eikonal_source *source;
    const double *source_slope; /* [n_sources][n_parameters] derivatives of their times */
} mt_eikonal_tangent;

/* Computes slope[n_points][n_parameters], the derivatives of a solution time_ms[n_points]; 0 at points that are not reached. The result
 * does not depend on the number of threads. MT_NUMERICS: the passes did not converge. MT_MEMORY. */
MT_NODISCARD mt_status mt_eikonal_differentiate(
    const mt_eikonal *eikonal, const mt_eikonal_tangent *tangent, const double *time_ms, double *slope);
