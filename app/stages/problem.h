/* The problem of a case: its mesh, the diffusion operator on it, and what the time loop solves. */
#ifndef MT_APP_STAGES_PROBLEM_H
#define MT_APP_STAGES_PROBLEM_H

#include "solver/case.h"
#include "solver/monodomain.h"
#include "solver/probe.h"

typedef struct mt_problem {
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion diffusion;
    mt_probes probes;
    mt_monodomain monodomain; /* points to mesh and diffusion: a problem stays where it was made */
} mt_problem;

/* Gives the problem in `arena`. What the case leaves open is filled in: time.pde_steps; paths become absolute. Shows progress,
 * and warns (app/stages/warnings.h) of what is unusual. `cached`: as in mt_operator_make. Fails where the case does not go with
 * its mesh or a file cannot be read; messages of MT_INPUT and MT_NUMERICS say where in the case. */
MT_NODISCARD mt_status mt_problem_make(mt_arena *arena, mt_case *input, bool cached, mt_problem *problem);

#endif
