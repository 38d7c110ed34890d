#include "solver/cells/bueno_orovio/bueno_orovio.h"

#include <string.h>

#include "solver/cells/row.h"

static const mt_cell_quantity states[] = {[BO_V] = {"v", ""}, [BO_W] = {"w", ""}, [BO_S] = {"s", ""}};

/* clang-format off */
static const mt_cell_quantity parameters[] = {
    [BO_U_O] = {"u_o", ""}, [BO_U_U] = {"u_u", ""}, [BO_THETA_V] = {"theta_v", ""}, [BO_THETA_W] = {"theta_w", ""},
    [BO_THETA_V_MINUS] = {"theta_v_minus", ""}, [BO_THETA_O] = {"theta_o", ""}, [BO_TAU_V1_MINUS] = {"tau_v1_minus", "ms"},
    [BO_TAU_V2_MINUS] = {"tau_v2_minus", "ms"}, [BO_TAU_V_PLUS] = {"tau_v_plus", "ms"},
    [BO_TAU_W1_MINUS] = {"tau_w1_minus", "ms"}, [BO_TAU_W2_MINUS] = {"tau_w2_minus", "ms"},
    [BO_K_W_MINUS] = {"k_w_minus", ""}, [BO_U_W_MINUS] = {"u_w_minus", ""}, [BO_TAU_W_PLUS] = {"tau_w_plus", "ms"},
    [BO_TAU_FI] = {"tau_fi", "ms"}, [BO_TAU_O1] = {"tau_o1", "ms"}, [BO_TAU_O2] = {"tau_o2", "ms"},
    [BO_TAU_SO1] = {"tau_so1", "ms"}, [BO_TAU_SO2] = {"tau_so2", "ms"}, [BO_K_SO] = {"k_so", ""}, [BO_U_SO] = {"u_so", ""},
    [BO_TAU_S1] = {"tau_s1", "ms"}, [BO_TAU_S2] = {"tau_s2", "ms"}, [BO_K_S] = {"k_s", ""}, [BO_U_S] = {"u_s", ""},
    [BO_TAU_SI] = {"tau_si", "ms"}, [BO_TAU_W_INF] = {"tau_w_inf", ""}, [BO_W_INF_STAR] = {"w_inf_star", ""}};

static const mt_cell_quantity currents[] = {
    [BO_J_FI] = {"J_fi", "pA/pF"}, [BO_J_SO] = {"J_so", "pA/pF"}, [BO_J_SI] = {"J_si", "pA/pF"}};

#define IN_COMMON \
    [BO_U_O] = 0, [BO_THETA_V] = 0.3, [BO_THETA_W] = 0.13, [BO_TAU_V_PLUS] = 1.4506, [BO_TAU_S1] = 2.7342, \
    [BO_K_S] = 2.0994, [BO_U_S] = 0.9087
#define AT_REST .v_mV = BO_REST_MV, .states = (const double[BO_STATES]){1, 1, 0.021553043080280776}

static const mt_cell_variant variants[] = {
    [BO_EPI] = {.name = "epi", AT_REST, .parameters = (const double[BO_PARAMETERS]){IN_COMMON,
        [BO_U_U] = 1.55, [BO_THETA_V_MINUS] = 0.006, [BO_THETA_O] = 0.006, [BO_TAU_V1_MINUS] = 60, [BO_TAU_V2_MINUS] = 1150,
        [BO_TAU_W1_MINUS] = 60, [BO_TAU_W2_MINUS] = 15, [BO_K_W_MINUS] = 65, [BO_U_W_MINUS] = 0.03, [BO_TAU_W_PLUS] = 200,
        [BO_TAU_FI] = 0.11, [BO_TAU_O1] = 400, [BO_TAU_O2] = 6, [BO_TAU_SO1] = 30.0181, [BO_TAU_SO2] = 0.9957,
        [BO_K_SO] = 2.0458, [BO_U_SO] = 0.65, [BO_TAU_S2] = 16, [BO_TAU_SI] = 1.8875, [BO_TAU_W_INF] = 0.07,
        [BO_W_INF_STAR] = 0.94}},
    [BO_MID] = {.name = "mid", AT_REST, .parameters = (const double[BO_PARAMETERS]){IN_COMMON,
        [BO_U_U] = 1.61, [BO_THETA_V_MINUS] = 0.1, [BO_THETA_O] = 0.005, [BO_TAU_V1_MINUS] = 80, [BO_TAU_V2_MINUS] = 1.4506,
        [BO_TAU_W1_MINUS] = 70, [BO_TAU_W2_MINUS] = 8, [BO_K_W_MINUS] = 200, [BO_U_W_MINUS] = 0.016, [BO_TAU_W_PLUS] = 280,
        [BO_TAU_FI] = 0.078, [BO_TAU_O1] = 410, [BO_TAU_O2] = 7, [BO_TAU_SO1] = 91, [BO_TAU_SO2] = 0.8,
        [BO_K_SO] = 2.1, [BO_U_SO] = 0.6, [BO_TAU_S2] = 4, [BO_TAU_SI] = 3.3849, [BO_TAU_W_INF] = 0.01,
        [BO_W_INF_STAR] = 0.5}},
    [BO_ENDO] = {.name = "endo", AT_REST, .parameters = (const double[BO_PARAMETERS]){IN_COMMON,
        [BO_U_U] = 1.56, [BO_THETA_V_MINUS] = 0.2, [BO_THETA_O] = 0.006, [BO_TAU_V1_MINUS] = 75, [BO_TAU_V2_MINUS] = 10,
        [BO_TAU_W1_MINUS] = 6, [BO_TAU_W2_MINUS] = 140, [BO_K_W_MINUS] = 200, [BO_U_W_MINUS] = 0.016, [BO_TAU_W_PLUS] = 280,
        [BO_TAU_FI] = 0.1, [BO_TAU_O1] = 470, [BO_TAU_O2] = 6, [BO_TAU_SO1] = 40, [BO_TAU_SO2] = 1.2,
        [BO_K_SO] = 2, [BO_U_SO] = 0.65, [BO_TAU_S2] = 2, [BO_TAU_SI] = 2.9013, [BO_TAU_W_INF] = 0.0273,
        [BO_W_INF_STAR] = 0.78}}};
