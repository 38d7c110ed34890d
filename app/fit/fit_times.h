/* The LAT of a fit's model and their derivatives. */
#pragma once

#include "app/fit/fit_model.h"

/* Modes of an error of the fibre angle: of all fibres, and changing from the endocardium (1) to the epicardium (-1). */
enum { MT_FIT_FIBRE_MODES = 2 };

/* Computes, to 1e-4 ms, the times of all vertices, model->time_ms, and those of the points on the clock of the measurements, with the
 * offset: lat_ms[n_points]. MT_INPUT: a point is not reached, or a stimulus does not capture. Returns the errors of mt_eikonal_solve. */
MT_NODISCARD mt_status mt_fit_model_times(mt_fit_model *model, const mt_fit_values *values, double *lat_ms);

/* Computes the derivatives of lat_ms, jacobian [n_points][parameters], at the values of the last mt_fit_model_times, which succeeded.
 * Returns the errors of mt_eikonal_differentiate. */
MT_NODISCARD mt_status mt_fit_model_jacobian(
    mt_fit_model *model, const mt_fit_values *values, double *jacobian);

/* Computes the derivatives of lat_ms with respect to the fibre angle, a rotation about the normal of the wall, for each mode: slope
 * [n_points][MT_FIT_FIBRE_MODES, ms/rad], at the values of the last mt_fit_model_times. 0 for a mesh without fibres. The normal is that
 * of the nearest triangle of `surface`; depths are those of the mesh, or else distances from that triangle relative to the largest one.
 * Returns the errors of mt_eikonal_differentiate. */
MT_NODISCARD mt_status mt_fit_model_fibre_slopes(
    mt_fit_model *model, const mt_fit_values *values, const mt_fit_surface *surface, double *slope);
