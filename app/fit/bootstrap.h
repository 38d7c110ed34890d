/* A parametric bootstrap of a fit: standard errors without linearisation. */
#pragma once

#include "app/fit/least_squares.h"

/* Fits the model n times to its own LAT with normal noise of standard deviation noise_ms / sqrt(weight), each time from the minimum, with
 * its free parameters. spread: standard deviations of the parameters; of a site those of its displacement along the tangents at the
 * minimum. NaN if n is 0. The random numbers have a fixed seed. Reports progress. Returns the errors of mt_least_squares. */
MT_NODISCARD mt_status mt_fit_bootstrap(mt_fit_model *model, const mt_fit_data *data,
    const mt_fit_minimum *minimum, double noise_ms, size_t n, double spread[MT_FIT_PARAMETERS_MAX]);