/* clang-format on */

static void constants(const mt_cell_model *model, const double *p, double *c)
{
    (void)model;
    memcpy(c, p, BO_TAKEN_AS_THEY_ARE * sizeof *c);
    c[BO_RATE_V1_MINUS] = 1 / p[BO_TAU_V1_MINUS];
    c[BO_RATE_V2_MINUS] = 1 / p[BO_TAU_V2_MINUS];
    c[BO_RATE_V_PLUS] = 1 / p[BO_TAU_V_PLUS];
    c[BO_RATE_W_PLUS] = 1 / p[BO_TAU_W_PLUS];
    c[BO_RATE_S1] = 1 / p[BO_TAU_S1];
    c[BO_RATE_S2] = 1 / p[BO_TAU_S2];
    c[BO_G_FI] = BO_SPAN_MV / p[BO_TAU_FI];
    c[BO_G_O1] = BO_SPAN_MV / p[BO_TAU_O1];
    c[BO_G_O2] = BO_SPAN_MV / p[BO_TAU_O2];
    c[BO_G_SI] = BO_SPAN_MV / p[BO_TAU_SI];
    c[BO_DROP_W] = 1 / p[BO_TAU_W_INF];
    c[BO_RANGE_W] = p[BO_TAU_W1_MINUS] - p[BO_TAU_W2_MINUS];
    c[BO_RANGE_SO] = p[BO_TAU_SO1] - p[BO_TAU_SO2];
    c[BO_SLOPE_W] = 2 * p[BO_K_W_MINUS];
    c[BO_SLOPE_SO] = 2 * p[BO_K_SO];
    c[BO_SLOPE_S] = 2 * p[BO_K_S];
}

MT_CELL_DECLARE(bueno_orovio);
MT_CELL_DECLARE_CURRENTS(bueno_orovio);

/* interval_max_ms: below theta_o V decays with tau_o1, 60 times as slowly as above. If it passes theta_o far at the rate of above, V and w
 * differ until the next beat. With evaluations every 0.32 ms a premature beat of mid is 2 % longer, with 0.16 ms 0.2 % shorter.
 *
 * Without delays: the default law of reaction spreading is too weak for this model's wavefronts, so each run calibrates its own. */
const mt_cell_model mt_cell_bueno_orovio = {
    .name = "bueno-orovio",
    .identity = "bueno-orovio",
    .title = "Bueno-Orovio-Cherry-Fenton 2008",
    .source = "J. Theor. Biol. 253, 544, doi 10.1016/j.jtbi.2008.03.029",
    .n_states = BO_STATES,
    .n_parameters = BO_PARAMETERS,
    .n_constants = BO_CONSTANTS,
    .n_variants = BO_VARIANTS,
    .states = states,
    .parameters = parameters,
    .constants = constants,
    .variants = variants,
    .dt_max_ms = 0.1,
    .interval_max_ms = 0.2,
    .front_ms = 0.5,
    .n_currents = BO_CURRENTS,
    .currents = currents,
    .currents_of = MT_CELL_CURRENTS(bueno_orovio),
    .kernel_float = MT_CELL_KERNELS(bueno_orovio, float),
    .kernel_double = MT_CELL_KERNELS(bueno_orovio, double),
    .multirate_float = MT_CELL_KERNELS(bueno_orovio_multirate, float),
    .multirate_double = MT_CELL_KERNELS(bueno_orovio_multirate, double),
    .mix =
        {
#include "solver/cells/bueno_orovio/bueno_orovio_tally.inc"
        },
};
