#include "solver/cells/tp06/tp06.h"

#include <math.h>

#include "solver/cells/row.h"
#include "solver/cells/tp06/tp06_names.h"

/* clang-format off */
static const mt_cell_quantity states[] = {TP06_STATE_NAMES}, parameters[] = {TP06_PARAMETER_NAMES}, currents[] = {TP06_CURRENT_NAMES};

static const mt_cell_variant variants[] = {
    [TP06_EPI] = {
        .name = "epi",
        .parameters = (const double[TP06_PARAMETERS]){
            TP06_IN_COMMON, [TP06_G_KS] = 0.392, [TP06_G_TO] = 0.294, TP06_GATE_S(20, 85, 45, 320, 5, 3)},
        .v_mV = -85.23,
        .states = (const double[TP06_STATES]){
            0.00621, 0.4712, 0.0095, 0.00172, 0.7444, 0.7045, 3.373e-5, 0.7888, 0.9755, 0.9953, 0.999998, 2.42e-8,
            1.26e-4, 0.9073, 3.64, 3.6e-4, 8.604, 136.89}},
    [TP06_MID] = {
        .name = "mid",
        .parameters = (const double[TP06_PARAMETERS]){
            TP06_IN_COMMON, [TP06_G_KS] = 0.098, [TP06_G_TO] = 0.294, TP06_GATE_S(20, 85, 45, 320, 5, 3)},
        .v_mV = -85.423,
        .states = (const double[TP06_STATES]){
            0.0165, 0.473, 0.0174, 0.00165, 0.749, 0.6788, 3.288e-5, 0.7026, 0.9526, 0.9942, 0.999998, 2.347e-8,
            1.53e-4, 0.8978, 4.272, 4.2e-4, 10.132, 138.52}},
    [TP06_ENDO] = {
        .name = "endo",
        .parameters = (const double[TP06_PARAMETERS]){
            TP06_IN_COMMON, [TP06_G_KS] = 0.392, [TP06_G_TO] = 0.073, TP06_GATE_S(28, 1000, 67, 1000, 0, 8)},
        .v_mV = -86.709,
        .states = (const double[TP06_STATES]){
            0.00448, 0.476, 0.0087, 0.00155, 0.7573, 0.7225, 3.164e-5, 0.8009, 0.9778, 0.9953, 0.3212, 2.235e-8,
            1.3e-4, 0.9068, 3.715, 3.6e-4, 10.355, 138.4}},
};
/* clang-format on */

static void constants(const mt_cell_model *model, const double *p, double *c)
{
    (void)model;
    tp06_constants(p, sqrt(p[TP06_K_O] / 5.4), c);
}

MT_CELL_DECLARE(tp06);
MT_CELL_DECLARE_TABULATED(tp06);
MT_CELL_DECLARE_CURRENTS(tp06);

/* `myotile reproduce waves --plain`, mean of kuhn, mirrored and gmsh. */
static const mt_cell_delay delays[] = {
    {0.27, 2.2, 13.4}, {0.4, 2.4, 27.8}, {0.55, 3.6, 50.2}, {0.8, 17, 108}};

const mt_cell_model mt_cell_tp06 = {
    .name = "tp06",
    .identity = "tp06",
    .title = "ten Tusscher-Panfilov 2006",
    .source = "Am. J. Physiol. Heart Circ. Physiol. 291, H1088, doi 10.1152/ajpheart.00109.2006",
    .n_states = TP06_STATES,
    .n_parameters = TP06_PARAMETERS,
    .n_constants = TP06_CONSTANTS,
    .n_variants = TP06_VARIANTS,
    .states = states,
    .parameters = parameters,
    .constants = constants,
    .variants = variants,
    .carrier = TP06_KI,
    .carrier_per_mV = TP06_CM / (TP06_VC * TP06_FARADAY),
    .dt_max_ms = 0.05,
    .front_ms = 0.5,
    .n_currents = TP06_CURRENTS,
    .currents = currents,
    .currents_of = MT_CELL_CURRENTS(tp06),
    .kernel_float = MT_CELL_KERNELS(tp06, float),
    .kernel_double = MT_CELL_KERNELS(tp06, double),
    .multirate_float = MT_CELL_KERNELS(tp06_multirate, float),
    .multirate_double = MT_CELL_KERNELS(tp06_multirate, double),
    .n_functions = TP06_FUNCTIONS,
    .functions = MT_CELL_KERNELS(tp06_functions, double),
    .tabulated_float = MT_CELL_KERNELS(tp06_tabulated, float),
    .tabulated_multirate_float = MT_CELL_KERNELS(tp06_tabulated_multirate, float),
    .mix =
        {
#include "solver/cells/tp06/tp06_tally.inc"
        },
    .n_delays = sizeof delays / sizeof *delays,
    .delays = delays,
};
