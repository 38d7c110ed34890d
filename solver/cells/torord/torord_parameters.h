/* The parameters of the ToR-ORd model, the values common to its variants, and the constants derived for the equations (mt_cell_constants).
 * Sources: solver/cells/torord/torord.h. No includes: the instruction counter reads it too. */
#pragma once

/* Physical constants and cell size. */
#define TORORD_GAS 8314.0                                              /* J/(kmol K) */
#define TORORD_TEMPERATURE 310.0                                       /* K */
#define TORORD_FARADAY 96485.0                                         /* C/mol */
#define TORORD_RT_F (TORORD_GAS * TORORD_TEMPERATURE / TORORD_FARADAY) /* mV */
#define TORORD_LENGTH 0.01                                             /* cm */
#define TORORD_RADIUS 0.0011                                           /* cm */
#define TORORD_PI 3.14                                                 /* as published */
#define TORORD_CIRCLE (TORORD_PI * TORORD_RADIUS * TORORD_RADIUS)      /* cm^2 */
#define TORORD_VOLUME (1000 * TORORD_CIRCLE * TORORD_LENGTH)           /* ul */
#define TORORD_SIDE (2 * TORORD_PI * TORORD_RADIUS * TORORD_LENGTH)    /* cm^2 */
#define TORORD_CM (2 * (2 * TORORD_CIRCLE + TORORD_SIDE))              /* uF, at 1 uF/cm^2 */
#define TORORD_V_MYO (0.68 * TORORD_VOLUME)
#define TORORD_V_NSR (0.0552 * TORORD_VOLUME)
#define TORORD_V_JSR (0.0048 * TORORD_VOLUME)
#define TORORD_V_SS (0.02 * TORORD_VOLUME)

/* The exponent of Davies' formula for activity coefficients, 1.82e6 (74 T)^-1.5 with T = 310 K. */
#define TORORD_DAVIES 0.5238190247282047

/* The sodium-calcium exchanger (O'Hara et al.): mM, per s, per (mM s). */
#define TORORD_K_NA1 15.0
#define TORORD_K_NA2 5.0
#define TORORD_K_NA3 88.12
#define TORORD_K_ASYMM 12.5
#define TORORD_W_NA 6e4
#define TORORD_W_CA 6e4
#define TORORD_W_NACA 5e3
#define TORORD_K_CAON 1.5e6
#define TORORD_K_CAOFF 5e3

/* The sodium-potassium pump (O'Hara et al.). */
#define TORORD_K_NAO 27.78
#define TORORD_K_KO 0.3582

/* The parameters: maximal conductances, permeabilities and pump rates; fractions of channels in the subspace; half-saturation constants;
 * extracellular concentrations; release, uptake and buffers; CaMKII; and two of gates. epi, mid and endo differ in the conductances, in
 * delta_epi, alpha_rel, J_up and CMDN. Units are in torord.c. */
typedef enum torord_parameter {
    TORORD_G_NA,
    TORORD_G_NAL,
    TORORD_G_TO,
    TORORD_G_KS,
    TORORD_P_KNA,
    TORORD_G_KB,
    TORORD_P_NAK,
    TORORD_G_PCA,
    TORORD_G_CLCA,
    TORORD_K_CLCA,
    TORORD_G_CLB,
    TORORD_F_CAL_SS,
    TORORD_CA_O,
    TORORD_NA_O,
    TORORD_K_O,
    TORORD_CL_O,
    TORORD_J_REL,
    TORORD_ALPHA_REL,
    TORORD_BETA_TAU,
    TORORD_K_JSR,
    TORORD_J_UP,
    TORORD_J_LEAK,
    TORORD_K_CMDN,
    TORORD_K_TRPN,
    TORORD_K_BSR,
    TORORD_K_BSL,
    TORORD_K_CSQN,
    TORORD_CAMK_0,
    TORORD_K_CAM,
    TORORD_K_CAMK,
    TORORD_DELTA_EPI,
    /* those above are used in the equations; constants are derived from those below */
    TORORD_TAKEN_AS_THEY_ARE,
    TORORD_P_CA = TORORD_TAKEN_AS_THEY_ARE,
    TORORD_G_KR,
    TORORD_G_K1,
    TORORD_G_NACA,
    TORORD_F_NACA_SS,
    TORORD_P_NAB,
    TORORD_P_CAB,
    TORORD_TAU_TR,
    TORORD_TAU_HL,
    TORORD_CMDN,
    TORORD_TRPN,
    TORORD_BSR,
    TORORD_BSL,
    TORORD_CSQN,
    TORORD_PARAMETERS
} torord_parameter;

