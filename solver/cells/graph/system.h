/* The differential equations of a cell in the units of this program: V in mV, time in ms, without a stimulus.
 *
 * Found in the equations of a file:
 *
 *   V          the state labelled "membrane_voltage" (CellML with the metadata of Chaste) or "membrane_potential" (Myokit); else the only
 *              one with a usual name (V, Vm, v, E ...)
 *   stimulus   the variable labelled "membrane_stimulus_current" or "stimulus_current"; else one with a usual name (i_Stim, Istim ...);
 *              else the pacing signal. It is removed: stimuli of a tissue are added to V
 *   carrier    the state that the stimulus changes too: the ions that carry its charge
 *
 * Both can also be named by the user. States and parameters keep the units of the file; only V and time are converted. Without a known unit
 * V is in mV, and time in ms. */
#pragma once

#include "solver/cells/graph/algebra.h"
#include "solver/cells/graph/equations.h"

/* Names in the file; NULL: found as above. */
typedef struct mt_system_names {
    const char *voltage, *stimulus;
} mt_system_names;

typedef struct mt_system {
    const mt_equations *equations;
    mt_algebra
        algebra; /* of all expressions below. Variables have the indices of the equations; that of V is V in mV. Two more: */
    size_t dt, step; /* [ms] the step of the states of a cell, and that of V (solver/cells/pace.h) */
    size_t v;        /* index of V */
    double mV, ms;   /* one unit of V, and of time, of the file */
    mt_node v_rate;  /* dV/dt [mV/ms] */
    size_t n_states, n_parameters;
    uint32_t *state;       /* [n_states] indices of the states without V */
    mt_node *rate;         /* [n_states] derivative [unit of the state / ms] */
    uint32_t *parameter;   /* [n_parameters] indices of the parameters that a derivative depends on */
    size_t stimulus;       /* index, or SIZE_MAX: none */
    size_t carrier;        /* of the states; n_states: none */
    double carrier_per_mV; /* change of this state per mV of a stimulus */
} mt_system;

enum { MT_SYSTEM_STATES_MAX = 256, MT_SYSTEM_PARAMETERS_MAX = 1024 };

/* Builds the system in `arena`; keeps the equations. MT_INPUT: V is not found, or several states could be V (the message lists the states);
 * a name of the user does not exist; a derivative depends on time other than by the stimulus (the message names the variable); too many
 * states or parameters. MT_MEMORY. */
MT_NODISCARD mt_status mt_system_build(
    mt_arena *arena, const mt_equations *equations, const mt_system_names *names, mt_system *system);

/* Copies the flat equations into an algebra with the same constant variables as the system's: fills copy[flat->n], with V in mV, `stimulus`
 * in place of the stimulus, and inputs 0. Units of results and of time are those of the file. MT_MEMORY. */
MT_NODISCARD mt_status mt_system_copy(
    const mt_system *system, mt_algebra *algebra, mt_node stimulus, mt_node *copy);

/* Computes the derivatives, and any other expressions, at a state: sets value[algebra.graph->n] of all nodes that are marked in used[],
 * from V [mV] and states [n_states], for the parameters of the file; dt = step = 1. */
MT_NODISCARD mt_status mt_system_values(
    const mt_system *system, const bool *used, double v_mV, const double *states, double *value);
