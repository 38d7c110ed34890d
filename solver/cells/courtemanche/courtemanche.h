/* The Courtemanche-Ramirez-Nattel 1998 model of a human atrial cell: 20 states and the transmembrane voltage.
 *
 * M. Courtemanche, R. J. Ramirez, S. Nattel, Ionic mechanisms underlying human atrial action potential properties: insights from a
 * mathematical model, Am. J. Physiol. 275 (Heart Circ. Physiol. 44) (1998) H301-H321, doi 10.1152/ajpheart.1998.275.1.H301. All equations
 * are those of its appendix. Two sources complete it:
 *
 * - The model's version in the CellML repository has more digits of five parameters, which round to the paper's, and of the initial states.
 *   Its digits are used here, and its initial states: the resting state of the paper.
 * - beta of gate ui is exp((V - 158) / 16), as there and as in the paper's figure of the time constant; the paper prints its inverse.
 *
 * This state is almost quiescent: without stimuli V stays within 0.01 mV of it for ten minutes, while Na_i and Ca_i fall by 0.3 %
 * (forward Euler steps of 0.05 ms of the tests' oracle in double precision).
 *
 * One step: forward Euler for all states except gates m, u and v, which take a Rush-Larsen step; all right-hand sides are evaluated at the
 * start of the step. The flux F_n that controls calcium release, about 1e-13 umol/ms, is computed in units of its scale in the paper,
 * 1.367e-15 umol/ms: in single precision differences of such numbers would be 0. */
#pragma once

/* Physical constants and cell size (Table 1 of the paper). */
#define CRN_GAS 8.3143                                     /* J/(mol K) */
#define CRN_TEMPERATURE 310.0                              /* K */
#define CRN_FARADAY 96.4867                                /* C/mmol */
#define CRN_RT_F (CRN_GAS * CRN_TEMPERATURE / CRN_FARADAY) /* mV */
#define CRN_CM 100.0                                       /* pF, for the volumes below [um^3] */
#define CRN_VI 13668.0                                     /* 68 % of the cell's 20,100 um^3 */
#define CRN_VUP 1109.52                                    /* 5.52 % */
#define CRN_VREL 96.48                                     /* 0.48 % */

/* The row of the table of models (solver/cells/model.h). */
extern const struct mt_cell_model mt_cell_courtemanche;

typedef enum crn_variant { CRN_DEFAULT, CRN_VARIANTS } crn_variant;

/* The states other than V, in storage order. Concentrations in mM; the others are gates. */
typedef enum crn_state {
    CRN_M,
    CRN_H,
    CRN_J,
    CRN_OA,
    CRN_OI,
    CRN_UA,
    CRN_UI,
    CRN_XR,
    CRN_XS,
    CRN_D,
    CRN_F,
    CRN_FCA,
    CRN_U,
    CRN_V,
    CRN_W,
    CRN_NAI,
    CRN_KI,
    CRN_CAI,
    CRN_CAUP,
    CRN_CAREL,
    CRN_STATES
} crn_state;

/* The currents [pA/pF], positive outwards: dV/dt is minus their sum. */
typedef enum crn_current {
    CRN_I_NA,
    CRN_I_BNA,
    CRN_I_CAL,
    CRN_I_BCA,
    CRN_I_PCA,
    CRN_I_TO,
    CRN_I_KUR,
    CRN_I_KR,
    CRN_I_KS,
    CRN_I_K1,
    CRN_I_NACA,
    CRN_I_NAK,
    CRN_CURRENTS
} crn_current;

/* The functions of V in tables: targets and rates of the gates, what is left of the distance of m after a time step (decay_of in
 * solver/cells/gates.h), and parts of currents. */
typedef enum crn_function {
    CRN_OF_V_M,
    CRN_OF_V_M_LEFT,
    CRN_OF_V_H,
    CRN_OF_V_H_RATE,
    CRN_OF_V_J,
    CRN_OF_V_J_RATE,
    CRN_OF_V_A_RATE,
    CRN_OF_V_OA,
    CRN_OF_V_UA,
    CRN_OF_V_OI,
    CRN_OF_V_OI_RATE,
    CRN_OF_V_UI,
    CRN_OF_V_UI_RATE,
    CRN_OF_V_XR,
    CRN_OF_V_XR_RATE,
    CRN_OF_V_XS,
    CRN_OF_V_XS_RATE,
    CRN_OF_V_D,
    CRN_OF_V_D_RATE,
    CRN_OF_V_F,
    CRN_OF_V_F_RATE,
    CRN_OF_V_KUR,
    CRN_OF_V_KR,
    CRN_OF_V_K1,
    CRN_OF_V_NACA_UP,
    CRN_OF_V_NACA_DOWN,
    CRN_OF_V_NAK,
    CRN_OF_V_W,
    CRN_OF_V_W_RATE,
    CRN_FUNCTIONS
} crn_function;

/* The parameters, by the paper's names (Table 1): maximal conductances, currents and fluxes; half-saturation constants of pump, exchanger
 * and buffers; extracellular concentrations. g_Kur is the conductance of I_Kur at low V; at high V it is 11 times as large. Units are in
 * courtemanche.c. */
