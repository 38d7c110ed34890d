#include "solver/cells/tp06.h"

#include <string.h>

/* clang-format off */
const char *const mt_tp06_state_name[TP06_STATES] = {
    "Xr1", "Xr2", "Xs", "m", "h", "j", "d", "f", "f2", "fCass", "s", "r", "Ca_i", "R_prime", "Ca_SR", "Ca_ss", "Na_i", "K_i"};
const char *const mt_tp06_state_unit[TP06_STATES] = {
    "", "", "", "", "", "", "", "", "", "", "", "", "mM", "", "mM", "mM", "mM", "mM"};

const mt_tp06_type mt_tp06_types[MT_CELL_TYPES] = {
    [MT_EPI] = {
        .name = "epi", .g_ks = 0.392, .g_to = 0.294, .s_half_mV = 20,
        .s_peak_ms = 85, .s_centre_mV = 45, .s_width_mV2 = 320, .s_step_ms = 5, .s_floor_ms = 3,
        .v_mV = -85.23,
        .state = {0.00621, 0.4712, 0.0095, 0.00172, 0.7444, 0.7045, 3.373e-5, 0.7888, 0.9755, 0.9953, 0.999998, 2.42e-8,
                  1.26e-4, 0.9073, 3.64, 3.6e-4, 8.604, 136.89}},
    [MT_MID] = {
        .name = "mid", .g_ks = 0.098, .g_to = 0.294, .s_half_mV = 20,
        .s_peak_ms = 85, .s_centre_mV = 45, .s_width_mV2 = 320, .s_step_ms = 5, .s_floor_ms = 3,
        .v_mV = -85.423,
        .state = {0.0165, 0.473, 0.0174, 0.00165, 0.749, 0.6788, 3.288e-5, 0.7026, 0.9526, 0.9942, 0.999998, 2.347e-8,
                  1.53e-4, 0.8978, 4.272, 4.2e-4, 10.132, 138.52}},
    [MT_ENDO] = {
        .name = "endo", .g_ks = 0.392, .g_to = 0.073, .s_half_mV = 28,
        .s_peak_ms = 1000, .s_centre_mV = 67, .s_width_mV2 = 1000, .s_step_ms = 0, .s_floor_ms = 8,
        .v_mV = -86.709,
        .state = {0.00448, 0.476, 0.0087, 0.00155, 0.7573, 0.7225, 3.164e-5, 0.8009, 0.9778, 0.9953, 0.3212, 2.235e-8,
                  1.3e-4, 0.9068, 3.715, 3.6e-4, 10.355, 138.4}},
};
/* clang-format on */

mt_status mt_tp06_type_find(const char *name, mt_cell_type *type)
{
    for (int t = 0; t < MT_CELL_TYPES; t++)
        if (strcmp(name, mt_tp06_types[t].name) == 0) {
            *type = (mt_cell_type)t;
            return MT_OK;
        }
    return mt_fail(MT_INPUT, "cell type '%s'; allowed: epi, mid, endo", name);
}
