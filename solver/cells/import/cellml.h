/* Reader of CellML 1.0, 1.1 and 2.0 (https://www.cellml.org), the format of the Physiome Model Repository.
 *
 * Connected variables are one variable of the equations. It has the component and the name of the place where it is defined, by an equation
 * or, if there is none, by its initial_value; the variable of integration those of its source. Values are multiplied by a factor where a
 * connection changes the units.
 *
 * A derivative on a right side is a variable of its own, "d(V)/d(time)", with the expression of this derivative.
 *
 * Labels are those of Oxford's metadata: rdf:about="#ID" with bqbiol:is "...oxford-metadata#LABEL".
 *
 * Not supported: imports, resets, reactions, equations with an expression on the left side, algebraic equations to be solved,
 * derivatives by several variables or of higher order, units with an offset. Encapsulation and interfaces are not checked; each
 * connected set must have one definition. */
#pragma once

#include "solver/cells/graph/equations.h"

/* Reads a model, up to mt_equations_finish. MT_INPUT: damage, or something not supported, with file, line and element. MT_FILE.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_cellml_read(mt_arena *arena, const char *path, mt_equations **equations);
