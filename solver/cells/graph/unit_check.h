/* A check of the units in the equations of an ionic model. */
#pragma once

#include "solver/cells/graph/equations.h"

/* Checks the units of every definition, and adds a warning for each variable with different units in a sum, comparison or choice, with an
 * argument of exp or log that has a unit, or with a value, derivative or initial value in another unit than declared. The numbers of the
 * file may be wrong, or written for a tolerant program; values are not changed.
 *
 * A variable or number without unit passes, as in Myokit's tolerant mode; so does 0, which is 0 in every unit. A warning shows the first
 * difference of a variable; its line is that of the variable. mt_equations_finish calls this, before it replaces the definitions of
 * constants. MT_MEMORY. */
MT_NODISCARD mt_status mt_equations_check_units(mt_equations *e);
