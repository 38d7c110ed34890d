/* Cases with voltages at the vertices of the mesh: `diffusion.discretisation: nodes`. */
#pragma once

#include "solver/case/case.h"

/* Refuses a case with voltages at the vertices where only elements are supported. MT_INPUT. `path`: of the case, for the message. */
MT_NODISCARD mt_status mt_case_need_elements(const char *path, const mt_case *input);
