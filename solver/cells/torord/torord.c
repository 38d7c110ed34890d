#include "solver/cells/torord/torord.h"

#include <math.h>

#include "solver/cells/row.h"

/* clang-format off */
static const mt_cell_quantity states[] = {
    {"m", ""}, {"h", ""}, {"j", ""}, {"h_p", ""}, {"j_p", ""}, {"m_L", ""}, {"h_L", ""}, {"h_Lp", ""}, {"a", ""}, {"i_F", ""},
    {"i_S", ""}, {"a_p", ""}, {"i_Fp", ""}, {"i_Sp", ""}, {"d", ""}, {"f_f", ""}, {"f_s", ""}, {"f_Caf", ""}, {"f_Cas", ""},
    {"j_Ca", ""}, {"f_fp", ""}, {"f_Cafp", ""}, {"n_Ca_i", ""}, {"n_Ca_ss", ""}, {"C1", ""}, {"C2", ""}, {"O", ""}, {"I", ""},
    {"x_s1", ""}, {"x_s2", ""}, {"J_rel_np", "mM/ms"}, {"J_rel_p", "mM/ms"}, {"CaMK_t", ""}, {"Na_i", "mM"}, {"Na_ss", "mM"},
    {"K_i", "mM"}, {"K_ss", "mM"}, {"Cl_i", "mM"}, {"Cl_ss", "mM"}, {"Ca_i", "mM"}, {"Ca_ss", "mM"}, {"Ca_nsr", "mM"},
    {"Ca_jsr", "mM"}};

static const mt_cell_quantity parameters[] = {
    [TORORD_G_NA] = {"g_Na", "mS/uF"}, [TORORD_G_NAL] = {"g_NaL", "mS/uF"}, [TORORD_G_TO] = {"g_to", "mS/uF"},
    [TORORD_G_KS] = {"g_Ks", "mS/uF"}, [TORORD_P_KNA] = {"P_KNa", ""}, [TORORD_G_KB] = {"g_Kb", "mS/uF"},
    [TORORD_P_NAK] = {"P_NaK", "pA s/pF"}, [TORORD_G_PCA] = {"g_pCa", "pA/pF"}, [TORORD_G_CLCA] = {"g_ClCa", "mS/uF"},
    [TORORD_K_CLCA] = {"K_ClCa", "mM"}, [TORORD_G_CLB] = {"g_Clb", "mS/uF"}, [TORORD_F_CAL_SS] = {"f_CaL_ss", ""},
    [TORORD_CA_O] = {"Ca_o", "mM"}, [TORORD_NA_O] = {"Na_o", "mM"}, [TORORD_K_O] = {"K_o", "mM"}, [TORORD_CL_O] = {"Cl_o", "mM"},
    [TORORD_J_REL] = {"J_rel", ""}, [TORORD_ALPHA_REL] = {"alpha_rel", "mM pF/(ms pA)"}, [TORORD_K_JSR] = {"K_jsr", "mM"},
    [TORORD_J_UP] = {"J_up", "mM/ms"}, [TORORD_J_LEAK] = {"J_leak", "1/ms"}, [TORORD_K_CMDN] = {"K_CMDN", "mM"},
    [TORORD_K_TRPN] = {"K_TRPN", "mM"}, [TORORD_K_BSR] = {"K_BSR", "mM"}, [TORORD_K_BSL] = {"K_BSL", "mM"},
    [TORORD_K_CSQN] = {"K_CSQN", "mM"}, [TORORD_CAMK_0] = {"CaMK_0", ""}, [TORORD_K_CAM] = {"K_CaM", "mM"},
    [TORORD_K_CAMK] = {"K_CaMK", ""}, [TORORD_DELTA_EPI] = {"delta_epi", ""}, [TORORD_P_CA] = {"P_Ca", "cm/s"},
    [TORORD_G_KR] = {"g_Kr", "mS/uF"}, [TORORD_G_K1] = {"g_K1", "mS/uF"}, [TORORD_G_NACA] = {"g_NaCa", "pA s/pF"},
    [TORORD_F_NACA_SS] = {"f_NaCa_ss", ""}, [TORORD_P_NAB] = {"P_Nab", "cm/s"}, [TORORD_P_CAB] = {"P_Cab", "cm/s"},
    [TORORD_BETA_TAU] = {"beta_tau", "ms"}, [TORORD_TAU_TR] = {"tau_tr", "ms"}, [TORORD_TAU_HL] = {"tau_hL", "ms"},
    [TORORD_CMDN] = {"CMDN", "mM"}, [TORORD_TRPN] = {"TRPN", "mM"}, [TORORD_BSR] = {"BSR", "mM"}, [TORORD_BSL] = {"BSL", "mM"},
    [TORORD_CSQN] = {"CSQN", "mM"}};

