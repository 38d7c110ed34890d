/* The last step of every reader of files: checks the equations that it collected, and completes them. */
#pragma once

#include "solver/cells/graph/equations.h"

/* Checks and completes what a reader has collected; every reader ends with it. Each intermediate and each derivative has an expression; no
 * definition depends on itself (the message names the cycle); there is at least one state. An intermediate without variables becomes a
 * parameter with its value; initial values become numbers. Units are checked before that (solver/cells/graph/unit_check.h). MT_INPUT with
 * file, line and variable. MT_MEMORY. */
MT_NODISCARD mt_status mt_equations_finish(mt_equations *e);
