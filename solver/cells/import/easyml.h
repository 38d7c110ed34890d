/* Reader of ionic models in EasyML, the language of openCARP's LIMPET (.model).
 *
 *     V; .external(Vm); .nodal(); .units(mV);
 *     Iion; .external();
 *     group { GNa = 15; ENa = 40; } .param();
 *     V_init = -86.9;
 *     a_m = V < 100 ? 0.9*(V + 42.65)/(1 - exp(-0.22*(V + 42.65))) : 891;
 *     b_m = 100/(1 + 0.5*exp(0.26*(V + 85)));
 *     if (V > 0) { k = 1; } elif (V > -40) { k = 2; } else { k = 3; }
 *     Iion = k*GNa*cube(m)*(V - ENa);
 *
 * A state is a variable X with
 *
 *   diff_X or d_X_dt           its derivative
 *   alpha_X or a_X, and        if X is used in an expression: dX/dt = alpha (1 - X) - beta X
 *     beta_X or b_X
 *   tau_X and X_inf            likewise: dX/dt = (X_inf - X) / tau; preferred to alpha and beta
 *   .external(Vm)              the membrane voltage, with the label "membrane_voltage": dV/dt = -Iion
 *
 * Units follow openCARP: ms, mV, and uA/cm^2 = pA/pF for Iion, with a membrane capacitance of 1 uF/cm^2. The initial value of X is X_init;
 * without it a state with alpha and beta, or tau and inf, starts in its steady state for the initial values of the others. A variable
 * without equation but with X_init is a parameter. `t` is the time. Definitions may follow their use.
 *
 * A variable is assigned once, apart from += -= *= /= and from assignments by an `if` to a variable that has a value before it. Such a
 * variable without value must be assigned in all branches, `else` included. Conditions see final values.
 *
 * Markup applies to the variables of the statement, group or `if` before it. .units is read, .flag(A, B) defines the numbers A and B.
 * .method, .lookup, .nodal, .regional, .param and .trace are ignored: integration methods and tables are chosen elsewhere. .lb and .ub are
 * ignored with a warning.
 *
 * Refused with file, line, column and word: .store (states without differential equation), .array, other markup, dt, a second assignment,
 * external variables without equation and X_init (plug-ins), and what solver/cells/import/expression.h refuses. */
#pragma once

#include "solver/cells/graph/equations.h"

/* Reads a file. MT_INPUT. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_easyml_read(mt_arena *arena, const char *path, mt_equations **equations);
