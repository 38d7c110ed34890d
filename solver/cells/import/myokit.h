/* Reader of Myokit's model files (.mmt): the section [[model]]; [[protocol]] and [[script]] are skipped.
 *
 * Supported is the complete model syntax of Myokit 1.39: components, aliases (use), nested variables, units, labels, metadata, template
 * functions, dot(x) in expressions. Of the bindings, `time` becomes the time; `pace`, `diffusion_current`, `realtime` and `evaluations`
 * become inputs. A variable with another binding keeps the value of the file, as in Myokit, with a warning.
 *
 * A nested variable is called parent_name if its name occurs several times in its component. For dot(x) inside an expression there is an
 * intermediate variable "dot(x)". */
#pragma once

#include "solver/cells/graph/equations.h"

MT_NODISCARD mt_status mt_myokit_read(mt_arena *arena, const char *path, mt_equations **equations);
