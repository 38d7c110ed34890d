/* The time step of a system of equations as expressions: each state has a method.
 *
 *   Euler         y' = y + dt f
 *   Rush-Larsen   f = A - y B with A and B constant during the step: y' = A / B + (y - A / B) exp(-B dt), the solution (S. Rush, H. Larsen,
 *                 IEEE Trans. Biomed. Eng. 25, 389, 1978). For gates: f is linear in y
 *   implicit      a group of coupled states by one step of linearly implicit Euler: (I - dt J) (y' - y) = dt f with the Jacobian J of the
 *                 group, by elimination in symbols. For Markov chains, buffers and small compartments, whose rates exceed 1/dt. Sums of
 *                 states that the equations conserve are conserved
 *
 * All right-hand sides are evaluated at the start of the step. V takes V' = V + step dV/dt. */
#pragma once

#include "solver/cells/graph/system.h"

typedef enum mt_method { MT_METHOD_EULER, MT_METHOD_RUSH_LARSEN, MT_METHOD_IMPLICIT } mt_method;

/* "forward Euler", "Rush-Larsen", "implicit". */
const char *mt_method_name(mt_method method);

typedef struct mt_step {
    mt_method *method; /* [n_states] */
    mt_node *next;     /* [n_states] */
    mt_node v_change;  /* [mV] */
    double *fastest;   /* [n_states] largest |df/dy| in the examined states [1/ms] */
    bool *linear;      /* [n_states] True if f is linear in y */
} mt_step;

/* Examples of states of a cell, from which methods are chosen: V [n] and states [n][n_states]. */
typedef struct mt_examples {
    size_t n;
    const double *v_mV, *states;
} mt_examples;

/* Chooses methods by the Jacobian at the examples, with the system's own parameters. A state is
 *
 *   in the implicit group   if it is coupled, in both directions and as fast as it changes itself, with another state that changes faster
 *                           than MT_STEP_FAST; or alone, if it is that fast and not linear
 *   by Rush-Larsen          if its derivative is linear in it, and it changes faster than MT_STEP_SLOW
 *   by Euler                otherwise
 *
 * MT_INPUT: the Jacobian is not finite at all examples. MT_MEMORY. */
MT_NODISCARD mt_status mt_step_choose(
    mt_arena *arena, mt_system *system, const mt_examples *examples, mt_step *step);

/* Builds next and v_change for step->method. MT_MEMORY. */
MT_NODISCARD mt_status mt_step_build(mt_arena *arena, mt_system *system, mt_step *step);

#define MT_STEP_FAST 1.0 /* [1/ms] */
#define MT_STEP_SLOW 0.01
