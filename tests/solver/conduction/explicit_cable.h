/* An oracle: an unbranched cable of points with any capacitances and conductances, advanced by explicit Euler steps of all terms together.
 * It shares only the ionic model with the conduction system. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>

#include "data/core/arena.h"
#include "solver/cells/model.h"
#include "solver/kernels/block.h"

typedef struct explicit_cable {
    const mt_cell_model *model;
    size_t variant, n;
    double dt_ms;
    double *capacitance_uF, *conductance_mS; /* [n]; that of piece k is between points k and k + 1 */
    double *inward_uA;                       /* [n] from outside, in the next step */
    double *v, *next, *state, *activation_ms;
    size_t step;
} explicit_cable;

/* Creates a cable at rest, whose capacitances and conductances are 0. */
static inline explicit_cable new_explicit_cable(
    mt_arena *arena, const mt_cell_model *model, size_t variant, size_t n, double dt_ms)
{
    explicit_cable c = {.model = model, .variant = variant, .n = n, .dt_ms = dt_ms};
    double **array[] = {&c.capacitance_uF, &c.conductance_mS, &c.inward_uA, &c.v, &c.next, &c.activation_ms};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++)
        *array[k] = mt_arena_alloc(arena, n, sizeof **array[k]);
    c.state = mt_arena_alloc(arena, n * model->n_states, sizeof *c.state);
    for (size_t k = 0; k < n; k++) {
        c.v[k] = model->variants[variant].v_mV;
        c.activation_ms[k] = INFINITY;
        for (size_t s = 0; s < model->n_states; s++)
            c.state[mt_block_index(n, model->n_states, k, s)] = model->variants[variant].states[s];
    }
    return c;
}

/* Takes a step, and records the first passage of 0 mV. */
static inline void step_explicit_cable(explicit_cable *c)
{
    mt_cell_step_double(c->model, c->variant, NULL, c->dt_ms, c->n, c->state, c->v, c->next);
    for (size_t k = 0; k < c->n; k++) {
        double current_uA = c->inward_uA[k];
        if (k > 0) current_uA += c->conductance_mS[k - 1] * (c->v[k - 1] - c->v[k]);
        if (k + 1 < c->n) current_uA += c->conductance_mS[k] * (c->v[k + 1] - c->v[k]);
        c->next[k] += c->dt_ms * current_uA / c->capacitance_uF[k];
        if (isinf(c->activation_ms[k]) && c->v[k] < 0 && c->next[k] >= 0)
            c->activation_ms[k] = c->dt_ms * ((double)c->step + c->v[k] / (c->v[k] - c->next[k]));
    }
    c->step++;
    double *old = c->v;
    c->v = c->next;
    c->next = old;
}
