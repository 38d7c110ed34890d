/* The conduction system of a problem: cables of Purkinje fibres with their cells, junctions with the tissue, and stimuli. */
#pragma once

#include "data/core/hash.h"
#include "solver/cells/model.h"
#include "solver/conduction/cables.h"
#include "solver/conduction/junctions.h"
#include "solver/monodomain.h"

struct mt_conduction {
    const mt_network *network;
    mt_cables cables;
    mt_junctions junctions;
    const mt_cell_model *model;
    mt_cell_variant variant; /* of all points, with their initial state */
    mt_stepping stepping;    /* of the cells, with a tolerance, and */
    double tolerance_mV;
    mt_evaluation evaluation; /* tabulated only in single precision, if the model has functions of V */
    size_t steps;             /* of the cables in each time step; dt / steps is at most model->dt_max_ms */
    size_t n_stimuli;
    const mt_stimulus *stimulus; /* [n_stimuli] of points */
    double threshold_mV;         /* of activation: that of the case, at least -50 mV */
};

/* Writes a fingerprint of all that determines the state: points, junctions, the ionic model and its parameters. MT_MEMORY. */
MT_NODISCARD mt_status mt_conduction_fingerprint(const mt_conduction *conduction, char text[MT_HASH_SIZE]);

/* Free below this V [mV] for another activation. Diastolic potentials of Purkinje fibres are lower, plateaus higher. */
#define MT_CONDUCTION_FREE_mV (-60)
