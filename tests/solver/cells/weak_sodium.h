/* For tests: the ten Tusscher-Panfilov cell with reduced sodium current, as in diseased tissue or under drugs. */
#pragma once

#include <string.h>

#include "solver/cells/tp06/tp06.h"
#include "solver/cells/model.h"

/* A row of the table of ionic models with a single variant, which has a share of g_Na; points into itself. */
typedef struct weak_cells {
    mt_cell_model model;
    mt_cell_variant variant;
    double parameters[TP06_PARAMETERS];
} weak_cells;

static inline const mt_cell_model *weak_model(weak_cells *weak, double share)
{
    weak->variant = mt_cell_tp06.variants[TP06_EPI];
    memcpy(weak->parameters, weak->variant.parameters, sizeof weak->parameters);
    weak->parameters[TP06_G_NA] *= share;
    weak->variant.parameters = weak->parameters;
    weak->model = mt_cell_tp06;
    weak->model.variants = &weak->variant;
    weak->model.n_variants = 1;
    return &weak->model;
}
