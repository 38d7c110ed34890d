/* Cases with voltages at the vertices of the mesh: `diffusion.discretisation: nodes`. */
#pragma once

#include "solver/case/case.h"
#include "solver/diffusion/nodal.h"

/* Refuses a case with voltages at the vertices where only elements are supported. MT_INPUT. `path`: of the case, for the message. */
MT_NODISCARD mt_status mt_case_need_elements(const char *path, const mt_case *input);

/* Returns the law of reaction spreading at the vertices, with the factor of the case. All models have the law of the first one of the
 * table. The strength is 0 without spreading. */
mt_nodal_law mt_case_nodal_law(const mt_case *input);
