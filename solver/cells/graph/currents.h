/* The ionic currents of the equations of a file: the named terms of dV/dt.
 *
 *   dV/dt = - sum of c_k I_k
 *
 * Found are the intermediates that dV/dt contains as terms, with factors c_k of numbers and parameters (1/C, a conversion of units), and
 * those inside sums that have a name themselves (i_Na = i_Na_junction + i_Na_cleft): totals and their terms. Other factors end the search:
 * g (V - E) is one current. The stimulus is not listed. Values are c_k I_k, in pA/pF (mV/ms), positive if they repolarise, for every unit
 * of the file. */
#pragma once

#include "solver/cells/graph/program.h"
#include "solver/cells/graph/system.h"

/* Inputs of the program: numbers [n_numbers], the system's parameters, V [mV], its states. Outputs: the currents [n]. */
typedef struct mt_currents {
    size_t n;
    uint32_t *variable; /* [n] of the equations, ascending */
    size_t n_numbers;
    const double *number;
    mt_program program;
} mt_currents;

/* Finds the currents of a system in `arena`. MT_INPUT: too many values for the registers of a program. MT_MEMORY. */
MT_NODISCARD mt_status mt_currents_find(mt_arena *arena, const mt_system *system, mt_currents *currents);
