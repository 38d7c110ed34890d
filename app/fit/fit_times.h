/* The LAT of a fit's model and their derivatives. */
#pragma once

#include "app/fit/fit_model.h"

/* Computes, to 1e-4 ms, the times of all vertices, model->time_ms, and those of the points on the clock of the measurements, with the offset:
 * lat_ms[n_points]. MT_INPUT: a point is not reached, or a stimulus does not capture. Returns the errors of mt_eikonal_solve. */
MT_NODISCARD mt_status mt_fit_model_times(mt_fit_model *model, const mt_fit_values *values, double *lat_ms);

/* Computes the derivatives of lat_ms, jacobian [n_points][parameters], at the values of the last mt_fit_model_times, which succeeded. Returns
 * the errors of mt_eikonal_differentiate. */
MT_NODISCARD mt_status mt_fit_model_jacobian(
    mt_fit_model *model, const mt_fit_values *values, double *jacobian);
