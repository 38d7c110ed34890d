/* The parameters of the ten Tusscher-Panfilov 2006 model, the values common to its variants, and the constants derived for the equations
 * (mt_cell_constants). Sources: solver/cells/tp06/tp06.h. No includes: the instruction counter reads it too. */
#pragma once

/* Physical constants and cell size. */
#define TP06_GAS 8314.472                                      /* J/(kmol K) */
#define TP06_TEMPERATURE 310.0                                 /* K */
#define TP06_FARADAY 96485.3415                                /* C/mol */
#define TP06_RT_F (TP06_GAS * TP06_TEMPERATURE / TP06_FARADAY) /* mV */
#define TP06_CM 0.185                                          /* uF, for the volumes below [nl] */
#define TP06_VC 0.016404
#define TP06_VSR 0.001094
#define TP06_VSS 5.468e-5

/* The parameters, by the paper's names: maximal conductances, permeabilities and fluxes; extracellular concentrations; half-saturation
 * constants of pumps, exchanger, release and buffers; and gate s, with
 *   s_inf = 1 / (1 + exp((V + s_half) / 5)),
 *   tau_s = s_peak exp(-(V + s_centre)^2 / s_width) + s_step / (1 + exp((V - 20) / 5)) + s_floor.
 * epi, mid and endo differ in g_Ks, in g_to and in gate s. Units are in tp06.c. */
typedef enum tp06_parameter {
    TP06_G_NA,
    TP06_G_BNA,
    TP06_G_BCA,
    TP06_G_TO,
    TP06_G_KS,
    TP06_P_KNA,
    TP06_G_PK,
    TP06_G_PCA,
    TP06_K_PCA,
    TP06_K_MNA,
    TP06_K_SAT,
    TP06_V_MAXUP,
    TP06_V_REL,
    TP06_V_LEAK,
    TP06_V_XFER,
    TP06_K1_PRIME,
    TP06_K2_PRIME,
    TP06_K3,
    TP06_K4,
    TP06_EC,
    TP06_MAX_SR,
    TP06_K_BUF_C,
    TP06_K_BUF_SR,
    TP06_K_BUF_SS,
    TP06_K_O,
    TP06_NA_O,
    TP06_CA_O,
    TP06_S_HALF,
    TP06_S_PEAK,
    TP06_S_CENTRE,
    TP06_S_WIDTH,
    TP06_S_STEP,
    TP06_S_FLOOR,
    /* those above are used in the equations; constants are derived from those below */
    TP06_TAKEN_AS_THEY_ARE,
    TP06_G_CAL = TP06_TAKEN_AS_THEY_ARE,
    TP06_G_KR,
    TP06_G_K1,
    TP06_P_NAK,
    TP06_K_MK,
    TP06_K_NACA,
    TP06_K_MNAI,
    TP06_K_MCA,
    TP06_GAMMA,
    TP06_ALPHA,
    TP06_K_UP,
    TP06_MIN_SR,
    TP06_BUF_C,
    TP06_BUF_SR,
    TP06_BUF_SS,
    TP06_PARAMETERS
} tp06_parameter;

/* The constants in the equations (mt_cell_constants): the parameters that are used directly, by the names above, then these. */
typedef enum tp06_constant {
    TP06_CAL_FACTOR = TP06_TAKEN_AS_THEY_ARE, /* 2 F g_CaL */
    TP06_KR_FACTOR,                           /* g_Kr sqrt(K_o / 5.4) */
    TP06_K1_FACTOR,                           /* g_K1 sqrt(K_o / 5.4) */
    TP06_KS_OUTSIDE,                          /* K_o + p_KNa Na_o */
    TP06_NAK_FACTOR,                          /* P_NaK K_o / (K_o + K_mK) */
    TP06_NACA_FACTOR,                         /* k_NaCa / ((K_mNai^3 + Na_o^3) (K_mCa + Ca_o)) */
    TP06_NACA_OUTSIDE,                        /* Na_o^3 alpha */
    TP06_NACA_UP,                             /* gamma F / (R T) */
    TP06_NACA_DOWN,                           /* (gamma - 1) F / (R T) */
    TP06_K_UP_SQUARE,
    TP06_SR_SPAN, /* max_sr - min_sr */
    TP06_BUFFER_C,
    TP06_BUFFER_SR,
    TP06_BUFFER_SS, /* Buf K_buf */
    TP06_CONSTANTS
} tp06_constant;

