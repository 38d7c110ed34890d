/* Expected delay of activation wavefronts by element size, as a root mean square over all directions.
 *
 * The delay is interpolated between the values measured for the model (mt_cell_delay): linearly between two lengths, quadratically in the
 * length below the first, and constant above the last. Elements in a tissue with other diffusivities are equivalent to elements in the
 * default tissue with a length scaled by a ratio of (D_l D_t^2)^(1/6). */
#pragma once

#include "solver/cells/model.h"
#include "solver/diffusion/scheme.h"
#include "solver/diffusion/tissue.h"

/* Returns the element length in the default tissue that is equivalent to length_mm in this tissue. */
double mt_delay_default_length_mm(const mt_tissue *tissue, double length_mm);

/* The models of the next two have delays (mt_cell_model.n_delays > 0).
 *
 * Returns the delay in percent for elements of this length (cube root of the mean volume); negative: early. The scheme is the default one
 * or the plain one; any other is treated as the plain one. */
double mt_delay_percent(
    const mt_cell_model *model, const mt_diffusion_scheme *scheme, const mt_tissue *tissue, double length_mm);

/* Returns the largest element length with a delay of at most `percent` (positive), early or late. It is at most the largest measured
 * length, which is returned for INFINITY. Propagation may fail in larger elements. */
double mt_delay_length_mm(
    const mt_cell_model *model, const mt_diffusion_scheme *scheme, const mt_tissue *tissue, double percent);
