/* What the plane waves of a case run through: its tissue, its cells, its scheme of diffusion and its time steps. Of its mesh, regions, gradients and
 * stimuli nothing is taken, nor a conductivity normal to the sheets: slabs have fibres, and no sheets. */
#ifndef MT_APP_WAVES_WAVE_MEDIUM_H
#define MT_APP_WAVES_WAVE_MEDIUM_H

#include "app/waves/plane_wave.h"
#include "solver/case/case.h"

/* Gives it, with the type of the cells by itself: what cell.scale and cell.set change is the caller's to look at. MT_INPUT: cells are of
 * several types, or do not begin at rest. */
MT_NODISCARD mt_status mt_wave_medium_of_case(const mt_case *input, mt_wave_medium *medium);

#endif
