/* The coefficients of a step of the cables (solver/conduction/conducting.h), in double precision. */
#pragma once

#include "solver/conduction/conduction.h"
#include "solver/conduction/elimination.h"

typedef struct mt_conduction_coefficients {
    mt_elimination elimination; /* of C / dt + G + H */
    /* for each entry of the junctions: h_i [mS], dt h_i / C_i, and h_i as a share of its junction */
    double *coupling_mS, *gain, *mean_weight;
} mt_conduction_coefficients;

/* Computes the coefficients for a step of dt_ms, in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_conduction_coefficients_make(
    mt_arena *arena, const mt_conduction *conduction, double dt_ms, mt_conduction_coefficients *coefficients);