/* The constants in the equations (mt_cell_constants): the parameters that are used directly, by the names above, then these. gamma: the
 * activity coefficients outside of ions of valence 1; those of calcium are its fourth power. */
typedef enum torord_constant {
    TORORD_NA_OUTSIDE = TORORD_TAKEN_AS_THEY_ARE, /* gamma Na_o */
    TORORD_K_OUTSIDE,                             /* gamma K_o */
    TORORD_CA_OUTSIDE,                            /* gamma^4 Ca_o */
    TORORD_KS_OUTSIDE,                            /* K_o + P_KNa Na_o */
    TORORD_CAL_FACTOR,                            /* 2 F P_Ca */
    TORORD_CANA_FACTOR,                           /* F P_CaNa */
    TORORD_CAK_FACTOR,                            /* F P_CaK */
    TORORD_CAL_I,                                 /* 1 - f_CaL_ss */
    TORORD_NAB_FACTOR,                            /* F P_Nab */
    TORORD_CAB_FACTOR,                            /* 2 F P_Cab */
    TORORD_KR_FACTOR,                             /* g_Kr sqrt(K_o / 5) */
    TORORD_K1_FACTOR,                             /* g_K1 sqrt(K_o / 5) */
    TORORD_NACA_I,                                /* (1 - f_NaCa_ss) g_NaCa */
    TORORD_NACA_SS,                               /* f_NaCa_ss g_NaCa */
    TORORD_NACA_BOUND,                            /* Na_o / k_Na3 */
    TORORD_NACA_K1,                               /* rates k_1 of the exchanger [per s], and k_8 / h_8 */
    TORORD_NACA_K8,
    TORORD_NAK_SODIUM,    /* Na_o / K_Nao at V = 0 */
    TORORD_NAK_POTASSIUM, /* (K_o / K_Ko)^2 */
    TORORD_NAK_BOUND,     /* (1 + K_o / K_Ko)^2 - 1 */
    TORORD_TR_RATE,       /* 1 / tau_tr */
    TORORD_HL_RATE,       /* 1 / tau_hL */
    TORORD_BUFFER_CMDN,   /* products of the total buffer and its half-saturation constant */
    TORORD_BUFFER_TRPN,
    TORORD_BUFFER_BSR,
    TORORD_BUFFER_BSL,
    TORORD_BUFFER_CSQN,
    TORORD_CONSTANTS
} torord_constant;

/* clang-format off */
/* The values common to epi, mid and endo: the start of an array of parameters. */
#define TORORD_IN_COMMON \
    [TORORD_G_NA] = 11.7802, [TORORD_P_KNA] = 0.01833, [TORORD_G_PCA] = 5e-4, [TORORD_G_CLCA] = 0.2843, \
    [TORORD_K_CLCA] = 0.1, [TORORD_G_CLB] = 0.00198, [TORORD_F_CAL_SS] = 0.8, [TORORD_CA_O] = 1.8, [TORORD_NA_O] = 140, \
    [TORORD_K_O] = 5, [TORORD_CL_O] = 150, [TORORD_J_REL] = 1.5378, [TORORD_K_JSR] = 1.7, [TORORD_J_LEAK] = 3.255e-4, \
    [TORORD_K_CMDN] = 0.00238, [TORORD_K_TRPN] = 5e-4, [TORORD_K_BSR] = 8.7e-4, [TORORD_K_BSL] = 0.0087, \
    [TORORD_K_CSQN] = 0.8, [TORORD_CAMK_0] = 0.05, [TORORD_K_CAM] = 0.0015, [TORORD_K_CAMK] = 0.15, \
    [TORORD_F_NACA_SS] = 0.35, [TORORD_P_NAB] = 1.9239e-9, [TORORD_P_CAB] = 5.9194e-8, [TORORD_BETA_TAU] = 4.75, \
    [TORORD_TAU_TR] = 60, [TORORD_TAU_HL] = 200, [TORORD_TRPN] = 0.07, [TORORD_BSR] = 0.047, [TORORD_BSL] = 1.124, \
    [TORORD_CSQN] = 10
