#include "solver/cells/stewart/stewart.h"

#include <math.h>

#include "solver/cells/row.h"
#include "solver/cells/tp06/tp06_names.h"

/* clang-format off */
static const mt_cell_quantity states[] = {TP06_STATE_NAMES, {"y", ""}};

static const mt_cell_quantity parameters[] = {
    TP06_PARAMETER_NAMES, [STEWART_G_SUS] = {"g_sus", "nS/pF"}, [STEWART_G_FNA] = {"g_fNa", "nS/pF"},
    [STEWART_G_FK] = {"g_fK", "nS/pF"}};

static const mt_cell_quantity currents[] = {
    TP06_CURRENT_NAMES, [STEWART_I_SUS] = {"I_sus", "pA/pF"}, [STEWART_I_FNA] = {"I_fNa", "pA/pF"},
    [STEWART_I_FK] = {"I_fK", "pA/pF"}};

static const mt_cell_variant variants[] = {
    [STEWART_DEFAULT] = {
        .name = "default",
        .parameters = (const double[STEWART_PARAMETERS]){STEWART_IN_DEFAULT},
        .v_mV = -69.1370441635924,
        .states = (const double[STEWART_STATES]){
            0.00550281999719088, 0.313213286437995, 0.00953708522974789, 0.0417391656294997, 0.190678733735145,
            0.238219836154029, 0.000287906256206415, 0.989328560287987, 0.995474890442185, 0.999955429598213,
            0.96386101799501, 0.00103618091196912, 0.000101878186157052, 0.991580051907845, 3.10836886659417,
            0.000446818714055411, 8.80420286531673, 136.781894160227, 0.0457562667986602}}};
/* clang-format on */

static void constants(const mt_cell_model *model, const double *p, double *c)
{
    (void)model;
    stewart_constants(p, sqrt(p[TP06_K_O] / 5.4), c);
}

MT_CELL_DECLARE(stewart);
MT_CELL_DECLARE_TABULATED(stewart);
MT_CELL_DECLARE_CURRENTS(stewart);

/* Without delays: each run calibrates its spreading. */
const mt_cell_model mt_cell_stewart = {
    .name = "stewart",
    .identity = "stewart",
    .title = "Stewart et al. 2009",
    .source = "Phil. Trans. R. Soc. A 367, 2225, doi 10.1098/rsta.2008.0283",
    .n_states = STEWART_STATES,
    .n_parameters = STEWART_PARAMETERS,
    .n_constants = STEWART_CONSTANTS,
    .n_variants = STEWART_VARIANTS,
    .states = states,
    .parameters = parameters,
    .constants = constants,
    .variants = variants,
    .carrier = TP06_KI,
    .carrier_per_mV = TP06_CM / (TP06_VC * TP06_FARADAY),
    .dt_max_ms = 0.05,
    .rhythm_ms = 1224,
    .front_ms = 0.5,
    .n_currents = STEWART_CURRENTS,
    .currents = currents,
    .currents_of = MT_CELL_CURRENTS(stewart),
    .kernel_float = MT_CELL_KERNELS(stewart, float),
    .kernel_double = MT_CELL_KERNELS(stewart, double),
    .multirate_float = MT_CELL_KERNELS(stewart_multirate, float),
    .multirate_double = MT_CELL_KERNELS(stewart_multirate, double),
    .n_functions = STEWART_FUNCTIONS,
    .functions = MT_CELL_KERNELS(stewart_functions, double),
    .tabulated_float = MT_CELL_KERNELS(stewart_tabulated, float),
    .tabulated_multirate_float = MT_CELL_KERNELS(stewart_tabulated_multirate, float),
    .mix =
        {
#include "solver/cells/stewart/stewart_tally.inc"
        },
};
