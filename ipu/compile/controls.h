/* The parts of programs that take time in addition to the supersteps: predicates, and transfers from and to the host. */
#pragma once

#include "ipu/compile/executable.h"

/* Builds executable->controls in `arena`; a part that several programs share occurs there once. Variables must have their
 * places. MT_MEMORY. */
MT_NODISCARD mt_status ipu_controls_make(mt_arena *arena, ipu_executable *executable);

/* Returns the control of a program part that has one. */
const ipu_control *ipu_controls_find(const ipu_executable *executable, const ipu_program *program);
