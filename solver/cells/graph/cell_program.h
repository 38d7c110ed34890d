/* The step of an ionic model as programs, and their interpreter: the kernels of imported models (solver/cells/model.h).
 *
 * The interpreter executes each instruction for a few blocks of cells (solver/kernels/block.h) before the next one, with the vector
 * operations of solver/kernels/lanes.h, so that the cost of finding the instruction is shared by all these cells. Every instruction set
 * computes the same bits, as do programs written as C. */
#pragma once

#include "solver/cells/graph/currents.h"
#include "solver/cells/graph/program.h"
#include "solver/cells/graph/step.h"
#include "solver/cells/model.h"

/* A step with functions of V from tables (solver/cells/tabulated.h, solver/cells/graph/functions_of_v.h). `functions` has the inputs of
 * mt_cell_program.step, and computes them [n]; with those as further inputs, `step` has its outputs. */
typedef struct mt_tabulated_program {
    size_t n;
    mt_program functions, step, step_in_pairs;
} mt_tabulated_program;

/* Inputs of `step`: numbers [n_numbers], constants [n_constants], dt, step, V, states [n_states]; the first two and `step` are uniform.
 * Outputs: the next states [n_states], the change of V in this step [mV]. dt [ms] is the step of the states, `step` that of V
 * (solver/cells/pace.h). Inputs of `constants`: numbers of its own [n_constants_numbers], parameters [n_parameters]; outputs: constants. */
typedef struct mt_cell_program {
    size_t n_numbers, n_constants_numbers, n_constants, n_states, n_parameters;
    const double *number, *constants_number;
    const double *number_blocks; /* [n_numbers][MT_BLOCK] every number for a block of cells */
    const float *number_blocks_single;
    mt_program step, constants;
    mt_program step_in_pairs;          /* the same as `step`, for the interpreter */
    mt_currents currents;              /* n = 0 from mt_cell_program_make */
    size_t n_functions;                /* the larger `n` of the following; 0: there are none */
    mt_tabulated_program tabulated[2]; /* with uniform and with multirate stepping */
} mt_cell_program;

/* Translates a system and its step into programs in `arena`; tabulated ones for time steps up to dt_ms, or none if dt_ms is 0. MT_INPUT:
 * too many values for the registers of a program. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_program_make(
    mt_arena *arena, mt_system *system, const mt_step *step, double dt_ms, mt_cell_program *program);

/* Sets the kernels, `constants`, `currents_of` and n_functions of an imported model's row. */
void mt_cell_program_kernels(mt_cell_model *model);
