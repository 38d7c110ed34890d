/* The time step of a system of equations as expressions: each state has a method.
 *
 *   Euler         y' = y + dt f
 *   Rush-Larsen   f = A - y B with A and B constant during the step: y' = A / B + (y - A / B) exp(-B dt), the solution (S. Rush, H. Larsen,
 *                 IEEE Trans. Biomed. Eng. 25, 389, 1978). For gates: f is linear in y. If B can be 0:
 *                 y' = y + dt f (exp(-B dt) - 1) / (-B dt)
 *   implicit      a group of coupled states by one step of linearly implicit Euler: (I - dt J) (y' - y) = dt f, by elimination in symbols.
 *                 For Markov chains, buffers and small compartments, whose rates exceed 1/dt. Sums of states that the equations conserve
 *                 are conserved. J is the Jacobian of the group, or the part of it that damps: of column i the diagonal, as far as it is
 *                 negative, and the entries that are not larger: what others gain of the loss of state i. With feedback that amplifies,
 *                 such as the release of calcium by calcium, the complete matrix becomes singular at a growth of 1/dt; the part takes it
 *                 explicitly. The order is one for any J (T. Steihaug, A. Wolfbrandt, Math. Comp. 33, 521, 1979)
 *
 * The group can take several substeps, with V and the other states of the start. All other right-hand sides are evaluated at the start. V
 * takes V' = V + step dV/dt. */
#pragma once

#include "solver/cells/graph/system.h"

typedef enum mt_method { MT_METHOD_EULER, MT_METHOD_RUSH_LARSEN, MT_METHOD_IMPLICIT } mt_method;

/* "forward Euler", "Rush-Larsen", "implicit". */
const char *mt_method_name(mt_method method);

typedef struct mt_step {
    unsigned substeps; /* of the implicit group in a step; 1 from the functions below */
    bool
        complete; /* J is the complete Jacobian of the group: `part` is ignored; false from the functions below */
    mt_method *method; /* [n_states] */
    mt_node *next;     /* [n_states] */
    mt_node v_change;  /* [mV] */
    double *fastest;   /* [n_states] largest |df/dy| in the examined states [1/ms] */
    bool *linear;      /* [n_states] True if f is linear in y */
    /* [n_states][n_states] entries of the Jacobian in J. MT_PART_CHECKED: compared with the diagonal in each step */
    enum { MT_PART_NONE, MT_PART_ALL, MT_PART_CHECKED } * part;
} mt_step;

/* Examples of states of a cell, from which methods are chosen: V [n] and states [n][n_states]. */
typedef struct mt_examples {
    size_t n;
    const double *v_mV, *states;
} mt_examples;

/* Chooses methods without examples: Rush-Larsen for the states that depend linearly on themselves and else on V only, and one implicit
 * group of all others. Stable, but slow. MT_MEMORY. */
MT_NODISCARD mt_status mt_step_cautious(mt_arena *arena, mt_system *system, mt_step *step);

/* Chooses methods by the Jacobian J at examples, with the system's own parameters.
 *
 * A gate is a state i with a linear derivative that exchanges nothing with other states: |J_ki| is below MT_STEP_EXCHANGE |J_ii| for all
 * states k on which its derivative depends. The decay of other states (channel states of a Markov chain, ions and buffers) is the growth of
 * others; steps that differ between them would lose or create matter. A flux into state k, by its unit, is a gate: its decay is no matter.
 *
 * The implicit group begins with all states that are not gates and change faster than MT_STEP_FAST. States join that are coupled with a
 * member in both directions faster than MT_STEP_SLOW (the geometric mean of J_ik and J_ki), and those that are not gates and that a member
 * changes faster than MT_STEP_FAST. Gates outside the group that change faster than MT_STEP_SLOW take Rush-Larsen steps; the others Euler
 * steps.
 *
 * Neither `complete` nor substeps are chosen. MT_MEMORY. */
MT_NODISCARD mt_status mt_step_choose(
    mt_arena *arena, mt_system *system, const mt_examples *examples, mt_step *step);

/* Builds next and v_change for step->method. MT_MEMORY. */
MT_NODISCARD mt_status mt_step_build(mt_arena *arena, mt_system *system, mt_step *step);

#define MT_STEP_FAST 1.0  /* [1/ms] */
#define MT_STEP_SLOW 0.05 /* [1/ms] */
#define MT_STEP_EXCHANGE 0.2
#define MT_STEP_SAME 1.05 /* of two entries of a column: larger up to rounding and to what leaves the group */
