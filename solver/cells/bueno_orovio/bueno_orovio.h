/* The minimal model of human ventricular cells of Bueno-Orovio, Cherry and Fenton: the transmembrane voltage and three gates.
 *
 * A. Bueno-Orovio, E. M. Cherry, F. H. Fenton, Minimal model for human ventricular action potentials in tissue, J. Theor. Biol. 253 (2008)
 * 544-560, doi 10.1016/j.jtbi.2008.03.029. With H(x) = 1 from x = 0 on, 0 below:
 *
 *   du/dt = -(J_fi + J_so + J_si)
 *   dv/dt = (1 - H(u - theta_v)) (v_inf - v) / tau_v_minus - H(u - theta_v) v / tau_v_plus
 *   dw/dt = (1 - H(u - theta_w)) (w_inf - w) / tau_w_minus - H(u - theta_w) w / tau_w_plus
 *   ds/dt = ((1 + tanh(k_s (u - u_s))) / 2 - s) / tau_s
 *
 *   J_fi = -v H(u - theta_v) (u - theta_v) (u_u - u) / tau_fi
 *   J_so = (u - u_o) (1 - H(u - theta_w)) / tau_o + H(u - theta_w) / tau_so
 *   J_si = -H(u - theta_w) w s / tau_si
 *
 *   tau_v_minus, tau_o   pass from tau_v1_minus to tau_v2_minus at theta_v_minus, from tau_o1 to tau_o2 at theta_o
 *   tau_s                passes from tau_s1 to tau_s2 at theta_w
 *   tau_w_minus, tau_so  tau_1 + (tau_2 - tau_1) (1 + tanh(k (u - u_c))) / 2
 *   v_inf                1 below theta_v_minus, 0 from there on
 *   w_inf                1 - u / tau_w_inf below theta_o, w_inf_star from there on
 *
 * epi, mid and endo are EPI, M and ENDO of the paper's Table 1. V = 85.7 u - 84 mV, the paper's scale; the currents are multiplied by 85.7
 * and have the unit pA/pF. The paper's diffusion coefficient of human tissue is 0.1171 mm^2/ms, which is the conductivity
 * chi C_m 0.1171 mm^2/ms: 0.164 mS/mm with 140 /mm and 0.01 uF/mm^2.
 *
 * Two choices are not the paper's:
 *
 * - H(0) = 1, as in the model's CellML files. The paper does not define it.
 * - Below rest w_inf stays 1. The paper's formula exceeds 1 there, and w would leave its range where a wavefront on a coarse mesh
 *   pulls V below rest.
 *
 * Cells start at rest: u = 0, v = w = 1, and s at its target, (1 + tanh(-k_s u_s)) / 2. The paper starts with s = 0, which reaches this
 * value within some 10 ms; s has no effect below theta_w.
 *
 * One step is forward Euler; a gate with a time constant below the time step reaches its target. */
#pragma once

#define BO_REST_MV (-84.0)
#define BO_SPAN_MV 85.7

typedef enum bo_state { BO_V, BO_W, BO_S, BO_STATES } bo_state;

/* The currents [pA/pF], positive outwards: dV/dt is minus their sum. */
typedef enum bo_current { BO_J_FI, BO_J_SO, BO_J_SI, BO_CURRENTS } bo_current;

typedef enum bo_parameter {
    BO_U_O,
    BO_U_U,
    BO_THETA_V,
    BO_THETA_W,
    BO_THETA_V_MINUS,
    BO_THETA_O,
    BO_TAU_W2_MINUS,
    BO_U_W_MINUS,
    BO_TAU_SO2,
    BO_U_SO,
    BO_U_S,
    BO_W_INF_STAR,
    /* those above are used in the equations; constants are derived from those below */
    BO_TAKEN_AS_THEY_ARE,
    BO_TAU_V1_MINUS = BO_TAKEN_AS_THEY_ARE,
    BO_TAU_V2_MINUS,
    BO_TAU_V_PLUS,
    BO_TAU_W1_MINUS,
    BO_K_W_MINUS,
    BO_TAU_W_PLUS,
    BO_TAU_FI,
    BO_TAU_O1,
    BO_TAU_O2,
    BO_TAU_SO1,
    BO_K_SO,
    BO_TAU_S1,
    BO_TAU_S2,
    BO_K_S,
    BO_TAU_SI,
    BO_TAU_W_INF,
    BO_PARAMETERS
} bo_parameter;

/* The constants in the equations (mt_cell_constants): the parameters that are used directly, by the names above, then these. Rates [1/ms],
 * conductances [pA/pF], and slopes of exponents. */
typedef enum bo_constant {
    BO_RATE_V1_MINUS = BO_TAKEN_AS_THEY_ARE, /* 1 / tau_v1_minus, and so on */
    BO_RATE_V2_MINUS,
    BO_RATE_V_PLUS,
    BO_RATE_W_PLUS,
    BO_RATE_S1,
    BO_RATE_S2,
    BO_G_FI, /* 85.7 mV / tau_fi, and so on */
    BO_G_O1,
    BO_G_O2,
    BO_G_SI,
    BO_DROP_W,  /* 1 / tau_w_inf */
    BO_RANGE_W, /* tau_w1_minus - tau_w2_minus */
    BO_RANGE_SO,
    BO_SLOPE_W, /* 2 k_w_minus */
    BO_SLOPE_SO,
    BO_SLOPE_S,
    BO_CONSTANTS
} bo_constant;

typedef enum bo_variant { BO_EPI, BO_MID, BO_ENDO, BO_VARIANTS } bo_variant;
