/* What plane waves run through, and how they are computed.
 *
 * Of a case these are its tissue, its cells, its scheme of diffusion and its time steps. Of its mesh, regions, gradients and stimuli nothing
 * is taken, nor a conductivity normal to the sheets: slabs have fibres, and no sheets. */
#pragma once

#include "solver/case/case.h"
#include "solver/monodomain.h"

typedef struct mt_wave_medium {
    const mt_cell_model *model;
    size_t variant;
    mt_tissue tissue;
    mt_diffusion_scheme scheme;
    double dt_ms;
    size_t pde_steps; /* 0: as many as the operator needs */
    mt_diffusing diffusing;
    double residual_mV; /* of implicit steps */
    mt_splitting splitting;
} mt_wave_medium;

/* The problem of waves through it, from rest: the operator and the stimulus, which are kept. */
mt_monodomain mt_wave_medium_problem(
    const mt_wave_medium *medium, const mt_diffusion *diffusion, const mt_stimulus *stimulus);

/* Gives that of a case, with the type of the cells by itself: what cell.scale and cell.set change is the caller's to look at. MT_INPUT: cells
 * are of several types, or do not begin at rest. */
MT_NODISCARD mt_status mt_wave_medium_of_case(const mt_case *input, mt_wave_medium *medium);
