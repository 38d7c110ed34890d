/* Reader of ionic models in the format of gotran and gotranx (.ode).
 *
 *     parameters("Membrane", C = ScalarParam(0.01, unit="uF*mm**-2", description="capacitance"))
 *     states("Membrane", V = -84.6)
 *     expressions("Membrane")
 *     i = Conditional(Lt(V, -40), 0, V + 84) # uA*mm**-2
 *     dV_dt = -i/C
 *
 * The component of a variable is the text of its list or of the last expressions(...) or component(...); several texts are joined by ", ".
 * Names are unique in a file, and definitions may follow their use. A name d<state>_dt is the derivative of a state, also inside
 * expressions. `time` and `t` are the time, unless the file defines them. A comment at the end of an assignment is the unit if it can be
 * read as one, otherwise the description. The format has no annotations: no variable has a label. A file does not state its unit of time;
 * milliseconds are customary.
 *
 * Refused with file, line, column and word: redefinition, a derivative of something else than a state, calls other than the above
 * (model_arguments, import_ode), and what solver/cells/import/expression.h refuses. */
#pragma once

#include "solver/cells/graph/equations.h"

/* Reads a file. MT_INPUT. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_gotran_read(mt_arena *arena, const char *path, mt_equations **equations);
