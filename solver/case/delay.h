/* How late waves are expected to be by the size of the elements, as a root mean square over all directions.
 *
 * It is interpolated between what was measured for the model (mt_cell_delay): linearly between two lengths, as the square of the length
 * below the first, and no more than the last. A tissue of other diffusivities conducts through elements as the usual one does through
 * elements whose lengths differ by (D_l D_t^2)^(1/6). */
#pragma once

#include "solver/cells/model.h"
#include "solver/diffusion/scheme.h"
#include "solver/diffusion/tissue.h"

/* The length of elements in the usual tissue through which waves run as they do in this one through elements of length_mm. */
double mt_delay_usual_length_mm(const mt_tissue *tissue, double length_mm);

/* How late waves are in elements of this length (the cube root of their mean volume); below 0: early. The scheme is the usual one or the
 * plain one; any other is taken for the plain one. */
double mt_delay_percent(
    const mt_cell_model *model, const mt_diffusion_scheme *scheme, const mt_tissue *tissue, double length_mm);

/* Returns the longest elements in which waves are late or early by no more than `percent`, which is above 0; no longer than any that were
 * measured, which INFINITY returns. In longer ones propagation may fail. */
double mt_delay_length_mm(
    const mt_cell_model *model, const mt_diffusion_scheme *scheme, const mt_tissue *tissue, double percent);
