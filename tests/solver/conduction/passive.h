/* A cell with a passive membrane, dV/dt = -rate (V - rest), and a state that counts the time: for tests against cable theory. */
#pragma once

#include <criterion/criterion.h>

#include "solver/conduction/conducting.h"
#include "tests/answers.h"

#define PASSIVE_STEP(real)                                                                                   \
    (void)model, (void)n_variants, (void)of;                                                                 \
    const real part = (real)dt_ms * constants[0];                                                            \
    for (size_t k = 0; k < n; k++) {                                                                         \
        state[k] += (real)dt_ms;                                                                             \
        v_out_mV[k] = v_in_mV[k] - part * (v_in_mV[k] - constants[1]);                                       \
    }

static void passive_double(const mt_cell_model *model, const double *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, double *state, const double *v_in_mV, double *v_out_mV)
{
    PASSIVE_STEP(double)
}

static void passive_float(const mt_cell_model *model, const float *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, float *state, const float *v_in_mV, float *v_out_mV)
{
    PASSIVE_STEP(float)
}

static const mt_cell_model passive_model = {.name = "passive",
    .n_states = 1,
    .n_parameters = 2,
    .n_constants = 2,
    .n_variants = 1,
    .states = (const mt_cell_quantity[]){{"time", "ms"}},
    .parameters = (const mt_cell_quantity[]){{"rate", "1/ms"}, {"rest", "mV"}},
    .dt_max_ms = 1,
    .kernel_float = {passive_float, passive_float, passive_float},
    .kernel_double = {passive_double, passive_double, passive_double}};

static const size_t no_junctions[1];

/* Returns a system of passive cables without junctions. parameters: rate and rest, which is the initial V; kept. */
static inline mt_conduction passive_conduction(
    const mt_network *network, const mt_cables *cables, const double *parameters)
{
    static const double time[1];
    return (mt_conduction){.network = network,
        .cables = *cables,
        .junctions = {.start = (size_t *)no_junctions},
        .model = &passive_model,
        .variant = {.parameters = parameters, .v_mV = parameters[1], .states = time},
        .steps = 1,
        .threshold_mV = -20};
}
