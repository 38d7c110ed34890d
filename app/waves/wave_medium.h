/* The medium of plane waves, and the numerical scheme.
 *
 * From a case it has the default tissue, the cell type, the diffusion scheme and the time steps. Mesh, regions, gradients and stimuli of
 * the case are ignored, and so is a conductivity normal to the sheets: slabs have fibres, but no sheets. */
#pragma once

#include "solver/case/case.h"
#include "solver/monodomain.h"

typedef struct mt_wave_medium {
    const mt_cell_model *model;
    size_t variant;
    mt_tissue tissue;
    mt_diffusion_scheme scheme;
    double dt_ms;
    size_t pde_steps; /* diffusion substeps in a time step; 0: the smallest stable number */
    mt_diffusing diffusing;
    double residual_mV; /* tolerance of the residual of implicit steps */
    mt_splitting splitting;
} mt_wave_medium;

/* Returns the monodomain problem of a wave in this medium, from rest. Borrows the operator and the stimulus for its lifetime. */
mt_monodomain mt_wave_medium_problem(
    const mt_wave_medium *medium, const mt_diffusion *diffusion, const mt_stimulus *stimulus);

/* Reads the medium from a case, with the unmodified cell type: the caller handles cell.scale and cell.set. Fails with MT_INPUT if the case
 * has several cell types, or if cells do not start at rest. */
MT_NODISCARD mt_status mt_wave_medium_of_case(const mt_case *input, mt_wave_medium *medium);