static const mt_cell_quantity currents[] = {
    [TORORD_I_NA] = {"I_Na", "pA/pF"}, [TORORD_I_NAL] = {"I_NaL", "pA/pF"}, [TORORD_I_TO] = {"I_to", "pA/pF"},
    [TORORD_I_CAL_I] = {"I_CaL_i", "pA/pF"}, [TORORD_I_CAL_SS] = {"I_CaL_ss", "pA/pF"},
    [TORORD_I_CANA_I] = {"I_CaNa_i", "pA/pF"}, [TORORD_I_CANA_SS] = {"I_CaNa_ss", "pA/pF"},
    [TORORD_I_CAK_I] = {"I_CaK_i", "pA/pF"}, [TORORD_I_CAK_SS] = {"I_CaK_ss", "pA/pF"}, [TORORD_I_KR] = {"I_Kr", "pA/pF"},
    [TORORD_I_KS] = {"I_Ks", "pA/pF"}, [TORORD_I_K1] = {"I_K1", "pA/pF"}, [TORORD_I_NACA_I] = {"I_NaCa_i", "pA/pF"},
    [TORORD_I_NACA_SS] = {"I_NaCa_ss", "pA/pF"}, [TORORD_I_NAK] = {"I_NaK", "pA/pF"}, [TORORD_I_KB] = {"I_Kb", "pA/pF"},
    [TORORD_I_NAB] = {"I_Nab", "pA/pF"}, [TORORD_I_CAB] = {"I_Cab", "pA/pF"}, [TORORD_I_PCA] = {"I_pCa", "pA/pF"},
    [TORORD_I_CLCA] = {"I_ClCa", "pA/pF"}, [TORORD_I_CLB] = {"I_Clb", "pA/pF"}};

/* The parameters that differ, as factors of those of endo; alpha_rel is half of beta_tau. */
#define TYPE(NaL, to, CaL, Kr, Ks, K1, NaCa, NaK, Kb, rel, up, cmdn, epi) \
    [TORORD_G_NAL] = 0.0279 * (NaL), [TORORD_G_TO] = 0.16 * (to), [TORORD_P_CA] = 8.3757e-5 * (CaL), \
    [TORORD_G_KR] = 0.0321 * (Kr), [TORORD_G_KS] = 0.0011 * (Ks), [TORORD_G_K1] = 0.6992 * (K1), \
    [TORORD_G_NACA] = 0.0034 * (NaCa), [TORORD_P_NAK] = 15.4509 * (NaK), [TORORD_G_KB] = 0.0189 * (Kb), \
    [TORORD_ALPHA_REL] = 2.375 * (rel), [TORORD_J_UP] = 0.005425 * (up), [TORORD_CMDN] = 0.05 * (cmdn), \
    [TORORD_DELTA_EPI] = (epi)