typedef enum crn_parameter {
    CRN_G_NA,
    CRN_G_K1,
    CRN_G_TO,
    CRN_G_KUR,
    CRN_G_KR,
    CRN_G_KS,
    CRN_G_CAL,
    CRN_G_BNA,
    CRN_G_BCA,
    CRN_I_PCA_MAX,
    CRN_K_MNAI,
    CRN_K_SAT,
    CRN_K_REL,
    CRN_TAU_TR,
    CRN_I_UP_MAX,
    CRN_K_UP,
    CRN_K_MCMDN,
    CRN_K_MTRPN,
    CRN_K_MCSQN,
    CRN_K_Q10,
    CRN_K_O,
    CRN_NA_O,
    CRN_CA_O,
    /* those above are used in the equations; constants are derived from those below */
    CRN_TAKEN_AS_THEY_ARE,
    CRN_I_NAK_MAX = CRN_TAKEN_AS_THEY_ARE,
    CRN_I_NACA_MAX,
    CRN_K_MKO,
    CRN_K_MNA,
    CRN_K_MCA,
    CRN_GAMMA,
    CRN_CA_UP_MAX,
    CRN_CMDN_MAX,
    CRN_TRPN_MAX,
    CRN_CSQN_MAX,
    CRN_PARAMETERS
} crn_parameter;

/* The constants in the equations (mt_cell_constants): the parameters that are used directly, by the names above, then these. */
typedef enum crn_constant {
    CRN_NAK_FACTOR = CRN_TAKEN_AS_THEY_ARE, /* I_NaK_max K_o / (K_o + K_mKo) */
    CRN_NAK_SIGMA,                          /* 0.0365 (exp(Na_o / 67.3) - 1) / 7 */
    CRN_NACA_FACTOR,                        /* I_NaCa_max / ((K_mNa^3 + Na_o^3) (K_mCa + Ca_o)) */
    CRN_NACA_OUTSIDE,                       /* Na_o^3 */
    CRN_NACA_UP,                            /* gamma F / (R T) */
    CRN_NACA_DOWN,                          /* (gamma - 1) F / (R T) */
    CRN_LEAK,                               /* I_up_max / Ca_up_max */
    CRN_BUFFER_CMDN,
    CRN_BUFFER_TRPN,
    CRN_BUFFER_CSQN, /* maximum times K_m */
    CRN_CONSTANTS
} crn_constant;

/* clang-format off */
#define CRN_IN_DEFAULT \
    [CRN_G_NA] = 7.8, [CRN_G_K1] = 0.09, [CRN_G_TO] = 0.1652, [CRN_G_KUR] = 0.005, [CRN_G_KR] = 0.029411765, \
    [CRN_G_KS] = 0.12941176, [CRN_G_CAL] = 0.12375, [CRN_G_BNA] = 6.744375e-4, [CRN_G_BCA] = 1.131e-3, \
    [CRN_I_PCA_MAX] = 0.275, [CRN_K_MNAI] = 10, [CRN_K_SAT] = 0.1, [CRN_K_REL] = 30, [CRN_TAU_TR] = 180, \
    [CRN_I_UP_MAX] = 0.005, [CRN_K_UP] = 9.2e-4, [CRN_K_MCMDN] = 2.38e-3, [CRN_K_MTRPN] = 5e-4, [CRN_K_MCSQN] = 0.8, \
    [CRN_K_Q10] = 3, [CRN_K_O] = 5.4, [CRN_NA_O] = 140, [CRN_CA_O] = 1.8, [CRN_I_NAK_MAX] = 0.59933874, \
    [CRN_I_NACA_MAX] = 1600, [CRN_K_MKO] = 1.5, [CRN_K_MNA] = 87.5, [CRN_K_MCA] = 1.38, [CRN_GAMMA] = 0.35, \
    [CRN_CA_UP_MAX] = 15, [CRN_CMDN_MAX] = 0.05, [CRN_TRPN_MAX] = 0.07, [CRN_CSQN_MAX] = 10
/* clang-format on */

/* Fills c[CRN_CONSTANTS] from p[CRN_PARAMETERS]; by_Na_o: exp(Na_o / 67.3) - 1. */
static inline void crn_constants(const double *p, double by_Na_o, double *c)
{
    const double Na_o3 = p[CRN_NA_O] * p[CRN_NA_O] * p[CRN_NA_O],
                 K_mNa3 = p[CRN_K_MNA] * p[CRN_K_MNA] * p[CRN_K_MNA];
    __builtin_memcpy(c, p, CRN_TAKEN_AS_THEY_ARE * sizeof *c);
    c[CRN_NAK_FACTOR] = p[CRN_I_NAK_MAX] * p[CRN_K_O] / (p[CRN_K_O] + p[CRN_K_MKO]);
    c[CRN_NAK_SIGMA] = 0.0365 / 7 * by_Na_o;
    c[CRN_NACA_FACTOR] = p[CRN_I_NACA_MAX] / ((K_mNa3 + Na_o3) * (p[CRN_K_MCA] + p[CRN_CA_O]));
    c[CRN_NACA_OUTSIDE] = Na_o3;
    c[CRN_NACA_UP] = p[CRN_GAMMA] / CRN_RT_F;
    c[CRN_NACA_DOWN] = (p[CRN_GAMMA] - 1) / CRN_RT_F;
    c[CRN_LEAK] = p[CRN_I_UP_MAX] / p[CRN_CA_UP_MAX];
    c[CRN_BUFFER_CMDN] = p[CRN_CMDN_MAX] * p[CRN_K_MCMDN];
    c[CRN_BUFFER_TRPN] = p[CRN_TRPN_MAX] * p[CRN_K_MTRPN];
    c[CRN_BUFFER_CSQN] = p[CRN_CSQN_MAX] * p[CRN_K_MCSQN];
}