/* clang-format off */
/* The values common to epi, mid, endo and the cell of Stewart et al. (solver/cells/stewart): the start of an array of parameters. */
#define TP06_IN_PURKINJE_TOO \
    [TP06_G_BNA] = 2.9e-4, [TP06_G_CAL] = 3.98e-5, [TP06_G_BCA] = 5.92e-4, \
    [TP06_P_KNA] = 0.03, [TP06_G_PK] = 0.0146, [TP06_G_PCA] = 0.1238, [TP06_K_PCA] = 5e-4, \
    [TP06_P_NAK] = 2.724, [TP06_K_MK] = 1, [TP06_K_MNA] = 40, [TP06_K_NACA] = 1000, [TP06_K_MNAI] = 87.5, \
    [TP06_K_MCA] = 1.38, [TP06_K_SAT] = 0.1, [TP06_GAMMA] = 0.35, [TP06_ALPHA] = 2.5, [TP06_V_MAXUP] = 0.006375, \
    [TP06_K_UP] = 2.5e-4, [TP06_V_REL] = 0.102, [TP06_V_LEAK] = 3.6e-4, [TP06_V_XFER] = 0.0038, [TP06_K1_PRIME] = 0.15, \
    [TP06_K2_PRIME] = 0.045, [TP06_K3] = 0.06, [TP06_K4] = 0.005, [TP06_EC] = 1.5, [TP06_MAX_SR] = 2.5, [TP06_MIN_SR] = 1, \
    [TP06_BUF_C] = 0.2, [TP06_K_BUF_C] = 0.001, [TP06_BUF_SR] = 10, [TP06_K_BUF_SR] = 0.3, [TP06_BUF_SS] = 0.4, \
    [TP06_K_BUF_SS] = 2.5e-4, [TP06_K_O] = 5.4, [TP06_NA_O] = 140, [TP06_CA_O] = 2

/* The values common to epi, mid and endo. */
#define TP06_IN_COMMON TP06_IN_PURKINJE_TOO, [TP06_G_NA] = 14.838, [TP06_G_KR] = 0.153, [TP06_G_K1] = 5.405

/* Gate s, by its six parameters. */
#define TP06_GATE_S(half, peak, centre, width, step, floor) \
    [TP06_S_HALF] = (half), [TP06_S_PEAK] = (peak), [TP06_S_CENTRE] = (centre), [TP06_S_WIDTH] = (width), \
    [TP06_S_STEP] = (step), [TP06_S_FLOOR] = (floor)
/* clang-format on */

/* Fills c[TP06_CONSTANTS] from p[TP06_PARAMETERS]; by_K_o: sqrt(K_o / 5.4). */
static inline void tp06_constants(const double *p, double by_K_o, double *c)
{
    const double Na_o3 = p[TP06_NA_O] * p[TP06_NA_O] * p[TP06_NA_O];
    __builtin_memcpy(c, p, TP06_TAKEN_AS_THEY_ARE * sizeof *c);
    c[TP06_CAL_FACTOR] = p[TP06_G_CAL] * 2 * TP06_FARADAY;
    c[TP06_KR_FACTOR] = p[TP06_G_KR] * by_K_o;
    c[TP06_K1_FACTOR] = p[TP06_G_K1] * by_K_o;
    c[TP06_KS_OUTSIDE] = p[TP06_K_O] + p[TP06_P_KNA] * p[TP06_NA_O];
    c[TP06_NAK_FACTOR] = p[TP06_P_NAK] * p[TP06_K_O] / (p[TP06_K_O] + p[TP06_K_MK]);
    c[TP06_NACA_FACTOR] = p[TP06_K_NACA] / ((p[TP06_K_MNAI] * p[TP06_K_MNAI] * p[TP06_K_MNAI] + Na_o3) *
                                               (p[TP06_K_MCA] + p[TP06_CA_O]));
    c[TP06_NACA_OUTSIDE] = Na_o3 * p[TP06_ALPHA];
    c[TP06_NACA_UP] = p[TP06_GAMMA] / TP06_RT_F;
    c[TP06_NACA_DOWN] = (p[TP06_GAMMA] - 1) / TP06_RT_F;
    c[TP06_K_UP_SQUARE] = p[TP06_K_UP] * p[TP06_K_UP];
    c[TP06_SR_SPAN] = p[TP06_MAX_SR] - p[TP06_MIN_SR];
    c[TP06_BUFFER_C] = p[TP06_BUF_C] * p[TP06_K_BUF_C];
    c[TP06_BUFFER_SR] = p[TP06_BUF_SR] * p[TP06_K_BUF_SR];
    c[TP06_BUFFER_SS] = p[TP06_BUF_SS] * p[TP06_K_BUF_SS];
}
