/* The invariants of a diffusion operator, checked. */
#ifndef MT_SOLVER_DIFFUSION_CHECK_H
#define MT_SOLVER_DIFFUSION_CHECK_H

#include "solver/diffusion/diffusion.h"

/* Those of solver/diffusion/diffusion.h; the message names the first offending row. */
MT_NODISCARD mt_status mt_diffusion_check(const mt_diffusion *diffusion, const mt_adjacency *adjacency);

#endif
