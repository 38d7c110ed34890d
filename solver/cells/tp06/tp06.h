/* The ten Tusscher-Panfilov 2006 model of a human ventricular cell: 18 states and the transmembrane voltage.
 *
 * K. H. W. J. ten Tusscher, A. V. Panfilov, Alternans and spiral breakup in a human ventricular tissue model, Am. J. Physiol. Heart Circ.
 * Physiol. 291 (2006) H1088-H1100, doi 10.1152/ajpheart.00109.2006. Parameters and initial states of the three cell types are those of the
 * model's versions in the CellML repository and of the benchmark of Niederer et al. 2011 (doi 10.1098/rsta.2011.0139).
 *
 * One step: forward Euler for all states except gate m, which takes a Rush-Larsen step; all right-hand sides are evaluated at the start of
 * the step. Euler for gate m would need dt < 2.2 us. */
#pragma once

#include "solver/cells/tp06/tp06_parameters.h"

/* The row of the table of models (solver/cells/model.h). */
extern const struct mt_cell_model mt_cell_tp06;

/* Layer of the wall. */
typedef enum tp06_variant { TP06_EPI, TP06_MID, TP06_ENDO, TP06_VARIANTS } tp06_variant;

/* The states other than V, in storage order. Concentrations in mM; the others are dimensionless. */
typedef enum tp06_state {
    TP06_XR1,
    TP06_XR2,
    TP06_XS,
    TP06_M,
    TP06_H,
    TP06_J,
    TP06_D,
    TP06_F,
    TP06_F2,
    TP06_FCASS,
    TP06_S,
    TP06_R,
    TP06_CAI,
    TP06_RPRIME,
    TP06_CASR,
    TP06_CASS,
    TP06_NAI,
    TP06_KI,
    TP06_STATES
} tp06_state;

/* The currents [pA/pF], positive outwards: dV/dt is minus their sum. */
typedef enum tp06_current {
    TP06_I_NA,
    TP06_I_BNA,
    TP06_I_CAL,
    TP06_I_BCA,
    TP06_I_PCA,
    TP06_I_TO,
    TP06_I_KR,
    TP06_I_KS,
    TP06_I_K1,
    TP06_I_PK,
    TP06_I_NACA,
    TP06_I_NAK,
    TP06_CURRENTS
} tp06_current;

/* The functions of V in tables: two of each gate (gate_step in solver/cells/tp06/tp06_equations.h), and parts of currents. */
typedef enum tp06_function {
    TP06_OF_V_M,
    TP06_OF_V_H = TP06_OF_V_M + 2,
    TP06_OF_V_J = TP06_OF_V_H + 2,
    TP06_OF_V_XR1 = TP06_OF_V_J + 2,
    TP06_OF_V_XR2 = TP06_OF_V_XR1 + 2,
    TP06_OF_V_XS = TP06_OF_V_XR2 + 2,
    TP06_OF_V_R = TP06_OF_V_XS + 2,
    TP06_OF_V_S = TP06_OF_V_R + 2,
    TP06_OF_V_D = TP06_OF_V_S + 2,
    TP06_OF_V_F = TP06_OF_V_D + 2,
    TP06_OF_V_F2 = TP06_OF_V_F + 2,
    TP06_OF_V_CAL_RATIO = TP06_OF_V_F2 + 2,
    TP06_OF_V_CAL_GROWN,
    TP06_OF_V_PK,
    TP06_OF_V_NACA_UP,
    TP06_OF_V_NACA_DOWN,
    TP06_OF_V_NACA_SATURATION,
    TP06_OF_V_NAK,
    TP06_FUNCTIONS
} tp06_function;
