/* The Stewart et al. 2009 model of a human Purkinje fibre cell: 19 states and the transmembrane voltage.
 *
 * P. Stewart, O. V. Aslanidi, D. Noble, P. J. Noble, M. R. Boyett, H. Zhang, Mathematical models of the electrical action potential of
 * Purkinje fibre cells, Phil. Trans. R. Soc. A 367 (2009) 2225-2255, doi 10.1098/rsta.2008.0283. All equations are those of its appendix;
 * parameters and initial states have the digits of the model's version in the CellML repository.
 *
 * It is the ten Tusscher-Panfilov 2006 model (solver/cells/tp06) with other I_to and I_K1, the currents I_f (gate y) and I_sus, and other
 * conductances of I_Na, I_Kr and I_Ks. The change of K_i by current is multiplied by C_m, as for other ions and in the repository; the
 * appendix omits C_m.
 *
 * The cell is self-excitatory: without stimuli it beats spontaneously, with a cycle length of 1.2 s. It has no resting state. The initial state
 * is that of the repository: on the diastolic depolarisation, at -69 mV. */
#pragma once

#include "solver/cells/tp06/tp06.h"

/* The row of the table of models (solver/cells/model.h). */
extern const struct mt_cell_model mt_cell_stewart;

typedef enum stewart_variant { STEWART_DEFAULT, STEWART_VARIANTS } stewart_variant;

/* The states other than V, in storage order: those of TP06, then the gate of I_f. */
typedef enum stewart_state { STEWART_Y = TP06_STATES, STEWART_STATES } stewart_state;

/* The currents [pA/pF], positive outwards: those of TP06, then these. */
typedef enum stewart_current {
    STEWART_I_SUS = TP06_CURRENTS, /* sustained potassium current */
    STEWART_I_FNA,
    STEWART_I_FK, /* I_f by ion */
    STEWART_CURRENTS
} stewart_current;

/* The functions of V in tables: those of TP06, then these. */
typedef enum stewart_function {
    STEWART_OF_V_Y = TP06_FUNCTIONS,
    STEWART_OF_V_SUS = STEWART_OF_V_Y + 2,
    STEWART_OF_V_K1,
    STEWART_FUNCTIONS
} stewart_function;

/* The parameters: those of TP06, then these. Gate s here has
 *   s_inf = 1 / (1 + exp((V + s_half) / 13)),
 *   tau_s = s_peak exp(-(V + s_centre)^2 / s_width) + s_step / (1 + exp((V - 40) / 5)) + s_floor. */
typedef enum stewart_parameter {
    STEWART_G_SUS = TP06_PARAMETERS,
    STEWART_G_FNA,
    STEWART_G_FK,
    STEWART_PARAMETERS
} stewart_parameter;

/* The constants in the equations (mt_cell_constants): those of TP06 with g_K1 as TP06_K1_FACTOR, then these parameters. */
typedef enum stewart_constant {
    STEWART_SUS = TP06_CONSTANTS,
    STEWART_FNA,
    STEWART_FK,
    STEWART_CONSTANTS
} stewart_constant;

/* clang-format off */
#define STEWART_IN_DEFAULT \
    TP06_IN_PURKINJE_TOO, [TP06_G_NA] = 130.5744, [TP06_G_KR] = 0.0918, [TP06_G_KS] = 0.2352, [TP06_G_K1] = 0.065, \
    [TP06_G_TO] = 0.08184, TP06_GATE_S(27, 85, 25, 320, 5, 42), \
    [STEWART_G_SUS] = 0.0227, [STEWART_G_FNA] = 0.0145654, [STEWART_G_FK] = 0.0234346
/* clang-format on */

/* Fills c[STEWART_CONSTANTS] from p[STEWART_PARAMETERS]; by_K_o: sqrt(K_o / 5.4). */
static inline void stewart_constants(const double *p, double by_K_o, double *c)
{
    tp06_constants(p, by_K_o, c);
    c[TP06_K1_FACTOR] = p[TP06_G_K1];
    c[STEWART_SUS] = p[STEWART_G_SUS];
    c[STEWART_FNA] = p[STEWART_G_FNA];
    c[STEWART_FK] = p[STEWART_G_FK];
}
