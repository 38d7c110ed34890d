/* The ways to compute the diffusion of a time step, for tests that run all of them. */
#pragma once

#include "solver/monodomain.h"

enum { WORDS_WAY = 1, WAYS = 4 };
static const struct diffusion_way {
    const char *name;
    mt_diffusing diffusing;
    mt_accumulation accumulation;
} diffusion_ways[WAYS] = {{"explicit", MT_DIFFUSING_EXPLICIT, MT_ACCUMULATION_SINGLE},
    [WORDS_WAY] = {"double words", MT_DIFFUSING_EXPLICIT, MT_ACCUMULATION_DOUBLE_WORD},
    {"Euler", MT_DIFFUSING_EULER, MT_ACCUMULATION_SINGLE},
    {"Crank-Nicolson", MT_DIFFUSING_CRANK_NICOLSON, MT_ACCUMULATION_SINGLE}};

/* Sets the way of a problem: explicit steps in the given number, implicit ones with a residual. */
static inline void set_way(mt_monodomain *problem, size_t way, size_t pde_steps, double residual_mV)
{
    const bool is_explicit = diffusion_ways[way].diffusing == MT_DIFFUSING_EXPLICIT;
    problem->diffusing = diffusion_ways[way].diffusing;
    problem->accumulation = diffusion_ways[way].accumulation;
    problem->pde_steps = is_explicit ? pde_steps : 1;
    problem->residual_mV = residual_mV;
}