static const mt_cell_variant variants[] = {
    [TORORD_EPI] = {
        .name = "epi",
        .parameters = (const double[TORORD_PARAMETERS]){
            TORORD_IN_COMMON, TYPE(0.6, 2, 1.2, 1.3, 1.4, 1.2, 1.1, 0.9, 0.6, 1, 1.3, 1.3, 0.95)},
        .v_mV = -90.6308,
        .states = (const double[TORORD_STATES]){
            0.0005385458, 0.8626262, 0.862567, 0.7280761, 0.8624569, 0.0001142635, 0.5879258, 0.3441138, 0.0008385105, 0.9997186,
            0.9997178, 0.0004272097, 0.9997186, 0.9997184, 0, 1, 0.9500661, 1, 0.9999354, 0.9999881, 1, 1, 0.0005163843,
            0.0002999169, 0.0007453672, 0.0006081978, 0.0001864123, 5.957946e-06, 0.2266594, 0.0001436606, 0, 0, 0.01260294,
            13.30768, 13.30799, 151.7507, 151.7506, 34.29602, 34.296, 6.586213e-05, 5.725333e-05, 1.793064, 1.791207}},
    [TORORD_MID] = {
        .name = "mid",
        .parameters = (const double[TORORD_PARAMETERS]){
            TORORD_IN_COMMON, TYPE(1, 2, 2, 0.8, 1, 1.3, 1.4, 0.7, 1, 1.7, 1, 1, 0)},
        .v_mV = -91.0871,
        .states = (const double[TORORD_STATES]){
            0.0004878831, 0.8699904, 0.8698567, 0.7409679, 0.8695849, 0.0001047749, 0.5911129, 0.3278962, 0.0008131043, 0.9997402,
            0.569298, 0.0004142604, 0.9997402, 0.6329453, 0, 1, 0.917233, 1, 0.9997499, 0.9999728, 1, 1, 0.001114126,
            0.0004845776, 0.0007214535, 0.0006025795, 0.0003677695, 1.151178e-05, 0.2687677, 0.0001365342, 0, 0, 0.01924265,
            15.65951, 15.66003, 155.2373, 155.2372, 48.92656, 48.92652, 8.039318e-05, 6.478661e-05, 1.921983, 1.925133}},
    [TORORD_ENDO] = {
        .name = "endo",
        .parameters = (const double[TORORD_PARAMETERS]){
            TORORD_IN_COMMON, TYPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0)},
        .v_mV = -89.7082,
        .states = (const double[TORORD_STATES]){
            0.0006573449, 0.8466026, 0.8464408, 0.7006222, 0.8461728, 0.000136147, 0.5553306, 0.3105019, 0.00089232, 0.9996693,
            0.598538, 0.0004546368, 0.9996693, 0.6614528, 0, 1, 0.9398284, 1, 0.9999004, 0.9999845, 1, 1, 0.0008278271,
            0.0004876692, 0.0007958523, 0.0006552466, 0.0002963757, 9.964092e-06, 0.2446692, 0.0001593252, 0, 0, 0.01087275,
            12.36906, 12.3694, 147.5022, 147.5021, 29.17052, 29.1705, 7.441833e-05, 6.489138e-05, 1.52396, 1.521641}},
};
/* clang-format on */

static void constants(const mt_cell_model *model, const double *p, double *c)
{
    (void)model;
    const double strength = torord_strength(p), root = sqrt(strength);
    const double gamma = exp(-TORORD_DAVIES * (root / (1 + root) - 0.3 * strength));
    torord_constants(p, sqrt(p[TORORD_K_O] / 5), gamma, c);
}

MT_CELL_DECLARE(torord);
MT_CELL_DECLARE_TABULATED(torord);
MT_CELL_DECLARE_CURRENTS(torord);

const mt_cell_model mt_cell_torord = {
    .name = "torord",
    .identity = "torord",
    .title = "ToR-ORd 2020 (dynamic chloride)",
    .source = "eLife 8, e48890, doi 10.7554/eLife.48890; bioRxiv 2020.06.01.127043",
    .n_states = TORORD_STATES,
    .n_parameters = TORORD_PARAMETERS,
    .n_constants = TORORD_CONSTANTS,
    .n_variants = TORORD_VARIANTS,
    .states = states,
    .parameters = parameters,
    .constants = constants,
    .variants = variants,
    .carrier = TORORD_K_I,
    .carrier_per_mV = TORORD_CM / (TORORD_V_MYO * TORORD_FARADAY),
    .dt_max_ms = 0.05,
    .front_ms = 0.5,
    .n_currents = TORORD_CURRENTS,
    .currents = currents,
    .currents_of = MT_CELL_CURRENTS(torord),
    .kernel_float = MT_CELL_KERNELS(torord, float),
    .kernel_double = MT_CELL_KERNELS(torord, double),
    .multirate_float = MT_CELL_KERNELS(torord_multirate, float),
    .multirate_double = MT_CELL_KERNELS(torord_multirate, double),
    .n_functions = TORORD_FUNCTIONS,
    .functions = MT_CELL_KERNELS(torord_functions, double),
    .tabulated_float = MT_CELL_KERNELS(torord_tabulated, float),
    .tabulated_multirate_float = MT_CELL_KERNELS(torord_tabulated_multirate, float),
    .mix =
        {
#include "solver/cells/torord/torord_tally.inc"
        },
};