/* clang-format on */

/* Returns the ionic strength outside [M]. */
static inline double torord_strength(const double *p)
{
    return 0.0005 * (p[TORORD_NA_O] + p[TORORD_K_O] + p[TORORD_CL_O] + 4 * p[TORORD_CA_O]);
}

/* Fills c[TORORD_CONSTANTS] from p[TORORD_PARAMETERS]; by_K_o: sqrt(K_o / 5); gamma: activity coefficient outside. */
static inline void torord_constants(const double *p, double by_K_o, double gamma, double *c)
{
    const double sodium = p[TORORD_NA_O], potassium = p[TORORD_K_O] / TORORD_K_KO;
    const double h10 = TORORD_K_ASYMM + 1 + sodium / TORORD_K_NA1 * (1 + sodium / TORORD_K_NA2);
    __builtin_memcpy(c, p, TORORD_TAKEN_AS_THEY_ARE * sizeof *c);
    c[TORORD_NA_OUTSIDE] = gamma * sodium;
    c[TORORD_K_OUTSIDE] = gamma * p[TORORD_K_O];
    c[TORORD_CA_OUTSIDE] = gamma * gamma * gamma * gamma * p[TORORD_CA_O];
    c[TORORD_KS_OUTSIDE] = p[TORORD_K_O] + p[TORORD_P_KNA] * sodium;
    c[TORORD_CAL_FACTOR] = 2 * TORORD_FARADAY * p[TORORD_P_CA];
    c[TORORD_CANA_FACTOR] = TORORD_FARADAY * 0.00125 * p[TORORD_P_CA];
    c[TORORD_CAK_FACTOR] = TORORD_FARADAY * 3.574e-4 * p[TORORD_P_CA];
    c[TORORD_CAL_I] = 1 - p[TORORD_F_CAL_SS];
    c[TORORD_NAB_FACTOR] = TORORD_FARADAY * p[TORORD_P_NAB];
    c[TORORD_CAB_FACTOR] = 2 * TORORD_FARADAY * p[TORORD_P_CAB];
    c[TORORD_KR_FACTOR] = p[TORORD_G_KR] * by_K_o;
    c[TORORD_K1_FACTOR] = p[TORORD_G_K1] * by_K_o;
    c[TORORD_NACA_I] = (1 - p[TORORD_F_NACA_SS]) * p[TORORD_G_NACA];
    c[TORORD_NACA_SS] = p[TORORD_F_NACA_SS] * p[TORORD_G_NACA];
    c[TORORD_NACA_BOUND] = sodium / TORORD_K_NA3;
    c[TORORD_NACA_K1] = TORORD_K_CAON * p[TORORD_CA_O] / h10;
    c[TORORD_NACA_K8] = TORORD_W_NA * sodium * sodium / (h10 * TORORD_K_NA1 * TORORD_K_NA2);
    c[TORORD_NAK_SODIUM] = sodium / TORORD_K_NAO;
    c[TORORD_NAK_POTASSIUM] = potassium * potassium;
    c[TORORD_NAK_BOUND] = potassium * (2 + potassium);
    c[TORORD_TR_RATE] = 1 / p[TORORD_TAU_TR];
    c[TORORD_HL_RATE] = 1 / p[TORORD_TAU_HL];
    c[TORORD_BUFFER_CMDN] = p[TORORD_CMDN] * p[TORORD_K_CMDN];
    c[TORORD_BUFFER_TRPN] = p[TORORD_TRPN] * p[TORORD_K_TRPN];
    c[TORORD_BUFFER_BSR] = p[TORORD_BSR] * p[TORORD_K_BSR];
    c[TORORD_BUFFER_BSL] = p[TORORD_BSL] * p[TORORD_K_BSL];
    c[TORORD_BUFFER_CSQN] = p[TORORD_CSQN] * p[TORORD_K_CSQN];
}
