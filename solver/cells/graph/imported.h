/* An ionic model from a file as a row of the table of models (solver/cells/model.h): from equations to programs.
 *
 * The row has one variant, "default", with the parameters and the initial state of the file. */
#pragma once

#include "solver/cells/graph/cell_program.h"
#include "solver/cells/graph/step.h"
#include "solver/cells/graph/system.h"

/* A model and what is known about it. */
typedef struct mt_imported {
    mt_cell_model row;
    mt_system system;
    mt_step step;
    mt_cell_program program;
} mt_imported;

/* Builds a model from equations in `arena`, where it remains; keeps the equations. Paces a cell in between, to choose a method for each
 * state. MT_INPUT: the errors of mt_system_build, mt_step_choose and mt_cell_program_make, or a number of the equations is not finite in
 * single precision. MT_NUMERICS: a beat with short time steps is unstable. MT_MEMORY. */
MT_NODISCARD mt_status mt_imported_make(
    mt_arena *arena, const mt_equations *equations, const mt_system_names *names, mt_imported **imported);
