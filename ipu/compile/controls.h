/* The parts of programs that take time beside the supersteps: predicates that decide, and transfers from and to the host. */
#pragma once

#include "ipu/compile/executable.h"

/* Fills in executable->controls, in `arena`: a part that several programs share stands there once. Variables have their
 * places. MT_MEMORY. */
MT_NODISCARD mt_status ipu_controls_make(mt_arena *arena, ipu_executable *executable);

/* The control of a part of a program that has one. */
const ipu_control *ipu_controls_find(const ipu_executable *executable, const ipu_program *program);
