/* For tests: the ten Tusscher-Panfilov cell with reduced sodium current, as in diseased tissue or under drugs. */
#pragma once

#include <string.h>

#include "solver/cells/tp06/tp06.h"
#include "solver/cells/model.h"

/* A row of the table of ionic models with a single variant, which has a share of g_Na; points into itself. */
typedef struct reduced_sodium_cells {
    mt_cell_model model;
    mt_cell_variant variant;
    double parameters[TP06_PARAMETERS];
} reduced_sodium_cells;

static inline const mt_cell_model *reduced_sodium_model(reduced_sodium_cells *reduced, double share)
{
    reduced->variant = mt_cell_tp06.variants[TP06_EPI];
    memcpy(reduced->parameters, reduced->variant.parameters, sizeof reduced->parameters);
    reduced->parameters[TP06_G_NA] *= share;
    reduced->variant.parameters = reduced->parameters;
    reduced->model = mt_cell_tp06;
    reduced->model.variants = &reduced->variant;
    reduced->model.n_variants = 1;
    return &reduced->model;
}
