/* The step of an imported model as C, in the dialect of the built-in models (solver/cells/kernel.h): a complete source without includes
 * of the project, to be compiled at run time.
 *
 * It defines the kernels MT_COMPILED_STEP and MT_COMPILED_MULTIRATE (mt_cell_kernel_float, mt_cell_multirate_float, or with MT_DOUBLE
 * defined those of double). Each instruction of the program is one statement with the expression that the interpreter executes
 * (solver/cells/graph/instructions.h), so all bits are the same.
 *
 * With the flag MT_COMPILED_TABLES it also defines MT_COMPILED_TABULATED and MT_COMPILED_TABULATED_MULTIRATE, in single precision
 * (mt_cell_tabulated_float, mt_cell_tabulated_multirate_float). */
#pragma once

#include "solver/cells/graph/cell_program.h"

#define MT_COMPILED_STEP "cell_compiled"
#define MT_COMPILED_MULTIRATE "cell_compiled_multirate"
#define MT_COMPILED_TABULATED "cell_compiled_tabulated"
#define MT_COMPILED_TABULATED_MULTIRATE "cell_compiled_tabulated_multirate"
#define MT_COMPILED_TABLES "-DTABLES" /* flag of the compiler */

/* Writes the source in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_program_source(
    mt_arena *arena, const mt_cell_program *program, const char **source);

/* Writes the part of it between the headers: K, STATES, CONSTANTS and cell_step. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_program_equations(
    mt_arena *arena, const mt_cell_program *program, const char **text);

/* The compiler's flags for an instruction set; terminated by NULL. */
const char *const *mt_cell_program_flags(mt_isa set);
