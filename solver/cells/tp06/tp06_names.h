/* The names and units of the states, parameters and currents of the ten Tusscher-Panfilov 2006 model, for tables of models that have them
 * (mt_cell_quantity). Include solver/cells/tp06/tp06.h first. */
#pragma once

/* clang-format off */
#define TP06_STATE_NAMES \
    {"Xr1", ""}, {"Xr2", ""}, {"Xs", ""}, {"m", ""}, {"h", ""}, {"j", ""}, {"d", ""}, {"f", ""}, {"f2", ""}, {"fCass", ""}, \
    {"s", ""}, {"r", ""}, {"Ca_i", "mM"}, {"R_prime", ""}, {"Ca_SR", "mM"}, {"Ca_ss", "mM"}, {"Na_i", "mM"}, {"K_i", "mM"}

#define TP06_PARAMETER_NAMES \
    [TP06_G_NA] = {"g_Na", "nS/pF"}, [TP06_G_BNA] = {"g_bNa", "nS/pF"}, [TP06_G_CAL] = {"g_CaL", "m^3/(F s)"}, \
    [TP06_G_BCA] = {"g_bCa", "nS/pF"}, [TP06_G_TO] = {"g_to", "nS/pF"}, [TP06_G_KR] = {"g_Kr", "nS/pF"}, \
    [TP06_G_KS] = {"g_Ks", "nS/pF"}, [TP06_P_KNA] = {"p_KNa", ""}, [TP06_G_K1] = {"g_K1", "nS/pF"}, \
    [TP06_G_PK] = {"g_pK", "nS/pF"}, [TP06_G_PCA] = {"g_pCa", "pA/pF"}, [TP06_K_PCA] = {"K_pCa", "mM"}, \
    [TP06_P_NAK] = {"P_NaK", "pA/pF"}, [TP06_K_MK] = {"K_mK", "mM"}, [TP06_K_MNA] = {"K_mNa", "mM"}, \
    [TP06_K_NACA] = {"k_NaCa", "pA/pF"}, [TP06_K_MNAI] = {"K_mNai", "mM"}, [TP06_K_MCA] = {"K_mCa", "mM"}, \
    [TP06_K_SAT] = {"k_sat", ""}, [TP06_GAMMA] = {"gamma", ""}, [TP06_ALPHA] = {"alpha", ""}, \
    [TP06_V_MAXUP] = {"V_maxup", "mM/ms"}, [TP06_K_UP] = {"K_up", "mM"}, [TP06_V_REL] = {"V_rel", "1/ms"}, \
    [TP06_V_LEAK] = {"V_leak", "1/ms"}, [TP06_V_XFER] = {"V_xfer", "1/ms"}, [TP06_K1_PRIME] = {"k1_prime", "1/(mM^2 ms)"}, \
    [TP06_K2_PRIME] = {"k2_prime", "1/(mM ms)"}, [TP06_K3] = {"k3", "1/ms"}, [TP06_K4] = {"k4", "1/ms"}, \
    [TP06_EC] = {"EC", "mM"}, [TP06_MAX_SR] = {"max_sr", ""}, [TP06_MIN_SR] = {"min_sr", ""}, \
    [TP06_BUF_C] = {"Buf_c", "mM"}, [TP06_K_BUF_C] = {"K_buf_c", "mM"}, [TP06_BUF_SR] = {"Buf_sr", "mM"}, \
    [TP06_K_BUF_SR] = {"K_buf_sr", "mM"}, [TP06_BUF_SS] = {"Buf_ss", "mM"}, [TP06_K_BUF_SS] = {"K_buf_ss", "mM"}, \
    [TP06_K_O] = {"K_o", "mM"}, [TP06_NA_O] = {"Na_o", "mM"}, [TP06_CA_O] = {"Ca_o", "mM"}, \
    [TP06_S_HALF] = {"s_half", "mV"}, [TP06_S_PEAK] = {"s_peak", "ms"}, \
    [TP06_S_CENTRE] = {"s_centre", "mV"}, [TP06_S_WIDTH] = {"s_width", "mV^2"}, \
    [TP06_S_STEP] = {"s_step", "ms"}, [TP06_S_FLOOR] = {"s_floor", "ms"}

#define TP06_CURRENT_NAMES \
    [TP06_I_NA] = {"I_Na", "pA/pF"}, [TP06_I_BNA] = {"I_bNa", "pA/pF"}, [TP06_I_CAL] = {"I_CaL", "pA/pF"}, \
    [TP06_I_BCA] = {"I_bCa", "pA/pF"}, [TP06_I_PCA] = {"I_pCa", "pA/pF"}, [TP06_I_TO] = {"I_to", "pA/pF"}, \
    [TP06_I_KR] = {"I_Kr", "pA/pF"}, [TP06_I_KS] = {"I_Ks", "pA/pF"}, [TP06_I_K1] = {"I_K1", "pA/pF"}, \
    [TP06_I_PK] = {"I_pK", "pA/pF"}, [TP06_I_NACA] = {"I_NaCa", "pA/pF"}, [TP06_I_NAK] = {"I_NaK", "pA/pF"}
/* clang-format on */
