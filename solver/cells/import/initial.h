/* Initial values that are formulas of states: a gate in its steady state for the initial membrane voltage. */
#pragma once

#include "solver/cells/graph/equations.h"

/* Replaces the states in the initial values of all states by the initial values of those states, and intermediates by their definitions, so
 * that initial values are expressions of parameters. Before mt_equations_finish. Initial values that depend on each other, or on
 * intermediates that depend on themselves, are left to its messages. MT_INPUT with too many nodes. MT_MEMORY. */
MT_NODISCARD mt_status mt_initial_express(mt_equations *e);
