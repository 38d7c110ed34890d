#include "solver/cells/courtemanche/courtemanche.h"

#include <math.h>

#include "solver/cells/row.h"

/* clang-format off */
static const mt_cell_quantity states[] = {
    {"m", ""}, {"h", ""}, {"j", ""}, {"oa", ""}, {"oi", ""}, {"ua", ""}, {"ui", ""}, {"xr", ""}, {"xs", ""}, {"d", ""},
    {"f", ""}, {"fCa", ""}, {"u", ""}, {"v", ""}, {"w", ""}, {"Na_i", "mM"}, {"K_i", "mM"}, {"Ca_i", "mM"},
    {"Ca_up", "mM"}, {"Ca_rel", "mM"}};

static const mt_cell_quantity parameters[] = {
    [CRN_G_NA] = {"g_Na", "nS/pF"}, [CRN_G_K1] = {"g_K1", "nS/pF"}, [CRN_G_TO] = {"g_to", "nS/pF"},
    [CRN_G_KUR] = {"g_Kur", "nS/pF"}, [CRN_G_KR] = {"g_Kr", "nS/pF"}, [CRN_G_KS] = {"g_Ks", "nS/pF"},
    [CRN_G_CAL] = {"g_CaL", "nS/pF"}, [CRN_G_BNA] = {"g_bNa", "nS/pF"}, [CRN_G_BCA] = {"g_bCa", "nS/pF"},
    [CRN_I_PCA_MAX] = {"I_pCa_max", "pA/pF"}, [CRN_K_MNAI] = {"K_mNai", "mM"}, [CRN_K_SAT] = {"k_sat", ""},
    [CRN_K_REL] = {"k_rel", "1/ms"}, [CRN_TAU_TR] = {"tau_tr", "ms"}, [CRN_I_UP_MAX] = {"I_up_max", "mM/ms"},
    [CRN_K_UP] = {"K_up", "mM"}, [CRN_K_MCMDN] = {"K_mCmdn", "mM"}, [CRN_K_MTRPN] = {"K_mTrpn", "mM"},
    [CRN_K_MCSQN] = {"K_mCsqn", "mM"}, [CRN_K_Q10] = {"K_Q10", ""}, [CRN_K_O] = {"K_o", "mM"},
    [CRN_NA_O] = {"Na_o", "mM"}, [CRN_CA_O] = {"Ca_o", "mM"}, [CRN_I_NAK_MAX] = {"I_NaK_max", "pA/pF"},
    [CRN_I_NACA_MAX] = {"I_NaCa_max", "pA/pF"}, [CRN_K_MKO] = {"K_mKo", "mM"}, [CRN_K_MNA] = {"K_mNa", "mM"},
    [CRN_K_MCA] = {"K_mCa", "mM"}, [CRN_GAMMA] = {"gamma", ""}, [CRN_CA_UP_MAX] = {"Ca_up_max", "mM"},
    [CRN_CMDN_MAX] = {"Cmdn_max", "mM"}, [CRN_TRPN_MAX] = {"Trpn_max", "mM"}, [CRN_CSQN_MAX] = {"Csqn_max", "mM"}};

static const mt_cell_quantity currents[] = {
    [CRN_I_NA] = {"I_Na", "pA/pF"}, [CRN_I_BNA] = {"I_bNa", "pA/pF"}, [CRN_I_CAL] = {"I_CaL", "pA/pF"},
    [CRN_I_BCA] = {"I_bCa", "pA/pF"}, [CRN_I_PCA] = {"I_pCa", "pA/pF"}, [CRN_I_TO] = {"I_to", "pA/pF"},
    [CRN_I_KUR] = {"I_Kur", "pA/pF"}, [CRN_I_KR] = {"I_Kr", "pA/pF"}, [CRN_I_KS] = {"I_Ks", "pA/pF"},
    [CRN_I_K1] = {"I_K1", "pA/pF"}, [CRN_I_NACA] = {"I_NaCa", "pA/pF"}, [CRN_I_NAK] = {"I_NaK", "pA/pF"}};

static const mt_cell_variant variants[] = {
    [CRN_DEFAULT] = {
        .name = "default",
        .parameters = (const double[CRN_PARAMETERS]){CRN_IN_DEFAULT},
        .v_mV = -81.18,
        .states = (const double[CRN_STATES]){
            2.908e-3, 0.9649, 0.9775, 0.03043, 0.9992, 4.966e-3, 0.9986, 3.296e-5, 0.01869, 1.367e-4, 0.9996, 0.7755,
            0, 1, 0.9992, 11.17, 139, 1.013e-4, 1.488, 1.488}}};
/* clang-format on */

static void constants(const mt_cell_model *model, const double *p, double *c)
{
    (void)model;
    crn_constants(p, expm1(p[CRN_NA_O] / 67.3), c);
}

MT_CELL_DECLARE(courtemanche);
MT_CELL_DECLARE_TABULATED(courtemanche);
MT_CELL_DECLARE_CURRENTS(courtemanche);

/* Without delays: the default law of reaction spreading is too weak for this model's wavefronts, so each run calibrates its own. */
const mt_cell_model mt_cell_courtemanche = {
    .name = "courtemanche",
    .identity = "courtemanche",
    .title = "Courtemanche-Ramirez-Nattel 1998",
    .source = "Am. J. Physiol. 275, H301, doi 10.1152/ajpheart.1998.275.1.H301",
    .n_states = CRN_STATES,
    .n_parameters = CRN_PARAMETERS,
    .n_constants = CRN_CONSTANTS,
    .n_variants = CRN_VARIANTS,
    .states = states,
    .parameters = parameters,
    .constants = constants,
    .variants = variants,
    .carrier = CRN_KI,
    .carrier_per_mV = CRN_CM / (CRN_VI * CRN_FARADAY),
    .dt_max_ms = 0.05,
    .front_ms = 0.5,
    .n_currents = CRN_CURRENTS,
    .currents = currents,
    .currents_of = MT_CELL_CURRENTS(courtemanche),
    .kernel_float = MT_CELL_KERNELS(courtemanche, float),
    .kernel_double = MT_CELL_KERNELS(courtemanche, double),
    .multirate_float = MT_CELL_KERNELS(courtemanche_multirate, float),
    .multirate_double = MT_CELL_KERNELS(courtemanche_multirate, double),
    .n_functions = CRN_FUNCTIONS,
    .functions = MT_CELL_KERNELS(courtemanche_functions, double),
    .tabulated_float = MT_CELL_KERNELS(courtemanche_tabulated, float),
    .tabulated_multirate_float = MT_CELL_KERNELS(courtemanche_tabulated_multirate, float),
    .mix =
        {
#include "solver/cells/courtemanche/courtemanche_tally.inc"
        },
};
