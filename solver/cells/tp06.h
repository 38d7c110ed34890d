/* The ten Tusscher-Panfilov 2006 model of a human ventricular cell: 18 states and the membrane potential.
 *
 * K. H. W. J. ten Tusscher, A. V. Panfilov, Alternans and spiral breakup in a human ventricular tissue model,
 * Am. J. Physiol. Heart Circ. Physiol. 291 (2006) H1088-H1100, doi 10.1152/ajpheart.00109.2006; parameters
 * and initial states of the three cell types as in the CellML repository's versions of it, which are those of
 * the benchmark of Niederer et al. 2011 (doi 10.1098/rsta.2011.0139).
 *
 * One step: forward Euler for all states but gate m, which takes the Rush-Larsen step; all right-hand sides
 * are of the values at the step's start. Euler alone would need dt < 2.2 us for gate m.
 *
 * The equations stand once, in tp06_equations.h, compiled for float and double and for each instruction set
 * of the host; every version of one arithmetic gives the same bits. */
#ifndef MT_SOLVER_CELLS_TP06_H
#define MT_SOLVER_CELLS_TP06_H

#include <stddef.h>
#include <stdint.h>

#include "data/status.h"

typedef enum mt_cell_type { MT_EPI, MT_MID, MT_ENDO, MT_CELL_TYPES } mt_cell_type;

/* The states besides V, in the order in which they are stored. Concentrations in mM; the rest without unit.
 */
typedef enum mt_tp06_state {
    TP06_XR1,
    TP06_XR2,
    TP06_XS,
    TP06_M,
    TP06_H,
    TP06_J,
    TP06_D,
    TP06_F,
    TP06_F2,
    TP06_FCASS,
    TP06_S,
    TP06_R,
    TP06_CAI,
    TP06_RPRIME,
    TP06_CASR,
    TP06_CASS,
    TP06_NAI,
    TP06_KI,
    TP06_STATES
} mt_tp06_state;

/* What differs between cell types: two conductances [nS/pF] and gate s, with
 *   s_inf = 1 / (1 + exp((V + s_half_mV) / 5)),
 *   tau_s = s_peak_ms exp(-(V + s_centre_mV)^2 / s_width_mV2) + s_step_ms / (1 + exp((V - 20) / 5)) + s_floor_ms. */
typedef struct mt_tp06_type {
    const char *name;
    double g_ks, g_to;
    double s_half_mV, s_peak_ms, s_centre_mV, s_width_mV2, s_step_ms, s_floor_ms;
    double v_mV; /* initial values */
    double state[TP06_STATES];
} mt_tp06_type;

extern const mt_tp06_type mt_tp06_types[MT_CELL_TYPES];
extern const char *const mt_tp06_state_name[TP06_STATES];
extern const char *const mt_tp06_state_unit[TP06_STATES]; /* "mM" or "" */

MT_NODISCARD mt_status mt_tp06_type_find(const char *name, mt_cell_type *type);

/* Takes n cells of one type one step of dt_ms: reads v_in_mV and the states, writes v_out_mV and the states.
 * state has 18 entries a cell in blocks (solver/kernels/block.h). v_in_mV and v_out_mV may be the same array. No
 * current is injected here: the caller adds a stimulus to V before the step. */
void mt_tp06_step_float(
    const mt_tp06_type *type, double dt_ms, size_t n, float *state, const float *v_in_mV, float *v_out_mV);
void mt_tp06_step_double(
    const mt_tp06_type *type, double dt_ms, size_t n, double *state, const double *v_in_mV, double *v_out_mV);

/* The same with a type for each cell: of[n] are mt_cell_type. A cell gets the bits it would get among its like. */
void mt_tp06_step_mixed_float(
    const uint16_t *of, double dt_ms, size_t n, float *state, const float *v_in_mV, float *v_out_mV);
void mt_tp06_step_mixed_double(
    const uint16_t *of, double dt_ms, size_t n, double *state, const double *v_in_mV, double *v_out_mV);

#endif
